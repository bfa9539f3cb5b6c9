"""G5: lightning, a veto played out of turn; the test vector V3 of G13."""

import pytest

from drako_env.golden_dragon.rules import Rules
from tests.golden_dragon.positions import NO_VETO, SCOPES, VETO, after, legal, movable, move, play, position

SOUTH = {"hand": "S", "cells": [(0, 5), (0, 4), (0, 6)]}


def test_v3_everybody_vetoes_until_only_the_own_dragon_is_left():
    game = position(**SOUTH, under=["W", "E", "E"])
    before = game.state_dict()
    assert movable(game) == [0, 1, 2]
    state = after(game, move(1))
    assert (state["phase"], state["agent"], state["announced"]) == ("veto", 1, 1)
    play(game, VETO)
    assert movable(game) == [0, 2]
    state = after(game, move(2))
    assert (state["phase"], state["agent"], state["announced"]) == ("veto", 2, 2)
    play(game, VETO)
    assert movable(game) == [0]
    assert game.state_dict()["barred"] == [1, 2]
    assert game.state_dict()["hand"] == "S", "the same stone"
    state = after(game, move(0))
    assert (state["phase"], state["agent"]) == ("place", 0), "nobody is asked"
    assert state["bolts"] == [2, 1, 1]
    assert state["holders"][0][-1] == "W", "the stone that was under dragon 0"
    assert (state["single_moves"], state["moves_left"]) == (before["single_moves"] + 1, before["moves_left"] - 1)
    assert state["positions"] == [[1, 5], [0, 4], [0, 6]]


def test_g5_the_responder_decides_before_anything_moves():
    game = position(**SOUTH)
    before = game.state_dict()
    state = after(game, move(2))
    assert list(legal(game)) == [NO_VETO, VETO]
    assert game.agent_selection == "player_2"
    for key in ("positions", "under", "holders", "hand", "bolts", "single_moves", "moves_left", "active"):
        assert state[key] == before[key], "A8: the freed stone is not in the holder yet"


def test_g5_the_responder_sees_stone_dragon_and_the_stone_that_would_be_freed():
    game = position(**SOUTH, under=["E", "E", "SW"])
    play(game, move(2))
    fields = game.observation_fields
    seen = game.observe("player_2")["observation"]
    assert seen[fields["hand"]].tolist() == [0, 1, 0, 0, 0, 0]
    assert seen[fields["announced"]].tolist() == [1, 0, 0], "its own dragon"
    assert seen[fields["under"]][:6].tolist() == [0, 0, 0, 0, 0, 1]


def test_g5_a_declined_veto_lets_the_move_stand():
    game = position(**SOUTH)
    state = after(game, move(1), NO_VETO)
    assert state["positions"][1] == [1, 4]
    assert state["under"][1] == "S"
    assert state["bolts"] == [2, 2, 2]
    assert (state["announced"], state["barred"]) == (None, [])


def test_g5_own_moves_are_not_polled():
    state = after(position(**SOUTH), move(0))
    assert state["positions"][0] == [1, 5]
    assert state["phase"] == "place"


def test_g5_a_seat_without_lightning_is_not_asked():
    state = after(position(**SOUTH, bolts=[2, 0, 2]), move(1))
    assert state["positions"][1] == [1, 4]


def test_g5_a_bar_lasts_for_one_stone_and_the_second_lightning_may_follow():
    """A6, A10."""
    game = position(hand="S", first=["SW"])
    play(game, move(1), VETO, move(0))
    state = game.state_dict()
    assert (state["hand"], state["barred"]) == ("SW", [])
    assert 1 in movable(game)
    state = after(game, move(1), VETO)
    assert state["bolts"] == [2, 0, 2]
    assert state["barred"] == [1]


def test_g5_a_stone_whose_last_dragon_is_vetoed_passes_through():
    """A7, A11: east fits dragon 2 alone, and its owner will not have it."""
    game = position(hand="E", first=["S"])
    before = game.state_dict()
    state = after(game, move(2), VETO)
    assert state["positions"] == before["positions"]
    assert state["holders"][0][-1] == "E"
    assert (state["hand"], state["single_moves"], state["moves_left"]) == ("S", 1, 2)
    assert state["barred"] == []


