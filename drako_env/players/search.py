"""Information-set Monte-Carlo tree search as a player of any game."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.game import Game, new_masks, new_states
from drako_env.engine.tree import NODE, NONE, ROOT
from drako_env.engine.view import SeatView, random_seed


@dataclass(frozen=True)
class Budget:
    """How long a search thinks: so many simulations, or so many seconds."""

    simulations: int = 0
    seconds: float = 0.0


class SearchAgent:
    """Information-set Monte-Carlo tree search (see `drako_env.engine.tree`).

    Given simulations it is deterministic for a seed; given seconds it is not. When its next decision follows at once in
    the same turn and it has learnt nothing new, the part of the tree below the chosen action is kept, and its
    simulations count."""

    EXPLORATION = 0.7
    CHUNK = 100
    LARGEST_TREE = 2_000_000
    NODES_A_SIMULATION = 4

    def __init__(self, game: Game, budget: Budget) -> None:
        self.game, self.budget = game, budget
        self.decisions = np.zeros(2, np.int64)
        """How many decisions its simulations have played, and how many networks were asked."""
        self.simulations = 0
        self._scratch, self._words = new_states(game, 1), new_masks(game, 1)
        self._reward = np.zeros(len(game.seats), np.float32)
        size = self.NODES_A_SIMULATION * budget.simulations + 256 if budget.simulations else self.LARGEST_TREE
        self._tree = np.zeros(min(size, self.LARGEST_TREE), NODE)
        self._opinions: list[tuple[int, int]] = []
        self._root = self._nodes = 0
        self._value = 0.5
        self.reset(0)

    @property
    def _mask(self) -> NDArray[np.int8]:
        """The words byte by byte; a view that was kept would no longer be one in a copy of the agent."""
        mask: NDArray[np.int8] = self._words.view(np.int8)[0]
        return mask

    def reset(self, seed: int) -> None:
        """A new game."""
        self._chance = np.random.default_rng(seed)
        self._forget()

    def act(self, view: SeatView) -> int:
        """Choose a legal action: the one that most simulations went through."""
        seed = random_seed(self._chance)
        self._search(view, seed)
        best = max(self._choices(view), key=lambda node: self._tree[["visits", "prior"]][node].item())
        self._value = self._chance_of(best)
        action = int(self._tree[best]["action"])
        if self._room() and self._goes_on(view, action, seed):
            self._root = best
        else:
            self._forget()
        return action

    def _chance_of(self, node: int) -> float:
        """The winning chance of who plays to a node: what came of it, or before that what a network expects."""
        wins, visits = self._tree[node]["wins"], self._tree[node]["visits"]
        mean = wins / visits if visits else self._tree[self._root]["value"]
        return min(1.0, max(0.0, 0.5 + (float(mean) - 0.5) / self.game.max_reward))

    def opinions(self) -> list[tuple[int, int]]:
        """The visits of each action at the last decision, most first."""
        return self._opinions

    def value(self) -> float:
        """The winning chance that it gave its own seat at the last decision."""
        return self._value

    def _search(self, view: SeatView, seed: int) -> None:
        """Spend the budget; where there is nothing to choose, only make sure that the tree knows the action."""
        known = view.seeded(seed)
        if len(view.legal()) == 1:
            self._simulate(known, 1)
        elif self.budget.simulations:
            kept = sum(int(self._tree[node]["visits"]) for node in self._choices(view))
            self._simulate(known, max(1, self.budget.simulations - kept))
        else:
            end = time.perf_counter() + self.budget.seconds
            self._simulate(known, 1)
            while time.perf_counter() < end:
                self._simulate(known, self.CHUNK)
        visits = [(int(self._tree[n]["action"]), int(self._tree[n]["visits"])) for n in self._choices(view)]
        self._opinions = sorted(visits, key=lambda pair: -pair[1])

    def _simulate(self, known: NDArray[np.void], count: int) -> None:
        self._nodes = self.game.kernels.search_one(*self._search_arguments(known, count))
        self.simulations += count

    def _search_arguments(self, known: NDArray[np.void], count: int) -> tuple[Any, ...]:
        """Those that all searches take: see `engine.loops.search_one`."""
        scratch = self._scratch, self._words[0], self._mask, self._tree, self._nodes, self._root
        exploration = self.EXPLORATION * self.game.max_reward
        return self.game.tables, known, *scratch, count, exploration, self._reward, self.decisions

    def _choices(self, view: SeatView) -> list[int]:
        """The root's children that are legal."""
        found, child = [], int(self._tree[self._root]["first_child"])
        while child != NONE:
            if view.action_mask[self._tree[child]["action"]]:
                found.append(child)
            child = int(self._tree[child]["next_sibling"])
        return found

    def _room(self) -> bool:
        return len(self._tree) - self._nodes > self.NODES_A_SIMULATION * max(self.budget.simulations, self.CHUNK) // 4

    def _goes_on(self, view: SeatView, action: int, seed: int) -> bool:
        """Whether the seat decides again after `action`, having learnt nothing new: no card drawn, nothing revealed.
        Then, whatever is hidden, it will see the same."""
        seen = set()
        for other_deal in range(2):
            state = view.determinize(seed + other_deal)
            self._mask[: len(view.action_mask)] = view.action_mask
            if self.game.kernels.play_one(self.game.tables, state, 0, action, self._mask) != view.seat:
                return False
            self.game.kernels.hide_one(self.game.tables, state, 0, view.seat)
            seen.add(state.tobytes())
        return len(seen) == 1

    def _forget(self) -> None:
        self._tree[ROOT] = (NONE, NONE, NONE, NONE, NONE, 0, 1, 0.0, 0.0, 0.0)
        self._root, self._nodes = ROOT, 1
