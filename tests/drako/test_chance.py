"""What chance decides, event by event, and how much of it there can be at most."""

from math import comb

import pytest

from drako_env import drako_v0
from drako_env.drako.chance import draws
from drako_env.drako.game import Drako
from drako_env.drako.rules import Rules
from drako_env.engine.game import record_problem
from drako_env.exact import all_deals
from drako_env.games import make_game
from tests.drako.positions import legal


def test_no_game_has_more_random_events_than_two_deals_two_exchanges_and_every_draw():
    """Both exchange, and draw whenever they can."""
    game = drako_v0.raw_env()
    game.reset(seed=0)
    events, left = 2, 2 * 34
    while left:
        actions = legal(game)
        wanted = [text for text in ("exchange the hand", "draw") if text in actions]
        events += len(wanted)
        game.step(actions[(wanted or sorted(actions))[0]])
        left = sum(sum(deck.values()) for deck in game.state_dict()["decks"].values())
    assert events == game.game.chance.max_events == 2 + 2 + 17 + 17


@pytest.mark.parametrize(("cards", "times"), [(4, 0), (5, 1), (6, 1), (7, 2), (38, 17)])
def test_a_deck_is_drawn_two_by_two(cards, times):
    assert draws(Rules.load(), cards) == times


def test_the_outcomes_are_one_card_two_cards_or_a_hand_of_four():
    chance = Drako.of(Rules.load()).chance
    assert chance.max_outcomes == len(chance.draws) == 13 + comb(14, 2) + comb(16, 4)
    assert [chance.numbers[cards] for cards in chance.draws] == list(range(chance.max_outcomes))


def test_r11_2_the_bound_of_all_decisions():
    """Two exchanges, three dwarves to place; each side draws 17 times and spends 38 cards, each with at most a
    direction and three answers; an escape for each card of the dwarves; fury; a wound for every space but armor's."""
    most = 2 + 3 + 2 * (17 + 38 * 5) + 38 + 1 + 7
    assert Drako.of(Rules.load()).max_decisions == most
    asked = 17 + 38  # R10.1: at the end of every turn, which draws or spends a card
    assert Drako.of(Rules.load(fury_timing="any")).max_decisions == most + asked


def test_r4_1_all_deals_of_a_small_table():
    """Four of five cards are dealt: the dragon's one scales card stays in the deck in one deal of five, one of the
    dwarves' two march cards in two of five."""
    game = make_game("drako", rules="tiny")
    states, chances = all_deals(game, 100)
    left = [game.state_dict(state)["decks"] for state in states]
    found = {(*deck["dragon"], *deck["dwarves"]): chance for deck, chance in zip(left, chances, strict=True)}
    assert found == pytest.approx(
        {
            ("claw", "march"): 0.8 * 0.4,
            ("claw", "axe"): 0.8 * 0.6,
            ("scales", "march"): 0.2 * 0.4,
            ("scales", "axe"): 0.2 * 0.6,
        }
    )
    assert [record_problem(game, state) for state in states] == [""] * 4
    assert (states["deck_size"] == 1).all()
    assert (states["hand"].sum(axis=2) == 4).all()


def test_tables_that_leave_more_to_chance():
    for options in ({"exchange": True}, {"rules": "reconstructed", "exchange": False}):
        assert not make_game("drako", **{"rules": "tiny"} | options).chance.only_deals
    with pytest.raises(ValueError, match="more than 100,000 deals"):
        all_deals(make_game("drako"), 100_000)
