"""Speed, as ratios measured side by side in one run."""

import random
import time

from pettingzoo.classic import tictactoe_v3

from drako_env import drako_v0


def decisions_per_second(env, seconds=0.5):
    """Random play through last, observe and step."""
    chance = random.Random(0)
    env.reset(seed=0)
    decisions, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.reset()
            continue
        env.step(chance.choice(observation["action_mask"].nonzero()[0].tolist()))
        decisions += 1
    return decisions / (time.perf_counter() - start)


def test_raw_env_is_at_least_half_as_fast_again_as_tictactoe():
    ours, theirs = drako_v0.raw_env(), tictactoe_v3.raw_env()
    ratios = [decisions_per_second(ours) / decisions_per_second(theirs) for _ in range(3)]
    print(f"raw_env against tictactoe_v3.raw_env: {sorted(ratios)[1]:.1f}x")
    assert sorted(ratios)[1] > 1.5
