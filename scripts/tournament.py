"""Every agent against every agent on every seat, on the same deals: pay-offs, ratings, equilibrium, heat map.

python scripts/tournament.py random heuristic ismcts:50 ismcts:200 ismcts:1000 --games 200
"""

import sys
from itertools import combinations_with_replacement
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from agents.series import chosen_game, fail, play_series, series_parser
from drako_env.evaluation.runner import Pairing
from drako_env.players import make_player


def seatings(agents: list[str], seats: int) -> list[Pairing]:
    """Every choice of agents, in every rotation around the table: for two seats, everybody against everybody."""
    tables = combinations_with_replacement(agents, seats)
    rotations = [table[turn:] + table[:turn] for table in tables for turn in range(seats)]
    return list(dict.fromkeys(rotations))


def main() -> int:
    """Play, report."""
    parser = series_parser(__doc__, games=100)
    parser.add_argument("agents", nargs="+", metavar="AGENT")
    options = parser.parse_args()
    try:
        if len(set(options.agents)) < max(2, len(options.agents)):
            raise ValueError("give two or more different agents")
        game = chosen_game(options)
        for agent in options.agents:
            make_player(agent, game)
        return play_series(game, seatings(options.agents, len(game.seats)), options, "tournament")
    except (ValueError, OSError) as error:
        return fail("tournament", error)


if __name__ == "__main__":
    sys.exit(main())
