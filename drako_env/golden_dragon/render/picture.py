"""A scene drawn as SVG. Nothing but the scene is looked at: what a seat may not see never gets here.

On top the question, below it the board, and beside it every player's stones and cards. What a page may react to is
marked: `data-dragon`, `data-cell`, `data-wind`, `data-side`; `data-part` is the question, which a page asks itself.
"""

from collections.abc import Mapping
from math import atan2, degrees
from typing import Any

from drako_env.render.svg import (
    Box,
    Point,
    circle,
    document,
    fitting,
    group,
    hint,
    line,
    part,
    path,
    polygon,
    rectangle,
    text,
    text_block,
)

Scene = Mapping[str, Any]

WIDTH = 760
QUESTION = Box(12, 12, 736, 64)
BOARD = Box(12, 84, 404, 404)
PLAYERS = Box(424, 84, 324, 404)
STONES = Box(12, 496, 736, 60)
HEIGHT = 568
GAP = 6
STONE = 13.0
UNSEEN = "?"

INK, QUIET, FAINT = "#2a241d", "#6a5f50", "#a39782"
TABLE, PANEL, CELL, EDGE = "#f6f1e6", "#fffdf8", "#efe6d2", "#cbbfa8"
STONE_FILL, STONE_BACK, GOLD, LAVA, GLOW = "#ded6c6", "#8b8172", "#e0a526", "#b5432a", "#d98c00"
SEATS = ("#b5432a", "#2f6f8f", "#4e7d4b", "#7a5aa0", "#b3771a")


def picture(scene: Scene) -> str:
    """The whole picture; always of the same size."""
    return document(
        WIDTH,
        HEIGHT,
        f"Move {scene['single_moves']}. {_sentence(scene['question'])}",
        rectangle(Box(0, 0, WIDTH, HEIGHT), fill=TABLE),
        part(QUESTION, _question(scene)),
        *_board(scene),
        *(part(box, _player(scene, player, box)) for player, box in enumerate(_player_boxes(len(scene["holders"])))),
        part(STONES, _stones(scene)),
    )


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:]


def _question(scene: Scene) -> str:
    """Whose decision it is, and what for."""
    seat = scene["winner"] if scene["agent"] is None else scene["agent"]
    size, lines = fitting(_sentence(scene["question"]), (20, 18, 16, 14), QUESTION.width - 80, 2)
    colour = QUIET if seat is None else SEATS[seat]
    mark = "" if seat is None else _figure(scene, seat, (QUESTION.x + 34, QUESTION.centre[1]), 20)
    return group(
        rectangle(QUESTION, 10, fill=PANEL, stroke=colour, stroke_width=2),
        mark,
        text_block(QUESTION.x + 70, QUESTION.centre[1], lines, size, fill=INK),
        data_part="question",
    )


# The board


def _board(scene: Scene) -> list[str]:
    """Cells, what may not be entered, the goal, the starts to choose from, the figures and the announced move, each a
    part of the picture."""
    at, size = _places(scene)
    cells = [_cell(scene, tuple(cell), at(cell), size) for cell in scene["board"]["cells"]]
    clouds = [_special(scene, "taboo", at(cell), size) for cell in scene["board"]["taboo"]]
    figures = [
        part(
            _around(at(cell), size * 0.6),
            _figure(scene, player, at(cell), size * 0.4, barred=player in scene["barred"], mark=str(player)),
        )
        for player, cell in enumerate(scene["positions"])
        if cell is not None
    ]
    announced = _announced(scene, at, size)
    ground = part(BOARD, rectangle(BOARD, 10, fill=PANEL, stroke=EDGE), *cells, *clouds)
    return [ground, *([part(BOARD, announced)] if announced else []), *figures]


def _around(middle: Point, radius: float) -> Box:
    return Box(middle[0] - radius, middle[1] - radius, 2 * radius, 2 * radius)


def _places(scene: Scene) -> tuple[Any, float]:
    """Where the middle of a cell lies in the picture, and how large a cell is."""
    every = [*scene["board"]["cells"], *scene["board"]["taboo"]]
    rows, columns = 1 + max(row for row, _ in every), 1 + max(column for _, column in every)
    size = min(BOARD.width / columns, BOARD.height / rows) * 0.97
    left, top = BOARD.centre[0] - columns * size / 2, BOARD.centre[1] - rows * size / 2
    return lambda cell: (left + (cell[1] + 0.5) * size, top + (cell[0] + 0.5) * size), size


