"""G3: set-up."""

import re

import pytest

from drako_env import golden_dragon_v0
from tests.golden_dragon.positions import after, legal, play

WINDS = ("N", "S", "E", "W", "SE", "SW")


def new(num_players=3, **options):
    game = golden_dragon_v0.raw_env(num_players=num_players, **options)
    game.reset(seed=0)
    return game


def stones(*winds):
    return [f"the {wind} stone" for wind in winds]


def laid(num_players, side="left"):
    """A game whose stones under the dragons lie: E for all."""
    game = new(num_players)
    play(game, *stones("E") * num_players, *[f"start on the {side}"] * (num_players == 5))
    return game


def test_g3_before_anything_is_laid():
    state = new().state_dict()
    assert (state["phase"], state["agent"], state["active"], state["moves_left"]) == ("setup_stone", 0, 0, 3)
    assert state["positions"] == state["under"] == [None] * 3
    assert state["holders"] == [[]] * 3
    assert state["storms"] == state["bolts"] == [2] * 3


def test_g3_nothing_is_left_to_chance():
    game = new()
    states = []
    for seed in (1, 2):
        game.reset(seed=seed)
        states.append(game.state_dict())
    assert states[0] == states[1]
    chance, record = game.game.chance, game.position.state
    assert (chance.max_outcomes, chance.max_events, chance.outcomes(record)) == (0, 0, ())
    for decide in (lambda: chance.lay_out(record, 0), lambda: chance.outcome_text(record, 0, None)):
        with pytest.raises(ValueError, match="nothing is left to chance"):
            decide()


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_g3_d0_each_seat_in_order_lays_any_stone_on_its_start(num_players):
    game = new(num_players)
    starts = game.game.rules.board.starts
    for seat in range(num_players):
        assert game.agent_selection == f"player_{seat}"
        assert list(legal(game)) == stones(*WINDS)
        play(game, *stones(WINDS[seat]))
        assert game.state_dict()["under"] == [*WINDS[: seat + 1], *[None] * (num_players - seat - 1)]
        if seat < 4:
            assert game.state_dict()["positions"][seat] == list(starts[seat])
    assert game.state_dict()["phase"] == ("setup_side" if num_players == 5 else "setup_order")


@pytest.mark.parametrize(("side", "cell"), [("left", [0, 2]), ("right", [0, 7])])
def test_g3_d1_the_fifth_player_chooses_a_side(side, cell):
    game = new(5)
    play(game, *stones(*"NNNNS"))
    assert game.agent_selection == "player_4"
    assert list(legal(game)) == ["start on the left", "start on the right"]
    state = game.state_dict()
    assert (state["under"][4], state["positions"][4]) == ("S", None)
    state = after(game, f"start on the {side}")
    assert state["positions"][4] == cell
    assert (state["phase"], state["agent"]) == ("setup_order", 0)


@pytest.mark.parametrize("rows", [["  542135", " ........"], ["  .42135", " 5......."], ["  ..545.", " ...213.."]])
def test_g3_d1_both_sides_are_marked_in_the_picture(rows):
    """Whatever rows they stand in: the one further west is the left one."""
    table = golden_dragon_v0.Rules.load().table()
    game = new(5, board=table | {"rows": rows + table["rows"][2:]})
    play(game, *stones(*"NNNNS"))
    scene = game.game.scene(game.position.state, None)
    assert re.findall('data-side="([a-z]+)"', game.game.picture(scene)) in (["left", "right"], ["right", "left"])


def test_g3_d2_holders_are_filled_front_to_back_and_the_last_stone_falls_into_place():
    game = laid(2)
    for i, wind in enumerate(("SW", "N", "SE", "W")):
        assert list(legal(game)) == stones(*(w for w in WINDS if w not in ("E", *("SW", "N", "SE", "W")[:i])))
        play(game, *stones(wind))
    state = game.state_dict()
    assert state["holders"] == [["SW", "N", "SE", "W", "S"], []]
    assert (state["phase"], state["agent"]) == ("setup_order", 1)


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_g3_seat_0_takes_the_first_turn(num_players):
    game = laid(num_players)
    for seat in range(num_players):
        assert game.agent_selection == f"player_{seat}"
        play(game, *stones("S", "N", "W", "SE"))
    state = game.state_dict()
    assert (state["phase"], state["agent"], state["active"]) == ("storm", 0, 0)
    assert (state["moves_left"], state["single_moves"], state["hand"]) == (3, 0, None)
    assert state["holders"] == [["S", "N", "W", "SE", "SW"]] * num_players


def test_g3_starts_not_in_use_are_ordinary_cells():
    """Label 3, east of label 1, is free when two play (A16)."""
    game = new(2)
    play(game, *stones("N", "N", "E", "S", "W", "SE", "S", "E", "W", "SE"), "play no storm card")
    play(game, "move the dragon of player 0")
    assert game.state_dict()["positions"] == [[0, 6], [0, 4]]
