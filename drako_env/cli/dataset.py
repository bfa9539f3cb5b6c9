"""Games of players as a data set to learn from: observations, masks, actions, values and outcomes of all decisions.

drako-env dataset                                            # 10,000 games of puct:64 against itself
drako-env dataset policy --out runs/mine                     # of another player; Ctrl-C: the same command goes on
drako-env dataset dragon=policy dwarves=heuristic --games 500
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from drako_env.cli.evaluate import read_pairings
from drako_env.cli.options import INTERRUPTED, add_game_options, chosen_game, make_parser
from drako_env.cli.series import file_name
from drako_env.dataset import games_of, header_of, missing_parts, record
from drako_env.engine.game import Game
from drako_env.evaluation.runner import Pairing
from drako_env.players import make_player

STRONGEST = "puct:64"
"""Who plays unless told otherwise: 10,000 games in minutes."""


def one_pairing(words: list[str], game: Game) -> Pairing:
    """Who sits where: a single player plays all seats."""
    named = any("=" in word for word in words)
    pairings = read_pairings(words if named or len(words) > 1 else words * len(game.seats), game)
    if len(pairings) > 1:
        raise ValueError(f"say who sits where: {game.seats[0].rpartition('_')[0]}={words[0]} and so on")
    return pairings[0]


def main(argv: Sequence[str]) -> int:
    """Play, keep."""
    parser = make_parser("dataset", __doc__, players=True)
    parser.add_argument("agents", nargs="*", metavar="[SEAT=]PLAYER", help=f"default: {STRONGEST} on all seats")
    add_game_options(parser)
    parser.add_argument("--games", type=int, default=10_000, help="default: 10,000")
    parser.add_argument("--seed", type=int, default=0, help="of the deals (default: 0)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="default: one for each core")
    parser.add_argument("--out", type=Path, help="a folder (default: under runs/dataset)")
    options = parser.parse_args(argv)
    game = chosen_game(options)
    players = one_pairing(options.agents or [STRONGEST], game)
    for player in players:
        make_player(player, game)  # what is wrong with one is said before anything is played
    header = header_of(game, players, options.games, options.seed)
    folder = options.out or Path("runs/dataset") / file_name(options.game, *dict.fromkeys(players))
    return _record(folder, header, options.processes)


def _record(folder: Path, header: dict[str, Any], processes: int) -> int:
    """With a bar; returns the exit code."""
    console, games = Console(width=120), header["games"]
    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    left = sum(len(games_of(part, header)) for part in missing_parts(folder, header))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("games", total=games, completed=games - left)
        try:
            record(folder, header, processes, lambda played: progress.advance(task, played))
        except KeyboardInterrupt:
            console.print(f"interrupted: the same command goes on with what is in {folder}")
            return INTERRUPTED
    size = sum(path.stat().st_size for path in folder.glob("*.npz"))
    console.print(f"{games:,} games, {size / 2**20:.1f} MB: {folder}; drako_env.dataset.load reads it", highlight=False)
    return 0
