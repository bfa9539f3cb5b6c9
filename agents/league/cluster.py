"""A league on a Ray cluster: RLlib's PPO learns, runners on any number of nodes play batches of games for it."""

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import ray
import torch
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.algorithms.ppo.torch.ppo_torch_learner import PPOTorchLearner
from ray.rllib.core import COMPONENT_LEARNER, COMPONENT_RL_MODULE
from ray.rllib.utils.metrics import (
    NUM_ENV_STEPS_SAMPLED_LIFETIME,
    NUM_MODULE_STEPS_SAMPLED_LIFETIME,
)
from ray.rllib.utils.schedules.scheduler import Scheduler

from agents.league.config import Config
from agents.league.learner import Opponents
from drako_env.engine.game import Game
from drako_env.envs.rllib import MODULE_LENGTH_MEAN, BatchEnvRunner, masked_module_spec
from drako_env.envs.seat import BATCHED
from drako_env.players import make_player
from drako_env.players.policy import Floats, input_scale, load_network, save_policy
from drako_env.runs import room, sync

PROBE_SECONDS = 0.2
"""How long to ask, once an update, for a runner that was lost: one that is back answers at once."""
WAIT_SECONDS = 2.0


class SteadyLearner(PPOTorchLearner):
    """PPO whose learning rate is set from outside: the budget of a run is time, not steps."""

    def configure_optimizers_for_module(self, module_id: str, config: Any = None) -> None:
        """Adam as Stable-Baselines3 has it."""
        parameters = self.get_parameters(self.module[module_id])
        optimizer = torch.optim.Adam(parameters, lr=self.config.lr, eps=1e-5)
        self.register_optimizer(module_id=module_id, optimizer=optimizer, params=parameters)

    def set_rate(self, rate: float, entropy: float) -> None:
        """The learning rate and the weight of entropy from now on."""
        for module_id in list(self.module.keys()):
            self.entropy_coeff_schedulers_per_module[module_id] = Scheduler(entropy, framework="torch")
            for _, optimizer in self.get_optimizers_for_module(module_id):
                self._set_optimizer_lr(optimizer, rate)


class LeaguePPO(PPO):
    """PPO whose runners, when they come back, hear whom they meet before they play."""

    met: dict[str, Any] | None = None
    """What `set_opponents` is told."""

    def restore_env_runners(self, env_runner_group: Any) -> list[int]:
        """Bring back runners that were lost; which of them were."""
        restored = super().restore_env_runners(env_runner_group)
        if restored and self.met:
            env_runner_group.foreach_env_runner(
                "set_opponents", kwargs=self.met, remote_worker_ids=restored, local_env_runner=False
            )
        return restored


