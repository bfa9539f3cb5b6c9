"""Self-play training: the sides learn together, against each other, their past and the anchors.

python scripts/train.py --minutes 5                          # both sides
python scripts/train.py --seats dragon --minutes 10          # one side, against the anchors
python scripts/train.py --game golden_dragon --players 2     # one policy for all seats
python scripts/train.py --out runs/train/mine --resume       # after Ctrl-C, or worse
python scripts/train.py --minutes 60 --config my.toml --train entropy=0.02
"""

import argparse
import shlex
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Column

from agents.league.checkpoint import Checkpoints, State
from agents.league.config import Config
from agents.league.judge import count_wins, random_policy
from agents.league.league import ANCHORS, Budget, CrewMaker, League, derived_seed
from agents.league.pool import LATEST, Opponents
from agents.league.report import Log, Run, Wins, results_table, save_policies, save_replays
from agents.league.workers import Processes
from drako_env.cli.options import INTERRUPTED, add_game_options, chosen_game, fail, name_and_text, toml_value
from drako_env.engine.game import Game, role_of, sides
from drako_env.players import shipped_policy
from drako_env.players.policy import SUFFIX, load_policy
from drako_env.runs import claimed, write

FINAL_GAMES = 1000


def read_options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_league_options(parser)
    return parser.parse_args()


def add_league_options(parser: argparse.ArgumentParser) -> None:
    """What a league can be told, wherever it trains."""
    add_game_options(parser)
    parser.add_argument("--seats", help="both, or one role such as dragon (default: both)")
    add_training_options(parser, minutes=5.0)
    parser.add_argument("--config", type=Path, help="a TOML file with the fields of agents/league/config.py")
    parser.add_argument("--games", type=int, default=FINAL_GAMES, help="of the evaluation at the end, per opponent")


def add_training_options(parser: argparse.ArgumentParser, minutes: float) -> None:
    """What every training run can be told."""
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--minutes", type=float, help=f"of training (default: {minutes:g}; resumed: as before)")
    length.add_argument("--rounds", type=int, help="instead of minutes, for runs to be repeated exactly")
    parser.set_defaults(default_minutes=minutes)
    parser.add_argument("--train", action="append", default=[], metavar="NAME=VALUE", help="a field of the config")
    parser.add_argument("--start", metavar="AGENT", help="begin with the networks of policy or policy:FOLDER")
    parser.add_argument("--seed", type=int, help="default: 0")
    parser.add_argument("--out", type=Path, help="the run's folder (default: under runs/, named after the time)")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --out, as it was begun")


def settings(words: list[str]) -> dict[str, object]:
    """What was given as `--train NAME=VALUE`."""
    return {name: toml_value(text) for name, text in (name_and_text(word, "--train") for word in words)}


def chosen_seats(game: Game, words: str) -> list[str]:
    """The sides to train."""
    chosen = [side for side in sides(game) if words in ("both", role_of(side))]
    if not chosen:
        raise ValueError(f"--seats {words}: expected both or {' or '.join(map(role_of, sides(game)))}")
    return chosen


def policy_files(game: Game, seats: list[str], spec: str) -> dict[str, Path]:
    """The files of `policy` or `policy:FOLDER`, by side; `ValueError` if one cannot be played."""
    name, _, argument = spec.partition(":")
    folder = Path(argument) if argument else shipped_policy(game)
    if name != "policy" or not folder.is_dir():
        raise ValueError(f"{spec!r}: expected policy or policy:FOLDER")
    files = {seat: folder / f"{role_of(seat)}{SUFFIX}" for seat in seats}
    for file in files.values():
        load_policy(file, game)
    return files


def run_of(options: argparse.Namespace, kind: str) -> Run:
    """The run to begin or to go on with; an old one is never overwritten."""
    folder: Path = options.out or Path("runs") / kind / time.strftime("%Y-%m-%d-%H%M%S")
    exists = Checkpoints(folder).exist()
    if options.resume and not exists:
        raise ValueError(f"{folder}: there is no run to resume")
    if exists and not options.resume:
        raise ValueError(f"{folder}: there is a run already; add --resume to go on with it, or choose another --out")
    if options.resume:
        new = {
            name: getattr(options, name, None)
            for name in ("set", "players", "train", "config", "seats", "seed", "start")
        }
        if given := [f"--{name}" for name, value in new.items() if value not in (None, [])]:
            raise ValueError(f"{given[0]}: a resumed run stays what it was; only --minutes or --rounds may change")
        run = Run.load(folder)
        if run.kind != kind:
            raise ValueError(f"{folder}: begun with scripts/{run.kind}.py, which alone can go on with it")
    else:
        game, seed = chosen_game(options), options.seed or 0
        config = Config.load(getattr(options, "config", None), **settings(options.train))
        seats = chosen_seats(game, getattr(options, "seats", None) or "both")
        run = Run(folder, kind, game, seats, config, seed, Budget(options.default_minutes))
        run.start = policy_files(game, seats, options.start) if options.start else {}
    if options.minutes is not None or options.rounds is not None:
        run.budget = Budget(options.minutes or 0.0, options.rounds or 0)
    if not (run.budget.minutes > 0 or run.budget.rounds > 0) or run.seed < 0:
        raise ValueError("--minutes or --rounds must be above 0, and --seed not below")
    return run


