"""Turning: what `Symmetries` promises of any table of ways, here of one that swaps two of three entries."""

import numpy as np
import pytest

from drako_env.engine.symmetry import Symmetries

STRAIGHT, SWAPPED = 0, 1


@pytest.fixture
def ways():
    return Symmetries(np.array([[0, 1, 2, 3], [0, 2, 1, 3]]), np.array([[0, 1, 2], [2, 1, 0]]))


def test_every_row_is_turned_its_own_way(ways):
    rows = np.array([[5, 6, 7, 8], [1, 2, 3, 4]], np.int8)
    assert ways.turn(rows, np.array([STRAIGHT, SWAPPED])).tolist() == [[5, 6, 7, 8], [1, 3, 2, 4]]
    assert ways.turn(rows, np.array([SWAPPED, STRAIGHT])).tolist() == [[5, 7, 6, 8], [1, 2, 3, 4]]


def test_what_is_legal_when_turned_is_legal_when_turned_back(ways):
    masks, way = np.array([[1, 1, 0], [1, 0, 0]], np.int8), np.array([STRAIGHT, SWAPPED])
    assert ways.turn_mask(masks, way).tolist() == [[1, 1, 0], [0, 0, 1]]
    assert ways.turn_back(np.array([1, 2]), way).tolist() == [1, 0]


def test_twins_have_one_canonical_form(ways):
    rows = np.array([[5, 6, 7, 8], [5, 7, 6, 8], [1, 2, 3, 4]], np.int8)
    chosen = ways.canonical(rows)
    forms = ways.turn(rows, chosen)
    assert chosen[0] != chosen[1]
    assert forms[0].tolist() == forms[1].tolist()
    assert sorted(forms[2].tolist()) == [1, 2, 3, 4]
