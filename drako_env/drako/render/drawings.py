"""The drawings of the picture: figures and symbols, each around the origin in a square of side 100."""

import math
from collections.abc import Callable
from enum import StrEnum
from functools import cache

from drako_env.render.svg import Attributes, Box, Point, circle, group, line, mirrored, path, rectangle


class Colour(StrEnum):
    """All colours of the picture."""

    INK = "#2c2a29"
    FAINT = "#635c53"
    PAPER = "#fbf7ee"
    TABLE = "#ece4d4"
    STONE = "#dfd5c0"
    EDGE = "#b9ab90"
    DRAGON = "#9c2f2a"
    DRAGON_LIGHT = "#c9574a"
    DRAGON_PALE = "#f3d9d2"
    DWARVES = "#2b5876"
    DWARVES_LIGHT = "#5c8aa8"
    DWARVES_PALE = "#d5e3ec"
    STEEL = "#aeb6bd"
    SKIN = "#ecc3a0"
    WOOD = "#7a5432"
    ROPE = "#4c3f27"
    GREEN = "#55704a"
    GINGER = "#c4622d"
    BROWN = "#5b3a22"
    GREY = "#e9e6df"
    FLAME = "#e8892b"
    GLOW = "#f6bf4f"


SIDE = {"dragon": Colour.DRAGON, "dwarves": Colour.DWARVES}
EMBLEMS = {"dragon": "flight", "dwarves": "attack1"}
PALE = {"dragon": Colour.DRAGON_PALE, "dwarves": Colour.DWARVES_PALE}
BEARDS = {"fury": Colour.GINGER, "archer": Colour.BROWN, "net": Colour.GREY}

TARGET: Attributes = {"fill": "none", "stroke": Colour.FLAME, "stroke_width": 4, "stroke_linejoin": "round"}
FADED = 0.4

WING = (
    "M 6 6 C 4 -16 -4 -34 -16 -47 C -30 -43 -42 -34 -49 -20 C -42 -22 -36 -20 -33 -13"
    " C -27 -16 -20 -13 -18 -5 C -13 -8 -8 -4 -8 8 Z"
)
WING_BONES = "M 4 2 C 0 -18 -6 -34 -16 -47 M 0 -4 C -8 -12 -20 -14 -33 -13 M 1 2 C -4 -4 -10 -6 -18 -5"
DRAGON_BODY = (
    "M -40 4 L -50 16 L -42 17 C -44 34 -30 44 -12 42 L 22 42 C 25 42 26 38 23 36 L 17 34 C 27 28 30 16 26 2"
    " C 24 -5 25 -10 30 -12 L 41 -11 C 47 -11 50 -16 47 -20 L 38 -30 C 34 -35 28 -37 23 -36 L 7 -45 L 13 -33"
    " L 2 -32 L 12 -24 C 6 -14 4 -6 0 2 C -14 4 -22 14 -24 26 C -32 26 -36 22 -35 16 L -28 15 Z"
)
DRAGON_BELLY = "M 22 4 C 26 16 22 28 14 34 C 6 34 4 30 6 24 C 14 20 18 12 22 4 Z"

SHOULDERS = "M -47 28 C -42 14 -28 9 -10 9 C 8 9 20 15 26 27 L 28 47 A 55 55 0 0 1 -47 28 Z"
BEARD = "M -21 -8 C -26 14 -14 34 0 44 C 14 34 26 14 21 -8 C 17 4 10 3 0 3 C -10 3 -17 4 -21 -8 Z"
HORN = "M 20 -16 C 34 -18 36 -32 32 -42 C 29 -32 24 -28 15 -27 Z"
HELMET = "M -23 -12 C -23 -42 23 -42 23 -12 Z"
BRIM = "M -25 -17 L 25 -17 L 25 -9 L -25 -9 Z"
HOOD = "M -25 6 C -32 -22 -18 -36 2 -48 C 14 -40 30 -24 25 6 C 21 -8 18 -16 0 -16 C -18 -16 -21 -8 -25 6 Z"

