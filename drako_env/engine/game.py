"""The `Game` protocol: what a game's folder offers, and all that the adapters, renderers and agents know of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

ILLEGAL = -2
OVER = -1


@dataclass(frozen=True)
class Kernels:
    """A game's compiled entry points; `states` is an array of state records, `i` the game meant."""

    deal_one: Callable[..., int]
    """`(tables, states, i, mask)`: deal game `i` anew from its own random numbers; returns the seat to decide."""
    play_one: Callable[..., int]
    """`(tables, states, i, action, mask)`: returns the next seat to decide, OVER, or ILLEGAL with nothing changed.
    Here and in `deal_one`, `mask` is brought up to date."""
    mask_one: Callable[..., None]
    """`(tables, states, i, mask)`: writes the legal actions of the seat to decide."""
    observe_one: Callable[..., None]
    """`(tables, states, i, seat, observation)`: writes what the seat sees."""
    redeal_one: Callable[..., None]
    """`(tables, states, i, seat)`: replaces all that the seat may not know by another deal that looks the same."""
    reward_one: Callable[..., None]
    """`(states, i, reward)`: writes every seat's final reward, zeros before the end."""


class Game(Protocol):
    """A game under one set of rules. It never changes; positions live in state records."""

    name: str
    seats: tuple[str, ...]
    """PettingZoo's names of the seats, in order."""
    tables: NDArray[np.void]
    state_dtype: np.dtype[np.void]
    kernels: Kernels
    actions: tuple[Mapping[str, Any], ...]
    """Every action as a dictionary, in id order."""
    observation_fields: Mapping[str, slice]
    observation_high: NDArray[np.int8]

    def action_text(self, action: int) -> str:
        """An action in plain words."""

    def state_dict(self, state: Any) -> dict[str, Any]:
        """The whole position, hidden cards included."""

    def load_state_dict(self, position: Mapping[str, Any]) -> np.void:
        """A state record of the position, without random numbers; `ValueError` if the position makes no sense."""

    def phase(self, state: Any) -> str:
        """The kind of the decision to make."""

    def scene(self, state: Any, seat: int | None) -> dict[str, Any]:
        """What `seat` may see (`None`: what everybody may), as data for the renderers."""

    def text(self, scene: Mapping[str, Any]) -> str:
        """A scene drawn in characters."""


def new_states(game: Game, count: int) -> NDArray[np.void]:
    """Zeroed state records."""
    return np.zeros(count, game.state_dtype)
