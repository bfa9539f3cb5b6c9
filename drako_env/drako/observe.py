"""What a seat sees (R12), as one flat int8 array of zeros, ones and small counts.

H is the number of hexes (19), K the larger number of card kinds of the two decks (13), in brackets the sizes with the
default table. "Unary" means: the first n entries are 1. Card fields count copies by kind, in the order of the table.

| field                | size    | meaning                                                                    |
|----------------------|---------|----------------------------------------------------------------------------|
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
| `armor_wounds`       | (4)     | unary, as wide as the area has spaces; likewise the next six               |
| `flight_wounds`      | (3)     |                                                                            |
| `movement_wounds`    | (2)     |                                                                            |
| `fire_wounds`        | (2)     |                                                                            |
| `fury_wounds`        | (6)     |                                                                            |
| `archer_wounds`      | (3)     |                                                                            |
| `net_wounds`         | (5)     |                                                                            |
| `netted`             | 1       | the net lies on the dragon                                                 |
| `fury_used`          | 1       | fury has been declared                                                     |
| `own_hand`           | K (13)  | copies in the observer's hand                                              |
| `own_deck`           | K (13)  | copies in the observer's deck                                              |
| `own_discards`       | K (13)  | copies the observer has discarded                                          |
| `opponent_unseen`    | K (13)  | copies in the opponent's hand and deck together                            |
| `opponent_discards`  | K (13)  | copies the opponent has discarded                                          |
| `own_hand_size`      | 8       | unary                                                                      |
| `opponent_hand_size` | 8       | unary                                                                      |
| `own_deck_size`      | (38)    | unary, as wide as the larger deck                                          |
| `opponent_deck_size` | (38)    | unary                                                                      |
| `pending_symbol`     | 9       | one-hot: what the card being resolved is played as, in `state.Symbol` order|
| `pending_value`      | (3)     | unary, as wide as the table's largest value                                |
| `strike`             | 4       | one-hot: the figure hit by the strike to be answered now                   |
| `strikes_open`       | 4       | strikes not answered yet, by figure                                        |
| `strikes_taken`      | 4       | strikes taken, not blocked, by figure                                      |
| `moved`              | 3       | dwarves that the pending card has moved                                    |
| `wounds_to_place`    | (7)     | unary: wounds the dwarf player still has to place                          |
"""

from enum import IntEnum
from typing import Any

from drako_env.drako.rules import Rules
from drako_env.drako.state import MAX_HAND, NO_CARD, NOBODY, OFF_BOARD, Area, Figure, Phase, Symbol
from drako_env.engine.hexboard import hexes
from drako_env.engine.jit import jit


class Field(IntEnum):
    """The fields in their order."""

    SEAT = 0
    DECIDER = 1
    PHASE = 2
    OWN_TURN = 3
    ACTIONS_LEFT = 4
    ACTIONS_SPENT = 5
    DRAGON_HEX = 6
    FURY_HEX = 7
    ARCHER_HEX = 8
    NET_HEX = 9
    ARMOR_WOUNDS = 10
    FLIGHT_WOUNDS = 11
    MOVEMENT_WOUNDS = 12
    FIRE_WOUNDS = 13
    FURY_WOUNDS = 14
    ARCHER_WOUNDS = 15
    NET_WOUNDS = 16
    NETTED = 17
    FURY_USED = 18
    OWN_HAND = 19
    OWN_DECK = 20
    OWN_DISCARDS = 21
    OPPONENT_UNSEEN = 22
    OPPONENT_DISCARDS = 23
    OWN_HAND_SIZE = 24
    OPPONENT_HAND_SIZE = 25
    OWN_DECK_SIZE = 26
    OPPONENT_DECK_SIZE = 27
    PENDING_SYMBOL = 28
    PENDING_VALUE = 29
    STRIKE = 30
    STRIKES_OPEN = 31
    STRIKES_TAKEN = 32
    MOVED = 33
    WOUNDS_TO_PLACE = 34


MAX_ACTIONS_A_TURN = 3  # R10.1


def field_sizes(rules: Rules) -> list[int]:
    """The size of every field, in order."""
    cells = len(hexes(rules.radius))
    kinds = max(len(deck) for deck in rules.decks)
    cards = max(sum(card.copies for card in deck) for deck in rules.decks)
    value = max(value for deck in rules.decks for card in deck for _, value in card.options)
    turn = [2, 2, len(Phase), 1, MAX_ACTIONS_A_TURN + 1, MAX_ACTIONS_A_TURN + 1]
    figures = [cells] * len(Figure) + [*rules.dragon_spaces, *rules.dwarf_spaces, 1, 1]
    hidden = [kinds] * 5 + [MAX_HAND, MAX_HAND, cards, cards]
    pending = [Symbol.NET, value, 4, 4, 4, 3, sum(rules.dragon_spaces[Area.FLIGHT :])]
    return turn + figures + hidden + pending


@jit
def observe(t: Any, s: Any, seat: int, out: Any) -> None:
    """Write all that `seat` may know, and nothing else."""
    out[:] = 0
    observe_turn(t, s, seat, out)
    observe_figures(t, s, out)
    observe_cards(t, s, seat, out)
    if s["card"] != NO_CARD:
        observe_pending(t, s, out)


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
    """The board and the mats."""
    for figure in range(4):
        if s["hex"][figure] != OFF_BOARD:
            out[t["field"][Field.DRAGON_HEX + figure] + s["hex"][figure]] = 1
        unary(t, Field.ARMOR_WOUNDS + figure, s["dragon_wounds"][figure], out)
    for figure in range(Figure.FURY, Figure.NET + 1):
        unary(t, Field.FURY_WOUNDS + figure - 1, s["dwarf_wounds"][figure], out)
    out[t["field"][Field.NETTED]] = s["netted"]
    out[t["field"][Field.FURY_USED]] = s["fury_used"]


@jit
def observe_cards(t: Any, s: Any, seat: int, out: Any) -> None:
    """R12.2: one's own hand and deck apart, the opponent's only together."""
    other = 1 - seat
    for kind in range(t["num_kinds"][seat]):
        out[t["field"][Field.OWN_HAND] + kind] = s["hand"][seat, kind]
        out[t["field"][Field.OWN_DECK] + kind] = s["deck"][seat, kind]
        out[t["field"][Field.OWN_DISCARDS] + kind] = s["discards"][seat, kind]
    for kind in range(t["num_kinds"][other]):
        out[t["field"][Field.OPPONENT_UNSEEN] + kind] = s["hand"][other, kind] + s["deck"][other, kind]
        out[t["field"][Field.OPPONENT_DISCARDS] + kind] = s["discards"][other, kind]
    unary(t, Field.OWN_HAND_SIZE, s["hand_size"][seat], out)
    unary(t, Field.OPPONENT_HAND_SIZE, s["hand_size"][other], out)
    unary(t, Field.OWN_DECK_SIZE, s["deck_size"][seat], out)
    unary(t, Field.OPPONENT_DECK_SIZE, s["deck_size"][other], out)


@jit
def observe_pending(t: Any, s: Any, out: Any) -> None:
    """The card being resolved, its strikes, moves and wounds."""
    out[t["field"][Field.PENDING_SYMBOL] + s["symbol"]] = 1
    unary(t, Field.PENDING_VALUE, s["value"], out)
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
    unary(t, Field.WOUNDS_TO_PLACE, s["wounds"], out)


@jit
def unary(t: Any, field: int, count: int, out: Any) -> None:
    """The first `count` entries of a field become 1."""
    first = t["field"][field]
    for i in range(first, first + count):
        out[i] = 1
