"""Random players against each other: a first look at the environment, with the seats' win rates.

python scripts/random_match.py --games 300 --show
"""

import argparse
import random
import time
from collections import Counter

from drako_env import drako_v0


def play(env: drako_v0.raw_env, chance: random.Random) -> int:
    """One game with random legal actions; returns how many decisions it took."""
    decisions = 0
    while not env.terminations[env.agent_selection]:
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(chance.choice(mask.nonzero()[0].tolist()))
        decisions += 1
    return decisions


def main() -> None:
    """Play, then print who won, how, and how fast."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="show the first game, decision by decision")
    options = parser.parse_args()

    print("Training is not there yet: random players meet instead.")
    chance, wins, decisions = random.Random(options.seed), Counter[str](), 0
    env = drako_v0.raw_env()
    start = time.perf_counter()
    for game in range(options.games):
        env.render_mode = "human" if options.show and game == 0 else None
        env.reset(seed=options.seed + game)
        decisions += play(env, chance)
        wins.update(seat for seat, reward in env.rewards.items() if reward > 0)
    seconds = time.perf_counter() - start

    env.render_mode = "ansi"
    print(f"\nThe last of {options.games} games:\n\n{env.render()}")
    for seat in env.possible_agents:
        print(f"{seat:<10} won {wins[seat] / options.games:6.1%}")
    print(f"{decisions / options.games:.0f} decisions a game, {decisions / seconds:,.0f} decisions a second")
    print("Next: .venv/bin/python scripts/random_match.py --show --games 1, or scripts/evaluate.py (see README.md)")


if __name__ == "__main__":
    main()
