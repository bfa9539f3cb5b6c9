"""Agents against each other: win rates with intervals, endings, lengths.

python scripts/evaluate.py dragon=heuristic dwarves=ismcts:200 --games 1000     # these agents on these seats
python scripts/evaluate.py heuristic ismcts:200 --games 500                     # both ways on the same deals
python scripts/evaluate.py policy:runs/train/mine/policies                      # against the policy that comes with us
"""

import sys
from itertools import permutations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from agents.series import chosen_game, fail, file_name, play_series, series_parser
from drako_env.engine.game import Game, role_of
from drako_env.evaluation.runner import Pairing
from drako_env.players import make_player, shipped_policy

OPPONENT = "policy"
"""Who sits where nobody was named; the rules of thumb in a game without a learnt policy."""


def read_pairings(words: list[str], game: Game) -> list[Pairing]:
    """`dragon=heuristic dwarves=random` as one pairing; `heuristic random` as all ways to seat these agents."""
    default = OPPONENT if shipped_policy(game).exists() else "heuristic"
    if not any("=" in word and not word.startswith("policy:") for word in words):
        if len(words) > len(game.seats):
            raise ValueError(f"{len(words)} agents for {len(game.seats)} seats ({', '.join(game.seats)})")
        return list(dict.fromkeys(permutations(words + [default] * (len(game.seats) - len(words)))))
    roles = [role_of(seat) for seat in game.seats]
    names = roles if len(set(roles)) == len(roles) else list(game.seats)
    chosen: dict[str, str] = {}
    for word in words:
        seat, equals, agent = word.partition("=")
        if not equals or seat not in names:
            raise ValueError(f"{word!r}: expected SEAT=AGENT with a seat of {', '.join(names)}")
        if seat in chosen:
            raise ValueError(f"{word!r}: {seat} has an agent already")
        chosen[seat] = agent
    return [tuple(chosen.get(seat, default) for seat in names)]


def main() -> int:
    """Play, report."""
    parser = series_parser(__doc__, games=200)
    parser.add_argument("agents", nargs="+", metavar="[SEAT=]AGENT")
    options = parser.parse_args()
    try:
        game = chosen_game(options)
        pairings = read_pairings(options.agents, game)
        for agent in dict.fromkeys(agent for pairing in pairings for agent in pairing):
            make_player(agent, game)
        return play_series(game, pairings, options, f"evaluate/{file_name(*pairings[0])}")
    except (ValueError, OSError) as error:
        return fail("evaluate", error)


if __name__ == "__main__":
    sys.exit(main())
