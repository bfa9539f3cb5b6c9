"""`load_state_dict`: what cannot have come about is refused before a kernel trusts it."""

import copy
import random

import numpy as np
import pytest

from drako_env import drako_v0
from tests.drako.positions import play, position
from tests.play import random_action, snapshot


def dealt(**options):
    game = drako_v0.raw_env(**options)
    game.reset(seed=0)
    return game


def attacking():
    """The dragon has played a bite and is asked at whom."""
    game = position(hands={"dragon": {"bite": 1}}, fury=(1, 0))
    play(game, "play bite as attack")
    return game


def moving(symbol="move2"):
    """The dwarves have played a card that moves two of them, or one."""
    game = position(agent="dwarves", hands={"dwarves": {"march": 1}})
    play(game, f"play march as {symbol}")
    return game


def breathing():
    """Fury and the archer stand in the fire, and neither has answered."""
    game = position(hands={"dragon": {"fire": 1}}, fury=(1, 0), archer=(2, 0))
    play(game, "play fire as fire", "breathe in direction 0")
    return game


def striking():
    """Two dwarves strike at once, and the dragon has answered neither."""
    game = position(agent="dwarves", hands={"dwarves": {"twin-axes": 1}}, fury=(1, 0), net=(-1, 0))
    play(game, "play twin-axes as attack2", "strike twice")
    return game


def wounding():
    """One wound is to be placed."""
    game = position(agent="dwarves", hands={"dwarves": {"axe-step": 1}}, wounds={"armor": 4}, fury=(1, 0))
    play(game, "play axe-step as attack1", "take the strike")
    return game


def fighting(**setting):
    return position(agent="dwarves", **setting)


FIRST_GAME = {"exchange": False, "placement": "first_game"}
NO_CARDS = {"dragon": {}, "dwarves": {}}
TWO_CARDS = {"dragon": {"walk": 2}, "dwarves": {"march": 2}}
MANY = {"walk": 127, "bite": 127, "maul": 5}


def refused(game, state, says):
    before = snapshot(game)
    with pytest.raises(ValueError, match=says) as error:
        game.load_state_dict(state)
    assert len(str(error.value)) < 500
    assert snapshot(game) == before


@pytest.mark.parametrize("change", [{"hands": NO_CARDS}, {"hands": TWO_CARDS}, {"hands": TWO_CARDS, "decks": NO_CARDS}])
def test_r4_2_an_exchange_begins_with_two_starting_hands(change):
    """With fewer than four cards the new hand was drawn from beyond the deck: a crash."""
    game = dealt()
    refused(game, game.state_dict() | change, "phase 'exchange' with . cards in the hand of the dragon: expected .* 4")


@pytest.mark.parametrize(
    ("options", "key", "cards", "says"),
    [
        (FIRST_GAME, "hands", MANY, "cards in the hand of the dragon: 259"),
        (FIRST_GAME, "decks", MANY, "cards in the deck of the dragon: 259"),
        (FIRST_GAME, "discards", {"walk": 127}, "'walk' in hand, deck and discards of the dragon: 128"),
    ],
)
def test_counts_stay_within_what_the_record_and_the_observation_hold(options, key, cards, says):
    game = dealt(**options)
    state = game.state_dict()
    state[key] = state[key] | {"dragon": cards}
    refused(game, state, says)


def breathing_at_three():
    """All dwarves stand in the fire (R7.4)."""
    dwarves = {"fury": (-1, 0), "archer": (0, 0), "net": (1, 0)}
    game = position(hands={"dragon": {"fire": 1}}, dragon=(-2, 0), **dwarves)
    play(game, "play fire as fire", "breathe in direction 0")
    return game


@pytest.mark.parametrize("make", [attacking, moving, breathing, breathing_at_three, striking, wounding])
def test_every_pending_card_comes_back(make):
    game, twin = make(), position()
    twin.load_state_dict(game.state_dict())
    assert twin.state_dict() == game.state_dict()
    assert twin.position.mask.tobytes() == game.position.mask.tobytes()


def test_as_many_cards_as_there_may_be_are_played_to_the_end():
    """A puzzle need not be made of whole decks."""
    game, chance = dealt(**FIRST_GAME), random.Random(0)
    state = game.state_dict() | {"hands": NO_CARDS, "decks": {"dragon": {"walk": 38}, "dwarves": {"march": 38}}}
    game.load_state_dict(state | {"discards": {"dragon": {"walk": 127 - 38}, "dwarves": {"march": 127 - 38}}})
    while not game.terminations[game.agent_selection]:
        for seat in game.possible_agents:
            assert game.observe(seat)["observation"].min() >= 0, "counts do not overflow"
        game.step(random_action(game, chance))
    assert game.state_dict()["discards"]["dwarves"] == {"march": 127}


