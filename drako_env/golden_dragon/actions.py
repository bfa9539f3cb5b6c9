"""The action space: one flat list for all seats."""

from enum import IntEnum
from typing import Any

from drako_env.golden_dragon.rules import NUM_WINDS, Rules

SIDES = ("left", "right")


class ActionType(IntEnum):
    """The types of actions; the ids of one type are consecutive and the types follow in this order."""

    STONE = 0
    SIDE = 1
    STORM = 2
    VETO = 3
    PLACE = 4


FIRST_ID = (0, NUM_WINDS, NUM_WINDS + 2, NUM_WINDS + 4, NUM_WINDS + 6)
"""Of each type. For storm and veto the first means no, the second yes."""


def all_actions(rules: Rules) -> list[dict[str, Any]]:
    """Every action in id order, as a dictionary."""
    return [
        *({"type": "stone", "wind": wind} for wind, _, _ in rules.board.winds),
        *({"type": "side", "side": side} for side in SIDES),
        *({"type": "storm", "use": use} for use in (False, True)),
        *({"type": "veto", "use": use} for use in (False, True)),
        *({"type": "place", "dragon": dragon} for dragon in range(rules.num_players)),
    ]
