"""How strong was a training run, and when? The policies that it kept play matches against agents that stay the same.

python scripts/strength.py runs/train/mine --against heuristic ismcts:200 --points 8 --games 100
"""

import argparse
import csv
import os
import shutil
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import track

from agents.league.checkpoint import State
from agents.league.report import COLOURS
from agents.league.run import Run
from drako_env.cli.options import fail
from drako_env.engine.game import role_of, sides
from drako_env.evaluation.report import interval, share, summarise, table
from drako_env.evaluation.runner import play_pairings
from drako_env.players import make_player
from drako_env.players.policy import SUFFIX


@dataclass(frozen=True)
class Point:
    """What a run's policies were worth after some time."""

    round: int
    minutes: float
    against: str
    score: float
    low: float
    high: float


def chosen_rounds(folder: Path, role: str, points: int) -> list[int]:
    """Rounds whose policies were kept, about evenly spread over the logarithm of time, first and last included."""
    kept = sorted(int(path.stem[-5:]) for path in (folder / "past").glob(f"{role}-*{SUFFIX}"))
    if not kept:
        raise ValueError(f"{folder}: the run has kept no policies")
    wanted = [max(kept[0], 1) * (kept[-1] / max(kept[0], 1)) ** (i / max(1, points - 1)) for i in range(points)]
    return sorted({min(kept, key=lambda number: abs(number - goal)) for goal in wanted})


def policies_of(run: Run, number: int) -> Path:
    """A folder with the policies of a round, under their roles' names."""
    folder = run.folder / "strength" / f"round-{number:05}"
    folder.mkdir(parents=True, exist_ok=True)
    for seat in run.seats:
        shutil.copyfile(
            run.folder / "past" / f"{role_of(seat)}-{number:05}{SUFFIX}", folder / f"{role_of(seat)}{SUFFIX}"
        )
    return folder


def judge(run: Run, number: int, minutes: float, other: str, games: int, processes: int) -> Point:
    """Matches of two legs with the sides swapped, on the same deals for every round."""
    agent = f"policy:{policies_of(run, number)}"
    pairings = [(agent, other), (other, agent)]
    played = play_pairings(run.game, pairings, games, make_player, run.seed, processes)
    (match,) = [m for m in summarise(run.game, pairings, played)["matches"] if m["agents"] == [agent, other]]
    return Point(number, round(minutes, 2), other, match["score"], *match["interval"])


def draw(points: list[Point], path: Path) -> None:
    """Scores over training time."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullLocator

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    for colour, other in zip(COLOURS, dict.fromkeys(point.against for point in points), strict=False):
        mine = [(p.minutes, p.score, p.low, p.high) for p in points if p.against == other]
        minutes, scores, low, high = zip(*mine, strict=True)
        axes.plot(minutes, scores, "o-", color=colour, label=f"against {other}", linewidth=1.6, markersize=4)
        axes.fill_between(minutes, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.set(xscale="log", ylim=(0, 1), xlabel="minutes of training", ylabel="matches won (sides swapped)")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(lambda minutes, _: f"{minutes:g}")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(lambda rate, _: f"{rate:.0%}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=130, metadata={"Software": None})


def main() -> int:
    """Play, draw, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the folder of a training run of both sides")
    parser.add_argument("--against", nargs="+", default=["heuristic", "ismcts:200"], metavar="AGENT")
    parser.add_argument("--points", type=int, default=8, help="in time (default: 8)")
    parser.add_argument("--games", type=int, default=100, help="matches at each point (default: 100)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options, console = parser.parse_args(), Console(width=120)
    try:
        run, state = Run.load(options.run), State.load(options.run / "checkpoint" / "state.json")
        if len(run.game.seats) != 2 or len(run.seats) != len(sides(run.game)) or options.points < 1:
            raise ValueError("expected a run of all sides of a game of two seats, and at least one point")
        rounds = chosen_rounds(options.run, role_of(run.seats[0]), options.points)
        for agent in options.against:
            make_player(agent, run.game)
    except (ValueError, OSError) as error:
        return fail("strength", error)
    minutes = {row["round"]: row["seconds"] / 60 for row in state.rows}
    todo = [(number, other) for number in rounds if number in minutes for other in options.against]
    points = []
    for number, other in track(todo, "playing", console=console, transient=True):
        points.append(judge(run, number, minutes[number], other, options.games, options.processes))
    write(points, options.run, console)
    return 0


def write(points: list[Point], folder: Path, console: Console) -> None:
    """A table, a picture, and figures to read in."""
    with (folder / "strength.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(asdict(points[0])))
        writer.writeheader()
        writer.writerows(map(asdict, points))
    draw(points, folder / "strength.png")
    rows = [[str(p.round), f"{p.minutes:.1f}", p.against, share(p.score), interval((p.low, p.high))] for p in points]
    console.print(Markdown(table(["round", "minutes", "against", "matches won", "95% interval"], rows)))
    console.print(f"results: {folder}/strength.csv, strength.png")


if __name__ == "__main__":
    sys.exit(main())
