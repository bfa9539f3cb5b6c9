"""Exact play: the tree holds every game, and nobody does better than a best response."""

import numpy as np
import pytest

from drako_env import drako_v0
from drako_env.exact import (
    Side,
    Tree,
    all_deals,
    best_answer,
    best_response,
    build_tree,
    exploitability,
    plan_of,
    purified,
    uniform,
    value,
)
from drako_env.exact.tree import payoffs_of
from drako_env.exact.values import rules_of_thumb
from drako_env.games import make_game
from tests.kuhn.game import Kuhn, Rules


@pytest.fixture(scope="module")
def tree():
    return build_tree(make_game("drako", rules="tiny"))


def uniform_policy(observation, mask):
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
    assert value(tree, uniform_policy, uniform_policy) == pytest.approx(total / games, abs=5 / np.sqrt(games))


DRAWING = {"rules": "tiny", "radius": 1, "start_hand": 1, "hand_limit": 1, "cards_per_draw": 1}
"""Cards are drawn by chance all along."""


def small_drawing_game():
    table = make_game("drako", **DRAWING).rules.table()
    for side, deck in table["deck"].items():
        table["deck"][side] = [card | {"copies": min(card["copies"], 2 - i)} for i, card in enumerate(deck)]
    return make_game("drako", rules=table)


def test_chance_after_the_deal_is_followed():
    game = small_drawing_game()
    assert not game.chance.only_deals
    tree = build_tree(game)
    batch = drako_v0.batch_env(4000, seed=1, rules=game.rules)
    total = games = 0
    for _ in range(200):
        batch.step(batch.sample())
        total, games = total + batch.reward[:, 0].sum(), games + batch.done.sum()
    assert value(tree, uniform_policy, uniform_policy) == pytest.approx(total / games, abs=5 / np.sqrt(games))


@pytest.mark.parametrize("make", [lambda: make_game("drako", rules="tiny"), small_drawing_game])
def test_all_chances_add_up(make):
    """Every game ends with 1 or -1: whoever plays what, the ends are reached once in all."""
    tree = build_tree(make())
    own = np.repeat(np.arange(len(tree.sides[0].action)), np.diff(tree.payoffs[0].first))
    for seed in range(3):
        first, second = (plan_of(tree, seat, random_policy(tree, seed + seat)) for seat in range(2))
        worth = np.abs(tree.payoffs[0].worth)
        assert (first[own] * second[tree.payoffs[0].other] * worth).sum() == pytest.approx(1)


def test_all_deals_of_a_small_table(tree):
    _, chances = all_deals(tree.game, 100)
    assert sorted(chances) == pytest.approx(sorted([0.4 * 0.2, 0.4 * 0.8, 0.6 * 0.2, 0.6 * 0.8]))


@pytest.mark.parametrize("seed", range(4))
def test_nobody_does_better_than_a_best_response(tree, seed):
    first, second = random_policy(tree, seed), random_policy(tree, seed + 100)
    assert value(tree, first, second) <= best_response(tree, 0, second)
    assert -value(tree, first, second) <= best_response(tree, 1, first)
    assert exploitability(tree, first, second) > 0
    reached, answer = best_answer(tree, 0, second)
    assert value(tree, answer, second) == pytest.approx(reached)
    reached, answer = best_answer(tree, 1, first)
    assert -value(tree, first, answer) == pytest.approx(reached)


def test_a_strategy_by_information_sets_is_worth_what_the_same_policy_is(tree):
    tables = uniform(tree, 0), uniform(tree, 1)
    assert value(tree, *tables) == pytest.approx(value(tree, uniform_policy, uniform_policy))
    assert exploitability(tree, *tables) == pytest.approx(exploitability(tree, uniform_policy, uniform_policy))
    with pytest.raises(ValueError, match="a strategy for 3 moves; the seat has"):
        best_response(tree, 0, np.ones(3))


