"""The tree of an information-set search, in arrays: what does not depend on the game.

Single-observer ISMCTS (Cowling, Powley, Whitehouse 2012): one tree of action sequences as the searching seat sees them;
every simulation deals the hidden cards anew, walks down among the actions that are legal in that deal, adds one node,
plays to the end and counts the result upwards. Since an action may be legal in some deals only, a node is compared by
how often it was *available*, not by how often its parent was visited. With more than two players it is max^n: whoever
moves at a node is taken to choose what wins most often for itself.

A guided search (PUCT, as in AlphaZero) walks down the same kind of tree by what a network expects: a node gets all of
its children at once, each with the prior that the policy gives it, and the value head stands for playing to the end.
If the others' policies are known, they are drawn from instead of searched (ISMCTS-BR: Timbers et al. 2020).
"""

import math
from typing import Any

import numpy as np

from drako_env.engine.jit import jit

NONE = -1
ROOT = 0
WIDENING = 2.0
UNTRIED_LOSS = 0.05
HAS_CHILD = 2
"""In the place of a legal action's 1, for a moment."""

NODE = np.dtype(
    [
        ("action", "i4"),  # that leads here
        ("mover", "i4"),  # the seat that plays it
        ("parent", "i4"),
        ("first_child", "i4"),
        ("next_sibling", "i4"),
        ("visits", "i4"),
        ("available", "i4"),  # how often it could have been chosen
        ("wins", "f4"),  # of the mover; half for a draw
        ("prior", "f4"),  # a guided search: how likely the network finds the action,
        ("value", "f4"),  # and what it thinks of the position after it, for whoever decides then
    ],
    align=True,
)


@jit
def write_node(tree: Any, node: int, parent: int, action: int, mover: int) -> None:
    """A new node, in front of its siblings."""
    n = tree[node]
    n["action"] = action
    n["mover"] = mover
    n["parent"] = parent
    n["first_child"] = NONE
    n["next_sibling"] = NONE
    n["visits"] = 0
    n["available"] = 1
    n["wins"] = 0
    n["prior"] = 0
    n["value"] = 0
    if parent != NONE:
        n["next_sibling"] = tree[parent]["first_child"]
        tree[parent]["first_child"] = node


@jit
def best_child(tree: Any, node: int, legal: Any, exploration: float) -> tuple[int, int]:
    """The legal child with the highest upper confidence bound (NONE if there is none), and how many are legal. Takes
    the action of each of them out of `legal`, so that what stays are the actions not tried yet."""
    best, best_bound, tried = NONE, -math.inf, 0
    child = tree[node]["first_child"]
    while child != NONE:
        c = tree[child]
        if legal[c["action"]]:
            legal[c["action"]] = 0
            tried += 1
            c["available"] += 1
            bound = c["wins"] / c["visits"] + exploration * math.sqrt(math.log(c["available"]) / c["visits"])
            if bound > best_bound:
                best, best_bound = child, bound
        child = c["next_sibling"]
    return best, tried


@jit
def may_widen(tree: Any, node: int, tried: int) -> bool:
    """Progressive widening: a node visited n times looks at no more than about `WIDENING * sqrt(n)` actions, the most
    promising first, so that few simulations still look ahead."""
    return bool(tried * tried <= WIDENING * WIDENING * tree[node]["visits"])


@jit
def count_result(tree: Any, node: int, root: int, reward: Any) -> None:
    """Count a finished simulation, every seat's reward, on the way back to the root."""
    while node != root:
        n = tree[node]
        n["visits"] += 1
        n["wins"] += 0.5 + 0.5 * reward[n["mover"]]
        node = n["parent"]
    tree[root]["visits"] += 1


@jit
def known_children(tree: Any, node: int, legal: Any) -> int:
    """How many of the legal actions the node has a child for."""
    known, child = 0, tree[node]["first_child"]
    while child != NONE:
        known += legal[tree[child]["action"]]
        child = tree[child]["next_sibling"]
    return known


@jit
def add_children(tree: Any, nodes: int, node: int, legal: Any, priors: Any, mover: int) -> int:
    """Children for the legal actions that have none yet; returns the new size of the tree."""
    child = tree[node]["first_child"]
    while child != NONE:
        legal[tree[child]["action"]] *= HAS_CHILD
        child = tree[child]["next_sibling"]
    for action in range(len(priors)):
        if legal[action] == 1 and nodes < len(tree):
            write_node(tree, nodes, node, action, mover)
            tree[nodes]["prior"] = priors[action]
            nodes += 1
        legal[action] = legal[action] != 0
    return nodes


@jit
def likely_child(tree: Any, node: int, legal: Any, exploration: float) -> int:
    """The legal child with the best of its results so far and its prior; NONE if there is none. What was never tried
    counts as a little less than the others of its family."""
    visits, wins, child = 1, tree[node]["value"], tree[node]["first_child"]
    while child != NONE:
        if legal[tree[child]["action"]]:
            visits += tree[child]["visits"]
            wins += tree[child]["wins"]
        child = tree[child]["next_sibling"]
    untried, spread = wins / visits - UNTRIED_LOSS, exploration * math.sqrt(visits)
    best, best_bound, child = NONE, -math.inf, tree[node]["first_child"]
    while child != NONE:
        c = tree[child]
        if legal[c["action"]]:
            mean = c["wins"] / c["visits"] if c["visits"] else untried
            bound = mean + spread * c["prior"] / (1 + c["visits"])
            if bound > best_bound:
                best, best_bound = child, bound
        child = c["next_sibling"]
    return best
