"""Prints a digest of some random games: run in other processes and modes, it must print the same.

python -m tests.project.games_digest GAMES
"""

import hashlib
import random
import sys

from drako_env import drako_v0
from tests.drako.random_games import random_positions


def digest(games):
    """Everything that the seats are given, and the records."""
    seen = hashlib.sha256()
    for game in random_positions(random.Random("digest").random(), games=games):
        for seat in game.possible_agents:
            observed = game.observe(seat)
            seen.update(observed["observation"].tobytes() + observed["action_mask"].tobytes())
        seen.update(game._states.tobytes() + repr(game.rewards).encode())
    batch = drako_v0.batch_env(6, seed=games)
    for _ in range(10 * games):
        batch.step(batch.sample())
        seen.update(batch.observation.tobytes() + batch.action_mask.tobytes() + batch.reward.tobytes())
    return seen.hexdigest()


if __name__ == "__main__":
    print(digest(int(sys.argv[1])))
