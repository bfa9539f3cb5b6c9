"""R5: actions, drawing, running out of cards, being stuck."""

from drako_env import drako_v0
from tests.drako.positions import after, legal, legal_starting, play, position


def test_r5_1_one_action_in_the_first_turn_then_two_each():
    game = position(agent="dragon", actions_left=1)
    state = after(game, "draw")
    assert (state["turn"], state["turn_agent"], state["actions_left"]) == (3, "dwarves", 2)
    state = after(game, "draw")
    assert (state["turn"], state["agent"], state["actions_left"], state["actions_spent"]) == (3, "dwarves", 1, 1)
    state = after(game, "draw")
    assert (state["turn"], state["agent"], state["actions_left"], state["actions_spent"]) == (4, "dragon", 2, 0)


def test_r5_2_draw_and_play_combine_freely_and_passing_is_illegal():
    game = position(hands={"dragon": {"walk": 1}})
    assert set(legal(game)) == {"draw", "play walk as move"}
    play(game, "play walk as move", "stop")
    assert set(legal(game)) == {"draw"}


def test_r5_3_draw_two_or_the_last_one():
    game = position(decks={"dragon": {"bite": 2, "maul": 1}})
    state = after(game, "draw")
    assert sum(state["hands"]["dragon"].values()) == 2
    state = after(game, "draw")
    assert state["hands"]["dragon"] == {"bite": 2, "maul": 1}
    assert state["decks"]["dragon"] == {}


def test_r5_3_no_draw_from_an_empty_deck():
    game = position(hands={"dragon": {"walk": 2}}, decks={"dragon": {}})
    assert set(legal(game)) == {"play walk as move"}


def test_r5_3_discard_down_to_six_card_by_card():
    game = position(hands={"dragon": {"walk": 5, "bite": 1}}, decks={"dragon": {"maul": 2}})
    state = after(game, "draw")
    assert (state["phase"], state["agent"], state["pending"]) == ("discard", "dragon", None)
    assert (state["actions_left"], state["actions_spent"]) == (1, 1)
    assert legal_starting(game, "discard") == {"walk", "bite", "maul"}
    assert len(legal(game)) == 3
    state = after(game, "discard bite")
    assert (state["phase"], state["discards"]["dragon"]) == ("discard", {"bite": 1})
    state = after(game, "discard walk")
    assert (state["phase"], state["agent"]) == ("action", "dragon")
    assert state["hands"]["dragon"] == {"walk": 4, "maul": 2}


def test_r5_3_the_turn_waits_for_the_discard():
    game = position(agent="dwarves", actions_left=1, actions_spent=1, hands={"dwarves": {"march": 6}})
    state = after(game, "draw")
    assert (state["phase"], state["agent"], state["actions_left"]) == ("discard", "dwarves", 0)
    state = after(game, "discard march", "discard march")
    assert (state["phase"], state["agent"], state["actions_left"]) == ("action", "dragon", 2)


def test_r5_4_defense_is_never_an_action_and_attacks_need_a_target():
    game = position(hands={"dragon": {"claw-scales": 1, "bite": 1, "fire": 1, "flight-scales": 1}})
    assert set(legal(game)) == {"draw", "play bite as move", "play flight-scales as flight"}
    game = position(hands={"dragon": {"claw-scales": 1, "bite": 1, "fire": 1}}, fury=(1, 0))
    plays = {"claw-scales as attack", "bite as attack", "bite as move", "fire as fire"}
    assert legal_starting(game, "play") == plays


def test_r5_4_a_played_card_is_discarded_and_its_action_spent_at_once():
    game = position(hands={"dragon": {"bite": 1}}, fury=(1, 0))
    state = after(game, "play bite as attack")
    assert state["discards"]["dragon"] == {"bite": 1}
    assert state["hands"]["dragon"] == {}
    assert (state["actions_left"], state["actions_spent"]) == (1, 1)
    expected = {"card": "bite", "symbol": "attack", "value": 2, "strikes": [], "blocked": [], "moved": [], "wounds": 0}
    assert state["pending"] == expected


def test_r5_5_a_dragon_without_cards_loses_the_rest_of_its_turn_and_later_turns():
    game = position(hands={"dragon": {"walk": 1}}, decks={"dragon": {}})
    state = after(game, "play walk as move", "stop")
    assert (state["turn"], state["agent"], state["actions_left"]) == (3, "dwarves", 2)
    state = after(game, "draw", "draw")
    assert (state["turn"], state["agent"], state["actions_left"]) == (5, "dwarves", 2)


