"""One side's learner: PPO on one seat of many games."""

import time
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.logger import Logger

from agents.league.config import Config
from agents.league.pool import Opponents
from agents.league.ppo import KernelPPO
from drako_env.engine.game import Game
from drako_env.envs.sb3 import SeatVecEnv
from drako_env.envs.seat import SeatGames
from drako_env.players.policy import load_network, save_policy
from drako_env.runs import write


class Learner:
    """Trains one seat round by round against opponents that it is given by name."""

    def __init__(self, game: Game, seat: str, config: Config, seed: int) -> None:
        torch.set_num_threads(1)
        self.game, self.seat, self.config = game, seat, config
        self.env = SeatVecEnv(SeatGames(game, config.num_envs, seat, "random", seed, config.canonical))
        self.model = KernelPPO(
            "MlpPolicy",
            self.env,
            layers=config.layers,
            value_lambda=config.value_lambda,
            kept=config.kept,
            learning_rate=config.learning_rate,
            n_steps=config.steps,
            batch_size=config.minibatch,
            n_epochs=config.epochs,
            gamma=config.gamma,
            gae_lambda=config.gae_lambda,
            ent_coef=config.entropy,
            clip_range=config.clip,
            seed=seed,
            device="cpu",
        )
        self.model.set_logger(Logger(None, []))

    def train(self, opponents: Opponents, rate: float, entropy: float) -> dict[str, Any]:
        """One round. Returns the results (`opponent -> (games, sum of rewards)`) and figures."""
        self.env.set_opponent(opponents)
        self.model.lr_schedule, self.model.ent_coef = lambda _: rate, entropy
        self.model.seconds = dict.fromkeys(self.model.seconds, 0.0)
        decisions, start = self.config.rollouts * self.config.steps * self.config.num_envs, time.perf_counter()
        self.model.learn(decisions, reset_num_timesteps=self.model.num_timesteps == 0)
        seconds, values = time.perf_counter() - start, self.model.logger.name_to_value
        spent = self.model.seconds | {"rest": max(0.0, seconds - sum(self.model.seconds.values()))}
        return {
            "results": self.env.games.take_results(),
            "decisions": self.model.num_timesteps,
            "entropy": -float(values.get("train/entropy_loss", 0.0)),
            "value_loss": float(values.get("train/value_loss", 0.0)),
            "kl": float(values.get("train/approx_kl", 0.0)),
            "length": self.env.games.length,
            "time": {part: share / seconds for part, share in spent.items()},
        }

    def export(self, path: Path, info: Mapping[str, str]) -> None:
        """Write the policy as it is now."""
        save_policy(path, self.game, self.model.tensors(), {"seat": self.seat} | self.config.network() | dict(info))

    def start_from(self, path: Path) -> None:
        """Begin with the network of a policy file instead of a random one."""
        own = self.model.parts()
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
