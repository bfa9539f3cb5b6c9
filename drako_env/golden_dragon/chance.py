"""Nothing is left to chance; what a seat may not know is how the others filled their holders (G6)."""

from collections.abc import Sequence
from typing import Any

from drako_env.engine.chance import Event
from drako_env.golden_dragon.actions import FirstId
from drako_env.golden_dragon.rules import NUM_WINDS
from drako_env.golden_dragon.state import HOLDER_SIZE

STONES = range(FirstId.STONE, FirstId.STONE + NUM_WINDS)


class NoChance:
    """A game without random events."""

    max_outcomes = 0
    max_events = 0

    def take_back(self, before: Any, action: int, after: Any) -> None:
        """There is nothing to take back."""

    def outcomes(self, state: Any) -> Sequence[tuple[int, float]]:
        """Chance never decides."""
        return ()

    def lay_out(self, state: Any, outcome: int) -> None:
        """Never called."""
        raise ValueError("nothing is left to chance")

    def heard(self, state: Any, outcome: int, seat: int | None) -> str:
        """Never called."""
        raise ValueError("nothing is left to chance")

    def retold(self, events: Sequence[Event], state: Any, seat: int) -> list[int]:
        """The same with other stones in the others' holders, as far as nobody has seen them come out."""
        retold = [action for _, action in events]
        for other in {player for player, _ in events} - {seat}:
            stones = [place for place, (player, action) in enumerate(events) if player == other and action in STONES]
            filled = stones[1:]  # the first one went under the dragon
            seen = [retold[place] for place in filled][: HOLDER_SIZE - state["unseen"][other]]
            hidden = [FirstId.STONE + int(wind) for wind in state["holder"][other, : state["held"][other]]]
            for place, action in zip(filled, seen + hidden, strict=False):
                retold[place] = action
        return retold
