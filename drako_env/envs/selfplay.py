"""Many games in which the networks that learn play every seat: each decision of each of them is one to learn from."""

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.game import Game, role_of, sides
from drako_env.engine.network import Tensors, judge, pack, replace
from drako_env.engine.rollout import new_rollout
from drako_env.envs.batch import GameBatch


class SelfPlay:
    """`num_games` games of the networks of all sides (see `engine.game.sides`) against each other.

    A rollout has `steps` decisions with a choice a game for every side, on average."""

    def __init__(self, game: Game, num_games: int, steps: int, seed: int | None, canonical: bool = True) -> None:
        self.game, self.sides, self._canonical = game, sides(game), canonical
        self.batch = GameBatch(game, num_games, seed)
        self.rollout = new_rollout(game, num_games, steps * len(self.sides), len(self.sides))
        seated = [[side in (seat, role_of(seat)) for side in self.sides].index(True) for seat in game.seats]
        self._lineups = np.array([seated])
        self._lineup = np.zeros(num_games, np.int64)
        self._nets = pack([], game.symmetries)
        self._each = float("inf")
        self.results: dict[str, tuple[int, float]] = {}
        """Of the rollout collected last, by side: finished games times its seats, and the sum of their rewards."""
        self.lengths: dict[str, float] = {}
        """How many decisions with a choice each side made a game."""

    def collect(self, networks: Sequence[Tensors], threads: int = 1) -> dict[str, float]:
        """Let the sides' networks play until the `rollout` is full; returns the seconds for the games and for the
        networks."""
        start = time.perf_counter()
        if not len(self._nets.layout):
            self._nets = pack([(network, self._canonical) for network in networks], self.game.symmetries)
        for number, network in enumerate(networks):
            replace(self._nets, number, network)
        lineups = self._lineups, np.ones(1), self._lineup
        (results,) = self.batch.collect(self._nets, *lineups, self.rollout, threads)
        self._take_in(int(results[0]), results[3:])
        seconds = time.perf_counter() - start
        forward = min(seconds, self.rollout.action.size * self._evaluation_time() / threads)
        return {"games": seconds - forward, "forward": forward}

    def _take_in(self, games: int, rewards: NDArray[np.float64]) -> None:
        """Who has won how much, and after how many decisions."""
        for number, side in enumerate(self.sides):
            own = self._lineups[0] == number
            self.results[side] = int(games * own.sum()), float(rewards[own].sum())
            self.lengths[side] = float((self.rollout.learner == number).sum() / max(1, games))

    def _evaluation_time(self) -> float:
        """How many seconds a network takes for a decision, at best."""
        start = time.perf_counter()
        judge(self._nets, 0, self.batch.observation, self.batch.action_mask)
        self._each = min(self._each, (time.perf_counter() - start) / self.batch.num_games)
        return self._each
