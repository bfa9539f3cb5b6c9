"""The benchmark of learning algorithms: looking takes no time, what was run stays, and everybody can join."""

import json
import sys
from functools import partial
from itertools import count

import numpy as np
import pytest

from agents.benchmark import algorithms, cells
from agents.benchmark.algorithms import (
    ALGORITHMS,
    Learnt,
    cfr_plus,
    guided_search,
    maskable_ppo,
    mccfr,
    nfsp,
    search,
    self_play,
)
from agents.benchmark.cells import LOOKS, Cell, algorithm_of, follow, looks, missing, points_of, run_cells
from agents.benchmark.mccfr import GAMES, Mccfr
from agents.benchmark.report import draw_chart, results_table
from drako_env.exact import build_tree, exploitability, plan_of, uniform, value
from drako_env.exact.loops import advantages
from drako_env.exact.values import gains_against
from scripts import benchmark_learning
from tests.kuhn.game import Kuhn, Rules


@pytest.fixture(scope="module")
def kuhn():
    return build_tree(Kuhn.of(Rules()))


class Clock:
    """Goes on by itself as told."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def steady(clock, seconds, progress_seen):
    """Learns nothing, a piece of work in so many seconds."""

    def algorithm(tree, seed, progress):
        number = 0
        while True:
            clock.now += seconds
            number += 1
            progress_seen.append(progress())
            yield Learnt(number * 10, lambda: looking(clock, tree))

    return algorithm


def looking(clock, tree):
    clock.now += 1000  # takes its time, which does not count
    return uniform(tree, 0), uniform(tree, 1)


def test_looks_come_at_growing_times_and_cost_nothing(kuhn):
    clock, seen = Clock(), []
    points = list(follow(steady(clock, 1.0, seen), kuhn, 0, 100.0, clock))
    assert points[0].decisions == 0
    assert points[-1].seconds == pytest.approx(100.0)
    assert [point.decisions for point in points[1:]] == [int(10 * point.seconds) for point in points[1:]]
    assert {point.exploitability for point in points} == {exploitability(kuhn, uniform(kuhn, 0), uniform(kuhn, 1))}
    gaps = np.diff([point.seconds for point in points[1:]])
    assert len(points) <= LOOKS + 1
    assert gaps[-1] > 3 * gaps[0]
    assert seen == sorted(seen)
    assert (seen[0], round(seen[-1], 2)) == (0.01, 1.0)
    assert looks(100.0)[0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("algorithm", "most"),
    [(cfr_plus, 0.7), (mccfr, 0.7), (self_play, 0.95), (maskable_ppo, 1.5), (nfsp, 1.5)],
)
def test_all_of_them_learn_poker(algorithm, most, kuhn):
    """A few pieces of work: strategies come out that can be judged, and regrets at least have done something."""
    work = algorithm(kuhn, 0, lambda: 0.0)
    for _ in range(3):
        learnt = next(work)
    assert learnt.decisions > 0
    assert 0 <= exploitability(kuhn, *learnt.strategies()) < most
    work.close()


def test_a_search_is_looked_at_once(kuhn):
    (learnt,) = search(kuhn, 0, lambda: 0.0, spec="ismcts:50", tries=2)
    first, second = learnt.strategies()
    told = first(kuhn.observations, kuhn.masks)
    np.testing.assert_allclose(told.sum(axis=1), 1)
    assert not told[kuhn.masks == 0].any()
    assert exploitability(kuhn, first, second) > 0


def test_what_is_looked_at_once_knows_how_much_time_is_over_while_it_works(kuhn):
    ticks = count()
    once = partial(guided_search, simulations=8, tries=1)
    start, end = follow(once, kuhn, 0, 20.0, lambda: float(next(ticks)))
    assert (start.decisions, end.decisions > 0) == (0, True)


def test_sampled_regrets_come_to_equilibrium(kuhn):
    """Kuhn poker's value is -1/18, and its observation says all: nothing is lost by looking at it alone."""
    learner = Mccfr(kuhn, kuhn.game, 0)
    for _ in range(400):
        learner.iterate()
    average = learner.average()
    policy = lambda observation, mask: average  # noqa: E731
    assert average.sum(axis=1) == pytest.approx(1)
    assert not average[kuhn.masks == 0].any()
    assert exploitability(kuhn, policy, policy) < 0.06
    assert value(kuhn, policy, policy) == pytest.approx(-1 / 18, abs=0.03)


