"""Random numbers inside the record."""

import numpy as np
import pytest

from drako_env.engine.jit import jit
from drako_env.engine.rng import Stream, one_seed, random_below, seed_words
from tests.engine.compiled import kernel

RECORD = np.dtype([("rng", "u8", 2)])
# compiled apart: numba would take a game's record, which begins with the same field, for a kind of this one
random_below = jit(getattr(random_below, "py_func", random_below))


@kernel
def draw_many(states, stream, bound, out):
    for i in range(len(out)):
        out[i] = random_below(states[0], stream, bound)


def draws(seed, stream, bound, count=20_000):
    states, out = np.zeros(1, RECORD), np.zeros(count, np.int64)
    states["rng"] = seed_words(one_seed(seed))
    draw_many(states, stream, bound, out)
    return out


def test_numbers_are_in_range_and_even():
    for bound in (1, 2, 3, 7, 38):
        counts = np.bincount(draws(1, Stream.DEAL, bound), minlength=bound)
        assert len(counts) == bound
        expected = 20_000 / bound
        assert ((counts - expected) ** 2 / expected).sum() < 2.2 * bound + 12


def test_pairs_of_numbers_are_even():
    numbers = draws(2, Stream.DEAL, 8)
    counts = np.bincount(numbers[:-1] * 8 + numbers[1:], minlength=64)
    assert ((counts - counts.mean()) ** 2 / counts.mean()).sum() < 110


def test_streams_and_neighbouring_seeds_are_unrelated():
    rows = [draws(seed, stream, 2, 4000) for seed in range(4) for stream in Stream]
    correlation = np.corrcoef(rows) - np.eye(len(rows))
    assert abs(correlation).max() < 0.07


def test_every_seed_gives_a_working_word():
    words = seed_words(np.array([0, 1, 2**64 - 1, 0x9E3779B97F4A7C15], np.uint64))
    assert words.shape == (4, 2)
    assert (words != 0).all()
    assert len(np.unique(words)) == 8


def test_any_whole_number_is_a_seed_modulo_two_to_the_64():
    for seed, word in ((0, 0), (2**63, 2**63), (2**64 - 1, 2**64 - 1), (2**64 + 5, 5), (-1, 2**64 - 1)):
        assert one_seed(seed).tolist() == [word]
        assert one_seed(seed).dtype == np.uint64
    with pytest.raises(TypeError):
        one_seed(1.5)
