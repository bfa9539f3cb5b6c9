"""Ray RLlib (new API stack): runners that play whole batches of games, and a network that respects the masks.

    game = make_game("drako")
    config = (
        PPOConfig()
        .environment(env_config={"game": game}, disable_env_checking=True)
        .env_runners(env_runner_cls=BatchEnvRunner, num_env_runners=2, num_envs_per_env_runner=256)
        .multi_agent(policies=sides(game), policy_mapping_fn=lambda agent, episode, **_: agent)
        .rl_module(rl_module_spec=masked_module_spec(game))
    )

There is one module for each side of a game (`engine.game.sides`), and each side has games of its own in which it learns
while `set_opponents` decides whom it meets. `agents/league/cluster.py` builds self-play on top of this. RLlib's own
runner works as well, one decision at a time, through its `PettingZooEnv(drako_v0.env())`.
"""

import uuid
from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from itertools import pairwise
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from ray import ObjectRef, get
from ray.rllib.core import COMPONENT_RL_MODULE
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import InferenceOnlyAPI, ValueFunctionAPI
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env import INPUT_ENV_SINGLE_SPACES
from ray.rllib.env.env_runner import EnvRunner
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.env.utils.infinite_lookback_buffer import InfiniteLookbackBuffer
from ray.rllib.utils.checkpoints import Checkpointable
from ray.rllib.utils.metrics import (
    EPISODE_LEN_MEAN,
    EPISODE_MODULE_RETURN_MEAN,
    NUM_ENV_STEPS_SAMPLED,
    NUM_ENV_STEPS_SAMPLED_LIFETIME,
    NUM_EPISODES,
    NUM_EPISODES_LIFETIME,
    NUM_MODULE_STEPS_SAMPLED,
    NUM_MODULE_STEPS_SAMPLED_LIFETIME,
    SAMPLE_TIMER,
    WEIGHTS_SEQ_NO,
)

from drako_env.engine.game import Game, sides
from drako_env.envs.seat import SeatGames

ILLEGAL = -80.0
"""The logit of an illegal action when the best legal one has 0: its chance is below 1e-34. Anything much lower
underflows, and that makes `logsumexp` nine times slower on a CPU."""

MODULE_LENGTH_MEAN = "module_episode_len_mean"
"""The metric: own decisions a game, by side."""

Batch = dict[str, Any]

Opponents = Mapping[str, tuple[float, Any]]
"""Name -> weight, and a player (see `envs.seat`) or Ray's reference to one, which is fetched once."""


def spaces_of(game: Game) -> tuple[gym.spaces.Dict, gym.Space[Any]]:
    """What every side sees, and its actions."""
    seen = gym.spaces.Box(0, game.observation_high, dtype=np.int8)
    mask = gym.spaces.Box(0, 1, (len(game.actions),), np.int8)
    return gym.spaces.Dict({"observation": seen, "action_mask": mask}), gym.spaces.Discrete(len(game.actions))


def masked_module_spec(
    game: Game, seats: Sequence[str] | None = None, layers: Sequence[int] = (256, 256), scale: Any = None
) -> MultiRLModuleSpec:
    """A `MaskedModule` for every side (or only for `seats`). `scale` is multiplied with the observation."""
    observation_space, action_space = spaces_of(game)
    spec = RLModuleSpec(
        module_class=MaskedModule,
        observation_space=observation_space,
        action_space=action_space,
        model_config={"layers": list(layers), "scale": None if scale is None else np.asarray(scale).tolist()},
    )
    return MultiRLModuleSpec(rl_module_specs=dict.fromkeys(seats or sides(game), spec))


