"""Which small tables of Drako make hidden cards matter? Hill climbing over small tables, each of
them solved, for those in which it costs much not to mix, and showing the hands changes much.

python scripts/find_tables.py                                       # minutes; Ctrl-C stops it, the same command goes on
python scripts/find_tables.py --cards 6 --positions 1000000 --out runs/larger.jsonl
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import track

from agents.exact.find import climb, known
from drako_env.cli.options import INTERRUPTED
from drako_env.evaluation.report import table

SHOWN = 15


def options_of() -> argparse.Namespace:
    """What the command was told."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--climbs", type=int, default=30, help="from so many random tables (default: 30)")
    parser.add_argument("--steps", type=int, default=60, help="of each climb (default: 60)")
    parser.add_argument("--seed", type=int, default=0, help="of the first climb (default: 0)")
    parser.add_argument("--cards", type=int, default=5, help="at most so many in a deck (default: 5)")
    parser.add_argument("--positions", type=int, default=100_000, help="at most so many in a game (default: 100,000)")
    parser.add_argument("--out", type=Path, default=Path("runs/find_tables.jsonl"), help="what was found so far")
    return parser.parse_args()


def report(found: dict[int, list[dict[str, Any]]]) -> str:
    """What the best climbs came to, as a table in Markdown."""
    best = sorted((climbed[-1] for climbed in found.values() if climbed[-1]["score"] > 0), key=lambda e: -e["score"])
    rows = [
        [str(e["seed"]), f"{sum(e['sets']):,}", *(f"{e[key]:+.3f}" for key in ("value", "mixing", "shown", "uniform"))]
        for e in best[:SHOWN]
    ]
    header = ["seed", "information sets", "value", "not mixing costs", "open hands change", "uniform is exploitable by"]
    return table(header, rows)


def main() -> int:
    """Search, and show the best."""
    options, console = options_of(), Console(width=130)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    found = known(options.out)
    seeds = [seed for seed in range(options.seed, options.seed + options.climbs) if seed not in found]
    try:
        with options.out.open("a", encoding="utf-8") as file:
            for seed in track(seeds, "climbing", console=console, transient=True):
                found[seed] = climb(seed, options.steps, options.cards, options.positions)
                file.write(json.dumps(found[seed]) + "\n")
                file.flush()
    except KeyboardInterrupt:
        console.print(f"stopped; the same command goes on with what is in {options.out}")
        return INTERRUPTED
    console.print(Markdown(report(found)))
    console.print(f"results: {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
