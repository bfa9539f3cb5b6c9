"""RLlib's own runner with its own masking module."""

import pytest

ray = pytest.importorskip("ray", reason="needs Ray: pip install 'drako-env[rllib]'")

import numpy as np
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.rllib.utils.metrics import EPISODE_AGENT_RETURN_MEAN
from ray.tune.registry import register_env

from drako_env import drako_v0
from drako_env.envs.rllib import masking_env


def test_observations_are_called_what_the_module_looks_for():
    env, plain = masking_env(drako_v0.env(normalized=True)), drako_v0.env(normalized=True)
    seen, _ = env.reset(seed=3)
    plain.reset(seed=3)
    ((agent, observation),) = seen.items()
    assert env.observation_spaces[agent].contains(observation)
    assert np.array_equal(observation["observations"], plain.observe(agent)["observation"])
    assert np.array_equal(observation["action_mask"], plain.observe(agent)["action_mask"])


@pytest.mark.slow
def test_the_stock_masking_module_learns():
    """What it draws is legal: an illegal action would end a game with -1 for one seat and 0 for the other."""
    register_env("drako masked", lambda _: masking_env(drako_v0.env(normalized=True)))
    seats = drako_v0.raw_env().possible_agents
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [32]})
    config = (
        PPOConfig()
        .environment("drako masked")
        .env_runners(num_env_runners=0)
        .multi_agent(policies=seats, policy_mapping_fn=lambda agent, episode, **_: agent)
        .rl_module(rl_module_spec=module)
        .training(train_batch_size_per_learner=512, minibatch_size=64, num_epochs=1)
    )
    ray.init("local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    algorithm = config.build_algo()
    found = algorithm.train()["env_runners"]
    algorithm.stop()
    ray.shutdown()
    assert found["num_episodes"] > 1
    assert sum(found[EPISODE_AGENT_RETURN_MEAN].values()) == pytest.approx(0)