def _cell(scene: Scene, cell: Any, at: Point, size: float) -> str:
    """A free cell; the goal, and the starts that the fifth player chooses from, look different."""
    box = Box(at[0] - size * 0.46, at[1] - size * 0.46, size * 0.92, size * 0.92)
    name = f"{cell[0]},{cell[1]}"
    if list(cell) == scene["board"]["goal"]:
        ground = rectangle(box, 5, fill="#fbeecb", stroke=GOLD, stroke_width=2, data_cell=name)
        return ground + _special(scene, "goal", at, size)
    label = scene["board"]["rows"][cell[0]][cell[1]]
    if label == "5" and scene["phase"] == "setup_side":
        side = "right" if list(cell) == scene["board"]["starts"][-1] else "left"
        mark = text(at[0], at[1] + size * 0.16, side, size * 0.3, fill=INK, text_anchor="middle")
        return group(rectangle(box, 5, fill=CELL, stroke=GLOW, stroke_width=2), mark, data_side=side)
    mark = text(at[0], at[1] + size * 0.13, label, size * 0.36, fill=FAINT, text_anchor="middle")
    return rectangle(box, 5, fill=CELL, stroke=EDGE, data_cell=name) + (mark if label.isdecimal() else "")


def _special(scene: Scene, what: str, at: Point, size: float) -> str:
    """The goal, or a cell that nobody may enter, as the game has it."""
    name = scene["terms"][what]
    return group(hint(name), DRAWINGS[name](), at=at, scale=size / 40)


def _volcano(rim: str, inside: str) -> str:
    """Forty wide."""
    mountain = path("M-17 15 L-6 -9 Q0 -5 6 -9 L17 15 Z", fill="#6d4c3d")
    crater = path("M-6 -9 Q0 -5 6 -9 L9 -3 Q4 4 1 0 Q-2 8 -5 1 L-9 -3 Z", fill=inside)
    return mountain + crater + circle((0, -13), 3.2, fill=rim, fill_opacity=0.8)


def _cloud() -> str:
    """Forty wide."""
    puffs = ((-8, 3, 8), (8, 3, 8), (0, -3, 10))
    return "".join(circle((x, y), r, fill="#9fb0bd") for x, y, r in puffs) + rectangle(
        Box(-14, 3, 28, 8), 4, fill="#9fb0bd"
    )


def _sun() -> str:
    """Forty wide."""
    rays = "".join(group(line((0, -12), (0, -17), stroke=GOLD, stroke_width=3), turn=45 * i) for i in range(8))
    return rays + circle((0, 0), 9.5, fill=GOLD)


DRAWINGS = {
    "red volcano": lambda: _volcano("#d9694f", LAVA),
    "golden volcano": lambda: _volcano("#f2cf73", GOLD),
    "cloud": _cloud,
    "sun": _sun,
}


def _announced(scene: Scene, at: Any, size: float) -> str:
    """The move that may be forbidden: from where to where."""
    if scene["announced"] is None:
        return ""
    row, column = scene["positions"][scene["announced"]]
    down, right = scene["board"]["winds"][scene["hand"]]
    target = at((row + down, column + right))
    ring = circle(target, size * 0.36, fill="none", stroke=GLOW, stroke_width=3, stroke_dasharray="5 4")
    return line(at((row, column)), target, stroke=GLOW, stroke_width=4) + ring


def _figure(scene: Scene, player: int, at: Point, radius: float, barred: bool = False, mark: str | None = None) -> str:
    """A winged figure in its player's colour, with its number; under lightning if it is barred."""
    wings = path("M-4 2 Q-22 -20 -25 2 Q-17 -3 -12 6 Z M4 2 Q22 -20 25 2 Q17 -3 12 6 Z", fill=SEATS[player])
    body = circle((0, 2), 13, fill=SEATS[player], stroke="#ffffff", stroke_width=2)
    digit = text(0, 8, str(player), 17, fill="#ffffff", text_anchor="middle", font_weight="bold")
    bolt = group(_bolt(), at=(15, -14), scale=0.9) if barred else ""
    name = hint(f"{scene['terms']['figure']} of player {player}")
    return group(name, wings, body, digit, bolt, at=at, scale=radius / 20, data_dragon=mark)


# The players


def _player_boxes(players: int) -> list[Box]:
    height = min(104.0, (PLAYERS.height - GAP * (players - 1)) / players)
    return [Box(PLAYERS.x, PLAYERS.y + (height + GAP) * i, PLAYERS.width, height) for i in range(players)]


