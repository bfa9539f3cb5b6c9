"""A scene drawn as SVG. Nothing but the scene is looked at: what a seat may not see never gets here.

From top to bottom: the question, the other side's cards, the board beside the mats, the viewer's own hand. What a page
may react to is marked: `data-hex`, `data-figure`, `data-card`, `data-area`, `data-direction`; `data-part` are the
question, which a page asks itself, and the discards, which it can open.
"""

from collections.abc import Mapping
from functools import cache
from math import ceil
from typing import Any

from drako_env.drako.dicts import SIDES
from drako_env.drako.render.board import board, dragon_dead
from drako_env.drako.render.drawings import EMBLEMS, FADED, PALE, SIDE, TARGET, Colour, badge, panel, symbol, token
from drako_env.drako.render.words import FIGURES, SYMBOLS
from drako_env.drako.rules import VALUELESS
from drako_env.render.svg import (
    Attributes,
    Box,
    Point,
    circle,
    document,
    element,
    fitting,
    group,
    hint,
    line,
    number,
    part,
    path,
    plain,
    rectangle,
    shorten,
    text,
    text_block,
)

Scene = Mapping[str, Any]
Option = tuple[str, int]

WIDTH, HEIGHT = 720, 784
QUESTION = Box(12, 12, 696, 72)
OTHER = Box(12, 92, 696, 64)
BOARD = Box(12, 164, 392, 412)
TURN = Box(412, 164, 296, 118)
DRAGON_MAT = Box(412, 290, 296, 142)
DWARF_MAT = Box(412, 440, 296, 136)
OWN = Box(12, 584, 696, 188)
CARDS = Box(20, 624, 680, 140)
GAP = 8
CARD_WIDTH = 108
BACK = (34, 48)
BAND = 38

TITLES = {"dragon": "Dragon", "dwarves": "Dwarves"}
ABILITIES = {"fury": "rages once", "archer": "crossbow", "net": "net"}
WORDS = {
    "move": "move",
    "flight": "fly",
    "attack": "attack",
    "fire": "fire",
    "defense": "block",
    "move1": "move",
    "move2": "two move",
    "attack1": "attack",
    "attack2": "two attack",
    "crossbow": "crossbow",
    "net": "net",
}


def picture(scene: Scene) -> str:
    """The whole picture; always of the same size."""
    own = scene["viewer"] or SIDES[0]
    (other,) = set(SIDES) - {own}
    return document(
        WIDTH,
        HEIGHT,
        f"Drako, turn {scene['turn']} of the {scene['turn_agent']}. {_sentence(scene['question'])}",
        rectangle(Box(0, 0, WIDTH, HEIGHT), fill=Colour.TABLE),
        part(QUESTION, _question(scene)),
        part(OTHER, _other_side(scene, other)),
        *board(scene, BOARD),
        part(TURN, _turn(scene)),
        part(DRAGON_MAT, _dragon_mat(scene)),
        part(DWARF_MAT, _dwarf_mat(scene)),
        *_own_side(scene, own),
    )


# The question


def _question(scene: Scene) -> str:
    """Whose decision it is, and what for."""
    side = scene["agent"] or scene["winner"]
    size, lines = fitting(_sentence(scene["question"]), (21, 19, 17, 15, 13), QUESTION.width - 90, 2)
    middle = QUESTION.centre[1]
    return group(
        rectangle(QUESTION, 10, fill=PALE[side], stroke=SIDE[side], stroke_width=2),
        badge(side, (QUESTION.x + 38, middle), 25),
        text_block(QUESTION.x + 76, middle, lines, size, fill=Colour.INK),
        data_part="question",
    )


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:]


# Cards


def _other_side(scene: Scene, side: str) -> str:
    """The other side's cards: face down, or small if all hands are open."""
    names, start = _hand(scene, side), OTHER.x + 150
    width = min(CARD_WIDTH / 2, 330 / max(len(names), 1) - 4)
    cards = (
        _back(side, Box(start + 28 * i, OTHER.y + 8, *BACK))
        if name is None
        else _small_card(side, name, _options(scene, side, name), Box(start + (width + 4) * i, OTHER.y + 8, width, 48))
        for i, name in enumerate(names)
    )
    note = _exchange_note(scene, side, (OTHER.x + 46, OTHER.y + 55))
    return group(panel(OTHER), _side_line(scene, side, OTHER.y + 32, ""), note, *cards)


