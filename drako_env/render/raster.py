"""Pixels of a picture, through resvg. Text comes from the bundled fonts alone: every machine makes the same bytes.

Most of a picture stays as it was at the decision before. Its parts (`svg.part`) are made into pixels one by one, and
those that were met before are taken from there.
"""

import math
import re
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from drako_env.render.svg import FONTS as FAMILIES
from drako_env.render.svg import VIEW_BOX, Attributes, Box, Point, element

if TYPE_CHECKING:
    from PIL.Image import Image

FONTS = Path(__file__).parent / "fonts"
FAMILY = "DejaVu Sans"
WIDTH = 720
KEPT_PARTS = 400
ROUNDING = 1e-6
PART = re.compile(r'<g data-box="(\S+) (\S+) (\S+) (\S+)">')
NEEDED = "pixels of a picture need resvg_py and Pillow: pip install 'drako-env[pictures]'"


def pixels(svg: str, width: int = WIDTH) -> NDArray[np.uint8]:
    """The picture as `(height, width, 3)` bytes, its height in proportion."""
    size, lines = VIEW_BOX.match(svg), svg.splitlines()[1:-1]
    if size is None or not any(map(PART.match, lines)):
        return np.array(_read(png(svg, width)).convert("RGB"))
    whole = Box(0, 0, float(size[1]), float(size[2]))
    height = math.ceil(width * whole.height / whole.width - ROUNDING)
    scale = width / whole.width, height / whole.height
    image = _pillow().new("RGB", (width, height), "white")
    for line in lines:
        box = PART.match(line)
        sprite, at = _sprite(line, Box(*map(float, box.groups())) if box else whole, scale)
        image.paste(sprite, at, sprite)
    return np.array(image)


@lru_cache(KEPT_PARTS)
def _sprite(part: str, box: Box, scale: Point) -> "tuple[Image, tuple[int, int]]":
    """A part of a picture on nothing, and where its pixels begin: whole ones, whatever the scale."""
    (across, down), bottom = scale, box.y + box.height
    left, top = math.floor(box.x * across), math.floor(box.y * down)
    width, height = math.ceil(box.right * across - ROUNDING) - left, math.ceil(bottom * down - ROUNDING) - top
    view = " ".join(f"{edge:.6f}" for edge in (left / across, top / down, width / across, height / down))
    size: Attributes = {"width": width, "height": height, "preserveAspectRatio": "none", "font_family": FAMILIES}
    svg = element("svg", part, xmlns="http://www.w3.org/2000/svg", viewBox=view, **size)
    return _read(png(svg, width, height)).convert("RGBA"), (left, top)


def _read(file: bytes) -> "Image":
    """The image of a PNG file."""
    image: Image
    with _pillow().open(BytesIO(file)) as image:
        image.load()
    return image


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError(NEEDED) from error
    return Image


def png(svg: str, width: int = WIDTH, height: int | None = None) -> bytes:
    """The picture as a PNG file: on white, its height in proportion; given a height, on nothing."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError as error:
        raise ImportError(NEEDED) from error
    return svg_to_bytes(
        svg,
        width=width,
        height=height,
        background="white" if height is None else None,
        skip_system_fonts=True,
        font_files=[str(path) for path in sorted(FONTS.glob("*.ttf"))],
        font_family=FAMILY,
        sans_serif_family=FAMILY,
    )
