"""PettingZoo's registry, its own test of the global state, and its tutorial for Stable-Baselines3."""

from importlib import import_module

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.utils import BaseWrapper
from sb3_contrib import MaskablePPO
from sb3_contrib.common.wrappers import ActionMasker

import drako_env  # noqa: F401 (registers the environments)
from drako_env import drako_v0
from drako_env.envs.registration import gymnasium_id
from drako_env.games import GAMES
from drako_env.testing import check_seat_returns, gym_loop
from scripts.examples.reward_wiring import OneSeat
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


class SB3ActionMaskWrapper(BaseWrapper, gymnasium.Env):
    """As it stands in PettingZoo's tutorial."""

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.observation_space = super().observation_space(self.possible_agents[0])["observation"]
        self.action_space = super().action_space(self.possible_agents[0])
        return self.observe(self.agent_selection), {}

    def step(self, action):
        current_agent = self.agent_selection
        super().step(action)
        next_agent = self.agent_selection
        return (
            self.observe(next_agent),
            self._cumulative_rewards[current_agent],
            self.terminations[current_agent],
            self.truncations[current_agent],
            self.infos[current_agent],
        )

    def observe(self, agent):
        return super().observe(agent)["observation"]

    def action_mask(self):
        return super().observe(self.agent_selection)["action_mask"]


def eval_action_mask(env, model, seat, games):
    """The tutorial's other half: a trained agent plays on one seat; what every seat was given."""
    given = dict.fromkeys(env.possible_agents, 0.0)
    for game in range(games):
        env.reset(seed=game)
        for agent in env.possible_agents:
            env.action_space(agent).seed(game)
        for agent in env.agent_iter():
            obs, reward, termination, truncation, _ = env.last()
            given[agent] += reward
            if termination or truncation:
                env.step(None)
                continue
            observation, action_mask = obs.values()
            drawn = env.action_space(agent).sample(action_mask)
            learnt = agent == seat and model.predict(observation, action_masks=action_mask, deterministic=True)[0]
            env.step(int(learnt if agent == seat else drawn))
    return given


def train(env, masks):
    settings = {"n_steps": 32, "batch_size": 32, "n_epochs": 1, "policy_kwargs": {"net_arch": [16]}}
    return MaskablePPO("MlpPolicy", ActionMasker(env, masks), seed=0, device="cpu", **settings).learn(64)


def test_the_tutorial_trains_and_pays_the_wrong_seat():
    """It runs without a word, which is what is wrong with it."""
    with pytest.raises(AssertionError, match="all got the outcome of whoever decided last in the game"):
        check_seat_returns(gym_loop(SB3ActionMaskWrapper))
    env = SB3ActionMaskWrapper(drako_v0.env())
    env.reset(seed=0)
    assert train(env, lambda env: env.action_mask()).num_timesteps == 64


@pytest.mark.parametrize("seat", ["dragon_0", "dwarves_0"])
def test_the_tutorial_in_both_directions_with_ones_own_outcome(seat):
    """Trained through a wrapper that pays a seat its own outcome, and then played in PettingZoo's loop on each seat."""
    assert check_seat_returns(gym_loop(OneSeat), games=4).games == 4
    model = train(OneSeat(drako_v0.env()), lambda env: env.action_masks())
    given = eval_action_mask(drako_v0.env(), model, seat, 6)
    assert sum(given.values()) == 0
    assert abs(given[seat]) in (0, 2, 4, 6)
    single = drako_v0.gym_env(seat)
    assert eval_action_mask(drako_v0.env(), model, seat, 6) == given, "the same seeds, the same games"
    assert single.observation_space == model.observation_space, "one seat's own door takes the same models"
