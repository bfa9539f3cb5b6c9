"""The twelve ways to turn and mirror the board: the rules know no north."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from drako_env.engine.hexboard import DIRECTIONS, Hex, hex_index, hexes
from drako_env.engine.symmetry import Symmetries

HEX_FIELDS = ("dragon_hex", "fury_hex", "archer_hex", "net_hex")


def symmetries(radius: int, fields: Mapping[str, slice], actions: Sequence[Mapping[str, Any]]) -> Symmetries:
    """All of them, the identity first."""
    width = max(field.stop for field in fields.values())
    ids = {_key(action): i for i, action in enumerate(actions)}
    observations, turned_actions = [], []
    for way in range(12):
        observation, index = np.arange(width), hex_index(radius)
        for name in HEX_FIELDS:
            for i, cell in enumerate(hexes(radius)):
                observation[fields[name].start + index[turn(cell, way)]] = fields[name].start + i
        observations.append(observation)
        turned = np.empty(len(actions), np.int64)
        for i, action in enumerate(actions):
            turned[ids[_key(_turn_action(action, way))]] = i
        turned_actions.append(turned)
    return Symmetries(np.array(observations), np.array(turned_actions))


def turn(cell: Hex, way: int) -> Hex:
    """Where a hex (or a direction) comes to lie: `way % 6` turns of 60 degrees, mirrored before from 6 on."""
    q, r = (cell[1], cell[0]) if way >= 6 else cell
    for _ in range(way % 6):
        q, r = -r, q + r
    return q, r


def _turn_action(action: Mapping[str, Any], way: int) -> dict[str, Any]:
    turned = dict(action)
    if "hex" in turned:
        turned["hex"] = list(turn(tuple(turned["hex"]), way))
    if "direction" in turned:
        turned["direction"] = DIRECTIONS.index(turn(DIRECTIONS[turned["direction"]], way))
    return turned


def _key(action: Mapping[str, Any]) -> str:
    return repr(sorted(action.items()))