class MaskedModule(TorchRLModule, ValueFunctionAPI, InferenceOnlyAPI):
    """Hidden layers that policy and value share; illegal actions have no chance. Runners do without the value."""

    def setup(self) -> None:
        """Make the layers."""
        spaces: Any = self.observation_space
        actions: Any = self.action_space
        words: Any = self.model_config
        width = spaces["observation"].shape[0]
        sizes = [width, *words["layers"]]
        scale = words["scale"] or [1.0] * width
        self.register_buffer("scale", torch.tensor(scale, dtype=torch.float32))
        self.hidden = torch.nn.ModuleList(torch.nn.Linear(a, b) for a, b in pairwise(sizes))
        self.policy = torch.nn.Linear(sizes[-1], actions.n)
        torch.nn.init.orthogonal_(self.policy.weight, 0.01)  # begins close to random play
        torch.nn.init.zeros_(self.policy.bias)
        if not self.inference_only:
            self.value = torch.nn.Linear(sizes[-1], 1)

    def get_non_inference_attributes(self) -> list[str]:
        """What runners do without."""
        return ["value"]

    def _forward(self, batch: Batch, **_: Any) -> Batch:
        seen = batch[Columns.OBS]
        features = self._features(seen["observation"])
        illegal = seen["action_mask"] == 0
        logits = self.policy(features)
        logits = logits - logits.detach().masked_fill(illegal, -torch.inf).amax(-1, keepdim=True)
        logits = logits.masked_fill(illegal, ILLEGAL)
        return {Columns.ACTION_DIST_INPUTS: logits, Columns.EMBEDDINGS: features}

    def _forward_exploration(self, batch: Batch, **_: Any) -> Batch:
        return {Columns.ACTION_DIST_INPUTS: self._forward(batch)[Columns.ACTION_DIST_INPUTS]}

    def compute_values(self, batch: Batch, embeddings: Any = None) -> torch.Tensor:
        """What the side that decides can expect."""
        features = self._features(batch[Columns.OBS]["observation"]) if embeddings is None else embeddings
        value: torch.Tensor = self.value(features)
        return value.squeeze(-1)

    def _features(self, observation: torch.Tensor) -> torch.Tensor:
        x: torch.Tensor = observation.float() * self.scale
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return x


