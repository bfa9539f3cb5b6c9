"""Which actions are legal: one small function for each kind of decision, writing ones into a mask of zeros."""

from typing import Any

from drako_env.engine.jit import jit
from drako_env.golden_dragon.actions import FirstId
from drako_env.golden_dragon.rules import NUM_WINDS
from drako_env.golden_dragon.state import OFF_BOARD, Phase


@jit
def write_mask(t: Any, s: Any, mask: Any) -> None:
    """The legal actions of the seat to decide; all zeros when the game is over."""
    mask[:] = 0
    phase = s["phase"]
    if phase == Phase.PLACE:
        mark_dragons(t, s, mask)
    elif phase == Phase.VETO:
        mark_both(mask, FirstId.VETO)
    elif phase == Phase.STORM:
        mark_both(mask, FirstId.STORM)
    elif phase == Phase.SETUP_STONE or phase == Phase.SETUP_ORDER:
        mark_stones(s, mask)
    elif phase == Phase.SETUP_SIDE:
        mark_both(mask, FirstId.SIDE)


@jit
def mark_both(mask: Any, first: int) -> None:
    """Two choices side by side."""
    mask[first] = 1
    mask[first + 1] = 1


@jit
def mark_stones(s: Any, mask: Any) -> None:
    """G3: the stones that the seat has not laid or put into its holder yet."""
    for wind in range(NUM_WINDS):
        mask[FirstId.STONE + wind] = not has_used(s, s["agent"], wind)


@jit
def has_used(s: Any, seat: int, wind: int) -> bool:
    """Whether a seat's stone of this wind is under its dragon or in its holder."""
    used = s["under"][seat] == wind
    for i in range(s["held"][seat]):
        used |= s["holder"][seat, i] == wind
    return used


@jit
def mark_dragons(t: Any, s: Any, mask: Any) -> None:
    """G4: the dragons that the stone in hand can move."""
    for dragon in range(t["num_players"]):
        mask[FirstId.PLACE + dragon] = can_move(t, s, dragon)


@jit
def can_move(t: Any, s: Any, dragon: int) -> bool:
    """G4: not barred, and onto a cell that it can enter."""
    return (s["barred"] >> dragon) & 1 == 0 and can_enter(t, s, t["target"][s["hand"], s["cell"][dragon]], dragon)


@jit
def can_enter(t: Any, s: Any, target: int, dragon: int) -> bool:
    """G4: a cell that can be entered and is free; the goal only for the active player's own dragon."""
    free = (target != OFF_BOARD) & ((target != t["goal"]) | (dragon == s["active"]))
    for other in range(t["num_players"]):
        free &= target != s["cell"][other]
    return free
