"""The board turned: same rules, other names."""

import numpy as np
import pytest

from drako_env import drako_v0
from drako_env.engine.symmetry import Symmetries
from drako_env.games import make_game


@pytest.mark.parametrize("options", [{}, {"radius": 3, "edition": "2019"}])
def test_a_turned_game_is_the_same_game(options):
    """Play games side by side, one as it stands and one turned, with the same cards."""
    game = make_game("drako", **options)
    ways = game.symmetries
    count = len(ways.actions)
    straight, turned = (drako_v0.batch_env(count * 20, seed=3, **options) for _ in range(2))
    for batch in (straight, turned):
        batch._states["rng"] = np.repeat(batch._states["rng"][::count], count, axis=0)
        batch.reset()
    way = np.tile(np.arange(count), 20)
    for _ in range(250):
        assert np.array_equal(ways.turn(straight.observation, way), turned.observation)
        assert np.array_equal(ways.turn_mask(straight.action_mask, way), turned.action_mask)
        actions = turned.sample()
        straight.step(ways.turn_back(actions, way))
        turned.step(actions)
        assert np.array_equal(straight.reward, turned.reward)


def test_turned_twins_have_one_canonical_form():
    game, batch = make_game("drako"), drako_v0.batch_env(50, seed=1)
    ways = game.symmetries
    forms = []
    for _ in range(60):
        batch.step(batch.sample())
    for way in range(len(ways.actions)):
        twins = ways.turn(batch.observation, np.full(50, way))
        forms.append(ways.turn(twins, ways.canonical(twins)))
    assert all(np.array_equal(form, forms[0]) for form in forms)
    assert len(np.unique(ways.canonical(batch.observation))) > 5


def test_every_way_is_a_permutation_and_the_first_changes_nothing():
    ways = make_game("drako").symmetries
    for table in (ways.observations, ways.actions):
        assert np.array_equal(np.sort(table, axis=1), np.tile(np.arange(table.shape[1]), (12, 1)))
        assert np.array_equal(table[0], np.arange(table.shape[1]))
        assert len(np.unique(table, axis=0)) == 12


def test_a_game_without_symmetries_stays_as_it_is():
    alone = Symmetries(np.arange(5)[None], np.arange(3)[None])
    assert alone.canonical(np.ones((4, 5), np.int8)).tolist() == [0, 0, 0, 0]
    assert "_keys" not in vars(alone), "and that takes no time"
