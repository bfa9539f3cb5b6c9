"""Self-play training: the networks of all sides play each other, and each learns from its decisions in these games.

python scripts/train.py --minutes 5                          # both sides
python scripts/train.py --seats dragon --minutes 10          # one side, against random and heuristic
python scripts/train.py --game golden_dragon --players 2     # one policy for all seats
python scripts/train.py --out runs/train/mine --resume       # after Ctrl-C, or worse
python scripts/train.py --minutes 60 --config my.toml --train entropy=0.02
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from rich.console import Console

from agents.league.league import League
from agents.league.local import LocalLearners
from agents.league.options import add_league_options, run_of
from agents.league.training import finish, run_league
from drako_env.cli.options import fail


def main() -> int:
    """Train, evaluate, show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_league_options(parser)
    options, console = parser.parse_args(), Console(width=130)
    try:
        league = League(run_of(options, "train"), LocalLearners(), tell=console.print)
    except (ValueError, OSError) as error:
        return fail("train", error)
    return run_league(league, lambda league: finish(league, options.games, console), console)


if __name__ == "__main__":
    sys.exit(main())
