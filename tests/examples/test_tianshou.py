"""Tianshou's wrapper: masks, targets of the right seat, and the limits that the example names."""

import copy
import sys

import numpy as np
import pytest

pytest.importorskip("tianshou", reason="Tianshou is missing: make setup installs it")

import torch
from tianshou.algorithm import Reinforce
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOnPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.env import PettingZooEnv
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step

from drako_env import drako_v0
from scripts.examples import tianshou_dqn as example

SEAT = "dwarves_0"


@pytest.fixture(scope="module")
def trained():
    """A learner after one round, and what was played."""
    learner = example.SeatLearner(SEAT, seed=0)
    before = [parameter.clone() for parameter in learner.policy.parameters()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(example, "UPDATES_PER_ROUND", 3)
        buffer = example.train(learner, games=example.GAMES_AT_ONCE, seed=0).buffer
    return learner, before, buffer


def games_of(buffer):
    """The indices of each game's decisions, in order."""
    indices = buffer.sample_indices(0)
    ends = np.flatnonzero(buffer.terminated[indices]) + 1
    assert ends[-1] == len(indices), "only whole games are stored"
    return np.split(indices, ends[:-1])


def test_every_action_was_legal(trained):
    _, _, buffer = trained
    indices = buffer.sample_indices(0)
    assert len(indices) > 1000
    assert buffer.obs.mask[indices, buffer.act[indices]].all()
    assert (buffer.obs.mask[indices].sum(axis=1) < 60).all()


def test_every_target_is_the_result_of_the_game_for_the_learners_seat(trained):
    learner, _, buffer = trained
    results = []
    for game in games_of(buffer):
        batch = learner.algorithm._preprocess_batch(buffer[game], buffer, game)
        result = buffer.rew[game[-1], learner.index]
        assert batch[SEAT].returns.flatten().tolist() == [result] * (buffer.obs.agent_id[game] == SEAT).sum()
        results.append(result)
    assert sorted(set(results)) == [-1.0, 1.0]


def test_the_learner_has_changed(trained):
    learner, before, _ = trained
    assert all(not torch.equal(a, b) for a, b in zip(before, learner.policy.parameters(), strict=True))


def test_wins_are_those_of_the_learners_seat():
    """Random play wins 71% as the dragon and 31% as the dwarves."""
    wins = []
    for seat in example.SEATS:
        learner = example.SeatLearner(seat, seed=0)
        learner.policy.set_eps_inference(1.0)
        learner.policy.forward = example.MARLRandomDiscreteMaskedOffPolicyAlgorithm.Policy(
            learner.policy.action_space
        ).forward
        wins.append(example.count_wins(learner, 50, seed=1))
    assert wins[0] > 28 > 22 > wins[1]


def test_the_flag_for_training_does_not_reach_the_seats():
    learner = example.SeatLearner(SEAT, seed=0)
    with policy_within_training_step(learner.algorithm.policy):
        assert learner.algorithm.policy.is_within_training_step
        assert not learner.policy.is_within_training_step


def test_on_policy_algorithms_do_not_see_games_lost_on_the_opponents_move(trained):
    learner, _, buffer = trained
    buffer = copy.deepcopy(buffer)
    env = PettingZooEnv(drako_v0.env())
    shape, actions = env.observation_space["observation"].shape, env.action_space.n
    networks = [Net(state_shape=shape, action_shape=actions, softmax=True) for _ in example.SEATS]
    policies = [
        DiscreteActorPolicy(actor=net, action_space=env.action_space, dist_fn=torch.distributions.Categorical)
        for net in networks
    ]
    both = [Reinforce(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0) for policy in policies]
    on_policy = MultiAgentOnPolicyAlgorithm(algorithms=both, env=env)
    lost = next(game for game in games_of(buffer) if buffer.rew[game[-1], learner.index] < 0)
    end = np.flatnonzero(buffer.obs.agent_id[lost] != SEAT)[-1]  # as if the opponent's last decision had ended it
    buffer.rew[lost[end]] = buffer.rew[lost[-1]]
    buffer.terminated[lost[end]] = buffer.done[lost[end]] = True
    lost = lost[: end + 1]
    batch = on_policy._preprocess_batch(buffer[lost], buffer, lost)
    assert (batch[SEAT].returns == 0).all()


def test_the_script_runs(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["tianshou_dqn.py", "--games", "1", "--evaluate", "4", "--seat", "dragon_0"])
    monkeypatch.setattr(example, "GAMES_AT_ONCE", 4)
    monkeypatch.setattr(example, "UPDATES_PER_ROUND", 2)
    example.main()
    said = capsys.readouterr().out
    assert "Trained: dragon_0 wins" in said
