"""Watch players play: one game is played, then shown decision by decision, with what they thought.

drako-env watch policy ismcts:1000                     # a player for every seat, in their order
drako-env watch my_agents:Greedy policy --seed 3 --keep game.jsonl
drako-env watch heuristic policy --html game.html      # the analysis board, in one page
"""

import secrets
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from drako_env.cli.options import add_game_options, chosen_game, make_parser
from drako_env.cli.replay import add_show_options, show_game
from drako_env.evaluation.runner import Job, play_job
from drako_env.players import make_player
from drako_env.replay import record, save


def main(argv: Sequence[str]) -> int:
    """Play, keep, show."""
    parser = make_parser("watch", __doc__, players=True)
    parser.add_argument("agents", nargs="+", metavar="PLAYER")
    add_game_options(parser)
    parser.add_argument("--seed", type=int, help="of the cards and the players' chance (default: another every time)")
    add_show_options(parser)
    parser.add_argument("--keep", type=Path, metavar="FILE", help="write the replay")
    options, console = parser.parse_args(argv), Console()
    game, agents = chosen_game(options), options.agents
    if len(agents) != len(game.seats):
        raise ValueError(f"{len(agents)} players for {len(game.seats)} seats ({', '.join(game.seats)})")
    players = [make_player(agent, game) for agent in agents]
    seed = secrets.randbits(63) if options.seed is None else options.seed
    with console.status("playing"):
        played = play_job(game, players, Job(tuple(agents), 0, seed, record=True))
    recorded = record(game, seed, agents, played.actions, played.opinions, played.values)
    if options.keep:
        save(options.keep, recorded)
    show_game(recorded, options, console)
    return 0
