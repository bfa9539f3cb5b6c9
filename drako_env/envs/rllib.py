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
while `set_opponents` decides whom it meets. For self-play at the speed of the kernels there is `collect` in place of
`sample`; `agents/league/cluster.py` builds on it. RLlib's own runner works as well, one decision at a time, through its
`PettingZooEnv(drako_v0.env())`, or `masking_env(drako_v0.env(normalized=True))` for its own masking module.
"""

import uuid
from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from itertools import pairwise
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

try:
    import torch
    from ray import ObjectRef, get
except ImportError as error:
    raise ImportError("this needs Ray RLlib and PyTorch: pip install 'drako-env[rllib]'") from error

from ray.rllib.core import COMPONENT_RL_MODULE
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env import INPUT_ENV_SINGLE_SPACES
from ray.rllib.env.env_runner import EnvRunner
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.env.utils.infinite_lookback_buffer import InfiniteLookbackBuffer
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
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
from drako_env.engine.rollout import Rollout, add_advantages, draw_decisions, new_rollout
from drako_env.envs.seat import SeatGames
from drako_env.envs.selfplay import SelfPlay
from drako_env.envs.spaces import action_space, masked_space

ILLEGAL = -80.0
"""The logit of an illegal action when the best legal one has 0: its chance is below 1e-34. Anything much lower
underflows, and that makes `logsumexp` nine times slower on a CPU."""

Batch = dict[str, Any]

Opponents = Mapping[str, tuple[float, Any]]
"""Name -> weight, and a player (see `envs.seat`) or Ray's reference to one, which is fetched once."""


class Collected(NamedTuple):
    """What a runner has of one side."""

    batch: dict[str, NDArray[Any]]
    """To learn from: see `engine.rollout.draw_decisions`."""
    decisions: int
    """How many were made; a share of them is in the batch."""
    length: float
    """A game's, in decisions of this side."""
    results: dict[str, tuple[int, float]]
    """Opponent (or "itself") -> games, and the sum of the side's rewards."""


def spaces_of(game: Game) -> tuple[gym.spaces.Dict, gym.Space[Any]]:
    """What every side sees, and its actions."""
    return masked_space(game), action_space(game)


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


def masking_env(env: AECEnv[str, Any, Any]) -> PettingZooEnv:
    """A PettingZoo environment for RLlib's own runner and its stock `ActionMaskingTorchRLModule`:
    `register_env("drako", lambda _: masking_env(drako_v0.env(normalized=True)))`."""
    return PettingZooEnv(_Renamed(env))  # type: ignore[no-untyped-call]


