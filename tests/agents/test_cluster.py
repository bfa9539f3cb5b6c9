"""Training and evaluation on a Ray cluster: the same runs and files as on one machine, and a node may be lost."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

ray = pytest.importorskip("ray", reason="needs Ray: pip install 'drako-env[rllib]'")

import torch
from ray.cluster_utils import Cluster as Nodes
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns

from agents.league.cluster import ClusterLearners, LeaguePPO, ppo_config
from agents.league.config import Config, Pace
from drako_env import drako_v0
from drako_env.cli.options import INTERRUPTED
from drako_env.evaluation.match import play_game
from drako_env.games import make_game
from drako_env.players import make_player
from drako_env.players.policy import load_policy

ROOT = Path(__file__).parents[2]
SMALL = {"layers": [32], "num_envs": 32, "steps": 16, "minibatch": 256, "rollouts": 1, "eval_games": 16, "magnet": 0.1}
SMALL_WORDS = [word for name, value in SMALL.items() for word in ("--train", f"{name}={value}")]
BEGIN = ["--set", "rules=tiny", *SMALL_WORDS]
SEEDS = {"dragon_0": 1, "dwarves_0": 2}


@pytest.fixture(scope="module")
def nodes():
    """A cluster of one node, to which others can be added."""
    cluster = Nodes(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    yield cluster
    cluster.shutdown()


def script(name, *words):
    return [sys.executable, str(ROOT / "scripts" / f"{name}.py"), *map(str, words)]


def run(name, *words, cwd=ROOT):
    return subprocess.run(
        script(name, *words),
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        stdin=subprocess.DEVNULL,
    )


def state(folder):
    path = folder / "checkpoint" / "state.json"
    return json.loads(path.read_text()) if path.exists() else {"round": 0}


def assert_whole(state):
    """Every round has 32 games of 32 decisions, whoever played them; some last ones do not count."""
    assert 960 * state["round"] <= sum(state["decisions"].values()) <= 1024 * state["round"]


def wait_for(process, said, condition):
    """Until a condition holds; whoever is slow is waited for."""
    while not condition():
        assert process.poll() is None, said.read_text()
        time.sleep(0.1)


def test_a_run_survives_a_lost_node_and_goes_on_after_an_interruption(nodes, tmp_path):
    """From any folder. It has no end of its own, so that nothing here depends on how fast it is."""
    folder, said = tmp_path / "run", tmp_path / "said"
    words = ["--out", folder, "--address", nodes.address, "--games", 50]
    second = nodes.add_node(num_cpus=1)
    with said.open("w") as out:
        command = script("train_rllib", "--rounds", 100_000, "--runners", 2, *words, *BEGIN)
        process = subprocess.Popen(command, cwd=tmp_path, stdout=out, stderr=out, stdin=subprocess.DEVNULL)
    try:
        wait_for(process, said, lambda: state(folder)["round"] >= 2)
        nodes.remove_node(second, allow_graceful=False)
        lost = "1 of 2 runners lost; training goes on with the rest"
        wait_for(process, said, lambda: lost in said.read_text())
        rounds = state(folder)["round"]
        wait_for(process, said, lambda: state(folder)["round"] > rounds)
        process.send_signal(signal.SIGINT)
        assert process.wait() == INTERRUPTED, said.read_text()
    finally:
        process.kill()
    first = state(folder)
    assert_whole(first)
    won = [row["sides"][role]["train_win"]["itself"] for row in first["rows"] for role in ("dragon", "dwarves")]
    assert [1 - share for share in won[::2]] == pytest.approx(won[1::2])

    other = run("train", "--out", folder, "--resume", "--rounds", first["round"] + 1)
    assert other.returncode == 2
    assert "begun with scripts/train_rllib.py" in other.stderr

    done = run("train_rllib", "--resume", "--rounds", first["round"] + 1, "--runners", 1, *words)
    assert done.returncode == 0, done.stderr
    assert "dwarves_0" in done.stdout
    assert [line for line in done.stderr.splitlines() if "drako_env: compiling" not in line] == []
    assert_whole(state(folder))
    assert state(folder)["rows"][:-1] == first["rows"]
    saved = sorted(path.name for path in (folder / "checkpoint").iterdir() if path.is_dir())
    assert saved == [f"{first['round'] + i:05}" for i in range(2)]

    game = make_game("drako", rules="tiny")
    assert load_policy(folder / "policies" / "dwarves.safetensors", game).info["seat"] == "dwarves_0"
    agent = make_player(f"policy:{folder / 'policies'}", game)
    assert play_game(game, [agent, agent], seed=1).decisions > 0


def test_evaluation_on_ray_plays_the_same_games(nodes, tmp_path):
    (tmp_path / "mine.py").write_text("from drako_env.players.simple import HeuristicAgent as Own\n")
    words = ["mine:Own", "random", "--games", 20, "--replays", "3"]
    there = run("evaluate", *words, "--out", "there", "--ray", nodes.address, cwd=tmp_path)
    here = run("evaluate", *words, "--out", "here", "--processes", 1, cwd=tmp_path)
    assert there.returncode == here.returncode == 0, there.stderr
    for name in ("games.jsonl", "report.md", "replays/mine_Own-random-3.jsonl"):
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


def test_a_balance_of_several_series_connects_once(nodes, tmp_path):
    words = [
        "--agents",
        "heuristic",
        "random",
        "--games",
        4,
        "--tables",
        "tiny",
        "reconstructed",
        "--ray",
        nodes.address,
    ]
    done = run("balance", *words, "--out", tmp_path)
    assert done.returncode == 0, done.stderr


def test_too_few_cpus_and_no_cluster_are_said(nodes, tmp_path):
    done = run("train_rllib", "--address", nodes.address, "--runners", 32, "--out", tmp_path)
    assert done.returncode == 2
    assert "CPUs, but 32 are needed" in done.stderr
    done = run("train_rllib", "--address", "127.0.0.1:1", "--out", tmp_path)
    assert done.returncode == 2
    assert "no Ray cluster at 127.0.0.1:1" in done.stderr


def test_an_uneven_split_is_refused(nodes, tmp_path):
    done = run("train_rllib", "--runners", 3, "--out", tmp_path / "run")
    assert done.returncode == 2
    assert done.stderr == "train_rllib: num_envs = 256 games cannot be split among 3 runners\n"
    assert not (tmp_path / "run").exists()


def test_the_order_of_the_sides_is_that_of_the_game():
    """From a set it would depend on the process, and with it every random number."""
    assert list(ppo_config(make_game("drako"), SEEDS, Config(), 2).policies) == list(SEEDS)


@pytest.fixture
def learners(nodes):
    """With one runner."""
    ray.init(address=nodes.address, log_to_driver=False, logging_level="CRITICAL")
    said = []
    made = ClusterLearners(1, said.append)
    made.said = said
    made.start(make_game("drako"), SEEDS, Config.load(**SMALL))
    yield made
    made.close()
    ray.shutdown()


def test_an_exported_policy_is_the_average_and_can_be_begun_with(learners, tmp_path):
    game, files = make_game("drako"), {seat: tmp_path / f"{seat}.safetensors" for seat in SEEDS}
    first = weights(learners)
    learners.train({}, Pace(1e-2, 0.01))
    learners.export(files, {})
    second, policy = weights(learners), load_policy(files["dragon_0"], game)
    assert np.abs(second - first).max() > 1e-3
    assert policy.tensors["policy.weight"] == pytest.approx(0.1 * first + 0.9 * second, abs=1e-6)
    assert np.array_equal(played_weights(learners), second)

    learners.train({}, Pace(1e-2, 0.01))
    third = weights(learners)
    average = learners._averages()["dragon_0"]["policy.weight"]
    assert average == pytest.approx(policy.tensors["policy.weight"] * 2 / 11 + third * 9 / 11, abs=1e-6)
    learners.save(tmp_path / "saved")
    learners.start_from(files)
    for found in (weights(learners), played_weights(learners), learners._averages()["dragon_0"]["policy.weight"]):
        assert np.array_equal(found, policy.tensors["policy.weight"])
    learners._algorithm.learner_group._learner._weights_seq_no = 0
    learners.load(tmp_path / "saved", dict.fromkeys(SEEDS, 1024))
    assert learners._algorithm.learner_group._learner._weights_seq_no == 2, "how slowly the average follows"
    assert np.array_equal(played_weights(learners), third)
    assert np.array_equal(learners._averages()["dragon_0"]["policy.weight"], average)


def test_the_network_that_learns_is_the_one_that_plays(learners, tmp_path):
    """Both in RLlib and, from a file, in the kernels."""
    game, files = make_game("drako"), {seat: tmp_path / f"{seat}.safetensors" for seat in SEEDS}
    learners.export(files, {})  # before the first update there is nothing to average
    batch = drako_v0.batch_env(64, seed=0)
    batch.step(batch.sample())
    network = learners._algorithm.learner_group._learner.module["dragon_0"]
    ways = game.symmetries.canonical(batch.observation)
    seen = {"observation": game.symmetries.turn(batch.observation, ways)}
    seen["action_mask"] = game.symmetries.turn_mask(batch.action_mask, ways)
    tensors = {name: ray.rllib.utils.torch_utils.convert_to_torch_tensor(values) for name, values in seen.items()}
    chances = network.forward_inference({Columns.OBS: tensors})[Columns.ACTION_DIST_INPUTS].softmax(-1)
    theirs = np.empty(chances.shape, np.float32)
    np.put_along_axis(theirs, game.symmetries.actions[ways], chances.detach().numpy(), axis=1)
    policy = load_policy(files["dragon_0"], game)
    assert np.abs(policy.probabilities(batch.observation, batch.action_mask) - theirs).max() < 1e-5


def test_a_lost_runner_comes_back_with_the_networks_and_hears_whom_it_meets(learners):
    learners._runners.foreach_env_runner(lambda runner: os.kill(os.getpid(), signal.SIGKILL), local_env_runner=False)
    figures = learners.train({seat: {"rules of thumb": (1.0, "heuristic")} for seat in SEEDS}, Pace(1e-3, 0.01))
    assert learners.said == ["1 of 1 runners lost; waiting for them to come back", "1 of 1 runners again"]
    (met,) = learners._runners.foreach_env_runner(opponents_of, local_env_runner=False)
    assert met == ["rules of thumb", "rules of thumb"]
    assert figures["dwarves_0"]["decisions"] in range(480, 513)
    assert np.array_equal(played_weights(learners), weights(learners))


def test_every_side_learns_with_the_rate_of_the_round(learners):
    before = {
        seat: network["policy.weight"] for seat, network in learners._algorithm.learner_group.get_weights().items()
    }
    learners.train({}, Pace(0.0, 0.01))
    assert all(np.array_equal(network, weights(learners, seat)) for seat, network in before.items())
    learners.train({}, Pace(1e-3, 0.01))
    for seat, network in before.items():  # Adam's first steps are as long as the rate
        assert 1e-4 < np.abs(weights(learners, seat) - network).max() < 3e-3


def test_an_update_raises_the_chances_of_what_turned_out_well(learners):
    algorithm = learners._algorithm
    algorithm.played = algorithm._collect()
    batch = {name: torch.tensor(array) for name, array in algorithm.played[0]["dragon_0"].batch.items()}
    network = algorithm.learner_group._learner.module["dragon_0"]

    def changes():
        with torch.no_grad():
            logits = network.judge(batch["observation"])[0].masked_fill(batch["action_mask"] == 0, -torch.inf)
        return logits.log_softmax(1).gather(1, batch["action"][:, None])[:, 0] - batch["log_probability"]

    assert changes().abs().max() < 1e-5, "runners play what the learner has"
    algorithm.learner_group.update(batch=algorithm._batch())
    assert (changes() * batch["advantage"]).mean() > 1e-4


class NobodyPlays:
    """An algorithm, with its runners, that is short of runners at first."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def train(self):
        self.played = self.answers.pop(0)
        return {"played": len(self.played)}

    def num_healthy_remote_env_runners(self):
        return 1


