"""How much can be won against a policy by somebody who knows it? Three measures of exploitability, in one table.

python scripts/best_response.py policy                              # all that follows, about 45 minutes on two cores
python scripts/best_response.py policy:runs/train/mine/policies --trained   # exploiters that begin with the policy
python scripts/best_response.py policy --search --simulations 400   # searches that know the policy, and their equals
python scripts/best_response.py policy:FOLDER --exact --set rules=tiny      # exactly, where every game can be counted
python scripts/best_response.py --exact runs/train/tiny             # the same for all policies of a training run
python scripts/best_response.py heuristic --trained                 # for comparison: exploiters that begin with nothing
"""

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from rich.console import Console
from rich.markdown import Markdown

from agents.exploit.exact import along_run
from agents.exploit.measure import PARTS, measure, tree_of
from agents.exploit.plan import Plan
from agents.exploit.settings import SETTINGS
from agents.league.run import ABOUT
from drako_env.cli.options import INTERRUPTED, add_game_options, chosen_game, fail
from drako_env.runs import claimed, write


def options_of() -> argparse.Namespace:
    """What the command was told."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent", help="policy, policy:FOLDER or any other player; with --exact also a training run")
    parser.add_argument("--trained", action="store_true", help="only exploiters that train (and what else is asked)")
    parser.add_argument("--search", action="store_true", help="only searches that know the policy")
    parser.add_argument("--exact", action="store_true", help="only exact best responses")
    add_game_options(parser)
    parser.add_argument("--core-minutes", type=float, help=f"a seat and rate (settled: {SETTINGS.core_minutes:g})")
    parser.add_argument("--games", type=int, help=f"of every figure (settled: {SETTINGS.games})")
    parser.add_argument("--simulations", type=int, help=f"of the searches (settled: {SETTINGS.simulations})")
    parser.add_argument("--seed", type=int, default=0, help="default: 0")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="that play (default: all cores)")
    parser.add_argument("--out", type=Path, help="folder for the results (default: under runs/, named after the time)")
    parser.add_argument("--resume", action="store_true", help="go on with the measurement in --out")
    return parser.parse_args()


def plan_of(options: argparse.Namespace) -> Plan:
    """What is measured, and how."""
    given = {name: getattr(options, name) for name in ("core_minutes", "games", "simulations")}
    settings = replace(SETTINGS, **{name: value for name, value in given.items() if value is not None})
    folder = options.out or Path("runs") / "best_response" / time.strftime("%Y-%m-%d-%H%M%S")
    return Plan(folder, chosen_game(options), options.agent, settings, options.seed, options.processes)


def run(plan: Plan, options: argparse.Namespace, console: Console) -> int:
    """Measure and write; returns the exit code."""
    plan.check()
    asked = [part for part in PARTS if getattr(options, part)]
    tree = tree_of(plan, asked)
    go_on = f"to go on: the same command with --out {plan.folder} --resume"
    try:
        with claimed(plan.folder):
            plan.settle(options.resume)
            console.print(f"measurement: {plan.folder}  (Ctrl-C stops it)")
            text = measure(plan, asked, tree, console)
            write(plan.folder / "results.md", text)
    except KeyboardInterrupt:
        console.print(f"stopped; {go_on}", soft_wrap=True)
        return INTERRUPTED
    except OSError as error:
        return fail("best_response", error, go_on)
    console.print(Markdown(text))
    console.print(f"results: {plan.folder}/results.md, games.jsonl")
    return 0


def main() -> int:
    """Measure exploitability."""
    options, console = options_of(), Console(width=130)
    try:
        if options.exact and (Path(options.agent) / ABOUT).is_file():
            return along_run(Path(options.agent), console)
        return run(plan_of(options), options, console)
    except (ValueError, OSError) as error:
        return fail("best_response", error)


if __name__ == "__main__":
    sys.exit(main())
