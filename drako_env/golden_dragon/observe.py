"""What a seat sees (G6), as one flat int8 array of zeros, ones and small counts.

P is the number of players, C the number of cells. Whatever is given by player starts with the observer and goes on
clockwise. "Unary" means: the first n entries are 1.

| field          | size   | meaning                                                                         |
|----------------|--------|---------------------------------------------------------------------------------|
| `cells`        | P * C  | one-hot by player: where the dragon stands                                      |
| `under`        | P * 6  | one-hot by player: the wind of the stone below the dragon                       |
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


class Field(IntEnum):
    """The fields in their order."""

    CELLS = 0
    UNDER = 1
    HOLDERS = 2
    UNSEEN = 3
    HELD = 4
    STORMS = 5
    BOLTS = 6
    SEAT = 7
    DECIDER = 8
    ACTIVE = 9
    BARRED = 10
    ANNOUNCED = 11
    PHASE = 12
    HAND = 13
    MOVES_LEFT = 14
    TIME = 15


def field_sizes(rules: Rules) -> list[int]:
    """The size of every field, in order."""
    by_player = [len(rules.board.cells), NUM_WINDS, HOLDER_SIZE * NUM_WINDS, NUM_WINDS, HOLDER_SIZE]
    by_player += [STORMS_EACH, BOLTS_EACH, 1, 1, 1, 1, 1]
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
    if s["cell"][player] != OFF_BOARD:
        out[t["field"][Field.CELLS] + place * t["num_cells"] + s["cell"][player]] = 1
    if s["under"][player] != NO_WIND:
        out[t["field"][Field.UNDER] + place * NUM_WINDS + s["under"][player]] = 1
    out[t["field"][Field.BARRED] + place] = (s["barred"] >> player) & 1


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
