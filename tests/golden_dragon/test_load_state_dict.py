"""`load_state_dict`: every position that a game can reach comes back, and one that makes no sense is refused."""

import copy
from functools import reduce

import numpy as np
import pytest

from drako_env import golden_dragon_v0
from drako_env.golden_dragon.state import STATE
from tests.golden_dragon.positions import SCOPES, move, play, position, random_positions
from tests.play import snapshot

FIELDS = [name for name in STATE.names if name != "rng"]


@pytest.mark.parametrize(("scope", "first_turn"), list(zip(SCOPES, (3, 2, 1), strict=True)))
@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_every_position_comes_back_byte_for_byte(num_players, scope, first_turn):
    """What the position does not say, how much of each holder is known (G6), follows from its counters."""
    options = {"num_players": num_players, "veto_scope": scope, "first_turn": first_turn}
    twin, phases = golden_dragon_v0.raw_env(**options), set()
    for game in random_positions(seed=num_players, games=4, **options):
        state = game.state_dict()
        twin.load_state_dict(state)
        assert twin.state_dict() == state
        for name in FIELDS:
            assert twin.position.states[name].tobytes() == game.position.states[name].tobytes(), (name, state)
        assert twin.position.mask.tobytes() == game.position.mask.tobytes()
        assert (twin.agent_selection, twin.rewards) == (game.agent_selection, game.rewards)
        phases.add(state["phase"])
    assert len(phases) == (7 if num_players == 5 else 6)


def test_the_limit_of_moves_comes_back():
    options = {"num_players": 2, "max_single_moves": 7}
    twin = golden_dragon_v0.raw_env(**options)
    for game in random_positions(seed=1, games=5, **options):
        twin.load_state_dict(game.state_dict())
        assert twin.state_dict() == game.state_dict()


def test_random_numbers_stay_where_they_are():
    game = position()
    rng = game.position.states["rng"].copy()
    game.load_state_dict(game.state_dict())
    assert np.array_equal(game.position.states["rng"], rng)


def played(*actions, **setting):
    game = position(**setting)
    play(game, *actions)
    return game


def setting_up(*stones, num_players=3):
    game = golden_dragon_v0.raw_env(num_players=num_players)
    game.reset(seed=0)
    play(game, *(f"the {wind} stone" for wind in stones))
    return game


GAMES = {
    "storm": position,
    "place": lambda: position(hand="S"),
    "veto": lambda: played(move(1), hand="S"),
    "won": lambda: played(move(1), active=1, hand="S", cells=[(0, 5), (7, 5), (0, 6)]),
    "drawn": lambda: played(move(0), hand="S", single_moves=599),
    "stone": lambda: setting_up("E"),
    "side": lambda: setting_up("E", "E", "E", "E", "E", num_players=5),
    "order": lambda: setting_up("E", "E", "E", "S"),
}
ANYWHERE = ("storm", "place", "veto", "won", "drawn", "stone", "order")


def with_entry(key, index, value):
    """One entry of a list changed."""
    return lambda state: {key: [value if i == index else old for i, old in enumerate(state[key])]}


