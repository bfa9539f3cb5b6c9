"""Every player against every player on every seat, on the same deals: pay-offs, ratings, equilibrium, heat map.

drako-env tournament random heuristic ismcts:50 ismcts:200 ismcts:1000 --games 200
drako-env tournament policy heuristic my_agents:Greedy
drako-env tournament --standard --games 200                # the levels of play, each against the one below
drako-env tournament --standard --resume --write README.md # put their table between its marks
"""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from pathlib import Path

from drako_env.cli.ladder import play_standard, rotations
from drako_env.cli.options import chosen_game
from drako_env.cli.series import play_series, series_parser
from drako_env.evaluation.runner import Pairing


def seatings(agents: list[str], seats: int) -> list[Pairing]:
    """Every choice of agents, in every rotation around the table: for two seats, everybody against everybody."""
    tables = combinations_with_replacement(agents, seats)
    return list(dict.fromkeys(pairing for around in tables for pairing in rotations(around)))


def main(argv: Sequence[str]) -> int:
    """Play, report."""
    parser = series_parser("tournament", __doc__, games=100)
    parser.add_argument("agents", nargs="*", metavar="PLAYER")
    parser.add_argument(
        "--standard",
        action="store_true",
        help="the levels of the game (or the players given, weakest first), each against the one below",
    )
    parser.add_argument(
        "--write", type=Path, metavar="FILE", help="put the table of --standard between its marks in a Markdown file"
    )
    options = parser.parse_args(argv)
    if options.standard:
        return play_standard(chosen_game(options), options)
    if options.write:
        raise ValueError("--write is for --standard")
    if len(set(options.agents)) < max(2, len(options.agents)):
        raise ValueError("give two or more different agents")
    game = chosen_game(options)
    return play_series(game, seatings(options.agents, len(game.seats)), options, "tournament")
