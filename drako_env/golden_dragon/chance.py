"""Nothing is left to chance; what a seat may not know is how the others filled their holders (G6)."""

from collections.abc import Sequence
from typing import Any

from drako_env.engine.chance import Chance, Event
from drako_env.golden_dragon.actions import FirstId
from drako_env.golden_dragon.rules import NUM_WINDS
from drako_env.golden_dragon.state import HOLDER_SIZE

STONES = range(FirstId.STONE, FirstId.STONE + NUM_WINDS)


class HiddenHolders(Chance):
    """A game without random events."""

    def resampled(self, events: Sequence[Event], state: Any, seat: int) -> list[int]:
        """The same with other stones in the others' holders, as far as nobody has seen them come out."""
        resampled = [action for _, action in events]
        for other in {player for player, _ in events} - {seat}:
            stones = [place for place, (player, action) in enumerate(events) if player == other and action in STONES]
            filled = stones[1:]  # the first one went under the dragon
            seen = [resampled[place] for place in filled][: HOLDER_SIZE - state["unseen"][other]]
            hidden = [FirstId.STONE + int(wind) for wind in state["holder"][other, : state["held"][other]]]
            for place, action in zip(filled, seen + hidden, strict=False):
                resampled[place] = action
        return resampled
