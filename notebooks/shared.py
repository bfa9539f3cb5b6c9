"""What the notebooks share: how much they play, the colours of the sides, pictures beside each other."""

import os
from collections.abc import Sequence
from io import BytesIO

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Image
from matplotlib.axes import Axes
from PIL import Image as Pixels

from drako_env.drako.render.drawings import Colour
from drako_env.evaluation.statistics import wilson
from drako_env.render.raster import png
from drako_env.render.svg import sheet

SHORT = os.environ.get("DRAKO_NOTEBOOK_SHORT", "0") != "0"
"""Whether to play just enough to see that everything works."""
PROCESSES = 1 if SHORT else os.cpu_count() or 1
MINUTES = float(os.environ.get("DRAKO_NOTEBOOK_MINUTES", "0.2" if SHORT else "5"))
"""Of training."""
DRAGON, DWARVES = str(Colour.DRAGON), str(Colour.DWARVES)
OTHERS = (str(Colour.FLAME), str(Colour.GREEN), str(Colour.FAINT), str(Colour.BROWN))
"""For whatever belongs to neither side."""
SHOWN_WIDTH = 460
"""Of one picture in a sheet, in the pixels of the page; of all of them at most twice as much."""

plt.rcParams |= {
    "figure.dpi": 110,
    "figure.figsize": (7, 3.6),
    "figure.constrained_layout.use": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlelocation": "left",
    "grid.alpha": 0.25,
    "legend.frameon": False,
}


def much(full: int, short: int) -> int:
    """How many games, or whatever it is: `full`, or `short` if `DRAKO_NOTEBOOK_SHORT` is set."""
    return short if SHORT else full


def show(pictures: str | Sequence[str], captions: Sequence[str] = (), columns: int = 2) -> Image:
    """One picture (SVG), or several with captions, in a form that every viewer of notebooks shows."""
    several = [pictures] if isinstance(pictures, str) else list(pictures)
    shown = min(SHOWN_WIDTH * min(columns, len(several)), 2 * SHOWN_WIDTH)
    drawn = sheet(several, captions, columns) if captions or len(several) > 1 else several[0]
    small = BytesIO()  # few colours: a palette makes the file three times smaller
    with Pixels.open(BytesIO(png(drawn, int(1.4 * shown)))) as image:
        image.convert("RGB").quantize(96, dither=Pixels.Dither.NONE).save(small, "png", optimize=True)
    return Image(small.getvalue(), width=shown)


def dots(axes: Axes, places: Sequence[float], figures: Sequence[Sequence[float]], colour: str, label: str = "") -> None:
    """Figures, each given as `(value, low, high)`, as dots with their intervals, one at each height of `places`."""
    values, low, high = np.array(figures).T
    ends = np.clip([values - low, high - values], 0, None)
    axes.errorbar(values, places, xerr=ends, fmt="o", color=colour, label=label, capsize=3, linewidth=1.6)


def rate(wins: float, games: int) -> tuple[float, float, float]:
    """A win rate with its 95% interval, for `dots`."""
    return (wins / games, *wilson(wins, games))
