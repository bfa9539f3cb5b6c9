"""Many games at once: arrays in, arrays out, one compiled call for all of them."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.checks import shown
from drako_env.engine.game import Game, new_masks, new_states, record_problem, rules_digest
from drako_env.engine.jit import never_compiled
from drako_env.engine.network import Networks, own_memory
from drako_env.engine.rng import fresh_seeds, one_seed, seed_words
from drako_env.engine.rollout import Rollout, part_of
from drako_env.engine.view import SeatView
from drako_env.players import kernel_players
from drako_env.players.policy import Policy

NOBODY = -1
NO_GAMES = np.zeros(0, np.int64)
"""To have a kernel compiled without playing."""
FORMAT = "drako_env batch 1"


class IllegalActionError(ValueError):
    """An action that the mask rules out."""


class GameBatch:
    """`num_games` games side by side, each with its own random numbers. A finished game is dealt anew at once.

    | array         | shape, dtype     | meaning                                                           |
    |---------------|------------------|-------------------------------------------------------------------|
    | `observation` | (N, D) int8      | what the seat to decide sees, in each game; see `normalized`      |
    | `action_mask` | (N, A) int8      | its legal actions                                                 |
    | `agent`       | (N,) int64       | the index of that seat in `possible_agents`                       |
    | `reward`      | (N, S) float32   | every seat's reward of the last step                              |
    | `done`        | (N,) bool        | the last step ended the game (the other arrays show the next one) |
    | `seeds`       | (N,) uint64      | each game's seed at the last seeded reset: a single game plays alike |

    The batch owns its arrays and overwrites them at the next step: copy what you keep, and write into none of them (the
    mask decides what is legal).
    `observe=False` leaves the observation empty, for players that do not look at it. With `normalized` observations are
    float32 from 0 to 1, in an array made anew whenever they are asked for."""

    def __init__(
        self, game: Game, num_games: int, seed: int | None = None, observe: bool = True, normalized: bool = False
    ) -> None:
        if num_games < 1:
            raise ValueError(f"num_games = {num_games!r}: at least one game is needed")
        self.game = game
        self.possible_agents = list(game.seats)
        width = len(game.observation_high) if observe else 0
        self._states = new_states(game, num_games)
        self._mask_words = new_masks(game, num_games)
        self._mask = self._mask_words.view(np.int8)
        self._observation, self._normalized = np.zeros((num_games, width), np.int8), normalized
        self.action_mask: NDArray[np.int8] = self._mask[:, : len(game.actions)]
        self.agent = np.zeros(num_games, np.int64)
        self.reward = np.zeros((num_games, len(game.seats)), np.float32)
        self.done = np.zeros(num_games, np.bool_)
        self.seeds = np.zeros(num_games, np.uint64)
        self.states = self._states.view()
        """The positions, hidden cards included, to look at: for pictures and tools, never for agents."""
        self.states.flags.writeable = False
        self._all = np.arange(num_games)
        start = int(fresh_seeds(1)[0]) if seed is None else seed
        self.reset(start)
        if never_compiled(game.kernels.step_games):
            self.step(NO_GAMES, NO_GAMES)

    @property
    def observation_fields(self) -> Mapping[str, slice]:
        """Where each named field of the observation stands."""
        return self.game.observation_fields

    @property
    def num_games(self) -> int:
        """How many games are played side by side."""
        return len(self._states)

    def reset(self, seed: int | None = None) -> None:
        """Deal every game anew: from `seed`, or without one from where the random numbers stand."""
        if seed is not None:
            self.seeds[:] = game_seeds(seed, self.num_games)
            self._states["rng"] = seed_words(self.seeds)
        self.game.kernels.deal_games(self.game.tables, self._states, self._observation, self._mask, self.agent)
        self.reward[:] = 0
        self.done[:] = False

    def deal(self, games: NDArray[np.int64], seeds: NDArray[np.uint64] | None = None) -> None:
        """Deal some of the games anew (their numbers): each from its seed, or from where its random numbers stand."""
        shown: tuple[NDArray[Any], ...] = (self._states, self._observation, self._mask, self.agent)
        states, *rest = (array[self._numbers(games)] for array in shown)
        if seeds is not None:
            self.seeds[games], states["rng"] = seeds, seed_words(seeds)
        self.game.kernels.deal_games(self.game.tables, states, *rest)
        for array, new in zip(shown, (states, *rest), strict=True):
            array[games] = new
        self.reward[games] = 0
        self.done[games] = False

    @property
    def observation(self) -> NDArray[Any]:
        """What the seat to decide sees, in each game."""
        return self.normalized if self._normalized else self._observation

    @property
    def normalized(self) -> NDArray[np.float32]:
        """The observations as numbers from 0 to 1, in an array of their own."""
        seen = self._observation
        return self.game.normalized(seen) if seen.size else seen.astype(np.float32)

    def step(
        self,
        actions: NDArray[np.integer[Any]],
        games: NDArray[np.int64] | None = None,
        ended: NDArray[np.void] | None = None,
    ) -> None:
        """Play one decision in every game, or in `games` alone (their numbers, ascending). An illegal action raises
        `ValueError` and changes none of the games.

        The last position of a game that ends goes to its place in `ended`, an array like `states`."""
        numbers = self._numbers(games)
        chosen = np.ascontiguousarray(actions, np.int64) if np.asarray(actions).dtype.kind in "iu" else None
        if chosen is None or chosen.shape != numbers.shape:
            got = f"{np.asarray(actions).dtype} of shape {np.shape(actions)}"
            raise ValueError(f"actions must be integers of shape {numbers.shape}, got {got}")
        if ended is not None and (ended.shape != self.states.shape or ended.dtype != self.states.dtype):
            raise ValueError("ended must be an array like states")
        if games is not None and np.count_nonzero(games[1:] <= games[:-1]):
            raise ValueError("games must be in ascending order, each of them once")
        illegal = self.game.kernels.step_games(
            self.game.tables,
            self._states,
            numbers,
            chosen,
            self._observation,
            self._mask,
            self.agent,
            self.reward,
            self.done,
            self._states[:0] if ended is None else ended,
        )
        if illegal != NOBODY:
            raise IllegalActionError(self._illegal(illegal, int(chosen[numbers == illegal][0])))

    def sample(self, out: NDArray[np.int64] | None = None, games: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """A uniformly random legal action for every game, or for each of `games`, from their own random numbers."""
        numbers = self._numbers(games)
        actions = np.empty(len(numbers), np.int64) if out is None else out
        if actions.shape != numbers.shape or actions.dtype != np.int64 or not actions.flags.c_contiguous:
            raise ValueError(f"out must be a contiguous int64 array of shape {numbers.shape}")
        self.game.kernels.sample_games(self._states, numbers, self._mask_words, actions)
        return actions

    def best(self, games: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """What the game's rules of thumb play in every game, or in each of `games`."""
        numbers = self._numbers(games)
        actions = np.empty(len(numbers), np.int64)
        self.game.kernels.best_games(self.game.tables, self._states, numbers, self._mask, actions)
        return actions

    def play(self, players: str | Policy | Sequence[str | Policy], temperature: float = 1.0) -> NDArray[np.float32]:
        """Play every game on to its end and deal it anew, all in one call; returns the rewards `(N, S)`.

        `players`: one for all seats or one for each: `"random"`, `"heuristic"`, the name of a learnt policy
        (`"policy"`, `"policy:PATH"`) or one that was loaded. Temperature 0: policies play what they think best."""
        seats = len(self.possible_agents)
        chosen = [players] * seats if isinstance(players, str | Policy) else list(players)
        if len(chosen) != seats:
            raise ValueError(f"{len(chosen)} players for {seats} seats")
        if not temperature >= 0:
            raise ValueError(f"temperature = {temperature!r}: must not be negative")
        codes, nets = kernel_players(chosen, self.game)
        rewards, scratch = np.zeros_like(self.reward), np.zeros(len(self.game.observation_high), np.int8)
        masks = self._mask_words, self._mask
        arguments = self._states, *masks, nets, codes, float(temperature), scratch, rewards
        self.game.kernels.play_games(self.game.tables, *arguments)
        self._look()
        return rewards

    def collect(
        self,
        nets: Networks,
        lineups: NDArray[np.int64],
        shares: NDArray[np.float64],
        lineup: NDArray[np.int64],
        rollout: Rollout,
        threads: int = 1,
    ) -> NDArray[np.float64]:
        """Let networks play and note what those that learn decide: see `collect_games` of `engine.loops`, whose
        arguments and results these are. What is noted does not depend on the number of threads."""
        ends = [self.num_games * part // threads for part in range(threads + 1)]
        results = np.zeros((threads, len(lineups), 3 + self.reward.shape[1]))

        def collect(part: int) -> None:
            games = slice(ends[part], ends[part + 1])
            arrays = self._states[games], self._mask_words[games], self._mask[games], own_memory(nets)
            noted = results[part], np.zeros(len(self.game.observation_high), np.int8), part_of(rollout, games)
            self.game.kernels.collect_games(self.game.tables, *arrays, lineups, shares, lineup[games], *noted)

        in_threads(collect, threads)
        self._look()
        return np.asarray(results.sum(axis=0))

    def _look(self) -> None:
        """Show the positions as they are now."""
        self.game.kernels.view_games(self.game.tables, self._states, self._observation, self._mask, self.agent)

    def view(self, i: int) -> SeatView:
        """What an agent is given to decide in game `i`."""
        return SeatView.of(self.game, self._states, range(self.num_games)[i])

    def _numbers(self, games: NDArray[np.int64] | None) -> NDArray[np.int64]:
        """The games meant; `IndexError` for one that there is not, since kernels trust these numbers."""
        if games is None:
            return self._all
        if games.dtype != np.int64:
            raise ValueError(f"games must be int64 numbers, got {games.dtype}")
        self.done.take(games)
        return games

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.game, self.num_games, self._observation.shape[1] > 0, self._normalized, self.save())

    def save(self) -> bytes:
        """All games, with their random numbers, as bytes for `load`."""
        body = b"".join(array.tobytes() for array in self._saved())
        return json.dumps(self._header(body)).encode() + b"\n" + body

    def load(self, saved: bytes) -> None:
        """Go on from where `save` was called on a batch of the same game, rules and size; `ValueError` leaves the batch
        as it is.

        The bytes may come from anywhere, so every game is checked, which takes some 0.2 ms each."""
        arrays = self._unpacked(saved)
        self._check_games(*arrays)
        self._go_on_from(arrays)

    def _unpacked(self, saved: bytes) -> list[NDArray[Any]]:
        """What `save` packed, if the header fits this batch."""
        header, _, body = saved.partition(b"\n")
        try:
            given = json.loads(header)
        except (ValueError, RecursionError):
            raise ValueError("these bytes were not written by a batch's save()") from None
        for key, expected in self._header(body).items():
            found = given.get(key) if isinstance(given, dict) else None
            if found != expected:
                hint = "; only the rules, options and version that wrote it can go on" if key == "rules" else ""
                raise ValueError(
                    f"cannot load the saved batch: its {key} is {shown(found)}, expected {expected!r}{hint}"
                )
        sizes = [array.nbytes for array in self._saved()]
        if len(body) != sum(sizes):
            raise ValueError(f"cannot load the saved batch: {len(body)} bytes of games, expected {sum(sizes)}")
        starts = [sum(sizes[:i]) for i in range(len(sizes))]
        return [
            np.frombuffer(body, array.dtype, array.size, start).reshape(array.shape).copy()
            for array, start in zip(self._saved(), starts, strict=True)
        ]

    def _check_games(
        self, states: NDArray[np.void], seeds: NDArray[Any], reward: NDArray[Any], done: NDArray[Any]
    ) -> None:
        """Nothing that could not have been saved: kernels trust their records."""
        for i, state in enumerate(states):
            if problem := record_problem(self.game, state):
                raise ValueError(f"cannot load the saved batch: game {i} makes no sense ({problem})")
        mask, unseen = np.zeros_like(self._mask), np.zeros((len(states), 0), np.int8)
        self.game.kernels.view_games(self.game.tables, states, unseen, mask, np.zeros_like(self.agent))
        if not (playable := mask.any(axis=1)).all():
            raise ValueError(f"cannot load the saved batch: in game {playable.argmin()} nobody can move")
        flags = done.view(np.int8)
        most = self.game.max_reward * flags[:, None]
        if not np.isin(flags, (0, 1)).all() or not (np.abs(reward) <= most).all():
            raise ValueError("cannot load the saved batch: its rewards do not fit its ends of games")

    def _go_on_from(self, arrays: list[NDArray[Any]]) -> None:
        for array, new in zip(self._saved(), arrays, strict=True):
            array[...] = new
        self._look()

    def _saved(self) -> tuple[NDArray[Any], ...]:
        return self._states, self.seeds, self.reward, self.done

    def _header(self, body: bytes) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "game": self.game.name,
            "rules": rules_digest(self.game),
            "num_games": self.num_games,
            "size": sum(array.nbytes for array in self._saved()),
            "digest": hashlib.sha256(body).hexdigest(),
        }

    def _illegal(self, game: int, action: int) -> str:
        legal = np.flatnonzero(self.action_mask[game]).tolist()
        name = f"{action} ({self.game.action_text(action)})" if 0 <= action < len(self.game.actions) else f"{action}"
        seat, phase = self.possible_agents[self.agent[game]], self.game.phase(self._states[game])
        return f"game {game}: action {name} is illegal for {seat} in phase {phase!r}; legal are {legal}"


def game_seeds(seed: int, count: int) -> NDArray[np.uint64]:
    """What games start from, side by side under one seed."""
    return np.random.SeedSequence(int(one_seed(seed)[0])).generate_state(count, np.uint64).astype(np.uint64)


def in_threads(work: Callable[[int], Any], count: int) -> list[Any]:
    """`work` of the numbers from 0, each in a thread of its own."""
    if count == 1:
        return [work(0)]
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(count)))


def _restore(game: Game, num_games: int, observe: bool, normalized: bool, saved: bytes) -> GameBatch:
    """A copy of a batch, for `copy` and `pickle`: its bytes come from no stranger, and the games are what they were."""
    batch = GameBatch(game, num_games, 0, observe, normalized)
    batch._go_on_from(batch._unpacked(saved))
    return batch