def test_r5_5_a_dragon_that_blocked_with_its_last_card_skips_its_turn():
    game = position(
        agent="dwarves",
        actions_left=1,
        hands={"dragon": {"claw-scales": 1}, "dwarves": {"axe-step": 1}},
        decks={"dragon": {}},
        fury=(1, 0),
    )
    state = after(game, "play axe-step as attack1", "block with claw-scales")
    assert (state["turn"], state["agent"], state["actions_left"]) == (3, "dwarves", 2)


def test_r5_6_stuck_with_an_empty_deck_means_discarding():
    game = position(hands={"dragon": {"maul": 1, "fire": 2}}, decks={"dragon": {}})
    assert set(legal(game)) == {"discard maul", "discard fire"}
    state = after(game, "discard maul")
    assert (state["phase"], state["agent"], state["actions_left"]) == ("action", "dragon", 1)
    assert state["discards"]["dragon"] == {"maul": 1}


def test_r5_6_not_stuck_while_the_deck_has_cards():
    game = position(hands={"dragon": {"maul": 1}})
    assert set(legal(game)) == {"draw"}


def test_r5_6_escape_net_stays_legal_for_a_stuck_dragon():
    game = position(hands={"dragon": {"walk": 1}}, decks={"dragon": {}}, netted=True)
    assert set(legal(game)) == {"discard walk", "escape the net"}


def test_r5_6_fury_stays_legal_for_stuck_dwarves():
    game = position(agent="dwarves", hands={"dwarves": {"crossbow": 2}}, decks={"dwarves": {}})
    assert set(legal(game)) == {"discard crossbow", "declare fury"}


def test_r5_6_discard_action_always():
    game = position(hands={"dragon": {"walk": 1}}, discard_action="always")
    assert set(legal(game)) == {"draw", "play walk as move", "discard walk"}
    assert after(game, "discard walk")["actions_left"] == 1


def test_r5_7_the_dragon_wins_when_the_dwarves_last_card_is_resolved():
    game = position(agent="dwarves", hands={"dwarves": {"march": 1}}, decks={"dwarves": {}})
    play(game, "play march as move2")
    assert game.state_dict()["phase"] == "move"
    state = after(game, "move fury to (0,1)", "stop")
    assert (state["phase"], state["agent"], state["winner"]) == ("over", None, "dragon")
    assert (state["turn"], state["turn_agent"], state["actions_left"]) == (1, "dwarves", 1)


def test_r5_7_even_if_the_last_card_was_spent_on_defense():
    game = position(hands={"dragon": {"bite": 2}, "dwarves": {"shield": 1}}, decks={"dwarves": {}}, fury=(1, 0))
    state = after(game, "play bite as attack", "attack fury", "block with shield")
    assert (state["winner"], state["turn"], state["turn_agent"]) == ("dragon", 2, "dragon")


def test_r5_7_a_last_card_that_kills_the_dragon_wins_for_the_dwarves():
    wounds = {"armor": 4, "flight": 3, "movement": 2, "fire": 1}
    hands = {"dwarves": {"axe-step": 1}}
    game = position(agent="dwarves", hands=hands, decks={"dwarves": {}}, wounds=wounds, fury=(1, 0))
    state = after(game, "play axe-step as attack1", "take the strike")
    assert state["winner"] == "dwarves"


def test_r5_7_the_last_wounds_are_placed_before_the_dragon_wins():
    hands = {"dwarves": {"great-axe-step": 1}}
    game = position(agent="dwarves", hands=hands, decks={"dwarves": {}}, wounds={"armor": 3}, fury=(1, 0))
    state = after(game, "play great-axe-step as attack1", "take the strike")
    assert (state["phase"], state["agent"], state["pending"]["wounds"]) == ("wound", "dwarves", 1)
    assert after(game, "wound fire")["winner"] == "dragon"


def test_the_count_of_turns_stops_where_a_position_may_be_set():
    game = position(agent="dwarves", decks={"dragon": {}})
    game.load_state_dict(game.state_dict() | {"turn": 9_999})
    state = after(game, "draw", "draw")
    assert (state["turn"], state["turn_agent"]) == (10_000, "dwarves"), "the dragon, out of cards, skipped its turn"
    game.load_state_dict(state)


def test_r5_3_a_table_says_how_many_cards_a_draw_takes_and_a_hand_keeps():
    game = drako_v0.raw_env(placement="first_game", exchange=False, start_hand=2, hand_limit=3, cards_per_draw=3)
    game.reset(seed=0)
    game.step(game.action_id({"type": "draw"}))
    assert sum(game.state_dict()["hands"]["dragon"].values()) == 5
    for _ in range(2):
        assert game.state_dict()["phase"] == "discard"
        game.step(int(game.observe("dragon_0")["action_mask"].argmax()))
    assert game.state_dict()["agent"] == "dwarves"
    assert sum(game.state_dict()["hands"]["dragon"].values()) == 3
