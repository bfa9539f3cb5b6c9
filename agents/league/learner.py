"""One side's learner: PPO at the speed of the kernels, and the average of its networks."""

import time
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.logger import Logger

from agents.league.config import Config, Pace
from agents.league.ppo import KernelPPO
from agents.league.update import follow
from drako_env.engine.game import Game
from drako_env.envs.sb3 import SeatVecEnv
from drako_env.envs.seat import SeatGames
from drako_env.envs.selfplay import SelfPlay
from drako_env.players.policy import load_network, save_policy
from drako_env.runs import write

Opponents = Mapping[str, tuple[float, str]]
"""Name -> weight, and the player as `drako_env.players` calls it."""


class Learner:
    """Trains one side, against opponents that it is given by name or from games that all sides' learners share."""

    def __init__(self, game: Game, seat: str, config: Config, seed: int) -> None:
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
        self.average = {name: tensor.detach().clone() for name, tensor in self.model.parts().items()}
        """Of the networks so far, the newest counting most: what is exported."""

    def begin(self, pace: Pace) -> None:
        """A round at this pace."""
        self.model.lr_schedule, self.model.ent_coef = lambda _: pace.rate, pace.entropy
        self.model.magnet_coef, self.model.magnet = self.config.magnet, self.average
        self.model.seconds = dict.fromkeys(self.model.seconds, 0.0)

    def train_against(self, opponents: Opponents) -> dict[str, Any]:
        """A round on one seat. Returns the results (`opponent -> (games, sum of rewards)`) and figures."""
        self.env.set_opponent(opponents)
        start = time.perf_counter()
        for _ in range(self.config.rollouts):
            first = self.model.num_timesteps == 0
            self.model.learn(self.config.steps * self.config.num_envs, reset_num_timesteps=first)
            self._follow()
        seconds = time.perf_counter() - start
        spent = self.model.seconds | {"rest": max(0.0, seconds - sum(self.model.seconds.values()))}
        return {
            "results": self.env.games.take_results(),
            "length": self.env.games.length,
            "time": {part: share / seconds for part, share in spent.items()},
        } | self.figures()

    def learn_from(self, games: SelfPlay) -> float:
        """An update from games that all sides' networks have played; returns its seconds."""
        self.model.rollout, self.model.number = games.rollout, games.sides.index(self.seat)
        self.model.num_timesteps += int((games.rollout.learner == self.model.number).sum())
        start = time.perf_counter()
        self.model.train()
        self._follow()
        return time.perf_counter() - start

    def _follow(self) -> None:
        updates = self.model._n_updates / self.config.epochs
        follow(self.average, self.model.parts(), updates, self.config.average)

    def figures(self) -> dict[str, Any]:
        """Of the last update."""
        values = self.model.logger.name_to_value
        return {
            "decisions": self.model.num_timesteps,
            "entropy": -float(values.get("train/entropy_loss", 0.0)),
            "value_loss": float(values.get("train/value_loss", 0.0)),
            "kl": float(values.get("train/approx_kl", 0.0)),
        }

    def export(self, path: Path, info: Mapping[str, str]) -> None:
        """Write the averaged policy as it is now."""
        tensors = {name: tensor.numpy() for name, tensor in self.average.items()}
        save_policy(path, self.game, tensors, {"seat": self.seat} | self.config.network() | dict(info))

    def start_from(self, path: Path) -> None:
        """Begin with the network of a policy file instead of a random one."""
        own = self.model.parts()
        found = load_network(path, self.game, own, self.config.layers)
        with torch.no_grad():
            for name, tensor in own.items():
                tensor.copy_(torch.as_tensor(found[name]))
                self.average[name].copy_(tensor)

    def save_state(self, path: Path) -> None:
        """Networks and optimiser, for `load_state`."""
        policy, buffer = self.model.policy, BytesIO()
        state = {"policy": policy.state_dict(), "optimizer": policy.optimizer.state_dict(), "average": self.average}
        torch.save(state | {"updates": self.model._n_updates}, buffer)
        write(path, buffer.getvalue())

    def load_state(self, path: Path, decisions: int) -> None:
        """Go on from there, after so many decisions; games under way are dealt anew."""
        state = torch.load(path, weights_only=True)
        self.model.policy.load_state_dict(state["policy"])
        self.model.policy.optimizer.load_state_dict(state["optimizer"])
        self.average, self.model._n_updates = state["average"], state["updates"]
        self.model.num_timesteps = decisions
