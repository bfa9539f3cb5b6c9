"""Stable-Baselines3's MaskablePPO at the speed of the kernels: one compiled call collects a rollout, and an update does
no work twice."""

import time
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from agents.league.update import Settings, learn
from drako_env.engine.network import Tensors
from drako_env.engine.rollout import add_advantages, draw_decisions, new_rollout
from drako_env.envs.sb3 import SeatVecEnv
from drako_env.players.policy import input_scale

PARTS = ("weight", "bias")
LOGGED = ("policy_gradient_loss", "value_loss", "entropy_loss", "approx_kl", "clip_fraction")
"""What the logger calls the figures of an update."""


class Encoder(BaseFeaturesExtractor):
    """Scales counts to about one, then hidden layers that policy and value share."""

    def __init__(self, observation_space: Any, layers: tuple[int, ...], scale: Any = None) -> None:
        super().__init__(observation_space, layers[-1])
        known = torch.ones(observation_space.shape[0]) if scale is None else torch.as_tensor(scale)
        self.register_buffer("scale", known.float())
        sizes = [observation_space.shape[0], *layers]
        self.hidden = torch.nn.ModuleList(torch.nn.Linear(a, b) for a, b in pairwise(sizes))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Features for both heads."""
        x = observations.float() * self.scale
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return x


class KernelPPO(MaskablePPO):
    """MaskablePPO for `sb3_env`: save, load, callbacks (once a rollout) and logger are its own.

    `layers` are those that policy and value share. `value_lambda` is the decay of what values are trained towards,
    `gae_lambda` that of advantages. Of every rollout only the share `kept` is learnt from, surprising decisions most
    likely (see `engine.rollout.draw_decisions`). `n_steps` counts decisions with a choice."""

    def __init__(
        self,
        policy: Any,
        env: SeatVecEnv | None,
        *,
        layers: tuple[int, ...] = (256, 256),
        value_lambda: float = 0.95,
        kept: float = 0.5,
        **settings: Any,
    ) -> None:
        self.value_lambda, self.kept = value_lambda, kept
        self.seconds: dict[str, float] = dict.fromkeys(("games", "opponents", "forward", "update"), 0.0)
        """Where the time went."""
        scale = None if env is None else input_scale(env.games.game).tolist()
        encoder = {"layers": layers, "scale": scale}
        network = {"features_extractor_class": Encoder, "features_extractor_kwargs": encoder, "net_arch": []}
        settings["policy_kwargs"] = network | (settings.get("policy_kwargs") or {})
        self.magnet_coef, self.magnet = 0.0, dict[str, torch.Tensor]()
        """The weight of the distance to a policy that holds this one back, and its network as `parts` has it."""
        self.number = 0
        """Which decisions of the rollout are its own: those of this learner."""
        super().__init__(policy, env, **settings)

    def _setup_model(self) -> None:
        super()._setup_model()
        self._chance = np.random.default_rng(self.seed)
        if self.env is not None:
            self.rollout = new_rollout(self.env.games.game, self.n_envs, self.n_steps)

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "rollout", "magnet"]

    def tensors(self) -> Tensors:
        """The network, for `save_policy` and for the kernels."""
        return {name: tensor.detach().numpy().astype(np.float32) for name, tensor in self.parts().items()}

    def parts(self) -> dict[str, torch.Tensor]:
        """The same as torch's own tensors."""
        policy = self.policy
        encoder = policy.features_extractor
        layers = {f"{i}.{part}": getattr(layer, part) for i, layer in enumerate(encoder.hidden) for part in PARTS}
        heads = {f"policy.{part}": getattr(policy.action_net, part) for part in PARTS}
        heads |= {f"value.{part}": getattr(policy.value_net, part) for part in PARTS}
        return {"scale": encoder.scale} | layers | heads

    def collect_rollouts(
        self, env: Any, callback: BaseCallback, rollout_buffer: Any, n_rollout_steps: int, use_masking: bool = True
    ) -> bool:
        """Play until every game has `n_steps` decisions with a choice."""
        callback.on_rollout_start()
        for part, seconds in env.games.collect(self.tensors(), self.rollout).items():
            self.seconds[part] += seconds
        add_advantages(self.rollout, self.gamma, self.gae_lambda, self.value_lambda)
        self.num_timesteps += self.rollout.action.size
        callback.update_locals(locals())
        going_on = callback.on_step()
        callback.on_rollout_end()
        return bool(going_on)

    def train(self) -> None:
        """One update from the rollout."""
        start = time.perf_counter()
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        clip = float(self.clip_range(self._current_progress_remaining))
        weights = self.ent_coef, self.vf_coef, self.max_grad_norm, self.magnet_coef
        settings = Settings(self.n_epochs, self.batch_size, clip, *weights)
        found = learn(self._judge, self.policy.optimizer, self._chosen(), settings, self.magnet)
        for name, figure in zip(LOGGED, found.values(), strict=True):
            self.logger.record(f"train/{name}", -figure if name == "entropy_loss" else figure)
        self._n_updates += self.n_epochs
        self.seconds["update"] += time.perf_counter() - start

    def _chosen(self) -> dict[str, torch.Tensor]:
        """The decisions to learn from, in random order: minibatches are views of these."""
        found = draw_decisions(self.rollout, self.number, self.kept, self._chance)
        count = len(found["action"])
        count -= count % self.batch_size if count > self.batch_size else 0
        return {name: torch.from_numpy(array[:count]) for name, array in found.items()}

    def _judge(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values."""
        features = self.policy.features_extractor(observation)
        return self.policy.action_net(features), self.policy.value_net(features)[:, 0]
