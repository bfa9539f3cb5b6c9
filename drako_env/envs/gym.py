"""One seat of a game as a Gymnasium environment, alone or many at once."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from drako_env.envs.rendering import MANY, RENDER_FPS, RENDER_MODES, check_render_mode, render_game
from drako_env.envs.seat import Opponent, SeatGames
from drako_env.render.window import Window

Info = dict[str, Any]


class SeatEnv(gymnasium.Env[NDArray[Any], np.int64]):
    """One seat against an opponent. The legal actions are `info["action_mask"]` and `action_masks()`;
    `info["illegal_action"]` says whether the last action was none of them (see `SeatGames` for `illegal`)."""

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
        """The legal actions. When no game is under way all ones: no action will be played, and whoever draws one
        before the next deal, as vector environments do, has something to draw from."""
        mask = self._games.action_mask[0]
        return mask.copy() if self._playing else np.ones_like(mask)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[NDArray[Any], Info]:
        """Deal a game and play on to this seat's first decision."""
        super().reset(seed=seed)
        self._games.reset(seed)
        self._dealt = self._playing = True
        if self.render_mode == "human":
            self.render()
        return self._games.shown()[0], {"action_mask": self.action_masks(), "illegal_action": False}

    def step(self, action: np.int64 | int) -> tuple[NDArray[Any], float, bool, bool, Info]:
        """Play an action, then the opponent's answers. An illegal one raises `ValueError` and changes nothing, unless
        the environment was made with another `illegal`."""
        if not self._playing:
            raise ResetNeeded("no game is under way: call reset() first")
        games = self._games
        games.step(np.asarray([action]))
        self._playing = not games.done[0]
        observation = games.shown()[0] if self._playing else games.final_shown(0)
        if self.render_mode == "human":
            self.render()
        info = {"action_mask": self.action_masks(), "illegal_action": bool(games.illegal_action[0])}
        return observation, float(games.reward[0]), not self._playing, False, info

    def render(self) -> Any:
        """The position as this seat sees it, after the end the finished game's: characters for `"ansi"`, a picture for
        `"svg"` and `"rgb_array"`; in a window, by itself after every step, for `"human"`."""
        if not self._dealt:
            raise ResetNeeded("no game has been dealt yet: call reset() first")
        return None if self.render_mode is None else self._rendered(self.render_mode)

    def _rendered(self, mode: str) -> Any:
        return render_game(self._games, 0, not self._playing, mode, self._window)

    def _repr_svg_(self) -> str | None:
        """The picture that a notebook shows."""
        return self._rendered("svg") if self._dealt else None

    def close(self) -> None:
        """Close the window, if there is one."""
        self._window.close()


class SeatVectorEnv(gymnasium.vector.VectorEnv[NDArray[Any], NDArray[np.int64], NDArray[Any]]):
    """One seat in many games, in any of Gymnasium's modes (`AutoresetMode`, or its name) for a game that has ended:

    - `SAME_STEP`: it is dealt anew at once, the observation is the next game's first, the finished one's last is in
      `infos["final_obs"]`;
    - `NEXT_STEP`: its last position is shown, and the next step deals it anew whatever its action is;
    - `DISABLED`: its last position is shown, until `reset(options={"reset_mask": terminated})`.

    The mask of a game that waits to be dealt anew is all ones: no action will be played in it."""

    def __init__(
        self,
        games: SeatGames,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        check_render_mode(render_mode, MANY)
        self._mode = _mode_called(autoreset_mode)
        self.metadata = {"autoreset_mode": self._mode, "render_modes": MANY, "render_fps": RENDER_FPS}
        self.render_mode = render_mode
        self._games, self.num_envs = games, len(games.done)
        self._waiting = np.zeros(self.num_envs, np.bool_)
        self.single_observation_space = games.observation_space
        self.single_action_space = games.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def set_opponent(self, opponent: Opponent) -> None:
        """Whom games dealt from now on may meet. Games under way keep their opponent."""
        self._games.set_opponent(opponent)

    def action_masks(self) -> NDArray[np.int8]:
        """The legal actions, `(num_envs, A)`, an array that the next step may overwrite."""
        masks = self._games.action_mask
        return np.where(self._waiting[:, None], np.int8(1), masks) if self._waiting.any() else masks

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Info | None = None
    ) -> tuple[NDArray[Any], Info]:
        """Deal every game anew, or those of `options["reset_mask"]`: from one seed for all, or one for each of them."""
        mask = (options or {}).get("reset_mask", np.ones(self.num_envs, np.bool_))
        if np.shape(mask) != (self.num_envs,) or np.asarray(mask).dtype != np.bool_:
            raise ValueError(f"reset_mask must be an array of {self.num_envs} bool")
        self._games.reset(seed, np.flatnonzero(mask))
        self._waiting &= ~mask
        return self._shown(), self._infos(np.zeros(self.num_envs, np.bool_))

    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], Info]:
        """Play the seat's action in every game, and the opponents' answers."""
        games, actions = self._games, np.asarray(actions)
        if self._mode == AutoresetMode.DISABLED and self._waiting.any():
            over = np.flatnonzero(self._waiting).tolist()
            raise ResetNeeded(f"games {over} are over: reset them first, by options={{'reset_mask': terminated}}")
        if not self._waiting.any() or actions.shape != self._waiting.shape:
            games.step(actions)
        else:
            games.step(actions[~self._waiting], np.flatnonzero(~self._waiting))
        done = games.done.copy()
        self._waiting = done & (self._mode != AutoresetMode.SAME_STEP)
        infos = self._infos(games.illegal_action)
        if done.any() and self._mode == AutoresetMode.SAME_STEP:
            infos["final_obs"] = np.full(self.num_envs, None, dtype=object)
            infos["_final_obs"] = done
            for i in np.flatnonzero(done):
                infos["final_obs"][i] = games.final_shown(i)
        return self._shown(), games.reward.copy(), done.copy(), np.zeros(self.num_envs, np.bool_), infos

    def _shown(self) -> NDArray[Any]:
        observation = self._games.shown()
        if self._waiting.any():
            observation[self._waiting] = self._games.final_shown(self._waiting)
        return observation

    def _infos(self, illegal: NDArray[np.bool_]) -> Info:
        """Gymnasium's words: what a key has for which of the games."""
        every = np.ones(self.num_envs, np.bool_)
        infos = {"action_mask": self.action_masks().copy(), "illegal_action": illegal.copy()}
        return infos | {f"_{name}": every.copy() for name in infos}

    def render(self) -> tuple[Any, ...] | None:
        """Every game as the seat sees it: characters for `"ansi"`, pictures for `"svg"` and `"rgb_array"`."""
        if self.render_mode is None:
            return None
        return tuple(render_game(self._games, i, bool(over), self.render_mode) for i, over in enumerate(self._waiting))


def _mode_called(mode: AutoresetMode | str) -> AutoresetMode:
    """One of Gymnasium's modes, also by its name or value."""
    for one in AutoresetMode:
        if mode in (one, one.name, one.value):
            return one
    names = ", ".join(repr(one.name) for one in AutoresetMode)
    raise ValueError(f"autoreset_mode = {mode!r}: allowed are {names}")
