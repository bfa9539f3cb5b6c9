"""R7: attacks and defense."""

import pytest

from tests.drako.positions import after, legal, legal_starting, play, position


def test_r7_1_attack1_needs_an_adjacent_dwarf():
    hands = {"dwarves": {"axe-step": 1}}
    assert "play axe-step as attack1" not in legal(position(agent="dwarves", hands=hands))
    game = position(agent="dwarves", hands=hands, net=(0, -1))
    state = after(game, "play axe-step as attack1")
    assert (state["phase"], state["agent"]) == ("defense", "dragon")
    assert state["pending"]["strikes"] == ["dragon"]
    assert after(game, "take the strike")["dragon"]["wounds"]["armor"] == 1


def test_r7_1_attack2_with_one_adjacent_dwarf_is_one_strike():
    game = position(agent="dwarves", hands={"dwarves": {"twin-axes": 1}}, fury=(1, 0))
    state = after(game, "play twin-axes as attack2")
    assert (state["phase"], state["pending"]["strikes"]) == ("defense", ["dragon"])


@pytest.mark.parametrize("count", [1, 2])
def test_r7_1_attack2_with_two_adjacent_asks_for_one_or_two(count):
    game = position(agent="dwarves", hands={"dwarves": {"twin-axes": 1}}, fury=(1, 0), net=(0, 1))
    state = after(game, "play twin-axes as attack2")
    assert (state["phase"], state["agent"], state["pending"]["strikes"]) == ("attackers", "dwarves", [])
    assert set(legal(game)) == {"strike once", "strike twice"}
    state = after(game, "strike once" if count == 1 else "strike twice")
    assert state["pending"]["strikes"] == ["dragon"] * count
    play(game, *["take the strike"] * count)
    assert game.state_dict()["dragon"]["wounds"]["armor"] == count


@pytest.mark.parametrize(
    ("archer", "others", "sees"),
    [
        ((2, -2), {}, True),
        ((1, 0), {}, True),
        ((-2, 1), {}, False),
        ((2, -2), {"fury": (1, -1)}, False),
        ((1, -1), {"fury": (2, -2)}, True),
        ((0, -2), {"net": (1, -1)}, True),
    ],
)
def test_r7_2_crossbow_needs_a_clear_straight_line(archer, others, sees):
    game = position(agent="dwarves", hands={"dwarves": {"crossbow": 1}}, archer=archer, **others)
    assert ("play crossbow as crossbow" in legal(game)) == sees


def test_r7_2_crossbow_wounds_and_needs_the_archer():
    game = position(agent="dwarves", hands={"dwarves": {"crossbow": 1}}, archer=(0, 2))
    state = after(game, "play crossbow as crossbow", "take the strike")
    assert state["dragon"]["wounds"]["armor"] == 2
    assert set(legal(position(agent="dwarves", hands={"dwarves": {"crossbow": 1}}, archer=None))) == {
        "draw",
        "declare fury",
    }


def test_r7_3_the_dragon_chooses_among_adjacent_dwarves():
    game = position(hands={"dragon": {"maul": 1}}, fury=(1, 0), net=(-1, 0))
    play(game, "play maul as attack")
    assert set(legal(game)) == {"attack fury", "attack net"}
    state = after(game, "attack net")
    assert (state["phase"], state["agent"], state["pending"]["strikes"]) == ("defense", "dwarves", ["net"])
    assert after(game, "take the strike")["dwarves"]["net"]["wounds"] == 3


def test_r7_4_fire_hits_every_dwarf_on_the_line_nearest_first():
    game = position(hands={"dragon": {"fire": 1}}, dragon=(-2, 0), fury=(2, 0), archer=(0, 0), net=(-1, 0))
    play(game, "play fire as fire")
    assert set(legal(game)) == {"breathe in direction 0"}
    state = after(game, "breathe in direction 0")
    assert state["pending"]["strikes"] == ["net", "archer", "fury"]
    play(game, *["take the strike"] * 3)
    assert [d["wounds"] for d in game.state_dict()["dwarves"].values()] == [2, 2, 2]


