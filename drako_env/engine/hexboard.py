"""Hexagonal boards as bit masks: hex `i` is bit `i` of a 64-bit word (61 hexes at radius 4).

Index map at radius 2 (rows `r` from -2 to 2, inside a row `q` ascending):

         0  1  2
        3  4  5  6
      7  8  9 10 11
       12 13 14 15
        16 17 18
"""

from functools import cache

MAX_RADIUS = 4
MAX_HEXES = 3 * MAX_RADIUS * (MAX_RADIUS + 1) + 1

Hex = tuple[int, int]

DIRECTIONS: tuple[Hex, ...] = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
DIRECTION_NAMES = ("E", "NE", "NW", "W", "SW", "SE")


@cache
def hexes(radius: int) -> tuple[Hex, ...]:
    """Axial coordinates `(q, r)` in index order."""
    rows = range(-radius, radius + 1)
    return tuple((q, r) for r in rows for q in rows if abs(q + r) <= radius)


@cache
def hex_index(radius: int) -> dict[Hex, int]:
    """Index of every axial coordinate."""
    return {position: i for i, position in enumerate(hexes(radius))}


def distance(first: Hex, second: Hex) -> int:
    """Steps between two hexes."""
    q, r = second[0] - first[0], second[1] - first[1]
    return max(abs(q), abs(r), abs(q + r))


def ray(radius: int, start: Hex, direction: int) -> list[int]:
    """Indices from the neighbour of `start` straight to the edge, nearest first."""
    index, (dq, dr) = hex_index(radius), DIRECTIONS[direction]
    (q, r), found = start, []
    while (q := q + dq, r := r + dr) in index:
        found.append(index[q, r])
    return found


def mask(indices: list[int]) -> int:
    """The bit mask of a set of hexes."""
    return sum(1 << i for i in indices)
