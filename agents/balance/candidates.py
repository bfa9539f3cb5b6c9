"""Tables that were tried, how good they are, and the log of them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agents.balance.mirrors import Mirror
from agents.balance.settings import LEVELS, TAKEN_BACK, UNTRAINED, Weights
from drako_env.runs import append, write

CHOOSING, REPORTED = "choose", "report"
"""Whoever was chosen by some games was lucky in them: others are reported."""
START = 0
"""The number of the table to begin with, which is best until there is a better one."""


@dataclass(frozen=True)
class Candidate:
    """A table that was tried."""

    number: int
    step: int
    table: dict[str, Any]
    change: str
    """Of the table that was best then, in words."""
    mirrors: dict[str, Mirror] = field(default_factory=dict)
    """By level of play, as far as it was tried."""
    accepted: bool | None = None
    """Not known unless strong play has judged it."""

    def played(self, level: str, mirror: Mirror) -> "Candidate":
        """The same, tried at one more level."""
        return replace(self, mirrors=self.mirrors | {level: mirror})

    def line(self) -> str:
        """As a line of the log."""
        return json.dumps(vars(self) | {"mirrors": {level: m.as_dict() for level, m in self.mirrors.items()}}) + "\n"


def score(mirrors: dict[str, Mirror], weights: Weights, levels: Sequence[str] = LEVELS) -> float:
    """How far from even a table is, the kills included; of those levels that it was tried at."""
    parts = [getattr(weights, level) * unevenness(mirrors[level], weights) for level in levels if level in mirrors]
    return float(sum(parts))


def unevenness(mirror: Mirror, weights: Weights) -> float:
    """Of one level of play."""
    return abs(mirror.rate - 0.5) + weights.kills * max(0.0, mirror.killed - weights.most_kills)


def better(candidate: Candidate, best: Candidate, weights: Weights) -> bool:
    """Whether it is, at the levels that it was tried at so far."""
    levels = [level for level in LEVELS if level in candidate.mirrors]
    return score(candidate.mirrors, weights, levels) < score(best.mirrors, weights, levels)


def expected(candidate: Candidate, best: Candidate, weights: Weights) -> float:
    """The score of a screened candidate if training does to it what it usually does."""
    before, untrained = best.mirrors["learnt"].rate, candidate.mirrors[UNTRAINED]
    rate = untrained.rate + TAKEN_BACK * (before - untrained.rate)
    guess = replace(untrained, wins=round(untrained.games * rate))
    return score({"heuristic": candidate.mirrors["heuristic"], "learnt": guess}, weights)


def worth_judging(screened: Sequence[Candidate], best: Candidate, weights: Weights, count: int) -> list[Candidate]:
    """Those that look best."""
    return sorted(screened, key=lambda candidate: expected(candidate, best, weights))[:count]


class Log:
    """All candidates, one JSON line each; one that strong play has judged has a second line, which counts."""

    def __init__(self, path: Path) -> None:
        self._path, self.candidates = path, dict[int, Candidate]()
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        whole, _, cut_off = text.rpartition("\n")
        if cut_off:
            write(path, f"{whole}\n" if whole else "")
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                self._keep(_candidate(json.loads(line)))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ValueError(f"{path}, line {number}: not a candidate ({error})") from None

    def add(self, candidate: Candidate) -> Candidate:
        """Keep a candidate."""
        append(self._path, candidate.line())
        return self._keep(candidate)

    def _keep(self, candidate: Candidate) -> Candidate:
        self.candidates.pop(candidate.number, None)
        self.candidates[candidate.number] = candidate
        return candidate

    def judged(self) -> list[Candidate]:
        """Those that strong play has judged, in the order in which it did."""
        return [candidate for candidate in self.candidates.values() if candidate.accepted is not None]

    def best(self, before: int | None = None) -> Candidate:
        """The one accepted last, or last before a step."""
        accepted = [candidate for candidate in self.judged() if candidate.accepted]
        return [candidate for candidate in accepted if before is None or candidate.step < before][-1]


def _candidate(row: dict[str, Any]) -> Candidate:
    """From a line of the log."""
    return Candidate(**row | {"mirrors": {level: Mirror(**mirror) for level, mirror in row["mirrors"].items()}})
