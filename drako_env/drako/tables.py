"""A rules table as one read-only record, which every kernel receives: another table needs no recompilation."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drako_env.drako.actions import ABILITIES, ActionType, all_actions
from drako_env.drako.observe import Field, field_sizes
from drako_env.drako.rules import AREAS, DWARVES, Rules
from drako_env.drako.state import MAX_KINDS, Figure, Seat, Symbol
from drako_env.engine.hexboard import DIRECTIONS, MAX_HEXES, hex_index, hexes, mask, ray

MAX_ACTIONS = 21 + 7 * MAX_HEXES + 8 * MAX_KINDS  # fixed ones, place and move, play + discard + block of two decks
NONE = -1

TABLES = np.dtype(
    [
        # the board
        ("num_hexes", "i8"),
        ("centre", "i8"),
        ("board", "i8"),  # bit mask of all hexes
        ("neighbours", "i8", MAX_HEXES),
        ("rays", "i8", (MAX_HEXES, 6)),  # from a hex to the edge, by direction
        ("star", "i8", MAX_HEXES),  # all six rays
        ("direction", "i1", (MAX_HEXES, MAX_HEXES)),  # of the straight line between two hexes, or NONE
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
        # actions
        ("num_actions", "i8"),
        ("first_id", "i8", len(ActionType)),  # the first id of each type
        ("play_id", "i2", (2, MAX_KINDS, 2)),
        ("discard_id", "i2", (2, MAX_KINDS)),
        ("block_id", "i2", (2, MAX_KINDS)),  # NONE for a card without defense
        ("action_type", "i1", MAX_ACTIONS),
        ("action_what", "i8", (MAX_ACTIONS, 2)),  # card kind (by seat), Figure, count, direction or Area
        ("action_where", "i8", MAX_ACTIONS),  # hex, or a card's option
        # observation
        ("field", "i8", len(Field)),  # where each field starts
        ("field_size", "i8", len(Field)),
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
    t["fury_may_kill"] = rules.fury_may_kill
    _fill_actions(t, rules)
    sizes = field_sizes(rules)
    t["field_size"] = sizes
    t["field"] = np.cumsum([0, *sizes[:-1]])
    tables.flags.writeable = False
    return tables


def _fill_board(t: Any, radius: int) -> None:
    cells, index = hexes(radius), hex_index(radius)
    t["num_hexes"] = len(cells)
    t["centre"] = index[0, 0]
    t["board"] = mask(list(range(len(cells))))
    t["direction"] = NONE
    for i, cell in enumerate(cells):
        rays = [ray(radius, cell, direction) for direction in range(len(DIRECTIONS))]
        t["neighbours"][i] = mask([line[0] for line in rays if line])
        t["rays"][i] = [mask(line) for line in rays]
        t["star"][i] = mask([j for line in rays for j in line])
        for direction, line in enumerate(rays):
            t["direction"][i, line] = direction
    q, r = radius // 2, radius - radius // 2  # R4.3, then turned by 120 and 240 degrees
    t["first_game"] = [index[0, 0], index[q, r], index[-q - r, q], index[r, -q - r]]


def _fill_actions(t: Any, rules: Rules) -> None:
    actions, index = all_actions(rules), hex_index(rules.radius)
    types = [ActionType[action["type"].upper()] for action in actions]
    t["num_actions"] = len(actions)
    t["first_id"] = [types.index(kind) for kind in ActionType]
    for name in ("play_id", "discard_id", "block_id"):
        t[name] = NONE
    t["action_type"][: len(actions)] = types
    t["action_what"][: len(actions)] = [[_what(action)] * 2 for action in actions]
    t["action_where"][: len(actions)] = [index[tuple(a["hex"])] if "hex" in a else NONE for a in actions]
    for i, action in enumerate(actions):
        if "card" in action:
            _fill_card_action(t, rules, i, action)


def _what(action: dict[str, Any]) -> int:
    """The argument of an action as a number (of a card action see `_fill_card_action`)."""
    if figure := action.get("figure") or action.get("dwarf"):
        return Figure[figure.upper()]
    if "area" in action:
        return AREAS.index(action["area"])
    return int(action.get("count", action.get("direction", NONE)))


def _fill_card_action(t: Any, rules: Rules, i: int, action: dict[str, Any]) -> None:
    """Both ways between an action on a card and the card's kind in each deck."""
    for seat in Seat:
        for kind, card in enumerate(rules.decks[seat]):
            symbols = [symbol for symbol, _ in card.options]
            if card.name != action["card"] or action.get("symbol", symbols[0]) not in symbols:
                continue
            t["action_what"][i, seat] = kind
            if action["type"] == "play":
                option = symbols.index(action["symbol"])
                t["action_where"][i] = option
                t["play_id"][seat, kind, option] = i
            elif action["type"] == "discard":
                t["discard_id"][seat, kind] = i
            elif "defense" in symbols:
                t["block_id"][seat, kind] = i


assert AREAS[1:] == ABILITIES
assert [figure.name.lower() for figure in Figure] == ["dragon", *DWARVES]
