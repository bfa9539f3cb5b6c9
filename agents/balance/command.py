"""The search on the command line: options, progress, results."""

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Column

from agents.balance.candidates import Candidate, Log
from agents.balance.report import line, results
from agents.balance.search import Search, Tell
from agents.balance.settings import Settings
from agents.balance.strong import StrongPlay
from agents.league.run import settle
from drako_env.cli.options import INTERRUPTED, add_game_options, chosen_game, fail
from drako_env.runs import claimed, write

SETTINGS = Settings()
SLOWLY = 1800.0
"""Seconds over which the speed is taken: screening, training and searches differ."""


def options_of(argv: Sequence[str], description: str | None) -> argparse.Namespace:
    """What the command was told."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("balance.py --search", description=description, formatter_class=raw)
    parser.add_argument("--search", action="store_true", help="search a table instead of measuring one")
    add_game_options(parser)
    parser.add_argument("--start", default="policy", metavar="AGENT", help="policy or policy:FOLDER (default: policy)")
    parser.add_argument("--steps", type=int, default=10, help="of hill climbing, in all (default: 10)")
    minutes, games = SETTINGS.core_minutes, SETTINGS.games
    parser.add_argument(
        "--core-minutes", type=float, default=minutes, help=f"for each candidate (default: {minutes:g})"
    )
    parser.add_argument("--games", type=int, default=games, help=f"of searches for each candidate (default: {games})")
    parser.add_argument("--seed", type=int, default=0, help="default: 0")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="that play (default: all cores)")
    parser.add_argument("--out", type=Path, help="folder for the results (default: under runs/, named after the time)")
    parser.add_argument("--resume", action="store_true", help="go on with the search in --out; --steps may change")
    return parser.parse_args(argv)


def main(argv: Sequence[str], description: str | None = __doc__) -> int:
    """Search a table."""
    options, console = options_of(argv, description), Console(width=160)
    folder = options.out or Path("runs") / "balance-search" / time.strftime("%Y-%m-%d-%H%M%S")
    settings = replace(SETTINGS, core_minutes=options.core_minutes, games=options.games)
    try:
        judge = StrongPlay(folder, chosen_game(options), options.start, settings, options.seed, options.processes)
        return run(judge, options.steps, options.resume, console)
    except (ValueError, OSError) as error:
        return fail("balance", error)


def run(judge: StrongPlay, steps: int, resume: bool, console: Console) -> int:
    """Search and write; returns the exit code."""
    judge.check()
    if steps < 1:
        raise ValueError("--steps must be at least 1")
    go_on = f"to go on: the same command with --out {judge.folder} --resume"
    try:
        with claimed(judge.folder):
            settle(judge.folder, judge.about(), resume, "search")
            console.print(f"search: {judge.folder}  (Ctrl-C stops it)")
            text = search(judge, steps, console)
            write(judge.folder / "results.md", text)
    except KeyboardInterrupt:
        console.print(f"stopped; {go_on}", soft_wrap=True)
        return INTERRUPTED
    except OSError as error:
        return fail("balance", error, go_on)
    console.print(Markdown(text))
    console.print(f"results: {judge.folder}/results.md, best.toml, policies/, candidates.jsonl", soft_wrap=True)
    return 0


def search(judge: StrongPlay, steps: int, console: Console) -> str:
    """All of it, with a bar that shows how it goes; returns the results."""
    log = Shown(judge.folder / "candidates.jsonl", console)
    with progress(console) as tell:
        reported = Search(log, judge, judge.settings, judge.seed, tell).run(judge.game.rules_table(), steps)
    return results(log, reported, judge.settings, judge.game.seats[-1], judge.folder)


class Shown(Log):
    """A log that says what was judged."""

    def __init__(self, path: Path, console: Console) -> None:
        super().__init__(path)
        self._console = console

    def add(self, candidate: Candidate) -> Candidate:
        """Keep a candidate."""
        added = super().add(candidate)
        if candidate.accepted is not None:
            self._console.print(f"candidate {candidate.number}: {line(candidate)}", soft_wrap=True)
        return added


@contextmanager
def progress(console: Console) -> Iterator[Tell]:
    """A line that says what is done and how long the rest will take; a log file gets it whenever that changes."""
    words = TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"))
    columns = (BarColumn(16), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(), words)
    with Progress(*columns, console=console, expand=True, speed_estimate_period=SLOWLY) as bar:
        task = bar.add_task("", total=None)

        def tell(done: float, what: str) -> None:
            shown = bar.tasks[task]
            if shown.total is None:
                bar.reset(task, total=1.0)
                bar.tasks[task].completed = done  # what was done before says nothing about the speed
            changed = shown.description.partition(":")[0] != what.partition(":")[0]
            bar.update(task, completed=done, description=what)
            if changed and not console.is_terminal:
                left = "" if shown.time_remaining is None else f", {shown.time_remaining / 60:.0f} minutes left"
                console.print(f"{done:4.0%}{left}  {what}", soft_wrap=True)

        yield tell
