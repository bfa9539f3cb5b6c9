"""Matches: reproducible, resumable, with honest intervals."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agents.registry import make_agent
from drako_env.drako.game import Drako
from drako_env.drako.rules import Rules
from drako_env.evaluation.match import game_seeds, play_game
from drako_env.evaluation.runner import Job, Store, run
from drako_env.evaluation.statistics import quantile, wilson

ROOT = Path(__file__).parents[2]


def test_wilson_interval():
    low, high = wilson(8, 10)
    assert (low, high) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0, 20)[0] == 0
    assert wilson(0, 20)[1] == pytest.approx(0.1611, abs=1e-4)
    assert wilson(20, 20)[1] == 1
    assert wilson(0, 0) == (0, 1)


def test_quantile():
    assert quantile([5, 1, 3], 0.5) == 3
    assert quantile([1, 2], 0.99) == 2


def test_seeds_do_not_depend_on_their_number():
    assert game_seeds(3, 5) == game_seeds(3, 100)[:5]
    assert game_seeds(3, 5) != game_seeds(4, 5)


def test_a_game_is_reproducible_and_sums_up_its_end():
    game = Drako.of(Rules.load())
    agents = [make_agent("heuristic", game), make_agent("random", game)]
    result = play_game(game, agents, 11, 4)
    assert result == play_game(game, agents, 11, 4)
    assert sorted(result.rewards) == [-1, 1]
    assert result.ending in ("the dragon is dead", "all dwarves are dead", "the dwarves are out of cards")
    assert result.number == 4


def test_r13_points_are_wounds_dealt_by_strikes():
    game = Drako.of(Rules.load())
    agents = [make_agent("random", game), make_agent("random", game)]
    results = [play_game(game, agents, seed) for seed in game_seeds(1, 60)]
    assert all(0 <= result.points[0] <= 14 and 0 <= result.points[1] <= 11 for result in results)
    assert all((result.points[1] == 11) == (result.ending == "the dragon is dead") for result in results)


def jobs(count):
    return [Job(("heuristic", "random"), number, seed) for number, seed in enumerate(game_seeds(0, count))]


def played(path, count, processes, resume=False):
    store = Store(path, resume)
    todo = [job for job in jobs(count) if (job.pairing, job.number) not in store.games]
    run(todo, Drako.of(Rules.load()), make_agent, processes, store.add)
    store.finish()
    return path.read_bytes()


def test_results_do_not_depend_on_the_number_of_processes(tmp_path):
    assert played(tmp_path / "one.jsonl", 14, 1) == played(tmp_path / "two.jsonl", 14, 2)


def test_an_interrupted_run_goes_on_without_losing_or_repeating_a_game(tmp_path):
    whole = played(tmp_path / "whole.jsonl", 10, 1)
    path = tmp_path / "broken.jsonl"
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[i] for i in (7, 2, 4)) + b'{"agents": ["heu')
    assert played(path, 10, 1, resume=True) == whole


def test_a_store_does_not_overwrite(tmp_path):
    path = tmp_path / "games.jsonl"
    played(path, 2, 1)
    with pytest.raises(FileExistsError, match="--resume"):
        Store(path, resume=False)


def test_a_damaged_line_is_named(tmp_path):
    path = tmp_path / "games.jsonl"
    played(path, 3, 1)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], "{}", lines[2], ""]))
    with pytest.raises(ValueError, match=r"games.jsonl, line 2: not the result of a game"):
        Store(path, resume=True)


def evaluate(*arguments):
    command = [sys.executable, "scripts/evaluate.py", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["dragon=heuristic", "dwarves=nosuch"], "unknown agent 'nosuch'; known are random, heuristic, ismcts:N"),
        (["dragon=heuristic"], "no agent for dwarves"),
        (["elf=random", "dwarves=random"], "'elf=random': expected SEAT=AGENT"),
        (["dragon=random", "dwarves=random", "--rules", "nosuch"], "no rules table 'nosuch'"),
    ],
)
def test_bad_words_are_one_clear_line(arguments, says):
    done = evaluate(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_evaluate_reports(tmp_path):
    done = evaluate(
        "dragon=heuristic", "dwarves=random", "--games", "12", "--processes", "1", "--out", str(tmp_path / "a")
    )
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "a" / "report.json").read_text())
    assert report["games"] == 12
    assert sum(report["endings"].values()) == 12
    assert "| dragon_0 | heuristic |" in (tmp_path / "a" / "report.md").read_text()