def _own_side(scene: Scene, side: str) -> list[str]:
    """The viewer's hand; face down if nobody in particular looks on. Every card is a part of the picture."""
    title = "" if scene["viewer"] is None else " (you)"
    names = _hand(scene, side)
    width = min(CARD_WIDTH, (CARDS.width + GAP) / max(len(names), 1) - GAP)
    boxes = [Box(CARDS.x + (width + GAP) * i, CARDS.y, width, CARDS.height) for i in range(len(names))]
    cards = (
        _back(side, box) if name is None else _card(side, name, _options(scene, side, name), box)
        for name, box in zip(names, boxes, strict=True)
    )
    empty = "" if names else text(CARDS.x + 6, CARDS.y + 26, "no cards", 15, fill=Colour.FAINT)
    note = _exchange_note(scene, side, (OWN.x + 196, OWN.y + 27))
    ground = group(panel(OWN), _side_line(scene, side, OWN.y + 21, title), note, empty)
    return [part(OWN, ground), *(part(box, card) for box, card in zip(boxes, cards, strict=True))]


def _hand(scene: Scene, side: str) -> list[str | None]:
    """The cards of a side, one by one; without names if they are hidden."""
    hand = scene["hands"][side]
    if hand is None:
        return [None] * scene["hand_sizes"][side]
    return [name for name, count in hand.items() for _ in range(count)]


def _options(scene: Scene, side: str, name: str) -> tuple[Option, ...]:
    return tuple((symbol, value) for symbol, value in scene["cards"][side][name])


def _exchange_note(scene: Scene, side: str, at: Point) -> str:
    """R4.2: that a side exchanged its starting hand stays known."""
    return text(*at, "hand exchanged", 12, fill=Colour.FAINT) if scene["exchanged"][side] else ""


def _side_line(scene: Scene, side: str, y: float, title: str) -> str:
    """A side's name, and how many cards it has where."""
    discards = scene["discards"][side]
    listed = ", ".join(f"{count} {name}" for name, count in discards.items()) or "none"
    counts = [("in deck", scene["deck_sizes"][side], 574), ("discarded", sum(discards.values()), 696)]
    if side == scene["viewer"] or scene["hands"][side] is None:  # open hands take the room, and can be counted
        counts.insert(0, ("in hand", scene["hand_sizes"][side], 468))
    return (
        badge(side, (OTHER.x + 24, y), 14)
        + text(OTHER.x + 46, y + 6, TITLES[side] + title, 17, fill=SIDE[side], font_weight="bold")
        + "".join(
            group(_count(right, y, count, words), hint(f"discards: {listed}"), data_part="discards")
            if words == "discarded"
            else group(_count(right, y, count, words))
            for words, count, right in counts
        )
    )


def _count(right: float, y: float, count: int, words: str) -> str:
    return element(
        "text",
        element("tspan", str(count), font_size=19, font_weight="bold", fill=Colour.INK),
        plain(f" {words}"),
        x=right,
        y=y + 6,
        font_size=14,
        fill=Colour.FAINT,
        text_anchor="end",
    )


@cache
def _back(side: str, box: Box) -> str:
    """A card face down."""
    inner = Box(box.x + 4, box.y + 4, box.width - 8, box.height - 8)
    return (
        rectangle(box, 6, fill=SIDE[side], stroke=Colour.PAPER, stroke_width=1.5)
        + rectangle(inner, 4, fill="none", stroke=PALE[side], stroke_opacity=0.7)
        + group(symbol(EMBLEMS[side], PALE[side]), at=box.centre, scale=min(box.width, 70) / 170)
    )


@cache
def _card(side: str, name: str, options: tuple[Option, ...], box: Box) -> str:
    """A card face up: its name and its one or two symbols (R3.1)."""
    size, lines = fitting(name.replace("-", "- "), (15, 14, 13, 12, 11, 10), box.width - 8, 2)
    lines = [words.replace("- ", "-") for words in lines]
    height = (box.height - BAND) / len(options)
    places = [Box(box.x, box.y + BAND + height * i, box.width, height) for i in range(len(options))]
    listed = " or ".join(SYMBOLS[option].format(value) for option, value in options)
    return group(
        hint(f"{name}: {listed}"),
        rectangle(box, 8, fill=Colour.PAPER),
        path(_band(box), fill=SIDE[side]),
        text_block(box.centre[0], box.y + BAND / 2, lines, size, **_centred(Colour.PAPER)),
        *(line((box.x + 10, place.y), (box.right - 10, place.y), stroke=PALE[side]) for place in places[1:]),
        *(_option(side, option, place) for option, place in zip(options, places, strict=True)),
        rectangle(box, 8, fill="none", stroke=SIDE[side], stroke_width=2),
        data_card=name,
    )


