"""The statistics of the search tree, worked out by hand."""

import numpy as np
import pytest

from drako_env.engine.tree import NODE, NONE, ROOT, best_child, count_result, may_widen, write_node
from tests.engine.compiled import kernel


@kernel
def add(tree, node, parent, action, mover):
    write_node(tree, node, parent, action, mover)


@kernel
def choose(tree, node, legal, exploration):
    return best_child(tree, node, legal, exploration)


@kernel
def widen(tree, node, tried):
    return may_widen(tree, node, tried)


@kernel
def count_rewards(tree, node, root, reward):
    count_result(tree, node, root, reward)


def count(tree, node, root, winner):
    """A game that `winner` of two seats has won, or a draw."""
    reward = [0, 0] if winner == NONE else [1 if seat == winner else -1 for seat in range(2)]
    count_rewards(tree, node, root, np.array(reward, np.float32))


def new_tree(*children, size=8):
    """A root and its children, given as (action, visits, available, wins), in memory that was used before."""
    tree = np.full(size, 77, np.int32).repeat(NODE.itemsize // 4).view(NODE)
    add(tree, ROOT, NONE, NONE, NONE)
    for node, (action, visits, available, wins) in enumerate(children, start=1):
        add(tree, node, ROOT, action, 0)
        tree["visits"][node], tree["available"][node], tree["wins"][node] = visits, available, wins
    return tree


def test_a_new_node_is_the_first_of_its_siblings_and_was_available_once():
    tree = new_tree()
    assert tree[ROOT].tolist() == (NONE, NONE, NONE, NONE, NONE, 0, 1, 0.0, 0.0, 0.0)
    add(tree, 1, ROOT, 5, 0)
    add(tree, 2, ROOT, 3, 1)
    add(tree, 3, 2, 4, 0)
    assert tree[1].tolist() == (5, 0, ROOT, NONE, NONE, 0, 1, 0.0, 0.0, 0.0)
    assert tree[2].tolist() == (3, 1, ROOT, 3, 1, 0, 1, 0.0, 0.0, 0.0)
    assert tree[3].tolist() == (4, 0, 2, NONE, NONE, 0, 1, 0.0, 0.0, 0.0)
    assert tree[ROOT]["first_child"] == 2


def test_choosing_counts_who_was_available_and_leaves_what_was_not_tried():
    tree, legal = new_tree((5, 4, 8, 1), (3, 2, 3, 1), (1, 1, 6, 1)), np.array([1, 0, 0, 1, 0, 1, 1], np.int8)
    best, tried = choose(tree, ROOT, legal, 0.7)
    assert (best, tried) == (2, 2), "action 1 is not legal in this deal"
    assert tree["available"][1:4].tolist() == [9, 4, 6]
    assert tree["visits"][1:4].tolist() == [4, 2, 1], "who is chosen is visited when the result is counted"
    assert legal.tolist() == [1, 0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize(("exploration", "best"), [(0.62, 1), (0.64, 2)])
def test_the_upper_confidence_bound(exploration, best):
    """12/16 + c * sqrt(ln 21 / 16) and 1/2 + c * sqrt(ln 4 / 2) are equal at c = 0.6307."""
    tree = new_tree((0, 16, 20, 12), (1, 2, 3, 1))
    assert choose(tree, ROOT, np.ones(2, np.int8), exploration) == (best, 2)


def test_what_was_available_more_often_and_not_chosen_is_due():
    tree = new_tree((0, 4, 9, 2), (1, 4, 7, 2))
    assert choose(tree, ROOT, np.ones(2, np.int8), 0.7)[0] == 1


def test_among_equals_the_newest_and_without_a_legal_child_none():
    tree = new_tree((0, 4, 9, 2), (1, 4, 9, 2))
    assert choose(tree, ROOT, np.ones(2, np.int8), 0.7) == (2, 2)
    assert choose(tree, ROOT, np.zeros(2, np.int8), 0.7) == (NONE, 0)


def test_a_child_that_never_won_is_still_a_choice():
    tree = new_tree((0, 4, 9, 0))
    assert choose(tree, ROOT, np.ones(1, np.int8), 0.0) == (1, 1)


@pytest.mark.parametrize(
    ("visits", "tried", "may"), [(0, 0, True), (0, 1, False), (1, 2, True), (2, 3, False), (3, 3, True), (9, 6, True)]
)
def test_widening_by_twice_the_root_of_the_visits(visits, tried, may):
    tree = new_tree()
    tree[ROOT]["visits"] = visits
    assert widen(tree, ROOT, tried) == may


@pytest.mark.parametrize(("winner", "wins"), [(0, [1, 0, 1]), (1, [0, 1, 0]), (2, [0, 0, 0]), (NONE, [0.5, 0.5, 0.5])])
def test_a_result_counts_for_the_mover_of_every_node_on_the_way(winner, wins):
    tree = new_tree((7, 0, 1, 0))
    add(tree, 2, ROOT, 4, 0)
    add(tree, 3, 2, 5, 1)
    add(tree, 4, 3, 6, 0)
    count(tree, 4, ROOT, winner)
    assert tree["wins"][[2, 3, 4]].tolist() == wins
    assert tree["visits"][:5].tolist() == [1, 0, 1, 1, 1]
    count(tree, 3, 2, winner)
    assert tree["wins"][[2, 3, 4]].tolist() == [wins[0], 2 * wins[1], wins[2]], "a kept tree begins at another root"
    assert tree["visits"][:5].tolist() == [1, 0, 2, 2, 1]
    assert tree["wins"][[ROOT, 1]].tolist() == [0, 0]