def test_an_update_waits_until_somebody_has_played(monkeypatch):
    monkeypatch.setattr("agents.league.cluster.WAIT_SECONDS", 0)
    learners = ClusterLearners(1)
    learners._algorithm = learners._runners = NobodyPlays(["a"], [], [], ["a", "b"], [])
    assert learners._update() == {"played": 1}
    assert learners._update() == {"played": 2}
    assert learners._algorithm.answers == [[]]


class SomeAreLost:
    """Runners of which fewer and fewer answer."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def healthy_env_runner_ids(self):
        return [1, 2, 3][: len(self.answers[0])] if self.answers else []

    def foreach_env_runner(self, name, *, remote_worker_ids, **_):
        self.asked.append(remote_worker_ids)
        return self.answers.pop(0)[: len(remote_worker_ids)]


@pytest.mark.parametrize(
    ("answers", "found", "asked"),
    [
        (["abc"], "abc", [[1, 2, 3]]),
        (["ab", "cd"], "abc", [[1, 2], [1]]),
        (["a", "b", "c"], "abc", [[1], [1], [1]]),
        (["ab"], "ab", [[1, 2]]),
        ([], "", []),
    ],
)
def test_those_who_are_left_play_what_is_missing(answers, found, asked):
    algorithm = LeaguePPO.__new__(LeaguePPO)
    algorithm.config, algorithm.env_runner_group = PPOConfig().env_runners(num_env_runners=3), SomeAreLost(*answers)
    assert "".join(algorithm._collect()) == found
    assert algorithm.env_runner_group.asked == asked


def weights(learners, seat="dragon_0"):
    """What the learner has."""
    return learners._algorithm.learner_group.get_weights()[seat]["policy.weight"]


def played_weights(learners):
    """What the runner plays the dragon with."""
    (found,) = learners._runners.foreach_env_runner(lambda runner: runner.module.get_state(), local_env_runner=False)
    return found["dragon_0"]["policy.weight"]


def opponents_of(runner):
    return [games._opponents[-1][0] for games in runner.sides.values()]