def matching_pennies(seen):
    """The first seat shows heads or tails; the second says which, having seen it or not."""
    first = Side(np.array([0]), np.array([1, 3]), np.array([-1, 0, 1]), np.array([0]))
    sets = 2 if seen else 1
    moves = np.arange(sets + 1) * 2 + 1
    second = Side(np.zeros(sets, int), moves, np.array([-1, *[0, 1] * sets]), np.zeros(sets, int))
    shown, said = np.array([1, 1, 2, 2]), np.array([1, 2, 1, 2]) + (np.array([0, 0, 2, 2]) if seen else 0)
    payoffs = payoffs_of([(shown, said, np.array([-1.0, 1, 1, -1]))], 3, 1 + 2 * sets)
    views = np.zeros((1, 1), np.int8), np.ones((1, 2), np.int8), np.zeros(1, [("rng", "u8")])
    return Tree(None, (first, second), payoffs, *views, size=3)


def test_a_best_response_uses_what_it_knows_and_no_more():
    assert best_response(matching_pennies(seen=True), 1, uniform_policy) == pytest.approx(1)
    assert best_response(matching_pennies(seen=False), 1, uniform_policy) == pytest.approx(0)

    def mostly_heads(observation, mask):
        return np.array([[0.7, 0.3]])

    assert best_response(matching_pennies(seen=False), 1, mostly_heads) == pytest.approx(0.4)
    assert exploitability(matching_pennies(seen=False), uniform_policy, uniform_policy) == pytest.approx(0)
    assert value(matching_pennies(seen=False), mostly_heads, mostly_heads) == pytest.approx(-0.16)


def test_pure_strategies_make_one_move_for_certain(tree):
    random = np.random.default_rng(0)
    for seat, strategy in enumerate((random_policy(tree, 1), random_policy(tree, 2))):
        side = tree.sides[seat]
        for pure in (purified(tree, seat, strategy), purified(tree, seat, strategy, random)):
            assert set(pure) == {0, 1}
            assert (np.add.reduceat(pure[1:], side.first[:-1] - 1) == 1).all()
    pennies = matching_pennies(seen=False)
    drawn = [purified(pennies, 0, np.array([1, 0.7, 0.3]), random)[1] for _ in range(1000)]
    assert np.mean(drawn) == pytest.approx(0.7, abs=0.06)
    assert exploitability(pennies, purified(pennies, 0, uniform_policy), purified(pennies, 1, uniform_policy)) == 2


def test_an_information_set_offers_the_actions_of_its_mask(tree):
    for side in tree.sides:
        for i in range(0, side.sets, 7):
            legal = np.flatnonzero(tree.masks[side.view[i]])
            assert side.action[side.first[i] : side.first[i + 1]].tolist() == legal.tolist()


def test_whatever_leads_to_an_information_set_comes_before_it(tree):
    for side in tree.sides:
        assert (side.parent < side.first[:-1]).all()


def test_rules_of_thumb_as_probabilities(tree):
    """In the tiny table they play perfectly."""
    chances = rules_of_thumb(tree)(tree.observations, tree.masks)
    assert chances.sum(axis=1) == pytest.approx(1)
    assert not chances[tree.masks == 0].any()
    assert exploitability(tree, rules_of_thumb(tree), rules_of_thumb(tree)) == pytest.approx(0)


def test_perfect_play_with_open_hands_is_worth_no_less_than_a_pair_of_best_responses_says(tree):
    assert tree.open_value == pytest.approx(-0.2)
    assert build_tree(Kuhn.of(Rules())).open_value == pytest.approx(0)  # the higher card bets, the lower folds


def test_large_tables_are_refused():
    with pytest.raises(ValueError, match="more than 100,000 deals: this table is too large for exact play"):
        build_tree(make_game("drako"))
    with pytest.raises(ValueError, match="more than 1,000 positions"):
        build_tree(make_game("drako", rules="tiny"), 1000)
    with pytest.raises(ValueError, match="has 3 seats, and exact play is for two"):
        build_tree(make_game("golden_dragon", num_players=3))
