"""Prints a digest of some random games: run in other processes and modes, it must print the same.

python -m tests.project.games_digest GAMES
"""

import hashlib
import random
import sys

from tests.drako.random_games import random_positions


def digest(games):
    """Everything that the seats are given, and the records."""
    seen = hashlib.sha256()
    for game in random_positions(random.Random("digest").random(), games=games):
        for seat in game.possible_agents:
            observed = game.observe(seat)
            seen.update(observed["observation"].tobytes() + observed["action_mask"].tobytes())
        seen.update(game._states.tobytes() + repr(game.rewards).encode())
    return seen.hexdigest()


if __name__ == "__main__":
    print(digest(int(sys.argv[1])))
