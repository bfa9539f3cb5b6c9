"""A game as a PettingZoo AEC environment."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from drako_env.engine.checks import shown
from drako_env.engine.game import Game
from drako_env.engine.loops import OVER
from drako_env.engine.position import Position, prepare
from drako_env.engine.view import SeatView
from drako_env.envs.rendering import RENDER_FPS, RENDER_MODES, check_render_mode, render
from drako_env.envs.spaces import action_space, masked_space, state_space
from drako_env.render import OPEN
from drako_env.render.window import Window

Observation = dict[str, NDArray[Any]]
SHOWN_LEGAL = 12


class GameEnv(AECEnv[str, Observation, int | None]):
    """One game, seat by seat. `observation_fields` names the parts of the observation (name -> slice).

    With `normalized` observations are float32 from 0 to 1 (see `Game.normalized`)."""

    metadata: dict[str, Any] = {  # noqa: RUF012 (PettingZoo declares it so)
        "render_modes": RENDER_MODES,
        "is_parallelizable": False,
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self, game: Game, render_mode: str | None = None, render_seat: str | None = None, normalized: bool = False
    ) -> None:
        super().__init__()
        check_render_mode(render_mode)
        _check_choice("render_seat", render_seat, [None, *game.seats, "all"])
        prepare(game)
        self.game = game
        self.metadata = self.metadata | {"name": game.name}
        self.render_mode = render_mode
        self.render_seat = render_seat
        self.normalized = normalized
        self._window = Window(game.name, self.metadata["render_fps"])
        self.possible_agents = list(game.seats)
        self.agents: list[str] = []
        self.position = Position(game)
        """Everything, hidden cards included: for tools, never for agents."""
        self._seat_index = {name: seat for seat, name in enumerate(game.seats)}
        self._dealt = False
        self.agent_selection = game.seats[0]
        seen = masked_space(game, normalized)
        self.observation_spaces: dict[str, spaces.Space[Any]] = dict.fromkeys(game.seats, seen)
        self.action_spaces: dict[str, spaces.Space[Any]] = {seat: action_space(game) for seat in game.seats}
        self.state_space = state_space(game, normalized)

    @property
    def observation_fields(self) -> Mapping[str, slice]:
        """Where each named field of the observation stands."""
        return self.game.observation_fields

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """`{"observation": Box(D,), "action_mask": Box(A,)}`, the same for every seat."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """`Discrete(A)`, the same ids for every seat."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game: from `seed`, or without one from where the random numbers stand."""
        self.position.deal(seed)
        self._dealt = True
        self._start()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What a seat may know, and its legal actions: all zeros unless it is to decide."""
        self._require_deal()
        deciding = agent == self.agent_selection and not self.terminations.get(agent, True)
        legal = self.position.mask[: len(self.game.actions)]
        mask = legal.copy() if deciding else np.zeros_like(legal)
        return {"observation": self._seen(self._seat_index[agent]), "action_mask": mask}

    def state(self) -> NDArray[Any]:
        """Everything, hidden cards included, for centralised critics and never for players: what every seat sees, one
        after the other. A player that acts on it cheats."""
        self._require_deal()
        return np.concatenate([self._seen(seat) for seat in range(len(self.possible_agents))])

    def _seen(self, seat: int) -> NDArray[Any]:
        observation = self.position.observation(seat)
        return self.game.normalized(observation) if self.normalized else observation

    def view(self) -> SeatView:
        """What the seat to decide knows: what the project's agents are given (`agent.act(raw.view())`)."""
        self._require_deal()
        return self.position.view()

    def step(self, action: int | None) -> None:
        """Play an action of `agent_selection`. An illegal one raises `ValueError` and leaves the game unchanged."""
        self._require_deal()
        if not self.agents:
            raise ValueError("the game is over and every seat has left it: call reset() for a new one")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        position = self.position
        if action is None or not self._is_id(action) or not position.play(int(action)):
            raise ValueError(self._illegal(action))
        self._cumulative_rewards[agent] = 0.0
        if position.agent == OVER:
            self._finish()
        else:
            self.agent_selection = self.possible_agents[position.agent]
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | NDArray[np.uint8] | None:
        """The position as `render_seat` sees it (by default only what everybody may see; `"all"`: every hand open).

        `"ansi"` returns characters, `"svg"` a picture as SVG, `"rgb_array"` its pixels; `"human"` shows it in a window,
        by itself after every step."""
        self._require_deal()
        return None if self.render_mode is None else self._rendered(self.render_mode)

    def _rendered(self, mode: str) -> Any:
        seat = OPEN if self.render_seat == "all" else self._seat_index.get(self.render_seat or "")
        return render(self.game, self.position.state, seat, mode, self._window)

    def _repr_svg_(self) -> str | None:
        """The picture that a notebook shows."""
        return self._rendered("svg") if self._dealt else None

    def close(self) -> None:
        """Close the window, if there is one."""
        self._window.close()

    def state_dict(self) -> dict[str, Any]:
        """The whole position, hidden cards included: for tools, never for agents."""
        self._require_deal()
        return self.game.state_dict(self.position.state)

    def load_state_dict(self, position: Mapping[str, Any]) -> None:
        """Go on from a position; random numbers stay where they are. `ValueError` leaves the game unchanged.

        For `raw_env`: PettingZoo's wrappers remember the mask they saw last, so observe before the next step."""
        self.position.load(position)
        self._dealt = True
        self._start()

    def action_dict(self, action: int) -> dict[str, Any]:
        """An action's meaning."""
        if not 0 <= action < len(self.game.actions):
            raise ValueError(f"no action {shown(action)}: ids run from 0 to {len(self.game.actions) - 1}")
        return {key: list(v) if isinstance(v, list) else v for key, v in self.game.actions[action].items()}

    def action_id(self, action: Mapping[str, Any]) -> int:
        """The id of an action given as a dictionary."""
        try:
            return self.game.actions.index(action)
        except ValueError:
            raise ValueError(f"no such action: {shown(action)}") from None

    def _start(self) -> None:
        """PettingZoo's bookkeeping for the position as it stands."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.possible_agents[max(self.position.agent, 0)]
        if self.position.over:
            self._finish()

    def _finish(self) -> None:
        """The game is over: hand out the rewards and let every seat leave."""
        self.rewards = dict(zip(self.agents, self.position.rewards(), strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self._deads_step_first()

    def _require_deal(self) -> None:
        if not self._dealt:
            raise ResetNeeded("no game has been dealt yet: call reset() first")

    def _is_id(self, action: Any) -> bool:
        if type(action) is not int:
            scalar = isinstance(action, np.integer) or (isinstance(action, np.ndarray) and action.ndim == 0)
            if not scalar or action.dtype.kind not in "iu":
                return False
        return 0 <= int(action) < len(self.game.actions)

    def _illegal(self, action: Any) -> str:
        legal = [f"{i} ({self.game.action_text(i)})" for i in self.position.legal()]
        more = f" and {len(legal) - SHOWN_LEGAL} more" if len(legal) > SHOWN_LEGAL else ""
        name = f"{action} ({self.game.action_text(int(action))})" if self._is_id(action) else shown(action)
        phase = self.game.phase(self.position.state)
        return (
            f"action {name} is illegal for {self.agent_selection} in phase {phase!r}; "
            f"legal are {', '.join(legal[:SHOWN_LEGAL])}{more}"
        )


class PicturedWrapper(wrappers.OrderEnforcingWrapper[str, Observation, int | None]):
    """The outermost of the standard wrappers, which a notebook shows as a picture: they pass no private name on."""

    def _repr_svg_(self) -> str | None:
        picture: str | None = self.unwrapped._repr_svg_()
        return picture


def wrap(env: GameEnv) -> AECEnv[str, Observation, int | None]:
    """PettingZoo's standard wrappers: an illegal action ends the game with -1 for whoever played it."""
    wrapped: AECEnv[str, Observation, int | None] = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return PicturedWrapper(wrapped)


def _check_choice(name: str, value: Any, allowed: list[Any]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} = {value!r}: allowed are {', '.join(map(repr, allowed))}")
