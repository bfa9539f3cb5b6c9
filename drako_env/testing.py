"""Is every decision credited with the outcome of the seat that made it? Checks for one's own training loop or wrapper.

In games with out-of-turn decisions the seat that decides last is often not the one that wins, and a game may end on
another seat's move. A loop that takes the last reward for everybody's learns the opposite of what it should, and no
error tells. Each of these plays seeded games through the code in question and raises `AssertionError`, in one line, if
a decision got another return than the sum of its own seat's rewards:

| of                                                | check                                       |
|---------------------------------------------------|---------------------------------------------|
| a loop around a PettingZoo environment            | `check_seat_returns(loop)`                  |
| a wrapper that makes it a Gymnasium environment   | `check_seat_returns(gym_loop(Wrapper))`     |
| a loop around `batch_env`                         | `check_batch_returns(loop, batch)`          |
| `gym_env`, `gym_vector_env` or `sb3_env`, wrapped | `check_seat_env(env)`                       |

Returns are sums of rewards without discount: set gamma, and lambda if there is one, to 1 for the check.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper

from drako_env import drako_v0
from drako_env.envs.batch import GameBatch
from drako_env.envs.seat import SeatGames

Loop = Callable[[Any], Iterable[Mapping[str, Sequence[float]]]]
"""Plays games on the PettingZoo environment it is given, and yields after each, for every seat that learns, the returns
of its decisions in their order."""

BatchLoop = Callable[[GameBatch], NDArray[Any]]
"""Plays some steps on the batch it is given, and returns the returns of all decisions, `(steps, games)`."""

TOLERANCE = 1e-4


@dataclass(frozen=True)
class Checked:
    """What was found in order."""

    games: int
    decisions: dict[str, int]
    """By seat."""


@dataclass(frozen=True)
class _Credit:
    """One decision: the return it was given, its own seat's outcome, and that of whoever decided last in the game."""

    game: int
    number: int
    seat: str
    given: float
    outcome: float
    last: float


def check_seat_returns(loop: Loop, env: AECEnv[str, Any, Any] | None = None, games: int = 20) -> Checked:
    """Check a loop around a PettingZoo environment: by default Drako, or any other `env`.

    `loop(env)` plays, and yields `{seat: returns of its decisions}` after each game, for the seats that learn; it may
    go on for ever. It has to call `env.reset(seed=...)` by itself."""
    recorded = _RecordedEnv(drako_v0.env() if env is None else env)
    credits: list[_Credit] = []
    number = -1
    for number, given in enumerate(islice(loop(recorded), games)):
        if number >= len(recorded.finished):
            raise AssertionError(f"game {number}: the loop has credited it, but it is not over")
        credits += _credits(number, recorded.finished[number], given)
    if number + 1 < games:
        raise AssertionError(f"the loop has credited {number + 1} of {games} games")
    return _judged(games, credits)


def gym_loop(wrap: Callable[[Any], Any], seed: int = 0) -> Loop:
    """Random legal play through `wrap(env)`, a PettingZoo environment wrapped as a Gymnasium one.

    As a learner sees it: a decision's return is the sum of all rewards from it to the end of the episode."""

    def loop(env: _RecordedEnv) -> Iterator[Mapping[str, Sequence[float]]]:
        wrapped, chance = wrap(env), np.random.default_rng(seed)
        while True:
            wrapped.reset(seed=int(chance.integers(2**31)))
            seats, rewards, ended = [], [], False
            while not ended:
                if env.over:
                    raise AssertionError("the game is over, but the wrapper reports neither termination nor truncation")
                seats.append(env.agent_selection)
                _, reward, terminated, truncated, _ = wrapped.step(_legal(env, chance))
                rewards.append(float(reward))
                ended = terminated or truncated
            yield _by_seat(seats, _sums(rewards))

    return loop


def check_batch_returns(loop: BatchLoop, batch: GameBatch | None = None) -> Checked:
    """Check a loop around `batch_env`: by default 16 games of Drako, or those of another `batch`, dealt anew.

    `loop(batch)` plays some hundred steps and returns `(steps, games)`: the return of every decision. Games that do not
    end within these steps are left out."""
    recorded = _RecordedBatch(batch or drako_v0.batch_env(16, seed=0))
    given = np.asarray(loop(recorded), float)
    played = recorded.games()
    if given.shape != (steps := len(recorded.rows), recorded.num_games):
        raise AssertionError(f"returns of shape {given.shape} for {steps} steps of {recorded.num_games} games")
    if not played:
        raise AssertionError(f"no game has ended within {steps} steps: let the loop play more")
    credits = []
    for number, (i, first, game) in enumerate(played):
        returns = given[first : first + len(game.deciders), i]
        credits += _credits(number, game, _by_seat(game.deciders, returns.tolist()))
    return _judged(len(played), credits)


