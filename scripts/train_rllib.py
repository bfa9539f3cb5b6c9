"""Self-play training with Ray RLlib, on this machine or on a cluster; a run leaves behind what one of `train.py` does.

python scripts/train_rllib.py --minutes 5 --runners 2                    # a Ray of its own on this machine
python scripts/train_rllib.py --address auto --runners 16                # on the cluster that `ray start` made
python scripts/train_rllib.py --out runs/train_rllib/mine --resume       # after Ctrl-C, or worse
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from rich.console import Console

from agents.league.league import League
from agents.league.options import add_league_options, run_of
from agents.league.training import finish, run_league
from drako_env.cli.options import fail
from drako_env.evaluation.nodes import HELP, connect


def main() -> int:
    """Train, evaluate, show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_league_options(parser)
    parser.add_argument("--runners", type=int, default=2, help="processes that play games, a CPU each (default: 2)")
    parser.add_argument("--address", help=HELP)
    options, console = parser.parse_args(), Console(width=130)
    try:
        if options.runners < 1:
            raise ValueError("--runners must be at least 1")
        run = run_of(options, "train_rllib")
        run.config.games_each(options.runners)
        with console.status("connecting to Ray"):
            ray = connect(options.address, options.runners)
        from agents.league.cluster import ClusterLearners

        run.where = ["--runners", str(options.runners), *(["--address", options.address] if options.address else [])]
        league = League(run, ClusterLearners(options.runners, console.print), tell=console.print)
    except (ValueError, OSError) as error:
        return fail("train_rllib", error)
    try:
        return run_league(league, lambda league: finish(league, options.games, console), console)
    finally:
        ray.shutdown()


if __name__ == "__main__":
    sys.exit(main())
