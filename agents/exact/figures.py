"""What there is to say of a table that has been solved."""

import resource
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from drako_env.engine.game import Game
from drako_env.exact import (
    Solver,
    Tree,
    best_response,
    build_tree,
    exploitability,
    purified,
    save_strategies,
    uniform,
    value,
)
from drako_env.exact.graph import Floats
from drako_env.exact.linear import best_without_mixing, solve_exactly
from drako_env.exact.values import rules_of_thumb

Strategies = tuple[Floats, Floats]
FIRST_CHECK = 25
"""Iterations before exploitability is looked at first; then every time after a quarter more."""
DRAWN = 100
"""Pure strategies that are drawn from an equilibrium, to see how good one can be."""
BYTES_PER_MB = 2**20


@dataclass(frozen=True)
class Figures:
    """Of one table; rewards are the first seat's, exploitabilities the gains of both sides together."""

    table: str
    positions: int
    states: int
    sets: tuple[int, int]
    views: int
    value: float
    exploitability: float
    iterations: int
    seconds: float
    megabytes: float
    uniform: float
    heuristic: float
    purified: float
    """The likeliest move of the equilibrium in every information set."""
    best_drawn: float
    """The least exploitable pair among pure strategies drawn from the equilibrium."""
    open_value: float
    by_view: float
    """Strategies that know the present observation only, as far as the same number of iterations brought them."""

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return asdict(self)


def solve(
    tree: Tree, goal: float, most: int, tell: Callable[[int, float], object] = lambda iterations, left: None
) -> tuple[Solver, float]:
    """Iterate until the exploitability is below `goal` or there were `most` iterations; `tell` hears of both."""
    solver, left, check = Solver(tree), np.inf, FIRST_CHECK
    while left > goal and solver.iteration < most:
        solver.iterate(min(check, most) - solver.iteration)
        left = exploitability(tree, *solver.average())
        tell(solver.iteration, left)
        check = max(check + 1, check * 5 // 4)
    return solver, left


def figures(
    game: Game, goal: float, most: int, keep: Path | None = None, tell: Callable[[str], object] = lambda text: None
) -> Figures:
    """Build the tree, solve it, and judge the rest; the strategies go to the folder `keep`."""
    start = time.perf_counter()
    name = str(game.rules_table()["name"])
    tree = build_tree(game, tell=lambda size: tell(f"{name}: {size:,} positions"))
    solver, left = solve(tree, goal, most, lambda n, e: tell(f"{name}: iteration {n:,}, exploitability {e:.5f}"))
    strategies, seconds = solver.average(), time.perf_counter() - start
    if keep:
        save_strategies(keep / f"{name}.npz", tree, strategies)
    tell(f"{name}: comparing")
    return Figures(
        table=name,
        positions=tree.size,
        states=tree.states,
        sets=(tree.sides[0].sets, tree.sides[1].sets),
        views=len(tree.observations),
        value=value(tree, *strategies),
        exploitability=left,
        iterations=solver.iteration,
        seconds=seconds,
        megabytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / BYTES_PER_MB,
        uniform=exploitability(tree, uniform(tree, 0), uniform(tree, 1)),
        heuristic=exploitability(tree, *[rules_of_thumb(tree)] * 2),
        purified=exploitability(tree, *(purified(tree, seat, strategies[seat]) for seat in range(2))),
        best_drawn=best_drawn(tree, strategies, DRAWN),
        open_value=tree.open_value,
        by_view=view_exploitability(tree, solver.iteration),
    )


def best_drawn(tree: Tree, strategies: Strategies, count: int, seed: int = 0) -> float:
    """The least that can be gained against each seat's best one of `count` pure strategies, both together."""
    random = np.random.default_rng(seed)
    gains = [
        min(best_response(tree, 1 - seat, purified(tree, seat, strategies[seat], random)) for _ in range(count))
        for seat in range(2)
    ]
    return sum(gains)


def view_exploitability(tree: Tree, iterations: int) -> float:
    """Of strategies that know the present observation only."""
    solver = Solver(tree, by_view=True)
    solver.iterate(iterations)
    return exploitability(tree, *solver.average())


def mixing_gains(tree: Tree, seconds: float) -> float:
    """What both sides gain for certain by drawing lots, proved: no pure strategy gets more than the rest. Nothing where
    the time (for each side) is too short for a proof."""
    gains = [solve_exactly(tree, seat)[0] - best_without_mixing(tree, seat, seconds)[1] for seat in range(2)]
    return sum(max(0.0, gain) for gain in gains)


def without_mixing(game: Game, seconds: float) -> str:
    """What each side can get for certain, with and without drawing lots, in words."""
    tree, lines = build_tree(game), []
    for seat, name in enumerate(game.seats):
        reached, bound = best_without_mixing(tree, seat, seconds)
        lines.append(
            f"{name}: {solve_exactly(tree, seat)[0]:+.4f}; without mixing {reached:+.4f} (at most {bound:+.4f})"
        )
    return "\n".join(lines)
