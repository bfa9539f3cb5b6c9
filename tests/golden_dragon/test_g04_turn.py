"""G4: turns, storms, single moves; the test vectors V1, V2 and V4 of G13."""

import pytest

from drako_env.games import make_game
from tests.golden_dragon.positions import NO_STORM, STORM, after, legal, movable, move, play, position, turn

V2 = [(1, 3), (7, 5), (9, 5)]
OPEN = [(4, 3), (3, 8)]
"""Free on all sides."""


@pytest.mark.parametrize(
    ("wind", "dragons"),
    [("N", []), ("S", [0, 1, 2]), ("E", [2]), ("W", [1]), ("SE", [0, 1, 2]), ("SW", [0, 1, 2])],
)
def test_v1_on_the_starts(wind, dragons):
    game = turn(first=[wind])
    if dragons:
        assert (movable(game), game.state_dict()["hand"]) == (dragons, wind)
    else:
        state = game.state_dict()
        assert (state["holders"][0][-1], state["single_moves"], state["moves_left"]) == (wind, 1, 2)


@pytest.mark.parametrize(
    ("wind", "mover", "dragons"),
    [("S", 0, []), ("S", 1, [1]), ("S", 2, []), ("N", 0, [0, 1]), ("N", 1, [0, 1]), ("N", 2, [0, 1, 2])],
)
def test_v2_next_to_the_goal(wind, mover, dragons):
    game = turn(mover, first=[wind], cells=V2)
    if not dragons:
        assert game.state_dict()["holders"][mover][-1] == wind
        return
    assert movable(game) == dragons
    if (wind, mover) in (("S", 1), ("N", 2)):
        assert after(game, move(mover))["winner"] == mover


def test_v4_a_stone_that_fits_no_dragon_passes_through():
    game = position(first=["S", "N"], cells=V2)
    before = game.state_dict()
    state = after(game, NO_STORM)
    assert state["holders"][0] == [*before["holders"][0][2:], "S"]
    assert (state["phase"], state["agent"], state["hand"]) == ("place", 0, "N"), "nobody was asked"
    assert (state["single_moves"], state["moves_left"]) == (1, 2)
    for key in ("positions", "under", "bolts"):
        assert state[key] == before[key]


def test_g4_a_storm_is_asked_before_any_stone_is_taken():
    game = position()
    state = game.state_dict()
    assert list(legal(game)) == [NO_STORM, STORM]
    assert (state["hand"], len(state["holders"][0])) == (None, 5)


@pytest.mark.parametrize(("answer", "moves", "left"), [(NO_STORM, 3, [2, 2, 2]), (STORM, 5, [1, 2, 2])])
def test_g4_three_moves_or_five_with_a_storm(answer, moves, left):
    """A13: a storm plays the five stones held at the start of the turn, in their order."""
    stones = ["S", "W", "SE", "S", "SW"]
    game = position(first=stones, bolts=[0, 0, 0])
    play(game, answer)
    taken = []
    for single_move in range(moves):
        state = game.state_dict()
        assert (state["phase"], state["agent"], state["moves_left"]) == ("place", 0, moves - single_move)
        assert state["single_moves"] == single_move
        taken.append(state["hand"])
        play(game, move(1))
    state = game.state_dict()
    assert taken == stones[:moves]
    assert state["storms"] == left
    assert (state["phase"], state["agent"], state["active"], state["moves_left"]) == ("storm", 1, 1, 3)


@pytest.mark.parametrize("first_turn", [1, 2, 3])
@pytest.mark.parametrize("answer", [NO_STORM, STORM])
def test_g4_the_first_turn_may_be_shorter_and_no_other(first_turn, answer):
    game = position(first=["S", "W", "SE", "S", "SW"], bolts=[0, 0, 0], first_turn=first_turn)
    assert game.state_dict()["moves_left"] == first_turn
    play(game, answer)
    for _ in range(first_turn + (2 if answer == STORM else 0)):
        assert game.state_dict()["active"] == 0
        play(game, move(1))
    state = game.state_dict()
    assert (state["phase"], state["active"], state["moves_left"]) == ("storm", 1, 3)


def test_g4_only_another_first_turn_is_named_in_a_table():
    """Policies and replays of games without the handicap stay what they were."""
    tables = [make_game("golden_dragon", first_turn=moves).rules_table()["options"] for moves in (3, 2)]
    assert [table.get("first_turn") for table in tables] == [None, 2]


def test_g4_without_storm_cards_nobody_is_asked():
    game = position(active=1, hand="S", moves_left=1, storms=[2, 2, 0])
    state = after(game, move(1))
    assert (state["phase"], state["agent"], state["active"], state["moves_left"]) == ("place", 2, 2, 3)
    assert state["hand"] == "N"


