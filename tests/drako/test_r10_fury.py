"""R10: fury."""

import pytest

from drako_env.drako.rules import Rules
from tests.drako.positions import after, legal, play, position


def test_r10_1_one_wound_for_a_third_action():
    game = position(agent="dwarves")
    state = after(game, "declare fury")
    assert (state["phase"], state["actions_left"], state["actions_spent"]) == ("action", 3, 0)
    assert state["dwarves"]["fury"]["wounds"] == 1
    assert state["fury_used"]
    assert "declare fury" not in legal(game)
    state = after(game, "draw", "draw")
    assert (state["agent"], state["actions_left"], state["actions_spent"]) == ("dwarves", 1, 2)


def test_r10_1_once_per_game_only_for_the_living_fury_dwarf_and_only_its_own_turn():
    assert "declare fury" not in legal(position(agent="dwarves", fury_used=True))
    assert "declare fury" not in legal(position(agent="dwarves", fury=None))
    assert "declare fury" not in legal(position(agent="dragon"))


@pytest.mark.parametrize(("timing", "allowed"), [("start", False), ("any", True)])
def test_r10_1_timing(timing, allowed):
    game = position(agent="dwarves", fury_timing=timing)
    assert "declare fury" in legal(game)
    play(game, "draw")
    assert ("declare fury" in legal(game)) == allowed
    if allowed:
        assert after(game, "declare fury")["actions_left"] == 2


def test_r10_2_fury_may_not_kill_unless_the_option_says_so():
    wounds = {"fury_dwarf": 5}
    assert "declare fury" not in legal(position(agent="dwarves", wounds=wounds))
    game = position(agent="dwarves", wounds=wounds, fury_may_kill=True)
    state = after(game, "declare fury")
    assert state["dwarves"]["fury"] == {"hex": None, "wounds": 6}
    assert (state["agent"], state["actions_left"]) == ("dwarves", 3)


def test_r10_2_fury_that_kills_the_last_dwarf_loses():
    game = position(agent="dwarves", wounds={"fury_dwarf": 5}, fury_may_kill=True, archer=None, net=None)
    assert after(game, "declare fury")["winner"] == "dragon"


def test_r10_3_editions():
    assert Rules.load(edition="2011").fury_timing == "start"
    assert Rules.load(edition="2019").fury_timing == "any"
    assert Rules.load(edition="2019", fury_timing="start").fury_timing == "start"
