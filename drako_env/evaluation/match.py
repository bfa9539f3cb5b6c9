"""Single games between agents, reproducible from their seeds, and matches of two games with the sides swapped."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from drako_env.engine.game import Game
from drako_env.engine.position import Position
from drako_env.engine.view import Agent

Watcher = Callable[[Agent, int], None]
"""Is told every decision: who made it, and the action."""


@dataclass(frozen=True)
class GameResult:
    """What one game came to."""

    number: int
    seed: int
    rewards: tuple[float, ...]
    """By seat."""
    decisions: int
    ending: str
    points: tuple[int, ...]
    """By seat: what decides a match with one win each (R13.1: the wounds dealt)."""
    course: str = ""
    """A digest of all decisions: games that went the same way have the same."""

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return asdict(self)


def game_seeds(seed: int, count: int) -> list[int]:
    """The seeds of the games of a match: the same whoever plays, and however many games follow."""
    return [int(word) for word in np.random.SeedSequence(seed).generate_state(count, np.uint64)]


def agent_seed(seed: int, seat: int) -> int:
    """Where an agent's chance comes from: from the game's seed, but there is no way back to it and so to the cards."""
    return int.from_bytes(hashlib.sha256(f"{seed} {seat}".encode()).digest()[:8], "little")


def play_game(
    game: Game, agents: Sequence[Agent], seed: int, number: int = 0, watch: Watcher | None = None
) -> GameResult:
    """One game: cards, and every agent's chance, come from `seed` alone."""
    for seat, agent in enumerate(agents):
        agent.reset(agent_seed(seed, seat))
    decisions, course, position = 0, hashlib.sha256(), Position(game).deal(seed)
    while not position.over:
        seat = position.agent
        action = agents[seat].act(position.view())
        if not position.play(action):
            raise ValueError(f"{game.seats[seat]} chose {action!r}, which is illegal (game seed {seed})")
        if watch is not None:
            watch(agents[seat], action)
        decisions += 1
        course.update(int(action).to_bytes(2, "little"))
    ending, points = game.outcome(position.state)
    return GameResult(number, seed, tuple(position.rewards()), decisions, ending, points, course.hexdigest()[:12])


def match_score(first_leg: GameResult, second_leg: GameResult) -> float:
    """A match of two legs with the sides swapped, for whoever has the first seat in the first leg: 1 won, 0 lost. With
    one win each the points decide (R13.1); equal points, too, are a draw: 0.5."""
    won = first_leg.rewards[0] + second_leg.rewards[1]
    lost = first_leg.rewards[1] + second_leg.rewards[0]
    if won == lost:
        won = first_leg.points[0] + second_leg.points[1]
        lost = first_leg.points[1] + second_leg.points[0]
    return 1.0 if won > lost else 0.0 if won < lost else 0.5
