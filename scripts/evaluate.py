"""Two agents against each other: win rates with intervals, endings, lengths.

python scripts/evaluate.py dragon=heuristic dwarves=ismcts:200 --games 1000
"""

import argparse
import json
import os
import sys
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent))

from agents.registry import KNOWN, make_agent
from drako_env.drako.game import Drako
from drako_env.drako.rules import Rules
from drako_env.engine.game import Game
from drako_env.evaluation.match import game_seeds
from drako_env.evaluation.runner import Job, Pairing, Played, Store, run
from drako_env.evaluation.statistics import quantile, wilson


def read_pairing(words: list[str], game: Game) -> Pairing:
    """`dragon=heuristic dwarves=random` as the agents' names in seat order, each tried once."""
    seats = {seat.rsplit("_", 1)[0]: seat for seat in game.seats}
    chosen: dict[str, str] = {}
    for word in words:
        seat, equals, spec = word.partition("=")
        if not equals or seat not in seats:
            raise ValueError(f"{word!r}: expected SEAT=AGENT with a seat of {', '.join(seats)}")
        make_agent(spec, game)
        chosen[seat] = spec
    if missing := [seat for seat in seats if seat not in chosen]:
        raise ValueError(f"no agent for {missing[0]}: give {missing[0]}=AGENT, with an agent of {', '.join(KNOWN)}")
    return tuple(chosen[seat] for seat in seats)


def play_all(jobs: list[Job], game: Game, store: Store, processes: int, console: Console) -> bool:
    """Play what is not in the store yet; False if interrupted."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
    todo = [job for job in jobs if (job.pairing, job.number) not in store.games]
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task("games", total=len(jobs), completed=len(jobs) - len(todo), rate="")

        def done(played: Played) -> None:
            store.add(played)
            speed = progress.tasks[0].speed
            progress.update(task, advance=1, rate=f"{speed:.1f} games/s" if speed else "")

        try:
            run(todo, game, make_agent, processes, done)
        except KeyboardInterrupt:
            return False
    return True


def summary(pairing: Pairing, game: Game, games: list[Played]) -> dict[str, object]:
    """The figures of a match, JSON-able."""
    count, results = len(games), [played.result for played in games]
    seats = {}
    for seat, (name, spec) in enumerate(zip(game.seats, pairing, strict=True)):
        wins = sum(result.rewards[seat] > 0 for result in results)
        low, high = wilson(wins, count)
        seats[name] = {"agent": spec, "wins": wins, "rate": wins / count, "interval": [low, high]}
    lengths = [result.decisions for result in results]
    return {
        "games": count,
        "seats": seats,
        "endings": dict(Counter(result.ending for result in results).most_common()),
        "decisions": {"median": quantile(lengths, 0.5), "5%": quantile(lengths, 0.05), "95%": quantile(lengths, 0.95)},
    }


def show(report: dict[str, object], console: Console) -> str:
    """Print the figures as tables; returns them as Markdown."""
    seats, endings, lengths = report["seats"], report["endings"], report["decisions"]
    table = Table(title=f"{report['games']} games")
    lines = [f"{report['games']} games", "", "| seat | agent | win rate | 95% interval |", "|---|---|---:|---|"]
    for column in ("seat", "agent", "win rate", "95% interval"):
        table.add_column(column)
    for name, row in seats.items():  # type: ignore[attr-defined]
        interval = "{:.1%} - {:.1%}".format(*row["interval"])
        table.add_row(name, row["agent"], f"{row['rate']:.1%}", interval)
        lines.append(f"| {name} | {row['agent']} | {row['rate']:.1%} | {interval} |")
    console.print(table)
    ends = "; ".join(f"{ending} {count}" for ending, count in endings.items())  # type: ignore[attr-defined]
    rest = f"endings: {ends}\ndecisions: median {lengths['median']}, 5%-95% {lengths['5%']}-{lengths['95%']}"  # type: ignore[index]
    console.print(rest)
    return "\n".join([*lines, "", *rest.splitlines(), ""])


def main() -> int:
    """Play, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="+", metavar="SEAT=AGENT", help=f"agents: {', '.join(KNOWN)}")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--rules", default="reconstructed", help="a shipped table or a path to a .toml")
    parser.add_argument("--out", type=Path, help="folder for the results (default: runs/evaluate/AGENTS)")
    parser.add_argument("--resume", action="store_true", help="go on with an interrupted run")
    options = parser.parse_args()
    console = Console(width=100)
    try:
        game = Drako.of(Rules.load(options.rules))
        pairing = read_pairing(options.agents, game)
        folder = options.out or Path("runs/evaluate") / "-".join(pairing).replace(":", "")
        store = Store(folder / "games.jsonl", options.resume)
    except (ValueError, OSError) as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 2
    jobs = [Job(pairing, number, seed) for number, seed in enumerate(game_seeds(options.seed, options.games))]
    complete = play_all(jobs, game, store, options.processes, console)
    games = store.finish()
    if games:
        report = summary(pairing, game, games)
        markdown = show(report, console)
        (folder / "report.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        (folder / "report.md").write_text(markdown, encoding="utf-8")
    console.print(f"results: {folder}/games.jsonl, report.json, report.md")
    if not complete:
        console.print(f"interrupted after {len(games)} of {len(jobs)} games: the same command with --resume goes on")
    return 0 if complete else 130


if __name__ == "__main__":
    sys.exit(main())
