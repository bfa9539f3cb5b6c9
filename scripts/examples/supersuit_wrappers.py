"""SuperSuit: which of its wrappers can be put around these environments? Each is tried, over whole games.

python scripts/examples/supersuit_wrappers.py              # one game in each wrapper
python scripts/examples/supersuit_wrappers.py --games 20

What works on `drako_v0.env()` (SuperSuit 3.11.0): the lambda wrappers, `clip_reward_v0`, `pad_action_space_v0`, and the
`nan_...` wrappers as long as no action is NaN. `observation_lambda_v0` is the way to change observations: `scaled`
below turns the numbers into floats and leaves the mask alone.

What does not:

- What expects a Box as observation (`dtype_v0`, `flatten_v0`, `frame_stack_v1`, ...) refuses the dictionary with the
  mask. On `drako_v0.gym_env()`, one seat with a Box and its mask in `infos`, most of these work.
- `frame_skip_v0` and `sticky_actions_v0` repeat actions that are no longer legal, and `delay_observations_v0` delays
  the mask too: the player loses by an illegal move.
- `max_observation_v0` and `vectorize_aec_env_v0` turn the dictionary into an array of objects.
- `nan_random_v0` looks for "action mask" without the underscore, so it replaces NaN by any action, legal or not.
- Wrappers for parallel environments do not apply to a game of turns. For many games at once: `drako_v0.batch_env`."""

import argparse
import contextlib
import io
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

import gymnasium
import numpy as np
import supersuit
from gymnasium import spaces
from pettingzoo import AECEnv
from rich.console import Console
from rich.table import Table

from drako_env import drako_v0

Wrap = Callable[[Any], Any]
Decisions = Iterator[tuple[str, bytes]]
"""Who decides, and the legal actions that are shown."""


def scaled(env: Any) -> Any:
    """The observation as floats of about one, the mask as it is."""

    def change(shown: dict[str, Any], space: spaces.Dict) -> dict[str, Any]:
        return {**shown, "observation": shown["observation"].astype(np.float32) / 4}

    def change_space(space: spaces.Dict) -> spaces.Dict:
        high = space["observation"].high.astype(np.float32) / 4
        return spaces.Dict({**space, "observation": spaces.Box(np.zeros_like(high), high, dtype=np.float32)})

    return supersuit.observation_lambda_v0(env, change, change_space)


def vectorized(env: Any) -> Any:
    """Two copies side by side, if their masks can be read."""
    envs = supersuit.vectorize_aec_env_v0(env, 2)
    envs.reset(seed=0)
    return envs.last()[0]["action_mask"]


ON_AEC: dict[str, Wrap] = {
    "observation_lambda_v0": scaled,
    "action_lambda_v1": lambda env: supersuit.action_lambda_v1(env, lambda action, space: action, lambda space: space),
    "reward_lambda_v0": lambda env: supersuit.reward_lambda_v0(env, lambda reward: 10 * reward),
    "clip_reward_v0": supersuit.clip_reward_v0,
    "pad_action_space_v0": supersuit.pad_action_space_v0,
    "nan_random_v0": supersuit.nan_random_v0,
    "nan_noop_v0": lambda env: supersuit.nan_noop_v0(env, 0),
    "nan_zeros_v0": supersuit.nan_zeros_v0,
    "dtype_v0": lambda env: supersuit.dtype_v0(env, np.float32),
    "flatten_v0": supersuit.flatten_v0,
    "reshape_v0": lambda env: supersuit.reshape_v0(env, (320, 1)),
    "normalize_obs_v0": supersuit.normalize_obs_v0,
    "frame_stack_v1": lambda env: supersuit.frame_stack_v1(env, 2),
    "frame_stack_v2": lambda env: supersuit.frame_stack_v2(env, 2),
    "max_observation_v0": lambda env: supersuit.max_observation_v0(env, 2),
    "delay_observations_v0": lambda env: supersuit.delay_observations_v0(env, 1),
    "frame_skip_v0": lambda env: supersuit.frame_skip_v0(env, 2),
    "sticky_actions_v0": lambda env: supersuit.sticky_actions_v0(env, 0.5),
    "agent_indicator_v0": supersuit.agent_indicator_v0,
    "pad_observations_v0": supersuit.pad_observations_v0,
    "color_reduction_v0": supersuit.color_reduction_v0,
    "resize_v1": lambda env: supersuit.resize_v1(env, 8, 8),
    "clip_actions_v0": supersuit.clip_actions_v0,
    "scale_actions_v0": lambda env: supersuit.scale_actions_v0(env, 2),
    "black_death_v3": supersuit.black_death_v3,
    "vectorize_aec_env_v0": vectorized,
    "pettingzoo_env_to_vec_env_v1": supersuit.pettingzoo_env_to_vec_env_v1,
}
ON_GYM: dict[str, Wrap] = {
    name: ON_AEC[name]
    for name in ("dtype_v0", "flatten_v0", "reshape_v0", "frame_stack_v1", "frame_stack_v2", "max_observation_v0")
} | {
    "dtype_v0, normalize_obs_v0": lambda env: supersuit.normalize_obs_v0(ON_AEC["dtype_v0"](env)),
    "delay_observations_v0": ON_AEC["delay_observations_v0"],
    "frame_skip_v0": ON_AEC["frame_skip_v0"],
    "sticky_actions_v0": ON_AEC["sticky_actions_v0"],
}


