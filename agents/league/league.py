"""The league: learners of all sides train round by round against each other, their past and the anchors."""

import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from agents.league.checkpoint import Checkpoints, State
from agents.league.config import Config
from agents.league.judge import count_wins
from agents.league.pool import HEURISTIC, LATEST, RANDOM, Opponents, Pool
from agents.league.run import Run, derived_seed
from drako_env.engine.game import Game, rivals, role_of
from drako_env.players.policy import load_policy

ANCHORS = (RANDOM, HEURISTIC)
LAST_RATE = 0.1
"""Of the learning rate at the end of a run."""


class Learners(Protocol):
    """Who does the work of a league: on this machine (`local.LocalLearners`) or on a cluster (`cluster`)."""

    def start(self, game: Game, seeds: Mapping[str, int], config: Config) -> None:
        """Begin, with these sides that learn and a seed for each."""

    def train(self, opponents: Mapping[str, Opponents], rate: float, entropy: float) -> dict[str, dict[str, Any]]:
        """One round of every side with this learning rate and weight of entropy; returns results (`opponent -> (games,
        sum of rewards)`) and figures, by side."""

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
    """

    def __init__(
        self,
        run: Run,
        learners: Learners,
        frozen: Mapping[str, Opponents] | None = None,
        tell: Callable[[str], None] = print,
    ) -> None:
        self.run, self.learners, self._tell = run, learners, tell
        self.frozen = frozen
        """If given, each seat's only opponents, which do not learn: for best responses."""
        self.state = State(pools={seat: Pool() for seat in run.seats}, decisions=dict.fromkeys(run.seats, 0))
        self.past = run.folder / "past"
        self.checkpoint = run.folder / "checkpoint"
        self._checkpoints = Checkpoints(run.folder)
        learn = run.seats if frozen is None else []
        self._rivals = {seat: rival for seat in learn if (rival := _rival(run, seat))}

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
            start = time.perf_counter()
            progress = budget.progress(state)
            rate = config.learning_rate * (1 - (1 - LAST_RATE) * progress)
            entropy = config.entropy * (config.last_entropy / config.entropy) ** progress if config.entropy else 0.0
            trained = self.learners.train({seat: self._opponents(seat) for seat in self.run.seats}, rate, entropy)
            sides = {role_of(seat): self._take(seat, figures) for seat, figures in trained.items()}
            state.round += 1
            self._export()
            if state.round % config.snapshot_every == 0:
                self._add_snapshots()
            if state.round % config.eval_every == 0:
                seed = derived_seed(self.run.seed, "evaluate", state.round)
                for seat, wins in self.win_rates(config.eval_games, seed).items():
                    sides[role_of(seat)]["win"] = wins
            state.seconds += time.perf_counter() - start
            row = {"round": state.round, "learning_rate": rate, "seconds": round(state.seconds, 1), "sides": sides}
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

    def _opponents(self, seat: str) -> Opponents:
        """Whom to meet in the next round. Without a rival that learns a learner meets the anchors only."""
        if self.frozen is not None:
            return self.frozen[seat]
        pool, rival = self.state.pools[seat], self._rivals.get(seat)
        files = {name: self.past / name for name in pool.snapshots}
        if rival:
            files[LATEST] = self.policy_file(rival, self.state.round)
        return {
            name: (weight, f"policy:{files[name]}" if name in files else name)
            for name, weight in pool.opponents(self.run.config).items()
            if name != LATEST or rival
        }

    def _take(self, seat: str, figures: dict[str, Any]) -> dict[str, Any]:
        """Learn from a round's results; returns what goes into the log."""
        pool, results = self.state.pools[seat], figures.pop("results")
        pool.learn({name: (games, (games + total) / 2) for name, (games, total) in results.items()})
        self.state.decisions[seat] = figures["decisions"]
        named = [name for name in pool.games if name not in pool.snapshots]
        return figures | {"train_win": {name: pool.win_rates[name] for name in named}}

    def _export(self) -> None:
        """Every learner's policy as a file that the others can load."""
        info = {"round": str(self.state.round), "seed": str(self.run.seed)}
        self.learners.export({seat: self.policy_file(seat, self.state.round) for seat in self.run.seats}, info)

    def _add_snapshots(self) -> None:
        for seat, rival in self._rivals.items():
            self.state.pools[seat].snapshots.append(self.policy_file(rival, self.state.round).name)

    def _save(self) -> None:
        """A checkpoint: first the learners, then the state that names their files, then what nobody needs goes."""
        self.learners.save(self._saved)
        learners = sorted(path for path in self._saved.rglob("*") if path.is_file())
        policies = {self.policy_file(seat, self.state.round) for seat in self.run.seats} | self._snapshots()
        self._checkpoints.save(self.state, [*learners, *sorted(policies)])
        self._drop_old()

    def _snapshots(self) -> set[Path]:
        return {self.past / name for pool in self.state.pools.values() for name in pool.snapshots}

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


def _rival(run: Run, seat: str) -> str | None:
    """The learner that a side's learner meets beside the anchors: that of the other side, if there is one."""
    found = [other for other in rivals(run.game, seat) if other in run.seats]
    if len(found) > 1:
        against = f"{seat} plays against {' and '.join(found)}"
        raise ValueError(f"{run.game.name}: {against}; a league trains games of two sides, or one side at a time")
    return found[0] if found else None
