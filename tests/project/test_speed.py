"""Speed, as ratios measured side by side in one run (`make test-speed`). The whole comparison is `make bench`."""

import random
import time

import numba
import numpy as np
import pytest
from pettingzoo.classic import tictactoe_v3

from drako_env import drako_v0

GAMES = 1024
pytestmark = pytest.mark.timing


def decisions_per_second(env, seconds=0.4):
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


def best_ratio(ours, theirs, enough):
    """The best of some rounds: other work on the machine hits one side or the other, never makes it faster."""
    best = 0.0
    for _ in range(6):
        best = max(best, decisions_per_second(ours) / decisions_per_second(theirs))
        if best > enough:
            break
    print(f"{best:.2f}x")
    return best


def test_raw_env_is_at_least_half_as_fast_again_as_tictactoe():
    assert best_ratio(drako_v0.raw_env(), tictactoe_v3.raw_env(), 1.5) > 1.5


def test_env_is_at_least_as_fast_as_tictactoe():
    assert best_ratio(drako_v0.env(), tictactoe_v3.env(), 1.0) > 1.0


@numba.njit
def reference(words, steps):
    """A plain compiled loop: steps of a random number generator, one row after the other."""
    for i in range(len(words)):
        x = words[i]
        for _ in range(steps):
            x ^= x << 13
            x ^= x >> 7
            x ^= x << 17
        words[i] = x


def nanoseconds(work):
    start = time.perf_counter()
    for _ in range(20):
        work()
    return (time.perf_counter() - start) / 20 / GAMES * 1e9


def test_the_batch_has_not_become_slow():
    """Sample, step and observe cost about 2 references of 64 steps; three times as much would be a slow-down."""
    batch, actions = drako_v0.batch_env(GAMES, seed=0), np.empty(GAMES, np.int64)
    words = np.arange(1, GAMES + 1, dtype=np.int64)
    reference(words, 64)
    ours = [nanoseconds(lambda: batch.step(batch.sample(actions))) for _ in range(15)]
    theirs = [nanoseconds(lambda: reference(words, 64)) for _ in range(15)]
    ratio = min(ours) / min(theirs)
    print(f"{min(ours):.0f} ns a decision, {ratio:.2f} references")
    assert ratio < 6.0, f"a decision costs {ratio:.1f} references"
