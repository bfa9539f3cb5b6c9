"""Players that neither search nor learn: random, heuristic, and any other with mistakes."""

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.game import Game
from drako_env.engine.view import Agent, SeatView, random_seed


class RandomAgent:
    """Any legal action with equal chances."""

    def __init__(self, game: Game) -> None:
        self.reset(0)

    def reset(self, seed: int) -> None:
        """A new game."""
        self._chance = np.random.default_rng(seed)

    def act(self, view: SeatView) -> int:
        """Choose a legal action."""
        return int(self._chance.choice(view.legal()))


class HeuristicAgent(RandomAgent):
    """The game's own rules of thumb, chance deciding among equals."""

    def act(self, view: SeatView) -> int:
        """Choose a legal action."""
        known = view.seeded(random_seed(self._chance))
        return int(view.game.kernels.best_one(view.game.tables, known, 0, view.action_mask))


class ErringAgent(RandomAgent):
    """Another player, a share of whose decisions is any legal action instead."""

    def __init__(self, player: Agent, mistakes: float) -> None:
        self.player, self.mistakes = player, mistakes
        self.reset(0)

    def reset(self, seed: int) -> None:
        """A new game."""
        super().reset(seed)
        self.player.reset(random_seed(self._chance))

    def act(self, view: SeatView) -> int:
        """Choose a legal action."""
        if self._chance.random() >= self.mistakes:
            return self.player.act(view)
        self.player.reset(random_seed(self._chance))  # what a search has kept was for the action of its own
        return super().act(view)


class ErringBatchAgent(ErringAgent):
    """The same for a player that decides in many games at once."""

    def act_batch(
        self, seats: NDArray[np.int64], observation: NDArray[np.int8], mask: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Choose a legal action in each of many games, in which `seats` are to decide."""
        chosen: NDArray[np.int64] = self.player.act_batch(seats, observation, mask)  # type: ignore[attr-defined]
        by_chance = (mask * self._chance.random(mask.shape)).argmax(axis=1)
        return np.where(self._chance.random(len(mask)) < self.mistakes, by_chance, chosen)
