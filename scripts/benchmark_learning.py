"""How quickly do learning algorithms become hard to exploit? Exact exploitability over time and over decisions, on
tables that are small enough to know it.

python scripts/benchmark_learning.py                                     # all of them, three seeds; hours on two cores
python scripts/benchmark_learning.py self-play CFR+ --tables small --minutes 1 --seeds 2
python scripts/benchmark_learning.py my_module:train --tables micro      # your own, see agents/benchmark/algorithms.py
"""

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from agents.benchmark.algorithms import ALGORITHMS
from agents.benchmark.cells import Cell, algorithm_of, missing, points_of, run_cells
from agents.benchmark.report import draw_chart, results_table
from drako_env.cli.options import INTERRUPTED, fail
from drako_env.games import make_game
from drako_env.runs import write


def options_of() -> argparse.Namespace:
    """What the command was told."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("algorithms", nargs="*", help=f"of {', '.join(ALGORITHMS)}; or your own, module:function")
    parser.add_argument("--game", default="drako")
    parser.add_argument("--tables", default="small,medium", help="names or files of rules (default: small,medium)")
    parser.add_argument("--seeds", type=int, default=3, help="how many (default: 3)")
    parser.add_argument("--minutes", type=float, default=5.0, help="of each cell on one core (default: 5)")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--out", type=Path, default=Path("runs/benchmark_learning"), help="what is there stays")
    return parser.parse_args()


def cells_of(options: argparse.Namespace) -> list[Cell]:
    """All that was asked for; `ValueError` if there is no such table or algorithm."""
    if options.minutes <= 0 or min(options.seeds, options.processes) < 1:
        raise ValueError("--minutes must be above 0, --seeds and --processes at least 1")
    names, tables = options.algorithms or list(ALGORITHMS), options.tables.split(",")
    for name in names:
        algorithm_of(name)
    for rules in tables:
        make_game(options.game, rules=rules)
    seconds = 60 * options.minutes
    return [Cell(a, t, seed, seconds, options.game) for t in tables for a in names for seed in range(options.seeds)]


def run(cells: list[Cell], options: argparse.Namespace, console: Console) -> None:
    """Those that are missing, with a bar."""
    columns = (TextColumn("cells"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, TextColumn("{task.fields[last]}"), console=console) as progress:
        left = len(missing(cells, options.out))
        task = progress.add_task("cells", total=len(cells), completed=len(cells) - left, last="")

        def tell(cell: Cell) -> None:
            progress.update(task, advance=1, last=f"{cell.algorithm} on {cell.table}")

        run_cells(cells, options.out, options.processes, tell)


def main() -> int:
    """Run, then show the table and draw the chart."""
    options, console = options_of(), Console(width=130)
    try:
        cells = cells_of(options)
        run(cells, options, console)
    except (ValueError, OSError) as error:
        return fail("benchmark_learning", error)
    except KeyboardInterrupt:
        console.print(f"stopped; the same command goes on with what is in {options.out}")
        return INTERRUPTED
    runs: dict[tuple[str, str], list[list[dict[str, float]]]] = {}
    for cell in cells:
        runs.setdefault((cell.table, cell.algorithm), []).append(points_of(cell, options.out))
    text = results_table(runs)
    write(options.out / "results.md", text + "\n")
    draw_chart(runs, options.out / "chart.png")
    console.print(Markdown(text))
    console.print(f"results: {options.out}/results.md, chart.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
