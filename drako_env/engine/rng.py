"""Random numbers that live in the state record: results depend on the seed alone, never on batch size or order.

A state record has a field `rng` of two words: one stream deals cards, the other samples actions, so that sampling
actions never changes what is dealt. The generator is xorshift64 (Marsaglia 2003), which needs no multiplication and so
gives the same numbers, without overflow warnings, whether compiled or not.
"""

import operator
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.jit import jit


class Stream(IntEnum):
    """The random words of a state record."""

    DEAL = 0
    SAMPLE = 1


A, B, C, HALF = np.uint64(13), np.uint64(7), np.uint64(17), np.uint64(32)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@jit
def random_below(s: Any, stream: int, bound: int) -> np.int64:
    """A random integer in `0 .. bound - 1`, without a division."""
    x = s["rng"][stream]
    x ^= x << A
    x ^= x >> B
    x ^= x << C
    s["rng"][stream] = x
    return np.int64(((x >> HALF) * np.uint64(bound)) >> HALF)


@jit
def random_share(s: Any) -> float:
    """A random number from 0 to 1, for choosing an action."""
    return random_below(s, Stream.SAMPLE, 1 << 31) / (1 << 31)


def seed_words(seeds: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The starting words, shape `(len(seeds), 2)`: SplitMix64, so that neighbouring seeds give unrelated games."""
    start = _mix(seeds[:, None]) + np.arange(1, len(Stream) + 1, dtype=np.uint64) * GOLDEN
    words = _mix(start)
    words[words == 0] = GOLDEN  # xorshift would stay at zero
    return words


def one_seed(seed: int) -> NDArray[np.uint64]:
    """A seed given by a user, as an array of one."""
    return np.array([operator.index(seed) % 2**64], np.uint64)


def fresh_seeds(count: int) -> NDArray[np.uint64]:
    """Seeds from the operating system's randomness."""
    return np.random.SeedSequence().generate_state(count, np.uint64).astype(np.uint64)


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
