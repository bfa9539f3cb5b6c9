"""Finding and solving small tables."""

import json

import pytest

from agents.exact import find
from agents.exact.figures import figures, mixing_gains, without_mixing
from agents.exact.find import climb, judge, known, table_of
from drako_env.exact import build_tree, exploitability, load_strategies
from drako_env.exact.linear import best_without_mixing, solve_exactly
from drako_env.games import make_game
from tests.kuhn.game import Kuhn, Rules

MICRO = {"start_hand": 1, "room": 0, "cards_per_draw": 2, "armor": 1, "fury": 1, "archer": 1, "net": 2, "exchange": 1}
MICRO |= {"dwarves": {"8": 2, "12": 1}, "dragon": {"5": 1, "9": 1}}
"""The shipped table, as the search writes it down."""


def test_a_draft_is_a_table():
    table = table_of(MICRO)
    shipped = make_game("drako", rules="micro").rules.table()
    for part in ("wounds", "options"):
        assert make_game("drako", rules=table).rules.table()[part] == shipped[part]
    for side, deck in shipped["deck"].items():
        kinds = [sorted((card["copies"], card["options"]) for card in cards) for cards in (deck, table["deck"][side])]
        assert kinds[0] == kinds[1]


def test_what_is_known_of_a_table():
    found = judge(MICRO, 10_000)
    assert found["positions"] == 1510
    assert found["value"] == pytest.approx(1 / 18, abs=0.01)
    assert found["shown"] == pytest.approx(0.5, abs=0.01)
    assert found["mixing"] == pytest.approx(1 / 6, abs=0.02)
    assert judge(MICRO, 1000)["score"] == -1


def test_what_mixing_brings_is_proved(monkeypatch):
    """In Kuhn poker it brings something; where pure strategies drawn from an equilibrium are poor, others may do."""
    kuhn = build_tree(Kuhn.of(Rules()))
    assert mixing_gains(kuhn, 20) == pytest.approx(
        sum(solve_exactly(kuhn, seat)[0] - best_without_mixing(kuhn, seat, 20)[0] for seat in range(2))
    )
    assert mixing_gains(kuhn, 20) > 0.1
    pure = MICRO | {"exchange": 0, "armor": 3, "dwarves": {"5": 1, "2": 1}, "dragon": {"5": 1, "3": 1}}
    assert judge(pure, 2000)["mixing"] == pytest.approx(0)
    monkeypatch.setattr(find, "mixing_gains", lambda tree, seconds: 9.0)
    assert judge(pure, 2000)["mixing"] > 0.3


def test_a_climb_is_the_same_every_time_and_never_goes_down(tmp_path):
    one, other = (climb(3, steps=2, most_cards=2, most_positions=500, starts=4) for _ in range(2))
    assert one == other
    scores = [entry["score"] for entry in one]
    assert scores == sorted(scores)
    path = tmp_path / "found.jsonl"
    assert known(path) == {}
    path.write_text(json.dumps(one) + "\n")
    assert known(path) == {3: json.loads(json.dumps(one))}


@pytest.mark.parametrize(("table", "value"), [("micro", 1 / 18), ("tiny", -1 / 5), ("small", 1 / 9)])
def test_the_shipped_tables(table, value, tmp_path):
    game, told = make_game("drako", rules=table), []
    found = figures(game, 0.001, 4000, tmp_path, told.append)
    assert found.exploitability < 0.001
    assert found.value == pytest.approx(value, abs=0.001)
    assert found.by_view < 0.002
    assert (found.best_drawn > 0.1) == (table != "tiny"), "where mixing is needed"
    assert (abs(found.open_value - found.value) > 0.4) == (table != "tiny"), "where hands matter"
    assert told
    tree = build_tree(game)
    kept = load_strategies(tmp_path / f"{table}.npz", tree)
    assert exploitability(tree, *kept) == pytest.approx(found.exploitability)


def test_without_mixing():
    text = without_mixing(make_game("drako", rules="tiny"), 10)
    assert "dragon_0: -0.2000; without mixing -0.2000 (at most -0.2000)" in text
