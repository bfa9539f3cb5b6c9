"""A series of games on the command line: options, progress, results. What evaluate, tournament and balance share."""

import argparse
import hashlib
import json
import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from drako_env.cli.options import INTERRUPTED, add_game_options, make_parser
from drako_env.engine.game import Game
from drako_env.evaluation.nodes import connect
from drako_env.evaluation.report import Report, heat_map, markdown, summarise, times_table
from drako_env.evaluation.runner import Job, Pairing, Played, Store, jobs_of, milliseconds, run, run_on_ray
from drako_env.players import make_player, player_files
from drako_env.replay import record, save
from drako_env.runs import claimed, read, write


def series_parser(command: str, description: str | None, games: int) -> argparse.ArgumentParser:
    """The options of a series: which game, how many games, from which seed, where to."""
    parser = make_parser(command, description, players=True)
    add_game_options(parser)
    parser.add_argument("--games", type=int, default=games, help=f"deals for every pairing (default: {games})")
    parser.add_argument("--seed", type=int, default=0, help="of the deals: the same for every pairing (default: 0)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="default: one for each core")
    parser.add_argument(
        "--ray", metavar="ADDRESS", help="play on a Ray cluster (auto: the one on this machine) instead"
    )
    parser.add_argument("--out", type=Path, help="folder for the results (default: under runs/)")
    parser.add_argument("--resume", action="store_true", help="go on with an interrupted run")
    parser.add_argument(
        "--replays", default="", metavar="N,N,...", help="store the replays of these deals (numbers from 0)"
    )
    return parser


def play_series(game: Game, pairings: Sequence[Pairing], options: argparse.Namespace, default_out: str) -> int:
    """Play, keep, report; returns the exit code. `ValueError` or `OSError` if the options make no sense."""
    console, folder = Console(width=120), options.out or Path("runs") / default_out
    agents = list(dict.fromkeys(agent for pairing in pairings for agent in pairing))
    for agent in agents:
        make_player(agent, game)  # what is wrong with one is said before anything is played
    jobs, asked = _jobs(pairings, options)
    if options.ray:
        connect(options.ray, 1)
    with claimed(folder):
        _check_series(folder, game, agents, options)
        store = Store(folder / "games.jsonl", options.resume)
        runner = run_on_ray if options.ray else partial(run, processes=options.processes)
        complete = play_jobs(jobs, game, store, folder / "replays", runner, console)
        try:
            if _report(game, pairings, store, folder, console):
                more = ", replays/" if asked else ""
                console.print(f"results: {folder}/report.md, report.json, games.jsonl{more}")
        except KeyboardInterrupt:
            complete = False
    if not complete:
        played = sum(pairing in set(pairings) for pairing, _ in store.games)
        console.print(f"interrupted after {played} of {len(jobs)} games: the same command with --resume goes on")
    return 0 if complete else INTERRUPTED


def _jobs(pairings: Sequence[Pairing], options: argparse.Namespace) -> tuple[list[Job], set[int]]:
    """All games to be played, and the deals whose replays are wanted."""
    if options.games < 1 or options.processes < 1 or options.seed < 0:
        raise ValueError("--games and --processes must be at least 1, and --seed not negative")
    words = [word for word in options.replays.split(",") if word]
    if wrong := [word for word in words if not word.isdecimal() or int(word) >= options.games]:
        raise ValueError(f"--replays {wrong[0]}: expected numbers of deals, from 0 to {options.games - 1}")
    asked = {int(word) for word in words}
    return jobs_of(pairings, options.games, options.seed, asked), asked


def _check_series(folder: Path, game: Game, agents: Sequence[str], options: argparse.Namespace) -> None:
    """A folder holds the games of one game, one set of rules, one seed, and players that stay what they are."""
    series = {"game": game.name, "rules": game.rules_table(), "seed": options.seed}
    files = {agent: player_files(agent, game) for agent in sorted(agents)}
    series["players"] = {agent: _digest(paths) for agent, paths in files.items() if paths}
    path = folder / "series.json"
    if path.exists() and options.resume:
        do = "remove it if this is the command that began the series, or choose another --out"
        before = read(path, ("game", "rules", "seed", "players"), do)
        series["players"] = before["players"] | series["players"]
        for key in ("game", "rules", "seed"):
            if before[key] != series[key]:
                raise ValueError(f"{folder}: its games were played with another {key}; choose another --out")
        for agent, digest in before["players"].items():
            if series["players"][agent] != digest:
                raise ValueError(f"{folder}: {agent} has changed since its games were played; choose another --out")
    if not (folder / "games.jsonl").exists() or options.resume:
        write(path, json.dumps(series, indent=1) + "\n")


def _digest(files: Sequence[Path]) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def play_jobs(
    jobs: list[Job], game: Game, store: Store, replays: Path, runner: Callable[..., None], console: Console
) -> bool:
    """Play what is not in the store yet; False if interrupted."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
    todo = [job for job in jobs if job.key not in store.games or (job.record and not _path(replays, job).exists())]
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task("games", total=len(jobs), completed=len(jobs) - len(todo), rate="")

        def done(job: Job, played: Played) -> None:
            if job.record:
                replays.mkdir(exist_ok=True)
                recorded = record(game, job.seed, job.pairing, played.actions, played.opinions, played.values)
                save(_path(replays, job), recorded)
            if job.key not in store.games:
                store.add(played)
            speed = progress.tasks[0].speed
            progress.update(task, advance=1, rate=f"{speed:.1f} games/s" if speed else "")
            finished = int(progress.tasks[0].completed)
            if not console.is_terminal and finished % max(1, len(jobs) // 10) == 0:  # a log file has no bar
                console.print(f"{finished} of {len(jobs)} games")

        try:
            runner(todo, game, make_player, done=done)
        except KeyboardInterrupt:
            return False
    return True


def _path(replays: Path, job: Job) -> Path:
    return replays / f"{file_name(*job.pairing, str(job.number))}.jsonl"


def file_name(*words: str) -> str:
    """Agents' names as a name that any file system takes: `ismcts:200` as `ismcts200`, `mine:Bold` as `mine_Bold`."""
    return re.sub(r"[^\w.-]+", "_", re.sub(r":(?=\d)", "", "-".join(words))).strip(".")


def report_of(folder: Path) -> Report:
    """The figures of a finished series."""
    report: Report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return report


def times_of(folder: Path) -> dict[str, float]:
    """The milliseconds that each player took for a decision in a finished series."""
    return milliseconds(folder / "games.jsonl")


def _report(game: Game, pairings: Sequence[Pairing], store: Store, folder: Path, console: Console) -> bool:
    """Show and write what the games say; False if there are none."""
    games = [played for played in store.finish() if played.pairing in set(pairings)]
    if not games:
        return False
    report = summarise(game, pairings, games)
    text = markdown(report)
    console.print(Markdown(text))
    spent = times_of(folder)
    console.print(Markdown(times_table({agent: spent[agent] for agent in report["agents"] if agent in spent})))
    write(folder / "report.md", text)
    write(folder / "report.json", json.dumps(report, indent=1) + "\n")
    if report.get("matches"):
        heat_map(report, folder / "payoffs.png")
    return True
