"""Many games seen by one learner: it decides, batched opponents play everything in between."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from drako_env.engine.game import Game, new_states, role_of
from drako_env.engine.jit import never_compiled
from drako_env.engine.network import Tensors, judge, pack, replace
from drako_env.engine.rng import one_seed
from drako_env.engine.rollout import Rollout
from drako_env.engine.view import Agent, random_seed
from drako_env.envs.batch import NO_GAMES, GameBatch, IllegalActionError, game_seeds
from drako_env.envs.spaces import action_space, observation_space
from drako_env.players import kernel_player, make_player, resolved
from drako_env.players.policy import Policy as LearntPolicy
from drako_env.players.policy import is_canonical

Policy = Callable[[NDArray[np.int8], NDArray[np.int8]], NDArray[np.integer[Any]]]
"""A batched policy: `(observation (n, D), action_mask (n, A)) -> actions (n,)`."""

Player = str | Policy | Agent
"""A name that `make_player` knows, a batched policy, or an agent: asked for many games at once if it has
`act_batch(seats (n,), observation (n, D), action_mask (n, A)) -> actions (n,)`, else game by game, which is slow."""

Opponent = Player | Sequence[tuple[float, Player]] | Mapping[str, tuple[float, Player]]
"""One player, a list of `(weight, player)`, or `{name: (weight, player)}`."""

BATCHED = ("random", "heuristic")
"""The players that a batch plays by itself."""

ILLEGAL = ("raise", "lose", "random")
"""What becomes of an illegal action of the learner."""
REMEDY = (
    "mask illegal actions (info['action_mask'] or action_masks(), e.g. with sb3_contrib's MaskablePPO), or make the "
    "environment with illegal='lose' or illegal='random'"
)


class SeatGames:
    """`num_games` games in which every decision shown is the learner's.

    Whatever the other seats decide happens inside `step`, and a reward that arrives then belongs to the learner's last
    action. Each game draws its opponent when it is dealt and keeps it to the end. `seat` is the learner's (by default
    the first), or a role that several seats share: then it sits on another one of them whenever a game is dealt.

    `observation` and `action_mask` are the batch's own arrays. With `canonical` they show every position turned and
    mirrored into the one form that all of its twins have, and `step` takes actions of the game so turned. `shown` is
    what a library gets of them: with `normalized` numbers from 0 to 1.

    `illegal` says what becomes of an illegal action of the learner: `"raise"` refuses it with a `ValueError`, and no
    game has changed; for algorithms without masks, it can `"lose"` the game at once, or a `"random"` legal action is
    played in its place. Opponents always have to play legally."""

    def __init__(
        self,
        game: Game,
        num_games: int,
        seat: str | None = None,
        opponent: Opponent = "random",
        seed: int | None = None,
        canonical: bool = False,
        illegal: str = "raise",
        normalized: bool = False,
    ) -> None:
        if illegal not in ILLEGAL:
            raise ValueError(f"illegal = {illegal!r}: allowed are {', '.join(map(repr, ILLEGAL))}")
        self._seats = np.array(_seats_called(game, seat or game.seats[0]))
        self.game, self.canonical = game, canonical and len(game.symmetries.actions) > 1
        self.illegal, self.normalized = illegal, normalized
        self.batch = GameBatch(game, num_games, seed)
        self.observation, self.action_mask = self.batch.observation, self.batch.action_mask
        self.reward = np.zeros(num_games, np.float32)
        self.done = np.zeros(num_games, np.bool_)
        self.illegal_action = np.zeros(num_games, np.bool_)
        """Where the learner's last action was illegal."""
        self.lengths = np.zeros(num_games, np.int64)
        """How often the learner has decided in each game, after a step that ended it in the finished one."""
        self.final_states = new_states(game, num_games)
        """The last positions of finished games: for pictures, never for agents."""
        self.final_seat = np.zeros(num_games, np.int64)
        """The learner's, in these."""
        self.final_observation = np.zeros_like(self.observation)
        self.observation_space = observation_space(game, normalized)
        self.action_space: spaces.Space[np.int64] = action_space(game)
        self._games = np.arange(num_games)
        self._deals = self._games.copy()
        self.seat = self._seats[self._deals % len(self._seats)]
        """The learner's, in each game."""
        self.length = 0.0
        """How many decisions with a choice the learner made a game, in the rollout collected last."""
        self._packed_for: list[Any] = []
        self._each = float("inf")
        self._opponents: list[tuple[str, Player]] = []
        self._bound = np.zeros(0, np.int64)
        self._results: dict[str, tuple[int, float]] = {}
        self._chance = np.random.default_rng(seed)
        self.set_opponent(opponent)
        self._bound = np.zeros(num_games, np.int64)
        if never_compiled(game.kernels.observe_one):
            game.kernels.observe_one(game.tables, self.batch.states, 0, 0, self.final_observation[0])
        self._start_games(self._games)

    def set_opponent(self, opponent: Opponent) -> None:
        """Whom games dealt from now on may meet. Games under way keep their opponent."""
        pool = _named(opponent)
        met = [(name, self._made(player)) for name, (_, player) in pool.items()]
        in_use, self._bound = np.unique(self._bound, return_inverse=True)
        kept = [self._opponents[i] for i in in_use]
        self._opponents = kept + met
        self._choices = np.arange(len(kept), len(self._opponents))
        weights = np.array([weight for weight, _ in pool.values()], float)
        self._weights = weights / weights.sum()
        if "heuristic" in [player for _, player in met] and never_compiled(self.game.kernels.best_games):
            self.batch.best(NO_GAMES)

    def _made(self, player: Player) -> Player:
        if isinstance(player, str) and (player := resolved(player, self.game)) not in BATCHED:
            return make_player(player, self.game)
        return player

    def reset(self, seed: int | Sequence[int | None] | None = None, games: NDArray[np.int64] | None = None) -> None:
        """Deal every game anew, or `games` alone (their numbers), and play on to the learner's first decision in each.

        Given one seed after the other, for every game, each starts as a single game does that is reset with its seed;
        where there is `None`, its random numbers go on."""
        chosen = self._games if games is None else games
        if seed is None:
            self.batch.deal(chosen)
        elif isinstance(seed, Sequence | np.ndarray):
            self._deal(chosen, list(seed))
        else:
            self._chance = np.random.default_rng(seed)
            self._deals[chosen] = chosen
            self.batch.deal(chosen, game_seeds(seed, len(self.done))[chosen])
        self._start_games(chosen)

    def _deal(self, games: NDArray[np.int64], seeds: list[int | None]) -> None:
        """Deal games from seeds of their own, of a list for all games."""
        if len(seeds) != len(self.done):
            raise ValueError(f"{len(seeds)} seeds for {len(self.done)} games")
        given = [game for game in games.tolist() if seeds[game] is not None]
        if given:
            self._chance = np.random.default_rng([int(one_seed(seeds[game] or 0)[0]) for game in given])
        seeded = np.array(given, np.int64)
        self._deals[seeded] = seeded
        self.batch.deal(np.setdiff1d(games, seeded))
        self.batch.deal(seeded, np.array([game_seeds(seeds[game] or 0, 1)[0] for game in given], np.uint64))

    def shown(self) -> NDArray[Any]:
        """The observations, for the caller to keep."""
        return self.game.normalized(self.observation) if self.normalized else self.observation.copy()

    def final_shown(self, games: Any) -> NDArray[Any]:
        """The last observations of finished games."""
        last = self.final_observation[games]
        return self.game.normalized(last) if self.normalized else last.copy()

    def step(self, actions: NDArray[np.integer[Any]], games: NDArray[np.int64] | None = None) -> None:
        """Play the learner's action in every game, or in `games` alone (their numbers, ascending), then on to its next
        decision; sets `reward` and `done`."""
        numbers, actions = self._games if games is None else games, np.asarray(actions)
        actions = self._turned_back(actions, numbers) if self.canonical else actions
        self.lengths[self.done] = 0
        self.done[:] = self.illegal_action[:] = False
        self.reward[:] = 0
        self._decide(actions, numbers)
        self.lengths[numbers] += 1
        self._play_opponents()

    def _decide(self, actions: NDArray[np.integer[Any]], games: NDArray[np.int64]) -> None:
        """Play the learner's actions, and what `illegal` makes of the others."""
        if self.illegal == "raise" or actions.shape != games.shape or actions.dtype.kind not in "iu":
            try:
                self._play(actions, games)
            except IllegalActionError as error:
                raise ValueError(f"{error}; {REMEDY}") from None
            return
        known = (actions >= 0) & (actions < len(self.game.actions))
        legal = known & (self.batch.action_mask[games, np.where(known, actions, 0)] == 1)
        bad = games[~legal]
        self.illegal_action[bad] = True
        if self.illegal == "random":
            actions = actions.astype(np.int64)
            actions[~legal] = self.batch.sample(games=bad)
            self._play(actions, games)
        else:
            self._play(actions[legal], games[legal])
            self._lose(bad)

    def _lose(self, games: NDArray[np.int64]) -> None:
        """End games in which the learner has no chance any more."""
        self.final_states[games] = self.batch.states[games]
        self._finish(games, np.full(len(games), -self.game.max_reward))
        self.batch.deal(games)
        self._bind(games)

    def _start_games(self, games: NDArray[np.int64]) -> None:
        self._bind(games)
        self.lengths[games] = 0
        self.done[games] = False
        self._play_opponents()

    def _play_opponents(self) -> None:
        """Until the learner is to decide in every game."""
        while len(waiting := (self.batch.agent != self.seat).nonzero()[0]):
            self._play(self._opponents_actions(waiting), waiting)
        if self.canonical:
            self._turn()

    def _play(self, actions: NDArray[np.integer[Any]], games: NDArray[np.int64]) -> None:
        self.batch.step(actions, games, self.final_states)
        if len(ended := games[self.batch.done[games]]):
            self._end(ended)

    def _end(self, ended: NDArray[np.int64]) -> None:
        """Take in finished games; those that end before the learner decides in them never show."""
        first = ended[~self.done[ended]]
        self._finish(first, self.batch.reward[first, self.seat[first]])
        self._bind(ended)

    def _finish(self, games: NDArray[np.int64], rewards: NDArray[Any]) -> None:
        """Note how games have ended for the learner, and what it sees of their end."""
        self.reward[games] = rewards
        self.done[games] = True
        self.final_seat[games] = self.seat[games]
        for i in games:
            name, _ = self._opponents[self._bound[i]]
            count, total = self._results.get(name, (0, 0.0))
            self._results[name] = count + 1, total + float(self.reward[i])
            seat, observation = self.seat[i], self.final_observation[i]
            self.game.kernels.observe_one(self.game.tables, self.final_states, i, seat, observation)

    def _turn(self) -> None:
        """Show the positions in their canonical form."""
        turning, seen, final = self.game.symmetries, self.batch.observation, self.final_observation
        self._ways = turning.canonical(seen)
        self.observation = turning.turn(seen, self._ways)
        self.action_mask = turning.turn_mask(self.batch.action_mask, self._ways)
        final[self.done] = turning.turn(final[self.done], turning.canonical(final[self.done]))

    def _turned_back(self, actions: NDArray[np.integer[Any]], games: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        """Actions of the turned games in the games as they stand; what is none stays, for the batch to refuse."""
        if actions.shape != games.shape or actions.dtype.kind not in "iu":
            return actions
        known = (actions >= 0) & (actions < self.action_mask.shape[1])
        turned_back = self.game.symmetries.turn_back(np.where(known, actions, 0), self._ways[games])
        return np.where(known, turned_back, actions)

    def collect(self, tensors: Tensors, rollout: Rollout) -> dict[str, float]:
        """Let a network play on the learner's seat until it has made as many decisions with a choice in every game as
        the `rollout` has places, and note them there. Returns the seconds for the games, the opponents' networks and
        the learner's own.

        Opponents that are random, heuristic or learnt policies play inside the kernels; any other is asked as ever."""
        if (lineups := self._lineups(tensors)) is None:
            return self._collect_by_steps(tensors, rollout)
        start, chairs = time.perf_counter(), len(self._seats)
        shares = np.zeros(len(self._opponents))
        shares[self._choices] = self._weights
        lineup = self._bound * chairs + np.searchsorted(self._seats, self.seat)
        chances = np.cumsum(np.repeat(shares / chairs, chairs))
        results = self.batch.collect(self._nets, lineups, chances, lineup, rollout)
        self._bound, self.seat = lineup // chairs, self._seats[lineup % chairs]
        self._take_in(results)
        seconds, each = time.perf_counter() - start, self._evaluation_time()
        own, others = (float(results[:, who].sum()) * each for who in (1, 2))
        return {"games": max(0.0, seconds - own - others), "opponents": others, "forward": own}

    def _lineups(self, tensors: Tensors) -> NDArray[np.int64] | None:
        """For every opponent and every seat of the learner's, who plays where inside the kernels: the learner is
        network 0. `None` if some opponent cannot. Only the learner's weights change with every rollout."""
        lineups = []
        policies: list[LearntPolicy | None] = [None]
        for _, player in self._opponents:
            codes = []
            for name in self.game.seats:
                found = kernel_player(player, role_of(name), self.game)
                if found is None:
                    return None
                if isinstance(found, LearntPolicy) and found not in policies:
                    policies.append(found)
                codes.append(found if isinstance(found, int) else policies.index(found))
            for chair in self._seats:
                lineups.append([0 if seat == chair else code for seat, code in enumerate(codes)])
        if self._packed_for != policies:
            own: Any = (tensors, self.canonical)
            known = [own if p is None else (p.tensors, is_canonical(p.info)) for p in policies]
            self._nets, self._packed_for = pack(known, self.game.symmetries), policies
        replace(self._nets, 0, tensors)
        return np.array(lineups)

    def _evaluation_time(self) -> float:
        """How many seconds the learner's network takes for a decision, at best."""
        start = time.perf_counter()
        judge(self._nets, 0, self.batch.observation, self.batch.action_mask)
        self._each = min(self._each, (time.perf_counter() - start) / len(self.done))
        return self._each

    def _take_in(self, results: NDArray[np.float64]) -> None:
        """Count finished games, and show the positions as they are now."""
        for line, (games, *_) in enumerate(results):
            if games:
                opponent, chair = divmod(line, len(self._seats))
                name, total = self._opponents[opponent][0], results[line, 3 + self._seats[chair]]
                before = self._results.get(name, (0, 0.0))
                self._results[name] = before[0] + int(games), before[1] + float(total)
        self.length = results[:, 1].sum() / max(1.0, results[:, 0].sum())
        self.lengths[:] = self.reward[:] = 0
        self.done[:] = False
        if self.canonical:
            self._turn()

    def _collect_by_steps(self, tensors: Tensors, rollout: Rollout) -> dict[str, float]:
        """The same step by step, forced decisions included."""
        start, ended, decided = time.perf_counter(), 0, 0
        nets = pack([(tensors, False)], self.game.symmetries)  # positions are shown turned already
        rollout.learner[:] = 0
        for k in range(rollout.action.shape[1]):
            shares, values = judge(nets, 0, self.observation, self.action_mask)
            rollout.seat[:, k] = self.seat
            chance = self._chance.random(len(values))
            actions = np.minimum((shares.cumsum(axis=1) <= chance[:, None]).sum(axis=1), shares.shape[1] - 1)
            rollout.observation[:, k], rollout.action_mask[:, k] = self.observation, self.action_mask
            rollout.action[:, k], rollout.value[:, k] = actions, values
            rollout.log_probability[:, k] = np.log(np.take_along_axis(shares, actions[:, None], 1)[:, 0])
            self.step(actions)
            rollout.reward[:, k], rollout.ended[:, k] = self.reward, self.done
            ended, decided = ended + int(self.done.sum()), decided + int(self.lengths[self.done].sum())
        self.length = decided / max(1, ended)
        return {"games": time.perf_counter() - start, "opponents": 0.0, "forward": 0.0}

    def take_results(self) -> dict[str, tuple[int, float]]:
        """Opponent -> `(games, sum of the learner's rewards)` since the last call, by the opponents' names."""
        results, self._results = self._results, {}
        return results

    def _bind(self, games: NDArray[np.int64]) -> None:
        """Draw the opponents of newly dealt games, and let the learner sit down."""
        if len(self._seats) > 1:
            self._deals[games] += 1
            self.seat[games] = self._seats[self._deals[games] % len(self._seats)]
        alone = len(self._choices) == 1
        chosen = self._choices[0] if alone else self._chance.choice(self._choices, len(games), p=self._weights)
        self._bound[games] = chosen

    def _opponents_actions(self, waiting: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        if len(self._opponents) == 1:
            return self._actions(0, waiting)
        actions, bound = np.empty(len(waiting), np.int64), self._bound[waiting]
        for opponent in np.unique(bound):
            rows = bound == opponent
            actions[rows] = self._actions(opponent, waiting[rows])
        return actions

    def _actions(self, opponent: int, games: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        name, player = self._opponents[opponent]
        if isinstance(player, str):
            return self.batch.sample(games=games) if player == "random" else self.batch.best(games)
        if callable(player):
            answer = player(self.batch.observation[games], self.batch.action_mask[games])
        else:
            answer = self._agent_actions(player, games)
        actions = np.asarray(answer)
        if actions.shape != games.shape or actions.dtype.kind not in "iu":
            got = f"{actions.dtype} of shape {actions.shape}"
            raise ValueError(f"opponent {name!r}: expected integer actions of shape {games.shape}, got {got}")
        return actions

    def _agent_actions(self, agent: Any, games: NDArray[np.int64]) -> Any:
        """An agent may remember its last decision, which was in another game: it starts anew each time."""
        if hasattr(agent, "act_batch"):
            agent.reset(random_seed(self._chance))
            seats = self.batch.agent[games]
            return agent.act_batch(seats, self.batch.observation[games], self.batch.action_mask[games])
        actions = []
        for game in games.tolist():
            agent.reset(random_seed(self._chance))
            actions.append(agent.act(self.batch.view(game)))
        return actions


def _seats_called(game: Game, called: str) -> list[int]:
    """The numbers of a seat, or of all seats of a role."""
    chosen = [i for i, name in enumerate(game.seats) if called in (name, role_of(name))]
    if not chosen:
        names = dict.fromkeys([*game.seats, *map(role_of, game.seats)])
        raise ValueError(f"seat = {called!r}: allowed are {', '.join(map(repr, names))}")
    return chosen


def _named(opponent: Opponent) -> dict[str, tuple[float, Player]]:
    """Any way to give opponents as `{name: (weight, player)}`, checked."""
    if isinstance(opponent, Mapping):
        entries: list[tuple[str, Any]] = list(opponent.items())
    elif isinstance(opponent, Sequence) and not isinstance(opponent, str):
        entries = [("", entry) for entry in opponent]
    else:
        entries = [("", (1.0, opponent))]
    pool: dict[str, tuple[float, Player]] = {}
    for name, entry in entries:
        weight, player = entry if isinstance(entry, tuple) and len(entry) == 2 else (0.0, None)
        if not isinstance(player, str) and not callable(player) and not hasattr(player, "act"):
            says = "a player's name, a policy, an agent, a list of (weight, player) or {name: (weight, player)}"
            raise ValueError(f"opponent {entry!r}: expected {says}")
        if not weight >= 0:
            raise ValueError(f"opponent {entry!r}: a weight must not be negative")
        pool[name or _name(player, pool)] = (weight, player)
    if not sum(weight for weight, _ in pool.values()) > 0:
        raise ValueError("no opponent has a weight above zero")
    return pool


def _name(player: Player, taken: Mapping[str, Any]) -> str:
    """What to call a player that was given without a name."""
    name = player if isinstance(player, str) else getattr(player, "__name__", type(player).__name__)
    return f"{name} {len(taken) + 1}" if name in taken else name
