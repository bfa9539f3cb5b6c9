"""Compiles all kernels of a game, so that tests in several processes find them.

python -m tests.compile drako
"""

import sys

from drako_env.engine.position import prepare
from drako_env.envs.batch import GameBatch
from drako_env.games import make_game
from drako_env.players import prepare_players

if __name__ == "__main__":
    game = make_game(sys.argv[1])
    prepare(game)
    GameBatch(game, 1, seed=0).best()
    prepare_players(game)
