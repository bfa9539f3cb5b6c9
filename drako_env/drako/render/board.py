"""The board of the picture: the hexes, what is about to happen on them, and the figures."""

from collections.abc import Mapping
from functools import cache
from math import hypot, sqrt
from typing import Any

from drako_env.drako.render.drawings import FADED, TARGET, Colour, mesh, panel, symbol, token
from drako_env.drako.render.words import FIGURES
from drako_env.engine.hexboard import DIRECTIONS, Hex, distance, hexes, ray
from drako_env.render.svg import Attributes, Box, Point, group, hex_centre, hexagon, hint, part, polygon

Scene = Mapping[str, Any]


def board(scene: Scene, box: Box) -> list[str]:
    """The hexes, what is about to happen on them, and the figures, each a part of the picture."""
    radius = scene["radius"]
    size = min((box.width - 16) / (sqrt(3) * (2 * radius + 1)), (box.height - 16) / (3 * radius + 2))
    places = {name: tuple(place) for name, place in _places(scene) if place is not None}
    burning, aims = _burning(scene, places), _aims(scene, places)
    ground = (_hex(cell, size, cell in burning, aims.get(cell)) for cell in hexes(radius))
    flames = (_flame(cell, size) for cell in burning if cell not in places.values())
    attack = "".join((*flames, _attack(scene, places, size)))
    return [
        part(box, panel(box), group(*ground, at=box.centre)),
        *([part(box, group(attack, at=box.centre))] if attack else []),
        *(part(_around(place, size, box), _figure(scene, name, place, size, box)) for name, place in places.items()),
    ]


def _around(cell: Hex, size: float, box: Box) -> Box:
    """The part of the board that a figure takes."""
    x, y = hex_centre(*cell, size)
    return Box(box.centre[0] + x - 0.8 * size, box.centre[1] + y - 0.8 * size, 1.6 * size, 1.6 * size)


def _aims(scene: Scene, places: Mapping[str, Hex]) -> dict[Hex, int]:
    """While the dragon chooses where to breathe: the hexes on each line, with its direction (R7.4)."""
    if scene["phase"] != "direction":
        return {}
    cells, radius = hexes(scene["radius"]), scene["radius"]
    lines = {direction: ray(radius, places["dragon"], direction) for direction in range(len(DIRECTIONS))}
    return {cells[i]: direction for direction, line in lines.items() for i in line}


def _places(scene: Scene) -> list[tuple[str, Any]]:
    return [("dragon", scene["dragon"]["hex"]), *((name, d["hex"]) for name, d in scene["dwarves"].items())]


@cache
def _hex(cell: Hex, size: float, burning: bool, aim: int | None = None) -> str:
    corners = hexagon(hex_centre(*cell, size), size * 0.96)
    fill = Colour.GLOW if burning else Colour.STONE
    marks: Attributes = {"data_hex": f"{cell[0]},{cell[1]}"} | ({} if aim is None else {"data_direction": aim})
    return polygon(corners, fill=fill, stroke=Colour.EDGE, stroke_width=1.5, **marks)


def _flame(cell: Hex, size: float) -> str:
    return group(symbol("fire", Colour.FLAME), at=hex_centre(*cell, size), scale=size / 90)


def _burning(scene: Scene, places: Mapping[str, Hex]) -> list[Hex]:
    """The line of a breath of fire, from the dragon to the edge (R7.4)."""
    pending = scene["pending"] or {}
    if pending.get("symbol") != "fire" or not pending["strikes"]:
        return []
    start, struck = places["dragon"], places[pending["strikes"][0]]
    steps = distance(start, struck)
    towards = ((struck[0] - start[0]) // steps, (struck[1] - start[1]) // steps)
    cells = hexes(scene["radius"])
    return [cells[i] for i in ray(scene["radius"], start, DIRECTIONS.index(towards))]


def _attack(scene: Scene, places: Mapping[str, Hex], size: float) -> str:
    """The hexes that are struck, and arrows from whom to whom."""
    pending = scene["pending"] or {"strikes": [], "symbol": ""}
    struck = list(dict.fromkeys(pending["strikes"]))
    rings = (polygon(hexagon(hex_centre(*places[figure], size), size * 0.94), **TARGET) for figure in struck)
    arrows = (
        _arrow(hex_centre(*places[source], size), hex_centre(*places[target], size), size)
        for source, target in _arrows(pending, places)
    )
    return "".join((*rings, *arrows))


def _arrows(pending: Mapping[str, Any], places: Mapping[str, Hex]) -> list[tuple[str, str]]:
    """Who strikes whom, where it is known: which of several dwarves strikes is no decision (R7.1)."""
    strikes, kind = pending["strikes"], pending["symbol"]
    if kind == "attack":
        return [("dragon", figure) for figure in strikes]
    if kind == "crossbow":
        return [("archer", "dragon") for _ in strikes]
    near = [n for n, place in places.items() if n != "dragon" and distance(place, places["dragon"]) == 1]
    return [(name, "dragon") for name in near] if kind.startswith("attack") and len(near) == len(strikes) else []


def _arrow(start: Point, end: Point, size: float) -> str:
    """An arrow between the rims of two tokens."""
    length = hypot(end[0] - start[0], end[1] - start[1])
    x, y = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    tail, neck, tip = 0.76 * size, length - 1.0 * size, length - 0.72 * size
    points = [(tail, 0.1), (neck, 0.1), (neck, 0.26), (tip, 0.0), (neck, -0.26), (neck, -0.1), (tail, -0.1)]
    corners = [(start[0] + x * a - y * b * size, start[1] + y * a + x * b * size) for a, b in points]
    return polygon(corners, fill=Colour.FLAME, stroke=Colour.PAPER, stroke_width=1)


def _figure(scene: Scene, name: str, place: Hex, size: float, box: Box) -> str:
    """A figure on its hex."""
    at = hex_centre(*place, size)
    netted = name == "dragon" and scene["dragon"]["netted"]
    over = (
        group(mesh(54, 4, 5.5, Colour.PAPER), mesh(54, 4, 3.2, Colour.ROPE), at=at, scale=size / 78) if netted else ""
    )
    dead = name == "dragon" and dragon_dead(scene)  # a dead dwarf has left the board (R9.1)
    drawn = token(name, at, 0.74 * size, opacity=FADED if dead else None)
    return group(hint(FIGURES[name]), drawn, over, at=box.centre, data_figure=name)


def dragon_dead(scene: Scene) -> bool:
    """R9.4: all areas are full."""
    return bool(scene["dragon"]["wounds"] == scene["spaces"]["dragon"])
