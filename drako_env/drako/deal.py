"""Set-up (R4), drawing, and re-dealing what a seat may not know (R12)."""

from typing import Any

from drako_env.drako.state import (
    NO_CARD,
    NOBODY,
    OFF_BOARD,
    Figure,
    Phase,
    Seat,
)
from drako_env.engine.jit import jit
from drako_env.engine.rng import Stream, random_below


@jit
def deal(t: Any, s: Any) -> None:
    """A new game from the record's own random numbers (R4.1)."""
    for seat in range(2):
        for kind in range(t["num_kinds"][seat]):
            s["deck"][seat, kind] = t["copies"][seat, kind]
            s["hand"][seat, kind] = 0
            s["discards"][seat, kind] = 0
        s["deck_size"][seat] = t["deck_size"][seat]
        s["hand_size"][seat] = 0
        draw_cards(s, seat, t["start_hand"])
    for i in range(4):
        s["dragon_wounds"][i] = 0
        s["dwarf_wounds"][i] = 0
        s["hex"][i] = OFF_BOARD
    s["netted"] = 0
    s["fury_used"] = 0
    s["exchanged"][:] = 0
    s["occupied"] = 0
    s["winner"] = NOBODY
    put(s, Figure.DRAGON, t["centre"])
    if not t["free_placement"]:
        for figure in range(Figure.FURY, Figure.NET + 1):
            put(s, figure, t["first_game"][figure])
    clear_pending(s)
    s["turn"] = 0
    s["turn_agent"] = Seat.DRAGON
    s["actions_left"] = 1  # R5.1
    s["actions_spent"] = 0
    if t["exchange"]:
        s["phase"] = Phase.EXCHANGE
        s["agent"] = Seat.DRAGON
    else:
        finish_exchange(t, s)


@jit
def finish_exchange(t: Any, s: Any) -> None:
    """R4.3: the dwarf player places the dwarves, unless they stand on the fixed hexes already."""
    if t["free_placement"]:
        s["phase"] = Phase.PLACEMENT
        s["agent"] = Seat.DWARVES
    else:
        begin_first_turn(s)


@jit
def begin_first_turn(s: Any) -> None:
    """R5.1: the dragon moves first."""
    s["phase"] = Phase.ACTION
    s["agent"] = Seat.DRAGON


@jit
def exchange_hand(t: Any, s: Any, seat: int) -> None:
    """R4.2: shuffle the starting hand back and draw a new one; that it was done stays known."""
    s["exchanged"][seat] = 1
    return_hand(t, s, seat)
    draw_cards(s, seat, t["start_hand"])


@jit
def redeal(t: Any, s: Any, seat: int) -> None:
    """Replace what `seat` may not know by another deal that looks the same to it (R12.2): the opponent's hand."""
    other = 1 - seat
    size = s["hand_size"][other]
    return_hand(t, s, other)
    draw_cards(s, other, size)


@jit
def hide(t: Any, s: Any, seat: int) -> None:
    """Make the record say no more than `seat` knows: the opponent's hand lies unseen among its deck, though both
    sizes stay. Positions that look the same to the seat become the same record; `redeal` makes a whole one of it."""
    other = 1 - seat
    for kind in range(t["num_kinds"][other]):
        s["deck"][other, kind] += s["hand"][other, kind]
        s["hand"][other, kind] = 0
    s["rng"][:] = 0


@jit
def draw_cards(s: Any, seat: int, count: int) -> None:
    """Take the top `count` cards: a deck is a multiset, and its order is decided as it is drawn."""
    for _ in range(count):
        place = random_below(s, Stream.DEAL, s["deck_size"][seat])
        kind = 0
        while place >= s["deck"][seat, kind]:
            place -= s["deck"][seat, kind]
            kind += 1
        s["deck"][seat, kind] -= 1
        s["hand"][seat, kind] += 1
        s["deck_size"][seat] -= 1
        s["hand_size"][seat] += 1


@jit
def return_hand(t: Any, s: Any, seat: int) -> None:
    """Put the whole hand back into the deck."""
    for kind in range(t["num_kinds"][seat]):
        s["deck"][seat, kind] += s["hand"][seat, kind]
        s["hand"][seat, kind] = 0
    s["deck_size"][seat] += s["hand_size"][seat]
    s["hand_size"][seat] = 0


@jit
def put(s: Any, figure: int, place: int) -> None:
    """Set a figure on a hex, from wherever it stood."""
    lift(s, figure)
    s["hex"][figure] = place
    s["occupied"] |= 1 << place


@jit
def lift(s: Any, figure: int) -> None:
    """Take a figure off the board."""
    if s["hex"][figure] != OFF_BOARD:
        s["occupied"] &= ~(1 << s["hex"][figure])
        s["hex"][figure] = OFF_BOARD


@jit
def clear_pending(s: Any) -> None:
    """No card is being resolved."""
    s["card"] = NO_CARD
    s["symbol"] = 0
    s["value"] = 0
    s["num_strikes"] = 0
    s["answered"] = 0
    s["moved"] = 0
    s["wounds"] = 0
    for i in range(3):
        s["strikes"][i] = 0
        s["blocked"][i] = 0