def _band(box: Box) -> str:
    """The upper part of a card, with the card's rounded corners."""
    start, across = f"{number(box.x)} {number(box.y + BAND)}", number(box.width - 16)
    return f"M {start} v {8 - BAND} q 0 -8 8 -8 h {across} q 8 0 8 8 v {BAND - 8} Z"


@cache
def _option(side: str, option: Option, box: Box) -> str:
    """A symbol, its value and the word for it."""
    name, value = option
    middle, centre = box.centre
    sign = middle if name in VALUELESS else middle - 16
    digits = "" if name in VALUELESS else str(value)
    size, lines = fitting(WORDS[name], (14, 13, 12, 11, 10), box.width - 6, 1)
    return (
        group(symbol(name, SIDE[side]), at=(sign, centre - 8), scale=0.31)
        + text(middle + 18, centre + 1, digits, 24, font_weight="bold", **_centred(Colour.INK))
        + text_block(middle, centre + 14, lines, size, **_centred(Colour.FAINT))
    )


@cache
def _small_card(side: str, name: str, options: tuple[Option, ...], box: Box) -> str:
    """A card face up without words, for little room."""
    width = box.width / len(options)
    middles = [box.x + width * (i + 0.5) for i in range(len(options))]
    return group(
        hint(f"{name}: {' or '.join(f'{WORDS[option]} {value}'.removesuffix(' 0') for option, value in options)}"),
        rectangle(box, 5, fill=Colour.PAPER, stroke=SIDE[side], stroke_width=2),
        *(_small_option(side, option, (x, box.y + 16)) for option, x in zip(options, middles, strict=True)),
        data_card=name,
    )


def _small_option(side: str, option: Option, at: Point) -> str:
    name, value = option
    digits = "" if name in VALUELESS else str(value)
    return group(symbol(name, SIDE[side]), at=at, scale=0.17) + text(
        at[0], at[1] + 26, digits, 14, font_weight="bold", **_centred(Colour.INK)
    )


def _centred(colour: str) -> dict[str, str]:
    return {"fill": colour, "text_anchor": "middle"}


# The turn and the card being resolved


def _turn(scene: Scene) -> str:
    """The turn's actions, the card being resolved and whom it concerns."""
    side, x, y = scene["turn_agent"], TURN.x + 14, TURN.y + 25
    pending = scene["pending"]
    return group(
        panel(TURN),
        badge(side, (x + 9, y - 6), 11),
        text(x + 28, y, f"Turn {scene['turn']}", 17, fill=SIDE[side], font_weight="bold"),
        _actions(scene["actions_left"], scene["actions_spent"], SIDE[side], (TURN.right - 20, y - 6)),
        text(x, y + 46, "no card in play", 15, fill=Colour.FAINT) if pending is None else _pending(scene, pending),
    )


def _actions(left: int, spent: int, colour: str, end: Point) -> str:
    """A disc for every action of the turn, hollow once it is spent."""
    fills = [colour] * left + [Colour.PAPER] * spent
    discs = (
        circle((end[0] - 20 * i, end[1]), 7, fill=fill, stroke=colour, stroke_width=2) for i, fill in enumerate(fills)
    )
    words = text(end[0] - 20 * len(fills), end[1] + 5, "actions", 14, fill=Colour.FAINT, text_anchor="end")
    return group(hint(f"{left} of {left + spent} actions left"), words, *discs)


def _pending(scene: Scene, pending: Mapping[str, Any]) -> str:
    side, tile = scene["turn_agent"], Box(TURN.x + 10, TURN.y + 37, 72, 72)
    name = shorten(pending["card"], 15, TURN.width - tile.width - 30)
    chips = _chips(pending)
    return (
        rectangle(tile, 8, fill=PALE[side], stroke=SIDE[side], stroke_width=2)
        + _option(side, (pending["symbol"], pending["value"]), tile)
        + text(tile.right + 12, tile.y + 14, name, 15, fill=Colour.INK)
        + "".join(
            _chip(figure, words, (tile.right + 36 + 66 * i, tile.y + 42)) for i, (figure, words) in enumerate(chips)
        )
    )