AXE_BLADES = (
    "M 4 -38 C 12 -42 20 -42 26 -40 C 32 -28 32 -12 26 0 C 20 2 12 2 4 -2 Z"
    " M -4 -34 C -10 -37 -14 -37 -18 -36 C -22 -27 -22 -13 -18 -4 C -14 -3 -10 -3 -4 -6 Z"
)
BOW = "M -36 -6 C -28 -34 28 -34 36 -6"
STRING = "M -36 -6 L 0 8 L 36 -6"
STOCK = "M -5 -28 L 5 -28 L 7 44 L -7 44 Z"
BOLT = "M 0 -50 L 8 -34 L -8 -34 Z"
BOOT = "M -24 -42 L 6 -42 L 6 4 C 12 10 34 8 36 26 L 36 36 L -24 36 Z M -24 40 L 38 40 L 38 46 L -24 46 Z"
PAW = (
    "M -18 20 C -18 4 -10 0 0 0 C 10 0 18 4 18 20 C 18 36 10 44 0 44 C -10 44 -18 36 -18 20 Z"
    " M 0 -46 C 8 -32 9 -18 0 -6 C -9 -18 -8 -32 0 -46 Z"
    " M 32 -34 C 34 -18 28 -6 16 0 C 12 -12 18 -26 32 -34 Z"
    " M -32 -34 C -34 -18 -28 -6 -16 0 C -12 -12 -18 -26 -32 -34 Z"
)
CLAWS = (
    "M -8 -44 C -6 -14 -18 18 -40 42 C -30 14 -26 -18 -8 -44 Z"
    " M 18 -46 C 20 -14 8 22 -16 46 C -6 16 0 -18 18 -46 Z"
    " M 42 -42 C 44 -12 34 20 10 42 C 20 14 24 -16 42 -42 Z"
)
SPREAD_WING = (
    "M -44 34 C -40 -8 -16 -38 42 -46 C 33 -34 33 -22 42 -12 C 27 -12 21 -2 27 13 C 12 9 4 17 6 33"
    " C -8 24 -26 24 -44 34 Z"
)
SPREAD_BONES = "M -40 30 C -24 6 8 -8 40 -12 M -40 30 C -20 14 4 10 25 12"
FLAME = (
    "M 2 -48 C 6 -28 32 -16 32 14 C 32 34 18 46 0 46 C -18 46 -32 34 -32 14 C -32 2 -26 -8 -18 -16"
    " C -18 -8 -14 -2 -8 -2 C 0 -14 -4 -32 2 -48 Z"
)
FLAME_CORE = "M 2 6 C 6 16 14 20 14 30 C 14 38 8 42 0 42 C -8 42 -14 38 -14 30 C -14 22 -2 18 2 6 Z"
SHIELD = "M 0 -46 C 12 -38 26 -36 38 -36 C 40 0 28 30 0 46 C -28 30 -40 0 -38 -36 C -26 -36 -12 -38 0 -46 Z"
SHIELD_FACE = "M 0 -32 C 9 -27 17 -25 26 -24 C 26 0 18 20 0 32 Z"
SCALE = "M -16 -14 L 16 -14 C 17 4 11 16 0 22 C -11 16 -17 4 -16 -14 Z"


@cache
def dragon() -> str:
    """The dragon, looking to the right, its wing raised."""
    outline: Attributes = {"stroke": Colour.PAPER, "stroke_width": 2, "stroke_linejoin": "round"}
    return (
        path(WING, fill=Colour.DRAGON_LIGHT, **outline)
        + path(WING_BONES, fill="none", stroke=Colour.DRAGON, stroke_width=2.4, stroke_linecap="round")
        + path(DRAGON_BODY, fill=Colour.DRAGON, **outline)
        + path(DRAGON_BELLY, fill=Colour.DRAGON_LIGHT)
        + circle((29, -24), 3.4, fill=Colour.GLOW)
        + circle((42, -18), 1.4, fill=Colour.PAPER)
    )


@cache
def dwarf(name: str) -> str:
    """A dwarf with what he is known by: an axe, a crossbow, a net."""
    tools = {"fury": _axe_in_hand, "archer": _crossbow_in_hand, "net": _net_in_hand}
    return path(SHOULDERS, fill=Colour.DWARVES) + group(_head(name), at=(-10, 0)) + tools[name]()


def _head(name: str) -> str:
    hats = {"fury": _horned_helmet, "archer": _hood, "net": _cap}
    return (
        circle((0, -6), 19, fill=Colour.SKIN)
        + path(BEARD, fill=BEARDS[name], stroke=Colour.INK, stroke_width=1.2)
        + circle((-8, -6), 2.4, fill=Colour.INK)
        + circle((8, -6), 2.4, fill=Colour.INK)
        + circle((0, 0), 4.6, fill=Colour.SKIN, stroke=Colour.WOOD)
        + group(hats[name](), stroke=Colour.INK, stroke_width=1.2)
    )


def _horned_helmet() -> str:
    horn = path(HORN, fill=Colour.PAPER)
    return horn + mirrored(horn) + path(HELMET, fill=Colour.STEEL) + path(BRIM, fill=Colour.FAINT)


def _hood() -> str:
    return path(HOOD, fill=Colour.GREEN)


def _cap() -> str:
    ball = circle((0, -36), 5, fill=Colour.DWARVES)
    return path(HELMET, fill=Colour.DWARVES_LIGHT) + path(BRIM, fill=Colour.DWARVES) + ball


def _hand(x: float, y: float) -> str:
    return circle((x, y), 6.5, fill=Colour.SKIN, stroke=Colour.INK, stroke_width=1.2)


