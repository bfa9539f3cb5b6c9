"""OpenSpiel's algorithms, tabular and deep, on the games as they are loaded."""

import pytest

pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel: pip install 'drako-env[openspiel]'")

import numpy as np
from open_spiel.python import policy, rl_environment
from open_spiel.python.algorithms import cfr, exploitability, external_sampling_mccfr, outcome_sampling_mccfr
from open_spiel.python.pytorch import dqn, nfsp

import drako_env.openspiel  # noqa: F401 (registers the games)

TABLE = "python_drako(rules=micro)"


@pytest.fixture(scope="module")
def game():
    return pyspiel.load_game(TABLE)


@pytest.mark.slow
def test_exploitability(game):
    loss = exploitability.nash_conv(game, policy.UniformRandomPolicy(game))
    assert 0 < loss < 4


@pytest.mark.slow
def test_cfr(game):
    solver = cfr.CFRSolver(game)
    before = exploitability.nash_conv(game, solver.average_policy())
    for _ in range(3):
        solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(game, solver.average_policy()) < before


@pytest.mark.parametrize(
    "solver",
    [outcome_sampling_mccfr.OutcomeSamplingSolver, external_sampling_mccfr.ExternalSamplingSolver],
)
def test_mccfr(game, solver):
    learner = solver(game)
    for _ in range(3):
        learner.iteration()
    table = learner.average_policy()
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    assert sum(table.action_probabilities(state).values()) == pytest.approx(1)


def learn(agents, episodes):
    """Self-play through `rl_environment`; returns the losses."""
    env, losses = rl_environment.Environment("python_drako", chance_event_sampler=None), []
    for _ in range(episodes):
        step = env.reset()
        while not step.last():
            player = step.observations["current_player"]
            output = agents[player].step(step)
            step = env.step([output.action])
        for agent in agents:
            agent.step(step)
        losses += [loss for agent in agents for loss in np.ravel(agent.loss) if loss is not None]
    return np.array(losses, float)


def sizes():
    env = rl_environment.Environment("python_drako")
    return env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]


def test_dqn_does_not_diverge():
    """With its default settings: what it sees is from 0 to 1."""
    settings = {"hidden_layers_sizes": [32], "replay_buffer_capacity": 2000, "batch_size": 16}
    settings |= {"min_buffer_size_to_learn": 50, "learn_every": 5, "update_target_network_every": 100}
    losses = learn([dqn.DQN(player, *sizes(), **settings) for player in range(2)], 4)
    assert len(losses) > 0
    assert losses.max() < 10


def test_nfsp():
    settings = {"hidden_layers_sizes": [16], "reservoir_buffer_capacity": 2000, "anticipatory_param": 0.1}
    settings |= {"batch_size": 16, "min_buffer_size_to_learn": 50, "learn_every": 20}
    learn([nfsp.NFSP(player, *sizes(), **settings) for player in range(2)], 2)