def test_g5_a_veto_may_end_a_turn():
    game = position(hand="E", moves_left=1)
    state = after(game, move(2), VETO)
    assert (state["phase"], state["agent"], state["active"]) == ("storm", 1, 1)


def polled(game, *answers):
    """Who is asked, one after the other."""
    asked = []
    for answer in answers:
        if game.state_dict()["phase"] != "veto":
            break
        asked.append(game.state_dict()["agent"])
        play(game, answer)
    return asked


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("mover", range(4))
@pytest.mark.parametrize("dragon", range(4))
def test_g5_who_is_asked(mover, dragon, scope):
    """The owner; everybody but the mover; or everybody but the mover, unless it is the mover's own dragon."""
    others = [(mover + i) % 4 for i in (1, 2, 3)]
    expected = {
        "owner_only": [dragon] if dragon != mover else [],
        "any_opponent": others,
        "others": others if dragon != mover else [],
    }[scope]
    game = position(active=mover, hand="S", num_players=4, veto_scope=scope)
    play(game, move(dragon))
    assert polled(game, *[NO_VETO] * 4) == expected
    assert game.state_dict()["positions"][dragon][0] == 1
    rules = Rules.load(num_players=4, veto_scope=scope)
    assert [seat for seat in others if rules.may_veto(seat, mover, dragon)] == expected
    assert not rules.may_veto(mover, mover, dragon)


def test_g5_any_opponent_the_first_yes_ends_the_poll():
    game = position(active=2, hand="S", num_players=4, veto_scope="any_opponent")
    play(game, move(3))
    assert polled(game, NO_VETO, VETO, VETO) == [3, 0]
    state = game.state_dict()
    assert (state["bolts"], state["barred"], state["agent"]) == ([1, 2, 2, 2], [3], 2)


def test_g5_any_opponent_skips_seats_without_lightning():
    game = position(active=2, hand="S", num_players=4, veto_scope="any_opponent", bolts=[0, 1, 2, 0])
    play(game, move(0))
    assert polled(game, NO_VETO, NO_VETO) == [1]
    game = position(active=2, hand="S", num_players=4, veto_scope="any_opponent", bolts=[0, 0, 2, 0])
    assert after(game, move(0))["phase"] == "place"


def test_g5_any_opponent_even_a_winning_move_can_be_vetoed_but_not_under_owner_only():
    near = {"hand": "S", "cells": [(7, 5), (0, 4), (0, 6)]}
    assert after(position(**near), move(0))["winner"] == 0
    game = position(**near, veto_scope="any_opponent")
    state = after(game, move(0), NO_VETO, VETO)
    assert (state["winner"], state["barred"], state["bolts"]) == (None, [0], [2, 2, 1])
    assert movable(game) == [1, 2]


def test_g5_others_the_first_yes_ends_the_poll_and_seats_without_lightning_are_skipped():
    game = position(active=2, hand="S", num_players=4, veto_scope="others", bolts=[2, 1, 2, 0])
    play(game, move(3))
    assert polled(game, NO_VETO, VETO, VETO) == [0, 1]
    state = game.state_dict()
    assert (state["bolts"], state["barred"], state["agent"]) == ([2, 0, 2, 0], [3], 2)


def test_g5_others_one_seat_may_leave_the_mover_nothing_but_the_own_dragon():
    """The rules' example, with both cards of one seat: the third dragon's owner has none to spend."""
    game = position(**SOUTH, veto_scope="others", bolts=[2, 2, 0])
    play(game, move(1), VETO, move(2), VETO)
    assert movable(game) == [0]
    state = after(game, move(0))
    assert (state["phase"], state["agent"]) == ("place", 0), "nobody is asked about the own dragon"
    assert (state["positions"][0], state["bolts"]) == ([1, 5], [2, 0, 0])


def test_g5_others_a_winning_move_cannot_be_vetoed():
    game = position(hand="S", cells=[(7, 5), (0, 4), (0, 6)], veto_scope="others")
    assert after(game, move(0))["winner"] == 0
