"""How much can be won against a policy by somebody who trains against nothing else? A lower bound of exploitability.

python scripts/best_response.py policy:runs/train/mine/policies --minutes 30     # on both seats
python scripts/best_response.py policy --start policy --minutes 30               # beginning with what it has learnt
python scripts/best_response.py heuristic --minutes 30                        # for comparison
python scripts/best_response.py --exact runs/train/tiny                       # all of a run's policies, tiny table
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import track

from agents.league.league import League
from agents.league.learner import Opponents
from agents.league.local import LocalLearners
from agents.league.options import add_training_options, policy_files, run_of
from agents.league.run import Run, derived_seed
from agents.league.training import run_league
from drako_env.cli.options import add_game_options, fail
from drako_env.engine.game import Game, role_of, sides
from drako_env.evaluation.report import interval, share, table
from drako_env.evaluation.statistics import wilson
from drako_env.exact import Tree, build_tree, exploitability, value
from drako_env.players import make_player
from drako_env.players.policy import SUFFIX, load_policy
from drako_env.runs import write

FINAL_GAMES = 2000


def frozen_opponents(game: Game, spec: str) -> dict[str, Opponents]:
    """Whom the exploiter of each side meets: the same player everywhere."""
    learnt = spec.partition(":")[0] == "policy"
    if learnt:
        policy_files(game, sides(game), spec)
    else:
        make_player(spec, game)
    return {side: {"frozen" if learnt else spec: (1.0, spec)} for side in sides(game)}


def show(league: League, spec: str, console: Console) -> None:
    """The exploiters' win rates with intervals."""
    with console.status(f"evaluating: {FINAL_GAMES} games on each seat"):
        found = league.win_rates(FINAL_GAMES, derived_seed(league.run.seed, "final"))
    rows = []
    for seat, opponents in found.items():
        wins, games = next(iter(opponents.values()))
        rows.append([seat, spec, share(wins / games), interval(wilson(wins, games))])
    title = f"# Best responses after {league.state.seconds / 60:.1f} minutes"
    text = f"{title}\n\n{table(['exploiter on', 'against', 'wins', '95% interval'], rows)}\n"
    write(league.run.folder / "results.md", text)
    console.print(Markdown(text))
    console.print(f"results: {league.run.folder}/results.md, log.csv, curves.png")


def exact(folder: Path, console: Console) -> int:
    """The exact exploitability of every pair of policies that a run has kept."""
    game = Run.load(folder).game
    files = [
        {path.stem[-5:]: path for path in sorted((folder / "past").glob(f"{role_of(seat)}-*{SUFFIX}"))}
        for seat in game.seats
    ]
    rounds = [number for number in files[0] if number in files[1]]
    if not rounds:
        raise ValueError(f"{folder}: no round of this run has kept the policies of both sides")
    tree = build_tree(game)
    console.print(f"{tree.size:,} positions")
    rows = [["random play", *figures(tree, None, None)]]
    for number in track(rounds, "judging", console=console, transient=True):
        policies = (load_policy(side[number], game).probabilities for side in files)
        rows.append([f"round {int(number)}", *figures(tree, *policies)])
    header = ["policies", f"{game.seats[0]} gets", "exploitability"]
    write(folder / "exploitability.md", table(header, rows) + "\n")
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
    parser.add_argument("agent", nargs="?", help="policy:FOLDER, or any other player: heuristic, ismcts:100, ...")
    parser.add_argument("--exact", type=Path, metavar="RUN", help="the exact exploitability along a training run")
    add_game_options(parser)
    add_training_options(parser, minutes=30.0)
    options, console = parser.parse_args(), Console(width=130)
    try:
        if options.exact:
            return exact(options.exact, console)
        if not options.agent:
            raise ValueError("give an agent to exploit, or --exact RUN")
        run = run_of(options, "best_response")
        league = League(run, LocalLearners(), frozen_opponents(run.game, options.agent), console.print)
    except (ValueError, OSError) as error:
        return fail("best_response", error)
    return run_league(league, lambda league: show(league, options.agent, console), console)


if __name__ == "__main__":
    sys.exit(main())
