"""Hill climbing among tables: changes of the best one are screened by the heuristic and by policies that do not know
them, the most promising are judged by strong play, and what is better takes its place."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, Protocol

from agents.balance.candidates import CHOOSING, REPORTED, START, Candidate, Log, better, worth_judging
from agents.balance.mirrors import Mirror
from agents.balance.settings import LEVELS, Settings
from agents.balance.strong import During
from agents.balance.tables import change, key, proposals
from agents.league.run import derived_seed

Tell = Callable[[float, str], None]
"""Is told how much of the work is done, and what there is to say."""


class Judge(Protocol):
    """Who plays under a table (`strong.StrongPlay`)."""

    def prepare(self, candidate: Candidate, parent: Candidate, during: During) -> None:
        """Learn to play under a candidate's table, beginning with what was learnt under its parent's."""

    def screen(self, candidate: Candidate, parent: Candidate) -> dict[str, Mirror]:
        """Games of equals that need no learning, with what was learnt under the parent's table."""

    def mirror(self, level: str, candidate: Candidate, purpose: str) -> Mirror:
        """Games of equals at a level of play, for a purpose."""

    def publish(self, best: Candidate, comment: str) -> None:
        """Write the best table and its policies."""

    def drop(self, candidates: Collection[Candidate]) -> None:
        """Forget what was learnt under these tables."""


class Search:
    """A search, from wherever its log stands. All that chance decides comes from `seed` and the step alone, so that one
    that goes on proposes what it would have proposed."""

    def __init__(self, log: Log, judge: Judge, settings: Settings, seed: int, tell: Tell) -> None:
        self.log, self.judge, self.settings, self.seed, self._tell = log, judge, settings, seed, tell
        self._done, self._all = 0.0, 1.0

    def run(self, table: dict[str, Any], steps: int) -> dict[str, Mirror]:
        """All steps from this table; returns the mirrors of the best one in games that chose nothing."""
        self._all = 2.0 + steps * (1 + self.settings.judged)
        if START not in self.log.candidates:
            self._begin(Candidate(START, 0, table, "as it was"))
        self._publish()
        for step in range(1, steps + 1):
            self._done = 1.0 + (step - 1) * (1 + self.settings.judged)
            self._step(step, steps)
        best = self._publish()
        self._drop({best.number})
        self._at(self._all - 1, f"games of candidate {best.number} that chose nothing")
        return {level: self.judge.mirror(level, best, REPORTED) for level in LEVELS}

    def _begin(self, start: Candidate) -> None:
        """Judge the table to begin with, by its policies as they are."""
        self._at(0.0, "judging the table as it is")
        self.judge.prepare(start, start, lambda share: None)
        for level in LEVELS:
            start = self._played(start, level)
        self.log.add(replace(start, accepted=True))

    def _step(self, step: int, steps: int) -> None:
        """Changes of the table that was best before it."""
        parent = self.log.best(before=step)
        screened = self._screened(step, parent, f"step {step} of {steps}")
        chosen = worth_judging(screened, parent, self.settings.weights, self.settings.judged)
        for candidate in chosen:
            if candidate.accepted is None:
                self._drop({parent.number, self.log.best().number})
                self._judge(candidate, parent, f"step {step} of {steps}")
            self._done += 1

    def _screened(self, step: int, parent: Candidate, where: str) -> list[Candidate]:
        """A step's proposals, with the mirrors that need no learning."""
        count, seed = self.settings.proposals, derived_seed(self.seed, "propose", step)
        known = [key(one.table) for one in self.log.candidates.values() if one.step < step]
        found = []
        for i, table in enumerate(proposals(parent.table, count, known, seed)):
            number = 1 + (step - 1) * count + i
            if number not in self.log.candidates:
                self._at(self._done + i / count, f"{where}: screening candidate {number}")
                new = Candidate(number, step, table, change(parent.table, table))
                self.log.add(replace(new, mirrors=self.judge.screen(new, parent)))
            found.append(self.log.candidates[number])
        self._done += 1
        return found

    def _judge(self, candidate: Candidate, parent: Candidate, where: str) -> None:
        """By strong play; the search plays for those only that would be accepted."""
        best, weights = self.log.best(), self.settings.weights
        says = f"{where}: training for candidate {candidate.number}"
        self._at(self._done, says)
        self.judge.prepare(candidate, parent, lambda share: self._at(self._done + 0.8 * share, says))
        candidate = self._played(candidate, "learnt")
        if accepted := better(candidate, best, weights):
            self._at(self._done + 0.8, f"{where}: searches play for candidate {candidate.number}")
            candidate = self._played(candidate, "puct")
            accepted = better(candidate, best, weights)
        self.log.add(replace(candidate, accepted=accepted))
        if accepted:
            self._publish()

    def _played(self, candidate: Candidate, level: str) -> Candidate:
        return candidate.played(level, self.judge.mirror(level, candidate, CHOOSING))

    def _publish(self) -> Candidate:
        best, start = self.log.best(), self.log.candidates[START]
        changes = f"Changed for even strong play: {change(start.table, best.table)}."
        self.judge.publish(best, "Nothing more even was found yet." if best is start else changes)
        return best

    def _drop(self, kept: Collection[int]) -> None:
        self.judge.drop([candidate for candidate in self.log.judged() if candidate.number not in kept])

    def _at(self, done: float, words: str) -> None:
        self._tell(done / self._all, words)
