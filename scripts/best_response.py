"""How much can be won against a policy by somebody who trains against nothing else? A lower bound of exploitability.

python scripts/best_response.py policy:agents/policies/drako --minutes 30     # on both seats
python scripts/best_response.py heuristic --minutes 30                        # for comparison
python scripts/best_response.py --exact runs/train/tiny                       # all of a run's policies, tiny table
"""

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import track

from agents.exact import Tree, build_tree, exploitability, value
from agents.league.config import Config
from agents.league.league import Budget, League, role_of
from agents.league.pool import Opponents
from agents.policy import SUFFIX, load_policy
from agents.series import INTERRUPTED, add_game_options, chosen_game, fail, name_and_value
from drako_env.engine.game import Game
from drako_env.envs.seat import NAMED
from drako_env.evaluation.report import interval, share, table
from drako_env.evaluation.statistics import wilson
from drako_env.games import make_game
from scripts.train import train

FINAL_GAMES = 2000


def frozen_opponents(game: Game, spec: str) -> dict[str, Opponents]:
    """Whom the exploiter of each seat meets: the frozen policy of the other seat."""
    if spec in NAMED:
        return {seat: {spec: (1.0, "")} for seat in game.seats}
    folder = Path(spec.removeprefix("policy:"))
    if len(game.seats) != 2 or not spec.startswith("policy:") or not folder.is_dir():
        raise ValueError(f"{spec!r}: expected {', '.join(NAMED)} or policy:FOLDER for a game of two seats")
    opponents: dict[str, Opponents] = {}
    for seat, other in zip(game.seats, reversed(game.seats), strict=True):
        file = folder / f"{role_of(other)}{SUFFIX}"
        load_policy(file, game)
        opponents[seat] = {"frozen": (1.0, str(file))}
    return opponents


def show(league: League, spec: str, console: Console) -> None:
    """The exploiters' win rates with intervals."""
    with console.status(f"evaluating: {FINAL_GAMES} games on each seat"):
        found = league.win_rates(FINAL_GAMES, league.seed + 1)
    rows = []
    for seat, opponents in found.items():
        wins, games = next(iter(opponents.values()))
        rows.append([seat, spec, share(wins / games), interval(wilson(wins, games))])
    title = f"# Best responses after {league.state.seconds / 60:.1f} minutes"
    text = f"{title}\n\n{table(['exploiter on', 'against', 'wins', '95% interval'], rows)}\n"
    (league.folder / "results.md").write_text(text, encoding="utf-8")
    console.print(Markdown(text))
    console.print(f"results: {league.folder}/results.md, log.csv, curves.png")


def exact(folder: Path, console: Console) -> int:
    """The exact exploitability of every pair of policies that a run has kept."""
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    game = make_game(about["game"], rules=about["rules"])
    tree = build_tree(game)
    console.print(f"{tree.size:,} positions")
    first, second = (sorted((folder / "past").glob(f"{role_of(seat)}-*{SUFFIX}")) for seat in game.seats)
    pairs = [pair for pair in zip(first, second, strict=True) if pair[0].stem[-5:] == pair[1].stem[-5:]]
    rows = [["random play", *figures(tree, None, None)]]
    for files in track(pairs, "judging", console=console, transient=True):
        policies = (load_policy(file, game).probabilities for file in files)
        rows.append([f"round {int(files[0].stem[-5:])}", *figures(tree, *policies)])
    header = ["policies", f"{game.seats[0]} gets", "exploitability"]
    (folder / "exploitability.md").write_text(table(header, rows) + "\n", encoding="utf-8")
    console.print(Markdown(table(header, rows)))
    console.print(f"results: {folder}/exploitability.md")
    return 0


def figures(tree: Tree, first: object, second: object) -> list[str]:
    """The value of a pair of policies, and what best responses could gain."""
    policies = [policy or (lambda _, mask: mask / mask.sum(axis=1, keepdims=True)) for policy in (first, second)]
    return [f"{value(tree, *policies):+.4f}", f"{exploitability(tree, *policies):.4f}"]


def main() -> int:
    """Train the exploiters, or judge exactly."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent", nargs="?", help=f"policy:FOLDER or {' or '.join(NAMED)}")
    parser.add_argument("--exact", type=Path, metavar="RUN", help="the exact exploitability along a training run")
    add_game_options(parser)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--train", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()
    console = Console(width=130)
    try:
        if options.exact:
            return exact(options.exact, console)
        if not options.agent:
            raise ValueError("give an agent to exploit, or --exact RUN")
        game = chosen_game(options)
        frozen = frozen_opponents(game, options.agent)
        config = Config.load(None, **dict(name_and_value(word, "--train") for word in options.train))
        folder = options.out or Path("runs/best_response") / time.strftime("%Y-%m-%d-%H%M%S")
        if (folder / "checkpoint" / "state.json").exists() != options.resume:
            raise ValueError(f"{folder}: {'nothing to resume' if options.resume else 'exists; add --resume'}")
    except (ValueError, OSError) as error:
        return fail("best_response", error)
    with console.status("starting the learners"):
        league = League(game, list(game.seats), folder, config, options.seed, frozen)
    try:
        train(league, Budget(options.minutes, options.rounds), console)
        show(league, options.agent, console)
    except KeyboardInterrupt:
        console.print(
            f"stopped after round {league.state.round}; the same command with --out {folder} --resume goes on"
        )
        return INTERRUPTED
    finally:
        league.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
