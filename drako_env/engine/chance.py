"""What chance decides in a game, event by event, with every outcome and its probability.

Kernels draw from the record's random numbers. Whoever needs each outcome by itself (a game tree, OpenSpiel) lets the
kernel play, takes back what it drew, and lays out one of the outcomes instead. In between, a record holds a position
in which chance is to decide.
"""

from collections.abc import Sequence
from typing import Any

CHANCE = -1
"""Stands for the seat in events that chance decides."""

Event = tuple[int, int]
"""A seat and its action, or CHANCE and an outcome."""


class Chance:
    """The random events of a game under one set of rules: here of one in which nothing is left to chance."""

    max_outcomes: int = 0
    """Outcomes have numbers below this; 0: nothing is left to chance."""
    max_events: int = 0
    """No game has more random events than this."""
    only_deals: bool = True
    """Whether chance decides nothing after the deal."""

    def take_back(self, before: Any, action: int, after: Any) -> None:
        """Take out of `after` what chance brought when `action` was played in `before` (`None`: when it was dealt)."""

    def outcomes(self, state: Any) -> Sequence[tuple[int, float]]:
        """What chance can decide now, ascending, with the probabilities; empty if it has nothing to decide."""
        return ()

    def lay_out(self, state: Any, outcome: int) -> None:
        """Let chance decide so."""
        raise ValueError("nothing is left to chance")

    def outcome_text(self, state: Any, outcome: int, seat: int | None) -> str:
        """An outcome in plain words, as far as `seat` may know it (`None`: in full)."""
        raise ValueError("nothing is left to chance")

    def drawn(self, before: Any, action: int, after: Any) -> dict[str, Any]:
        """What chance brought between two positions, JSON-able: the cards drawn, by player; empty if none were."""
        return {}

    def resampled(self, events: Sequence[Event], state: Any, seat: int) -> list[int]:
        """Another course of a game that `seat` cannot tell from `events`, and that leads to the hidden cards of
        `state`, a re-dealt record: the action or outcome of every event."""
        return [number for _, number in events]
