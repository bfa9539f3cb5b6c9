"""R2.3, R9: wounds."""

from tests.drako.positions import after, legal, play, position


def dwarves_hit(**changes):
    """Brald strikes the dragon for two, and it takes it."""
    game = position(agent="dwarves", hands={"dwarves": {"great-axe-step": 1}}, fury=(1, 0), **changes)
    play(game, "play great-axe-step as attack1", "take the strike")
    return game


def test_r9_1_a_dwarf_dies_at_its_last_space_and_leaves_the_board():
    game = position(hands={"dragon": {"maul": 1, "walk": 1}}, archer=(1, 0))
    state = after(game, "play maul as attack", "attack archer", "take the strike")
    assert state["dwarves"]["archer"] == {"hex": None, "wounds": 3}
    play(game, "play walk as move")
    assert "move dragon to (1,0)" in legal(game)


def test_r2_3_wounds_beyond_the_free_spaces_are_lost():
    game = position(hands={"dragon": {"maul": 1}}, archer=(1, 0), wounds={"archer_dwarf": 2})
    state = after(game, "play maul as attack", "attack archer", "take the strike")
    assert state["dwarves"]["archer"]["wounds"] == 3


def test_r9_2_armor_fills_first():
    state = dwarves_hit(wounds={"armor": 2}).state_dict()
    assert state["dragon"]["wounds"]["armor"] == 4
    assert state["phase"] == "action"


def test_r9_2_later_wounds_are_placed_one_by_one():
    game = dwarves_hit(wounds={"armor": 4})
    state = game.state_dict()
    assert (state["phase"], state["agent"], state["pending"]["wounds"]) == ("wound", "dwarves", 2)
    assert set(legal(game)) == {"wound flight", "wound movement", "wound fire"}
    state = after(game, "wound fire")
    assert (state["phase"], state["pending"]["wounds"]) == ("wound", 1)
    state = after(game, "wound fire")
    assert (state["phase"], state["dragon"]["wounds"]["fire"]) == ("action", 2)


def test_r9_2_a_hit_may_fill_the_armor_and_go_beyond():
    game = dwarves_hit(wounds={"armor": 3})
    assert game.state_dict()["pending"]["wounds"] == 1


def test_r9_2_only_areas_with_a_free_space_and_asked_even_if_it_is_one():
    game = dwarves_hit(wounds={"armor": 3, "movement": 2, "fire": 2})
    assert set(legal(game)) == {"wound flight"}


def test_r9_3_an_ability_is_lost_when_its_area_is_full():
    game = position(
        agent="dwarves",
        hands={"dwarves": {"great-axe-step": 1}, "dragon": {"fire": 1, "bite": 1}},
        fury=(1, 0),
        wounds={"armor": 4},
    )
    play(game, "play great-axe-step as attack1", "take the strike", "wound fire", "wound fire", "draw")
    assert game.agent_selection == "dragon_0"
    assert {text for text in legal(game) if text.startswith("play")} == {"play bite as attack", "play bite as move"}


def test_r9_4_wounds_that_reach_the_free_spaces_kill_without_a_question():
    wounds = {"armor": 4, "flight": 3, "movement": 2}
    state = dwarves_hit(wounds=wounds).state_dict()
    assert (state["phase"], state["winner"]) == ("over", "dwarves")
    assert state["dragon"]["wounds"] == {"armor": 4, "flight": 3, "movement": 2, "fire": 2}


def test_r9_4_one_short_of_the_free_spaces_is_a_question():
    game = dwarves_hit(wounds={"armor": 4, "flight": 2, "movement": 2})
    assert set(legal(game)) == {"wound flight", "wound fire"}
