"""What a game looked like to those who played it: winning chances, what is thought of every choice, and what the choice
that was made lost.

All of it is judged from a seat's own view. What the seat does not know is dealt by chance, from random numbers that
have nothing to do with the game's: two positions that look the same to a seat are judged the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from drako_env.engine.game import Game
from drako_env.engine.position import Position
from drako_env.engine.rng import one_seed, seed_words
from drako_env.engine.view import Agent, SeatView

DEALS = 32
"""How often hidden cards are dealt where a chance depends on them."""


class Judge(Agent, Protocol):
    """A player that says what it thinks."""

    def opinions(self) -> Sequence[tuple[int, float]]:
        """The weight of each action at the last decision."""

    def value(self) -> float:
        """The winning chance that it gave its own seat at the last decision."""


@dataclass(frozen=True)
class Opinion:
    """What a player thinks of a decision."""

    shares: dict[int, float]
    """Of each legal action: how likely it would be chosen."""
    chance: float
    """To win, for the seat that decides."""

    @property
    def best(self) -> int:
        """The action it would choose."""
        return max(self.shares, key=lambda action: self.shares[action])


class Analyst:
    """Judges positions of a game with a learnt policy, which also says what positions are worth, and a search."""

    def __init__(self, game: Game, policy: Judge, search: Judge | None = None, deals: int = DEALS) -> None:
        self.game, self.policy, self.search, self._deals = game, policy, search or policy, deals

    def opinion(self, judge: Judge, view: SeatView) -> Opinion:
        """What a player thinks of a decision, whatever came before."""
        judge.reset(0)
        action = judge.act(view)
        weights = dict(judge.opinions()) or {action: 1.0}
        total = sum(weights.values()) or 1.0
        return Opinion({a: float(weights.get(a, 0.0)) / total for a in view.legal()}, judge.value())

    def chance(self, state: Any, seat: int) -> float:
        """The winning chance of a seat, by what it knows: what its policy expects where it decides, and on average over
        some deals of the hidden cards where others do, who play by their policies until it is asked again."""
        position = Position.of(self.game, state)
        if position.over or position.agent == seat:
            return self._expected(position, seat)
        known = position.states.copy()
        self.game.kernels.hide_one(self.game.tables, known, 0, seat)
        return self._mean(self._dealt(known, deal, seat) for deal in range(self._deals))

    def loss(self, view: SeatView, played: int, best: int) -> float:
        """What an action lost of the winning chance against another, on the same deals of the hidden cards."""
        if played == best:
            return 0.0
        differences = []
        for deal in range(self._deals):
            chances = [self._after(view, action, deal) for action in (best, played)]
            differences.append(chances[0] - chances[1])
        return max(0.0, float(np.mean(differences)))

    def _dealt(self, known: Any, deal: int, seat: int) -> float:
        """A seat's chance if its hidden cards are dealt in one of many ways."""
        states = known.copy()
        states["rng"] = seed_words(one_seed(deal))
        self.game.kernels.redeal_one(self.game.tables, states, 0, seat)
        return self._expected(Position.of(self.game, states[0]), seat, deal)

    def _after(self, view: SeatView, action: int, deal: int) -> float:
        position = Position.of(self.game, view.determinize(deal)[0])
        position.play(action)
        return self._expected(position, view.seat, deal)

    def _expected(self, position: Position, seat: int, seed: int = 0) -> float:
        """What a seat may expect when it is next to decide, or what it got; until then all play by their policies."""
        self.policy.reset(seed)
        while not position.over:
            action = self.policy.act(position.view())
            if position.agent == seat:
                return self.policy.value()
            position.play(action)
        return 0.5 + 0.5 * position.rewards()[seat] / self.game.max_reward

    @staticmethod
    def _mean(chances: Any) -> float:
        return float(np.mean(list(chances)))
