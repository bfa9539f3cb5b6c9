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


def attack(**options):
    """The second of two actions is an attack that is still to be answered."""
    hands = {"dwarves": {"axe-shield": 2}, "dragon": {"claw-scales": 1}}
    game = position(agent="dwarves", hands=hands, fury=(1, 0), fury_timing="any", **options)
    play(game, "draw", "play axe-shield as attack1")
    return game


@pytest.mark.parametrize("answer", ["take the strike", "block with claw-scales"])
def test_r10_1_late_fury_is_asked_after_the_last_action_with_the_answer_known(answer):
    game = attack()
    state = after(game, answer)
    asked = (state["phase"], state["agent"], state["actions_left"], state["actions_spent"])
    assert asked == ("action", "dwarves", 0, 2)
    assert set(legal(game)) == {"declare fury", "stop"}
    assert "declare fury" in game.game.scene(game.position.state, None)["question"]


def test_r10_1_late_fury_gives_one_more_action():
    game = attack()
    state = after(game, "take the strike", "declare fury")
    assert (state["agent"], state["actions_left"], state["actions_spent"]) == ("dwarves", 1, 2)
    assert (state["dwarves"]["fury"]["wounds"], state["fury_used"]) == (1, True)
    assert {"draw", "play axe-shield as attack1"} <= set(legal(game))
    state = after(game, "draw")
    assert (state["agent"], state["turn"], state["actions_left"]) == ("dragon", 2, 2), "once a game: nothing is asked"


def test_r10_1_no_late_fury_passes_the_turn_and_keeps_it_for_later():
    game = attack()
    state = after(game, "take the strike", "stop")
    assert (state["agent"], state["turn"], state["actions_left"], state["actions_spent"]) == ("dragon", 2, 2, 0)
    assert not state["fury_used"]
    assert after(game, "draw", "draw")["agent"] == "dwarves"
    assert "declare fury" in legal(game)


def test_r10_1_the_discards_of_a_last_draw_come_before_the_question():
    game = position(
        agent="dwarves", actions_left=1, actions_spent=1, hands={"dwarves": {"march": 6}}, fury_timing="any"
    )
    state = after(game, "draw", "discard march", "discard march")
    assert (state["phase"], state["agent"], state["actions_left"]) == ("action", "dwarves", 0)


@pytest.mark.parametrize(
    "setting",
    [
        {"fury_timing": "start"},
        {"fury_timing": "any", "fury_used": True},
        {"fury_timing": "any", "fury": None},
        {"fury_timing": "any", "wounds": {"fury_dwarf": 5}},
    ],
)
def test_r10_1_without_a_possible_fury_nothing_is_asked(setting):
    game = position(agent="dwarves", actions_left=1, actions_spent=1, **setting)
    assert after(game, "draw")["agent"] == "dragon"
    state = game.state_dict() | {"agent": "dwarves", "turn_agent": "dwarves", "actions_left": 0, "actions_spent": 2}
    with pytest.raises(ValueError, match="actions_left 0"):
        game.load_state_dict(state)


def test_r10_1_the_question_can_be_loaded():
    game = attack()
    state = after(game, "take the strike")
    other = position(fury_timing="any")
    other.load_state_dict(state)
    assert set(legal(other)) == {"declare fury", "stop"}
    with pytest.raises(ValueError, match="actions_left 0"):
        other.load_state_dict(state | {"agent": "dragon", "turn_agent": "dragon"})


def test_r10_1_whatever_leads_to_the_question_can_be_loaded_again():
    """A puzzle may say that fewer actions were spent than a turn has."""
    game = position(agent="dwarves", actions_left=1, actions_spent=0, fury_timing="any")
    state = after(game, "draw")
    assert (state["phase"], state["actions_left"], state["actions_spent"]) == ("action", 0, 1)
    game.load_state_dict(state)
    assert game.state_dict() == state


def test_r10_1_at_the_start_means_that_an_action_is_left():
    """Whatever a puzzle says of the actions spent."""
    game = position(agent="dwarves", hands={"dwarves": {"axe-shield": 2}}, fury=(1, 0), actions_left=1)
    play(game, "play axe-shield as attack1")
    game.load_state_dict(game.state_dict() | {"actions_spent": 0})
    assert after(game, "take the strike")["agent"] == "dragon"


def test_r5_7_the_last_card_ends_the_game_before_the_question():
    game = position(
        agent="dwarves",
        actions_left=1,
        actions_spent=1,
        hands={"dwarves": {"march": 1}},
        decks={"dwarves": {}},
        fury_timing="any",
    )
    assert after(game, "play march as move1", "stop")["winner"] == "dragon"


def test_r10_2_late_fury_may_kill_if_the_option_says_so():
    wounds = {"fury_dwarf": 5}
    game = position(
        agent="dwarves", actions_left=1, actions_spent=1, wounds=wounds, fury_timing="any", fury_may_kill=True
    )
    state = after(game, "draw", "declare fury")
    assert (state["dwarves"]["fury"]["hex"], state["agent"], state["actions_left"]) == (None, "dwarves", 1)


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
