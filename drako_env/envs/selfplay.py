"""Many games in which the networks that learn play every seat: each decision of each of them is one to learn from."""

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.game import Game, role_of, sides
from drako_env.engine.loops import HEURISTIC
from drako_env.engine.network import Tensors, judge, pack, replace
from drako_env.engine.rollout import new_rollout
from drako_env.envs.batch import GameBatch

Results = dict[str, dict[str, tuple[int, float]]]
"""Side -> opponent -> finished games times the seats of that side, and the sum of their rewards."""
NEWEST = 0.1
"""How much the last rollout's sparring counts in how often a seat loses it."""


class SelfPlay:
    """`num_games` games of the networks of all sides (see `engine.game.sides`) against each other.

    A rollout has `steps` decisions with a choice a game for every side, on average."""

    def __init__(self, game: Game, num_games: int, steps: int, seed: int | None, canonical: bool = True) -> None:
        self.game, self.sides, self._canonical = game, sides(game), canonical
        self.batch = GameBatch(game, num_games, seed)
        self.rollout = new_rollout(game, num_games, steps * len(self.sides), len(self.sides))
        seated = np.array([[side in (seat, role_of(seat)) for side in self.sides].index(True) for seat in game.seats])
        sparring = np.where(np.eye(len(seated), dtype=bool), seated, HEURISTIC)
        self._lineups = np.array([seated, *sparring])
        self._lineup = np.zeros(num_games, np.int64)
        self._nets = pack([], game.symmetries)
        self._each = float("inf")
        self._lost = np.ones(len(seated))
        """How often each seat loses to the rules of thumb."""
        self._played = np.zeros((len(self._lineups), 1 + len(seated)))
        """By line-up: finished games, and every seat's rewards."""
        self.lengths: dict[str, float] = {}
        """How many decisions with a choice each side made a game, in the rollout collected last."""

    def collect(self, networks: Sequence[Tensors], threads: int = 1, sparring: float = 0.0) -> dict[str, float]:
        """Let the sides' networks play until the `rollout` is full; returns the seconds for the games and for the
        networks.

        Of the games dealt, a share of up to `sparring` has the rules of thumb on all seats but one: all of that share
        while they always win, none when they never do."""
        start = time.perf_counter()
        if not len(self._nets.layout):
            self._nets = pack([(network, self._canonical) for network in networks], self.game.symmetries)
        for number, network in enumerate(networks):
            replace(self._nets, number, network)
        shares = np.cumsum(self._lost[::-1] * sparring / len(self._lost))[::-1]
        chances = np.append(1 - shares, 1.0)
        results = self.batch.collect(self._nets, self._lineups, chances, self._lineup, self.rollout, threads)
        self._take_in(results)
        seconds = time.perf_counter() - start
        forward = min(seconds, self.rollout.action.size * self._evaluation_time() / threads)
        return {"games": seconds - forward, "forward": forward}

    def take_results(self) -> Results:
        """Who has won how much since the last call, against all others' networks and in sparring."""
        found: Results = {}
        for number, side in enumerate(self.sides):
            (games, *rewards), sparring = self._played[0], self._played[1:]
            own = self._lineups[0] == number
            alone = sparring[own, 0].sum(), np.diag(sparring[:, 1:])[own].sum()
            results = {"itself": (games * own.sum(), np.sum(rewards, where=own)), "sparring": alone}
            found[side] = {name: (int(count), float(total)) for name, (count, total) in results.items() if count}
        self._played[:] = 0
        return found

    def _take_in(self, results: NDArray[np.float64]) -> None:
        """What `collect_games` has counted."""
        self._played += np.delete(results, (1, 2), axis=1)
        games, rewards = results[1:, 0], np.diag(results[1:, 3:])
        lost = 0.5 - 0.5 * rewards / np.maximum(1, games) / self.game.max_reward
        self._lost += np.where(games, NEWEST * (lost - self._lost), 0)
        for number, side in enumerate(self.sides):
            self.lengths[side] = float((self.rollout.learner == number).sum() / max(1, results[:, 0].sum()))

    def _evaluation_time(self) -> float:
        """How many seconds a network takes for a decision, at best."""
        start = time.perf_counter()
        judge(self._nets, 0, self.batch.observation, self.batch.action_mask)
        self._each = min(self._each, (time.perf_counter() - start) / self.batch.num_games)
        return self._each
