"""A league on a Ray cluster: RLlib's PPO learns, runners on any number of nodes play batches of games for it."""

import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import ray
import torch
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.algorithms.ppo.torch.ppo_torch_learner import PPOTorchLearner
from ray.rllib.core import COMPONENT_LEARNER, COMPONENT_RL_MODULE
from ray.rllib.policy.sample_batch import MultiAgentBatch, SampleBatch
from ray.rllib.utils.metrics import (
    ENV_RUNNER_RESULTS,
    ENV_RUNNER_SAMPLING_TIMER,
    LEARNER_RESULTS,
    LEARNER_UPDATE_TIMER,
    NUM_MODULE_STEPS_SAMPLED_LIFETIME,
    SYNCH_WORKER_WEIGHTS_TIMER,
    TIMERS,
)
from ray.rllib.utils.schedules.scheduler import Scheduler

from agents.league.config import Config, Pace
from agents.league.learner import Opponents
from agents.league.update import Settings, follow, learn
from drako_env.engine.game import Game
from drako_env.envs.batch import in_threads
from drako_env.envs.rllib import BatchEnvRunner, Collected, masked_module_spec
from drako_env.envs.seat import BATCHED
from drako_env.players import make_player
from drako_env.players.policy import Floats, input_scale, load_network, save_policy
from drako_env.runs import room, sync

PROBE_SECONDS = 0.2
"""How long to ask, once an update, for a runner that was lost: one that is back answers at once."""
WAIT_SECONDS = 2.0
AVERAGE = "average"
"""The part of a learner's state that is exported."""
TIMES = {"games": ENV_RUNNER_SAMPLING_TIMER, "update": LEARNER_UPDATE_TIMER, "rest": SYNCH_WORKER_WEIGHTS_TIMER}


