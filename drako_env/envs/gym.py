"""One seat of a game as a Gymnasium environment, alone or many at once."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from drako_env.envs.rendering import RENDER_FPS, RENDER_MODES, check_render_mode, render
from drako_env.envs.seat import Opponent, SeatGames
from drako_env.render.window import Window

Info = dict[str, Any]


class SeatEnv(gymnasium.Env[NDArray[np.int8], np.int64]):
    """One seat against an opponent. The legal actions are `info["action_mask"]` and `action_masks()`."""

    metadata = {  # noqa: RUF012
        "render_modes": RENDER_MODES,
        "render_fps": RENDER_FPS,
    }

    def __init__(self, games: SeatGames, render_mode: str | None = None) -> None:
        check_render_mode(render_mode)
        self.render_mode = render_mode
        self._window = Window(games.game.name, self.metadata["render_fps"])
        self._games = games
        self.observation_space = self._games.observation_space
        self.action_space = self._games.action_space
        self._dealt = self._playing = False

    def set_opponent(self, opponent: Opponent) -> None:
        """Whom the games after this one are played against."""
        self._games.set_opponent(opponent)

    def action_masks(self) -> NDArray[np.int8]:
        """The legal actions, all zeros when no game is under way."""
        mask = self._games.action_mask[0]
        return mask.copy() if self._playing else np.zeros_like(mask)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[NDArray[np.int8], Info]:
        """Deal a game and play on to this seat's first decision."""
        super().reset(seed=seed)
        self._games.reset(seed)
        self._dealt = self._playing = True
        if self.render_mode == "human":
            self.render()
        return self._games.observation[0].copy(), {"action_mask": self.action_masks()}

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.int8], float, bool, bool, Info]:
        """Play an action, then the opponent's answers. An illegal one raises `ValueError` and changes nothing."""
        if not self._playing:
            raise ResetNeeded("no game is under way: call reset() first")
        self._games.step(np.asarray([action]))
        self._playing = not self._games.done[0]
        source = self._games.observation if self._playing else self._games.final_observation
        if self.render_mode == "human":
            self.render()
        info = {"action_mask": self.action_masks()}
        return source[0].copy(), float(self._games.reward[0]), not self._playing, False, info

    def render(self) -> Any:
        """The position as this seat sees it, after the end the finished game's: characters for `"ansi"`, a picture for
        `"svg"` and `"rgb_array"`; in a window, by itself after every step, for `"human"`."""
        if not self._dealt:
            raise ResetNeeded("no game has been dealt yet: call reset() first")
        return None if self.render_mode is None else self._rendered(self.render_mode)

    def _rendered(self, mode: str) -> Any:
        games = self._games
        states, seats = (games.batch.states, games.seat) if self._playing else (games.final_states, games.final_seat)
        return render(games.game, states[0], int(seats[0]), mode, self._window)

    def _repr_svg_(self) -> str | None:
        """The picture that a notebook shows."""
        return self._rendered("svg") if self._dealt else None

    def close(self) -> None:
        """Close the window, if there is one."""
        self._window.close()


class SeatVectorEnv(gymnasium.vector.VectorEnv[NDArray[np.int8], NDArray[np.int64], NDArray[Any]]):
    """One seat in many games. A finished game is dealt anew in the same step (`metadata["autoreset_mode"]`): the
    observation is the next game's first, the finished one's last is in `infos["final_obs"]`."""

    metadata = {  # noqa: RUF012
        "autoreset_mode": AutoresetMode.SAME_STEP,
        "render_modes": [],
    }

    def __init__(self, games: SeatGames) -> None:
        self._games, self.num_envs = games, len(games.done)
        self.single_observation_space = games.observation_space
        self.single_action_space = games.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def set_opponent(self, opponent: Opponent) -> None:
        """Whom games dealt from now on may meet. Games under way keep their opponent."""
        self._games.set_opponent(opponent)

    def action_masks(self) -> NDArray[np.int8]:
        """The legal actions, `(num_envs, A)`: the games' own array, overwritten by the next step."""
        return self._games.action_mask

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[NDArray[np.int8], Info]:
        """Deal every game anew."""
        self._games.reset(seed)
        return self._games.observation.copy(), {"action_mask": self.action_masks().copy()}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int8], NDArray[Any], NDArray[Any], NDArray[Any], Info]:
        """Play the seat's action in every game, and the opponents' answers."""
        games = self._games
        games.step(np.asarray(actions))
        infos: Info = {"action_mask": self.action_masks().copy()}
        if games.done.any():
            infos["final_obs"] = np.full(self.num_envs, None, dtype=object)
            infos["_final_obs"] = games.done.copy()
            for i in np.flatnonzero(games.done):
                infos["final_obs"][i] = games.final_observation[i].copy()
        truncated = np.zeros(self.num_envs, np.bool_)
        return games.observation.copy(), games.reward.copy(), games.done.copy(), truncated, infos
