"""Self-play training with Ray RLlib, on this machine or on a cluster; a run leaves behind what one of `train.py` does.

python scripts/train_rllib.py --minutes 5 --runners 2                    # a Ray of its own on this machine
python scripts/train_rllib.py --address auto --runners 16                # on the cluster that `ray start` made
python scripts/train_rllib.py --out runs/train_rllib/mine --resume       # after Ctrl-C, or worse
"""

import argparse
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from rich.console import Console

from drako_env.cli.options import fail
from drako_env.evaluation.nodes import HELP, connect
from scripts.train import add_league_options, finish, run_league, run_of


def read_options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_league_options(parser)
    parser.add_argument("--runners", type=int, default=2, help="processes that play games, a CPU each (default: 2)")
    parser.add_argument("--address", help=HELP)
    return parser.parse_args()


def main() -> int:
    """Train, evaluate, show."""
    options, console = read_options(), Console(width=130)
    try:
        if options.games < 1 or options.runners < 1:
            raise ValueError("--games and --runners must be at least 1")
        run = run_of(options, "train_rllib")
        run.config.games_each(options.runners)
        with console.status("connecting to Ray"):
            ray = connect(options.address, options.runners)
        from agents.league.cluster import Cluster

        run.where = ["--runners", str(options.runners), *(["--address", options.address] if options.address else [])]
        crew = partial(Cluster, runners=options.runners, tell=console.print)
    except (ValueError, OSError) as error:
        return fail("train_rllib", error)
    try:
        return run_league(run, None, lambda league: finish(league, run, options.games, console), console, crew)
    finally:
        ray.shutdown()


if __name__ == "__main__":
    sys.exit(main())
