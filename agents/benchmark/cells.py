"""One algorithm with one seed on one table: a cell of the benchmark, run in a process of its own and kept as a file."""

import importlib
import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from agents.benchmark.algorithms import ALGORITHMS, Algorithm, Learnt
from drako_env.exact import Tree, build_tree, exploitability, uniform
from drako_env.games import make_game
from drako_env.runs import obey_parent, read, write

LOOKS = 24
"""How often exploitability is worked out, at times that grow in equal proportions."""
FIRST_LOOK = 0.01
"""Of a cell's time."""
ELSEWHERE = ("RLlib",)
"""These work in processes of their own: their time is the clock's, that of all others the processor's."""


@dataclass(frozen=True)
class Cell:
    """What is run, and where its results are kept."""

    algorithm: str
    table: str
    seed: int
    seconds: float
    game: str = "drako"

    def file(self, folder: Path) -> Path:
        """Named after everything it depends on."""
        name = f"{self.game}-{self.table}-{self.algorithm}-{self.seed}-{self.seconds:g}s"
        return folder / f"{re.sub('[^a-zA-Z0-9+._-]', '_', name)}.json"


@dataclass(frozen=True)
class Point:
    """A look at an algorithm."""

    seconds: float
    decisions: int
    exploitability: float


def algorithm_of(name: str) -> Algorithm:
    """One of ours, or somebody's own `module:function` from the current folder; `ValueError` if there is none."""
    if name in ALGORITHMS:
        return ALGORITHMS[name]
    module, _, function = name.partition(":")
    if not function:
        raise ValueError(f"{name!r}: known are {', '.join(map(repr, ALGORITHMS))}, or your own as module:function")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found: Algorithm = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{name!r}: {error}") from None
    return found


def looks(seconds: float) -> list[float]:
    """When to look."""
    return [seconds * FIRST_LOOK ** (1 - number / (LOOKS - 1)) for number in range(LOOKS)]


def follow(
    algorithm: Algorithm, tree: Tree, seed: int, seconds: float, clock: Callable[[], float] = time.process_time
) -> Iterator[Point]:
    """Let it learn, and look at it now and then; looking takes nothing of its time."""
    spent, start, due = 0.0, clock(), looks(seconds)
    work = iter(algorithm(tree, seed, lambda: min(1.0, (spent + clock() - start) / seconds)))
    yield Point(0.0, 0, exploitability(tree, uniform(tree, 0), uniform(tree, 1)))
    while spent < seconds:
        start = clock()
        made: Learnt | None = next(work, None)
        spent += clock() - start
        if made is None:
            return
        if spent >= due[0]:
            yield Point(spent, made.decisions, exploitability(tree, *made.strategies()))
            due = [later for later in due if later > spent] or [seconds]


@lru_cache(maxsize=1)
def tree_of(game: str, table: str) -> Tree:
    """The cells of a table come one after the other, and share it."""
    return build_tree(make_game(game, rules=table))


def run_cell(cell: Cell, folder: Path) -> None:
    """Run it and write down what was found. Once before, as if its time were over: nobody is to pay for compiling."""
    algorithm, tree = algorithm_of(cell.algorithm), tree_of(cell.game, cell.table)
    first = algorithm(tree, cell.seed, lambda: 1.0)
    next(first)
    first.close()
    clock = time.perf_counter if cell.algorithm in ELSEWHERE else time.process_time
    points = list(follow(algorithm, tree, cell.seed, cell.seconds, clock))
    content = {"cell": asdict(cell), "points": [asdict(point) for point in points]}
    write(cell.file(folder), json.dumps(content, indent=1) + "\n")


def missing(cells: Iterable[Cell], folder: Path) -> list[Cell]:
    """Those that have not been run yet."""
    return [cell for cell in cells if not cell.file(folder).exists()]


def run_cells(cells: list[Cell], folder: Path, processes: int, tell: Callable[[Cell], object]) -> None:
    """Those that are missing, each on a core of its own; `tell` hears of every one that is done."""
    folder.mkdir(parents=True, exist_ok=True)
    waiting = sorted(missing(cells, folder), key=lambda cell: (cell.game, cell.table))
    with ProcessPoolExecutor(processes, get_context("spawn"), obey_parent) as pool:
        running = {pool.submit(run_cell, cell, folder): cell for cell in waiting}
        try:
            for done in as_completed(running):
                done.result()
                tell(running[done])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def points_of(cell: Cell, folder: Path) -> list[dict[str, Any]]:
    """What a cell has found."""
    content = read(cell.file(folder), ("points",), "remove it: the cell will be run again")
    points: list[dict[str, Any]] = content["points"]
    return points
