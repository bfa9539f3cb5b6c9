"""What a legal action does: set-up (G3), turns (G4), vetoes (G5), the end (G7)."""

from typing import Any

from drako_env.engine.jit import jit
from drako_env.golden_dragon.actions import FirstId
from drako_env.golden_dragon.legal import can_move, has_used
from drako_env.golden_dragon.rules import MAX_PLAYERS, MOVES_A_TURN, NUM_WINDS
from drako_env.golden_dragon.state import (
    HOLDER_SIZE,
    NO_WIND,
    NOBODY,
    STORM_MOVES,
    Phase,
)


@jit
def apply(t: Any, s: Any, action: int) -> None:
    """Play a legal action of the seat to decide."""
    phase = s["phase"]
    if phase == Phase.PLACE:
        announce(t, s, action - FirstId.PLACE)
    elif phase == Phase.VETO:
        answer_veto(t, s, action - FirstId.VETO)
    elif phase == Phase.STORM:
        answer_storm(t, s, action - FirstId.STORM)
    elif phase == Phase.SETUP_STONE:
        lay_first_stone(t, s, action - FirstId.STONE)
    elif phase == Phase.SETUP_ORDER:
        fill_holder(t, s, action - FirstId.STONE)
    elif phase == Phase.SETUP_SIDE:
        choose_side(t, s, action - FirstId.SIDE)


@jit
def lay_first_stone(t: Any, s: Any, wind: int) -> None:
    """G3 (D0): the stone below the own dragon; only the fifth player chooses a side, the others' starts are given."""
    seat = s["agent"]
    s["under"][seat] = wind
    if seat == MAX_PLAYERS - 1:
        s["phase"] = Phase.SETUP_SIDE
    else:
        s["cell"][seat] = t["starts"][seat]
        next_to_set_up(t, s, Phase.SETUP_ORDER)


@jit
def choose_side(t: Any, s: Any, side: int) -> None:
    """G3 (D1): the left or the right start numbered 5."""
    s["cell"][s["agent"]] = t["starts"][MAX_PLAYERS - 1 + side]
    next_to_set_up(t, s, Phase.SETUP_ORDER)


@jit
def fill_holder(t: Any, s: Any, wind: int) -> None:
    """G3 (D2): the holder from front to back; the last stone falls into place."""
    seat = s["agent"]
    push_back(s, seat, wind)
    if s["held"][seat] == HOLDER_SIZE - 1:
        for left in range(NUM_WINDS):
            if not has_used(s, seat, left):
                push_back(s, seat, left)
                break
        next_to_set_up(t, s, Phase.STORM)


@jit
def next_to_set_up(t: Any, s: Any, then: int) -> None:
    """The next seat does the same; after the last one comes the phase `then`."""
    if s["agent"] + 1 < t["num_players"]:
        s["agent"] += 1
        if then == Phase.SETUP_ORDER:
            s["phase"] = Phase.SETUP_STONE
    else:
        s["agent"] = 0
        s["phase"] = then
        if then == Phase.STORM:
            begin_turn(t, s, 0)


@jit
def begin_turn(t: Any, s: Any, seat: int) -> None:
    """G4: three moves, or five with a storm, which is decided before any stone is taken."""
    s["active"] = seat
    s["moves_left"] = MOVES_A_TURN if s["single_moves"] else t["first_turn"]
    s["phase"] = Phase.PLACE
    if s["storms"][seat] > 0:
        s["phase"] = Phase.STORM
        s["agent"] = seat


@jit
def answer_storm(t: Any, s: Any, use: int) -> None:
    """G4 (D3)."""
    if use:
        s["storms"][s["active"]] -= 1
        s["moves_left"] += STORM_MOVES - MOVES_A_TURN
    take_stone(t, s)


@jit
def take_stone(t: Any, s: Any) -> None:
    """G4: the next stone comes out for all to see. One that fits no dragon passes through, and play goes on until there
    is something to decide."""
    while True:
        s["hand"] = pop_front(s, s["active"])
        s["barred"] = 0
        if fits(t, s):
            ask_placement(s)
            return
        push_back(s, s["active"], s["hand"])
        finish_move(t, s)
        if s["phase"] != Phase.PLACE:
            return


