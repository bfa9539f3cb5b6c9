"""Equilibria by linear programming over the sequence form (scipy's HiGHS): for small tables, as a check of everything
else, and with whole numbers for the best that can be done without mixing."""

from typing import Any

import numpy as np

try:
    from scipy import sparse
    from scipy.optimize import Bounds, LinearConstraint, linprog, milp
except ImportError as error:
    raise ImportError("linear programmes need SciPy: pip install 'drako-env[evaluation]'") from error

from drako_env.exact.graph import Floats
from drako_env.exact.tree import Side, Tree


def solve_exactly(tree: Tree, seat: int) -> tuple[float, Floats]:
    """What `seat` can get for certain, and the plan that gets it."""
    objective, equal, sums, below = _programme(tree, seat)
    found = linprog(objective, below, np.zeros(below.shape[0]), equal, sums, _bounds(tree, seat), method="highs")
    if found.x is None or found.fun is None:
        raise RuntimeError(f"no solution of the linear programme: {found.message}")
    return -float(found.fun), np.asarray(found.x[: len(tree.sides[seat].action)])


def best_without_mixing(tree: Tree, seat: int, seconds: float) -> tuple[float, float]:
    """What `seat` can get for certain if it may not draw lots: what a strategy was found for, and a bound above which
    there is none. They are equal unless the time was too short."""
    objective, equal, sums, below = _programme(tree, seat)
    whole = np.zeros(len(objective), np.int64)
    whole[: len(tree.sides[seat].action)] = 1
    low, high = np.array(_bounds(tree, seat)).T
    conditions = [LinearConstraint(equal, sums, sums), LinearConstraint(below, -np.inf, 0)]
    found = milp(
        objective,
        integrality=whole,
        bounds=Bounds(low, high),
        constraints=conditions,
        options={"time_limit": seconds},
    )
    reached = -np.inf if found.fun is None else -float(found.fun)
    return reached, -float(found.mip_dual_bound) if found.mip_dual_bound is not None else np.inf


def _bounds(tree: Tree, seat: int) -> list[tuple[float, float]]:
    """Of a plan, and of what the other seat makes of each of its information sets."""
    own, other = tree.sides[seat], tree.sides[1 - seat]
    return [(0.0, 1.0)] * len(own.action) + [(-np.inf, np.inf)] * (other.sets + 1)


def _programme(tree: Tree, seat: int) -> tuple[Floats, Any, Floats, Any]:
    """Unknowns are the seat's plan, then what it gets in each information set of the other seat, and last in all: the
    latter is at most what each of the other's moves leaves."""
    own, other, payoffs = tree.sides[seat], tree.sides[1 - seat], tree.payoffs[1 - seat]
    moves, sets = len(own.action), other.sets
    objective = np.zeros(moves + sets + 1)
    objective[-1] = -1.0
    equal = sparse.hstack([_flow(own), sparse.csr_matrix((own.sets + 1, sets + 1))]).tocsr()
    sums = np.zeros(own.sets + 1)
    sums[0] = 1.0
    size = (len(other.action), moves)
    worth = sparse.csr_matrix((-payoffs.worth, payoffs.other, payoffs.first), shape=size)
    home = np.where(other.home < 0, sets, other.home)
    of_set = sparse.csr_matrix((np.ones(len(home)), (np.arange(len(home)), home)), shape=(len(home), sets + 1))
    after = sparse.csr_matrix((np.ones(sets), (other.parent, np.arange(sets))), shape=(len(home), sets + 1))
    return objective, equal, sums, sparse.hstack([-worth, of_set - after]).tocsr()


def _flow(side: Side) -> Any:
    """What a plan has to fulfil: the moves of an information set add up to the move that leads there."""
    moves = np.arange(1, len(side.action))
    ones = sparse.csr_matrix((np.ones(len(moves)), (side.home[1:] + 1, moves)), shape=(side.sets + 1, len(side.action)))
    rows, parents = np.arange(1, side.sets + 1), side.parent
    before = sparse.csr_matrix((np.ones(side.sets), (rows, parents)), shape=ones.shape)
    start = sparse.csr_matrix(([1.0], ([0], [0])), shape=ones.shape)
    return ones - before + start
