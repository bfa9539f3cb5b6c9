"""Compile everything beforehand: for an image, for continuous integration, before many processes start at once.

drako-env compile                    # all games, some minutes, with a line for each kernel
drako-env compile drako              # one of them

The machine code goes to $NUMBA_CACHE_DIR/drako_env ($XDG_CACHE_HOME or ~/.cache where that is not set). It serves every
environment with the same versions of Python, numba, NumPy and this package on the same kind of processor, wherever it
is installed, and may be read-only there.
"""

import sys
import time
from collections.abc import Sequence

import numpy as np

from drako_env.cli.options import make_parser
from drako_env.engine.game import Game, role_of, sides
from drako_env.engine.position import Position
from drako_env.engine.rollout import add_advantages
from drako_env.envs.batch import GameBatch
from drako_env.envs.selfplay import SelfPlay
from drako_env.games import GAMES, make_game
from drako_env.players import has_policy, make_player
from drako_env.players.policy import PolicyAgent


def main(argv: Sequence[str]) -> int:
    """Compile the kernels of some games."""
    parser = make_parser("compile", __doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"one of {', '.join(GAMES)} (default: all)")
    for name in parser.parse_args(argv).games or GAMES:
        start = time.perf_counter()
        compile_game(game := make_game(name))
        seconds = time.perf_counter() - start
        print(f"{name}: ready in {game.kernels.cache} ({seconds:.0f} s)", file=sys.stderr, flush=True)
    return 0


def compile_game(game: Game) -> None:
    """Call every kernel of a game once: those that were never compiled are now, and say so."""
    position = Position(game).deal(0)
    position.observation(0)
    position.rewards()
    other = Position.of(game, position.state)
    other.redeal(0)
    other.play(other.legal()[0])
    batch = GameBatch(game, 1, seed=0)
    batch.step(batch.sample())
    batch.best()
    batch.load(batch.save())
    batch.play("random")
    for player in ("heuristic", "ismcts:2", "policy", "puct:2", "improve:1"):
        if player in ("heuristic", "ismcts:2") or has_policy(game):
            agent = make_player(player, game)
            agent.reset(0)
            agent.act(position.view())
    if has_policy(game):
        _compile_learning(game)


def _compile_learning(game: Game) -> None:
    """What self-play and learnt opponents need."""
    policies, games = make_player("policy", game), SelfPlay(game, 1, 1, seed=0)
    policies.reset(0)
    assert isinstance(policies, PolicyAgent)
    games.collect([policies.policy(role_of(side)).tensors for side in sides(game)])
    add_advantages(games.rollout, 0.99, 0.95, 0.95)
    batch = games.batch
    policies.act_batch(np.array([batch.agent[0]]), batch.observation, batch.action_mask)
