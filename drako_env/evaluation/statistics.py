"""Figures with their uncertainty."""

import math
from collections.abc import Sequence

Z95 = 1.959963984540054


def wilson(wins: float, games: int, z: float = Z95) -> tuple[float, float]:
    """Wilson's score interval of a win rate: honest also near 0 and 1 and for few games."""
    if games == 0:
        return 0.0, 1.0
    rate, zz = wins / games, z * z
    centre = (rate + zz / (2 * games)) / (1 + zz / games)
    half = z / (1 + zz / games) * math.sqrt(rate * (1 - rate) / games + zz / (4 * games * games))
    return max(0.0, centre - half), min(1.0, centre + half)


def difference(wins: float, games: int, other_wins: float, other_games: int, z: float = Z95) -> tuple[float, float]:
    """An interval of the difference of two win rates from different games (Newcombe 1998, his method 10): how far each
    rate may be off by its Wilson interval, both together as by Pythagoras. Honest also near 0 and 1."""
    rate, other = wins / games, other_wins / other_games
    (low, high), (other_low, other_high) = wilson(wins, games, z), wilson(other_wins, other_games, z)
    below, above = math.hypot(rate - low, other_high - other), math.hypot(high - rate, other - other_low)
    return rate - other - below, rate - other + above


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which that share of `values` lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
