"""Prints a digest of some random games: run in other processes and modes, it must print the same.

python -m tests.project.games_digest GAMES
"""

import hashlib
import random
import sys

from drako_env import drako_v0, golden_dragon_v0
from tests.drako.random_games import random_positions
from tests.golden_dragon.positions import position
from tests.golden_dragon.positions import random_positions as golden_dragon_positions


def played(games):
    """Positions of every game, late ones too."""
    seed = random.Random("digest").random()
    yield from random_positions(seed, games=games)
    yield from golden_dragon_positions(seed, games=1 + games // 4, every=2, num_players=3, veto_scope="any_opponent")
    yield position(hand="S", single_moves=599)


def digest(games):
    """Everything that the seats are given, and the records."""
    seen = hashlib.sha256()
    for game in played(games):
        for seat in game.possible_agents:
            observed = game.observe(seat)
            seen.update(observed["observation"].tobytes() + observed["action_mask"].tobytes())
        seen.update(game.position.states.tobytes() + repr(game.rewards).encode())
    small = drako_v0.batch_env(6, seed=games, rules="tiny", radius=1, start_hand=1, cards_per_draw=1)
    large = drako_v0.batch_env(6, seed=games), golden_dragon_v0.batch_env(6, seed=games, num_players=4)
    for batch in (small, *large):
        for _ in range(10 * games):
            batch.step(batch.sample())
            seen.update(batch.observation.tobytes() + batch.action_mask.tobytes() + batch.reward.tobytes())
    return seen.hexdigest()


if __name__ == "__main__":
    print(digest(int(sys.argv[1])))
