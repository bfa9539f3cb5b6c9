"""One side's learner: MaskablePPO on one seat of many games."""

import time
from collections.abc import Mapping
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from agents.league.config import Config
from agents.league.pool import Opponents
from drako_env.engine.game import Game
from drako_env.envs.sb3 import SeatVecEnv
from drako_env.envs.seat import SeatGames
from drako_env.players.policy import Floats, input_scale, load_network, save_policy
from drako_env.runs import write

torch.distributions.Distribution.set_default_validate_args(False)  # a quarter of the time of a small network


class Encoder(BaseFeaturesExtractor):
    """Scales counts to about one, then hidden layers that policy and value share."""

    def __init__(self, observation_space: Any, layers: tuple[int, ...]) -> None:
        super().__init__(observation_space, layers[-1])
        self.register_buffer("scale", torch.as_tensor(input_scale(observation_space.high)))
        sizes = [observation_space.shape[0], *layers]
        self.hidden = torch.nn.ModuleList(torch.nn.Linear(a, b) for a, b in pairwise(sizes))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Features for both heads."""
        x = observations.float() * self.scale
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return x


class TimedVecEnv(SeatVecEnv):
    """Keeps the time spent in the games and on their opponents."""

    seconds = 0.0

    def step_wait(self) -> VecEnvStepReturn:
        """Play the learner's actions, and the opponents' answers."""
        start = time.perf_counter()
        shown = super().step_wait()
        self.seconds += time.perf_counter() - start
        return shown


class Learner:
    """Trains one seat round by round against opponents that it is given by name."""

    def __init__(self, game: Game, seat: str, config: Config, seed: int) -> None:
        torch.set_num_threads(1)
        self.game, self.seat, self.config = game, seat, config
        self.env = TimedVecEnv(SeatGames(game, config.num_envs, seat, "random", seed, config.canonical))
        self.model = MaskablePPO(
            "MlpPolicy",
            self.env,
            learning_rate=config.learning_rate,
            n_steps=config.steps,
            batch_size=config.minibatch,
            n_epochs=config.epochs,
            gamma=config.gamma,
            gae_lambda=config.gae_lambda,
            ent_coef=config.entropy,
            clip_range=config.clip,
            policy_kwargs={
                "features_extractor_class": Encoder,
                "features_extractor_kwargs": {"layers": config.layers},
                "net_arch": [],
            },
            seed=seed,
            device="cpu",
        )
        self.model.set_logger(Logger(None, []))

    def train(self, opponents: Opponents, rate: float) -> dict[str, Any]:
        """One round at a learning rate. Returns the results (`opponent -> (games, sum of rewards)`) and figures."""
        self.env.set_opponent(opponents)
        self.model.lr_schedule = lambda _: rate
        decisions = self.config.rollouts * self.config.steps * self.config.num_envs
        start, self.env.seconds = time.perf_counter(), 0.0
        self.model.learn(decisions, reset_num_timesteps=self.model.num_timesteps == 0)
        values = self.model.logger.name_to_value
        episodes = self.model.ep_info_buffer or []
        return {
            "results": self.env.games.take_results(),
            "decisions": self.model.num_timesteps,
            "entropy": -float(values.get("train/entropy_loss", 0.0)),
            "value_loss": float(values.get("train/value_loss", 0.0)),
            "kl": float(values.get("train/approx_kl", 0.0)),
            "games_share": self.env.seconds / (time.perf_counter() - start),
            "length": float(np.mean([episode["l"] for episode in episodes])) if episodes else 0.0,
        }

    def tensors(self) -> dict[str, Floats]:
        """The network, for `save_policy`."""
        return {name: tensor.detach().numpy().astype(np.float32) for name, tensor in self._parts().items()}

    def _parts(self) -> dict[str, torch.Tensor]:
        policy, encoder = self.model.policy, self.model.policy.features_extractor
        layers = {str(i): layer for i, layer in enumerate(encoder.hidden)}
        layers |= {"policy": policy.action_net, "value": policy.value_net}
        parts = {
            f"{name}.{part}": getattr(layer, part) for name, layer in layers.items() for part in ("weight", "bias")
        }
        return {"scale": encoder.scale} | parts

    def export(self, path: Path, info: Mapping[str, str]) -> None:
        """Write the policy as it is now."""
        save_policy(path, self.game, self.tensors(), {"seat": self.seat} | self.config.network() | dict(info))

    def start_from(self, path: Path) -> None:
        """Begin with the network of a policy file instead of a random one."""
        own = self._parts()
        found = load_network(path, self.game, own, self.config.layers)
        with torch.no_grad():
            for name, tensor in own.items():
                tensor.copy_(torch.as_tensor(found[name]))

    def save_state(self, path: Path) -> None:
        """Network and optimiser, for `load_state`."""
        policy, buffer = self.model.policy, BytesIO()
        torch.save({"policy": policy.state_dict(), "optimizer": policy.optimizer.state_dict()}, buffer)
        write(path, buffer.getvalue())

    def load_state(self, path: Path, decisions: int) -> None:
        """Go on from there, after so many decisions; games under way are dealt anew."""
        state = torch.load(path, weights_only=True)
        self.model.policy.load_state_dict(state["policy"])
        self.model.policy.optimizer.load_state_dict(state["optimizer"])
        self.model.num_timesteps = decisions
