"""Strong play under a changed table: networks of the best table are trained on, and play mirrors, with and without
looking ahead."""

import json
import shutil
import time
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agents.balance.candidates import CHOOSING, START, Candidate
from agents.balance.mirrors import Mirror, quick_mirror, slow_mirror
from agents.balance.settings import UNTRAINED, Settings
from agents.balance.tables import check, toml
from agents.exploit.trained import compile_all, policy_of
from agents.league.fitting import refit
from agents.league.league import League
from agents.league.local import LocalLearners
from agents.league.options import policy_files, shaped_like
from agents.league.report import save_policies
from agents.league.run import Budget, Run, derived_seed
from drako_env.engine.game import Game, sides
from drako_env.games import make_game
from drako_env.runs import digest, write

During = Callable[[float], None]
"""Is told which share of the work is done."""


@dataclass(frozen=True)
class StrongPlay:
    """Judges candidates, and keeps what it needs for that in a folder for each."""

    folder: Path
    game: Game
    """Under the table to begin with."""
    start: str
    """The policies to begin with: `policy` or `policy:FOLDER`."""
    settings: Settings
    seed: int = 0
    processes: int = 1
    clock: Callable[[], float] = time.process_time

    def check(self) -> None:
        """`ValueError` if there is nothing to search, or nothing to begin with."""
        check(self.game.rules_table())
        if min(self.settings.core_minutes, self.settings.games, self.processes) <= 0 or self.seed < 0:
            raise ValueError("--core-minutes, --games and --processes must be above 0, and --seed not below")
        policy_files(self.game, sides(self.game), self.start)

    def about(self) -> dict[str, Any]:
        """All that the results depend on, JSON-able."""
        files = {path.name: digest(path) for path in policy_files(self.game, sides(self.game), self.start).values()}
        said = {"game": self.game.name, "rules": self.game.rules_table(), "files": files, "seed": self.seed}
        found: dict[str, Any] = json.loads(json.dumps(said | {"settings": asdict(self.settings)}))
        return found

    def prepare(self, candidate: Candidate, parent: Candidate, during: During) -> None:
        """Make policies for a candidate: train those of its parent on, as far as that was not done before."""
        folder, learning = self.folder_of(candidate), sides(self.game)
        if all(policy_of(folder, side).exists() for side in learning):
            return
        (folder / "policies").mkdir(parents=True, exist_ok=True)
        if candidate.number == START:
            for side, file in policy_files(self.game, learning, self.start).items():
                write(policy_of(folder, side), file.read_bytes())
            return
        run = self._run(candidate, parent)
        compile_all(run, {side: {"random": (1.0, "random")} for side in learning})
        with League(run, LocalLearners(), clock=self.clock) as league:
            league.train(lambda state: during(run.budget.progress(state)))
            save_policies(league)

    def _run(self, candidate: Candidate, parent: Candidate) -> Run:
        """The training of a candidate; it goes on from its last checkpoint."""
        folder, game, before = self.folder_of(candidate), self.game_of(candidate), self.game_of(parent)
        learnt = {side: policy_of(self.folder_of(parent), side) for side in sides(game)}
        start = refit(learnt, before, game, folder / "start")
        config, seed = shaped_like(start, game, self.settings.training), derived_seed(self.seed, candidate.number)
        return Run(folder, game, sides(game), config, seed, Budget(self.settings.core_minutes), "balance", start)

    def screen(self, candidate: Candidate, parent: Candidate) -> dict[str, Mirror]:
        """Mirrors of the heuristic, and of the parent's policies as they are."""
        heuristic = self.mirror("heuristic", candidate, CHOOSING)
        game, before, games = self.game_of(candidate), self.game_of(parent), self.settings.learnt_games
        learnt = {side: policy_of(self.folder_of(parent), side) for side in sides(game)}
        with TemporaryDirectory() as folder:
            refit(learnt, before, game, Path(folder))
            untrained = quick_mirror(game, f"policy:{folder}", games, derived_seed(self.seed, CHOOSING))
        return {"heuristic": heuristic, UNTRAINED: untrained}

    def mirror(self, level: str, candidate: Candidate, purpose: str) -> Mirror:
        """Games of equals at a level of play, on the same deals for all candidates; on others for another purpose."""
        game, folder, seed = self.game_of(candidate), self.folder_of(candidate), derived_seed(self.seed, purpose)
        settings, policies = self.settings, folder / "policies"
        if level == "heuristic":
            return quick_mirror(game, level, settings.heuristic_games, seed)
        if level == "learnt":
            return quick_mirror(game, f"policy:{policies}", settings.learnt_games, seed)
        player, path = f"puct:{settings.simulations}:{policies}", folder / f"{purpose}.jsonl"
        return slow_mirror(game, player, settings.games, seed, path, self.processes)

    def publish(self, best: Candidate, comment: str) -> None:
        """The best table as a file, beside its policies."""
        write(self.folder / "best.toml", toml(best.table, comment))
        (self.folder / "policies").mkdir(exist_ok=True)
        for side in sides(self.game):
            write(policy_of(self.folder, side), policy_of(self.folder_of(best), side).read_bytes())

    def drop(self, candidates: Collection[Candidate]) -> None:
        """Forget the policies of these."""
        for candidate in candidates:
            shutil.rmtree(self.folder_of(candidate), ignore_errors=True)

    def folder_of(self, candidate: Candidate) -> Path:
        """Where a candidate's policies and games are."""
        return self.folder / "candidates" / f"{candidate.number:05}"

    def game_of(self, candidate: Candidate) -> Game:
        """The game under its table."""
        return make_game(self.game.name, rules=candidate.table)
