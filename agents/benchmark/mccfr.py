"""Monte-Carlo counterfactual regret minimisation by outcome sampling: regrets in a table, learnt from whole games that
are played with some exploration. Lanctot et al. 2009; the regrets are those of CFR+ (never below zero)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.game import Game
from drako_env.envs.batch import GameBatch
from drako_env.exact import Tree

GAMES = 256
"""Played side by side with the same strategy, then learnt from."""
EXPLORATION = 0.6
"""How often the seat that learns plays any legal action."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class _Step(NamedTuple):
    """Decisions of the seat that learns, in some of the games at once."""

    games: Ints
    views: Ints
    action: Ints
    strategy: Floats
    """The chances of all actions, without exploration."""
    drawn: Floats
    """How likely the action was drawn."""


class Mccfr:
    """What a table knows of each view of a tree. Seats learn in turn, and the other plays as it would."""

    def __init__(self, tree: Tree, game: Game, seed: int) -> None:
        self.tree = tree
        self.batch = GameBatch(game, GAMES, seed)
        self.chance = np.random.default_rng(seed)
        self.regrets = np.zeros(tree.masks.shape)
        self.total = np.zeros(tree.masks.shape)
        """Of all strategies so far, later ones counting more."""
        self.decisions = self.iteration = 0
        rows = zip(tree.observations, tree.masks, strict=True)
        self._place = {seen.tobytes() + mask.tobytes(): i for i, (seen, mask) in enumerate(rows)}

    def iterate(self) -> None:
        """Every seat learns from games of its own."""
        self.iteration += 1
        for seat in range(2):
            self._learn(*self._play(seat))

    def average(self) -> Floats:
        """The chances of all actions in each view, by the average strategy; uniform where nobody has been."""
        return _shares(self.total, self.tree.masks)

    def _play(self, seat: int) -> tuple[list[_Step], Floats]:
        """Games to their ends: what `seat` decided step by step, and its rewards."""
        batch, going, steps = self.batch, np.arange(GAMES), []
        rewards = np.zeros(GAMES)
        batch.reset()
        while len(going):
            views, own = self._views(going), batch.agent[going] == seat
            legal = self.tree.masks[views].astype(float)
            strategy = _shares(self.regrets[views], legal)
            anything = legal / legal.sum(axis=1, keepdims=True)
            drawn = np.where(own[:, None], EXPLORATION * anything + (1 - EXPLORATION) * strategy, strategy)
            action = self._draw(drawn)
            steps.append(_Step(going[own], views[own], action[own], strategy[own], _chosen(drawn, action)[own]))
            batch.step(action, going)
            ended = batch.done[going]
            rewards[going[ended]] = batch.reward[going[ended], seat]
            going = going[~ended]
            self.decisions += len(ended)
        return steps, rewards

    def _learn(self, steps: list[_Step], rewards: Floats) -> None:
        """What an action was worth, made up for how likely the game was drawn."""
        reach, drawn, tail = np.ones(GAMES), np.ones(GAMES), np.ones(GAMES)
        for step in steps:
            weight = self.iteration * reach[step.games] / drawn[step.games]
            np.add.at(self.total, step.views, weight[:, None] * step.strategy)
            reach[step.games] *= _chosen(step.strategy, step.action)
            drawn[step.games] *= step.drawn
        for step in reversed(steps):
            worth = rewards[step.games] * tail[step.games] / drawn[step.games]
            likely = _chosen(step.strategy, step.action)
            gain = -(worth * likely)[:, None] * self.tree.masks[step.views]
            gain[np.arange(len(gain)), step.action] += worth
            np.add.at(self.regrets, step.views, gain)
            tail[step.games] *= likely
        np.maximum(self.regrets, 0.0, out=self.regrets)

    def _views(self, games: Ints) -> Ints:
        """Where what is seen now stands among the tree's views."""
        seen, mask = self.batch.observation[games], self.batch.action_mask[games]
        keys = (one.tobytes() + other.tobytes() for one, other in zip(seen, mask, strict=True))
        return np.array([self._place[key] for key in keys])

    def _draw(self, shares: Floats) -> Ints:
        sums = shares.cumsum(axis=1)
        aim = self.chance.random(len(shares)) * sums[:, -1]
        return np.minimum((sums <= aim[:, None]).sum(axis=1), shares.shape[1] - 1)


def _chosen(shares: Floats, action: Ints) -> Floats:
    """How likely the chosen actions were."""
    return shares[np.arange(len(action)), action]


def _shares(weights: Floats, legal: NDArray[np.generic]) -> Floats:
    """Chances in proportion to weights; all legal actions alike where there are none."""
    sums = weights.sum(axis=1, keepdims=True)
    return np.where(sums > 0, weights / np.where(sums > 0, sums, 1.0), legal / legal.sum(axis=1, keepdims=True))
