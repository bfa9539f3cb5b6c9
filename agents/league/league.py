"""The league: learners of all sides train round by round against each other, their past and the anchors."""

import hashlib
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from agents.league.checkpoint import Checkpoints, State
from agents.league.config import Config
from agents.league.pool import HEURISTIC, LATEST, RANDOM, Opponents, Pool
from agents.league.workers import Processes
from drako_env.engine.game import Game, rivals, role_of
from drako_env.evaluation.statistics import wilson

ANCHORS = (RANDOM, HEURISTIC)
LAST_RATE = 0.1
"""Of the learning rate at the end of a run."""


def derived_seed(*parts: object) -> int:
    """A seed for one purpose of a run that no other purpose shares."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:4], "little")


@dataclass
class Budget:
    """How long to train: minutes, or rounds for runs that must not depend on the clock."""

    minutes: float = 0.0
    rounds: int = 0

    def progress(self, state: State) -> float:
        """How much of it is used up, from 0 to 1."""
        used = state.round / self.rounds if self.rounds else state.seconds / (60 * self.minutes)
        return min(1.0, used)


class Crew(Protocol):
    """Who does the work of a league: learners on this machine (`workers.Processes`) or on a cluster."""

    def train(self, opponents: Mapping[str, Opponents], rate: float) -> dict[str, dict[str, Any]]:
        """One round of every side; returns results (`opponent -> (games, wins)`) and figures, by side."""

    def evaluate(
        self, opponents: Mapping[str, Opponents], games: int, seed: int
    ) -> dict[str, dict[str, tuple[int, int]]]:
        """Side -> opponent -> how many of how many games the policy, as it is now, wins."""

    def export(self, files: Mapping[str, Path], info: Mapping[str, str]) -> None:
        """Write every side's policy as it is now."""

    def start_from(self, files: Mapping[str, Path]) -> None:
        """Begin with the networks of these policies."""

    def save(self, folder: Path) -> None:
        """Write all that `load` needs to go on."""

    def load(self, folder: Path, decisions: Mapping[str, int]) -> None:
        """Go on from there, after so many decisions of each side."""

    def close(self) -> None:
        """Let everybody go."""


CrewMaker = Callable[[Game, Mapping[str, int], Config], Crew]
"""From the game, the sides that learn with a seed for each, and the config."""


