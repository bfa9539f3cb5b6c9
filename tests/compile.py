"""Compiles all kernels of a game, so that tests in several processes find them.

python -m tests.compile drako    # without a name: prints the names of all games
"""

import sys

from drako_env.engine.position import prepare
from drako_env.envs.batch import GameBatch
from drako_env.games import GAMES, make_game
from drako_env.players import has_policy, make_player, prepare_players

if __name__ == "__main__":
    if len(sys.argv) == 1:
        print(*GAMES, sep="\n")
    for name in sys.argv[1:]:
        game = make_game(name)
        prepare(game)
        batch = GameBatch(game, 1, seed=0)
        batch.best()
        prepare_players(game)
        if has_policy(game):
            batch.play("policy")
            for player in ("policy", "puct:2", "improve:1", "knows:2"):
                make_player(player, game)
