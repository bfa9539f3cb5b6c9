"""Random legal actions from masks, eight actions at a time."""

from typing import Any

from drako_env.engine.jit import jit
from drako_env.engine.rng import Stream, random_below

NOTHING = -1
BYTES, PAIRS = 0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF


@jit
def random_legal(s: Any, words: Any) -> int:
    """A uniformly random action of a mask given as 64-bit words, each byte 1 for a legal action, else 0; NOTHING if the
    mask is empty."""
    legal = count_legal(words)
    if legal == 0:
        return NOTHING
    return nth_legal(words, random_below(s, Stream.SAMPLE, legal))


@jit
def count_legal(words: Any) -> int:
    """How many actions a mask has."""
    total = 0
    for i in range(len(words)):
        total += words[i]  # byte by byte: no byte can overflow while there are fewer than 128 words
    return sum_of_bytes(total)


@jit
def nth_legal(words: Any, skip: Any) -> int:
    """The action of a mask that has `skip` others before it."""
    i = 0
    count = sum_of_bytes(words[0] + words[1] + words[2] + words[3])
    while skip >= count:  # four words at a time, then word by word, then byte by byte
        skip -= count
        i += 4
        count = sum_of_bytes(words[i] + words[i + 1] + words[i + 2] + words[i + 3])
    count = sum_of_bytes(words[i])
    while skip >= count:
        skip -= count
        i += 1
        count = sum_of_bytes(words[i])
    action, word = 8 * i, words[i]
    while skip >= word & 1:
        skip -= word & 1
        word >>= 8
        action += 1
    return action


@jit
def first_above(shares: Any, chance: float) -> int:
    """The first place of ascending numbers that is above `chance`; the last one if none is."""
    place = 0
    while place < len(shares) - 1 and shares[place] <= chance:
        place += 1
    return place


@jit
def sum_of_bytes(word: int) -> int:
    """The sum of a word's eight bytes, none above 127."""
    word = (word & BYTES) + (word >> 8 & BYTES)
    word = (word & PAIRS) + (word >> 16 & PAIRS)
    return (word & 0xFFFF) + (word >> 32)
