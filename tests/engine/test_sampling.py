"""Random legal actions from masks, compared with looking at every byte."""

import numpy as np

from drako_env.engine.game import new_masks, new_states
from drako_env.engine.sampling import NOTHING, count_legal, nth_legal
from drako_env.games import make_game
from tests.engine.compiled import kernel


@kernel
def count(words):
    return count_legal(words)


@kernel
def nth(words, skip):
    return nth_legal(words, skip)


def masks():
    """Words of eight actions in groups of four: full ones, sparse ones, single actions far apart."""
    chance = np.random.default_rng(0)
    for words in (4, 8, 12, 28, 124):
        for share in (1.0, 0.5, 0.1, 0.01):
            yield (chance.random(8 * words) < share).astype(np.int8)
        for action in (0, 7, 8, 31, 8 * words - 1):
            mask = np.zeros(8 * words, np.int8)
            mask[[action, 8 * words // 2]] = 1
            yield mask


def test_every_legal_action_is_found_by_its_number():
    for mask in masks():
        words, legal = mask.view(np.int64), mask.nonzero()[0]
        assert count(words) == len(legal)
        assert [nth(words, i) for i in range(len(legal))] == legal.tolist()


def test_of_an_empty_mask_nothing_is_drawn():
    game, actions = make_game("drako"), np.array([5])
    states = new_states(game, 1)
    states["rng"] = 7
    game.kernels.sample_games(states, np.array([0]), new_masks(game, 1), actions)
    assert actions.tolist() == [NOTHING]
    assert states["rng"].tolist() == [[7, 7]]
