"""Turning the board: positions that differ only in orientation need to be learnt only once."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
WEIGHTS = 2**30


@dataclass(frozen=True)
class Symmetries:
    """All the ways to turn and mirror a game, the first of them to leave it as it is.

    Way `g` shows observation `o` as `o[observations[g]]`, and action `a` of the turned game is `actions[g, a]` of the
    game as it stands; a mask `m` turns into `m[actions[g]]`."""

    observations: Ints
    """`(ways, D)`"""
    actions: Ints
    """`(ways, A)`"""

    @cached_property
    def keys(self) -> Ints:
        """`(D, ways)`: an observation times this tells the ways apart (by random weights for what turning moves)."""
        ways, width = self.observations.shape
        moved = (self.observations != np.arange(width)).any(axis=0)
        weights = np.round(np.random.default_rng(0).random(width) * WEIGHTS) * moved
        keys = np.empty((width, ways), np.int64)
        for way, turned in enumerate(self.observations):
            keys[turned, way] = weights
        return keys

    def canonical(self, observation: NDArray[np.int8]) -> Ints:
        """For each row the way to turn it that all of its turned twins are turned to as well. Positions which are their
        own twins may go either way."""
        if len(self.actions) == 1:
            return np.zeros(len(observation), np.int64)
        return np.asarray((observation.astype(float) @ self._float_keys).argmin(axis=1))

    @cached_property
    def _float_keys(self) -> NDArray[np.float64]:
        return self.keys.astype(float)  # whole numbers still, and quicker to multiply

    def turn(self, observation: NDArray[np.int8], ways: Ints) -> NDArray[np.int8]:
        """Every row turned its way."""
        return np.take_along_axis(observation, self.observations[ways], axis=1)

    def turn_mask(self, mask: NDArray[np.int8], ways: Ints) -> NDArray[np.int8]:
        """Every row of legal actions turned its way."""
        return np.take_along_axis(mask, self.actions[ways], axis=1)

    def turn_back(self, actions: Ints, ways: Ints) -> Ints:
        """What actions chosen in the turned games are in the games as they stand."""
        return self.actions[ways, actions]