class _Renamed(BaseWrapper[str, Any, Any]):
    """Observations as floats, by the name that the module looks for."""

    def observation_space(self, agent: str) -> gym.Space[Any]:
        space: Any = super().observation_space(agent)
        seen, mask = (gym.spaces.Box(0, space[name].high, dtype=np.float32) for name in ("observation", "action_mask"))
        return gym.spaces.Dict({"action_mask": mask, "observations": seen})

    def observe(self, agent: str) -> dict[str, NDArray[np.float32]]:
        seen: Any = super().observe(agent)
        names = {"action_mask": "action_mask", "observations": "observation"}
        return {new: seen[name].astype(np.float32) for new, name in names.items()}


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """Hidden layers that policy and value share; illegal actions have no chance. Its parameters are called what policy
    files and kernels call them (see `engine.network`)."""

    def setup(self) -> None:
        """Make the layers."""
        spaces: Any = self.observation_space
        actions: Any = self.action_space
        words: Any = self.model_config
        width = spaces["observation"].shape[0]
        sizes = [width, *words["layers"]]
        scale = words["scale"] or [1.0] * width
        self.register_buffer("scale", torch.tensor(scale, dtype=torch.float32))
        self._depth = len(sizes) - 1
        for number, (inputs, outputs) in enumerate(pairwise(sizes)):
            self.add_module(f"{number}", _layer(inputs, outputs, 2**0.5))
        self.policy = _layer(sizes[-1], actions.n, 0.01)  # begins close to random play
        self.value = _layer(sizes[-1], 1, 1.0)

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

    def judge(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The logits of all actions, illegal ones too, and the values."""
        features = self._features(observation)
        return self.policy(features), self.value(features).squeeze(-1)

    def _features(self, observation: torch.Tensor) -> torch.Tensor:
        x: torch.Tensor = observation.float() * self.scale
        for number in range(self._depth):
            x = torch.relu(self.get_submodule(f"{number}")(x))
        return x


def _layer(inputs: int, outputs: int, gain: float) -> torch.nn.Linear:
    layer = torch.nn.Linear(inputs, outputs)
    torch.nn.init.orthogonal_(layer.weight, gain)
    torch.nn.init.zeros_(layer.bias)
    return layer


def episodes(module: MaskedModule, side: str, rollout: Rollout, games: SeatGames) -> list[SingleAgentEpisode]:
    """What these games have noted last, as one episode for each piece of a game."""
    seen = {
        "observation": np.concatenate([rollout.observation, games.observation[:, None]], axis=1),
        "action_mask": np.concatenate([rollout.action_mask, games.action_mask[:, None]], axis=1),
    }
    decided = {name: torch.from_numpy(array[:, :-1]) for name, array in seen.items()}
    with torch.no_grad():
        logits = module.forward_exploration({Columns.OBS: decided})[Columns.ACTION_DIST_INPUTS].numpy()
    extra = {Columns.ACTION_LOGP: rollout.log_probability, Columns.ACTION_DIST_INPUTS: logits}
    return [_episode(side, rollout, seen, extra, *piece) for piece in pieces(rollout.ended)]


def _episode(
    side: str, rollout: Rollout, seen: Batch, extra: Batch, game: int, start: int, stop: int, over: bool
) -> SingleAgentEpisode:
    """A piece of a game. After its last decision a new game is seen: that must not be learnt from."""
    name: Any = uuid.uuid4().hex
    return SingleAgentEpisode(
        name,
        observations=_buffer({key: values[game, start : stop + 1] for key, values in seen.items()}),
        infos=_buffer([{}] * (stop - start + 1)),
        actions=_buffer(rollout.action[game, start:stop]),
        rewards=_buffer(rollout.reward[game, start:stop]),
        extra_model_outputs={key: _buffer(values[game, start:stop]) for key, values in extra.items()},
        terminated=over,
        len_lookback_buffer=0,
        agent_id=side,
        module_id=side,
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

    `env_config`: `game`; `canonical` (default true): whether positions are turned into their canonical form before a
    module sees them; and for `collect` `kept` (default 1): the share of decisions that it returns, surprising ones most
    likely, and `value_lambda` (default that of advantages): the decay of what values are trained towards."""

    def __init__(self, *, config: Any, **kwargs: Any) -> None:
        super().__init__(config=config, **kwargs)
        if self.worker_index:
            torch.set_num_threads(1)  # as many runners as cores
        self.game: Game = config.env_config["game"]
        self._canonical: bool = config.env_config.get("canonical", True)
        self.module: Any = None
        self.sides: dict[str, SeatGames] = {}
        self._all_sides: SelfPlay | None = None
        self._weights_seq_no = 0
        self._met: Mapping[str, Opponents] = {}
        self._players: dict[ObjectRef[Any], Any] = {}
        self._chance = np.random.default_rng(None if self._seed is None else [self._seed, self.worker_index])
        self.make_module()
        if self.worker_index or config.num_env_runners == 0 or config.create_env_on_local_worker:
            self.make_env()

    def make_env(self) -> None:
        """Deal the games."""
        each, left = divmod(self.config.num_envs_per_env_runner, len(self.module))
        if not each or left:
            raise ValueError(f"num_envs_per_env_runner must be a multiple of {len(self.module)}, the number of sides")
        for number, side in enumerate(self.module.keys()):
            seed = None if self._seed is None else self._seed + 1000 * number
            self.sides[side] = SeatGames(self.game, each, side, "random", seed, self._canonical)

    def make_module(self) -> None:
        """The sides' networks."""
        self.module = self.config.get_multi_rl_module_spec(spaces=self.get_spaces()).build()

    def set_opponents(self, opponents: Mapping[str, Opponents]) -> None:
        """Whom each side meets in games dealt from now on. The same again changes nothing."""
        if opponents == self._met:
            return
        self._met, before = opponents, self._players
        stored = {player for pool in opponents.values() for _, player in pool.values() if isinstance(player, ObjectRef)}
        # copies, because what comes out of the store is read-only, and networks and searches write into their memory
        self._players = {ref: before[ref] if ref in before else deepcopy(get(ref)) for ref in stored}
        for side, pool in opponents.items():
            met = {
                name: (weight, self._players[player] if isinstance(player, ObjectRef) else player)
                for name, (weight, player) in pool.items()
            }
            self.sides[side].set_opponent(met)

    def take_results(self) -> dict[str, dict[str, tuple[int, float]]]:
        """Side -> opponent -> `(games, sum of the side's rewards)` since the last call."""
        return {side: games.take_results() for side, games in self.sides.items()}

    def collect(self, opponents: Mapping[str, Opponents] | None = None, sparring: float = 0.0) -> dict[str, Collected]:
        """`rollout_fragment_length` decisions a game and side, on average, in compiled calls: each side against its
        opponents (these, or those set before), or if there are none all of them against each other, but for a share of
        games at most for `sparring` (see `SelfPlay.collect`). They come with advantages and without decisions that have
        no choice."""
        if opponents is not None:
            self.set_opponents(opponents)
        if not self._met and set(self.sides) == set(sides(self.game)):
            return self._play_each_other(sparring)
        return {side: self._play_alone(side, games) for side, games in self.sides.items()}

    def _play_each_other(self, sparring: float) -> dict[str, Collected]:
        if self._all_sides is None:
            each = self.config.num_envs_per_env_runner // len(self.sides)
            self._all_sides = SelfPlay(self.game, each, self._steps, self._seed, self._canonical)
        games = self._all_sides
        games.collect([self.module[side].get_state() for side in games.sides], sparring=sparring)
        self._judge(games.rollout)
        results = games.take_results()
        return {
            side: self._collected(games.rollout, number, games.lengths[side], results[side])
            for number, side in enumerate(games.sides)
        }

    def _play_alone(self, side: str, games: SeatGames) -> Collected:
        self._judge(rollout := self._play(side, games))
        return self._collected(rollout, 0, games.length, games.take_results())

    def _play(self, side: str, games: SeatGames) -> Rollout:
        """A fragment of every game of a side against its opponents."""
        rollout = new_rollout(self.game, len(games.done), self._steps)
        games.collect(self.module[side].get_state(), rollout)
        return rollout

    def _judge(self, rollout: Rollout) -> None:
        config: Any = self.config
        add_advantages(rollout, config.gamma, config.lambda_, config.env_config.get("value_lambda", config.lambda_))

    def _collected(
        self, rollout: Rollout, number: int, length: float, results: dict[str, tuple[int, float]]
    ) -> Collected:
        batch = draw_decisions(rollout, number, self.config.env_config.get("kept", 1.0), self._chance)
        return Collected(batch, int((rollout.learner == number).sum()), length, results)

    @property
    def _steps(self) -> int:
        return int(self.config.get_rollout_fragment_length(self.worker_index))

    def sample(self, **wishes: Any) -> list[SingleAgentEpisode]:
        """A fragment of every game, played by the sides' networks with chance; decisions without a choice are left out.
        There is no other way to sample."""
        if any(wish is not None for wish in wishes.values()):
            raise ValueError(
                f"sample({wishes}): a batch of games plays on from fragment to fragment, and takes no wishes"
            )
        found: list[SingleAgentEpisode] = []
        with self.metrics.log_time(SAMPLE_TIMER):
            for side, games in self.sides.items():
                rollout = self._play(side, games)
                found += episodes(self.module[side], side, rollout, games)
                self._log(side, rollout, games.length)
        return found

    def _log(self, side: str, rollout: Rollout, length: float) -> None:
        log, returns = self.metrics.log_value, rollout.reward[rollout.ended]
        self.num_env_steps_sampled_lifetime += rollout.action.size
        for key in (NUM_ENV_STEPS_SAMPLED, (NUM_MODULE_STEPS_SAMPLED, side)):
            log(key, rollout.action.size, reduce="sum")
        for key in (NUM_ENV_STEPS_SAMPLED_LIFETIME, (NUM_MODULE_STEPS_SAMPLED_LIFETIME, side)):
            log(key, rollout.action.size, reduce="lifetime_sum")
        log(NUM_EPISODES, len(returns), reduce="sum")
        log(NUM_EPISODES_LIFETIME, len(returns), reduce="lifetime_sum")
        log(EPISODE_LEN_MEAN, length)
        for gained in returns.tolist():
            log((EPISODE_MODULE_RETURN_MEAN, side), gained, window=100)

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
