"""A series of games on the command line: options, progress, results. What evaluate, tournament and balance share."""

import argparse
import json
import os
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from agents.registry import KNOWN, make_agent
from drako_env import replay
from drako_env.engine.game import Game
from drako_env.evaluation.match import game_seeds
from drako_env.evaluation.report import Report, heat_map, markdown, summarise
from drako_env.evaluation.runner import Job, Pairing, Played, Store, run
from drako_env.games import GAMES, make_game

AGENTS_HELP = "agents: " + ", ".join(f"{name} ({what})" for name, what in KNOWN.items())
INTERRUPTED = 130
BAD_WORDS = 2


def add_game_options(parser: argparse.ArgumentParser) -> None:
    """Which game, under which rules."""
    parser.add_argument("--game", default="drako", help=f"one of {', '.join(GAMES)} (default: drako)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="OPTION=VALUE", help="a rule option, e.g. rules=my.toml"
    )


def add_series_options(parser: argparse.ArgumentParser, games: int) -> None:
    """How many games, from which seed, where to."""
    add_game_options(parser)
    parser.add_argument("--games", type=int, default=games, help=f"deals for every pairing (default: {games})")
    parser.add_argument("--seed", type=int, default=0, help="of the deals: the same for every pairing")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, help="folder for the results (default: under runs/)")
    parser.add_argument("--resume", action="store_true", help="go on with an interrupted run")
    parser.add_argument(
        "--replays", default="", metavar="N,N,...", help="store the replays of these deals (numbers from 0)"
    )


def chosen_game(options: argparse.Namespace) -> Game:
    """The game of `--game` and `--set`."""
    return make_game(options.game, **dict(name_and_value(word, "--set") for word in options.set))


def name_and_value(word: str, option: str) -> tuple[str, Any]:
    """`exchange=false` as a name and a value of TOML; a value that is no TOML is a text."""
    name, equals, value = word.partition("=")
    if not equals:
        raise ValueError(f"{option} {word}: expected NAME=VALUE")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name, value


def fail(program: str, error: Exception) -> int:
    """One clear line; returns the exit code."""
    print(f"{program}: {error}", file=sys.stderr)
    return BAD_WORDS


def play_series(game: Game, pairings: Sequence[Pairing], options: argparse.Namespace, default_out: str) -> int:
    """Play, keep, report; returns the exit code. `ValueError` or `OSError` before anything is played."""
    if options.games < 1 or options.processes < 1:
        raise ValueError("--games and --processes must be at least 1")
    console, folder = Console(width=120), options.out or Path("runs") / default_out.replace(":", "")
    asked = {int(number) for number in options.replays.split(",") if number}
    store = Store(folder / "games.jsonl", options.resume)
    jobs = [
        Job(pairing, number, seed, number in asked)
        for number, seed in enumerate(game_seeds(options.seed, options.games))
        for pairing in pairings
    ]
    complete = _play(jobs, game, store, folder / "replays", options.processes, console)
    if games := [played for played in store.finish() if played.pairing in set(pairings)]:
        report = summarise(game, pairings, games)
        _write(report, folder, console)
    console.print(f"results: {folder}/report.md, report.json, games.jsonl" + (", replays/" if asked else ""))
    if not complete:
        console.print(f"interrupted after {len(games)} of {len(jobs)} games: the same command with --resume goes on")
    return 0 if complete else INTERRUPTED


def _play(jobs: list[Job], game: Game, store: Store, replays: Path, processes: int, console: Console) -> bool:
    """Play what is not in the store yet; False if interrupted."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
    todo = [job for job in jobs if job.key not in store.games or (job.record and not _path(replays, job).exists())]
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task("games", total=len(jobs), completed=len(jobs) - len(todo), rate="")

        def done(job: Job, played: Played) -> None:
            if job.record:
                replays.mkdir(exist_ok=True)
                recorded = replay.record(game, job.seed, job.pairing, played.actions, played.opinions)
                replay.save(_path(replays, job), recorded)
            if job.key not in store.games:
                store.add(played)
            speed = progress.tasks[0].speed
            progress.update(task, advance=1, rate=f"{speed:.1f} games/s" if speed else "")

        try:
            run(todo, game, make_agent, processes, done)
        except KeyboardInterrupt:
            return False
    return True


def _path(replays: Path, job: Job) -> Path:
    return replays / ("-".join([*job.pairing, str(job.number)]).replace(":", "").replace("/", "_") + ".jsonl")


def report_of(folder: Path) -> Report:
    """The figures of a finished series."""
    report: Report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return report


def _write(report: Report, folder: Path, console: Console) -> None:
    text = markdown(report)
    console.print(Markdown(text))
    (folder / "report.md").write_text(text, encoding="utf-8")
    (folder / "report.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if report.get("matches"):
        heat_map(report, folder / "payoffs.png")
