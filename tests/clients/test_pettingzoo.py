"""PettingZoo's registry, and its own test of the global state."""

from importlib import import_module

import numpy as np
import pettingzoo
import pytest

import drako_env  # noqa: F401 (registers the environments)
from drako_env.envs.registration import gymnasium_id
from drako_env.games import GAMES
from tests.every_game import every_game, one_of_each_game


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no registry")
@pytest.mark.parametrize("game", GAMES)
def test_make(game):
    env = pettingzoo.make("aec", f"drako_env/{game}-v0", render_mode="ansi")
    env.reset(seed=1)
    assert env.metadata["name"] == f"{game}_v0"
    assert pettingzoo.make("aec", f"drako_env/{game}_v0", normalized=True).unwrapped.normalized
    assert pettingzoo.make("aec", gymnasium_id(game)).metadata["name"] == f"{game}_v0"


def test_make_takes_the_options_of_the_rules():
    env = pettingzoo.make("aec", "drako_env/golden_dragon-v0", num_players=4)
    assert len(env.possible_agents) == 4


@one_of_each_game
@pytest.mark.parametrize("normalized", [False, True])
def test_the_state(module, options, normalized):
    """What all seats know together, in its bounds, and as PettingZoo's own test wants it."""
    env = module.env(normalized=normalized, **options)
    theirs = import_module("pettingzoo.test.state_test")
    theirs.test_state_space(env)
    theirs.test_state(env, 5)
    env.reset(seed=3)
    for agent in env.agent_iter(40):
        seen, state = [env.observe(seat)["observation"] for seat in env.possible_agents], env.state()
        assert np.array_equal(state, np.concatenate(seen))
        assert env.unwrapped.state_space.contains(state)
        observation, _, termination, truncation, _ = env.last()
        assert env.observation_space(agent).contains(observation)
        env.step(None if termination or truncation else int(observation["action_mask"].argmax()))


@every_game
def test_the_state_is_everything(module, options):
    """Whatever one seat may not know and another deal changes, the state shows."""
    env = module.raw_env(**options)
    changed = 0
    for seed in range(12):
        env.reset(seed=seed)
        for _ in range(4 * len(env.possible_agents)):
            env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        before, position = env.state(), env.state_dict()
        env.position.states["rng"] += 1
        env.position.redeal(0)
        different = position != env.state_dict()
        assert different == (not np.array_equal(before, env.state()))
        changed += different
    assert changed