def test_r7_4_fire_needs_a_line_and_the_ability():
    hands = {"dragon": {"fire-walk": 1}}
    assert legal_starting(position(hands=hands), "play") == {"fire-walk as move"}
    assert legal_starting(position(hands=hands, fury=(2, 0)), "play") == {"fire-walk as move", "fire-walk as fire"}
    burnt = position(hands=hands, fury=(2, 0), wounds={"armor": 4, "fire": 2})
    assert legal_starting(burnt, "play") == {"fire-walk as move"}


def test_r7_4_each_direction_is_a_choice():
    game = position(hands={"dragon": {"fire": 1}}, fury=(2, 0), archer=(0, -1), net=(-1, 1))
    play(game, "play fire as fire")
    assert legal_starting(game, "breathe in direction") == {"0", "2", "4"}


def test_r7_5_block_with_any_defense_card_or_take():
    hands = {"dragon": {"maul": 1}, "dwarves": {"shield": 1, "axe-shield": 2, "march": 1}}
    game = position(hands=hands, fury=(1, 0))
    play(game, "play maul as attack", "attack fury")
    assert set(legal(game)) == {"take the strike", "block with shield", "block with axe-shield"}
    state = after(game, "block with axe-shield")
    assert state["dwarves"]["fury"]["wounds"] == 0, "one card stops a strike whatever its value"
    assert state["hands"]["dwarves"] == {"shield": 1, "axe-shield": 1, "march": 1}
    assert state["discards"] == {"dragon": {"maul": 1}, "dwarves": {"axe-shield": 1}}
    assert (state["agent"], state["actions_left"]) == ("dragon", 1), "defense is free and the turn goes on"


def test_r7_5_the_defender_is_asked_even_without_a_defense_card():
    game = position(hands={"dragon": {"bite": 1}, "dwarves": {"march": 1}}, fury=(1, 0))
    play(game, "play bite as attack", "attack fury")
    assert game.agent_selection == "dwarves_0"
    assert set(legal(game)) == {"take the strike"}


def test_r7_5_each_strike_is_answered_on_its_own():
    hands = {"dragon": {"fire": 1}, "dwarves": {"shield": 1}}
    game = position(hands=hands, dragon=(-2, 0), fury=(0, 0), archer=(1, 0), net=(-1, 0))
    play(game, "play fire as fire", "breathe in direction 0")
    assert after(game, "take the strike")["pending"]["blocked"] == [False]
    assert after(game, "block with shield")["pending"]["blocked"] == [False, True]
    assert set(legal(game)) == {"take the strike"}, "the only shield is gone"
    state = after(game, "take the strike")
    assert {name: d["wounds"] for name, d in state["dwarves"].items()} == {"net": 2, "fury": 0, "archer": 2}


def test_r7_6_no_wound_before_every_strike_is_answered():
    wounds = {"armor": 4, "flight": 2}
    hands = {"dwarves": {"twin-axes": 1}, "dragon": {"flight-scales": 1}}
    game = position(agent="dwarves", hands=hands, fury=(1, 0), net=(0, 1), wounds=wounds)
    state = after(game, "play twin-axes as attack2", "strike twice", "take the strike")
    assert state["phase"] == "defense"
    assert state["dragon"]["wounds"]["flight"] == 2
    state = after(game, "block with flight-scales")
    assert (state["phase"], state["pending"]["wounds"]) == ("wound", 1)


def test_r7_7_attacking_and_blocking_cards_are_discarded():
    hands = {"dragon": {"claw-scales": 1}, "dwarves": {"axe-step": 1}}
    game = position(agent="dwarves", hands=hands, fury=(1, 0))
    state = after(game, "play axe-step as attack1", "block with claw-scales")
    assert state["discards"] == {"dragon": {"claw-scales": 1}, "dwarves": {"axe-step": 1}}
    assert state["dragon"]["wounds"]["armor"] == 0
