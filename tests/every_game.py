"""Tests that hold for every game are run for every game."""

import pytest

from drako_env import drako_v0, golden_dragon_v0, icarius_v0

CASES = [
    pytest.param(drako_v0, {}, id="drako"),
    *(pytest.param(golden_dragon_v0, {"num_players": n}, id=f"golden_dragon-{n}") for n in (2, 3, 4, 5)),
    pytest.param(icarius_v0, {"num_players": 3, "veto_scope": "any_opponent"}, id="icarius-3"),
]
every_game = pytest.mark.parametrize(("module", "options"), CASES)
"""A test's arguments `module` and `options`: `module.env(**options)` and so on."""
FEW = [CASES[0], CASES[2], CASES[5]]
one_of_each_game = pytest.mark.parametrize(("module", "options"), FEW)
"""The same, where the number of players does not matter."""