def check_seat_env(env: Any, games: int = 20, seed: int = 0) -> Checked:
    """Check an environment of one seat, with or without wrappers: `gym_env`, `gym_vector_env` (a finished game dealt
    anew in the same step) or `sb3_env`. What a wrapper does to rewards counts: leave those out that scale them."""
    inner = env.unwrapped
    seated = getattr(inner, "games", None) or getattr(inner, "_games", None)
    if not isinstance(seated, SeatGames):
        raise ValueError(f"{env}: not made by gym_env, gym_vector_env or sb3_env; for loops: check_seat_returns")
    if (mode := inner.metadata.get("autoreset_mode", AutoresetMode.SAME_STEP)) is not AutoresetMode.SAME_STEP:
        raise ValueError(f"{env}: expected autoreset_mode SAME_STEP, got {mode}")
    chance, step = np.random.default_rng(seed), _stepper(env, seed)
    rewards: list[list[float]] = [[] for _ in seated.done]
    credits, ended = [], 0
    while ended < games:
        gained, done = step(_drawn(np.atleast_2d(inner.action_masks()), chance))
        for i, reward in enumerate(gained):
            rewards[i].append(float(reward))
        for i in np.flatnonzero(done).tolist():
            seat, returns = seated.game.seats[seated.final_seat[i]], _sums(rewards[i])
            outcome = _outcome(seated, i)
            credits += _credits(ended, _Played([seat] * len(returns), outcome), {seat: returns})
            rewards[i], ended = [], ended + 1
    return _judged(ended, credits)


@dataclass
class _Played:
    """A game: who decided, in order, and what every seat got."""

    deciders: list[str]
    outcome: dict[str, float]


class _RecordedEnv(BaseWrapper[str, Any, Any]):
    """Notes the games that are played on an environment."""

    def __init__(self, env: AECEnv[str, Any, Any]) -> None:
        super().__init__(env)
        self.finished: list[_Played] = []
        self.current = _Played([], {})

    @property
    def over(self) -> bool:
        """Whether nobody has anything to decide any more."""
        return all(self.terminations[agent] or self.truncations[agent] for agent in self.agents)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        super().reset(seed=seed, options=options)
        self.current = _Played([], dict.fromkeys(self.possible_agents, 0.0))

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        leaving = self.terminations[agent] or self.truncations[agent]
        super().step(action)
        if leaving:
            return
        self.current.deciders.append(agent)
        for seat, reward in self.rewards.items():
            self.current.outcome[seat] += reward
        if self.over:
            self.finished.append(self.current)


class _RecordedBatch(GameBatch):
    """Notes who decided, and what everybody got, step by step."""

    def __init__(self, batch: GameBatch) -> None:
        self.rows: list[tuple[NDArray[Any], ...]] = []
        normalized = batch.observation.dtype == np.float32
        super().__init__(batch.game, batch.num_games, int(batch.seeds[0]), normalized=normalized)

    def step(self, actions: NDArray[np.integer[Any]], games: Any = None, ended: Any = None) -> None:
        if games is not None:
            raise ValueError("the check follows steps of all games only: batch.step(actions)")
        agent = self.agent.copy()
        super().step(actions, None, ended)
        self.rows.append((agent, self.reward.copy(), self.done.copy()))

    def games(self) -> list[tuple[int, int, _Played]]:
        """Those that ended: which of the batch, its first step, and what was played."""
        found, first = [], [0] * self.num_games
        for step, (_, _, done) in enumerate(self.rows):
            for i in np.flatnonzero(done).tolist():
                rows = self.rows[first[i] : step + 1]
                gained = np.sum([reward[i] for _, reward, _ in rows], axis=0)
                outcome = dict(zip(self.possible_agents, gained.tolist(), strict=True))
                found.append((i, first[i], _Played([self.possible_agents[agent[i]] for agent, _, _ in rows], outcome)))
                first[i] = step + 1
        return found