def test_sampled_regrets_are_those_of_all_games_on_average(kuhn):
    """A seat's first regrets, against uniform play, are its advantages in proportion to how often it comes there."""
    learner, seat = Mccfr(kuhn, kuhn.game, 1), 0
    total = np.zeros_like(learner.regrets)
    for _ in range(400):
        learner.regrets[:] = 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(np, "maximum", lambda one, other, out: one)  # also those below zero
            steps, rewards = learner._play(seat)
            learner._learn(steps, rewards)
        total += learner.regrets / GAMES
    gains = gains_against(kuhn, seat, plan_of(kuhn, 1, uniform(kuhn, 1)))
    side, chances = kuhn.sides[seat], uniform(kuhn, seat)
    advantages(side.parent, side.first, gains, chances)
    found = (total / 400)[side.view[side.home[1:]], side.action[1:]]
    assert found == pytest.approx(gains[1:], abs=0.03)


def test_a_guided_search_learns_first(kuhn):
    over = iter([0.0, 0.2, 0.4, *[0.6] * 100])
    (learnt,) = guided_search(kuhn, 0, lambda: next(over), simulations=8, tries=2)
    assert learnt.decisions > 2 * len(kuhn.examples)
    first, second = learnt.strategies()
    np.testing.assert_allclose(first(kuhn.observations, kuhn.masks).sum(axis=1), 1)
    assert exploitability(kuhn, first, second) > 0


def test_what_was_run_is_not_run_again(tmp_path, monkeypatch):
    ran = []

    class Now:
        def __init__(self, *_, **__): ...
        def __enter__(self):
            return self

        def __exit__(self, *_): ...
        def submit(self, work, *words):
            work(*words)
            return Done()

    class Done:
        def result(self): ...

    def run_cell(cell, folder):
        ran.append(cell)
        cell.file(folder).write_text(json.dumps({"points": [{"seconds": 1, "decisions": 2, "exploitability": 0.5}]}))

    monkeypatch.setattr(cells, "ProcessPoolExecutor", Now)
    monkeypatch.setattr(cells, "as_completed", list)
    monkeypatch.setattr(cells, "run_cell", run_cell)
    wanted = [Cell("CFR+", "micro", seed, 1.0) for seed in range(2)]
    told = []
    run_cells(wanted, tmp_path, 2, told.append)
    assert ran == told == wanted
    assert not missing(wanted, tmp_path)
    more = [*wanted, Cell("CFR+", "micro", 0, 2.0)]
    run_cells(more, tmp_path, 2, told.append)
    assert ran == more
    assert points_of(wanted[0], tmp_path)[0]["exploitability"] == 0.5


def test_files_of_different_cells_differ(tmp_path):
    names = {Cell(name, table, 0, 60.0).file(tmp_path) for name in ALGORITHMS for table in ("small", "medium")}
    assert len(names) == 2 * len(ALGORITHMS)


def test_ones_own_algorithm_takes_part(tmp_path, monkeypatch):
    (tmp_path / "mine_to_compare.py").write_text("def train(tree, seed, progress):\n    yield 'learnt'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert list(algorithm_of("mine_to_compare:train")(None, 0, None)) == ["learnt"]
    with pytest.raises(ValueError, match="no attribute 'missing'"):
        algorithm_of("mine_to_compare:missing")
    with pytest.raises(ValueError, match=r"known are 'self-play', .*module:function"):
        algorithm_of("self-pley")


def test_table_and_chart(tmp_path):
    def points(factor):
        return [{"seconds": s, "decisions": 10 * s, "exploitability": factor / (1 + s)} for s in range(5)]

    runs = {("small", "A"): [points(1), points(2), points(4)], ("small", "B"): [[points(1)[0], points(1)[1]]]}
    text = results_table(runs)
    assert "0.400" in text
    assert "0.200 - 0.800" in text
    draw_chart(runs, tmp_path / "chart.png")
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")


def test_the_command(tmp_path, monkeypatch, capsys):
    def run_all(wanted, folder, processes, tell):
        folder.mkdir(parents=True)
        for cell in wanted:
            points = [{"seconds": s, "decisions": s, "exploitability": 1 / (1 + s)} for s in range(3)]
            cell.file(folder).write_text(json.dumps({"points": points}))
            tell(cell)

    monkeypatch.setattr(benchmark_learning, "run_cells", run_all)
    out = tmp_path / "out"
    words = ["benchmark_learning.py", "CFR+", "--tables", "tiny", "--seeds", "2", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", words)
    assert benchmark_learning.main() == 0
    assert "CFR+" in capsys.readouterr().out
    assert (out / "chart.png").exists()
    monkeypatch.setattr(sys, "argv", [*words[:1], "nobody", *words[2:]])
    assert benchmark_learning.main() != 0
    assert "nobody" in capsys.readouterr().err
    assert algorithms.ALGORITHMS.keys() >= {"self-play", "CFR+", "NFSP", "MaskablePPO"}