NONSENSE = {  # what is changed in which positions
    "phase unknown": ({"phase": "lunch"}, ANYWHERE),
    "phase in capitals": ({"phase": "PLACE"}, ANYWHERE),
    "phase a list": ({"phase": ["place"]}, ANYWHERE),
    "phase nothing": ({"phase": None}, ANYWHERE),
    "agent nobody": ({"agent": None}, ("storm", "place", "veto", "stone", "order")),
    "agent somebody": ({"agent": 1}, ("won", "drawn")),
    "agent another": ({"agent": 2}, ("storm", "place", "veto", "stone", "order")),
    "agent the mover": ({"agent": 0}, ("veto",)),
    "agent below": ({"agent": -1}, ANYWHERE),
    "agent above": ({"agent": 3}, ANYWHERE),
    "agent far above": ({"agent": 2**70}, ANYWHERE),
    "agent a truth": ({"agent": False}, ANYWHERE),
    "agent a fraction": ({"agent": 0.0}, ANYWHERE),
    "agent a text": ({"agent": "0"}, ANYWHERE),
    "active nobody": ({"active": None}, ANYWHERE),
    "active another": ({"active": 2}, ("storm", "place", "stone", "order")),
    "active a truth": ({"active": False}, ANYWHERE),
    "active a fraction": ({"active": 0.0}, ANYWHERE),
    "moves_left none": ({"moves_left": 0}, ("storm", "place", "veto", "stone", "order")),
    "moves_left too many": ({"moves_left": 6}, ANYWHERE),
    "moves_left negative": ({"moves_left": -1}, ANYWHERE),
    "moves_left a truth": ({"moves_left": True}, ANYWHERE),
    "moves_left a fraction": ({"moves_left": 3.0}, ANYWHERE),
    "moves_left of a storm that nobody played": ({"moves_left": 5}, ANYWHERE),
    "moves_left after a move": ({"moves_left": 2}, ("storm", "stone", "order")),
    "single_moves at the limit": ({"single_moves": 600}, ("storm", "place", "veto", "stone", "order")),
    "single_moves above the limit": ({"single_moves": 601}, ANYWHERE),
    "single_moves negative": ({"single_moves": -1}, ANYWHERE),
    "single_moves a truth": ({"single_moves": True}, ANYWHERE),
    "single_moves enormous": ({"single_moves": 10**30}, ANYWHERE),
    "single_moves in the set-up": ({"single_moves": 3}, ("stone", "order")),
    "positions too few": (lambda state: {"positions": state["positions"][1:]}, ANYWHERE),
    "positions no list": ({"positions": 7}, ANYWHERE),
    "positions a dictionary": (lambda state: {"positions": {(0, 5): 0, (0, 4): 0, (0, 6): 0}}, ANYWHERE),
    "a dragon off the board": (with_entry("positions", 0, [-1, 5]), ANYWHERE),
    "a dragon nowhere": (with_entry("positions", 0, None), ANYWHERE),
    "a dragon on a volcano": (with_entry("positions", 0, [2, 3]), ANYWHERE),
    "a dragon on the goal": (with_entry("positions", 0, [8, 5]), ANYWHERE),
    "a dragon on another": (lambda state: {"positions": [state["positions"][0]] * 3}, ANYWHERE),
    "a dragon on a text": (with_entry("positions", 0, "05"), ANYWHERE),
    "a dragon on fractions": (with_entry("positions", 0, [0.0, 5.0]), ANYWHERE),
    "a dragon on truths": (with_entry("positions", 0, [False, 5]), ANYWHERE),
    "a dragon on lists": (with_entry("positions", 0, [[0], [5]]), ANYWHERE),
    "a dragon on three numbers": (with_entry("positions", 0, [0, 5, 0]), ANYWHERE),
    "a dragon off its start": (with_entry("positions", 0, [3, 3]), ("stone", "order")),
    "a dragon on the start of the next": (with_entry("positions", 0, [0, 4]), ("stone",)),
    "a dragon too early": (with_entry("positions", 2, [0, 6]), ("stone",)),
    "under nothing": (with_entry("under", 0, None), ANYWHERE),
    "under no wind": (with_entry("under", 0, "X"), ANYWHERE),
    "under Icarius' wind": (with_entry("under", 0, "NE"), ANYWHERE),
    "under a number": (with_entry("under", 0, 1), ANYWHERE),
    "under a text": ({"under": "NSE"}, ANYWHERE),
    "under too many": (lambda state: {"under": [*state["under"], "N"]}, ANYWHERE),
    "under too early": (with_entry("under", 2, "N"), ("stone",)),
    "a holder too full": (with_entry("holders", 1, ["N"] * 6), ANYWHERE),
    "a holder with too few": (with_entry("holders", 1, ["N"] * 4), ANYWHERE),
    "a holder of the mover with too few": (with_entry("holders", 0, ["N"] * 3), ("storm", "place", "veto", "won")),
    "a holder with the stone in hand": (with_entry("holders", 0, ["N"] * 5), ("place", "veto")),
    "a holder of nothing": (with_entry("holders", 1, [None] * 5), ANYWHERE),
    "a holder that is none": (with_entry("holders", 1, None), ANYWHERE),
    "a holder of letters": (with_entry("holders", 1, "NSEWN"), ANYWHERE),
    "a holder of keys": (with_entry("holders", 1, dict.fromkeys(["N", "S", "E", "W", "SE"])), ANYWHERE),
    "a holder with a stone twice": (with_entry("holders", 0, ["S", "S"]), ("order",)),
    "a holder with the stone under the dragon": (with_entry("holders", 0, ["E"]), ("order",)),
    "a holder that is full while it is filled": (with_entry("holders", 0, ["S", "N", "W", "SE"]), ("order",)),
    "a holder too early": (with_entry("holders", 0, ["S"]), ("stone",)),
    "holders too few": (lambda state: {"holders": state["holders"][1:]}, ANYWHERE),
    "storms too many": (with_entry("storms", 0, 3), ANYWHERE),
    "storms negative": (with_entry("storms", 0, -1), ANYWHERE),
    "storms a truth": (with_entry("storms", 0, True), ANYWHERE),
    "storms a text": ({"storms": "222"}, ANYWHERE),
    "storms gone": (with_entry("storms", 0, 0), ("storm", "stone", "order")),
    "bolts too many": (with_entry("bolts", 2, 3), ANYWHERE),
    "bolts a fraction": (with_entry("bolts", 2, 2.0), ANYWHERE),
    "bolts too few": ({"bolts": [2, 2]}, ANYWHERE),
    "bolts gone": (with_entry("bolts", 1, 0), ("veto", "stone", "order")),
    "hand empty": ({"hand": None}, ("place", "veto")),
    "hand full": ({"hand": "S"}, ("storm", "won", "drawn", "stone", "order")),
    "hand a list": ({"hand": ["S"]}, ANYWHERE),
    "hand a number": ({"hand": 1}, ANYWHERE),
    "barred without a stone": ({"barred": [1]}, ("storm", "won", "drawn", "stone", "order")),
    "barred everybody": ({"barred": [0, 1, 2]}, ANYWHERE),
    "barred the mover's own": ({"barred": [0]}, ANYWHERE),
    "barred nobody known": ({"barred": [3]}, ANYWHERE),
    "barred a truth": ({"barred": [True]}, ANYWHERE),
    "barred nothing": ({"barred": None}, ANYWHERE),
    "barred a text": ({"barred": ""}, ANYWHERE),
    "barred the announced": ({"barred": [1]}, ("veto",)),
    "announced without a poll": ({"announced": 1}, ("storm", "place", "won", "drawn", "stone", "order")),
    "announced nobody": ({"announced": None}, ("veto",)),
    "announced the mover's own": ({"announced": 0}, ("veto",)),
    "announced another's": ({"announced": 2}, ("veto",)),
    "announced a move off the board": (with_entry("positions", 1, [9, 4]), ("veto",)),
    "announced a move onto a volcano": (with_entry("positions", 1, [1, 3]), ("veto",)),
    "announced a move onto the goal": (with_entry("positions", 1, [7, 5]), ("veto",)),
    "announced a move onto a dragon": (lambda state: {"positions": [[1, 4], [0, 4], [0, 6]]}, ("veto",)),
    "winner in a game that goes on": ({"winner": 0}, ("storm", "place", "veto", "stone", "order")),
    "winner nobody, with moves left": ({"winner": None}, ("won",)),
    "winner another": ({"winner": 0, "active": 0}, ("won",)),
    "winner not active": ({"active": 0}, ("won",)),
    "winner not on the goal": (with_entry("positions", 1, [7, 5]), ("won",)),
    "winner somebody after a draw": ({"winner": 0}, ("drawn",)),
    "winner a truth": ({"winner": True}, ("won",)),
    "a side for the wrong seat": ({"phase": "setup_side"}, ("stone", "order")),
    "a side already chosen": (with_entry("positions", 4, [0, 2]), ("side",)),
    "a side without a stone": (with_entry("under", 4, None), ("side",)),
}