@pytest.mark.parametrize(
    ("make", "change", "says"),
    [
        (attacking, {"strikes": ["fury"] * 3}, "strikes at .* of 'attack' in phase 'target': at most 0"),
        (breathing, {"strikes": ["fury", "fury"]}, "strikes at .* of 'fire' in phase 'defense'"),
        (breathing, {"strikes": ["fury", "archer", "net", "net"]}, "number of strikes: 4"),
        (striking, {"strikes": ["dragon"] * 3}, "strikes at .* of 'attack2' in phase 'defense': at most 2"),
        (wounding, {"strikes": ["dragon"] * 2}, "strikes at .* of 'attack1' in phase 'wound': at most 1"),
        (wounding, {"blocked": []}, "before every strike is answered"),
        (wounding, {"wounds": 7}, "7 wounds to place in phase 'wound', with 7 free spaces"),
        (moving, {"moved": ["net"] * 16}, "number of dwarves moved: 16"),
        (moving, {"moved": ["net"] * 2}, "number of dwarves moved: 2"),
        (lambda: moving("move1"), {"moved": ["fury"]}, "moved .* of 'move1' in phase 'move': at most 0"),
        (attacking, {"moved": ["fury"]}, "moved .* of 'attack' in phase 'target': at most 0"),
        (attacking, {"strikes": {}}, "strikes: {} is no list"),
        (attacking, {"value": {}}, "value {} of the pending card"),
    ],
)
def test_a_pending_card_has_led_to_no_more_than_it_can(make, change, says):
    game = make()
    state = game.state_dict()
    refused(game, state | {"pending": state["pending"] | change}, says)


@pytest.mark.parametrize(
    ("make", "change", "says"),
    [
        (fighting, {"actions_left": 3}, "actions_left 3 and actions_spent 0"),  # R10.1: fury would make it four
        (
            fighting,
            {"hands": NO_CARDS, "decks": {"dragon": {"walk": 6}, "dwarves": {}}},
            "hand and deck of the dwarves are empty",
        ),
        (
            position,
            {"hands": NO_CARDS, "decks": {"dragon": {}, "dwarves": {"march": 4}}},
            "hand and deck of the dragon are empty",
        ),
        (lambda: dealt(exchange=False), {"turn_agent": "dwarves"}, "during the set-up it is turn 0 of the dragon"),
        (lambda: dealt(exchange=False), {"actions_left": 0}, "during the set-up"),
        (
            lambda: dealt(exchange=False),
            {"hands": NO_CARDS, "decks": NO_CARDS},
            "hand and deck of the dragon are empty",
        ),
        (lambda: dealt(placement="first_game"), {"dwarves": "none"}, "phase 'exchange' with .* on the board"),
        (dealt, {"dwarves": "all"}, "phase 'exchange' with .* on the board and placement = 'free'"),
        (dealt, {"dwarves": "dead"}, "fury has no free space left, but is still to be placed"),
        (fighting, {"phase": "discard"}, "phase 'discard' with 0 cards in hand"),
    ],
)
def test_what_nobody_can_go_on_from_is_refused(make, change, says):
    game = make()
    spaces, rim = dict(zip(("fury", "archer", "net"), (6, 3, 5), strict=True)), ([2, 0], [0, 2], [-2, 0])
    dwarves = {
        "none": {dwarf: {"hex": None, "wounds": 0} for dwarf in spaces},
        "all": {dwarf: {"hex": place, "wounds": 0} for dwarf, place in zip(spaces, rim, strict=True)},
        "dead": {dwarf: {"hex": None, "wounds": number} for dwarf, number in spaces.items()},
    }
    if "dwarves" in change:
        change = {"dwarves": dwarves[change["dwarves"]]}
    refused(game, game.state_dict() | change, says)


def nested(depth):
    inner = []
    for _ in range(depth):
        inner = [inner]
    return inner


STRANGE = {
    "deep": nested(100_000),
    "huge": 10**5000,
    "no number": float("nan"),
    "no text": "\ud800" * 9999,
    "array": np.zeros(3),
    "object": object(),
}


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("over", [False, True], ids=["in play", "over"])
def test_no_value_is_too_strange_to_be_refused(name, over):
    """Wherever it stands."""
    game = breathing()
    while over and not game.terminations[game.agent_selection]:
        game.step(random_action(game, random.Random(0)))
    whole = game.state_dict()
    places = [(), *((key,) for key, inner in whole.items() if isinstance(inner, dict))]
    for way in places:
        for key in whole if way == () else whole[way[0]]:
            state = copy.deepcopy(whole)
            (state if way == () else state[way[0]])[key] = STRANGE[name]
            refused(game, state, ".")
