"""One game under way: whoever plays a single game, plays it here."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.game import Game, new_masks, new_states
from drako_env.engine.jit import never_compiled
from drako_env.engine.loops import ILLEGAL, OVER
from drako_env.engine.rng import fresh_seeds, one_seed, seed_words
from drako_env.engine.view import SeatView


class Position:
    """A position with its legal actions. A new one is empty: `deal` a game, or `load` one."""

    __slots__ = ("agent", "game", "mask", "states")

    def __init__(self, game: Game) -> None:
        self.game = game
        self.states = new_states(game, 1)
        """The record, as an array of one."""
        self.mask: NDArray[np.int8] = new_masks(game, 1).view(np.int8)[0]
        """The legal actions of the seat to decide, and some spare places."""
        self.agent = OVER
        """The seat to decide, or OVER."""

    @classmethod
    def of(cls, game: Game, state: Any) -> "Position":
        """A position of its own, from a record."""
        position = cls(game)
        position.states[0] = state
        position.update()
        return position

    @property
    def state(self) -> Any:
        """The record."""
        return self.states[0]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.agent == OVER

    def deal(self, seed: int | None = None) -> "Position":
        """Begin a game: from `seed`, or without one from where the random numbers stand."""
        if seed is not None or not self.states["rng"].any():
            self.states["rng"] = seed_words(fresh_seeds(1) if seed is None else one_seed(seed))
        self.agent = self.game.kernels.deal_one(self.game.tables, self.states, 0, self.mask)
        return self

    def play(self, action: int) -> bool:
        """Play an action of the seat to decide; False, and nothing has changed, if it is not legal."""
        game = self.game
        following = game.kernels.play_one(game.tables, self.states, 0, action, self.mask)
        if following == ILLEGAL:
            return False
        self.agent = following
        return True

    def load(self, position: Mapping[str, Any]) -> "Position":
        """Go on from a `state_dict`; random numbers stay where they are. `ValueError` leaves everything unchanged."""
        rng = self.states["rng"] if self.states["rng"].any() else seed_words(fresh_seeds(1))
        loaded = Position(self.game)
        loaded.states[0], loaded.states["rng"] = self.game.load_state_dict(position), rng
        loaded.update()
        if not loaded.over and not loaded.mask.any():
            raise ValueError(f"nobody can move in this position (phase {position['phase']!r})")
        self.states, self.mask, self.agent = loaded.states, loaded.mask, loaded.agent
        return self

    def update(self) -> None:
        """After a change of the record itself: see anew who decides, and what is legal."""
        self.game.kernels.mask_one(self.game.tables, self.states, 0, self.mask)
        self.agent = int(self.states["agent"][0])

    def redeal(self, seat: int) -> None:
        """Replace what a seat may not know by another deal that looks the same to it."""
        self.game.kernels.redeal_one(self.game.tables, self.states, 0, seat)

    def legal(self) -> list[int]:
        """The ids of the legal actions."""
        return np.flatnonzero(self.mask).tolist()

    def observation(self, seat: int) -> NDArray[np.int8]:
        """What a seat sees."""
        game = self.game
        observation = np.empty(len(game.observation_high), np.int8)
        game.kernels.observe_one(game.tables, self.states, 0, seat, observation)
        return observation

    def rewards(self) -> list[float]:
        """Every seat's final reward; zeros before the end."""
        rewards = np.zeros(len(self.game.seats), np.float32)
        self.game.kernels.reward_one(self.states, 0, rewards)
        return rewards.tolist()

    def view(self) -> SeatView:
        """What the seat to decide knows: all that a player is given."""
        if self.over:
            raise ValueError("the game is over: nobody decides")
        return SeatView.of(self.game, self.states)


def prepare(game: Game) -> None:
    """Load the kernels of a single game, and compile those that were never."""
    kernels, position = game.kernels, Position(game).deal(0)
    if never_compiled(kernels.observe_one, kernels.reward_one, kernels.play_one):
        position.observation(0)
        position.rewards()
        position.play(position.legal()[0])