def _axe_in_hand() -> str:
    haft = line((33, 44), (33, -40), stroke=Colour.INK, stroke_width=8, stroke_linecap="round")
    wood = line((33, 44), (33, -40), stroke=Colour.WOOD, stroke_width=5.4, stroke_linecap="round")
    blades = path(AXE_BLADES, fill=Colour.STEEL, stroke=Colour.INK, stroke_width=2)
    return haft + wood + group(blades, at=(33, 0), scale=0.82) + _hand(33, 26)


def _crossbow_in_hand() -> str:
    return group(crossbow(Colour.INK, Colour.WOOD), at=(28, 16), turn=8, scale=0.68) + _hand(26, 36)


def _net_in_hand() -> str:
    return group(net(Colour.ROPE), at=(27, 19), scale=0.58) + _hand(27, -8)


def net(colour: str) -> str:
    """A round net."""
    return mesh(44, 4, 6, colour)


@cache
def mesh(radius: float, cords: int, width: float, colour: str) -> str:
    """Cords that cross both ways inside a rim."""
    steps = [radius * (2 * i + 1 - cords) / cords for i in range(cords)]
    halves = [math.sqrt(radius * radius - step * step) for step in steps]
    chords = "".join(
        line((-half, step), (half, step)) + line((step, -half), (step, half))
        for step, half in zip(steps, halves, strict=True)
    )
    return group(chords, circle((0, 0), radius, fill="none"), turn=45, stroke=colour, stroke_width=width)


def crossbow(colour: str, stock: str | None = None) -> str:
    """A crossbow that points upwards."""
    return (
        path(BOW, fill="none", stroke=colour, stroke_width=8, stroke_linecap="round")
        + path(STRING, fill="none", stroke=colour, stroke_width=3)
        + path(STOCK, fill=stock or colour)
        + path(BOLT, fill=colour)
    )


def _axe(colour: str) -> str:
    return path(AXE_BLADES + " M -5 -48 L 5 -48 L 5 49 L -5 49 Z", fill=colour)


def _two_axes(colour: str) -> str:
    right = group(_axe(colour), at=(10, 2), turn=38, scale=0.86)
    return right + mirrored(right)


def _boot(colour: str) -> str:
    return group(path(BOOT, fill=colour), at=(-5, -1), scale=0.95)


def _two_boots(colour: str) -> str:
    behind = group(path(BOOT, fill=colour), at=(-19, -10), scale=0.68)
    front = path(BOOT, fill=colour, stroke=Colour.PAPER, stroke_width=6, paint_order="stroke")
    return behind + group(front, at=(14, 11), scale=0.72)


def _wing(colour: str) -> str:
    return path(SPREAD_WING, fill=colour) + path(SPREAD_BONES, fill="none", stroke=Colour.PAPER, stroke_width=4)


def _flame(colour: str) -> str:
    return path(FLAME, fill=colour) + path(FLAME_CORE, fill=Colour.PAPER)


def _shield(colour: str) -> str:
    return path(SHIELD, fill=colour) + path(SHIELD_FACE, fill=Colour.PAPER)


def _scales(colour: str) -> str:
    places = [(-17, 17), (17, 17), (0, -3), (-34, -3), (34, -3), (-17, -23), (17, -23)]
    scales = "".join(group(path(SCALE), at=place) for place in places)
    return group(scales, at=(0, 4), fill=colour, stroke=Colour.PAPER, stroke_width=3)


def _paw(colour: str) -> str:
    return path(PAW, fill=colour)


def _claws(colour: str) -> str:
    return path(CLAWS, fill=colour)


DRAWINGS: dict[str, Callable[[str], str]] = {
    "move": _paw,
    "flight": _wing,
    "attack": _claws,
    "fire": _flame,
    "defense": _shield,
    "move1": _boot,
    "move2": _two_boots,
    "attack1": _axe,
    "attack2": _two_axes,
    "crossbow": crossbow,
    "net": net,
    "armor": _scales,
    "movement": _paw,
}
"""The symbols of the cards (R3.4) and of the dragon's mat (R2.1)."""


@cache
def symbol(name: str, colour: str) -> str:
    """A symbol in one colour."""
    return DRAWINGS[name](colour)


@cache
def token(name: str, at: Point, radius: float, opacity: float | None = None) -> str:
    """A figure in a ring of its side's colour."""
    side = "dragon" if name == "dragon" else "dwarves"
    ring = circle((0, 0), 56, fill=PALE[side], stroke=SIDE[side], stroke_width=4)
    drawn = dragon() if name == "dragon" else dwarf(name)
    return group(ring, drawn, at=at, scale=radius / 58, opacity=opacity)


@cache
def badge(side: str, at: Point, radius: float) -> str:
    """The sign of a side."""
    sign = group(symbol(EMBLEMS[side], Colour.PAPER), at=at, scale=radius / 76)
    return circle(at, radius, fill=SIDE[side]) + sign


def panel(box: Box) -> str:
    """The ground of a part of the picture."""
    return rectangle(box, 10, fill=Colour.PAPER, stroke=Colour.EDGE)
