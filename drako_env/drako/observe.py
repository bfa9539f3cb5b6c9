"""What a seat sees (R12), as one flat int8 array of zeros, ones and small counts.

H is the number of hexes (19), K the larger number of card kinds of the two decks (13), in brackets the sizes with the
default table. "Unary" means: the first n entries are 1. Card fields count copies by kind, in the order of the table.

| field                | size    | meaning                                                                    |
|----------------------|---------|----------------------------------------------------------------------------|
| `own_deck_size`      | (38)    | unary, as wide as the larger deck                                          |
| `opponent_deck_size` | (38)    | unary                                                                      |
| `own_hand_size`      | (8)     | unary, as wide as a hand may be before discarding                          |
| `opponent_hand_size` | (8)     | unary                                                                      |
| `armor_wounds`       | (4)     | unary, as wide as the area has spaces; likewise the next six               |
| `flight_wounds`      | (3)     |                                                                            |
| `movement_wounds`    | (2)     |                                                                            |
| `fire_wounds`        | (2)     |                                                                            |
| `fury_wounds`        | (6)     |                                                                            |
| `archer_wounds`      | (3)     |                                                                            |
| `net_wounds`         | (5)     |                                                                            |
| `own_hand`           | K (13)  | copies in the observer's hand                                              |
| `own_deck`           | K (13)  | copies in the observer's deck                                              |
| `own_discards`       | K (13)  | copies the observer has discarded                                          |
| `opponent_unseen`    | K (13)  | copies in the opponent's hand and deck together                            |
| `opponent_discards`  | K (13)  | copies the opponent has discarded                                          |
| `seat`               | 2       | one-hot: the observer is the dragon, the dwarves                           |
| `decider`            | 2       | one-hot: the observer decides now, the opponent does; zeros when over      |
| `phase`              | 11      | one-hot: kind of the decision, in the order of `state.Phase`               |
| `own_turn`           | 1       | it is the observer's turn (a defense is decided in the opponent's)         |
| `actions_left`       | 4       | one-hot: actions left in this turn                                         |
| `actions_spent`      | 4       | one-hot: actions spent in this turn                                        |
| `dragon_hex`         | H (19)  | one-hot: where the dragon stands                                           |
| `fury_hex`           | H (19)  | one-hot, zeros when dead or not placed yet; likewise the next two          |
| `archer_hex`         | H (19)  |                                                                            |
| `net_hex`            | H (19)  |                                                                            |
| `netted`             | 1       | the net lies on the dragon                                                 |
| `fury_used`          | 1       | fury has been declared                                                     |
| `own_exchanged`      | 1       | the observer has exchanged its starting hand                               |
| `opponent_exchanged` | 1       | the opponent has                                                           |
| `pending_symbol`     | 9       | one-hot: what the card being resolved is played as, in `state.Symbol` order|
| `pending_value`      | (3)     | unary, as wide as the table's largest value                                |
| `strike`             | 4       | one-hot: the figure hit by the strike to be answered now                   |
| `strikes_open`       | 4       | strikes not answered yet, by figure                                        |
| `strikes_taken`      | 4       | strikes taken, not blocked, by figure                                      |
| `moved`              | 3       | dwarves that the pending card has moved                                    |
| `wounds_to_place`    | (7)     | unary: wounds still to place; wider on small boards (see `_overhang`)      |
"""

from enum import IntEnum
from itertools import accumulate
from typing import Any

from drako_env.drako.rules import Rules
from drako_env.drako.state import (
    MAX_ACTIONS_A_TURN,
    MAX_DECK,
    MAX_KINDS,
    MAX_SPACES,
    NO_CARD,
    NOBODY,
    OFF_BOARD,
    Area,
    Figure,
    Phase,
    Symbol,
)
from drako_env.engine.hexboard import hexes
from drako_env.engine.jit import jit
from drako_env.engine.memory import copy_bytes


