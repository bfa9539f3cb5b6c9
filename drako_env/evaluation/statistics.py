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


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which that share of `values` lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
