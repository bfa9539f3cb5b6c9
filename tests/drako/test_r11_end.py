"""R11: end and result."""

from tests.drako.positions import after, play, position


def test_r11_1_all_dwarves_dead_the_dragon_wins():
    game = position(hands={"dragon": {"maul": 1}}, archer=(1, 0), fury=None, net=None)
    play(game, "play maul as attack", "attack archer", "take the strike")
    assert game.state_dict()["winner"] == "dragon"
    assert game.rewards == {"dragon_0": 1, "dwarves_0": -1}
    assert game.terminations == {"dragon_0": True, "dwarves_0": True}


def test_r11_1_fire_that_kills_the_last_two_at_once():
    wounds = {"archer_dwarf": 2, "net_dwarf": 3}
    game = position(hands={"dragon": {"fire": 1}}, fury=None, archer=(1, 0), net=(2, 0), wounds=wounds)
    state = after(game, "play fire as fire", "breathe in direction 0", "take the strike", "take the strike")
    assert (state["phase"], state["winner"], state["pending"]) == ("over", "dragon", None)


def test_r11_3_rewards_are_zero_before_the_end():
    game = position(agent="dwarves", hands={"dwarves": {"axe-step": 1}}, fury=(1, 0), wounds={"armor": 4, "flight": 3})
    play(game, "play axe-step as attack1", "take the strike", "wound fire")
    assert game.rewards == {"dragon_0": 0, "dwarves_0": 0}


def test_r11_the_end_keeps_the_turn_in_which_it_came():
    wounds = {"armor": 4, "flight": 3, "movement": 2, "fire": 1}
    game = position(agent="dwarves", hands={"dwarves": {"axe-step": 1}}, fury=(1, 0), wounds=wounds)
    state = after(game, "play axe-step as attack1", "take the strike")
    assert (state["turn"], state["turn_agent"], state["agent"], state["winner"]) == (1, "dwarves", None, "dwarves")
    assert game.rewards == {"dragon_0": -1, "dwarves_0": 1}