def train(league: League, budget: Budget, console: Console) -> None:
    """All rounds, with a bar that shows how it goes."""
    log = Log(league.folder, [role_of(seat) for seat in league.seats], league.state)
    columns = (TextColumn("training"), BarColumn(16), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    words = TextColumn("{task.fields[how]}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"))
    with Progress(*columns, words, console=console, expand=True) as progress:
        task = progress.add_task("training", total=1.0, completed=budget.progress(league.state), how="")

        def shown(state: State) -> None:
            log.add(state)
            progress.update(task, completed=budget.progress(state), how=how_it_goes(state, league.seats))
            if not console.is_terminal and state.round % league.config.eval_every == 0:  # a log file has no bar
                console.print(f"{budget.progress(state):4.0%}  {how_it_goes(state, league.seats)}", soft_wrap=True)

        try:
            league.train(budget, shown)
        finally:
            log.close(league.state)


def how_it_goes(state: State, seats: list[str]) -> str:
    """Rate, and how many training games each side wins against the anchors, in a few words."""
    parts = [f"round {state.round}", f"{sum(state.decisions.values()) / max(state.seconds, 1e-9):,.0f}/s"]
    for seat in seats:
        pool = state.pools[seat]
        shown = {name: rate for name, rate in pool.win_rates.items() if name not in (LATEST, *pool.snapshots)}
        parts.append(f"{role_of(seat)} beats {' '.join(f'{rate:.0%} {name}' for name, rate in shown.items())}")
    return "  ".join(parts)


def baseline(game: Game, seats: list[str], games: int, seed: int) -> Wins:
    """How often random play wins on each seat."""
    return {
        seat: {anchor: (count_wins(game, seat, random_policy(seed), anchor, games, seed), games) for anchor in ANCHORS}
        for seat in seats
    }


def finish(league: League, run: Run, games: int, console: Console) -> None:
    """Evaluate, write, say what there is and what to do next."""
    policies, seed = save_policies(league), derived_seed(run.seed, "final")
    with console.status(f"evaluating: {games} games on each seat against {' and '.join(ANCHORS)}"):
        trained = league.win_rates(games, seed)
        before = baseline(league.game, league.seats, games, seed)
    minutes, decisions = league.state.seconds / 60, sum(league.state.decisions.values())
    title = f"# {league.game.name}: {minutes:.1f} minutes, {decisions:,} decisions"
    text = f"{title}\n\n{results_table(before, trained)}\n"
    write(league.folder / "results.md", text)
    console.print(Markdown(text))
    spec, others = f"policy:{policies}", ["heuristic"] * (len(league.game.seats) - 1)
    match = f"{role_of(league.seats[0])}={spec} {' '.join(f'{role_of(s)}=ismcts:200' for s in league.game.seats[1:])}"
    if len(league.seats) == len(sides(league.game)):
        seatings = [(spec,) * len(league.game.seats), (spec, *others)]
        save_replays(league.game, seatings, league.folder / "replays", seed)
        match = " ".join([spec, *["ismcts:200"] * len(others)])
    console.print(
        f"policies: {policies}/  curves: {league.folder}/curves.png  log: {league.folder}/log.csv, tensorboard/"
    )
    longer = f"--rounds {run.budget.rounds * 4}" if run.budget.rounds else f"--minutes {run.budget.minutes * 4:g}"
    longer = " ".join([longer, *run.where])
    console.print("next:", style="bold")
    words = " ".join([match, *run.game_words(), "--games 100"])
    console.print(f"  .venv/bin/python scripts/evaluate.py {words}", soft_wrap=True)
    console.print(f"  .venv/bin/python scripts/{run.kind}.py --out {league.folder} --resume {longer}", soft_wrap=True)


def run_league(
    run: Run,
    frozen: Mapping[str, Opponents] | None,
    after: Callable[[League], None],
    console: Console,
    crew: CrewMaker = Processes,
) -> int:
    """Train, then `after`; returns the exit code. Ctrl-C loses at most the round under way."""
    try:
        with claimed(run.folder):
            run.save(sys.argv)
            console.print(f"run: {run.folder}  (Ctrl-C stops it; tensorboard --logdir {run.folder}/tensorboard)")
            _train_league(run, frozen, after, console, crew)
    except KeyboardInterrupt:
        console.print(f"stopped; {how_to_go_on(run, frozen is not None)}", soft_wrap=True)
        return INTERRUPTED
    except OSError as error:
        return fail(run.kind, error, how_to_go_on(run, frozen is not None))
    return 0


def _train_league(
    run: Run,
    frozen: Mapping[str, Opponents] | None,
    after: Callable[[League], None],
    console: Console,
    crew: CrewMaker,
) -> None:
    with console.status("starting the learners"):
        league = League(run.game, run.seats, run.folder, run.config, run.seed, frozen, run.start, crew, console.print)
    try:
        train(league, run.budget, console)
        after(league)
    finally:
        league.close()


def how_to_go_on(run: Run, with_agent: bool) -> str:
    """In words and a command; before the first checkpoint there is nothing to go on with."""
    if not Checkpoints(run.folder).exist():
        return "there was no checkpoint yet: the same command begins again"
    agent = [word for word in sys.argv[1:2] if with_agent and not word.startswith("-")]
    words = shlex.join([Path(sys.argv[0]).name, *agent, "--out", str(run.folder), "--resume", *run.where])
    return f"to go on: .venv/bin/python scripts/{words}"


def main() -> int:
    """Train, evaluate, show."""
    options, console = read_options(), Console(width=130)
    try:
        if options.games < 1:
            raise ValueError("--games must be at least 1")
        run = run_of(options, "train")
    except (ValueError, OSError) as error:
        return fail("train", error)
    return run_league(run, None, lambda league: finish(league, run, options.games, console), console)


if __name__ == "__main__":
    sys.exit(main())
