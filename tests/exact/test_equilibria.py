"""Regret minimisation and linear programming come to the same equilibria, and strategies are kept as data."""

import numpy as np
import pytest

from drako_env.exact import Solver, build_tree, exploitability, load_strategies, save_strategies, uniform, value
from drako_env.exact.linear import best_without_mixing, solve_exactly
from drako_env.games import make_game
from tests.exact.test_values import matching_pennies
from tests.kuhn.game import Kuhn, Rules


@pytest.fixture(scope="module")
def kuhn():
    return build_tree(Kuhn.of(Rules()))


@pytest.fixture(scope="module")
def tiny():
    return build_tree(make_game("drako", rules="tiny"))


def test_kuhn_poker_is_worth_an_eighteenth_to_the_second_player(kuhn):
    solver = Solver(kuhn)
    solver.iterate(2000)
    strategies = solver.average()
    assert exploitability(kuhn, *strategies) < 1e-4
    assert value(kuhn, *strategies) == pytest.approx(-1 / 18, abs=1e-4)
    assert exploitability(kuhn, uniform(kuhn, 0), uniform(kuhn, 1)) == pytest.approx(11 / 12)


@pytest.mark.parametrize("name", ["kuhn", "tiny"])
def test_the_linear_programme_agrees(name, request):
    tree = request.getfixturevalue(name)
    solver = Solver(tree)
    solver.iterate(1000)
    expected = {"kuhn": -1 / 18, "tiny": -0.2}[name]
    assert value(tree, *solver.average()) == pytest.approx(expected, abs=2e-4)
    for seat, sign in enumerate((1, -1)):
        assert solve_exactly(tree, seat)[0] == pytest.approx(sign * expected)


def test_the_linear_programme_s_plan_gets_what_it_says(kuhn):
    reached, plan = solve_exactly(kuhn, 1)
    side = kuhn.sides[1]
    before = plan[side.parent][side.home[1:]]
    chances = np.append(1, np.where(before > 0, plan[1:] / np.where(before > 0, before, 1), 0.5))
    assert -value(kuhn, uniform(kuhn, 0), chances) >= reached
    assert exploitability(kuhn, uniform(kuhn, 0), chances) > 0


def test_what_can_be_had_without_mixing(kuhn, tiny):
    """Nothing at matching pennies; in Kuhn poker the first player loses 1/6 and not 1/18; on the tiny table all."""
    assert best_without_mixing(matching_pennies(seen=False), 0, 10) == pytest.approx((-1, -1))
    assert best_without_mixing(matching_pennies(seen=True), 1, 10) == pytest.approx((1, 1))
    reached, bound = best_without_mixing(kuhn, 0, 10)
    assert reached == pytest.approx(bound)
    assert reached < -1 / 18 - 0.05
    assert best_without_mixing(tiny, 0, 10) == pytest.approx((-0.2, -0.2))


@pytest.mark.parametrize(
    ("table", "value", "pure"), [("micro", 1 / 18, (0, -1 / 6)), ("small", 1 / 9, (1 / 9, -1 / 3))]
)
def test_tables_that_need_mixing(table, value, pure):
    """On micro both sides, on small the dwarves: whoever plays the dragon needs no lots there."""
    tree = build_tree(make_game("drako", rules=table))
    assert [solve_exactly(tree, seat)[0] for seat in range(2)] == pytest.approx([value, -value])
    for seat, reached in enumerate(pure):
        assert best_without_mixing(tree, seat, 60) == pytest.approx((reached, reached))


def test_by_view_nothing_is_lost_where_the_observation_says_all(kuhn):
    """Kuhn's observation holds all moves: information sets and views are the same."""
    assert len(kuhn.observations) == sum(side.sets for side in kuhn.sides)
    solvers = Solver(kuhn), Solver(kuhn, by_view=True)
    for solver in solvers:
        solver.iterate(50)
    for one, other in zip(*(solver.average() for solver in solvers), strict=True):
        assert one == pytest.approx(other)


def test_by_view_the_same_view_means_the_same_strategy(tiny):
    solver = Solver(tiny, by_view=True)
    solver.iterate(20)
    for side, strategy in zip(tiny.sides, solver.average(), strict=True):
        known = {}
        for i in range(side.sets):
            chances = tuple(strategy[side.first[i] : side.first[i + 1]])
            assert known.setdefault(side.view[i], chances) == chances


def test_strategies_are_kept_as_data(tiny, kuhn, tmp_path):
    solver = Solver(tiny)
    solver.iterate(5)
    path = tmp_path / "tiny.npz"
    save_strategies(path, tiny, solver.average())
    for kept, strategy in zip(load_strategies(path, tiny), solver.average(), strict=True):
        assert (kept == strategy).all()
    with pytest.raises(ValueError, match=r"for the rules 5e8899b917643d1e; expected .*: solve again"):
        load_strategies(path, kuhn)
    (tmp_path / "text.npz").write_text("no strategies")
    with pytest.raises(ValueError, match=r"text\.npz: no file of strategies"):
        load_strategies(tmp_path / "text.npz", tiny)


def test_a_file_of_bad_chances_is_refused(tiny, tmp_path):
    path = tmp_path / "bad.npz"
    first, second = uniform(tiny, 0), uniform(tiny, 1)
    save_strategies(path, tiny, (first * 0.5, second))
    with pytest.raises(ValueError, match="the chances of dragon_0 do not add up to 1 everywhere"):
        load_strategies(path, tiny)
