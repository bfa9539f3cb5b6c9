"""A rules table as one read-only record, which every kernel receives: another table needs no recompilation."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drako_env.drako.actions import ABILITIES, ActionType, all_actions
from drako_env.drako.observe import Field, field_sizes
from drako_env.drako.rules import AREAS, DWARVES, Card, Rules
from drako_env.drako.state import MAX_DECK, MAX_KINDS, Figure, Symbol
from drako_env.engine.hexboard import DIRECTIONS, MAX_HEXES, distance, hex_index, hexes, mask, ray

MAX_ACTIONS = 21 + 7 * MAX_HEXES + 8 * MAX_KINDS  # fixed ones, place and move, play + discard + block of two decks
NONE = -1
NOT_IN_LINE = -1  # all bits

TABLES = np.dtype(
    [
        # the board
        ("num_hexes", "i8"),
        ("centre", "i8"),
        ("board", "i8"),  # bit mask of all hexes
        ("neighbours", "i8", MAX_HEXES),
        ("rays", "i8", (MAX_HEXES, 6)),  # from a hex to the edge, by direction
        ("star", "i8", MAX_HEXES),  # all six rays
        (
            "between",
            "i8",
            (MAX_HEXES, MAX_HEXES),
        ),  # the hexes between two in a straight line; every hex if they are not
        ("distance", "i8", (MAX_HEXES, MAX_HEXES)),  # in steps on an empty board
        ("first_game", "i8", 4),  # R4.3: the fixed hexes by Figure
        # cards, by seat and kind
        ("num_kinds", "i8", 2),
        ("copies", "i1", (2, MAX_KINDS)),
        ("deck_size", "i8", 2),
        ("symbol", "i8", (2, MAX_KINDS, 2)),  # of each option, or NONE
        ("value", "i1", (2, MAX_KINDS, 2)),
        # mats
        ("dragon_spaces", "i1", 4),
        ("dwarf_spaces", "i1", 4),
        # options
        ("exchange", "i1"),
        ("free_placement", "i1"),
        ("discard_always", "i1"),
        ("fury_any_time", "i1"),
        ("fury_may_kill", "i1"),
        ("start_hand", "i8"),
        ("hand_limit", "i8"),
        ("cards_per_draw", "i8"),
        # actions
        ("num_actions", "i8"),
        ("first_id", "i8", len(ActionType)),  # the first id of each type
        ("num_plays", "i8", 2),  # of each seat's deck; a play is a card with one of its options
        ("play_id", "i8", 2),  # the first play; the others follow
        ("play_card", "i8", (2, 2 * MAX_KINDS)),
        ("play_symbol", "i8", (2, 2 * MAX_KINDS)),
        ("discard_id", "i8", (2, MAX_KINDS)),
        ("num_shields", "i8", 2),  # cards with a defense symbol
        ("shield_card", "i8", (2, MAX_KINDS)),
        ("block_id", "i8", (2, MAX_KINDS)),  # by place among the shields
        ("action_type", "i1", MAX_ACTIONS),
        ("action_what", "i8", (MAX_ACTIONS, 2)),  # card kind (by seat), Figure, count, direction or Area
        ("action_where", "i8", MAX_ACTIONS),  # hex, or a card's option
        # observation
        ("field", "i8", len(Field)),  # where each field starts
        ("field_size", "i8", len(Field)),
        ("ramp", "i1", 2 * MAX_DECK),  # ones, then zeros
        ("spread", "i1", 8 * 256),  # the bits of a byte as eight bytes, lowest first
    ],
    align=True,
)


def build_tables(rules: Rules) -> NDArray[np.void]:
    """The record of `rules`, in an array of length one, as the kernels take it."""
    tables = np.zeros(1, TABLES)
    t = tables[0]
    _fill_board(t, rules.radius)
    for seat, deck in enumerate(rules.decks):
        t["num_kinds"][seat] = len(deck)
        t["deck_size"][seat] = sum(card.copies for card in deck)
        t["symbol"][seat] = NONE
        for kind, card in enumerate(deck):
            t["copies"][seat, kind] = card.copies
            for option, (symbol, value) in enumerate(card.options):
                t["symbol"][seat, kind, option] = Symbol[symbol.upper()]
                t["value"][seat, kind, option] = value
    t["dragon_spaces"] = rules.dragon_spaces
    t["dwarf_spaces"] = (0, *rules.dwarf_spaces)
    t["exchange"] = rules.exchange
    t["free_placement"] = rules.placement == "free"
    t["discard_always"] = rules.discard_action == "always"
    t["fury_any_time"] = rules.fury_timing == "any"
    for name in ("fury_may_kill", "start_hand", "hand_limit", "cards_per_draw"):
        t[name] = getattr(rules, name)
    _fill_actions(t, rules)
    sizes = field_sizes(rules)
    t["field_size"] = sizes
    t["field"] = np.cumsum([0, *sizes[:-1]])
    t["ramp"][:MAX_DECK] = 1
    t["spread"] = np.unpackbits(np.arange(256, dtype=np.uint8), bitorder="little")
    tables.flags.writeable = False
    return tables


def _fill_board(t: Any, radius: int) -> None:
    cells, index = hexes(radius), hex_index(radius)
    t["num_hexes"] = len(cells)
    t["centre"] = index[0, 0]
    t["board"] = mask(list(range(len(cells))))
    t["between"] = NOT_IN_LINE
    for i, cell in enumerate(cells):
        rays = [ray(radius, cell, direction) for direction in range(len(DIRECTIONS))]
        t["distance"][i, : len(cells)] = [distance(cell, other) for other in cells]
        t["neighbours"][i] = mask([line[0] for line in rays if line])
        t["rays"][i] = [mask(line) for line in rays]
        t["star"][i] = mask([j for line in rays for j in line])
        for line in rays:
            for steps, j in enumerate(line):
                t["between"][i, j] = mask(line[:steps])
    q, r = radius // 2, radius - radius // 2  # R4.3, then turned by 120 and 240 degrees
    t["first_game"] = [index[0, 0], index[q, r], index[-q - r, q], index[r, -q - r]]


def _fill_actions(t: Any, rules: Rules) -> None:
    actions, index = all_actions(rules), hex_index(rules.radius)
    types = [ActionType[action["type"].upper()] for action in actions]
    t["num_actions"] = len(actions)
    t["first_id"] = [types.index(kind) if kind in types else NONE for kind in ActionType]
    t["action_type"][: len(actions)] = types
    t["action_what"][: len(actions)] = [[_what(action)] * 2 for action in actions]
    t["action_where"][: len(actions)] = [index[tuple(a["hex"])] if "hex" in a else NONE for a in actions]
    t["play_id"] = t["first_id"][ActionType.PLAY]
    for seat, deck in enumerate(rules.decks):
        _fill_card_actions(t, actions, seat, deck)


def _what(action: dict[str, Any]) -> int:
    """The argument of an action as a number (of a card action see `_fill_card_actions`)."""
    if figure := action.get("figure") or action.get("dwarf"):
        return Figure[figure.upper()]
    if "area" in action:
        return AREAS.index(action["area"])
    return int(action.get("count", action.get("direction", NONE)))


def _fill_card_actions(t: Any, actions: list[dict[str, Any]], seat: int, deck: tuple[Card, ...]) -> None:
    """Both ways between an action on a card and the card's kind in a seat's deck."""
    plays = [(kind, option) for kind, card in enumerate(deck) for option in range(len(card.options))]
    plays = [(kind, option) for kind, option in plays if deck[kind].options[option][0] != "defense"]
    t["num_plays"][seat] = len(plays)
    for i, (kind, option) in enumerate(plays):
        symbol = deck[kind].options[option][0]
        action = actions.index({"type": "play", "card": deck[kind].name, "symbol": symbol})
        t["play_id"][seat] = action - i
        t["play_card"][seat, i] = t["action_what"][action, seat] = kind
        t["play_symbol"][seat, i] = Symbol[symbol.upper()]
        t["action_where"][action] = option
    for kind, card in enumerate(deck):
        action = actions.index({"type": "discard", "card": card.name})
        t["discard_id"][seat, kind] = action
        t["action_what"][action, seat] = kind
    shields = [kind for kind, card in enumerate(deck) if ("defense", 0) in card.options]
    t["num_shields"][seat] = len(shields)
    for i, kind in enumerate(shields):
        action = actions.index({"type": "block", "card": deck[kind].name})
        t["block_id"][seat, i] = action
        t["shield_card"][seat, i] = t["action_what"][action, seat] = kind


assert AREAS[1:] == ABILITIES
assert [figure.name.lower() for figure in Figure] == ["dragon", *DWARVES]
