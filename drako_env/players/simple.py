"""Players that neither search nor learn: random, heuristic."""

import numpy as np

from drako_env.engine.game import Game
from drako_env.engine.view import SeatView, random_seed


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
