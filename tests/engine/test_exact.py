"""Exact play: the tree holds every game, and nobody does better than a best response."""

from collections import Counter

import numpy as np
import pytest

from drako_env import drako_v0
from drako_env.exact import Level, Tree, best_response, build_tree, exploitability, value
from drako_env.games import make_game


@pytest.fixture(scope="module")
def tree():
    return build_tree(make_game("drako", rules="tiny"))


def uniform(observation, mask):
    return mask / mask.sum(axis=1, keepdims=True)


def random_policy(tree, seed):
    weights = np.random.default_rng(seed).random(tree.masks.shape) ** 6 * tree.masks
    return lambda observation, mask: weights / weights.sum(axis=1, keepdims=True)


def test_the_value_of_random_play_is_what_random_games_show(tree):
    batch = drako_v0.batch_env(4000, seed=0, rules="tiny")
    total = games = 0
    for _ in range(200):
        batch.step(batch.sample())
        total, games = total + batch.reward[:, 0].sum(), games + batch.done.sum()
    assert value(tree, uniform, uniform) == pytest.approx(total / games, abs=5 / np.sqrt(games))


def test_all_deals_are_there(tree):
    assert tree.chances.sum() == pytest.approx(1)
    assert sorted(tree.chances) == pytest.approx(sorted([0.4 * 0.2, 0.4 * 0.8, 0.6 * 0.2, 0.6 * 0.8]))


@pytest.mark.parametrize("seed", range(4))
def test_nobody_does_better_than_a_best_response(tree, seed):
    first, second = random_policy(tree, seed), random_policy(tree, seed + 100)
    assert value(tree, first, second) <= best_response(tree, 0, second)
    assert -value(tree, first, second) <= best_response(tree, 1, first)
    assert exploitability(tree, first, second) > 0


def matching_pennies(seen):
    """The first seat shows heads or tails; the second says which, having seen it or not."""
    nobody = np.zeros(1, np.int64)
    both = np.array([0, 1])
    first = Level(nobody, (nobody, nobody), nobody, both * 0, both, both, np.zeros(2))
    information = both if seen else both * 0
    moves, actions = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    second = Level(
        both * 0 + 1, (both, information), both * 0, moves, actions, np.full(4, -1), np.array([-1.0, 1, 1, -1])
    )
    return Tree(None, np.ones(1), [first, second], np.zeros((1, 1), np.int8), np.ones((1, 2), np.int8))


def test_a_best_response_uses_what_it_knows_and_no_more():
    assert best_response(matching_pennies(seen=True), 1, uniform) == pytest.approx(1)
    assert best_response(matching_pennies(seen=False), 1, uniform) == pytest.approx(0)

    def mostly_heads(observation, mask):
        return np.array([[0.7, 0.3]])

    assert best_response(matching_pennies(seen=False), 1, mostly_heads) == pytest.approx(0.4)
    assert exploitability(matching_pennies(seen=False), uniform, uniform) == pytest.approx(0)
    assert value(matching_pennies(seen=False), mostly_heads, mostly_heads) == pytest.approx(-0.16)


def test_positions_of_one_information_set_offer_the_same_actions(tree):
    for level in tree.levels[::4]:
        own = np.where(level.seat == 0, level.information[0], level.information[1])
        masks = {}
        for seat, group, view in zip(level.seat, own, level.view, strict=True):
            masks.setdefault((seat, group), set()).add(tree.masks[view].tobytes())
        assert Counter(len(found) for found in masks.values()).keys() == {1}


def test_large_tables_are_refused():
    with pytest.raises(ValueError, match="chance goes on deciding after the deal"):
        build_tree(make_game("drako"))
