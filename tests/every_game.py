"""Tests that hold for every game are run for every game."""

from importlib import import_module

import pytest

from drako_env.games import GAMES

MODULES = {name: import_module(f"drako_env.{name}_v0") for name in GAMES}
OPTIONS = {
    "golden_dragon": [{"num_players": n} for n in (3, 2, 4, 5)],
    "icarius": [{"num_players": 3, "veto_scope": "any_opponent"}],
}
"""What a game is tried with, the first one if the number of players does not matter; others as they are."""


def _case(name, options):
    players = f"-{options['num_players']}" if "num_players" in options else ""
    return pytest.param(MODULES[name], options, id=name + players)


CASES = {name: [_case(name, options) for options in OPTIONS.get(name, [{}])] for name in GAMES}
every_game = pytest.mark.parametrize(("module", "options"), [case for cases in CASES.values() for case in cases])
"""A test's arguments `module` and `options`: `module.env(**options)` and so on."""
one_of_each_game = pytest.mark.parametrize(("module", "options"), [cases[0] for cases in CASES.values()])
"""The same, where the number of players does not matter."""