class Outcome(NamedTuple):
    """What came of a wrapper."""

    kind: str
    """`works`; `refuses` to be put around the environment; `breaks` in play."""
    why: str = ""


def aec_decisions(env: AECEnv[Any, Any, Any], seed: int) -> Decisions:
    """A game between random players that choose from the mask they are shown."""
    chance = np.random.default_rng(seed)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.step(None)
            continue
        mask = np.asarray(observation["action_mask"])
        yield agent, mask.tobytes()
        env.step(int(chance.choice(np.flatnonzero(mask))))


def gym_decisions(env: gymnasium.Env[Any, Any], seed: int) -> Decisions:
    """The same on one seat, against random play inside the environment."""
    chance = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    over = False
    while not over:
        if observation not in env.observation_space:
            raise ValueError("an observation outside of the declared space")
        yield "", info["action_mask"].tobytes()
        observation, _, over, _, info = env.step(int(chance.choice(np.flatnonzero(info["action_mask"]))))


def outcome(make: Callable[[], Any], wrap: Wrap, games: int = 1, seed: int = 0) -> Outcome:
    """Put a wrapper around an environment and play: the same decisions as without it must come up."""
    try:
        env = wrap(make())
    except Exception as error:  # whatever it may be: that is what is asked
        return Outcome("refuses", f"{type(error).__name__}: {error}")
    play = gym_decisions if isinstance(make(), gymnasium.Env) else aec_decisions
    for game in range(seed, seed + games):
        try:
            same = list(play(env, game)) == list(play(make(), game))
        except Exception as error:
            return Outcome("breaks", f"{type(error).__name__}: {error}")
        if not same:
            return Outcome("breaks", "other decisions than without it: an illegal move, or a mask of another position")
    return Outcome("works")


def tried(make: Callable[[], Any], wraps: dict[str, Wrap], games: int, seed: int) -> dict[str, Outcome]:
    """What comes of each wrapper. PettingZoo prints illegal moves and SuperSuit uses old names: both are silenced."""
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        return {name: outcome(make, wrap, games, seed) for name, wrap in wraps.items()}


def main() -> None:
    """Try all, show a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1, help="in each wrapper (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the first game (default: %(default)s)")
    options = parser.parse_args()
    console, working = Console(), 0
    for door, make, wraps in (("env", drako_v0.env, ON_AEC), ("gym_env", drako_v0.gym_env, ON_GYM)):
        table = Table("wrapper", "outcome", "why", title=f"drako_v0.{door}()", title_justify="left")
        for name, (kind, why) in tried(make, wraps, options.games, options.seed).items():
            table.add_row(name, kind, " ".join(why.split())[:100])
            working += kind == "works"
        console.print(table)
    console.print(f"{working} of {len(ON_AEC) + len(ON_GYM)} work: the same decisions came up as without the wrapper.")


if __name__ == "__main__":
    main()
