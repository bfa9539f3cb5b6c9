"""The position of one game as one record: clone it with `.copy()`, save it with `.tobytes()`, batch it as an array."""

from enum import IntEnum

import numpy as np

from drako_env.golden_dragon.rules import MAX_PLAYERS

HOLDER_SIZE = 5
STORMS_EACH = 2
BOLTS_EACH = 2
STORM_MOVES = 5
NOBODY = -1
NO_WIND = -1
OFF_BOARD = -1


class Phase(IntEnum):
    """The kinds of decisions."""

    SETUP_STONE = 0
    SETUP_SIDE = 1
    SETUP_ORDER = 2
    STORM = 3
    PLACE = 4
    VETO = 5
    OVER = 6


STATE = np.dtype(
    [
        ("rng", "u8", 2),  # see engine.rng
        ("cell", "i8", MAX_PLAYERS),  # of each dragon
        ("single_moves", "i2"),  # completed in the whole game
        ("phase", "i1"),
        ("agent", "i1"),  # the seat to decide, NOBODY when over
        ("active", "i1"),  # whose turn it is
        ("moves_left", "i1"),  # single moves of this turn, the current one included
        ("hand", "i1"),  # the wind of the stone taken out of the holder
        ("barred", "i1"),  # bit mask of the dragons that this stone may not move any more
        ("announced", "i1"),  # the dragon whose move is being polled for a veto
        ("winner", "i1"),
        ("under", "i1", MAX_PLAYERS),  # the wind of the stone below each dragon
        ("storms", "i1", MAX_PLAYERS),
        ("bolts", "i1", MAX_PLAYERS),
        ("held", "i1", MAX_PLAYERS),  # stones in each holder
        ("unseen", "i1", MAX_PLAYERS),  # of these, how many of the next ones only their owner has seen
        ("holder", "i1", (MAX_PLAYERS, HOLDER_SIZE)),  # winds, next out first
        ("spare", "i1", 4),  # no gaps: equal records must have equal bytes
    ],
    align=True,
)
