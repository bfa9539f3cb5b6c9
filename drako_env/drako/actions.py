"""The action space: one flat list for both seats. Playing a card and choosing its target are two decisions."""

from enum import IntEnum
from typing import Any

from drako_env.drako.rules import DWARVES, Rules
from drako_env.engine.hexboard import DIRECTIONS, hexes

ABILITIES = ("flight", "movement", "fire")  # the areas that wounds are placed on by choice (R9.2)


class ActionType(IntEnum):
    """The types of actions; the ids of one type are consecutive and the types follow in this order."""

    KEEP = 0
    EXCHANGE = 1
    DRAW = 2
    FURY = 3
    ESCAPE_NET = 4
    STOP = 5
    TAKE = 6
    ATTACKERS = 7
    TARGET = 8
    DIRECTION = 9
    WOUND = 10
    PLACE = 11
    MOVE = 12
    PLAY = 13
    DISCARD = 14
    BLOCK = 15


def all_actions(rules: Rules) -> list[dict[str, Any]]:
    """Every action in id order, as a dictionary. A card name that both decks have is one `discard`, one `block`."""
    cells = [list(cell) for cell in hexes(rules.radius)]
    cards = [card for deck in rules.decks for card in deck]
    names = list(dict.fromkeys(card.name for card in cards))
    shields = list(dict.fromkeys(card.name for card in cards if ("defense", 0) in card.options))
    plays = [(card.name, symbol) for card in cards for symbol, _ in card.options if symbol != "defense"]
    return [
        *({"type": kind} for kind in ("keep", "exchange", "draw", "fury", "escape_net", "stop", "take")),
        *({"type": "attackers", "count": count} for count in (1, 2)),
        *({"type": "target", "dwarf": dwarf} for dwarf in DWARVES),
        *({"type": "direction", "direction": direction} for direction in range(len(DIRECTIONS))),
        *({"type": "wound", "area": area} for area in ABILITIES),
        *({"type": "place", "dwarf": dwarf, "hex": cell} for dwarf in DWARVES for cell in cells),
        *({"type": "move", "figure": figure, "hex": cell} for figure in ("dragon", *DWARVES) for cell in cells),
        *({"type": "play", "card": name, "symbol": symbol} for name, symbol in plays),
        *({"type": "discard", "card": name} for name in names),
        *({"type": "block", "card": name} for name in shields),
    ]


def action_text(action: dict[str, Any]) -> str:
    """An action in plain words."""
    words = dict(action)
    if "hex" in words:
        words["hex"] = "({},{})".format(*words["hex"])
    if "count" in words:
        words["count"] = ("once", "twice")[words["count"] - 1]
    return PHRASES[action["type"]].format(**words)


PHRASES = {
    "keep": "keep the hand",
    "exchange": "exchange the hand",
    "draw": "draw",
    "fury": "declare fury",
    "escape_net": "escape the net",
    "stop": "stop",
    "take": "take the strike",
    "attackers": "strike {count}",
    "target": "attack {dwarf}",
    "direction": "breathe in direction {direction}",
    "wound": "wound {area}",
    "place": "place {dwarf} on {hex}",
    "move": "move {figure} to {hex}",
    "play": "play {card} as {symbol}",
    "discard": "discard {card}",
    "block": "block with {card}",
}
