"""Gymnasium's own checker, wrappers and vector environments on `gymnasium.make` and `make_vec`."""

from copy import deepcopy

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import (
    FrameStackObservation,
    NormalizeObservation,
    NormalizeReward,
    RecordEpisodeStatistics,
    RecordVideo,
)
from gymnasium.wrappers import vector as vector_wrappers

import drako_env  # noqa: F401 (registers the environments)
from tests.clients.conftest import PIPES

IDS = {"drako_env/Drako-v0": "dwarves_0", "drako_env/GoldenDragon-v0": "player", "drako_env/Icarius-v0": "player_1"}
MODES = list(AutoresetMode)


def play(env, decisions, seed=0):
    """Random legal decisions; returns the infos of the ends of games."""
    _, info = env.reset(seed=seed)
    chance, ends = np.random.default_rng(seed), []
    for _ in range(decisions):
        *_, terminated, truncated, info = env.step(int(chance.choice(np.flatnonzero(info["action_mask"]))))
        if terminated or truncated:
            ends.append(info)
            _, info = env.reset()
    return ends


def play_many(env, steps, seed=0):
    """The same in a vector environment; returns the last observation and all infos."""
    _, infos = env.reset(seed=seed)
    chance, seen = np.random.default_rng(seed), []
    for _ in range(steps):
        actions = (chance.random(infos["action_mask"].shape) * infos["action_mask"]).argmax(axis=1)
        observation, _, terminated, _, infos = env.step(actions)
        seen.append(deepcopy(infos))  # RecordEpisodeStatistics changes them at the next reset
        if terminated.any() and env.metadata["autoreset_mode"] == AutoresetMode.DISABLED:
            _, infos = env.reset(options={"reset_mask": terminated})
    return observation, seen


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("illegal", ["lose", "random"])
@pytest.mark.parametrize(("name", "seat"), IDS.items())
def test_check_env(name, seat, illegal, normalized, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    check_env(gymnasium.make(name, seat=seat, illegal=illegal, normalized=normalized), skip_render_check=normalized)


@pytest.mark.parametrize("name", IDS)
def test_check_env_by_default_names_the_remedy(name, monkeypatch):
    """It draws actions blindly, and an illegal one is a mistake."""
    env = gymnasium.make(name)
    monkeypatch.setattr(env.action_space, "sample", lambda: int(env.unwrapped.action_masks().argmin()))
    with pytest.raises(ValueError, match=r"is illegal for .*illegal='lose'"):
        check_env(env, skip_render_check=True)


@pytest.mark.parametrize("name", IDS)
def test_record_episode_statistics(name):
    ends = play(RecordEpisodeStatistics(gymnasium.make(name)), 300)
    assert len(ends) > 1
    assert all(info["episode"]["r"] in (-1.0, 1.0) and info["episode"]["l"] > 3 for info in ends)


def test_normalize_observation():
    env = NormalizeObservation(gymnasium.make("drako_env/Drako-v0", normalized=True))
    play(env, 100)
    assert env.obs_rms.mean.max() <= 1
    assert env.obs_rms.count > 100


def test_normalize_reward():
    env = NormalizeReward(gymnasium.make("drako_env/Drako-v0"))
    assert play(env, 200)
    assert env.return_rms.count > 200


def test_frame_stack():
    env = FrameStackObservation(gymnasium.make("drako_env/Drako-v0"), 4)
    play(env, 60)
    assert env.observation_space.shape == (4, *env.unwrapped.observation_space.shape)


@pytest.mark.filterwarnings(PIPES)
def test_record_video(tmp_path, film):
    env = gymnasium.make("drako_env/Drako-v0", render_mode="rgb_array")
    play(RecordVideo(env, str(tmp_path / "films"), episode_trigger=lambda episode: episode == 0, video_length=5), 8)
    frames, fps = film(tmp_path / "films")
    assert len(frames) > 4
    assert fps == env.metadata["render_fps"]
    assert len({frame.tobytes() for frame in frames}) > 1, "the picture changes"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", IDS)
def test_vector_record_episode_statistics(name, mode):
    env = vector_wrappers.RecordEpisodeStatistics(gymnasium.make_vec(name, num_envs=5, autoreset_mode=mode))
    _, seen = play_many(env, 200)
    returns = [infos["episode"]["r"][infos["_episode"]] for infos in seen if "episode" in infos]
    assert len(np.concatenate(returns)) > 5
    assert set(np.concatenate(returns)) <= {-1.0, 1.0}


def test_vector_normalize_observation():
    """The wrapper refuses every other mode."""
    many = gymnasium.make_vec("drako_env/Drako-v0", num_envs=5, autoreset_mode=AutoresetMode.NEXT_STEP, normalized=True)
    env = vector_wrappers.NormalizeObservation(many)
    play_many(env, 50)
    assert env.obs_rms.mean.max() <= 1


@pytest.mark.parametrize("mode", MODES)
def test_vector_normalize_reward(mode):
    env = vector_wrappers.NormalizeReward(gymnasium.make_vec("drako_env/Drako-v0", num_envs=4, autoreset_mode=mode))
    play_many(env, 100)
    assert env.return_rms.count > 100
    assert np.isfinite(env.return_rms.var)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_vector_frame_stack(mode):
    """Gymnasium has no wrapper of vectors that does it, but its own vectors of wrapped environments do."""
    wrapped = {"wrappers": [lambda env: FrameStackObservation(env, 4)], "vector_kwargs": {"autoreset_mode": mode}}
    env = gymnasium.make_vec("drako_env/Drako-v0", num_envs=3, vectorization_mode="sync", normalized=True, **wrapped)
    observation, _ = play_many(env, 120)
    assert observation.shape == (3, 4, *gymnasium.make("drako_env/Drako-v0").observation_space.shape)
    assert env.observation_space.contains(observation)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED])
