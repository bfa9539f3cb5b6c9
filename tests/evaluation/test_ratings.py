"""Ratings and equilibria, against results whose truth is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from drako_env.evaluation.ratings import ELO, Table, bradley_terry, equilibrium, identified

AGENTS = ["weak", "good on one side", "strong"]
TRUTH = np.array([[0.0, 1.5, 2.0], [0.0, 0.2, 1.8]])  # dragon, dwarves; log odds


def simulated(deals, seed=0):
    chance = np.random.default_rng(seed)
    pairings = np.array([[a, b] for a in range(3) for b in range(3)])
    wins = np.zeros((9, 2, deals))
    for i, (dragon, dwarves) in enumerate(pairings):
        odds = TRUTH[0, dragon] - TRUTH[1, dwarves] + 0.5
        won = chance.random(deals) < 1 / (1 + np.exp(-odds))
        wins[i, 0], wins[i, 1] = won, ~won
    return Table(AGENTS, ["dragon", "dwarves"], pairings, wins)


def test_ratings_find_the_strength_in_each_role():
    ratings = {(rating.role, rating.agent): rating for rating in bradley_terry(simulated(4000))}
    for r, role in enumerate(("dragon", "dwarves")):
        for a, agent in enumerate(AGENTS):
            found = ratings[role, agent]
            assert found.elo == pytest.approx(TRUTH[r, a] * ELO, abs=25)
            assert found.low <= found.elo <= found.high
            assert found.high - found.low < 100


def test_intervals_shrink_with_more_deals():
    few, many = (bradley_terry(simulated(deals))[2] for deals in (100, 2500))
    assert 3 < (few.high - few.low) / (many.high - many.low) < 8


def test_an_agent_that_never_loses_has_a_finite_rating():
    table = simulated(50)
    wins = table.wins.copy()
    wins[6:9, 0], wins[6:9, 1] = 1, 0
    rating = bradley_terry(Table(table.agents, table.roles, table.pairings, wins))[2]
    assert 500 < rating.elo < 4000


def test_a_clean_sweep_is_not_certain():
    pairings = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    wins = np.zeros((4, 2, 100))
    wins[:, 0, :50], wins[:, 1, 50:] = 1, 1
    wins[2:, 0], wins[2:, 1] = 1, 0
    rating = bradley_terry(Table(["a", "b"], ["dragon", "dwarves"], pairings, wins))[1]
    assert rating.high - rating.low > 200


def test_two_pairings_do_not_say_in_which_role_an_agent_is_strong():
    wins = np.zeros((2, 2, 10))
    wins[:, 0] = 1
    both = Table(["a", "b"], ["dragon", "dwarves"], np.array([[0, 1], [1, 0]]), wins)
    assert not identified(both)
    with pytest.raises(ValueError, match="do not determine"):
        bradley_terry(both)
    assert identified(Table(["a", "b"], ["player", "player"], np.array([[0, 1], [1, 0]]), wins))


def test_seats_of_one_role_share_their_ratings():
    chance, strength = np.random.default_rng(1), np.array([0.0, 1.0])
    pairings = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]])
    wins = np.zeros((6, 3, 3000))
    for i, pairing in enumerate(pairings):
        odds = np.exp(strength[pairing])
        for deal, winner in enumerate(chance.choice(3, 3000, p=odds / odds.sum())):
            wins[i, winner, deal] = 1
    ratings = bradley_terry(Table(["a", "b"], ["player"] * 3, pairings, wins))
    assert [rating.role for rating in ratings] == ["player", "player"]
    assert ratings[1].elo == pytest.approx(ELO, abs=20)


def test_equilibrium_of_stone_paper_scissors():
    found = equilibrium(np.array([[0, -1, 2], [1, 0, -1], [-1, 1, 0]]))
    assert found.rows == pytest.approx([0.25, 5 / 12, 1 / 3])
    assert found.value == pytest.approx(1 / 12)


@settings(max_examples=60, deadline=None)
@given(hnp.arrays(float, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=st.floats(0, 1)))
def test_nobody_gains_by_leaving_an_equilibrium(payoff):
    found = equilibrium(payoff)
    assert found.rows.sum() == pytest.approx(1)
    assert (found.rows @ payoff).min() == pytest.approx(found.value, abs=1e-6)
    assert (payoff @ found.columns).max() == pytest.approx(found.value, abs=1e-6)
