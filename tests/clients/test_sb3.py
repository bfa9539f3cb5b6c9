"""Stable-Baselines3's checker, its algorithms without masks, its wrappers and recorders."""

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.wrappers import ActionMasker
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecCheckNan, VecFrameStack, VecMonitor, VecNormalize, VecVideoRecorder

import drako_env  # noqa: F401 (registers the environments)
from drako_env import drako_v0, golden_dragon_v0
from tests.clients.conftest import PIPES

IDS = ["drako_env/Drako-v0", "drako_env/GoldenDragon-v0", "drako_env/Icarius-v0"]


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("illegal", ["lose", "random"])
@pytest.mark.parametrize("name", IDS)
def test_check_env(name, illegal, normalized):
    check_env(gymnasium.make(name, illegal=illegal, normalized=normalized, render_mode="ansi"), skip_render_check=False)


@pytest.mark.parametrize("illegal", ["lose", "random"])
@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        (DQN, {"learning_starts": 20, "buffer_size": 1000, "batch_size": 16}),
        (A2C, {"n_steps": 8}),
        (PPO, {"n_steps": 16, "batch_size": 16, "n_epochs": 1}),
    ],
    ids=["DQN", "A2C", "PPO"],
)
def test_algorithms_without_masks(algorithm, settings, illegal):
    """On one environment of Gymnasium's and on ours of many, and judged by `evaluate_policy`."""
    single = gymnasium.make("drako_env/Drako-v0", illegal=illegal, normalized=True)
    many = drako_v0.sb3_env(4, illegal=illegal, normalized=True)
    for env in (single, many):
        model = algorithm("MlpPolicy", env, seed=0, device="cpu", policy_kwargs={"net_arch": [16]}, **settings)
        model.learn(100)
        mean, _ = evaluate_policy(model, env, n_eval_episodes=4, warn=False)
        assert -1 <= mean <= 1


def test_an_action_masker_over_gymnasium_make():
    env = ActionMasker(gymnasium.make("drako_env/Drako-v0"), lambda e: e.action_masks())
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=32, n_epochs=1, seed=0, device="cpu")
    model.learn(32)


def test_maskable_ppo_on_make_vec_env():
    """Without a word about masks: they are found behind Stable-Baselines3's wrappers."""
    env = make_vec_env("drako_env/Drako-v0", n_envs=2, seed=0)
    MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, seed=0, device="cpu").learn(32)


@pytest.mark.parametrize("wrapper", [VecMonitor, VecNormalize, VecCheckNan, lambda env: VecFrameStack(env, 3)])
def test_vec_wrappers(wrapper):
    env = wrapper(golden_dragon_v0.sb3_env(4, seat="player", normalized=True))
    observation = env.reset()
    infos = []
    for _ in range(150):
        masks = np.stack(env.env_method("action_masks"))
        observation, _, _, now = env.step(masks.argmax(axis=1))
        infos += [info["episode"] for info in now if "episode" in info]
    assert env.observation_space.shape == observation.shape[1:]
    assert np.isfinite(observation).all()
    assert infos
    assert all(episode["l"] > 0 for episode in infos)


@pytest.mark.filterwarnings(PIPES)
def test_vec_video_recorder(tmp_path, film):
    env = VecVideoRecorder(
        drako_v0.sb3_env(2, render_mode="rgb_array"), str(tmp_path), lambda step: step == 0, video_length=3
    )
    env.reset()
    for _ in range(5):
        env.step(np.stack(env.env_method("action_masks")).argmax(axis=1))
    frames, fps = film(tmp_path)
    assert len(frames) > 2
    assert fps == 2
    assert len({frame.tobytes() for frame in frames}) > 1
