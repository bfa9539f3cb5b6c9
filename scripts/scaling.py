"""How much do more runners help? Decisions a second of `train_rllib.py`: games alone, and games with learning.

python scripts/scaling.py 1 2                           # on this machine
python scripts/scaling.py 1 8 16 32 --address auto      # on a cluster
"""

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent.parent))

from rich.console import Console
from rich.markdown import Markdown

from agents.league.config import Config, Pace
from agents.league.options import settings
from drako_env.cli.options import add_game_options, chosen_game, fail
from drako_env.engine.game import Game, sides
from drako_env.evaluation.nodes import HELP, connect
from drako_env.evaluation.report import table


@contextmanager
def seconds(into: list[float]) -> Iterator[None]:
    """Note how long it takes."""
    start = time.perf_counter()
    yield
    into.append(time.perf_counter() - start)


def measure(game: Game, config: Config, runners: int, updates: int) -> tuple[float, float]:
    """The median seconds of a batch of games, and of a whole update; the first of each is not counted."""
    from agents.league.cluster import ClusterLearners

    learners = ClusterLearners(runners)
    learners.start(game, {side: number for number, side in enumerate(sides(game))}, config)
    playing: list[float] = []
    whole: list[float] = []
    for _ in range(updates + 1):
        with seconds(whole):
            learners.train({}, Pace(1e-4, 0.01))
        with seconds(playing):
            learners.play()
    learners.close()
    return median(playing[1:]), median(whole[1:])


def main() -> int:
    """Measure, show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_game_options(parser)
    parser.add_argument("runners", nargs="+", type=int, help="how many, one measurement for each")
    parser.add_argument("--train", action="append", default=[], metavar="NAME=VALUE", help="a field of the config")
    parser.add_argument("--updates", type=int, default=8, help="of each measurement (default: 8)")
    parser.add_argument("--address", help=HELP)
    options, console = parser.parse_args(), Console(width=120)
    try:
        game = chosen_game(options)
        if min(options.runners) < 1 or options.updates < 1:
            raise ValueError("the numbers of runners and --updates must be at least 1")
        config = Config.load(**settings(options.train) | {"rollouts": 1})
        for runners in options.runners:
            config.games_each(runners)
        ray = connect(options.address, max(options.runners))
    except (ValueError, OSError) as error:
        return fail("scaling", error)
    batch, rows = len(sides(game)) * config.num_envs * config.steps, []
    for runners in options.runners:
        with console.status(f"{runners} runners"):
            playing, whole = measure(game, config, runners, options.updates)
        rows.append([f"{runners}", f"{batch / playing:,.0f}", f"{batch / whole:,.0f}", f"{playing / whole:.0%}"])
    ray.shutdown()
    header = ["runners", "games alone, decisions/s", "with learning, decisions/s", "share of the games"]
    console.print(Markdown(table(header, rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
