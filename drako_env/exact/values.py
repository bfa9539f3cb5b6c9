"""What strategies are worth: against each other, against the best response, and how far they are from equilibrium."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.game import Game
from drako_env.engine.rng import seed_words
from drako_env.envs.batch import GameBatch
from drako_env.exact.graph import Floats
from drako_env.exact.loops import against, answer, realise
from drako_env.exact.tree import Tree

Probabilities = Callable[[NDArray[np.int8], NDArray[np.int8]], NDArray[np.floating]]
"""A policy to be judged: `(observation (n, D), mask (n, A)) -> (n, A)` chances of the actions."""
Strategy = Probabilities | Floats
"""A policy, or the chances of every move of a seat in its information set, in the order of `Side`."""


def chances_of(tree: Tree, seat: int, strategy: Strategy) -> Floats:
    """The chance of every move of a seat."""
    side = tree.sides[seat]
    if not callable(strategy):
        if strategy.shape != side.action.shape:
            raise ValueError(f"a strategy for {len(strategy)} moves; the seat has {len(side.action)}")
        return strategy
    told = np.asarray(strategy(tree.observations, tree.masks), float)
    chances = told[side.view[side.home], side.action]
    chances[0] = 1
    return chances


def plan_of(tree: Tree, seat: int, strategy: Strategy) -> Floats:
    """How likely a seat's strategy makes each of its moves come about, as far as it depends on the seat itself."""
    side, chances = tree.sides[seat], chances_of(tree, seat, strategy)
    plan = np.empty(len(chances))
    realise(side.parent, side.first, chances, plan)
    return plan


def gains_against(tree: Tree, seat: int, plan: Floats) -> Floats:
    """What each move of `seat` brings at the ends of games if the other seat follows a plan."""
    payoffs = tree.payoffs[seat]
    gains = np.empty(len(tree.sides[seat].action))
    against(payoffs.first, payoffs.other, payoffs.worth, plan, gains)
    return gains


def best_response(tree: Tree, seat: int, strategy: Strategy) -> float:
    """What `seat` gets on average by playing as well as possible against the other's strategy, which it knows."""
    return best_answer(tree, seat, strategy)[0]


def best_answer(tree: Tree, seat: int, strategy: Strategy) -> tuple[float, Floats]:
    """The same, and the moves that get it."""
    side, gains = tree.sides[seat], gains_against(tree, seat, plan_of(tree, 1 - seat, strategy))
    chances = np.ones(len(gains))
    return float(answer(side.parent, side.first, gains, chances)), chances


def value(tree: Tree, first: Strategy, second: Strategy) -> float:
    """What the first seat gets when these strategies meet."""
    return float(plan_of(tree, 0, first) @ gains_against(tree, 0, plan_of(tree, 1, second)))


def exploitability(tree: Tree, first: Strategy, second: Strategy) -> float:
    """What both together could gain by answering the other's strategy as well as possible: zero in equilibrium.
    (OpenSpiel's `nash_conv`; what it calls exploitability is half of it.)"""
    return best_response(tree, 0, second) + best_response(tree, 1, first)


def uniform(tree: Tree, seat: int) -> Floats:
    """Every legal move with the same chance."""
    side = tree.sides[seat]
    return np.concatenate([[1.0], np.repeat(1 / np.diff(side.first), np.diff(side.first))])


def purified(tree: Tree, seat: int, strategy: Strategy, random: np.random.Generator | None = None) -> Floats:
    """One move for certain in every information set: the likeliest, or one drawn by its chances."""
    side, chances = tree.sides[seat], chances_of(tree, seat, strategy)
    weight = chances if random is None else np.log(np.maximum(chances, 1e-300)) + random.gumbel(size=len(chances))
    best = np.maximum.reduceat(weight[1:], side.first[:-1] - 1)
    chosen = np.flatnonzero(weight[1:] == best[side.home[1:]]) + 1
    _, index = np.unique(side.home[chosen], return_index=True)
    pure = np.zeros(len(chances))
    pure[0] = pure[chosen[index]] = 1
    return pure


def rules_of_thumb(tree: Tree, tries: int = 64) -> Probabilities:
    """What a game's heuristic plays, equals with equal chances: those that it chose in so many tries."""
    game, batch = _need_game(tree), GameBatch(_need_game(tree), len(tree.examples), 0, observe=False)
    chosen = np.zeros(tree.masks.shape)
    for number in range(tries):
        batch._states[:] = tree.examples
        batch._states["rng"] = seed_words(np.arange(len(tree.examples), dtype=np.uint64) * np.uint64(tries) + number)
        game.kernels.view_games(game.tables, batch._states, batch.observation, batch._mask, batch.agent)
        chosen[np.arange(len(chosen)), batch.best()] = 1
    chosen /= chosen.sum(axis=1, keepdims=True)
    return lambda observation, mask: chosen


def _need_game(tree: Tree) -> Game:
    if tree.game is None:
        raise ValueError("a tree without a game has no rules of thumb")
    return tree.game
