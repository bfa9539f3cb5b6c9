"""The compiled entry points: what Python calls. Each takes the tables and an array of states."""

from typing import Any

from drako_env.engine.game import ILLEGAL
from drako_env.engine.jit import jit, kernel
from drako_env.golden_dragon.apply import apply
from drako_env.golden_dragon.deal import deal, hide, redeal
from drako_env.golden_dragon.legal import write_mask
from drako_env.golden_dragon.observe import observe
from drako_env.golden_dragon.state import NOBODY


@kernel
def deal_one(tables: Any, states: Any, i: int, mask: Any) -> int:
    """Begin game `i` anew and write the legal actions; returns the seat to decide."""
    t, s = tables[0], states[i]
    deal(t, s)
    write_mask(t, s, mask)
    return s["agent"]


@kernel
def play_one(tables: Any, states: Any, i: int, action: int, mask: Any) -> int:
    """Play `action` in game `i`; returns the seat to decide next (-1: over), or ILLEGAL and changes nothing.

    `mask` holds the legal actions before and after."""
    t, s = tables[0], states[i]
    if action < 0 or action >= len(mask) or not mask[action]:
        return ILLEGAL
    apply(t, s, action)
    write_mask(t, s, mask)
    return s["agent"]


@kernel
def mask_one(tables: Any, states: Any, i: int, mask: Any) -> None:
    """The legal actions of the seat to decide in game `i`."""
    write_mask(tables[0], states[i], mask)


@kernel
def observe_one(tables: Any, states: Any, i: int, seat: int, observation: Any) -> None:
    """What `seat` sees of game `i`."""
    observe(tables[0], states[i], seat, observation)


@kernel
def redeal_one(tables: Any, states: Any, i: int, seat: int) -> None:
    """Replace what `seat` may not know of game `i` by another order that looks the same to it."""
    redeal(tables[0], states[i], seat)


@kernel
def hide_one(tables: Any, states: Any, i: int, seat: int) -> None:
    """Reduce game `i` to what `seat` knows of it."""
    hide(tables[0], states[i], seat)


@kernel
def reward_one(states: Any, i: int, reward: Any) -> None:
    """Every seat's reward in game `i`."""
    write_reward(states[i], reward)


@jit
def write_reward(s: Any, reward: Any) -> None:
    """+1 to the winner and -1 to all others; 0 while the game goes on, and for a draw (G7)."""
    winner = s["winner"]
    for seat in range(len(reward)):
        reward[seat] = 0 if winner == NOBODY else 1 if winner == seat else -1