class LeagueLearner(PPOTorchLearner):
    """PPO from decisions that come with their advantages, every side in a thread of its own. The learning rate is set
    from outside, since the budget of a run is time, and the average of each side's networks is kept."""

    def build(self) -> None:
        """Make networks and optimisers."""
        super().build()
        self._chance = np.random.default_rng(self.config.seed)
        self._threads = max(1, len(os.sched_getaffinity(0)) // len(self.module))
        torch.set_num_threads(self._threads)
        self._kept = self.config.learner_config_dict["average"]
        self.average = {
            side: {name: tensor.clone() for name, tensor in module.state_dict().items()}
            for side, module in self.module.items()
        }

    def configure_optimizers_for_module(self, module_id: str, config: Any = None) -> None:
        """Adam as Stable-Baselines3 has it."""
        parameters = self.get_parameters(self.module[module_id])
        optimizer = torch.optim.Adam(parameters, lr=self.config.lr, eps=1e-5)
        self.register_optimizer(module_id=module_id, optimizer=optimizer, params=parameters)

    def set_pace(self, pace: Pace) -> None:
        """The learning rate and the weight of entropy from now on."""
        for side in self.average:
            self.entropy_coeff_schedulers_per_module[side] = Scheduler(pace.entropy, framework="torch")
            self._set_optimizer_lr(self.get_optimizer(side), pace.rate)

    def _update(self, batch: dict[str, SampleBatch], **_: Any) -> tuple[Any, Any, Any]:
        """RLlib's place for one's own update; it hands over the whole batch."""
        orders = [self._chance.permutation(len(part)) for part in batch.values()]

        def work(number: int) -> dict[str, float]:
            torch.set_num_threads(self._threads)  # a setting of each thread
            side = list(batch)[number]
            return self._learn(side, batch[side], orders[number])

        for side, figures in zip(batch, in_threads(work, len(batch)), strict=True):
            self.metrics.log_dict(figures, key=side, window=1)
        return {}, {}, {}

    def _learn(self, side: str, batch: SampleBatch, order: Any) -> dict[str, float]:
        """One side's update, from as many whole minibatches as there are."""
        config = self.config
        entropy = float(self.entropy_coeff_schedulers_per_module[side].get_current_value())
        magnet = config.learner_config_dict["magnet"]
        settings = Settings(config.num_epochs, config.minibatch_size, config.clip_param, entropy, magnet=magnet)
        left = len(order) % settings.minibatch if len(order) > settings.minibatch else 0
        chosen = torch.from_numpy(order[left:])
        decisions = {name: tensor[chosen] for name, tensor in batch.items()}
        return learn(self.module[side].judge, self.get_optimizer(side), decisions, settings, self.average[side])

    def after_gradient_based_update(self, *, timesteps: dict[str, Any]) -> None:
        """The averages follow."""
        super().after_gradient_based_update(timesteps=timesteps)
        for side, average in self.average.items():
            follow(average, self.module[side].state_dict(), self._weights_seq_no, self._kept)

    def get_state(self, components: Any = None, *, not_components: Any = None, **kwargs: Any) -> dict[str, Any]:
        """With the averages."""
        state: dict[str, Any] = super().get_state(components, not_components=not_components, **kwargs)
        if self._check_component(AVERAGE, components, not_components):
            state[AVERAGE] = {
                side: {name: tensor.numpy().copy() for name, tensor in average.items()}
                for side, average in self.average.items()
            }
        return state

    def set_state(self, state: dict[str, Any]) -> None:
        """With the averages."""
        super().set_state(state)
        for side, average in state.get(AVERAGE, {}).items():
            self.average[side] = {name: torch.tensor(tensor) for name, tensor in average.items()}


class LeaguePPO(PPO):
    """PPO whose runners collect with the kernels and hand over what is to be learnt from: neither episodes nor
    connectors."""

    opponents: Mapping[str, Any] = {}
    """What runners are told with every batch, so that one that comes back hears of it. Without any, self-play."""
    sparring: float = 0.0
    """The same for the share of games of self-play against the rules of thumb."""
    played: Sequence[dict[str, Collected]] = ()
    """What runners have collected for the last update; nothing if all are lost."""

    def training_step(self) -> None:
        """Play, learn, hand out the new networks."""
        with self.metrics.log_time((TIMERS, ENV_RUNNER_SAMPLING_TIMER)):
            self.played = self._collect()
        if not self.played:
            return
        with self.metrics.log_time((TIMERS, LEARNER_UPDATE_TIMER)):
            results = self.learner_group.update(batch=self._batch())
            self.metrics.aggregate(results, key=LEARNER_RESULTS)
        with self.metrics.log_time((TIMERS, SYNCH_WORKER_WEIGHTS_TIMER)):
            self.hand_out()

    def _collect(self) -> list[dict[str, Collected]]:
        """As much as all runners play; if some are lost, the others play more."""
        group, found = self.env_runner_group, list[dict[str, Collected]]()
        told = {"opponents": self.opponents, "sparring": self.sparring}
        while missing := self.config.num_env_runners - len(found):
            asked = group.healthy_env_runner_ids()[:missing]
            words = {"kwargs": told, "remote_worker_ids": asked, "local_env_runner": False}
            answers = group.foreach_env_runner("collect", **words) if asked else []
            if not answers:
                break
            found += answers
        return found

    def _batch(self) -> MultiAgentBatch:
        """What all runners have collected, put together."""
        batches, total = {}, 0
        for side in self.played[0]:
            parts = [found[side].batch for found in self.played]
            batches[side] = SampleBatch({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
            count = sum(found[side].decisions for found in self.played)
            where = (ENV_RUNNER_RESULTS, NUM_MODULE_STEPS_SAMPLED_LIFETIME, side)
            self.metrics.log_value(where, count, reduce="lifetime_sum")
            total += count
        return MultiAgentBatch(batches, total)

    def hand_out(self) -> None:
        """Give every runner the networks as they are, and wait until it has them. RLlib's own `sync_weights` does not
        wait, and drops what is meant for a runner that has not done with the message before."""
        state = self.learner_group.get_state(f"{COMPONENT_LEARNER}/{COMPONENT_RL_MODULE}")[COMPONENT_LEARNER]
        networks = {COMPONENT_RL_MODULE: ray.put(state[COMPONENT_RL_MODULE])}
        self.env_runner_group.foreach_env_runner(lambda runner: runner.set_state(networks))


def ppo_config(game: Game, seeds: Mapping[str, int], config: Config, runners: int) -> PPOConfig:
    """RLlib's words for ours. The batch of an update is the same for any number of runners."""
    scale = input_scale(game)
    played = {"game": game, "canonical": config.canonical, "kept": config.kept, "value_lambda": config.value_lambda}
    return (
        PPOConfig(LeaguePPO)
        .environment(env_config=played, disable_env_checking=True)
        .framework("torch")
        .debugging(seed=min(seeds.values()))
        .multi_agent(policies=list(seeds), policy_mapping_fn=lambda agent, episode, **_: agent)
        .rl_module(rl_module_spec=masked_module_spec(game, list(seeds), config.layers, scale))
        .env_runners(
            env_runner_cls=BatchEnvRunner,
            num_env_runners=runners,
            num_envs_per_env_runner=len(seeds) * config.games_each(runners),
            rollout_fragment_length=config.steps,
        )
        .fault_tolerance(
            restart_failed_env_runners=True,
            max_num_env_runner_restarts=-1,
            env_runner_health_probe_timeout_s=PROBE_SECONDS,
        )
        .learners(learner_class=LeagueLearner, learner_config_dict={"average": config.average, "magnet": config.magnet})
        .training(
            lr=config.learning_rate,
            gamma=config.gamma,
            lambda_=config.gae_lambda,
            clip_param=config.clip,
            use_kl_loss=False,
            train_batch_size_per_learner=len(seeds) * config.num_envs * config.steps,
            minibatch_size=config.minibatch,
            num_epochs=config.epochs,
        )
    )


class ClusterLearners:
    """The learners of a league on Ray: they learn in this process, and runners play wherever the cluster has a core for
    them.

    Runners that are lost with their node come back as soon as there is room; until then the others play more."""

    def __init__(self, runners: int, tell: Callable[[str], None] = print) -> None:
        self._healthy, self._tell = runners, tell
        self._algorithm: Any = None
        self._players: dict[str, ray.ObjectRef] = {}

    def start(self, game: Game, seeds: Mapping[str, int], config: Config) -> None:
        """Start the runners."""
        self._game, self._seats, self._config = game, list(seeds), config
        self._algorithm = ppo_config(game, seeds, config, self._healthy).build_algo()
        logging.getLogger("ray.rllib").setLevel(logging.CRITICAL)  # it calls a lost runner an error, several times
        self._runners = self._algorithm.env_runner_group

    def train(self, opponents: Mapping[str, Opponents], pace: Pace) -> dict[str, dict[str, Any]]:
        """One round: `rollouts` updates of every side, against these opponents or against each other."""
        self._algorithm.opponents, self._algorithm.sparring = self._with_players(opponents), pace.sparring
        self._algorithm.learner_group.foreach_learner(lambda learner: learner.set_pace(pace))
        played: list[dict[str, Collected]] = []
        for _ in range(self._config.rollouts):
            figures = self._update()
            played += [{seat: found[seat]._replace(batch={}) for seat in found} for found in self._algorithm.played]
        return {seat: self._figures(seat, figures, [found[seat] for found in played]) for seat in self._seats}

    def _update(self) -> dict[str, Any]:
        """One batch of games, learnt from. With no runner left it waits for one."""
        while True:
            figures: dict[str, Any] = self._algorithm.train()
            self._look_after_runners()
            if self._algorithm.played:
                return figures
            time.sleep(WAIT_SECONDS)

    def play(self) -> None:
        """A batch of games that nobody learns from: for measuring."""
        self._runners.foreach_env_runner("collect", local_env_runner=False)

    def _look_after_runners(self) -> None:
        """Say so when some are lost, and when they are back."""
        before, self._healthy = self._healthy, self._runners.num_healthy_remote_env_runners()
        if self._healthy < before:
            goes_on = "training goes on with the rest" if self._healthy else "waiting for them to come back"
            self._tell(f"{before - self._healthy} of {before} runners lost; {goes_on}")
        elif self._healthy > before:
            self._tell(f"{self._healthy} of {self._runners.num_remote_env_runners()} runners again")

    def _with_players(self, opponents: Mapping[str, Opponents]) -> dict[str, dict[str, tuple[float, Any]]]:
        """The opponents as the runners want them: each network is put into the object store once."""
        players = {player for pool in opponents.values() for _, player in pool.values() if player not in BATCHED}
        self._players = {p: self._players.get(p) or ray.put(make_player(p, self._game)) for p in players}
        return {
            seat: {name: (weight, self._players.get(player, player)) for name, (weight, player) in pool.items()}
            for seat, pool in opponents.items()
        }

    def _figures(self, seat: str, figures: Mapping[str, Any], played: list[Collected]) -> dict[str, Any]:
        """Results of a round, and figures of its last update."""
        results: dict[str, tuple[int, float]] = {}
        for found in played:
            for name, (games, total) in found.results.items():
                before = results.get(name, (0, 0.0))
                results[name] = before[0] + games, before[1] + total
        learnt, seconds = figures["learners"][seat], {part: figures["timers"][name] for part, name in TIMES.items()}
        return {
            "results": results,
            "length": float(np.mean([found.length for found in played])),
            "time": {part: share / sum(seconds.values()) for part, share in seconds.items()},
            "decisions": int(figures["env_runners"][NUM_MODULE_STEPS_SAMPLED_LIFETIME][seat]),
        } | {name: float(learnt[name]) for name in ("entropy", "value_loss", "kl")}

    def export(self, files: Mapping[str, Path], info: Mapping[str, str]) -> None:
        """Write every side's averaged policy as it is now."""
        for seat, tensors in self._averages().items():
            save_policy(files[seat], self._game, tensors, {"seat": seat} | self._config.network() | dict(info))

    def _averages(self) -> dict[str, dict[str, Floats]]:
        """Side -> the average of its networks in the words of `drako_env.players.policy`."""
        state = self._algorithm.learner_group.get_state(f"{COMPONENT_LEARNER}/{AVERAGE}")[COMPONENT_LEARNER]
        averages: dict[str, dict[str, Floats]] = state[AVERAGE]
        return averages

    def start_from(self, files: Mapping[str, Path]) -> None:
        """Begin with the networks of these policies."""
        own = self._averages()
        found = {seat: load_network(file, self._game, own[seat], self._config.layers) for seat, file in files.items()}
        self._algorithm.learner_group.set_state({COMPONENT_LEARNER: {COMPONENT_RL_MODULE: found, AVERAGE: found}})
        self._algorithm.hand_out()

    def save(self, folder: Path) -> None:
        """A checkpoint of RLlib's."""
        with room(folder):
            self._algorithm.save_to_path(str(folder.absolute()))
        for path in [*folder.rglob("*"), folder]:
            sync(path)

    def load(self, folder: Path, decisions: Mapping[str, int]) -> None:
        """Go on from there; RLlib knows after how many decisions."""
        self._algorithm.restore_from_path(str(folder.absolute()))
        self._algorithm.hand_out()

    def close(self) -> None:
        """Let the runners go, with the empty folder that RLlib makes."""
        if self._algorithm:
            self._algorithm.stop()
            with suppress(OSError):
                Path(self._algorithm.logdir).rmdir()