class Field(IntEnum):
    """The fields in their order."""

    OWN_DECK_SIZE = 0
    OPPONENT_DECK_SIZE = 1
    OWN_HAND_SIZE = 2
    OPPONENT_HAND_SIZE = 3
    ARMOR_WOUNDS = 4
    FLIGHT_WOUNDS = 5
    MOVEMENT_WOUNDS = 6
    FIRE_WOUNDS = 7
    FURY_WOUNDS = 8
    ARCHER_WOUNDS = 9
    NET_WOUNDS = 10
    OWN_HAND = 11
    OWN_DECK = 12
    OWN_DISCARDS = 13
    OPPONENT_UNSEEN = 14
    OPPONENT_DISCARDS = 15
    SEAT = 16
    DECIDER = 17
    PHASE = 18
    OWN_TURN = 19
    ACTIONS_LEFT = 20
    ACTIONS_SPENT = 21
    DRAGON_HEX = 22
    FURY_HEX = 23
    ARCHER_HEX = 24
    NET_HEX = 25
    NETTED = 26
    FURY_USED = 27
    OWN_EXCHANGED = 28
    OPPONENT_EXCHANGED = 29
    PENDING_SYMBOL = 30
    PENDING_VALUE = 31
    STRIKE = 32
    STRIKES_OPEN = 33
    STRIKES_TAKEN = 34
    MOVED = 35
    WOUNDS_TO_PLACE = 36


def field_sizes(rules: Rules) -> list[int]:
    """The size of every field, in order."""
    cells = len(hexes(rules.radius))
    kinds = max(len(deck) for deck in rules.decks)
    cards = max(sum(card.copies for card in deck) for deck in rules.decks)
    value = max(value for deck in rules.decks for card in deck for _, value in card.options)
    hand = rules.hand_limit + rules.cards_per_draw
    sizes = [cards, cards, hand, hand, *rules.dragon_spaces, *rules.dwarf_spaces]
    turn = [2, 2, len(Phase), 1, MAX_ACTIONS_A_TURN + 1, MAX_ACTIONS_A_TURN + 1]
    pending = [Symbol.NET, value, 4, 4, 4, 3, sum(rules.dragon_spaces[Area.FLIGHT :])]
    sizes += [kinds] * 5 + turn + [cells] * len(Figure) + [1] * 4 + pending
    sizes[Field.WOUNDS_TO_PLACE] += max(0, _overhang(sizes))
    return sizes


COPIES = dict.fromkeys(range(Field.OWN_HAND), MAX_SPACES) | dict.fromkeys(range(Field.OWN_HAND, Field.SEAT), MAX_KINDS)
COPIES |= {Field.OWN_DECK_SIZE: MAX_DECK, Field.OPPONENT_DECK_SIZE: MAX_DECK}
"""How many entries are written for a field at once, however few it has."""


def _overhang(sizes: list[int]) -> int:
    """How far that would reach beyond the last of fields of these sizes. Nobody checks the bounds while playing."""
    starts = [0, *accumulate(sizes)]
    return max(starts[field] + width for field, width in COPIES.items()) - starts[-1]


@jit
def observe(t: Any, s: Any, seat: int, out: Any) -> None:
    """Write all that `seat` may know, and nothing else.

    Counts and cards come first. They are copied in pieces of a constant width, which the compiler turns into a few
    wide moves; what spills over the end of a field is overwritten by the fields behind it."""
    observe_sizes(t, s, seat, out)
    observe_cards(t, s, seat, out)
    out[t["field"][Field.SEAT] :] = 0
    observe_turn(t, s, seat, out)
    observe_figures(t, s, out)
    out[t["field"][Field.OWN_EXCHANGED]] = s["exchanged"][seat]
    out[t["field"][Field.OPPONENT_EXCHANGED]] = s["exchanged"][1 - seat]
    if s["card"] != NO_CARD:
        observe_pending(t, s, out)


