"""Pixels of a picture, through resvg. Text comes from the bundled fonts alone: every machine makes the same bytes."""

from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FONTS = Path(__file__).parent / "fonts"
FAMILY = "DejaVu Sans"
WIDTH = 720
NEEDED = "pixels of a picture need resvg_py and Pillow: pip install 'drako-env[pictures]'"


def pixels(svg: str, width: int = WIDTH) -> NDArray[np.uint8]:
    """The picture as `(height, width, 3)` bytes, its height in proportion."""
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError(NEEDED) from error
    with Image.open(BytesIO(png(svg, width))) as image:
        return np.array(image.convert("RGB"))


def png(svg: str, width: int = WIDTH) -> bytes:
    """The picture as a PNG file."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError as error:
        raise ImportError(NEEDED) from error
    return svg_to_bytes(
        svg,
        width=width,
        background="white",
        skip_system_fonts=True,
        font_files=[str(path) for path in sorted(FONTS.glob("*.ttf"))],
        font_family=FAMILY,
        sans_serif_family=FAMILY,
    )