@jit
def fits(t: Any, s: Any) -> bool:
    """Whether the stone in hand can move some dragon."""
    found = False
    for dragon in range(t["num_players"]):
        found |= can_move(t, s, dragon)
    return found


@jit
def ask_placement(s: Any) -> None:
    """G4 (D4): asked also when there is only one dragon to choose, since a veto may follow."""
    s["phase"] = Phase.PLACE
    s["agent"] = s["active"]
    s["announced"] = NOBODY


@jit
def announce(t: Any, s: Any, dragon: int) -> None:
    """G5: the poll begins with the seat after the active one."""
    s["announced"] = dragon
    ask_veto(t, s, 1)


@jit
def ask_veto(t: Any, s: Any, first: int) -> None:
    """G5: ask the next seat that may veto, counted clockwise from the active one; if there is none, the move stands."""
    for step in range(first, t["num_players"]):
        seat = (s["active"] + step) % t["num_players"]
        if t["may_veto"][seat, s["active"], s["announced"]] and s["bolts"][seat] > 0:
            s["phase"] = Phase.VETO
            s["agent"] = seat
            return
    commit(t, s)


@jit
def answer_veto(t: Any, s: Any, use: int) -> None:
    """G5 (D5): a veto bars the dragon for this stone; the same stone must move another, or passes through."""
    if not use:
        ask_veto(t, s, (s["agent"] - s["active"]) % t["num_players"] + 1)
        return
    s["bolts"][s["agent"]] -= 1
    s["barred"] |= 1 << s["announced"]
    if fits(t, s):
        ask_placement(s)
    else:
        push_back(s, s["active"], s["hand"])
        finish_move_and_go_on(t, s)


@jit
def commit(t: Any, s: Any) -> None:
    """G4: the dragon moves onto the stone, and the stone it leaves goes to the back of the mover's holder."""
    dragon = s["announced"]
    push_back(s, s["active"], s["under"][dragon])
    s["under"][dragon] = s["hand"]
    s["cell"][dragon] = t["target"][s["hand"], s["cell"][dragon]]
    if s["cell"][dragon] == t["goal"]:  # G7
        s["winner"] = s["active"]
    finish_move_and_go_on(t, s)


@jit
def finish_move_and_go_on(t: Any, s: Any) -> None:
    """A single move is done; take the next stone if the turn goes on."""
    finish_move(t, s)
    if s["phase"] == Phase.PLACE:
        take_stone(t, s)


@jit
def finish_move(t: Any, s: Any) -> None:
    """Count a single move. Then the game is over (G7), a storm is to be decided, or (`PLACE`) a stone to be taken."""
    s["single_moves"] += 1
    s["moves_left"] -= 1
    s["hand"] = NO_WIND
    s["barred"] = 0
    s["announced"] = NOBODY
    s["phase"] = Phase.PLACE
    if s["winner"] != NOBODY or s["single_moves"] >= t["max_single_moves"]:
        s["phase"] = Phase.OVER
        s["agent"] = NOBODY
    elif s["moves_left"] == 0:
        begin_turn(t, s, (s["active"] + 1) % t["num_players"])


@jit
def pop_front(s: Any, seat: int) -> int:
    """Take the next stone out of a holder."""
    wind = s["holder"][seat, 0]
    for i in range(HOLDER_SIZE - 1):
        s["holder"][seat, i] = s["holder"][seat, i + 1]
    s["held"][seat] -= 1
    s["holder"][seat, s["held"][seat]] = NO_WIND
    s["unseen"][seat] -= s["unseen"][seat] > 0
    return wind


@jit
def push_back(s: Any, seat: int, wind: int) -> None:
    """Put a stone into a holder, last in."""
    s["holder"][seat, s["held"][seat]] = wind
    s["held"][seat] += 1
