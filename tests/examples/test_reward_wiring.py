"""The ablation of rewards: the arms differ in nothing else, and the script runs."""

import json

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="sb3-contrib is missing: make setup installs it")

from scripts.examples import reward_wiring as example


def played(env, seed, steps=400):
    """What a learner sees and is paid, playing the first legal action or the last in turns."""
    seen, _ = env.reset(seed=seed)
    rows = []
    for step in range(steps):
        legal = np.flatnonzero(env.action_masks())
        seen, reward, over, _, _ = env.step(legal[-(step % 2)])
        rows.append((seen.tobytes(), over, reward))
        if over:
            env.reset()
    return rows


def test_the_arms_differ_in_the_reward_alone():
    arms = [example.Arm(example.RANDOM, reward) for reward in (example.OWN, example.LAST)]
    own, last = (played(example.make_env(arm), seed=3) for arm in arms)
    assert [row[:2] for row in own] == [row[:2] for row in last]
    ends = [(mine[2], other[2]) for mine, other in zip(own, last, strict=True) if mine[1]]
    assert len(ends) > 3
    assert any(mine != other for mine, other in ends)
    assert all(abs(mine) == abs(other) == 1 for mine, other in ends)


def test_in_random_play_whoever_acted_last_has_mostly_lost():
    """About one game of random play in sixteen is won by whoever decided last: attacks are answered out of turn."""
    env = example.OneStream(example.drako_v0.env())
    chance, won = np.random.default_rng(0), []
    for seed in range(60):
        env.reset(seed=seed)
        over = False
        while not over:
            _, reward, over, _, _ = env.step(chance.choice(np.flatnonzero(env.action_masks())))
        won.append(reward > 0)
    assert np.mean(won) < 0.2


def test_the_script_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(example, "SETTINGS", {"n_steps": 64, "n_epochs": 1})
    example.main(["--steps", "64", "--seeds", "1", "--games", "10", "--out", str(tmp_path / "results.json")])
    said = capsys.readouterr().out
    rows = [line for line in said.splitlines() if line.startswith("| ") and "rewarded" not in line]
    assert len(rows) == len(example.ARMS)
    assert len(json.loads((tmp_path / "results.json").read_text())) == len(example.ARMS)
