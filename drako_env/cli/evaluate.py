"""Players against each other: win rates with intervals, endings, lengths.

drako-env evaluate dragon=heuristic dwarves=ismcts:200 --games 1000     # these players on these seats
drako-env evaluate heuristic ismcts:200 --games 500                     # both ways on the same deals
drako-env evaluate my_agents:Greedy                                     # your own class, against `policy`
"""

from collections.abc import Sequence
from itertools import permutations

from drako_env.cli.options import chosen_game
from drako_env.cli.series import file_name, play_series, series_parser
from drako_env.engine.game import Game, role_of
from drako_env.evaluation.runner import Pairing
from drako_env.players import shipped_policy

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


def main(argv: Sequence[str]) -> int:
    """Play, report."""
    parser = series_parser("evaluate", __doc__, games=200)
    parser.add_argument("agents", nargs="+", metavar="[SEAT=]PLAYER")
    options = parser.parse_args(argv)
    game = chosen_game(options)
    pairings = read_pairings(options.agents, game)
    return play_series(game, pairings, options, f"evaluate/{file_name(*pairings[0])}")
