"""The kernel against an independent oracle, written from the rules alone: legal sets and successors must agree."""

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from drako_env import drako_v0
from drako_env.drako.rules import DECKS
from tests.drako.random_games import TABLES, random_action, random_options
from tests.oracle import drako as oracle


def oracle_rules(options):
    path = DECKS / "reconstructed.toml" if options["rules"] == "reconstructed" else Path(options["rules"])
    return oracle.OracleRules.load(path, **{name: value for name, value in options.items() if name != "rules"})


def drawn_cards(rules, before, action, after):
    """The cards that the kernel drew, if the oracle says that some are drawn."""
    chance = oracle.chance(rules, before, action)
    if chance is None:
        return None
    side, _ = chance
    if action["type"] == "exchange":
        return after["hands"][side]
    return dict(Counter(before["decks"][side]) - Counter(after["decks"][side]))


def as_set(actions):
    return sorted(json.dumps(action, sort_keys=True) for action in actions)


def compare_game(options, chance):
    """One random game, decision by decision; returns how many."""
    rules, game, decisions = oracle_rules(options), drako_v0.raw_env(**options), 0
    game.reset(seed=chance.getrandbits(64))
    state = game.state_dict()
    assert oracle.start(rules, state["hands"]) == state
    while state["phase"] != "over":
        mask = game.observe(game.agent_selection)["action_mask"]
        legal = as_set(game.action_dict(i) for i in mask.nonzero()[0].tolist())
        assert legal == as_set(oracle.legal_actions(rules, state)), (options, state)
        chosen = random_action(game, chance)
        action = game.action_dict(chosen)
        game.step(chosen)
        after = game.state_dict()
        expected = oracle.successor(rules, state, action, drawn_cards(rules, state, action, after))
        assert after == expected, (options, state, action)
        state = after
        decisions += 1
    assert oracle.legal_actions(rules, state) == []
    return decisions


def compare(decisions, seed):
    """Random games under random options and both tables until so many decisions agree."""
    chance = random.Random(seed)
    agreed, settings = 0, Counter()
    while agreed < decisions:
        options = random_options(chance)
        agreed += compare_game(options, chance)
        settings.update(f"{name}={value}" for name, value in options.items())
    assert all(any(f"={table}" in setting for setting in settings) for table in TABLES)
    return agreed


def test_oracle_agrees():
    compare(8_000, seed=0)


@pytest.mark.slow
def test_oracle_agrees_on_three_hundred_thousand_decisions():
    print(f"{compare(300_000, seed=1):,} decisions agree")
