"""Training: opponents by win rate, runs that survive, runs that repeat."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from agents.league.config import Config, Pace
from agents.league.judge import count_wins
from agents.league.league import League
from agents.league.learner import Learner
from agents.league.options import add_league_options, run_of
from agents.league.report import figures
from agents.league.run import Budget, Run
from drako_env import drako_v0
from drako_env.evaluation.statistics import wilson
from drako_env.exact import build_tree, exploitability
from drako_env.games import make_game
from drako_env.players.policy import load_policy
from tests.programs import call

ROOT = Path(__file__).parents[2]
SMALL = {"layers": [32], "num_envs": 32, "steps": 32, "minibatch": 256, "rollouts": 2, "eval_games": 16, "magnet": 0.1}
SMALL_WORDS = [word for name, value in SMALL.items() for word in ("--train", f"{name}={value}")]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"speed": 1}, "unknown training option 'speed'"),
        ({"entropy": "high"}, "entropy = 'high'"),
        ({"layers": []}, "layers = "),
        ({"num_envs": -3}, "num_envs = -3"),
        ({"minibatch": 1000}, "no multiple of minibatch"),
        ({"average": 1.5}, "average = 1.5"),
    ],
)
def test_bad_options_are_named(values, says):
    with pytest.raises(ValueError, match=says):
        Config.load(**values)


def test_an_exported_policy_is_the_average_of_the_learner(tmp_path):
    game = make_game("drako", rules="tiny")
    learner = Learner(game, "dragon_0", Config.load(**SMALL), 0)
    learner.begin(Pace(1e-3, 0.02))
    learner.train_against({"random": (1.0, "random")})
    learner.export(tmp_path / "x.safetensors", {})
    for name, tensor in learner.model.parts().items():  # what is exported is the average of its networks
        tensor.data.copy_(learner.average[name])
    policy, batch = load_policy(tmp_path / "x.safetensors", game), drako_v0.batch_env(64, seed=0, rules="tiny")
    batch.step(batch.sample())
    ways = game.symmetries.canonical(batch.observation)
    turned = game.symmetries.turn(batch.observation, ways)
    mask = game.symmetries.turn_mask(batch.action_mask, ways)
    tensor, _ = learner.model.policy.obs_to_tensor(turned)
    theirs = learner.model.policy.get_distribution(tensor, action_masks=mask).distribution.probs.detach().numpy()
    ours = policy.probabilities(batch.observation, batch.action_mask)
    back = np.empty_like(theirs)
    np.put_along_axis(back, game.symmetries.actions[ways], theirs, axis=1)
    assert np.abs(ours - back).max() < 1e-5


class Noted:
    """Learners that only note what they are told, and fail where they are meant to."""

    def __init__(self, fails=""):
        self.calls, self.fails = [], fails

    def __getattr__(self, name):
        def call(*arguments):
            self.calls.append(name)
            if name == self.fails:
                raise OSError(f"no {name}")

        return call


def a_run(folder, game, seats):
    return Run(folder, game, seats, Config.load(**SMALL), 0, Budget(rounds=1))


def test_a_league_starts_its_learners_when_asked_and_lets_them_go(tmp_path):
    game = make_game("drako", rules="tiny")
    learners = Noted("start_from")
    league = League(a_run(tmp_path, game, list(game.seats)), learners)
    assert learners.calls == []
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OSError, match="no start_from"), league:
        pass
    assert learners.calls == ["start", "start_from", "close"]


def test_a_row_of_the_log_becomes_flat_once():
    side = {"entropy": 0.5, "train_win": {"latest": 0.25}, "win": {"a_b": [3, 4]}, "time": {"update": 0.9}}
    flat = figures({"round": 7, "sides": {"dragon": side, "dwarves": {"train_win": {}, "time": {}}}})
    low, high = wilson(3, 4)
    assert flat == {
        ("", "round"): 7,
        ("dragon", "entropy"): 0.5,
        ("dragon", "time_update"): 0.9,
        ("dragon", "train_win_latest"): 0.25,
        ("dragon", "win_a_b"): 0.75,
        ("dragon", "win_a_b_low"): low,
        ("dragon", "win_a_b_high"): high,
    }


def test_games_of_an_evaluation_are_counted_once():
    game = make_game("drako")
    wins = count_wins(game, "dragon_0", "random", "heuristic", 100, 0)
    assert wins < 15
    assert 45 < count_wins(game, "dragon_0", "random", "random", 100, 0) < 90


def test_fewer_games_than_seats_are_counted_too():
    game = make_game("golden_dragon", num_players=3)
    assert count_wins(game, "player", "heuristic", "random", 1, 0) == 1


def train(*words):
    new = [] if "--resume" in words else ["--set", "rules=tiny", *SMALL_WORDS]
    return call("train", *new, *words)


def state(folder):
    return json.loads((folder / "checkpoint" / "state.json").read_text())


def test_a_run_leaves_what_it_promises_and_repeats_exactly(tmp_path):
    folders = [tmp_path / "a", tmp_path / "b"]
    words = ["--rounds", "3", "--seed", "3", "--games", "20", "--train", "snapshot_every=3", "--train", "eval_every=2"]
    for folder in folders:
        done = train(*words, "--out", str(folder))
        assert done.returncode == 0, done.stderr
    for name in ("about.json", "log.csv", "curves.png", "results.md", "policies/dragon.safetensors"):
        assert (folders[0] / name).stat().st_size > 100, name
    columns = (folders[0] / "log.csv").read_text().partition("\n")[0].split(",")
    assert {"round", "seconds", "dragon_entropy", "dwarves_train_win_itself", "dragon_win_random_low"} < set(columns)
    assert len(list((folders[0] / "tensorboard").iterdir())) == 1
    assert len(list((folders[0] / "replays").iterdir())) == 2
    assert "| dragon_0  | random " in (folders[0] / "results.md").read_text()
    for role in ("dragon", "dwarves"):
        policies = [(folder / "policies" / f"{role}.safetensors").read_bytes() for folder in folders]
        assert policies[0] == policies[1]
        learners = [(folder / "checkpoint" / "00003" / f"{role}.pt").read_bytes() for folder in folders]
        assert learners[0] == learners[1]
    kept = sorted(path.name for path in (folders[0] / "past").glob("dwarves-*"))
    assert kept == [f"dwarves-0000{number}.safetensors" for number in (0, 2, 3)], (
        "of every third round, and the last two"
    )


def test_a_killed_run_goes_on(tmp_path):
    command = [sys.executable, "scripts/train.py", "--set", "rules=tiny", *SMALL_WORDS, "--rounds", "400"]
    running = subprocess.Popen(
        [*command, "--out", str(tmp_path)], cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True
    )
    while not (tmp_path / "checkpoint" / "state.json").exists() or state(tmp_path)["round"] < 6:
        assert running.poll() is None
        time.sleep(0.1)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    before = state(tmp_path)
    rounds = str(before["round"] + 2)
    done = train("--rounds", rounds, "--games", "20", "--out", str(tmp_path), "--resume")
    assert done.returncode == 0, done.stderr
    after = state(tmp_path)
    assert after["round"] == before["round"] + 2
    assert after["rows"][: before["round"]] == before["rows"]
    assert [row["round"] for row in after["rows"]] == list(range(1, after["round"] + 1))
    decisions = 2 * 2 * SMALL["rollouts"] * SMALL["steps"] * SMALL["num_envs"]
    played = [sum(state["decisions"].values()) for state in (before, after)]
    assert 0.9 * decisions < played[1] - played[0] <= decisions, "all but what the games had not answered yet"
    assert "there is a run already" in train("--rounds", rounds, "--out", str(tmp_path)).stderr
    assert "a resumed run stays what it was" in train("--resume", "--out", str(tmp_path), "--seed", "1").stderr
    about = json.loads((tmp_path / "about.json").read_text())
    assert len(about["commands"]) == 2
    assert about["config"]["layers"] == [32]
    assert about["rules"]["name"] == "tiny"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--minutes", "0"], "must be above 0"),
        (["--rounds", "-1"], "must be above 0"),
        (["--seed", "-1"], "must be above 0"),
        (["--games", "0"], "--games must be at least 1"),
        (["--seats", "elves"], "expected both or dragon or dwarves"),
        (["--train", "gamma=5"], "gamma = 5"),
        (["--train", "path=1"], "unknown training option 'path'"),
        (["--resume"], "there is no run to resume"),
    ],
)
def test_bad_words_are_one_clear_line(words, says):
    done = train(*words)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_training_on_the_tiny_table_becomes_hard_to_exploit(tmp_path):
    done = train("--rounds", "30", "--games", "20", "--out", str(tmp_path), "--train", "rollouts=16")
    assert done.returncode == 0, done.stderr
    game = make_game("drako", rules="tiny")
    tree = build_tree(game)
    policies = [load_policy(tmp_path / "policies" / f"{role}.safetensors", game) for role in ("dragon", "dwarves")]
    start = exploitability(tree, *[lambda _, mask: mask / mask.sum(axis=1, keepdims=True)] * 2)
    assert exploitability(tree, *(policy.probabilities for policy in policies)) < start / 2


def test_training_can_go_on_under_another_table(tmp_path):
    """The networks are written anew for it, and named if nobody says where they come from."""
    before, out = make_game("drako", rules="reconstructed_1"), tmp_path / "run"
    for role in ("dragon", "dwarves"):
        Learner(before, f"{role}_0", Config.load(**SMALL), 1).export(tmp_path / f"{role}.safetensors", {})
    words = ["--start", f"policy:{tmp_path}", "--out", str(out)]
    parser = argparse.ArgumentParser()
    add_league_options(parser)
    with pytest.raises(ValueError, match="made for other rules"):
        run_of(parser.parse_args(words), "train")
    with pytest.raises(ValueError, match="give --start, too"):
        run_of(parser.parse_args(["--start-set", "rules=reconstructed_1"]), "train")
    run = run_of(parser.parse_args([*words, "--start-set", "rules=reconstructed_1"]), "train")
    assert run.start == {f"{role}_0": out / "start" / f"{role}.safetensors" for role in ("dragon", "dwarves")}
    old, new = (
        load_policy(tmp_path / "dragon.safetensors", before),
        load_policy(out / "start" / "dragon.safetensors", run.game),
    )
    for name, tensor in old.tensors.items():
        np.testing.assert_array_equal(tensor, new.tensors[name])


def test_a_learner_can_begin_with_a_policy(tmp_path):
    game, config = make_game("drako"), Config.load(**SMALL)
    first, second = Learner(game, "dragon_0", config, 1), Learner(game, "dragon_0", config, 2)
    first.export(tmp_path / "dragon.safetensors", {})
    assert not np.array_equal(first.model.tensors()["0.weight"], second.model.tensors()["0.weight"])
    second.start_from(tmp_path / "dragon.safetensors")
    for name, tensor in first.model.tensors().items():
        assert np.array_equal(tensor, second.model.tensors()[name])
    other = Learner(game, "dragon_0", Config.load(**SMALL | {"layers": [16]}), 3)
    with pytest.raises(ValueError, match="another shape than layers"):
        other.start_from(tmp_path / "dragon.safetensors")