@pytest.fixture(scope="module")
def games():
    return {name: make() for name, make in GAMES.items()}


@pytest.mark.parametrize("name", NONSENSE)
def test_a_position_that_makes_no_sense_is_refused(name, games):
    change, places = NONSENSE[name]
    for where in places:
        game = copy.deepcopy(games[where])
        state = game.state_dict()
        before = snapshot(game)
        try:
            game.load_state_dict(state | (change(state) if callable(change) else change))
        except ValueError:
            assert snapshot(game) == before
        else:
            pytest.fail(f"{name} was accepted in {where!r}")


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("mover", range(3))
@pytest.mark.parametrize("dragon", range(3))
@pytest.mark.parametrize("agent", range(3))
def test_a_veto_that_the_scope_does_not_ask_for_is_refused(mover, dragon, agent, scope):
    game = position(active=mover, hand="S", veto_scope=scope)
    asked = {
        "owner_only": agent == dragon != mover,
        "any_opponent": agent != mover,
        "others": agent != mover != dragon,
    }[scope]
    state = game.state_dict() | {"phase": "veto", "agent": agent, "announced": dragon}
    if asked:
        game.load_state_dict(state)
        assert game.state_dict() == state
    else:
        with pytest.raises(ValueError, match=f"agent {agent} cannot veto the move of dragon {dragon}"):
            game.load_state_dict(state)