def test_g4_the_turn_goes_clockwise_round_the_table():
    state = after(position(active=2, hand="S", moves_left=1), move(2))
    assert (state["active"], state["agent"]) == (0, 0)


def test_g4_a_committed_move():
    """The dragon goes onto the stone; the stone that it leaves goes to the back of the mover's holder, not its own."""
    game = position(hand="SE", first=["S"], cells=[(0, 5), OPEN[0], (0, 6)], under=["E", "W", "E"], bolts=[2, 0, 2])
    before = game.state_dict()
    state = after(game, move(1))
    assert state["positions"] == [[0, 5], [5, 4], [0, 6]]
    assert state["under"] == ["E", "SE", "E"]
    assert state["hand"] == "S"
    assert state["holders"][0] == [*before["holders"][0][1:], "W"]
    assert state["holders"][1:] == before["holders"][1:]


def test_g4_the_holder_is_a_queue():
    game = turn(first=["S", "SE", "SW", "S", "N"])
    state = after(game, move(0))
    assert (state["hand"], state["holders"][0]) == ("SE", ["SW", "S", "N", "E"])
    state = after(game, move(0))
    assert (state["hand"], state["holders"][0]) == ("SW", ["S", "N", "E", "S"])


@pytest.mark.parametrize(
    ("what", "cells", "hand", "dragons"),
    [
        ("the edge of the board", [(9, 3), *OPEN], "S", [1, 2]),
        ("a corner cut out of the board", [(1, 1), *OPEN], "N", [1, 2]),
        ("a red volcano", [(1, 3), *OPEN], "S", [1, 2]),
        ("another dragon", [(3, 3), *OPEN], "S", [1, 2]),
        ("the mover's own dragon", [(5, 3), *OPEN], "S", [0, 2]),
    ],
)
def test_g4_no_dragon_moves_onto(what, cells, hand, dragons):
    assert movable(position(hand=hand, cells=cells)) == dragons, what


@pytest.mark.parametrize(
    ("hand", "cell"),
    [("N", (9, 5)), ("S", (7, 5)), ("E", (8, 4)), ("W", (8, 6)), ("SE", (7, 4)), ("SW", (7, 6))],
)
def test_g4_only_the_active_players_own_dragon_enters_the_goal(hand, cell):
    """A15; and all six ways into it are open (A2)."""
    cells = [cell, *OPEN]
    assert movable(position(active=0, hand=hand, cells=cells)) == [0, 1, 2]
    assert movable(position(active=1, hand=hand, cells=cells)) == [1, 2]


def test_g4_a_stone_that_could_only_bring_another_home_passes_through():
    """A15: every dragon but player 0's faces a volcano or the edge; its way leads to the goal."""
    game = turn(1, first=["S", "E"], cells=[(7, 5), (1, 3), (9, 5)])
    state = game.state_dict()
    assert (state["hand"], state["holders"][1][-1], state["winner"]) == ("E", "S", None)
    assert movable(game) == [0, 1, 2]


def test_g4_there_is_no_passing_and_a_single_choice_is_asked_too():
    game = turn(first=["E"])
    assert list(legal(game)) == [move(2)]
    assert game.state_dict()["phase"] == "place"


def test_g4_unplayable_stones_count_in_a_storm_and_may_end_a_turn():
    """A13: five stones that fit nobody, then the next seat's turn."""
    game = position(first=["N", "N", "N", "N", "N"])
    state = after(game, STORM)
    assert (state["phase"], state["agent"], state["single_moves"], state["moves_left"]) == ("storm", 1, 5, 3)
    assert state["holders"][0] == ["N"] * 5


def test_g4_unplayable_stones_may_pass_through_a_whole_round():
    """Without storm cards nobody is asked: three stones of each of three seats pass."""
    game = position(first=["N"] * 5, storms=[1, 0, 0], holders=[["N"] * 5, ["N"] * 5, ["N", "N", "N", "S", "N"]])
    state = after(game, NO_STORM)
    assert (state["phase"], state["agent"], state["single_moves"]) == ("storm", 0, 9)


@pytest.mark.parametrize("answer", [NO_STORM, STORM])
def test_g4_a_storm_is_asked_once_a_turn_and_again_in_the_next(answer):
    game = position(first=["S", "SE", "SW", "S", "S"], bolts=[0, 0, 0])
    play(game, answer)
    while game.state_dict()["active"] == 0:
        assert game.state_dict()["phase"] == "place"
        play(game, next(iter(legal(game))))
    assert game.state_dict()["phase"] == "storm"
    assert list(legal(game)) == [NO_STORM, STORM]


def test_g4_two_storms_each():
    state = after(position(storms=[1, 2, 2]), STORM)
    assert state["storms"] == [0, 2, 2]
    game = position(active=2, hand="S", moves_left=1, storms=[0, 2, 2])
    assert after(game, move(2))["phase"] == "place"
