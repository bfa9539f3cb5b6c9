"""R1.1, R1.2: the board's geometry."""

import pytest

from drako_env.drako.rules import Rules
from drako_env.drako.tables import build_tables
from drako_env.engine.hexboard import DIRECTIONS, MAX_HEXES, hex_index, hexes, mask, ray


def test_r1_1_index_map_of_radius_two():
    assert len(hexes(2)) == 19
    assert hexes(2)[:3] == ((0, -2), (1, -2), (2, -2))
    assert hex_index(2)[0, 0] == 9
    assert hexes(2)[-1] == (0, 2)


@pytest.mark.parametrize(("radius", "count"), [(2, 19), (3, 37), (4, 61)])
def test_r1_1_sizes(radius, count):
    assert len(hexes(radius)) == count <= MAX_HEXES
    assert all(max(abs(q), abs(r), abs(q + r)) <= radius for q, r in hexes(radius))


def test_r1_2_directions_in_order_and_opposites():
    assert DIRECTIONS == ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
    assert all((-q, -r) == DIRECTIONS[(i + 3) % 6] for i, (q, r) in enumerate(DIRECTIONS))


def test_rays_run_to_the_edge_nearest_first():
    assert [hexes(2)[i] for i in ray(2, (-2, 0), 0)] == [(-1, 0), (0, 0), (1, 0), (2, 0)]
    assert ray(2, (2, 0), 0) == []


@pytest.mark.parametrize("radius", [2, 3, 4])
def test_tables_agree_with_coordinates(radius):
    t = build_tables(Rules.load(radius=radius))[0]
    cells = hexes(radius)
    for i, (q, r) in enumerate(cells):
        for j, (x, y) in enumerate(cells):
            dq, dr = x - q, y - r
            steps = max(abs(dq), abs(dr), abs(dq + dr))
            assert (int(t["neighbours"][i]) >> j & 1) == (steps == 1)
            straight = steps > 0 and 0 in (dq, dr, dq + dr)
            assert (int(t["star"][i]) >> j & 1) == straight
            if straight:
                direction = DIRECTIONS.index((dq // steps, dr // steps))
                assert int(t["rays"][i, direction]) >> j & 1
                between = [(q + k * dq // steps, r + k * dr // steps) for k in range(1, steps)]
                assert t["between"][i, j] == mask([cells.index(cell) for cell in between])
            else:
                assert t["between"][i, j] == -1
