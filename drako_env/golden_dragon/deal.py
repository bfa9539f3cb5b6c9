"""The beginning of a game (G3), and what a seat may not know: the initial order of the others' holders (G6)."""

from typing import Any

from drako_env.engine.jit import jit
from drako_env.engine.rng import Stream, random_below
from drako_env.golden_dragon.rules import MAX_PLAYERS, NUM_WINDS
from drako_env.golden_dragon.state import (
    BOLTS_EACH,
    HOLDER_SIZE,
    NO_WIND,
    NOBODY,
    OFF_BOARD,
    STORMS_EACH,
    Phase,
)


@jit
def deal(t: Any, s: Any) -> None:
    """A new game: nothing is left to chance."""
    for seat in range(MAX_PLAYERS):
        playing = seat < t["num_players"]
        s["cell"][seat] = OFF_BOARD
        s["under"][seat] = NO_WIND
        s["storms"][seat] = STORMS_EACH if playing else 0
        s["bolts"][seat] = BOLTS_EACH if playing else 0
        s["held"][seat] = 0
        s["unseen"][seat] = HOLDER_SIZE if playing else 0
        for i in range(HOLDER_SIZE):
            s["holder"][seat, i] = NO_WIND
    s["single_moves"] = 0
    s["active"] = 0
    s["moves_left"] = t["first_turn"]
    s["hand"] = NO_WIND
    s["barred"] = 0
    s["announced"] = NOBODY
    s["winner"] = NOBODY
    s["phase"] = Phase.SETUP_STONE
    s["agent"] = 0


@jit
def redeal(t: Any, s: Any, seat: int) -> None:
    """Order by chance what `seat` has not seen of the others' holders."""
    for other in range(t["num_players"]):
        if other != seat:
            held = s["held"][other]
            count = lay_out_unseen(s, other)
            for i in range(count - 1):
                j = i + random_below(s, Stream.DEAL, count - i)
                wind = s["holder"][other, i]
                s["holder"][other, i] = s["holder"][other, j]
                s["holder"][other, j] = wind
            take_away(s, other, held)


@jit
def hide(t: Any, s: Any, seat: int) -> None:
    """Reduce a position to what `seat` knows: the unseen stones of the others in the order of the winds."""
    s["rng"][:] = 0
    for other in range(t["num_players"]):
        if other != seat:
            held = s["held"][other]
            lay_out_unseen(s, other)
            take_away(s, other, held)


@jit
def lay_out_unseen(s: Any, seat: int) -> int:
    """Put the stones of a holder that only its owner has seen in the order of the winds; returns how many there are.
    While the holder is being filled, all five are laid out: which of them are in it yet is unknown too."""
    if s["phase"] == Phase.SETUP_ORDER and s["held"][seat] < HOLDER_SIZE:
        count = 0
        for wind in range(NUM_WINDS):
            if wind != s["under"][seat]:
                s["holder"][seat, count] = wind
                count += 1
        return count
    count = min(s["unseen"][seat], s["held"][seat])
    for i in range(1, count):
        wind, j = s["holder"][seat, i], i
        while j > 0 and s["holder"][seat, j - 1] > wind:
            s["holder"][seat, j] = s["holder"][seat, j - 1]
            j -= 1
        s["holder"][seat, j] = wind
    return count


@jit
def take_away(s: Any, seat: int, held: int) -> None:
    """Leave only the first `held` stones in a holder."""
    for i in range(held, HOLDER_SIZE):
        s["holder"][seat, i] = NO_WIND