def _player(scene: Scene, player: int, box: Box) -> str:
    """The stone below the figure, the holder from the next stone on, the cards."""
    active = player == scene["active"]
    frame = rectangle(box, 8, fill=PANEL, stroke=SEATS[player] if active else EDGE, stroke_width=3 if active else 1)
    title = f"player {player}" + (" (you)" if player == scene["viewer"] else "")
    upper, lower = box.y + 19, box.y + box.height - 31
    parts = [frame, _figure(scene, player, (box.x + 27, upper - 3), 14)]
    parts.append(text(box.x + 52, upper + 2, title, 14, fill=INK, font_weight="bold"))
    parts.append(_cards(scene, player, box.right - 12, upper - 4))
    under = scene["under"][player]
    parts.append(text(box.x + 12, lower + 5, "on", 12, fill=QUIET))
    if under is not None:
        parts.append(_stone(scene, under, (box.x + 46, lower)))
    parts.append(text(box.x + 84, lower + 5, "next", 12, fill=QUIET))
    for place, wind in enumerate(scene["holders"][player]):
        parts.append(_stone(scene, wind, (box.x + 136 + place * 37, lower)))
    if scene["unseen"][player] and box.height > 84:
        words = f"hidden: {' '.join(scene['unseen'][player])}"
        parts.append(text(box.x + 52, upper + 20, words, 12, fill=QUIET))
    return group(*parts)


def _cards(scene: Scene, player: int, right: float, y: float) -> str:
    """Storm and lightning cards that are left."""
    cards = ["storm"] * scene["storms"][player] + ["bolt"] * scene["bolts"][player]
    names = {"storm": f"{scene['terms']['storm']} card", "bolt": "lightning card"}
    drawn = []
    for i, card in enumerate(reversed(cards)):
        box = Box(right - 22 - 25 * i, y - 13, 22, 28)
        symbol = CARDS[names[card]]()
        ground = rectangle(box, 3, fill="#f3ead6", stroke=EDGE)
        drawn.append(group(hint(names[card]), ground, group(symbol, at=box.centre, scale=0.62)))
    return group(*drawn)


def _bolt() -> str:
    """Lightning, about twenty high."""
    return polygon([(2, -11), (-6, 2), (-1, 2), (-3, 11), (6, -3), (1, -3)], fill=GLOW, stroke=INK, stroke_width=0.8)


def _gust() -> str:
    """A gust of wind, about twenty wide."""
    curls = "M-9 -4 H3 A3.5 3.5 0 1 0 0 -8 M-9 1 H8 M-9 6 H2 A3 3 0 1 1 -1 9"
    return path(curls, fill="none", stroke="#2f6f8f", stroke_width=2, stroke_linecap="round")


CARDS = {"lightning card": _bolt, "storm card": _gust, "sun card": _sun}


def _stone(scene: Scene, wind: str, at: Point, scale: float = 1.0, mark: str | None = None) -> str:
    """A wind stone: an arrow and the wind's name; a face-down one shows nothing."""
    if wind == UNSEEN:
        back = circle((0, 0), STONE, fill=STONE_BACK)
        return group(
            hint("a stone not seen yet"), back, text(0, 5, UNSEEN, 14, fill="#ffffff", text_anchor="middle"), at=at
        )
    down, right = scene["board"]["winds"][wind]
    arrow = path("M-7 0 H5 M1 -4.5 L6.5 0 L1 4.5", fill="none", stroke=INK, stroke_width=2, stroke_linecap="round")
    face = circle((0, 0), STONE, fill=STONE_FILL, stroke=QUIET)
    name = text(0, 24, wind, 9.5, fill=QUIET, text_anchor="middle")
    turned = group(arrow, turn=degrees(atan2(down, right)))
    return group(hint(f"{wind} stone"), face, turned, name, at=at, scale=scale, data_wind=mark)


# What is in hand or to be chosen


def _stones(scene: Scene) -> str:
    """The stone in hand, or the own stones that are left to choose from while the game is set up."""
    words, winds = "no stone in hand", []
    if scene["hand"] is not None:
        words, winds = "stone in hand", [scene["hand"]]
    elif scene["choices"]:
        words, winds = "stones to choose from", list(scene["choices"])
    middle = STONES.centre[1]
    shown = [_stone(scene, wind, (STONES.x + 230 + 52 * i, middle - 5), 1.2, wind) for i, wind in enumerate(winds)]
    if scene["barred"]:
        players = " and ".join(map(str, scene["barred"]))
        shown.append(text(STONES.x + 290, middle + 5, f"not for player {players}: lightning", 14, fill=INK))
    return group(
        rectangle(STONES, 8, fill=PANEL, stroke=EDGE), text(STONES.x + 16, middle + 5, words, 15, fill=INK), *shown
    )
