"""SuperSuit's wrappers: what the example says of each is true."""

import sys

import pytest

pytest.importorskip("supersuit", reason="SuperSuit is missing: make setup installs it")

from drako_env import drako_v0
from scripts.examples import supersuit_wrappers as example

WORK = {
    *("observation_lambda_v0", "action_lambda_v1", "reward_lambda_v0", "clip_reward_v0", "pad_action_space_v0"),
    *("nan_random_v0", "nan_noop_v0", "nan_zeros_v0"),
}
BREAK = {"max_observation_v0", "delay_observations_v0", "frame_skip_v0", "sticky_actions_v0", "clip_actions_v0"}


def kinds(make, wraps):
    return {name: kind for name, (kind, _) in example.tried(make, wraps, games=2, seed=3).items()}


def test_around_the_game():
    expected = dict.fromkeys(example.ON_AEC, "refuses") | dict.fromkeys(WORK, "works") | dict.fromkeys(BREAK, "breaks")
    assert kinds(drako_v0.env, example.ON_AEC) == expected


def test_around_one_seat():
    expected = dict.fromkeys(example.ON_GYM, "works") | {"frame_skip_v0": "breaks", "sticky_actions_v0": "breaks"}
    assert kinds(drako_v0.gym_env, example.ON_GYM) == expected


def test_scaled_observations_are_in_their_space():
    env = example.scaled(drako_v0.env())
    env.reset(seed=0)
    for agent in env.possible_agents:
        assert env.observe(agent) in env.observation_space(agent)
        assert (env.observe(agent)["action_mask"] == env.unwrapped.observe(agent)["action_mask"]).all()


@pytest.mark.filterwarnings("ignore:.*Step received an NaN action:UserWarning")
def test_nan_is_replaced_by_any_action(caplog):
    """With two legal actions of 222 at the start, a wrapper that saw the mask would never choose another one."""
    env = example.ON_AEC["nan_random_v0"](drako_v0.env())
    env.reset(seed=0)
    assert env.last()[0]["action_mask"].sum() == 2
    env.action_space(env.agent_selection).seed(0)
    env.step(float("nan"))
    assert "Illegal move" in caplog.text
    assert env.terminations["dragon_0"]


def test_a_wrapper_that_hides_the_mask_is_seen():
    def spoil(env):
        return example.supersuit.observation_lambda_v0(
            env, lambda shown, space: {**shown, "action_mask": shown["action_mask"][::-1]}, lambda space: space
        )

    assert example.tried(drako_v0.env, {"spoil": spoil}, 1, 0)["spoil"].kind == "breaks"


def test_the_script_runs(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["supersuit_wrappers.py"])
    example.main()
    assert f"of {len(example.ON_AEC) + len(example.ON_GYM)} work" in capsys.readouterr().out
