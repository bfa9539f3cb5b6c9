"""Pictures as text: a few helpers that build SVG, the same bytes everywhere."""

import math
import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

Point = tuple[float, float]
Attributes = dict[str, str | float]


class Box(NamedTuple):
    """A part of the picture."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The x of its right side."""
        return self.x + self.width

    @property
    def centre(self) -> Point:
        """Its middle."""
        return self.x + self.width / 2, self.y + self.height / 2


FONTS = "DejaVu Sans, Verdana, Arial, sans-serif"
NARROW, WIDE = frozenset("ijlIft.,:;'|!()[] -/"), frozenset("mwMW@%—")
ELLIPSIS = "…"
SHEET_GAP, CAPTION_BAND = 24, 60
VIEW_BOX = re.compile(r'<svg [^>]*viewBox="0 0 (\S+) (\S+)"')
NOT_XML = re.compile("[^\t\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
MARGIN = 3


def number(value: float) -> str:
    """At most two decimals: what different machines compute in the last digits does not reach the picture."""
    digits = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if digits == "-0" else digits


def element(name: str, *children: str, **attributes: str | float | None) -> str:
    """`<name ...>children</name>`: `data_hex` stands for `data-hex`, `class_` for `class`; `None` leaves one out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(children)}</{name}>" if children else f"<{name}{written}/>"


def plain(words: str) -> str:
    """Words as the content of an element."""
    return escape(NOT_XML.sub("", words), quote=False)


def _value(value: str | float) -> str:
    return escape(NOT_XML.sub("", value)) if isinstance(value, str) else number(value)


def document(width: float, height: float, title: str, *children: str) -> str:
    """A complete picture, a line for each child: whoever keeps many pictures keeps every line once, and pixels are made
    once of every `part`. Its `title` is what a screen reader says."""
    return (
        element(
            "svg",
            element("title", plain(title)),
            *(f"\n{child}" for child in children),
            "\n",
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {number(width)} {number(height)}",
            width=width,
            height=height,
            style="max-width:100%;height:auto",
            role="img",
            font_family=FONTS,
        )
        + "\n"
    )


def part(box: Box, *children: str) -> str:
    """A child of a document that lies inside a box: drawn by itself it looks the same."""
    x, y, width, height = box
    around = (x - MARGIN, y - MARGIN, width + 2 * MARGIN, height + 2 * MARGIN)
    return element("g", *children, data_box=" ".join(map(number, around)))


def sheet(pictures: Sequence[str], captions: Sequence[str] = (), columns: int = 2) -> str:
    """Documents beside each other, row by row, as one picture; each caption stands above its own."""
    sizes = [_size(picture) for picture in pictures]
    band = CAPTION_BAND if captions else 0
    width, height = max(size[0] for size in sizes), max(size[1] for size in sizes) + band
    columns = min(columns, len(pictures))
    rows = math.ceil(len(pictures) / columns)
    cells = []
    for i, (picture, size) in enumerate(zip(pictures, sizes, strict=True)):
        x, y = SHEET_GAP + (width + SHEET_GAP) * (i % columns), SHEET_GAP + (height + SHEET_GAP) * (i // columns)
        cells.append(_caption(captions[i], Box(x, y, width, band)) if captions else "")
        cells.append(_inside(picture, Box(x, y + band, *size)))
    whole = (SHEET_GAP + (width + SHEET_GAP) * columns, SHEET_GAP + (height + SHEET_GAP) * rows)
    return document(*whole, "; ".join(captions), rectangle(Box(0, 0, *whole), fill="white"), *cells)


def _size(picture: str) -> Point:
    found = VIEW_BOX.match(picture)
    if found is None:
        raise ValueError("a sheet is made of documents")
    return float(found[1]), float(found[2])


def _caption(words: str, box: Box) -> str:
    size, lines = fitting(words, (32, 28, 25, 22), box.width, 2)
    return text_block(box.x + 4, box.centre[1], lines, size)


def _inside(picture: str, box: Box) -> str:
    """A document as a part of another one."""
    content = picture.replace("\n", "").partition(">")[2].rpartition("</svg>")[0]
    view = f"0 0 {number(box.width)} {number(box.height)}"
    return element("svg", content, x=box.x, y=box.y, width=box.width, height=box.height, viewBox=view)


def group(
    *children: str, at: Point = (0, 0), scale: float = 1, turn: float = 0, **attributes: str | float | None
) -> str:
    """Elements that belong together, moved to `at`, then turned by so many degrees, then scaled."""
    moves = f"translate({number(at[0])} {number(at[1])})" if at != (0, 0) else ""
    moves += f" rotate({number(turn)})" if turn else ""
    moves += f" scale({scale:.4g})" if scale != 1 else ""
    return element("g", *children, transform=moves.strip() or None, **attributes)


def mirrored(*children: str) -> str:
    """Elements with left and right exchanged."""
    return element("g", *children, transform="scale(-1 1)")


def hint(words: str) -> str:
    """What a browser shows when the pointer rests on the element that this is a child of."""
    return element("title", plain(words))


def rectangle(box: Box, corner: float = 0, **attributes: str | float) -> str:
    """A rectangle with rounded corners."""
    x, y, width, height = box
    return element("rect", x=x, y=y, width=width, height=height, rx=corner or None, **attributes)


def circle(centre: Point, radius: float, **attributes: str | float) -> str:
    """A circle."""
    return element("circle", cx=centre[0], cy=centre[1], r=radius, **attributes)


def path(steps: str, **attributes: str | float) -> str:
    """A shape in SVG's path language."""
    return element("path", d=steps, **attributes)


def line(start: Point, end: Point, **attributes: str | float) -> str:
    """A straight line."""
    return element("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], **attributes)


def polygon(corners: Sequence[Point], **attributes: str | float) -> str:
    """A closed shape with straight sides."""
    return element("polygon", points=" ".join(f"{number(x)},{number(y)}" for x, y in corners), **attributes)


def hexagon(centre: Point, radius: float) -> list[Point]:
    """The corners of a hexagon that stands on a corner."""
    angles = [math.radians(60 * i - 30) for i in range(6)]
    return [(centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle)) for angle in angles]


def hex_centre(q: int, r: int, radius: float) -> Point:
    """Where the hex with axial coordinates `(q, r)` lies when `(0, 0)` lies at the origin."""
    return radius * math.sqrt(3) * (q + r / 2), radius * 1.5 * r


def text(x: float, y: float, words: str, size: float, **attributes: str | float | None) -> str:
    """One line of text; `y` is its base line."""
    return element("text", plain(words), x=x, y=y, font_size=size, **attributes)


def text_block(x: float, middle: float, lines: Sequence[str], size: float, **attributes: str | float | None) -> str:
    """Lines of text, as far above `middle` as below it."""
    first = middle + size * (0.36 - 0.6 * (len(lines) - 1))
    return "".join(text(x, first + 1.2 * size * i, words, size, **attributes) for i, words in enumerate(lines))


def text_width(words: str, size: float) -> float:
    """About how wide a line of text is, rather too wide than too narrow: fonts differ."""
    return size * sum(0.4 if c in NARROW else 1.0 if c in WIDE else 0.74 if c.isupper() else 0.65 for c in words)


def wrap(words: str, size: float, width: float) -> list[str]:
    """The words in lines that fit a width. A longer word stands alone."""
    lines: list[str] = []
    for word in words.split():
        if lines and text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def fitting(words: str, sizes: Sequence[float], width: float, lines: int) -> tuple[float, list[str]]:
    """The largest of the sizes, given from large to small, in which the words take so few lines; and those lines.
    If none is small enough, the last line is shortened."""
    for size in sizes:
        found = wrap(words, size, width)
        if len(found) <= lines and all(text_width(line, size) <= width for line in found):
            break
    if len(found) > lines:
        found = [*found[: lines - 1], " ".join(found[lines - 1 :])]
    return size, [shorten(words, size, width) for words in found]


def shorten(words: str, size: float, width: float) -> str:
    """The words if they fit a width, or else as many characters as do."""
    if text_width(words, size) <= width:
        return words
    while words and text_width(words + ELLIPSIS, size) > width:
        words = words[:-1]
    return words.rstrip() + ELLIPSIS


def text_picture(words: str) -> str:
    """Lines of characters as a picture."""
    size, lines = 16.0, words.splitlines()
    width, height = 10 * max(map(len, lines), default=1) + 2 * size, 1.4 * size * len(lines) + size
    shown = [
        text(size, 1.4 * size * i, line, size, **{"xml:space": "preserve"}) for i, line in enumerate(lines, start=1)
    ]
    paper = rectangle(Box(0, 0, width, height), fill="#fff")
    return document(width, height, lines[0] if lines else "", paper, group(*shown, font_family="monospace"))
