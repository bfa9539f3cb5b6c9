"""The position of one game as one record: clone it with `.copy()`, save it with `.tobytes()`, batch it as an array.

What is used to shift bits has 64 bits, here and in the tables: NumPy, unlike the compiler, shifts a byte within a byte.
"""

from enum import IntEnum

import numpy as np

MAX_KINDS = 32
"""Most different cards a deck may have: the size of the card arrays in the record."""

MAX_DECK = 128
"""Most cards a deck may have."""

MAX_SPACES = 32
"""Most wound spaces an area or a dwarf may have."""

ACTIONS_A_TURN = 2  # R5.1
MAX_ACTIONS_A_TURN = 3  # R10.1
NOBODY = -1
OFF_BOARD = -1
NO_CARD = -1


class Seat(IntEnum):
    """The two players."""

    DRAGON = 0
    DWARVES = 1


class Figure(IntEnum):
    """The four figures (R1.3); the dwarves go by their ability."""

    DRAGON = 0
    FURY = 1
    ARCHER = 2
    NET = 3


class Area(IntEnum):
    """The areas of the dragon's mat (R2.1)."""

    ARMOR = 0
    FLIGHT = 1
    MOVEMENT = 2
    FIRE = 3


class Symbol(IntEnum):
    """What a card can be played as (R3.4). `NET` and `DEFENSE` come last: they leave nothing to resolve."""

    MOVE1 = 0
    MOVE2 = 1
    ATTACK1 = 2
    ATTACK2 = 3
    CROSSBOW = 4
    MOVE = 5
    FLIGHT = 6
    ATTACK = 7
    FIRE = 8
    NET = 9
    DEFENSE = 10


class Phase(IntEnum):
    """The kinds of decisions."""

    EXCHANGE = 0
    PLACEMENT = 1
    ACTION = 2
    MOVE = 3
    ATTACKERS = 4
    TARGET = 5
    DIRECTION = 6
    DEFENSE = 7
    WOUND = 8
    DISCARD = 9
    OVER = 10


MAX_STRIKES = 3
MAX_TURN = 10_000
"""Where the count of turns stops; only a position that was set can come near."""

STATE = np.dtype(
    [
        ("rng", "u8", 2),  # see engine.rng
        ("occupied", "i8"),  # bit mask of the hexes with a figure
        ("hex", "i8", 4),  # of each Figure; OFF_BOARD: dead, or not placed yet
        ("turn", "i2"),
        ("deck_size", "i2", 2),
        ("phase", "i1"),
        ("agent", "i1"),  # the seat to decide, NOBODY when over
        ("turn_agent", "i1"),
        ("actions_left", "i1"),
        ("actions_spent", "i1"),
        ("winner", "i1"),
        ("dragon_wounds", "i1", 4),  # by Area
        ("dwarf_wounds", "i1", 4),  # by Figure; the dragon's entry stays 0
        ("netted", "i1"),
        ("fury_used", "i1"),
        ("exchanged", "i1", 2),  # R4.2, by Seat
        # the card being resolved
        ("card", "i1"),  # its kind, NO_CARD when none
        ("symbol", "i1"),
        ("value", "i1"),
        ("strikes", "i1", MAX_STRIKES),  # the Figure each strike hits
        ("num_strikes", "i1"),
        ("blocked", "i1", MAX_STRIKES),
        ("answered", "i1"),  # strikes that the defender has answered
        ("moved", "i1"),  # bit mask of Figures moved by a move2
        ("wounds", "i1"),  # wounds the dwarf player still has to place
        # the cards, by seat and kind
        ("hand_size", "i1", 2),
        ("hand", "i1", (2, MAX_KINDS)),
        ("deck", "i1", (2, MAX_KINDS)),
        ("discards", "i1", (2, MAX_KINDS)),
        ("spare", "i1", 1),  # no gaps: NumPy copies fields, not the bytes between them, and equal records must be equal
    ],
    align=True,
)
