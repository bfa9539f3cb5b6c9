"""Equilibria by counterfactual regret minimisation (CFR+: alternating updates, linear averaging)."""

import numpy as np

from drako_env.exact.graph import Floats, Ints
from drako_env.exact.loops import advantages, match, realise
from drako_env.exact.tree import Tree
from drako_env.exact.values import gains_against, uniform


class _Memory:
    """What a seat has learnt: a strategy with its regrets, and the sum of all strategies so far."""

    def __init__(self, tree: Tree, seat: int, by_view: bool) -> None:
        self.side = tree.sides[seat]
        self.chances = uniform(tree, seat)
        self.plan = np.empty(len(self.chances))
        self.pool: Ints | None = None
        self.first = self.side.first
        if by_view:
            self.first, self.pool = _pooled(tree, seat)
        self.regrets = np.zeros(self.first[-1])
        self.total = np.zeros(self.first[-1])
        self.realise()

    def realise(self) -> None:
        realise(self.side.parent, self.side.first, self.chances, self.plan)

    def add_up(self, weight: float) -> None:
        self.total += weight * self._together(self.plan)

    def learn(self, gains: Floats) -> None:
        """From what each move brings against the other seat's present strategy."""
        advantages(self.side.parent, self.side.first, gains, self.chances)
        if self.pool is None:
            match(self.first, gains, self.regrets, self.chances)
        else:
            chances = np.ones(self.first[-1])
            match(self.first, self._together(gains), self.regrets, chances)
            self.chances = chances[self.pool]
        self.realise()

    def _together(self, moves: Floats) -> Floats:
        if self.pool is None:
            return moves
        return np.bincount(self.pool, moves, int(self.first[-1])).astype(float)

    def average(self) -> Floats:
        """The strategy on average; uniform where nobody has been."""
        moves = np.diff(self.first)
        sums = np.add.reduceat(self.total[1:], self.first[:-1] - 1)
        shares = np.repeat(sums, moves)
        chances = np.where(shares > 0, self.total[1:] / np.where(shares > 0, shares, 1), np.repeat(1 / moves, moves))
        chances = np.concatenate([[1.0], chances])
        return chances if self.pool is None else chances[self.pool]


def _pooled(tree: Tree, seat: int) -> tuple[Ints, Ints]:
    """The moves of information sets that look the same now, taken together: where those of each look begin, and of each
    move its number among them."""
    side = tree.sides[seat]
    _, index, look = np.unique(side.view, return_index=True, return_inverse=True)
    moves = np.diff(side.first)[index]
    first = np.concatenate([[1], 1 + np.cumsum(moves)])
    rank = np.arange(1, side.first[-1]) - side.first[side.home[1:]]
    return first, np.concatenate([[0], first[look.reshape(-1)[side.home[1:]]] + rank])


class Solver:
    """Plays both seats against each other and learns from regret: the average strategies go to an equilibrium.

    `by_view`: strategies that know the present observation only, not what was before; where that loses something, they
    need not come to an equilibrium."""

    def __init__(self, tree: Tree, by_view: bool = False) -> None:
        self.tree = tree
        self.iteration = 0
        self._seats = [_Memory(tree, seat, by_view) for seat in range(2)]

    def iterate(self, count: int) -> None:
        """So many more iterations."""
        for _ in range(count):
            self.iteration += 1
            for seat, memory in enumerate(self._seats):
                memory.add_up(self.iteration)
                memory.learn(gains_against(self.tree, seat, self._seats[1 - seat].plan))

    def average(self) -> tuple[Floats, Floats]:
        """The strategies of both seats."""
        first, second = (memory.average() for memory in self._seats)
        return first, second
