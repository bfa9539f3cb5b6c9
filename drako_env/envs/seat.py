"""Many games seen by one learner: it decides, batched opponents play everything in between."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from drako_env.engine.game import Game, new_states, role_of
from drako_env.engine.view import Agent, SeatView, random_seed
from drako_env.envs.batch import GameBatch

Policy = Callable[[NDArray[np.int8], NDArray[np.int8]], NDArray[np.integer[Any]]]
"""A batched policy: `(observation (n, D), action_mask (n, A)) -> actions (n,)`."""

Player = str | Policy | Agent
"""`"random"`, `"heuristic"` (the game's rules of thumb), a batched policy, or an agent (asked game by game: slow)."""

Opponent = Player | Sequence[tuple[float, Player]]
"""One player, or a list of `(weight, player)`."""

NAMED = ("random", "heuristic")


class SeatGames:
    """`num_games` games in which every decision shown is the learner's.

    Whatever the other seats decide happens inside `step`, and a reward that arrives then belongs to the learner's last
    action. Each game draws its opponent when it is dealt and keeps it to the end. `seat` is the learner's, or a role
    that several seats share: then it sits on another one of them whenever a game is dealt."""

    def __init__(self, game: Game, num_games: int, seat: str, opponent: Opponent, seed: int | None) -> None:
        chosen = [i for i, name in enumerate(game.seats) if seat in (name, role_of(name))]
        if not chosen:
            names = dict.fromkeys([*game.seats, *map(role_of, game.seats)])
            raise ValueError(f"seat = {seat!r}: allowed are {', '.join(map(repr, names))}")
        self.game = game
        self.batch = GameBatch(game, num_games, seed)
        self.reward = np.zeros(num_games, np.float32)
        self.done = np.zeros(num_games, np.bool_)
        self.final_states = new_states(game, num_games)
        """The last positions of finished games: for pictures, never for agents."""
        self.final_seat = np.zeros(num_games, np.int64)
        """The learner's, in these."""
        self.final_observation = np.zeros_like(self.batch.observation)
        self.observation_space = spaces.Box(0, game.observation_high, dtype=np.int8)
        self.action_space: spaces.Space[np.int64] = spaces.Discrete(len(game.actions))
        self._games = np.arange(num_games)
        self._seats = np.array(chosen)
        self._deals = self._games.copy()
        self.seat = self._seats[self._deals % len(chosen)]
        """The learner's, in each game."""
        self._bound = np.zeros(num_games, np.int64)
        self._policies: list[Player] = []
        self._results = np.zeros((0, 2))
        self._chance = np.random.default_rng(seed)
        self.set_opponent(opponent)
        self._start_games()

    def set_opponent(self, opponent: Opponent) -> None:
        """Whom games dealt from now on may meet. Games under way keep their opponent."""
        pool = _pool(opponent)
        kept: list[Player] = []
        results = np.zeros((0, 2))
        if self._policies:
            in_use, self._bound = np.unique(self._bound, return_inverse=True)
            kept, results = [self._policies[i] for i in in_use], self._results[in_use]
        self._policies = kept + [policy for _, policy in pool]
        self._results = np.vstack([results, np.zeros((len(pool), 2))])
        self._choices = np.arange(len(kept), len(self._policies))
        weights = np.array([weight for weight, _ in pool], float)
        self._weights = weights / weights.sum()

    def reset(self, seed: int | None = None) -> None:
        """Deal every game anew and play on to the learner's first decision in each."""
        if seed is not None:
            self._chance = np.random.default_rng(seed)
            self._deals[:] = self._games
        self.batch.reset(seed)
        self._start_games()

    def step(self, actions: NDArray[np.integer[Any]]) -> None:
        """Play the learner's action in every game, then on to its next decision; sets `reward` and `done`."""
        self.done[:] = False
        self.reward[:] = 0
        self._play(self._games, actions)
        self._play_opponents()

    def _start_games(self) -> None:
        self._bind(self._games)
        self.done[:] = False
        self._play_opponents()

    def _play_opponents(self) -> None:
        """Until the learner is to decide in every game."""
        while len(waiting := np.flatnonzero(self.batch.agent != self.seat)):
            self._play(waiting, self._opponents_actions(waiting))

    def _play(self, games: NDArray[np.int64], actions: NDArray[np.integer[Any]]) -> None:
        self.batch._play(games, actions, self.final_states)
        ended = games[self.batch.done[games]]
        if len(ended):
            first = ended[~self.done[ended]]  # a game that ends before the learner decides in it never shows
            self.reward[first] = self.batch.reward[first, self.seat[first]]
            self.done[first] = True
            self.final_seat[first] = self.seat[first]
            self._count(first)
            for i in first:
                seat, observation = self.seat[i], self.final_observation[i]
                self.game.kernels.observe_one(self.game.tables, self.final_states, i, seat, observation)
            self._bind(ended)

    def take_results(self) -> list[tuple[Player, int, float]]:
        """Every opponent met since the last call: `(opponent, games, sum of the learner's rewards)`."""
        results = [
            (policy, int(games), float(total))
            for policy, (games, total) in zip(self._policies, self._results, strict=True)
            if games
        ]
        self._results[:] = 0
        return results

    def _count(self, ended: NDArray[np.int64]) -> None:
        np.add.at(self._results, self._bound[ended], np.stack([np.ones(len(ended)), self.reward[ended]], axis=1))

    def _bind(self, games: NDArray[np.int64]) -> None:
        """Draw the opponents of newly dealt games, and let the learner sit down."""
        if len(self._seats) > 1:
            self._deals[games] += 1
            self.seat[games] = self._seats[self._deals[games] % len(self._seats)]
        alone = len(self._choices) == 1
        chosen = self._choices[0] if alone else self._chance.choice(self._choices, len(games), p=self._weights)
        self._bound[games] = chosen

    def _opponents_actions(self, games: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        if len(self._policies) == 1:
            return self._policy_actions(self._policies[0], games)
        actions, bound = np.empty(len(games), np.int64), self._bound[games]
        for index in np.unique(bound):
            chosen = bound == index
            actions[chosen] = self._policy_actions(self._policies[index], games[chosen])
        return actions

    def _policy_actions(self, policy: Player, games: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        if isinstance(policy, str):
            return self.batch._sample(games) if policy == "random" else self.batch._best(games)
        if not callable(policy):
            return self._agent_actions(policy, games)
        actions = np.asarray(policy(self.batch.observation[games], self.batch.action_mask[games]))
        if actions.shape != games.shape or actions.dtype.kind not in "iu":
            got = f"{actions.dtype} of shape {actions.shape}"
            raise ValueError(f"opponent {policy!r}: expected integer actions of shape {games.shape}, got {got}")
        return actions

    def _agent_actions(self, agent: Agent, games: NDArray[np.int64]) -> NDArray[np.int64]:
        """An agent may remember its last decision, which was in another game: it starts anew each time."""
        actions = np.empty(len(games), np.int64)
        for k, game in enumerate(games):
            agent.reset(random_seed(self._chance))
            actions[k] = agent.act(SeatView.of(self.game, self.batch._states, int(game)))
        return actions


def _pool(opponent: Opponent) -> list[tuple[float, Player]]:
    """Any way to name opponents as a list of weights and policies, checked."""
    one = isinstance(opponent, str) or callable(opponent) or hasattr(opponent, "act")
    pool: list[tuple[float, Player]] = [(1.0, opponent)] if one else list(opponent)  # type: ignore[list-item,arg-type]
    for entry in pool:
        weight, policy = entry if isinstance(entry, tuple) and len(entry) == 2 else (0.0, None)
        if policy not in NAMED and not callable(policy) and not hasattr(policy, "act"):
            names = ", ".join(map(repr, NAMED))
            raise ValueError(f"opponent {entry!r}: expected {names}, a policy, an agent, or a list of (weight, policy)")
        if not weight >= 0:
            raise ValueError(f"opponent {entry!r}: a weight must not be negative")
    if not sum(weight for weight, _ in pool) > 0:
        raise ValueError("no opponent has a weight above zero")
    return pool
