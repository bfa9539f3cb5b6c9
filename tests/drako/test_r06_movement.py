"""R6: movement."""

from tests.drako.positions import after, legal, legal_starting, play, position


def test_r6_1_up_to_v_steps_around_figures():
    game = position(hands={"dragon": {"walk": 1, "bite": 1}}, fury=(1, 0), archer=(1, -1), net=(0, -1))
    play(game, "play bite as move")
    assert legal_starting(game, "move dragon to") == {"(-1,0)", "(-1,1)", "(0,1)"}
    game = position(hands={"dragon": {"walk": 1}}, fury=(1, 0), archer=(1, -1), net=(0, -1))
    play(game, "play walk as move")
    # two steps west and south; (2,-1), (2,-2), (1,-2), (0,-2) and (2,0) lie behind the dwarves
    near = {"(-1,0)", "(-1,1)", "(0,1)"}
    far = {"(-1,-1)", "(-2,0)", "(-2,1)", "(-2,2)", "(-1,2)", "(0,2)", "(1,1)"}
    assert legal_starting(game, "move dragon to") == near | far


def test_r6_1_standing_still_spends_the_card():
    game = position(hands={"dragon": {"walk": 1}})
    state = after(game, "play walk as move", "stop")
    assert state["dragon"]["hex"] == [0, 0]
    assert state["discards"]["dragon"] == {"walk": 1}


def test_r6_1_a_boxed_in_figure_can_only_stop():
    game = position(hands={"dragon": {"bite": 1}}, dragon=(0, 2), net=(-1, 2), fury=(0, 1), archer=(1, 1))
    play(game, "play bite as move")
    assert set(legal(game)) == {"stop"}


def test_r6_2_move1_moves_one_dwarf():
    game = position(agent="dwarves", hands={"dwarves": {"march": 1}})
    play(game, "play march as move1")
    figures = {text.split()[1] for text in legal(game) if text != "stop"}
    assert figures == {"fury", "archer", "net"}
    state = after(game, "move fury to (0,1)")
    assert state["dwarves"]["fury"]["hex"] == [0, 1]
    assert (state["phase"], state["pending"]) == ("action", None)


def test_r6_2_move2_moves_two_different_dwarves_one_after_the_other():
    game = position(agent="dwarves", hands={"dwarves": {"march": 1}}, fury=(2, 0), archer=(2, -1), net=(-2, 0))
    play(game, "play march as move2")
    assert "(2,0)" not in legal_starting(game, "move archer to")
    state = after(game, "move fury to (1,1)")
    assert (state["phase"], state["pending"]["moved"]) == ("move", ["fury"])
    assert not legal_starting(game, "move fury")
    assert "(2,0)" in legal_starting(game, "move archer to"), "the second moves on the board that the first left"
    state = after(game, "move archer to (2,0)")
    assert (state["phase"], state["pending"], state["actions_left"]) == ("action", None, 1)


def test_r6_2_move2_may_stop_after_one_or_none():
    for first in (["stop"], ["move fury to (0,1)", "stop"]):
        game = position(agent="dwarves", hands={"dwarves": {"march": 1}})
        state = after(game, "play march as move2", *first)
        assert (state["phase"], state["agent"], state["actions_left"]) == ("action", "dwarves", 1)


def test_r6_2_move2_of_the_last_dwarf_asks_once():
    game = position(agent="dwarves", hands={"dwarves": {"march": 1}}, archer=None, net=None)
    state = after(game, "play march as move2", "move fury to (0,1)")
    assert (state["phase"], state["pending"]) == ("action", None)


def test_r6_3_flight_goes_to_any_empty_hex():
    game = position(hands={"dragon": {"walk-flight": 1}}, fury=(1, 0), archer=(1, -1), net=(0, -1))
    play(game, "play walk-flight as flight")
    assert len(legal_starting(game, "move dragon to")) == 15
    assert after(game, "move dragon to (2,-2)")["dragon"]["hex"] == [2, -2]


def test_r6_3_moving_needs_the_ability():
    hands = {"dragon": {"walk-flight": 1}}
    assert legal_starting(position(hands=hands, wounds={"armor": 4, "movement": 2}), "play") == {
        "walk-flight as flight"
    }
    assert legal_starting(position(hands=hands, wounds={"armor": 4, "flight": 3}), "play") == {"walk-flight as move"}
    assert legal_starting(position(hands=hands, netted=True), "play") == set()


def test_r6_4_a_move_symbol_is_usable_even_when_boxed_in():
    game = position(hands={"dragon": {"bite": 1}}, dragon=(0, 2), net=(-1, 2), fury=(0, 1), archer=(1, 1))
    assert "play bite as move" in legal(game)