def _chips(pending: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Whom the card concerns, and how it stands with each."""
    answers = ["blocked" if blocked else "taken" for blocked in pending["blocked"]]
    states = [*answers, "block?", *["next"] * len(pending["strikes"])]
    return [*zip(pending["strikes"], states, strict=False), *((figure, "moved") for figure in pending["moved"])]


def _chip(figure: str, words: str, at: Point) -> str:
    colour = Colour.FAINT if words == "next" else Colour.INK
    label = text(at[0], at[1] + 33, words, 14, **_centred(colour))
    ring = circle(at, 20, **TARGET) if words == "block?" else ""
    return token(figure, at, 17) + ring + label


# Mats


def _dragon_mat(scene: Scene) -> str:
    """The areas of the dragon's mat (R2.1)."""
    x, y = DRAGON_MAT.x, DRAGON_MAT.y
    note = "dead" if dragon_dead(scene) else "in the net" if scene["dragon"]["netted"] else ""
    rows = (
        _area(area, scene["dragon"]["wounds"][area], spaces, y + 48 + 26 * i)
        for i, (area, spaces) in enumerate(scene["spaces"]["dragon"].items())
    )
    return group(
        panel(DRAGON_MAT),
        text(x + 14, y + 24, "Dragon", 17, fill=Colour.DRAGON, font_weight="bold"),
        text(DRAGON_MAT.right - 14, y + 24, note, 15, fill=Colour.ROPE, font_weight="bold", text_anchor="end"),
        *rows,
    )


def _area(area: str, wounds: int, spaces: int, y: float) -> str:
    x, lost = DRAGON_MAT.x, wounds == spaces and area != "armor"  # R9.3: a full ability is lost
    colour = Colour.FAINT if lost else Colour.INK
    return group(
        group(symbol(area, Colour.EDGE if lost else Colour.DRAGON), at=(x + 25, y), scale=0.22),
        text(x + 44, y + 5, area, 15, fill=colour, text_decoration="line-through" if lost else None),
        _spaces(wounds, spaces, Box(x + 142, y, DRAGON_MAT.width - 154, 24)),
        data_area=area,
    )


def _dwarf_mat(scene: Scene) -> str:
    """The dwarves' wound spaces (R2.2)."""
    rows = (_dwarf_row(scene, name, DWARF_MAT.y + 24 + 44 * i) for i, name in enumerate(scene["dwarves"]))
    return group(panel(DWARF_MAT), *rows)


def _dwarf_row(scene: Scene, name: str, y: float) -> str:
    dwarf, spaces, x = scene["dwarves"][name], scene["spaces"]["dwarves"][name], DWARF_MAT.x
    dead = dwarf["wounds"] == spaces
    return group(
        token(name, (x + 25, y), 17, opacity=FADED if dead else None),
        text(x + 50, y, FIGURES[name], 16, fill=Colour.FAINT if dead else Colour.INK, font_weight="bold"),
        text(x + 50, y + 16, _condition(scene, name) or ABILITIES[name], 14, fill=Colour.FAINT),
        _spaces(dwarf["wounds"], spaces, Box(x + 142, y, DWARF_MAT.width - 154, 24)),
        data_mat=name,
    )


def _condition(scene: Scene, name: str) -> str:
    """What else there is to know about a dwarf."""
    dwarf, waiting = scene["dwarves"][name], [n for n, d in scene["dwarves"].items() if d["hex"] is None]
    if dwarf["wounds"] == scene["spaces"]["dwarves"][name]:
        return "dead"
    if dwarf["hex"] is None:
        return "next to place" if scene["phase"] == "placement" and waiting[0] == name else "not placed"
    return "has raged" if name == "fury" and scene["fury_used"] else ""


@cache
def _spaces(wounds: int, spaces: int, box: Box) -> str:
    """Wound spaces, the filled ones crossed; many of them in several rows."""
    rows = 1 if spaces <= 10 else 2 if spaces <= 24 else 3
    columns = ceil(spaces / rows)
    step = min(23.0, box.width / columns, box.height / rows)
    first = box.y - step * (rows - 1) / 2
    places = [(box.x + step * (i % columns + 0.5), first + step * (i // columns)) for i in range(spaces)]
    drawn = (_space(place, 0.4 * step, i < wounds) for i, place in enumerate(places))
    return group(hint(f"{wounds} of {spaces} filled"), *drawn)


def _space(at: Point, radius: float, filled: bool) -> str:
    space = circle(at, radius, fill=Colour.INK if filled else Colour.PAPER, stroke=Colour.INK, stroke_width=1.5)
    (x, y), arm = at, 0.45 * radius
    cross = f"M {number(x - arm)} {number(y - arm)} l {number(2 * arm)} {number(2 * arm)}"
    cross += f" m 0 {number(-2 * arm)} l {number(-2 * arm)} {number(2 * arm)}"
    stroke: Attributes = {"stroke": Colour.PAPER, "stroke_width": radius / 3.5, "stroke_linecap": "round"}
    return space + (path(cross, **stroke) if filled else "")