@jit
def observe_sizes(t: Any, s: Any, seat: int, out: Any) -> None:
    """How many cards are where, and the wounds."""
    other = 1 - seat
    copy_bytes(out, t["field"][Field.OWN_DECK_SIZE], t["ramp"], MAX_DECK - s["deck_size"][seat], MAX_DECK)
    copy_bytes(out, t["field"][Field.OPPONENT_DECK_SIZE], t["ramp"], MAX_DECK - s["deck_size"][other], MAX_DECK)
    copy_unary(t, Field.OWN_HAND_SIZE, s["hand_size"][seat], out)
    copy_unary(t, Field.OPPONENT_HAND_SIZE, s["hand_size"][other], out)
    for area in range(4):
        copy_unary(t, Field.ARMOR_WOUNDS + area, s["dragon_wounds"][area], out)
    for figure in range(Figure.FURY, Figure.NET + 1):
        copy_unary(t, Field.FURY_WOUNDS + figure - 1, s["dwarf_wounds"][figure], out)


@jit
def observe_cards(t: Any, s: Any, seat: int, out: Any) -> None:
    """R12.2: one's own hand and deck apart, the opponent's only together."""
    other = 1 - seat
    copy_bytes(out, t["field"][Field.OWN_HAND], s["hand"][seat], 0, MAX_KINDS)
    copy_bytes(out, t["field"][Field.OWN_DECK], s["deck"][seat], 0, MAX_KINDS)
    copy_bytes(out, t["field"][Field.OWN_DISCARDS], s["discards"][seat], 0, MAX_KINDS)
    first = t["field"][Field.OPPONENT_UNSEEN]
    for kind in range(t["field_size"][Field.OPPONENT_UNSEEN]):
        out[first + kind] = s["hand"][other, kind] + s["deck"][other, kind]
    copy_bytes(out, t["field"][Field.OPPONENT_DISCARDS], s["discards"][other], 0, MAX_KINDS)


@jit
def observe_turn(t: Any, s: Any, seat: int, out: Any) -> None:
    """Whose decision it is, of which kind, and what is left of the turn."""
    out[t["field"][Field.SEAT] + seat] = 1
    if s["agent"] != NOBODY:
        out[t["field"][Field.DECIDER] + (s["agent"] != seat)] = 1
    out[t["field"][Field.PHASE] + s["phase"]] = 1
    out[t["field"][Field.OWN_TURN]] = s["turn_agent"] == seat
    out[t["field"][Field.ACTIONS_LEFT] + s["actions_left"]] = 1
    out[t["field"][Field.ACTIONS_SPENT] + s["actions_spent"]] = 1


@jit
def observe_figures(t: Any, s: Any, out: Any) -> None:
    """The board, the net and fury."""
    for figure in range(4):
        place = s["hex"][figure]
        out[t["field"][Field.DRAGON_HEX + figure] + max(place, 0)] = place != OFF_BOARD
    out[t["field"][Field.NETTED]] = s["netted"]
    out[t["field"][Field.FURY_USED]] = s["fury_used"]


@jit
def observe_pending(t: Any, s: Any, out: Any) -> None:
    """The card being resolved, its strikes, moves and wounds."""
    out[t["field"][Field.PENDING_SYMBOL] + s["symbol"]] = 1
    first = t["field"][Field.PENDING_VALUE]
    out[first : first + s["value"]] = 1
    for i in range(s["num_strikes"]):
        figure = s["strikes"][i]
        if i == s["answered"]:
            out[t["field"][Field.STRIKE] + figure] = 1
        if i >= s["answered"]:
            out[t["field"][Field.STRIKES_OPEN] + figure] += 1
        elif not s["blocked"][i]:
            out[t["field"][Field.STRIKES_TAKEN] + figure] += 1
    for figure in range(Figure.FURY, Figure.NET + 1):
        out[t["field"][Field.MOVED] + figure - 1] = (s["moved"] >> figure) & 1
    first = t["field"][Field.WOUNDS_TO_PLACE]
    out[first : first + s["wounds"]] = 1


@jit
def copy_unary(t: Any, field: int, count: int, out: Any) -> None:
    """Ones for the first `count` entries of a field, zeros for the rest, from a table of ones and zeros."""
    copy_bytes(out, t["field"][field], t["ramp"], MAX_DECK - int(count), MAX_SPACES)
