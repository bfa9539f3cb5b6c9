"""A league on the command line: progress, results, what to do next."""

import shlex
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Column

from agents.league.checkpoint import Checkpoints, State
from agents.league.judge import count_wins
from agents.league.league import ANCHORS, League
from agents.league.report import Log, Wins, profile, results_table, save_policies, save_replays
from agents.league.run import Run, derived_seed
from drako_env.cli.options import INTERRUPTED, fail
from drako_env.engine.game import Game, role_of, sides
from drako_env.runs import claimed, write


def run_league(league: League, after: Callable[[League], None], console: Console) -> int:
    """Train, then `after`; returns the exit code. Ctrl-C loses at most the round under way."""
    run = league.run
    try:
        with claimed(run.folder), ExitStack() as started:
            run.save(sys.argv)
            console.print(f"run: {run.folder}  (Ctrl-C stops it; tensorboard --logdir {run.folder}/tensorboard)")
            with console.status("starting the learners"):
                started.enter_context(league)
            train(league, console)
            after(league)
    except KeyboardInterrupt:
        console.print(f"stopped; {how_to_go_on(league)}", soft_wrap=True)
        return INTERRUPTED
    except OSError as error:
        return fail(run.kind, error, how_to_go_on(league))
    return 0


def how_to_go_on(league: League) -> str:
    """In words and a command; before the first checkpoint there is nothing to go on with."""
    run = league.run
    if not Checkpoints(run.folder).exist():
        return "there was no checkpoint yet: the same command begins again"
    words = shlex.join([Path(sys.argv[0]).name, "--out", str(run.folder), "--resume", *run.where])
    return f"to go on: .venv/bin/python scripts/{words}"


def train(league: League, console: Console) -> None:
    """All rounds, with a bar that shows how it goes."""
    run, budget, log = league.run, league.run.budget, Log(league.run.folder, league.state)
    columns = (TextColumn("training"), BarColumn(16), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    words = TextColumn("{task.fields[how]}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"))
    with Progress(*columns, words, console=console, expand=True) as progress:
        task = progress.add_task("training", total=1.0, completed=budget.progress(league.state), how="")

        def shown(state: State) -> None:
            log.add(state)
            progress.update(task, completed=budget.progress(state), how=how_it_goes(state))
            if not console.is_terminal and state.round % run.config.eval_every == 0:  # a log file has no bar
                console.print(f"{budget.progress(state):4.0%}  {how_it_goes(state)}", soft_wrap=True)

        try:
            league.train(shown)
        finally:
            log.close(league.state)


def how_it_goes(state: State) -> str:
    """Rate, and how many games each side wins: in training, and when it was evaluated last."""
    parts = [f"round {state.round}", f"{sum(state.decisions.values()) / max(state.seconds, 1e-9):,.0f}/s"]
    for role, side in state.rows[-1]["sides"].items():
        judged = next((row["sides"][role]["win"] for row in reversed(state.rows) if "win" in row["sides"][role]), {})
        shown = side["train_win"] | {name: wins / games for name, (wins, games) in judged.items()}
        parts.append(f"{role} beats {' '.join(f'{rate:.0%} {name}' for name, rate in shown.items())}")
    return "  ".join(parts)


def baseline(game: Game, seats: list[str], games: int, seed: int) -> Wins:
    """How often random play wins on each seat."""
    return {
        seat: {anchor: (count_wins(game, seat, "random", anchor, games, seed), games) for anchor in ANCHORS}
        for seat in seats
    }


def finish(league: League, games: int, console: Console) -> None:
    """Evaluate, write, say what there is and what to do next."""
    run, policies, seed = league.run, save_policies(league), derived_seed(league.run.seed, "final")
    with console.status(f"evaluating: {games} games on each seat against {' and '.join(ANCHORS)}"):
        trained = league.win_rates(games, seed)
        before = baseline(run.game, run.seats, games, seed)
    minutes, decisions = league.state.seconds / 60, sum(league.state.decisions.values())
    title = f"# {run.game.name}: {minutes:.1f} minutes, {decisions:,} decisions"
    text = f"{title}\n\n{results_table(before, trained)}\n"
    write(run.folder / "results.md", text)
    console.print(Markdown(text))
    if len(run.seats) == len(sides(run.game)):
        spec, others = f"policy:{policies}", ["heuristic"] * (len(run.game.seats) - 1)
        save_replays(run.game, [(spec,) * len(run.game.seats), (spec, *others)], run.folder / "replays", seed)
    if league.state.rows:
        console.print(profile(league.state.rows))
    console.print(f"policies: {policies}/  curves: {run.folder}/curves.png  log: {run.folder}/log.csv, tensorboard/")
    console.print("next:", style="bold")
    for command in next_commands(run, policies):
        console.print(f"  .venv/bin/python scripts/{command}", soft_wrap=True)


def next_commands(run: Run, policies: Path) -> list[str]:
    """What to do after a run: play with what it has learnt, or train for longer."""
    spec, other, seats = f"policy:{policies}", "ismcts:200", run.game.seats
    match = [spec, *[other] * (len(seats) - 1)]
    if len(run.seats) < len(sides(run.game)):
        match = [f"{role_of(seat)}={spec if seat in run.seats else other}" for seat in seats]
    longer = f"--rounds {run.budget.rounds * 4}" if run.budget.rounds else f"--minutes {run.budget.minutes * 4:g}"
    return [
        " ".join(["evaluate.py", *match, *run.game_words(), "--games 100"]),
        " ".join([f"{run.kind}.py --out {run.folder} --resume {longer}", *run.where]),
    ]
