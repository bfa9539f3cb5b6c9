"""Solve tables that are small enough, exactly: their value, how far from equilibrium the strategies found are, and what
mixing and hidden hands are worth there.

python scripts/solve.py micro tiny small                        # Drako's tables by name, or files
python scripts/solve.py medium --goal 0.01 --keep runs/exact    # the strategies as runs/exact/medium.npz
python scripts/solve.py micro --without-mixing 60               # also the best pure strategies, by whole numbers
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from rich.console import Console
from rich.markdown import Markdown

from agents.exact.figures import Figures, figures, without_mixing
from drako_env.cli.options import INTERRUPTED, fail
from drako_env.evaluation.report import table
from drako_env.games import make_game

NAMES = {
    "positions": "{:,}",
    "states": "{:,}",
    "sets": "{}",
    "views": "{:,}",
    "value": "{:+.4f}",
    "exploitability": "{:.5f}",
    "iterations": "{:,}",
    "seconds": "{:.1f}",
    "megabytes": "{:,.0f}",
    "uniform": "{:.3f}",
    "heuristic": "{:.3f}",
    "purified": "{:.3f}",
    "best_drawn": "{:.3f}",
    "open_value": "{:+.4f}",
    "by_view": "{:.5f}",
}


def options_of() -> argparse.Namespace:
    """What the command was told."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rules", nargs="+", help="rules tables: names or TOML files")
    parser.add_argument("--game", default="drako", help="default: drako")
    parser.add_argument("--goal", type=float, default=0.001, help="exploitability to reach (default: 0.001)")
    parser.add_argument("--iterations", type=int, default=20_000, help="at most so many (default: 20,000)")
    parser.add_argument("--keep", type=Path, help="a folder for the strategies and figures")
    parser.add_argument("--without-mixing", type=float, metavar="SECONDS", help="look for the best pure strategies too")
    return parser.parse_args()


def report(found: list[Figures]) -> str:
    """A column for each table."""
    rows = [[name.replace("_", " "), *(shape.format(_shown(f, name)) for f in found)] for name, shape in NAMES.items()]
    return table(["", *(f.table for f in found)], rows)


def _shown(figures: Figures, name: str) -> object:
    value = getattr(figures, name)
    return " + ".join(f"{part:,}" for part in value) if isinstance(value, tuple) else value


def run(options: argparse.Namespace, console: Console) -> None:
    """Solve one table after the other, and show them side by side."""
    found = []
    for rules in options.rules:
        game = make_game(options.game, rules=rules)
        with console.status(rules) as status:
            found.append(figures(game, options.goal, options.iterations, options.keep, status.update))
            if options.without_mixing:
                console.print(without_mixing(game, options.without_mixing), highlight=False)
    console.print(Markdown(report(found)))
    if options.keep:
        lines = "".join(json.dumps(f.as_dict()) + "\n" for f in found)
        (options.keep / "figures.jsonl").write_text(lines, encoding="utf-8")
        console.print(f"results: {options.keep}")


def main() -> int:
    """Solve, and show what is known then."""
    options, console = options_of(), Console(width=130)
    try:
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
        run(options, console)
    except KeyboardInterrupt:
        console.print("stopped")
        return INTERRUPTED
    except (ValueError, OSError) as error:
        return fail("solve", error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
