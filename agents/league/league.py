"""Self-play: learners of all sides train round by round against each other, or each against given opponents."""

import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from agents.league.checkpoint import Checkpoints, State
from agents.league.config import Config, Pace
from agents.league.judge import count_wins
from agents.league.learner import Opponents
from agents.league.run import Run, derived_seed
from drako_env.engine.game import Game, role_of, sides
from drako_env.players.policy import load_policy

ANCHORS = ("random", "heuristic")


class Learners(Protocol):
    """Who does the work of a league: on this machine (`local.LocalLearners`) or on a cluster (`cluster`)."""

    def start(self, game: Game, seeds: Mapping[str, int], config: Config) -> None:
        """Begin, with these sides that learn and a seed for each."""

    def train(self, opponents: Mapping[str, Opponents], pace: Pace) -> dict[str, dict[str, Any]]:
        """One round of every side at this pace, against these opponents, or without any against each other; returns
        results (`opponent -> (games, sum of rewards)`) and figures, by side."""

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


class League:
    """Trains a run, from wherever its folder's last checkpoint stands:

    with League(run, LocalLearners()) as league:
        league.train()

    The budget's minutes are those of the `clock`."""

    def __init__(
        self,
        run: Run,
        learners: Learners,
        frozen: Mapping[str, Opponents] | None = None,
        tell: Callable[[str], None] = print,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.run, self.learners, self._tell, self._clock = run, learners, tell, clock
        alone = {side: {anchor: (1.0, anchor) for anchor in ANCHORS} for side in run.seats}
        self.frozen = alone if frozen is None and run.seats != sides(run.game) else frozen
        """If given, each seat's only opponents, which do not learn: for best responses. A side that learns alone meets
        the anchors."""
        self.state = State(decisions=dict.fromkeys(run.seats, 0))
        self.past = run.folder / "past"
        self.checkpoint = run.folder / "checkpoint"
        self._checkpoints = Checkpoints(run.folder)

    def start(self) -> None:
        """Start the learners and go on from the last checkpoint, or make the first."""
        for path in (self.past, self.checkpoint):
            path.mkdir(parents=True, exist_ok=True)
        run, found = self.run, self._checkpoints.load(self._tell)
        self.state = found or self.state
        seeds = {seat: derived_seed(run.seed, "train", i, self.state.round) for i, seat in enumerate(run.seats)}
        self.learners.start(run.game, seeds, run.config)
        if found:
            self.learners.load(self._saved, self.state.decisions)
        else:
            self.learners.start_from(run.start)
            self._export()
            self._save()

    def close(self) -> None:
        """Let the learners go."""
        self.learners.close()

    def __enter__(self) -> "League":
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def train(self, shown: Callable[[State], None] = lambda state: None) -> None:
        """Round after round until the run's budget is spent; `shown` is called after each."""
        config, budget, state = self.run.config, self.run.budget, self.state
        while budget.progress(state) < 1:
            start = self._clock()
            pace = config.pace(budget.progress(state))
            trained = self.learners.train(self.frozen or {}, pace)
            sides = {role_of(seat): self._take(seat, figures) for seat, figures in trained.items()}
            state.round += 1
            self._export()
            if state.round % config.eval_every == 0:
                seed = derived_seed(self.run.seed, "evaluate", state.round)
                for seat, wins in self.win_rates(config.eval_games, seed).items():
                    sides[role_of(seat)]["win"] = wins
            state.seconds += self._clock() - start
            row = {"round": state.round, "learning_rate": pace.rate, "seconds": round(state.seconds, 1), "sides": sides}
            state.rows.append(row)
            self._save()
            shown(state)

    def win_rates(self, games: int, seed: int) -> dict[str, dict[str, tuple[int, int]]]:
        """Seat -> opponent -> wins of games, for the policies as they are now, against the anchors or the frozen."""
        game, anchors = self.run.game, {anchor: (1.0, anchor) for anchor in ANCHORS}
        found: dict[str, dict[str, tuple[int, int]]] = {seat: {} for seat in self.run.seats}
        for seat, wins in found.items():
            for name, (_, player) in (self.frozen[seat] if self.frozen else anchors).items():
                policy = load_policy(self.policy_file(seat, self.state.round), game, seed)
                wins[name] = (count_wins(game, seat, policy, player, games, seed), games)
        return found

    def policy_file(self, seat: str, number: int) -> Path:
        """The policy of a seat after a round."""
        return self.past / f"{role_of(seat)}-{number:05}.safetensors"

    def _take(self, seat: str, figures: dict[str, Any]) -> dict[str, Any]:
        """A round's results as they go into the log."""
        self.state.decisions[seat] = figures["decisions"]
        won = {name: (1 + total / games) / 2 for name, (games, total) in figures.pop("results").items() if games}
        return figures | {"train_win": won}

    def _export(self) -> None:
        """Every learner's policy as a file."""
        info = {"round": str(self.state.round), "seed": str(self.run.seed)}
        self.learners.export({seat: self.policy_file(seat, self.state.round) for seat in self.run.seats}, info)

    def _save(self) -> None:
        """A checkpoint: first the learners, then the state that names their files, then what nobody needs goes."""
        self.learners.save(self._saved)
        learners = sorted(path for path in self._saved.rglob("*") if path.is_file())
        policies = {self.policy_file(seat, self.state.round) for seat in self.run.seats} | self._snapshots()
        self._checkpoints.save(self.state, [*learners, *sorted(policies)])
        self._drop_old()

    def _snapshots(self) -> set[Path]:
        """The policies that are kept for good."""
        rounds = range(0, self.state.round + 1, self.run.config.snapshot_every)
        return {self.policy_file(seat, number) for seat in self.run.seats for number in rounds}

    def _drop_old(self) -> None:
        """All but what this checkpoint and the one before need."""
        rounds = (self.state.round, self.state.round - 1)
        kept = self._snapshots() | {self.policy_file(seat, number) for seat in self.run.seats for number in rounds}
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
