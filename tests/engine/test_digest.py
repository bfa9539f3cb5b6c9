"""One digest tells apart what games are played by: saves, replays and policies go with it."""

from types import MappingProxyType

import pytest

from drako_env.engine.game import rules_digest
from drako_env.games import GAMES, make_game
from tests.every_game import every_game


class Changed:
    """A game with something else about it."""

    def __init__(self, game, **changes):
        self._game, self._changes = game, changes

    def __getattr__(self, name):
        return self._changes[name] if name in self._changes else getattr(self._game, name)


@every_game
def test_whatever_matters_changes_the_digest(module, options):
    game = module.raw_env(**options).game
    last = list(game.observation_fields)[-1]
    wider = slice(game.observation_fields[last].start, game.observation_fields[last].stop + 2)
    others = [
        Changed(game, rules_version=game.rules_version + 1),
        Changed(game, name="another"),
        Changed(game, observation_fields=MappingProxyType(game.observation_fields | {last: wider})),
        Changed(game, observation_fields=MappingProxyType(game.observation_fields | {"new": wider})),
        Changed(game, actions=game.actions[::-1]),
    ]
    digests = [rules_digest(game), *map(rules_digest, others)]
    assert len(set(digests)) == len(digests)
    assert rules_digest(Changed(game)) == digests[0]


@pytest.mark.parametrize(
    ("name", "option"), [("drako", {"fury_may_kill": True}), ("golden_dragon", {"max_single_moves": 599})]
)
def test_options_count_and_names_do_not(name, option):
    game = make_game(name)
    assert rules_digest(make_game(name, **option)) != rules_digest(game)
    assert rules_digest(make_game(name, rules=game.rules_table() | {"name": "copy"})) == rules_digest(game)


def test_this_is_the_second_version_of_the_rules():
    """Raise it with every change of a clause, so that old files are refused and not misread."""
    assert {make_game(name).rules_version for name in GAMES} == {2}
