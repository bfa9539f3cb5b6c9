"""The benchmark as a table and a chart."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from drako_env.evaluation.report import table
from drako_env.runs import write

Runs = Mapping[tuple[str, str], Sequence[Sequence[Mapping[str, Any]]]]
"""Table and algorithm -> the points of each seed."""
COLOURS = ("#b5432a", "#2f6f8f", "#5b8c5a", "#8a7fa3", "#c9a227", "#4c4c4c")
COLOURS += ("#d07c9a", "#6b4f2a", "#3aa6a0", "#999999", "#7a1f5c", "#1f3b73")

UNITS = {"seconds": "seconds of one core", "decisions": "decisions learnt from"}


def results_table(runs: Runs) -> str:
    """What was reached in the end: the median seed, and the least and the most of all."""
    rows = []
    for (rules, algorithm), seeds in runs.items():
        last = sorted(points[-1]["exploitability"] for points in seeds)
        made = np.median([points[-1]["decisions"] for points in seeds])
        spread = f"{last[0]:.3f} - {last[-1]:.3f}"
        seconds = np.median([points[-1]["seconds"] for points in seeds])
        rows.append(
            [rules, algorithm, f"{np.median(last):.3f}", spread, f"{seconds:,.0f}", f"{made:,.0f}", str(len(seeds))]
        )
    return table(["table", "algorithm", "exploitability", "of all seeds", "seconds", "decisions", "seeds"], rows)


def draw_chart(runs: Runs, path: Path) -> None:
    """A row for each table: exploitability over time and over decisions."""
    from matplotlib.figure import Figure

    tables = list(dict.fromkeys(rules for rules, _ in runs))
    names = list(dict.fromkeys(algorithm for _, algorithm in runs))
    figure = Figure(figsize=(11, 4.2 * len(tables)), layout="constrained")
    panels = figure.subplots(len(tables), 2, squeeze=False, sharey="row")
    for row, rules in zip(panels, tables, strict=True):
        for axes, unit in zip(row, ("seconds", "decisions"), strict=True):
            for name in names:
                _draw(axes, runs.get((rules, name), ()), unit, COLOURS[names.index(name) % len(COLOURS)], name)
            axes.set_title(f"{rules}: exploitability over {unit}", loc="left", fontsize=10)
            axes.set(xscale="log", yscale="log", xlabel=UNITS[unit])
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(alpha=0.25)
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, fontsize=9, loc="outside upper center", ncols=5, frameon=False)
    picture = BytesIO()
    figure.savefig(picture, dpi=130)
    write(path, picture.getvalue())


def _draw(axes: Any, seeds: Sequence[Sequence[Mapping[str, Any]]], unit: str, colour: str, name: str) -> None:
    """The median of the seeds, and in pale colour all between the least and the most."""
    curves = [[(p[unit], p["exploitability"]) for p in points if p[unit] > 0] for points in seeds]
    curves = [curve for curve in curves if curve]
    if not curves:
        return
    if all(len(curve) == 1 for curve in curves):
        axes.plot(*zip(*(curve[0] for curve in curves), strict=True), "x", color=colour, label=name)
        return
    first, last = max(c[0][0] for c in curves), min(c[-1][0] for c in curves)
    grid = np.geomspace(first, max(last, first * 1.001), 60)
    values = np.array([np.interp(np.log(grid), *_logs(curve)) for curve in curves])
    axes.plot(grid, np.exp(np.median(values, axis=0)), color=colour, label=name, linewidth=1.5)
    axes.fill_between(
        grid, np.exp(values.min(axis=0)), np.exp(values.max(axis=0)), color=colour, alpha=0.15, linewidth=0
    )


def _logs(curve: Sequence[tuple[float, float]]) -> tuple[Any, Any]:
    at, worth = np.array(curve).T
    return np.log(at), np.log(np.maximum(worth, 1e-9))
