"""Strength from results: role-aware Bradley-Terry ratings, and the equilibrium of a pay-off matrix."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    from scipy.optimize import linprog
except ImportError as error:
    raise ImportError("ratings need SciPy: pip install 'drako-env[evaluation]'") from error

ELO = 400 / np.log(10)
PRIOR_DEVIATION = 1000 / ELO
"""A weak pull of every strength towards the common mean keeps an agent that never lost finite."""
PSEUDO = 0.5
RESAMPLES = 200
NEWTON_STEPS = 30

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rating:
    """An agent's strength in a role, in Elo points above the first agent."""

    agent: str
    role: str
    elo: float
    low: float
    high: float


@dataclass(frozen=True)
class Table:
    """Results to rate: which agent sat where in each pairing, and how often each seat won in each deal."""

    agents: Sequence[str]
    roles: Sequence[str]
    """By seat. Seats with the same role share their ratings."""
    pairings: NDArray[np.int64]
    """`(pairings, seats)`: indices into `agents`."""
    wins: Floats
    """`(pairings, seats, deals)`: 1 for the winner of a game, equal shares for a draw, zeros for a game not played."""


def bradley_terry(table: Table, seed: int = 0) -> list[Rating]:
    """Ratings with 95% intervals. The chance of a seat to win is the soft-max of (its agent's strength in its role plus
    the seat's own advantage). Intervals by the Bayesian bootstrap: deals get random weights, since the same deal is
    played by all pairings, and every result a random pseudo-count (Jeffreys' prior), so that 1000 : 0 is not certain.
    `ValueError` if the pairings do not say how the roles share an agent's strength."""
    deals, roles, chance = table.wins.shape[2], list(dict.fromkeys(table.roles)), np.random.default_rng(seed)
    if not identified(table):
        raise ValueError("these pairings do not determine a rating for every agent in every role")
    weights = np.vstack([np.ones(deals), chance.exponential(size=(RESAMPLES, deals))])
    wins = np.einsum("psd,bd->bps", table.wins, weights)
    wins[0] += PSEUDO
    wins[1:] += chance.gamma(PSEUDO, size=wins[1:].shape)
    fitted = _fit(table, roles, wins)
    low, high = np.quantile(fitted[1:], [0.025, 0.975], axis=0)
    return [
        Rating(agent, role, float(fitted[0, r, a]), float(low[r, a]), float(high[r, a]))
        for r, role in enumerate(roles)
        for a, agent in enumerate(table.agents)
    ]


def identified(table: Table) -> bool:
    """Whether the pairings tell all strengths apart: with A against B and B against A only, the strength of A could lie
    in either role."""
    roles = list(dict.fromkeys(table.roles))
    parts = _parts(table, roles)
    contrasts = (parts[:, 1:] - parts[:, :1]).reshape(-1, parts.shape[2])
    unknowns = len(roles) * (len(table.agents) - 1) + len(table.roles) - 1
    return int(np.linalg.matrix_rank(contrasts)) == unknowns


def _fit(table: Table, roles: Sequence[str], wins: Floats) -> Floats:
    """The most likely strengths by Newton's method, for many sets of wins (set, pairing, seat) at once; in Elo, (set,
    role, agent), each role's first agent at 0."""
    parts = _parts(table, roles)
    x, prior = np.zeros((len(wins), parts.shape[2])), np.eye(parts.shape[2]) / PRIOR_DEVIATION**2
    games = wins.sum(axis=2)
    for _ in range(NEWTON_STEPS):
        odds = np.exp(x @ parts.reshape(-1, parts.shape[2]).T).reshape(wins.shape)
        chance = odds / odds.sum(axis=2, keepdims=True)
        slope = np.einsum("bps,psx->bx", chance * games[:, :, None] - wins, parts) + x @ prior
        mean = np.einsum("bps,psx->bpx", chance, parts)
        curve = np.einsum("bps,psx,psy->bxy", chance * games[:, :, None], parts, parts, optimize=True)
        curve -= np.einsum("bp,bpx,bpy->bxy", games, mean, mean, optimize=True)
        x = x - np.clip(np.linalg.solve(curve + prior, slope[:, :, None])[:, :, 0], -1, 1)
    strength = x[:, : len(roles) * len(table.agents)].reshape(len(wins), len(roles), len(table.agents)) * ELO
    return np.asarray(strength - strength[:, :, :1])


def _parts(table: Table, roles: Sequence[str]) -> Floats:
    """`(pairings, seats, unknowns)`: ones where an unknown (strength of agent in role, or advantage of seat) counts."""
    agents, seats = len(table.agents), len(table.roles)
    parts = np.zeros((len(table.pairings), seats, len(roles) * agents + seats))
    for seat, role in enumerate(table.roles):
        parts[np.arange(len(parts)), seat, roles.index(role) * agents + table.pairings[:, seat]] = 1
        parts[:, seat, len(roles) * agents + seat] = 1
    return parts


@dataclass(frozen=True)
class Equilibrium:
    """How two players would mix the agents of a pay-off matrix if each knew the other's mixture."""

    rows: Floats
    columns: Floats
    value: float


def equilibrium(payoff: NDArray[Any]) -> Equilibrium:
    """The equilibrium of a zero-sum game: row players want the pay-off high, column players low."""
    matrix = np.asarray(payoff, float)
    rows, value = _best_mixture(matrix)
    columns, _ = _best_mixture(-matrix.T)
    return Equilibrium(rows, columns, value)


def _best_mixture(matrix: Floats) -> tuple[Floats, float]:
    """Maximise `value` so that the mixture of rows gets at least `value` against every column."""
    rows, columns = matrix.shape
    at_least = np.hstack([-matrix.T, np.ones((columns, 1))])
    solved = linprog(
        c=[0.0] * rows + [-1.0],
        A_ub=at_least,
        b_ub=np.zeros(columns),
        A_eq=[[1.0] * rows + [0.0]],
        b_eq=[1.0],
        bounds=[(0, 1)] * rows + [(None, None)],
        method="highs",
    )
    if solved.x is None:
        raise ValueError(f"no equilibrium of {matrix.tolist()}: {solved.message}")
    return np.asarray(solved.x[:-1]), float(solved.x[-1])
