"""What an agent is given to decide: never the true state."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.game import Game, new_masks
from drako_env.engine.rng import one_seed, seed_words


@dataclass(frozen=True)
class SeatView:
    """One seat's decision: its observation, its legal actions, and a record reduced to what the seat knows.

    All arrays are copies. Positions that look the same to the seat give equal views, byte for byte."""

    game: Game
    seat: int
    observation: NDArray[np.int8]
    action_mask: NDArray[np.int8]
    known: NDArray[np.void]
    """The position as far as the seat knows it: what is hidden lies unseen among what is face down."""

    @classmethod
    def of(cls, game: Game, states: NDArray[np.void], i: int = 0) -> "SeatView":
        """The view of the seat to decide in game `i`."""
        seat, known = int(states["agent"][i]), states[i : i + 1].copy()
        observation, mask = np.empty(len(game.observation_high), np.int8), new_masks(game, 1).view(np.int8)[0]
        game.kernels.observe_one(game.tables, known, 0, seat, observation)
        game.kernels.mask_one(game.tables, known, 0, mask)
        game.kernels.hide_one(game.tables, known, 0, seat)
        return cls(game, seat, observation, mask[: len(game.actions)].copy(), known)

    def legal(self) -> list[int]:
        """The ids of the legal actions."""
        return np.flatnonzero(self.action_mask).tolist()

    def seeded(self, seed: int) -> NDArray[np.void]:
        """What the seat knows, with random numbers of its own: where a search starts."""
        known = self.known.copy()
        known["rng"] = seed_words(one_seed(seed))
        return known

    def determinize(self, seed: int) -> NDArray[np.void]:
        """A whole position that looks the same to the seat: the hidden part is dealt by chance."""
        state = self.seeded(seed)
        self.game.kernels.redeal_one(self.game.tables, state, 0, self.seat)
        return state


class Agent(Protocol):
    """A player. It may keep what it likes between its decisions, but all that it learns are views."""

    def reset(self, seed: int) -> None:
        """A new game begins; whatever is random from now on comes from `seed`."""

    def act(self, view: SeatView) -> int:
        """Choose a legal action."""


def random_seed(chance: Any) -> int:
    """A seed drawn from a NumPy generator."""
    return int(chance.integers(2**63))
