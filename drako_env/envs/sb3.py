"""Many games seen from one seat, as a Stable-Baselines3 `VecEnv` with action masks."""

import time
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

try:
    from stable_baselines3.common.vec_env import VecEnv
    from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn
except ImportError as error:
    raise ImportError("sb3_env needs Stable-Baselines3: pip install 'drako-env[train]'") from error

from drako_env.envs.rendering import MANY, RENDER_FPS, check_render_mode, render_game
from drako_env.envs.seat import Opponent, SeatGames


class SeatVecEnv(VecEnv):
    """The learner sees only its own decisions; `infos` say something only where an episode ends.

    At an end `infos[i]` holds `terminal_observation` and `episode` (`r` return, `l` the learner's decisions, `t`); an
    illegal action that was not refused (see `SeatGames`) leaves `illegal_action`."""

    def __init__(self, games: SeatGames, render_mode: str | None = None) -> None:
        check_render_mode(render_mode, MANY)
        self.games = games
        self._mode = render_mode
        self._actions: NDArray[np.integer[Any]] = np.zeros(len(games.done), np.int64)
        self._started = time.time()
        super().__init__(len(games.done), games.observation_space, games.action_space)
        self.metadata: dict[str, Any] = self.metadata | {"render_fps": RENDER_FPS}

    def set_opponent(self, opponent: Opponent) -> None:
        """Whom games dealt from now on may meet. Games under way keep their opponent."""
        self.games.set_opponent(opponent)

    def action_masks(self) -> NDArray[np.int8]:
        """The legal actions, `(num_envs, A)`: the games' own array, overwritten by the next step."""
        return self.games.action_mask

    def reset(self) -> NDArray[Any]:
        """Deal every game anew, from the seed given to `seed` if there was one."""
        self.games.reset(self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        return self.games.shown()

    def step_async(self, actions: NDArray[np.integer[Any]]) -> None:
        """Remember the learner's actions."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Play them, and the opponents' answers."""
        self.games.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(self.games.done).tolist():
            infos[i] = self._episode(i)
        for i in np.flatnonzero(self.games.illegal_action).tolist():
            infos[i]["illegal_action"] = True
        return self.games.shown(), self.games.reward.copy(), self.games.done.copy(), infos

    def _episode(self, i: int) -> dict[str, Any]:
        seconds = round(time.time() - self._started, 6)
        episode = {"r": float(self.games.reward[i]), "l": int(self.games.lengths[i]), "t": seconds}
        return {"terminal_observation": self.games.final_shown(i), "episode": episode}

    def get_images(self) -> list[NDArray[np.uint8] | None]:
        """A picture of every game as the learner sees it, if made with `render_mode="rgb_array"`."""
        pictured = self._mode == "rgb_array"
        return [render_game(self.games, i, False, "rgb_array") if pictured else None for i in range(self.num_envs)]

    def close(self) -> None:
        """Nothing to release."""

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of the whole, once for each environment."""
        value = self._mode if attr_name == "render_mode" else getattr(self, attr_name)
        return [value] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refused: the environments share everything."""
        raise AttributeError(f"cannot set {attr_name!r} on single environments of a batch")

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> Any:
        """`"action_masks"`: the games' own array, or its rows `indices`."""
        if method_name != "action_masks":
            raise AttributeError(f"the environments of a batch have no method {method_name!r}, only 'action_masks'")
        return self.action_masks() if indices is None else [self.action_masks()[i] for i in self._get_indices(indices)]

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Never: these are no wrapped environments."""
        return [False] * len(list(self._get_indices(indices)))