def test_vector_transform_observation(mode):
    """Wrappers of observations refuse the other mode."""
    many = gymnasium.make_vec("drako_env/Drako-v0", num_envs=3, autoreset_mode=mode)
    env = vector_wrappers.FlattenObservation(vector_wrappers.DtypeObservation(many, np.float32))
    observation, _ = play_many(env, 100)
    assert observation.dtype == np.float32
    assert env.observation_space.contains(observation)


def test_vector_dict_info_to_list():
    env = gymnasium.make_vec("drako_env/Drako-v0", num_envs=3)
    _, infos = vector_wrappers.DictInfoToList(env).reset(seed=0)
    assert [info["action_mask"].tolist() for info in infos] == env.action_masks().tolist()


@pytest.mark.filterwarnings(PIPES)
def test_vector_record_video(tmp_path, film):
    many = gymnasium.make_vec(
        "drako_env/Drako-v0", num_envs=2, autoreset_mode=AutoresetMode.NEXT_STEP, render_mode="rgb_array"
    )
    env = vector_wrappers.RecordVideo(
        many, str(tmp_path / "films"), episode_trigger=lambda episode: episode == 0, video_length=3
    )
    play_many(env, 4)
    frames, _ = film(tmp_path / "films")
    single = gymnasium.make("drako_env/Drako-v0", render_mode="rgb_array")
    single.reset(seed=0)
    assert frames[0].size == 2 * single.render().size, "both games stand side by side"


@pytest.mark.parametrize("vectorization", ["sync", pytest.param("async", marks=pytest.mark.slow)])
def test_sync_and_async_vector_env(vectorization):
    """Gymnasium's own vector environments of single ones: masks go on after a game's end."""
    env = gymnasium.make_vec("drako_env/Drako-v0", num_envs=2, vectorization_mode=vectorization, seat="dwarves_0")
    _, seen = play_many(env, 120)
    assert all(infos["action_mask"].any(axis=1).all() for infos in seen)
    env.close()


@pytest.mark.parametrize("seat", ["dragon_0", "dwarves_0"])
@pytest.mark.parametrize("mode", MODES)
def test_many_games_are_what_gymnasiums_own_vector_shows_of_single_ones(mode, seat):
    """The same observations, rewards, ends, masks and pictures, in each of its modes and from a list of seeds; where
    games are dealt anew by themselves, up to their ends."""
    seeds, made = [11, 4, 7], {"num_envs": 3, "seat": seat, "render_mode": "ansi", "illegal": "random"}
    ours = gymnasium.make_vec("drako_env/Drako-v0", autoreset_mode=mode, **made)
    settings = {"vectorization_mode": "sync", "vector_kwargs": {"autoreset_mode": mode}}
    theirs = gymnasium.make_vec("drako_env/Drako-v0", **settings, **made)
    (seen, infos), (expected, others) = (env.reset(seed=seeds) for env in (ours, theirs))
    ended, same = 0, np.ones(3, bool)
    for step in range(150):
        assert np.array_equal(seen[same], expected[same]), step
        assert np.array_equal(infos["action_mask"][same], others["action_mask"][same]), step
        assert (np.array(ours.render())[same] == np.array(theirs.render())[same]).all()
        actions = infos["action_mask"].argmax(axis=1)
        (seen, rewards, over, _, infos), (expected, their_rewards, their_over, _, others) = (
            env.step(actions) for env in (ours, theirs)
        )
        assert np.array_equal(rewards[same], their_rewards[same])
        assert np.array_equal(over[same], their_over[same])
        ended += (over & same).sum()
        for i in np.flatnonzero(over & same & (mode == AutoresetMode.SAME_STEP)):
            assert np.array_equal(infos["final_obs"][i], others["final_obs"][i])
        if mode == AutoresetMode.NEXT_STEP:
            assert np.array_equal(seen[same], expected[same])
        same &= ~over | (mode == AutoresetMode.DISABLED)
        if over.any() and mode == AutoresetMode.DISABLED:
            again = {"reset_mask": over.copy()}
            (seen, infos), (expected, some) = (env.reset(options=dict(again)) for env in (ours, theirs))
            others = {"action_mask": np.where(over[:, None], some["action_mask"], others["action_mask"])}
    assert ended >= 3
