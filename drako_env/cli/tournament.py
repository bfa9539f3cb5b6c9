"""Every player against every player on every seat, on the same deals: pay-offs, ratings, equilibrium, heat map.

drako-env tournament random heuristic ismcts:50 ismcts:200 ismcts:1000 --games 200
drako-env tournament policy heuristic my_agents:Greedy
"""

from collections.abc import Sequence
from itertools import combinations_with_replacement

from drako_env.cli.options import chosen_game
from drako_env.cli.series import play_series, series_parser
from drako_env.evaluation.runner import Pairing


def seatings(agents: list[str], seats: int) -> list[Pairing]:
    """Every choice of agents, in every rotation around the table: for two seats, everybody against everybody."""
    tables = combinations_with_replacement(agents, seats)
    rotations = [table[turn:] + table[:turn] for table in tables for turn in range(seats)]
    return list(dict.fromkeys(rotations))


def main(argv: Sequence[str]) -> int:
    """Play, report."""
    parser = series_parser("tournament", __doc__, games=100)
    parser.add_argument("agents", nargs="+", metavar="PLAYER")
    options = parser.parse_args(argv)
    if len(set(options.agents)) < max(2, len(options.agents)):
        raise ValueError("give two or more different agents")
    game = chosen_game(options)
    return play_series(game, seatings(options.agents, len(game.seats)), options, "tournament")
