"""The end of a game from given positions: Golden Dragon as a whole is too large to be counted, its endgames are not."""

from itertools import permutations

import numpy as np
import pytest

from drako_env.engine.rng import seed_words
from drako_env.envs.batch import GameBatch
from drako_env.exact import Solver, all_deals, build_tree, exploitability, uniform, value
from drako_env.exact.linear import best_without_mixing, solve_exactly
from drako_env.games import make_game
from tests.kuhn.game import Kuhn, Rules

POSITION = {
    "phase": "place",
    "agent": 1,
    "active": 1,
    "moves_left": 3,
    "positions": [[5, 4], [5, 6]],  # the goal is [6, 5]
    "under": ["N", "N"],
    "storms": [0, 0],
    "bolts": [1, 0],
    "barred": [],
    "announced": None,
    "single_moves": 3,
    "winner": None,
}
"""The first seat has had its first turn. Of its holder two stones are left that nobody else has seen, S and W; of the
second seat's all five. After four more single moves the game is drawn."""


@pytest.fixture(scope="module")
def endgame():
    """The game, and every way in which the holders may be filled."""
    game = make_game("golden_dragon", board="compact8", max_single_moves=7, veto_scope="any_opponent")
    states = []
    for hand, *second in permutations(["S", "E", "W", "SE", "SW"]):
        for first in permutations(["S", "W"]):
            holders = [[*first, "E", "SE", "SW"], second]
            states.append(game.load_state_dict(POSITION | {"hand": hand, "holders": holders}))
    return game, np.array(states)


@pytest.fixture(scope="module")
def tree(endgame):
    game, states = endgame
    return build_tree(game, begin=(states, np.full(len(states), 1 / len(states))))


def test_an_endgame_is_solved(tree):
    """The linear programme agrees. All orders are equally likely, and the first seat wins four of 120 by force."""
    solver = Solver(tree)
    solver.iterate(400)
    assert exploitability(tree, *solver.average()) < 0.002
    assert value(tree, *solver.average()) == pytest.approx(1 / 30, abs=0.002)
    assert [solve_exactly(tree, seat)[0] for seat in range(2)] == pytest.approx([1 / 30, -1 / 30])
    assert tree.open_value == pytest.approx(1 / 30)
    assert best_without_mixing(tree, 0, 60) == pytest.approx((1 / 30, 1 / 30))
    assert exploitability(tree, uniform(tree, 0), uniform(tree, 1)) == pytest.approx(0.5224, abs=1e-4)
    assert (tree.size, [side.sets for side in tree.sides]) == (7640, [4192, 3448])


def test_random_play_from_there_is_worth_what_random_games_show(endgame, tree):
    game, states = endgame
    batch = _begun(game, np.tile(states, 40))
    rewards, going = np.zeros(len(batch.done)), np.arange(len(batch.done))
    while len(going):
        batch.step(batch.sample(games=going), going)
        rewards[going] = np.where(batch.done[going], batch.reward[going, 0], 0)
        going = going[~batch.done[going]]
    expected = value(tree, uniform(tree, 0), uniform(tree, 1))
    assert np.mean(rewards) == pytest.approx(expected, abs=5 / np.sqrt(len(rewards)))


def _begun(game, states):
    """A batch of games that stand so."""
    batch = GameBatch(game, len(states), 0)
    batch._states[:] = states
    batch._states["rng"] = seed_words(np.arange(len(states), dtype=np.uint64))
    batch._look()
    return batch


def test_all_deals_are_the_whole_game():
    game = Kuhn.of(Rules())
    whole, same = build_tree(game), build_tree(game, begin=all_deals(game, 100))
    assert same.size == whole.size
    for one, other in zip(same.payoffs, whole.payoffs, strict=True):
        assert (one.worth == other.worth).all()


def test_positions_that_are_no_beginning_are_refused(endgame):
    game, states = endgame
    with pytest.raises(ValueError, match="chances that add up to 1"):
        build_tree(game, begin=(states, np.ones(len(states))))
    over = states.copy()
    over["agent"] = -1
    with pytest.raises(ValueError, match="need somebody to decide"):
        build_tree(game, begin=(over, np.full(len(over), 1 / len(over))))


def test_the_whole_of_golden_dragon_is_too_large():
    """Holders alone are filled in 36 * 120 * 120 = 518,400 ways."""
    game = make_game("golden_dragon", max_single_moves=1)
    with pytest.raises(ValueError, match="more than 20,000 positions: this table is too large"):
        build_tree(game, 20_000)
