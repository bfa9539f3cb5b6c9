"""What a seat sees (G6), as one flat int8 array of zeros, ones and small counts.

P is the number of players, C the number of cells. Whatever is given by player starts with the observer and goes on
clockwise. "Unary" means: the first n entries are 1.

| field          | size   | meaning                                                                         |
|----------------|--------|---------------------------------------------------------------------------------|
| `cells`        | P * C  | one-hot by player: where the dragon stands                                      |
| `under`        | P * 6  | one-hot by player: the wind of the stone below the dragon                       |
| `distance`     | P * 12 | by player, unary: moves to the goal on an empty board, as far as 12             |
| `leads`        | P * 18 | by player and wind, one-hot: it would move the dragon nearer, as far, farther   |
| `holders`      | P * 30 | by player and place, next out first: the wind, one-hot; zeros for unseen stones |
| `unseen`       | P * 6  | by player: the winds of the stones that the observer has not seen               |
| `held`         | P * 5  | by player, unary: stones in the holder                                          |
| `storms`       | P * 2  | by player, unary                                                                |
| `bolts`        | P * 2  | by player, unary: lightning cards left                                          |
| `seat`         | P      | one-hot: the observer's seat, counted from the first player                     |
| `decider`      | P      | one-hot by player: who decides; zeros when over                                 |
| `active`       | P      | one-hot by player: whose turn it is                                             |
| `barred`       | P      | by player: the stone in hand may not move this dragon any more                  |
| `announced`    | P      | one-hot by player: the dragon whose move is being polled for a veto             |
| `phase`        | 7      | one-hot: kind of the decision, in the order of `state.Phase`                    |
| `hand`         | 6      | one-hot: the wind of the stone taken out                                        |
| `moves_left`   | 5      | unary: single moves left in this turn                                           |
| `time`         | 1      | single moves completed, in hundredths of the most that are played               |
"""

from enum import IntEnum
from typing import Any

import numpy as np

from drako_env.engine.jit import jit
from drako_env.golden_dragon.legal import can_enter
from drako_env.golden_dragon.rules import NUM_WINDS, Rules
from drako_env.golden_dragon.state import (
    BOLTS_EACH,
    HOLDER_SIZE,
    NO_WIND,
    NOBODY,
    OFF_BOARD,
    STORM_MOVES,
    STORMS_EACH,
    Phase,
)

MAX_DISTANCE = 12


class Field(IntEnum):
    """The fields in their order."""

    CELLS = 0
    UNDER = 1
    DISTANCE = 2
    LEADS = 3
    HOLDERS = 4
    UNSEEN = 5
    HELD = 6
    STORMS = 7
    BOLTS = 8
    SEAT = 9
    DECIDER = 10
    ACTIVE = 11
    BARRED = 12
    ANNOUNCED = 13
    PHASE = 14
    HAND = 15
    MOVES_LEFT = 16
    TIME = 17


def field_sizes(rules: Rules) -> list[int]:
    """The size of every field, in order."""
    by_player = [len(rules.board.cells), NUM_WINDS, MAX_DISTANCE, 3 * NUM_WINDS, HOLDER_SIZE * NUM_WINDS, NUM_WINDS]
    by_player += [HOLDER_SIZE, STORMS_EACH, BOLTS_EACH, 1, 1, 1, 1, 1]
    return [rules.num_players * size for size in by_player] + [len(Phase), NUM_WINDS, STORM_MOVES, 1]


@jit
def observe(t: Any, s: Any, seat: int, out: Any) -> None:
    """Write all that `seat` may know, and nothing else."""
    out[:] = 0
    players = t["num_players"]
    for place in range(players):
        player = (seat + place) % players
        observe_dragon(t, s, player, place, out)
        observe_holder(t, s, seat, player, place, out)
        observe_cards(t, s, player, place, out)
    out[t["field"][Field.SEAT] + seat] = 1
    out[t["field"][Field.ACTIVE] + (s["active"] - seat) % players] = 1
    if s["agent"] != NOBODY:
        out[t["field"][Field.DECIDER] + (s["agent"] - seat) % players] = 1
    if s["announced"] != NOBODY:
        out[t["field"][Field.ANNOUNCED] + (s["announced"] - seat) % players] = 1
    out[t["field"][Field.PHASE] + s["phase"]] = 1
    if s["hand"] != NO_WIND:
        out[t["field"][Field.HAND] + s["hand"]] = 1
    write_unary(out, t["field"][Field.MOVES_LEFT], s["moves_left"])
    out[t["field"][Field.TIME]] = 100 * np.int64(s["single_moves"]) // t["max_single_moves"]


@jit
def observe_dragon(t: Any, s: Any, player: int, place: int, out: Any) -> None:
    """A dragon, the stone below it, and whether the stone in hand may move it."""
    cell = s["cell"][player]
    if cell != OFF_BOARD:
        out[t["field"][Field.CELLS] + place * t["num_cells"] + cell] = 1
        distance = t["field"][Field.DISTANCE] + place * MAX_DISTANCE
        write_unary(out, distance, min(MAX_DISTANCE, t["distance"][cell]))
        observe_ways(t, s, player, t["field"][Field.LEADS] + place * 3 * NUM_WINDS, out)
    if s["under"][player] != NO_WIND:
        out[t["field"][Field.UNDER] + place * NUM_WINDS + s["under"][player]] = 1
    out[t["field"][Field.BARRED] + place] = (s["barred"] >> player) & 1


@jit
def observe_ways(t: Any, s: Any, player: int, first: int, out: Any) -> None:
    """Whether each wind would lead a dragon nearer to the goal or not; nothing where it cannot go (G4)."""
    cell = s["cell"][player]
    for wind in range(NUM_WINDS):
        target = t["target"][wind, cell]
        if can_enter(t, s, target, player):
            farther = min(1, max(-1, t["distance"][target] - t["distance"][cell]))
            out[first + 3 * wind + 1 + farther] = 1


@jit
def observe_holder(t: Any, s: Any, seat: int, player: int, place: int, out: Any) -> None:
    """G6: one's own stones, and those of others that came back; of the rest only which they are, not in which order.
    While a holder is being filled, all stones but the one below the dragon may be in it."""
    first = t["field"][Field.HOLDERS] + place * HOLDER_SIZE * NUM_WINDS
    unseen = 0 if player == seat else min(s["unseen"][player], s["held"][player])
    for i in range(unseen, s["held"][player]):
        out[first + i * NUM_WINDS + s["holder"][player, i]] = 1
    filling = s["phase"] == Phase.SETUP_ORDER and s["held"][player] < HOLDER_SIZE and player != seat
    for wind in range(NUM_WINDS):
        hidden = filling and wind != s["under"][player]
        for i in range(unseen):
            hidden |= (not filling) & (s["holder"][player, i] == wind)
        out[t["field"][Field.UNSEEN] + place * NUM_WINDS + wind] = hidden


@jit
def observe_cards(t: Any, s: Any, player: int, place: int, out: Any) -> None:
    """What is counted."""
    write_unary(out, t["field"][Field.HELD] + place * HOLDER_SIZE, s["held"][player])
    write_unary(out, t["field"][Field.STORMS] + place * STORMS_EACH, s["storms"][player])
    write_unary(out, t["field"][Field.BOLTS] + place * BOLTS_EACH, s["bolts"][player])


@jit
def write_unary(out: Any, first: int, count: int) -> None:
    """Ones for the first `count` entries from `first` on."""
    for i in range(count):
        out[first + i] = 1
