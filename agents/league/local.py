"""The learners of a league on one machine: games and updates in threads, one for each core."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from agents.league.config import Config, Pace
from agents.league.learner import Learner, Opponents
from drako_env.engine.game import Game, role_of, sides
from drako_env.engine.rollout import add_advantages
from drako_env.envs.batch import in_threads
from drako_env.envs.selfplay import SelfPlay


class LocalLearners:
    """A learner for every side, in this process. The kernels and torch let go of Python's lock, so that threads use
    all cores; what is learnt does not depend on their number."""

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or len(os.sched_getaffinity(0))
        self.learners: dict[str, Learner] = {}
        self._games: SelfPlay | None = None

    def start(self, game: Game, seeds: Mapping[str, int], config: Config) -> None:
        """Make a learner for each of these sides."""
        self._config = config
        torch.set_num_threads(1)  # more wait for each other longer than they work, with networks this small
        self.learners = {side: Learner(game, side, config, seed) for side, seed in seeds.items()}
        if list(seeds) == sides(game):
            seed = next(iter(seeds.values()))
            self._games = SelfPlay(game, config.num_envs, config.steps, seed, config.canonical)

    def train(self, opponents: Mapping[str, Opponents], pace: Pace) -> dict[str, dict[str, Any]]:
        """One round of every learner: against these opponents, or without any all sides against each other."""
        for learner in self.learners.values():
            learner.begin(pace)
        if self._games is None or opponents:
            found = self._all(lambda side, learner: learner.train_against(opponents[side]))
            return dict(zip(self.learners, found, strict=True))
        return self._play_each_other(self._games, pace.sparring)

    def _play_each_other(self, games: SelfPlay, sparring: float) -> dict[str, dict[str, Any]]:
        """A round of self-play."""
        config, start = self._config, time.perf_counter()
        spent = {"games": 0.0, "forward": 0.0, "update": 0.0}
        for _ in range(config.rollouts):
            networks = [learner.model.tensors() for learner in self.learners.values()]
            for part, seconds in games.collect(networks, self._threads, sparring).items():
                spent[part] += seconds
            add_advantages(games.rollout, config.gamma, config.gae_lambda, config.value_lambda)
            spent["update"] += max(self._all(lambda side, learner: learner.learn_from(games)))
        seconds = time.perf_counter() - start
        spent["rest"] = max(0.0, seconds - sum(spent.values()))
        common = {"time": {part: share / seconds for part, share in spent.items()}}
        results = games.take_results()
        return {
            side: {"results": results[side], "length": games.lengths[side]} | common | learner.figures()
            for side, learner in self.learners.items()
        }

    def _all(self, call: Any) -> list[Any]:
        """A call of every learner, all at the same time."""
        everyone = list(self.learners.items())

        def work(number: int) -> Any:
            torch.set_num_threads(1)  # a setting of each thread
            return call(*everyone[number])

        return in_threads(work, len(everyone))

    def export(self, files: Mapping[str, Path], info: Mapping[str, str]) -> None:
        """Write every side's policy as it is now."""
        for side, file in files.items():
            self.learners[side].export(file, info)

    def start_from(self, files: Mapping[str, Path]) -> None:
        """Begin with the networks of these policies."""
        for side, file in files.items():
            self.learners[side].start_from(file)

    def save(self, folder: Path) -> None:
        """All that `load` needs to go on."""
        folder.mkdir(parents=True, exist_ok=True)
        for side, learner in self.learners.items():
            learner.save_state(folder / f"{role_of(side)}.pt")

    def load(self, folder: Path, decisions: Mapping[str, int]) -> None:
        """Go on from there, after so many decisions of each side."""
        for side, learner in self.learners.items():
            learner.load_state(folder / f"{role_of(side)}.pt", decisions[side])

    def close(self) -> None:
        """Nothing to let go of."""
