"""How long is Golden Dragon, and who wins? By board and number of players, with the planning heuristic and at random.

python scripts/game_lengths.py --games 1000             # a few minutes
python scripts/game_lengths.py --games 1000 --write     # put the table into the game's RULES.md
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import track

from drako_env import golden_dragon
from drako_env.cli.balance import write_section
from drako_env.engine.game import Game
from drako_env.envs.seat import SeatGames
from drako_env.evaluation.report import interval, share, table
from drako_env.evaluation.statistics import wilson
from drako_env.games import make_game

SETTINGS = [("classic10", n) for n in (2, 3, 4, 5)] + [("compact9", 4), ("compact8", 5)]
SETTINGS += [("two_rows", n) for n in (2, 3, 4, 5)] + [("hex", 2)]
PLAYERS = ("heuristic", "random")
USUAL = (30, 60)
"""Single moves that a game is meant to take."""


def play(game: Game, player: str, games: int, seed: int) -> tuple[np.ndarray, int]:
    """The single moves of so many games among equals, and how many of them the first seat wins."""
    table = SeatGames(game, games, game.seats[0], player, seed)
    lengths, wins = np.zeros(games, int), 0
    while (lengths == 0).any():
        table.step(table.batch.best() if player == "heuristic" else table.batch.sample())
        first = table.done & (lengths == 0)
        lengths[first] = table.final_states["single_moves"][first]
        wins += int((table.reward[first] > 0).sum())
    return lengths, wins


def row(board: str, players: int, player: str, games: int, seed: int) -> list[str]:
    """One line of the table."""
    lengths, wins = play(make_game("golden_dragon", board=board, num_players=players), player, games, seed)
    low, median, high = np.quantile(lengths, [0.05, 0.5, 0.95]).astype(int)
    usual = np.mean((lengths >= USUAL[0]) & (lengths <= USUAL[1]))
    first = f"{share(wins / games)} ({interval(wilson(wins, games))})"
    return [f"{board}, {players}", player, f"{median} ({low}-{high})", f"{usual:.0%}", str(lengths.max()), first]


def main() -> int:
    """Play, show, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000, help="for each line of the table (default: 1000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="write the table into RULES.md")
    options, console = parser.parse_args(), Console(width=120)
    todo = [(board, n, player) for board, n in SETTINGS for player in PLAYERS]
    rows = [row(*words, options.games, options.seed) for words in track(todo, "playing", console=console)]
    header = [
        "board, players",
        "all seats",
        "single moves (5%-95%)",
        "within 30-60",
        "longest",
        "first seat wins (95%)",
    ]
    console.print(Markdown(table(header, rows)))
    if options.write:
        path = Path(str(golden_dragon.__file__)).with_name("RULES.md")
        write_section(path, "game_lengths", table(header, rows))
        console.print(f"written: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
