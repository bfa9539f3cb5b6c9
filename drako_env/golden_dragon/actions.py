"""The action space: one flat list for all seats."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from drako_env.golden_dragon.rules import NUM_WINDS, Rules

SIDES = ("left", "right")


class FirstId(IntEnum):
    """The first id of every type of action; those of one type are consecutive. For storm and veto the first means no,
    the second yes."""

    STONE = 0
    SIDE = NUM_WINDS
    STORM = NUM_WINDS + 2
    VETO = NUM_WINDS + 4
    PLACE = NUM_WINDS + 6


def all_actions(rules: Rules) -> list[dict[str, Any]]:
    """Every action in id order, as a dictionary."""
    return [
        *({"type": "stone", "wind": wind} for wind, _, _ in rules.board.winds),
        *({"type": "side", "side": side} for side in SIDES),
        *({"type": "storm", "use": use} for use in (False, True)),
        *({"type": "veto", "use": use} for use in (False, True)),
        *({"type": "place", "dragon": dragon} for dragon in range(rules.num_players)),
    ]


def action_text(action: Mapping[str, Any], terms: Mapping[str, str]) -> str:
    """An action in plain words."""
    kind = action["type"]
    if kind in ("storm", "veto"):
        card = terms["storm"] if kind == "storm" else "lightning"
        return f"play a {card} card" if action["use"] else f"play no {card} card"
    if kind == "place":
        return f"move the {terms['figure']} of player {action['dragon']}"
    return f"the {action['wind']} stone" if kind == "stone" else f"start on the {action['side']}"