def _credits(game: int, played: _Played, given: Mapping[str, Sequence[float]]) -> list[_Credit]:
    """What the decisions of a game were given; all of a seat that is named at all."""
    made, found = Counter(played.deciders), []
    if not given:
        raise AssertionError(f"game {game}: the loop names no seat")
    for seat, returns in given.items():
        if seat not in played.outcome:
            raise AssertionError(f"game {game}: no seat {seat!r}; there are {', '.join(played.outcome)}")
        if len(returns) != made[seat]:
            raise AssertionError(f"game {game}: {seat} made {made[seat]} decisions, {len(returns)} were credited")
        last = played.outcome[played.deciders[-1]]
        found += [_Credit(game, i, seat, float(r), played.outcome[seat], last) for i, r in enumerate(returns)]
    return found


def _judged(games: int, credits: Sequence[_Credit]) -> Checked:
    """Raise if any decision was given something else than its seat's outcome."""
    wrong = [credit for credit in credits if not abs(credit.given - credit.outcome) <= TOLERANCE]
    if not wrong:
        return Checked(games, dict(Counter(credit.seat for credit in credits)))
    first = wrong[0]
    raise AssertionError(
        f"{len(wrong)} of {len(credits)} decisions were not credited with the outcome of the seat that made them: "
        f"{_reason(wrong, credits)}. The first is decision {first.number} of {first.seat} in game {first.game}: "
        f"credited {first.given:+g}, its seat ended with {first.outcome:+g}"
    )


def _reason(wrong: Sequence[_Credit], credits: Sequence[_Credit]) -> str:
    """What the wrong ones look like."""
    if all(abs(credit.given - credit.last) <= TOLERANCE for credit in credits):
        return "all got the outcome of whoever decided last in the game"
    if all(abs(credit.given + credit.outcome) <= TOLERANCE for credit in credits):
        return "the sign is swapped"
    if all(abs(credit.given) <= TOLERANCE for credit in wrong):
        return "they got nothing, as if the end of the game had not reached their seat"
    return "they got something else"


def _legal(env: _RecordedEnv, chance: np.random.Generator) -> int:
    """A random legal action of the seat to decide; masks are in the observation or in the infos, if anywhere."""
    seat = env.agent_selection
    seen, info = env.observe(seat), env.infos[seat]
    mask = seen.get("action_mask") if isinstance(seen, dict) else info.get("action_mask")
    space: Any = env.action_space(seat)
    return int(chance.choice(space.n if mask is None else np.flatnonzero(mask)))


def _drawn(masks: NDArray[Any], chance: np.random.Generator) -> NDArray[np.int64]:
    """A random legal action for every row."""
    return np.array([chance.choice(np.flatnonzero(mask)) for mask in masks])


def _stepper(env: Any, seed: int) -> Callable[[NDArray[np.int64]], tuple[Any, Any]]:
    """How to play on: rewards and ends of all games, which are dealt anew where they end."""
    if hasattr(env, "step_async"):  # Stable-Baselines3
        env.seed(seed)
        env.reset()
        return lambda actions: env.step(actions)[1:3]
    env.reset(seed=seed)
    single = not hasattr(env, "num_envs")

    def step(actions: NDArray[np.int64]) -> tuple[Any, Any]:
        _, reward, terminated, truncated, _ = env.step(actions[0] if single else actions)
        done = np.logical_or(terminated, truncated)
        if single and done:
            env.reset()
        return np.atleast_1d(reward), np.atleast_1d(done)

    return step


def _outcome(seated: SeatGames, i: int) -> dict[str, float]:
    """What every seat got in the last game that ended, by the rules."""
    rewards = np.zeros(len(seated.game.seats), np.float32)
    seated.game.kernels.reward_one(seated.final_states, i, rewards)
    return dict(zip(seated.game.seats, rewards.tolist(), strict=True))


def _sums(rewards: Sequence[float]) -> list[float]:
    """From each to the end."""
    return list(accumulate(reversed(rewards)))[::-1]


def _by_seat(seats: Sequence[str], returns: Sequence[float]) -> dict[str, list[float]]:
    """The returns of each seat's decisions."""
    found: dict[str, list[float]] = {seat: [] for seat in seats}
    for seat, given in zip(seats, returns, strict=True):
        found[seat].append(given)
    return found