def ppo_config(game: Game, seeds: Mapping[str, int], config: Config, runners: int) -> PPOConfig:
    """RLlib's words for ours. The batch of an update is the same for any number of runners."""
    scale = input_scale(np.asarray(game.observation_high))
    batch = len(seeds) * config.num_envs * config.steps
    return (
        PPOConfig(LeaguePPO)
        .environment(env_config={"game": game, "canonical": config.canonical}, disable_env_checking=True)
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
        .learners(learner_class=SteadyLearner)
        .training(
            lr=config.learning_rate,
            gamma=config.gamma,
            lambda_=config.gae_lambda,
            clip_param=config.clip,
            entropy_coeff=config.entropy,
            use_kl_loss=False,
            vf_loss_coeff=0.5,
            vf_clip_param=100.0,  # none: rewards lie between -1 and 1
            grad_clip=0.5,
            grad_clip_by="global_norm",
            train_batch_size_per_learner=batch,
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
        self._sampled = 0
        self._players: dict[str, ray.ObjectRef] = {}
        self._rounds = 0

    def start(self, game: Game, seeds: Mapping[str, int], config: Config) -> None:
        """Start the runners."""
        self._game, self._seats, self._config = game, list(seeds), config
        torch.distributions.Distribution.set_default_validate_args(False)  # a quarter of the time of a small network
        self._algorithm = ppo_config(game, seeds, config, self._healthy).build_algo()
        logging.getLogger("ray.rllib").setLevel(logging.CRITICAL)  # it calls a lost runner an error, several times
        self._runners = self._algorithm.env_runner_group

    def train(self, opponents: Mapping[str, Opponents], rate: float, entropy: float) -> dict[str, dict[str, Any]]:
        """One round: `rollouts` updates of every side against these opponents."""
        self._rounds += 1
        self._algorithm.met = met = {"opponents": self._with_players(opponents), "number": self._rounds}
        self._algorithm.learner_group.foreach_learner(lambda learner: learner.set_rate(rate, entropy))
        results: dict[str, dict[str, tuple[int, float]]] = {seat: {} for seat in self._seats}
        for _ in range(self._config.rollouts):
            figures = self._update(met)
            for found in self._runners.foreach_env_runner("take_results", local_env_runner=False):
                _add(results, found)
        return {seat: {"results": results[seat]} | self._figures(seat, figures) for seat in self._seats}

    def _update(self, met: dict[str, Any]) -> dict[str, Any]:
        """One batch of games, learnt from. With no runner left it waits for one."""
        while True:
            self._runners.foreach_env_runner("set_opponents", kwargs=met, local_env_runner=False)
            figures: dict[str, Any] = self._algorithm.train()
            self._look_after_runners()
            played, before = figures.get("env_runners", {}), self._sampled  # nothing at all if every runner is lost
            self._sampled = int(played.get(NUM_ENV_STEPS_SAMPLED_LIFETIME, before))
            if self._sampled > before:
                return figures
            time.sleep(WAIT_SECONDS)

    def play(self) -> None:
        """A batch of games that nobody learns from: for measuring."""
        self._runners.foreach_env_runner("sample", local_env_runner=False)

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

    def _figures(self, seat: str, figures: Mapping[str, Any]) -> dict[str, Any]:
        """Of the last update."""
        learnt, played, timers = figures["learners"][seat], figures["env_runners"], figures["timers"]
        sampling, learning = timers["env_runner_sampling_timer"], timers["learner_update_timer"]
        return {
            "decisions": int(played[NUM_MODULE_STEPS_SAMPLED_LIFETIME][seat]),
            "entropy": float(learnt["entropy"]),
            "value_loss": float(learnt["vf_loss"]),
            "time": {"games": sampling / (sampling + learning), "update": learning / (sampling + learning)},
            "length": float(played.get(MODULE_LENGTH_MEAN, {}).get(seat, 0.0)),
        }

    def export(self, files: Mapping[str, Path], info: Mapping[str, str]) -> None:
        """Write every side's policy as it is now."""
        for seat, tensors in self._tensors().items():
            save_policy(files[seat], self._game, tensors, {"seat": seat} | self._config.network() | dict(info))

    def _tensors(self) -> dict[str, dict[str, Floats]]:
        """Side -> its network in the words of `drako_env.players.policy`."""
        networks = self._algorithm.learner_group.get_weights()
        return {
            seat: {name.removeprefix("hidden."): tensor for name, tensor in networks[seat].items()}
            for seat in self._seats
        }

    def start_from(self, files: Mapping[str, Path]) -> None:
        """Begin with the networks of these policies."""
        own = self._tensors()
        for seat, file in files.items():
            tensors = load_network(file, self._game, own[seat], self._config.layers)
            named = {f"hidden.{name}" if name[0].isdigit() else name: tensor for name, tensor in tensors.items()}
            self._algorithm.learner_group.set_weights({seat: named})
        self._hand_out()

    def _hand_out(self) -> None:
        """Give every runner the networks as they are, and wait until it has them. RLlib's own `sync_weights` does not
        wait, and drops what is meant for a runner that has not done with the message before."""
        where = f"{COMPONENT_LEARNER}/{COMPONENT_RL_MODULE}"
        state = self._algorithm.learner_group.get_state(where, inference_only=True)[COMPONENT_LEARNER]
        networks = {COMPONENT_RL_MODULE: state[COMPONENT_RL_MODULE]}
        self._runners.foreach_env_runner(lambda runner: runner.set_state(networks))

    def save(self, folder: Path) -> None:
        """A checkpoint of RLlib's."""
        with room(folder):
            self._algorithm.save_to_path(str(folder.absolute()))
        for path in [*folder.rglob("*"), folder]:
            sync(path)

    def load(self, folder: Path, decisions: Mapping[str, int]) -> None:
        """Go on from there; RLlib knows after how many decisions."""
        self._algorithm.restore_from_path(str(folder.absolute()))
        self._hand_out()
        self._sampled = sum(decisions.values())

    def close(self) -> None:
        """Let the runners go, with the empty folder that RLlib makes."""
        if self._algorithm:
            self._algorithm.stop()
            with suppress(OSError):
                Path(self._algorithm.logdir).rmdir()


def _add(results: dict[str, dict[str, tuple[int, float]]], found: dict[str, dict[str, tuple[int, float]]]) -> None:
    """Games and sums of rewards of one runner."""
    for seat, against in found.items():
        for name, (games, total) in against.items():
            before = results[seat].get(name, (0, 0.0))
            results[seat][name] = (before[0] + games, before[1] + total)
