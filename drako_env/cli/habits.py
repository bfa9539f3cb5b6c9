"""How somebody plays, as tables: what is chosen of what can be, openings, which cards are kept.

drako-env dataset policy --games 2000 --out runs/habits      # games of the player
drako-env habits runs/habits
"""

from collections.abc import Sequence
from pathlib import Path

from drako_env.cli.options import make_parser
from drako_env.dataset import load
from drako_env.habits import habits


def main(argv: Sequence[str]) -> int:
    """Count, and say."""
    parser = make_parser("habits", __doc__)
    parser.add_argument("folder", type=Path, help="a data set")
    data = load(parser.parse_args(argv).folder)
    players = ", ".join(f"{seat} {player}" for seat, player in data.header["players"].items())
    print(f"{data.header['game']}, {data.header['games']:,} games: {players}\n\n{habits(data)}")
    return 0
