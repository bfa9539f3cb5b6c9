"""What a planning player thinks of an action, from what the deciding seat may know.

`plan` is the heuristic player: it tries all ways to play the own remaining stones of the turn, keeps the storm for a
turn that wins with it, and vetoes what costs most. `score` is its first glance, one action deep: the search plays its
games to the end with it. Numbers are in moves to the goal.
"""

from typing import Any

from drako_env.engine.jit import jit
from drako_env.golden_dragon.actions import FirstId
from drako_env.golden_dragon.apply import fits
from drako_env.golden_dragon.legal import can_move
from drako_env.golden_dragon.rules import MOVES_A_TURN
from drako_env.golden_dragon.state import NO_WIND, OFF_BOARD, STORM_MOVES, Phase

WIN = 1000.0
OTHERS = 0.6
"""What a move of the others' dragons counts against one of the own dragon, all of them together."""
NEAR = 3
"""So few moves from the goal a dragon may get there in one turn."""
DANGER = 1.0
"""How much more each of these last moves counts."""
VETO_COST = 1.2
"""What a veto is worth."""


@jit
def plan(t: Any, s: Any, action: int) -> float:
    """How good a legal action looks after trying out the rest of the turn: the higher, the better."""
    if s["phase"] == Phase.PLACE:
        return after_stone(t, s, action - FirstId.PLACE)
    if s["phase"] == Phase.STORM:
        return plan_storm(t, s, action - FirstId.STORM)
    return score(t, s, action)


@jit
def plan_storm(t: Any, s: Any, use: int) -> float:
    """A storm only if the moves with it win and those without do not."""
    if not use:
        return 0.0
    without = best_line(t, s, s["moves_left"]) >= WIN
    with_storm = best_line(t, s, s["moves_left"] + STORM_MOVES - MOVES_A_TURN) >= WIN
    s["hand"] = NO_WIND
    return 1.0 if with_storm and not without else -1.0


@jit
def after_stone(t: Any, s: Any, dragon: int) -> float:
    """The best value that the turn can end with after the stone in hand has moved `dragon`."""
    cells, hand, barred = pack_cells(s), s["hand"], s["barred"]
    s["cell"][dragon] = t["target"][hand, s["cell"][dragon]]
    s["barred"] = 0
    won = s["cell"][dragon] == t["goal"]
    value = WIN + s["moves_left"] if won else best_line(t, s, s["moves_left"] - 1)
    unpack_cells(s, cells)
    s["hand"] = hand
    s["barred"] = barred
    return value


@jit
def best_line(t: Any, s: Any, moves: int) -> float:
    """The best value that the active seat can reach with the next stones of its holder, as if nobody vetoed. The
    position stays as it is, but for the stone in hand."""
    cells, best = pack_cells(s), -WIN
    for line in range(t["num_players"] ** moves):  # the digits of a line are the dragons that its stones move
        best = max(best, play_line(t, s, moves, line))
        unpack_cells(s, cells)
    return best


@jit
def play_line(t: Any, s: Any, moves: int, line: int) -> float:
    """Move the dragons of a line; -WIN if it breaks the rules. A stone that fits no dragon passes."""
    for i in range(moves):
        s["hand"] = s["holder"][s["active"], i]
        dragon = line % t["num_players"]
        line //= t["num_players"]
        if can_move(t, s, dragon):
            s["cell"][dragon] = t["target"][s["hand"], s["cell"][dragon]]
            if s["cell"][dragon] == t["goal"]:
                return WIN + moves - i
        elif fits(t, s):
            return -WIN
    return value_of(t, s, s["active"])


@jit
def pack_cells(s: Any) -> int:
    """Where all dragons stand, as one number."""
    packed = 0
    for dragon in range(len(s["cell"])):
        packed |= (s["cell"][dragon] & 255) << (8 * dragon)
    return packed


@jit
def unpack_cells(s: Any, packed: int) -> None:
    """Put all dragons back."""
    for dragon in range(len(s["cell"])):
        cell = (packed >> (8 * dragon)) & 255
        s["cell"][dragon] = OFF_BOARD if cell == OFF_BOARD & 255 else cell


@jit
def value_of(t: Any, s: Any, seat: int) -> float:
    """A position for a seat: near the goal itself, the others far from it."""
    value = 0.0
    for dragon in range(t["num_players"]):
        value += worth(t, s["cell"][dragon], dragon == seat)
    return value


@jit
def worth(t: Any, cell: int, own: bool) -> float:
    """What a dragon's cell is worth to its owner, or to somebody else."""
    distance = t["distance"][cell]
    if own:
        return -1.0 * distance
    near = max(0, NEAR + 1 - distance)
    return OTHERS / (t["num_players"] - 1) * (distance - DANGER * near)


@jit
def score(t: Any, s: Any, action: int) -> float:
    """How good a legal action of the seat to decide looks at first glance."""
    phase, value = s["phase"], 0.0
    if phase == Phase.PLACE:
        value = gain(t, s, action - FirstId.PLACE, s["active"])
    elif phase == Phase.VETO:
        value = 0.0 if action == FirstId.VETO else -gain(t, s, s["announced"], s["agent"]) - VETO_COST
    elif phase == Phase.STORM:
        value = 0.0 if action == FirstId.STORM else -1.0
    elif phase == Phase.SETUP_STONE:  # the stones that lead on stay in the holder, the best of them in front
        value = -progress(t, s["agent"], action - FirstId.STONE)
    elif phase == Phase.SETUP_ORDER:
        value = progress(t, s["agent"], action - FirstId.STONE)
    return value


@jit
def gain(t: Any, s: Any, dragon: int, seat: int) -> float:
    """What a seat gains if the stone in hand moves a dragon."""
    cell = s["cell"][dragon]
    target = t["target"][s["hand"], cell]
    if target == t["goal"]:
        return WIN if dragon == seat else -WIN
    return worth(t, target, dragon == seat) - worth(t, cell, dragon == seat)


@jit
def progress(t: Any, seat: int, wind: int) -> float:
    """How far a wind brings a dragon on from its start; back, if it leads nowhere."""
    start = t["starts"][seat]
    target = t["target"][wind, start]
    return -1.0 if target == OFF_BOARD else float(t["distance"][start] - t["distance"][target])