@pytest.mark.parametrize("mover", range(3))
@pytest.mark.parametrize("scope", SCOPES)
def test_the_movers_own_dragon_is_barred_only_if_the_scope_lets_somebody_veto_it(scope, mover):
    game = position(active=mover, hand="S", veto_scope=scope)
    state = game.state_dict() | {"barred": [mover], "bolts": [2, 1, 2]}
    if scope == "any_opponent":
        game.load_state_dict(state)
        assert game.state_dict() == state
    else:
        with pytest.raises(ValueError, match=f"dragon {mover} is barred, but nobody could veto its move"):
            game.load_state_dict(state)


def test_a_stone_in_hand_that_fits_no_dragon_is_refused_by_the_game_itself():
    """Not only by `raw_env`: nobody could go on from there."""
    game = position(hand="S")
    state = game.state_dict() | {"hand": "N"}
    with pytest.raises(ValueError, match="the stone in hand, 'N', can move no dragon"):
        game.game.load_state_dict(state)


EXCESSIVE = {
    "a deep nest": reduce(lambda inner, _: [inner], range(100_000), []),
    "a deep dictionary": reduce(lambda inner, _: {"phase": inner}, range(100_000), {}),
    "a long list": ["N"] * 100_000,
    "a long text": "N" * 100_000,
    "a long number": 10**5000,
}


@pytest.mark.parametrize("what", EXCESSIVE)
@pytest.mark.parametrize("key", [*position().state_dict()])
def test_what_is_too_much_is_refused_in_few_words(key, what):
    """In the place of an entry, and in the place of each of its parts."""
    game = position(hand="S")
    state, value = game.state_dict(), EXCESSIVE[what]
    for change in (value, [value] * 3, [[value, value]] * 3):
        with pytest.raises(ValueError) as refused:  # noqa: PT011 (each key has words of its own)
            game.load_state_dict(state | {key: change})
        assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("where", GAMES)
def test_the_positions_themselves_are_accepted(where, games):
    games[where].load_state_dict(games[where].state_dict())


@pytest.mark.parametrize("key", [*position().state_dict()])
def test_a_missing_key_is_named(key):
    game = position()
    state = game.state_dict()
    del state[key]
    with pytest.raises(ValueError, match=f"lacks the key '{key}'"):
        game.load_state_dict(state)


@pytest.mark.parametrize("what", [None, 5, [], "place", {}])
def test_what_is_no_position_at_all_is_refused(what):
    game = position()
    record = game.position.states.tobytes()
    with pytest.raises(ValueError, match="position"):
        game.load_state_dict(what)
    assert game.position.states.tobytes() == record


def test_only_the_fifth_seat_has_a_side_to_choose():
    """A third seat that has laid its stone and stands nowhere yet would else be asked for a side."""
    game = setting_up("E", "E")
    state = game.state_dict()
    assert (state["phase"], state["agent"]) == ("setup_stone", 2)
    with pytest.raises(ValueError, match="seat 2 has no side to choose"):
        game.load_state_dict(state | {"phase": "setup_side", "under": ["E", "E", "N"]})


def test_stones_need_not_add_up():
    """A puzzle may be set with any stones."""
    game = position(hand="S", under=["S", "S", "S"], holders=[["S"] * 4, ["S"] * 5, ["S"] * 5])
    play(game, move(0))
    assert game.state_dict()["holders"][0] == ["S"] * 4
