"""Compiled loops over the information sets of a seat.

`parent` is the seat's own move that leads to an information set (move 0: it has done nothing yet), and the moves of set
`i` are those from `first[i]` to `first[i + 1]`. Whatever leads to a set comes before it. A plan says for every move how
likely the seat itself makes it come about; `gains` are what moves bring, summed over all that the others may do.
"""

from pathlib import Path
from typing import Any

from drako_env.engine.jit import cache_dir, kernel

FOLDER = cache_dir(Path(__file__).parent)


def _realise(parent: Any, first: Any, chances: Any, plan: Any) -> None:
    """The plan of a strategy, `chances` of every move in its information set."""
    plan[0] = 1.0
    for i in range(len(parent)):
        before = plan[parent[i]]
        for move in range(first[i], first[i + 1]):
            plan[move] = before * chances[move]


def _against(first: Any, other: Any, worth: Any, plan: Any, gains: Any) -> None:
    """What each move brings at the ends of games when the other seat plays `plan`."""
    for move in range(len(gains)):
        total = 0.0
        for k in range(first[move], first[move + 1]):
            total += worth[k] * plan[other[k]]
        gains[move] = total


def _answer(parent: Any, first: Any, gains: Any, chances: Any) -> float:
    """The best that can be had in all, and in `chances` how: in every information set one move for certain."""
    for i in range(len(parent) - 1, -1, -1):
        best = first[i]
        for move in range(first[i] + 1, first[i + 1]):
            if gains[move] > gains[best]:
                best = move
        for move in range(first[i], first[i + 1]):
            chances[move] = move == best
        gains[parent[i]] += gains[best]
    return float(gains[0])


def _advantages(parent: Any, first: Any, gains: Any, chances: Any) -> None:
    """Turn what each move brings into how much more it brings than the strategy does in its information set."""
    for i in range(len(parent) - 1, -1, -1):
        expected = 0.0
        for move in range(first[i], first[i + 1]):
            expected += chances[move] * gains[move]
        gains[parent[i]] += expected
        for move in range(first[i], first[i + 1]):
            gains[move] -= expected


def _match(first: Any, advantages: Any, regrets: Any, chances: Any) -> None:
    """Regret matching plus: regrets never fall below zero, and moves are chosen in proportion to them."""
    for i in range(len(first) - 1):
        total = 0.0
        for move in range(first[i], first[i + 1]):
            regrets[move] = max(regrets[move] + advantages[move], 0.0)
            total += regrets[move]
        for move in range(first[i], first[i + 1]):
            chances[move] = regrets[move] / total if total > 0 else 1.0 / (first[i + 1] - first[i])


realise = kernel(_realise, FOLDER)
against = kernel(_against, FOLDER)
answer = kernel(_answer, FOLDER)
advantages = kernel(_advantages, FOLDER)
match = kernel(_match, FOLDER)
