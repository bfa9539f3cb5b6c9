"""A scene drawn in characters."""

from collections.abc import Mapping
from typing import Any

from drako_env.drako.dicts import SIDES
from drako_env.drako.render.scene import MARKS, NAMES
from drako_env.engine.hexboard import hexes

CELL = 4


def text(scene: Mapping[str, Any]) -> str:
    """Board, mats, cards, and what is to be decided."""
    turn = f"Turn {scene['turn']} ({scene['turn_agent']})   {scene['question']}"
    board, mats = _board(scene), _mats(scene)
    width = max(map(len, board)) + CELL
    height = max(len(board), len(mats))
    rows = [
        f"{left:<{width}}{right}".rstrip()
        for left, right in zip(board + [""] * (height - len(board)), [""] * (height - len(mats)) + mats, strict=True)
    ]
    return "\n".join([turn, "", *rows, "", *_cards(scene)]) + "\n"


def _board(scene: Mapping[str, Any]) -> list[str]:
    """One line a row of hexes, shifted by half a cell from row to row."""
    places = {tuple(scene["dragon"]["hex"]): "dragon"}
    places |= {tuple(d["hex"]): name for name, d in scene["dwarves"].items() if d["hex"] is not None}
    radius = scene["radius"]
    lines = []
    for r in range(-radius, radius + 1):
        row = [cell for cell in hexes(radius) if cell[1] == r]
        marks = [MARKS[places[cell]] if cell in places else "." for cell in row]
        lines.append(" " * (abs(r) * CELL // 2) + (" " * (CELL - 1)).join(marks))
    return lines


def _mats(scene: Mapping[str, Any]) -> list[str]:
    """Wound spaces, filled and free. The dragon's take two lines: eighty columns are enough beside every board."""
    dragon, spaces = scene["dragon"], scene["spaces"]
    areas = [f"{area} {_gauge(dragon['wounds'][area], free)}" for area, free in spaces["dragon"].items()]
    lines = [f"{'D dragon':<18}{'  '.join(areas[:2])}{'  NETTED' if dragon['netted'] else ''}"]
    lines.append(f"{'':<18}{'  '.join(areas[2:])}")
    for name, dwarf in scene["dwarves"].items():
        gauge = _gauge(dwarf["wounds"], spaces["dwarves"][name])
        dead = dwarf["wounds"] == spaces["dwarves"][name]
        notes = "  dead" if dead else "  fury used" if name == "fury" and scene["fury_used"] else ""
        lines.append(f"{MARKS[name]} {NAMES[name]:<15} {gauge}{notes}")
    return lines


def _gauge(wounds: int, spaces: int) -> str:
    return "x" * wounds + "o" * (spaces - wounds)


def _cards(scene: Mapping[str, Any]) -> list[str]:
    lines = []
    for side in SIDES:
        sizes = f"hand {scene['hand_sizes'][side]}, deck {scene['deck_sizes'][side]}"
        sizes += ", hand exchanged" if scene["exchanged"][side] else ""
        lines.append(f"{side:<8} {sizes}; discards: {_list(scene['discards'][side])}")
    for side, hand in scene["hands"].items():
        if hand is not None:
            whose = f"your hand ({side})" if side == scene["viewer"] else f"hand of the {side}"
            lines.append(f"{whose}: {_list(hand)}")
    return lines


def _list(cards: Mapping[str, int]) -> str:
    return ", ".join(name if n == 1 else f"{n} {name}" for name, n in cards.items()) or "none"
