"""Self-play training: the sides learn together, against each other, their past and the anchors.

python scripts/train.py --minutes 5                          # both sides
python scripts/train.py --seats dragon --minutes 10          # one side, against the anchors
python scripts/train.py --out runs/train/mine --resume       # after Ctrl-C, or worse
python scripts/train.py --minutes 60 --config my.toml --train entropy=0.02
"""

import argparse
import shlex
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from agents.league.config import Config
from agents.league.league import ANCHORS, Budget, League, State, role_of
from agents.league.pool import LATEST
from agents.league.report import Log, Wins, results_table, save_policies, save_replays, write_about
from agents.series import INTERRUPTED, add_game_options, chosen_game, fail, name_and_value
from drako_env.engine.game import Game

FINAL_GAMES = 1000


def read_options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_game_options(parser)
    parser.add_argument("--seats", default="both", help="both, or one role such as dragon (default: both)")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--minutes", type=float, default=5.0, help="of training (default: 5)")
    length.add_argument("--rounds", type=int, default=0, help="instead of minutes, for runs to be repeated exactly")
    parser.add_argument("--config", type=Path, help="a TOML file with the fields of agents/league/config.py")
    parser.add_argument("--train", action="append", default=[], metavar="NAME=VALUE", help="one of those fields")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="the run's folder (default: runs/train/ and the time)")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --out")
    parser.add_argument("--games", type=int, default=FINAL_GAMES, help="of the evaluation at the end, per opponent")
    return parser.parse_args()


def chosen_seats(game: Game, words: str) -> list[str]:
    """The seats to train."""
    if words == "both":
        return list(game.seats)
    chosen = [seat for seat in game.seats if role_of(seat) == words]
    if not chosen:
        raise ValueError(f"--seats {words}: expected both or {' or '.join(map(role_of, game.seats))}")
    return chosen


def run_folder(options: argparse.Namespace) -> Path:
    """Where the run lives; an old one is never overwritten."""
    folder: Path = options.out or Path("runs/train") / time.strftime("%Y-%m-%d-%H%M%S")
    exists = (folder / "checkpoint" / "state.json").exists()
    if options.resume and not exists:
        raise ValueError(f"{folder}: there is no run to resume")
    if exists and not options.resume:
        raise ValueError(f"{folder}: there is a run already; add --resume to go on with it, or choose another --out")
    return folder


def train(league: League, budget: Budget, console: Console) -> None:
    """All rounds, with a bar that shows how it goes."""
    log = Log(league.folder, [role_of(seat) for seat in league.seats], league.state)
    columns = (TextColumn("training"), BarColumn(16), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    with Progress(*columns, TextColumn("{task.fields[how]}"), console=console) as progress:
        task = progress.add_task("training", total=1.0, completed=budget.progress(league.state), how="")

        def shown(state: State) -> None:
            log.add(state)
            progress.update(task, completed=budget.progress(state), how=how_it_goes(state, league.seats))

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
    from agents.league.learner import count_wins, random_policy

    return {
        seat: {anchor: (count_wins(game, seat, random_policy(seed), anchor, games, seed), games) for anchor in ANCHORS}
        for seat in seats
    }


def finish(league: League, options: argparse.Namespace, console: Console) -> None:
    """Evaluate, write, say what there is and what to do next."""
    with console.status(f"evaluating: {options.games} games on each seat against {' and '.join(ANCHORS)}"):
        trained = league.win_rates(options.games, options.seed + 1)
        before = baseline(league.game, league.seats, options.games, options.seed + 1)
    minutes, decisions = league.state.seconds / 60, sum(league.state.decisions.values())
    title = f"# {league.game.name}: {minutes:.1f} minutes, {decisions:,} decisions"
    text = f"{title}\n\n{results_table(before, trained)}\n"
    (league.folder / "results.md").write_text(text, encoding="utf-8")
    console.print(Markdown(text))
    policies = save_policies(league)
    both = len(league.seats) == len(league.game.seats)
    if both:
        spec = f"policy:{policies}"
        seatings = [(spec,) * len(league.game.seats), (spec, *["heuristic"] * (len(league.game.seats) - 1))]
        save_replays(league.game, seatings, league.folder / "replays", options.seed)
    console.print(
        f"policies: {policies}/  curves: {league.folder}/curves.png  log: {league.folder}/log.csv, tensorboard/"
    )
    console.print("next:", style="bold")
    console.print(f"  .venv/bin/python scripts/evaluate.py policy:{policies} ismcts:200 --games 100", soft_wrap=True)
    console.print(
        f"  .venv/bin/python scripts/train.py --out {league.folder} --resume --minutes {options.minutes * 4:g}"
    )


def main() -> int:
    """Train, evaluate, show."""
    options = read_options()
    console = Console(width=130)
    try:
        game = chosen_game(options)
        seats = chosen_seats(game, options.seats)
        config = Config.load(options.config, **dict(name_and_value(word, "--train") for word in options.train))
        folder = run_folder(options)
    except (ValueError, OSError) as error:
        return fail("train", error)
    folder.mkdir(parents=True, exist_ok=True)
    console.print(f"run: {folder}  (Ctrl-C stops it, --resume goes on; tensorboard --logdir {folder}/tensorboard)")
    with console.status("starting the learners"):
        league = League(game, seats, folder, config, options.seed)
    write_about(folder / "about.json", game, config, seats, options.seed)
    try:
        train(league, Budget(options.minutes, options.rounds), console)
        finish(league, options, console)
    except KeyboardInterrupt:
        words = shlex.join([word for word in sys.argv if word != "--resume"])
        out = "" if options.out else f" --out {folder}"
        console.print(f"stopped after round {league.state.round}; to go on: .venv/bin/python {words}{out} --resume")
        return INTERRUPTED
    finally:
        league.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