class SideGames:
    """One side's games on a runner, and what it remembers of the fragment under way."""

    def __init__(self, game: Game, side: str, num_games: int, canonical: bool, seed: int | None) -> None:
        self.side, self.games = side, SeatGames(game, num_games, side, "random", seed, canonical)
        self.finished: list[tuple[int, float]] = []
        """Length and return of the games that ended since somebody looked."""

    def sample(self, module: MaskedModule, steps: int) -> list[SingleAgentEpisode]:
        """`steps` decisions in every game, as one episode for each piece of a game."""
        num_games, (seen, legal) = len(self.games.done), (self.games.observation, self.games.action_mask)
        observation = np.empty((num_games, steps + 1, seen.shape[1]), np.int8)
        mask = np.empty((num_games, steps + 1, legal.shape[1]), np.int8)
        actions, rewards = np.empty((num_games, steps), np.int64), np.empty((num_games, steps), np.float32)
        done, logp = np.empty((num_games, steps), bool), np.empty((num_games, steps), np.float32)
        logits = np.empty((num_games, steps, legal.shape[1]), np.float32)
        observation[:, 0], mask[:, 0] = seen, legal
        for t in range(steps):
            actions[:, t], logp[:, t], logits[:, t] = self._decide(module, observation[:, t], mask[:, t])
            self.games.step(actions[:, t])
            rewards[:, t], done[:, t] = self.games.reward, self.games.done
            ended = np.flatnonzero(self.games.done)
            self.finished += [(int(self.games.lengths[i]), float(self.games.reward[i])) for i in ended]
            observation[:, t + 1], mask[:, t + 1] = self.games.observation, self.games.action_mask
        fragment = {"obs": {"observation": observation, "action_mask": mask}, "actions": actions, "rewards": rewards}
        fragment["extra"] = {Columns.ACTION_LOGP: logp, Columns.ACTION_DIST_INPUTS: logits}
        return [self._episode(fragment, *piece) for piece in pieces(done)]

    def _decide(
        self, module: MaskedModule, observation: NDArray[np.int8], mask: NDArray[np.int8]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
        seen = {"observation": torch.from_numpy(observation), "action_mask": torch.from_numpy(mask)}
        logits = module.forward_exploration({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS]
        chances: Any = module.get_exploration_action_dist_cls().from_logits(logits)
        actions = chances.sample()
        return actions.numpy(), chances.logp(actions).numpy(), logits.numpy()

    def _episode(self, fragment: Batch, game: int, start: int, stop: int, over: bool) -> SingleAgentEpisode:
        """A piece of a game. After its last decision a new game is seen: that must not be learnt from."""
        name: Any = uuid.uuid4().hex
        return SingleAgentEpisode(
            name,
            observations=_buffer({key: values[game, start : stop + 1] for key, values in fragment["obs"].items()}),
            infos=_buffer([{}] * (stop - start + 1)),
            actions=_buffer(fragment["actions"][game, start:stop]),
            rewards=_buffer(fragment["rewards"][game, start:stop]),
            extra_model_outputs={key: _buffer(values[game, start:stop]) for key, values in fragment["extra"].items()},
            terminated=over,
            len_lookback_buffer=0,
            agent_id=self.side,
            module_id=self.side,
            multi_agent_episode_id=name,
        )


def pieces(done: NDArray[np.bool_]) -> list[tuple[int, int, int, bool]]:
    """`(game, start, stop, whether it ends there)` of all stretches between the ends of games, row by row."""
    found = []
    for game, row in enumerate(done):
        start = 0
        for end in np.flatnonzero(row).tolist():
            found.append((game, start, end + 1, True))
            start = end + 1
        if start < len(row):
            found.append((game, start, len(row), False))
    return found


def _buffer(data: Any) -> InfiniteLookbackBuffer:
    return InfiniteLookbackBuffer(data, lookback=0)


class BatchEnvRunner(EnvRunner, Checkpointable):
    """Plays `num_envs_per_env_runner` games at once, the same number for each side that has a module.

    `env_config`: `game`, and `canonical` (default true): whether positions are turned into their canonical form before
    a module sees them."""

    def __init__(self, *, config: Any, **kwargs: Any) -> None:
        super().__init__(config=config, **kwargs)
        if self.worker_index:
            torch.set_num_threads(1)  # as many runners as cores
        self.game: Game = config.env_config["game"]
        self.module: Any = None
        self.sides: dict[str, SideGames] = {}
        self._weights_seq_no = 0
        self._players: dict[ObjectRef[Any], Any] = {}
        self._opponents_number = 0
        self.make_module()
        if self.worker_index or config.num_env_runners == 0 or config.create_env_on_local_worker:
            self.make_env()

    def make_env(self) -> None:
        """Deal the games."""
        each, left = divmod(self.config.num_envs_per_env_runner, len(self.module))
        if not each or left:
            raise ValueError(f"num_envs_per_env_runner must be a multiple of {len(self.module)}, the number of sides")
        canonical = self.config.env_config.get("canonical", True)
        for number, side in enumerate(self.module.keys()):
            seed = None if self._seed is None else self._seed + 1000 * number
            self.sides[side] = SideGames(self.game, side, each, canonical, seed)

    def make_module(self) -> None:
        """The sides' networks, for playing only."""
        spec = self.config.get_multi_rl_module_spec(spaces=self.get_spaces(), inference_only=True)
        self.module = spec.build()

    def set_opponents(self, opponents: Mapping[str, Opponents], number: int = 0) -> None:
        """Whom each side meets in games dealt from now on. `number` tells one call from the next: the same number again
        changes nothing, so that all runners can be told all the time, and one that has come back hears of it."""
        if number and number == self._opponents_number:
            return
        self._opponents_number, before = number, self._players
        stored = {player for pool in opponents.values() for _, player in pool.values() if isinstance(player, ObjectRef)}
        # copies, because what comes out of the store is read-only, and networks and searches write into their memory
        self._players = {ref: before[ref] if ref in before else deepcopy(get(ref)) for ref in stored}
        for side, pool in opponents.items():
            met = {
                name: (weight, self._players[player] if isinstance(player, ObjectRef) else player)
                for name, (weight, player) in pool.items()
            }
            self.sides[side].games.set_opponent(met)

    def take_results(self) -> dict[str, dict[str, tuple[int, float]]]:
        """Side -> opponent -> `(games, sum of the side's rewards)` since the last call."""
        return {side: games.games.take_results() for side, games in self.sides.items()}

    def sample(self, **wishes: Any) -> list[SingleAgentEpisode]:
        """A fragment of every game, played by the sides' networks with chance. There is no other way to sample."""
        if any(wish is not None for wish in wishes.values()):
            raise ValueError(
                f"sample({wishes}): a batch of games plays on from fragment to fragment, and takes no wishes"
            )
        steps = self.config.get_rollout_fragment_length(self.worker_index)
        episodes: list[SingleAgentEpisode] = []
        with self.metrics.log_time(SAMPLE_TIMER), torch.no_grad():
            for side, games in self.sides.items():
                episodes += games.sample(self.module[side], steps)
                self._log(side, games, steps * len(games.games.done))
        return episodes

    def _log(self, side: str, games: SideGames, decisions: int) -> None:
        log = self.metrics.log_value
        self.num_env_steps_sampled_lifetime += decisions
        for key in (NUM_ENV_STEPS_SAMPLED, (NUM_MODULE_STEPS_SAMPLED, side)):
            log(key, decisions, reduce="sum")
        for key in (NUM_ENV_STEPS_SAMPLED_LIFETIME, (NUM_MODULE_STEPS_SAMPLED_LIFETIME, side)):
            log(key, decisions, reduce="lifetime_sum")
        log(NUM_EPISODES, len(games.finished), reduce="sum")
        log(NUM_EPISODES_LIFETIME, len(games.finished), reduce="lifetime_sum")
        for length, gained in games.finished:
            log((EPISODE_MODULE_RETURN_MEAN, side), gained, window=100)
            log(EPISODE_LEN_MEAN, length, window=100)
            log((MODULE_LENGTH_MEAN, side), length, window=100)
        games.finished.clear()

    def get_metrics(self) -> Any:
        """What `sample` logged."""
        return self.metrics.reduce()

    def get_spaces(self) -> dict[str, tuple[gym.Space[Any], gym.Space[Any]]]:
        """The same for every side."""
        return {side: spaces_of(self.game) for side in (INPUT_ENV_SINGLE_SPACES, *sides(self.game))}

    def get_state(
        self,
        components: str | Collection[str] | None = None,
        *,
        not_components: str | Collection[str] | None = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """The networks; games under way are dealt anew."""
        state: dict[str, Any] = {NUM_ENV_STEPS_SAMPLED_LIFETIME: self.num_env_steps_sampled_lifetime}
        if self._check_component(COMPONENT_RL_MODULE, components, not_components):
            inner = self._get_subcomponents(COMPONENT_RL_MODULE, components)  # type: ignore[no-untyped-call]
            state[COMPONENT_RL_MODULE] = self.module.get_state(inner, **kwargs)
            state[WEIGHTS_SEQ_NO] = self._weights_seq_no
        return state

    def set_state(self, state: dict[str, Any]) -> None:
        """Take over networks, unless they are older than what is here."""
        number = state.get(WEIGHTS_SEQ_NO, 0)
        if COMPONENT_RL_MODULE in state and (number == 0 or number > self._weights_seq_no):
            weights = state[COMPONENT_RL_MODULE]
            self.module.set_state(get(weights) if isinstance(weights, ObjectRef) else weights)
            self._weights_seq_no = number or self._weights_seq_no
        self.num_env_steps_sampled_lifetime = state.get(
            NUM_ENV_STEPS_SAMPLED_LIFETIME, self.num_env_steps_sampled_lifetime
        )

    def get_ctor_args_and_kwargs(self) -> tuple[tuple[()], dict[str, Any]]:
        """For checkpoints."""
        return (), {"config": self.config}

    def get_checkpointable_components(self) -> list[tuple[str, Any]]:
        """For checkpoints."""
        return [(COMPONENT_RL_MODULE, self.module)]

    def assert_healthy(self) -> None:
        """Made, and ready to play."""
        if not self.sides:
            raise AssertionError("this runner has no games")