class League:
    """A run in a folder. `train` goes on from wherever the folder's last checkpoint stands."""

    def __init__(
        self,
        game: Game,
        seats: list[str],
        folder: Path,
        config: Config,
        seed: int,
        frozen: Mapping[str, Opponents] | None = None,
        start: Mapping[str, Path] | None = None,
        crew: CrewMaker = Processes,
        tell: Callable[[str], None] = print,
    ) -> None:
        self.game, self.folder, self.config, self.seed = game, folder, config, seed
        self.seats = seats
        """Who learns: seats, or a role that all of its seats share."""
        self.frozen = frozen
        """If given, each seat's only opponents, which do not learn: for best responses."""
        self.past = folder / "past"
        self.checkpoint = folder / "checkpoint"
        for path in (self.past, self.checkpoint):
            path.mkdir(parents=True, exist_ok=True)
        self._checkpoints = Checkpoints(folder)
        found = self._checkpoints.load(tell)
        self.state = found or State(pools={seat: Pool() for seat in seats}, decisions=dict.fromkeys(seats, 0))
        seeds = {seat: derived_seed(seed, "train", i, self.state.round) for i, seat in enumerate(seats)}
        self.crew = crew(game, seeds, config)
        if found:
            self.crew.load(self._saved, self.state.decisions)
        else:
            self.crew.start_from(start or {})
            self._export()
            self._save()

    def train(self, budget: Budget, shown: Callable[[State], None]) -> None:
        """Round after round until the budget is spent; `shown` is called after each."""
        while budget.progress(self.state) < 1:
            start = time.perf_counter()
            rate = self.config.learning_rate * (1 - (1 - LAST_RATE) * budget.progress(self.state))
            row: dict[str, Any] = {"round": self.state.round + 1, "learning_rate": rate}
            for seat, figures in self.crew.train({seat: self._opponents(seat) for seat in self.seats}, rate).items():
                row |= self._take(seat, figures)
            self.state.round += 1
            self._export()
            if self.frozen is None and self.state.round % self.config.snapshot_every == 0:
                self._add_snapshots()
            if self.state.round % self.config.eval_every == 0:
                row |= self._evaluate()
            self.state.seconds += time.perf_counter() - start
            self.state.rows.append(row | {"seconds": round(self.state.seconds, 1)})
            self._save()
            shown(self.state)

    def win_rates(self, games: int, seed: int) -> dict[str, dict[str, tuple[int, int]]]:
        """Seat -> opponent -> wins of games, for the policies as they are now, against the anchors or the frozen."""
        anchors = dict.fromkeys(ANCHORS, (1.0, ""))
        against = {seat: anchors if self.frozen is None else self.frozen[seat] for seat in self.seats}
        return self.crew.evaluate(against, games, seed)

    def close(self) -> None:
        """Let the learners go."""
        self.crew.close()

    def policy_file(self, seat: str, number: int) -> Path:
        """The policy of a seat after a round."""
        return self.past / f"{role_of(seat)}-{number:05}.safetensors"

    def _rivals(self, seat: str) -> list[str]:
        """Whom a side's learner meets beside the anchors: the learners of the sides it plays against."""
        return [other for other in rivals(self.game, seat) if other in self.seats]

    def _opponents(self, seat: str) -> Opponents:
        """Name -> (weight, file) for the next round. Alone, a learner meets the anchors only."""
        if self.frozen is not None:
            return self.frozen[seat]
        weights = self.state.pools[seat].opponents(self.config)
        others = self._rivals(seat)
        past = self.state.pools[seat].snapshots
        files = {name: str(self.past / name) if name in past else "" for name in weights}
        if others:
            files[LATEST] = str(self.policy_file(others[0], self.state.round))
        return {name: (weight, files[name]) for name, weight in weights.items() if name != LATEST or others}

    def _take(self, seat: str, figures: dict[str, Any]) -> dict[str, Any]:
        """Learn from a round's results; returns what goes into the log."""
        role, pool = role_of(seat), self.state.pools[seat]
        pool.learn(figures.pop("results"))
        self.state.decisions[seat] = figures["decisions"]
        shown = {f"{role}_{name}": figure for name, figure in figures.items()}
        named = [name for name in pool.games if name not in pool.snapshots]
        rates = {f"{role}_train_win_{name}": pool.win_rates[name] for name in named}
        return shown | rates

    def _evaluate(self) -> dict[str, float]:
        found = self.win_rates(self.config.eval_games, derived_seed(self.seed, "evaluate", self.state.round))
        figures = {}
        for seat, anchors in found.items():
            for anchor, (wins, games) in anchors.items():
                name, (low, high) = f"{role_of(seat)}_win_{anchor}", wilson(wins, games)
                figures |= {name: wins / games, f"{name}_low": low, f"{name}_high": high}
        return figures

    def _export(self) -> None:
        """Every learner's policy as a file that the others can load."""
        info = {"round": str(self.state.round), "seed": str(self.seed)}
        self.crew.export({seat: self.policy_file(seat, self.state.round) for seat in self.seats}, info)

    def _add_snapshots(self) -> None:
        for seat in self.seats:
            for rival in self._rivals(seat):
                self.state.pools[seat].snapshots.append(self.policy_file(rival, self.state.round).name)

    def _save(self) -> None:
        """A checkpoint: first the learners, then the state that names their files, then what nobody needs goes."""
        self.crew.save(self._saved)
        learners = sorted(path for path in self._saved.rglob("*") if path.is_file())
        policies = {self.policy_file(seat, self.state.round) for seat in self.seats} | self._snapshots()
        self._checkpoints.save(self.state, [*learners, *sorted(policies)])
        self._drop_old()

    def _snapshots(self) -> set[Path]:
        return {self.past / name for pool in self.state.pools.values() for name in pool.snapshots}

    def _drop_old(self) -> None:
        """All but what this checkpoint and the one before need."""
        rounds = (self.state.round, self.state.round - 1)
        kept = self._snapshots() | {self.policy_file(seat, number) for seat in self.seats for number in rounds}
        for path in self.past.glob("*.safetensors"):
            if path not in kept:
                path.unlink()
        for path in self.checkpoint.iterdir():
            if path.is_dir() and path.name not in [f"{number:05}" for number in rounds]:
                shutil.rmtree(path)

    @property
    def _saved(self) -> Path:
        """Where the learners of this round are kept."""
        return self.checkpoint / f"{self.state.round:05}"
