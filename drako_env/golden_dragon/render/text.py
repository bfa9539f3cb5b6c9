"""A scene drawn in characters."""

from collections.abc import Mapping
from typing import Any

MARGIN = "   "


def text(scene: Mapping[str, Any]) -> str:
    """Board, players, and what is to be decided."""
    board, players = _board(scene), _players(scene)
    width = max(map(len, board)) + len(MARGIN)
    height = max(len(board), len(players))
    rows = [
        f"{left:<{width}}{right}".rstrip()
        for left, right in zip(_padded(board, height), _padded(players, height), strict=True)
    ]
    return "\n".join([f"Move {scene['single_moves']}   {scene['question']}", "", *rows]) + "\n"


def _padded(lines: list[str], height: int) -> list[str]:
    return lines + [""] * (height - len(lines))


def _board(scene: Mapping[str, Any]) -> list[str]:
    """One line a row, north on top: digits are the figures, `x` may not be entered, `*` is the goal."""
    marks = {tuple(cell): "." for cell in scene["board"]["cells"]}
    marks |= {tuple(cell): "x" for cell in scene["board"]["taboo"]} | {tuple(scene["board"]["goal"]): "*"}
    marks |= {tuple(cell): str(player) for player, cell in enumerate(scene["positions"]) if cell is not None}
    height = 1 + max(row for row, _ in marks)
    width = 1 + max(column for _, column in marks)
    return [" ".join(marks.get((row, column), " ") for column in range(width)) for row in range(height)]


def _players(scene: Mapping[str, Any]) -> list[str]:
    """Stones and cards, player by player; the next stone out stands first."""
    terms, lines = scene["terms"], []
    for player, stones in enumerate(scene["holders"]):
        turn = ">" if player == scene["active"] else " "
        name = f"player {player}" + (" (you)" if player == scene["viewer"] else "")
        hidden = f"; hidden: {' '.join(scene['unseen'][player])}" if scene["unseen"][player] else ""
        lines.append(f"{turn} {name:<15} on {scene['under'][player] or '-':<3} holder: {' '.join(stones) or '-'}")
        cards = f"cards: {terms['storm']} {scene['storms'][player]}, lightning {scene['bolts'][player]}"
        lines.append(f"  {cards}{hidden}")
    if scene["hand"] is not None:
        barred = f", not for {' '.join(map(str, scene['barred']))}" if scene["barred"] else ""
        lines += ["", f"  stone in hand: {scene['hand']}{barred}"]
    return lines
