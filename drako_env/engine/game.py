"""A game under one set of rules: what its folder offers, and all that adapters, renderers and players know of it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.chance import Chance
from drako_env.engine.kernels import Kernels
from drako_env.engine.symmetry import Symmetries
from drako_env.render.svg import text_picture


class Game:
    """A game under one set of rules. It never changes; positions live in state records.

    What a game must say itself are the attributes without a value and the methods that raise `NotImplementedError`."""

    name: str
    rules_version: int = 1
    """Raised when a clause of the rules or the meaning of an observation changes."""
    state_dtype: np.dtype[np.void]
    kernels: Kernels
    seats: tuple[str, ...]
    """PettingZoo's names of the seats, in order."""
    chance: Chance
    max_decisions: int
    """No game takes more."""
    max_reward: float = 1.0
    """No seat gets more at the end, or loses more."""

    def __init__(
        self,
        rules: Any,
        tables: NDArray[np.void],
        actions: Sequence[Mapping[str, Any]],
        fields: Mapping[str, int],
        high: Mapping[str, Any],
    ) -> None:
        """`fields` are those of the observation with their sizes, in order; `high` the greatest numbers that can
        occur, for a whole field or entry by entry, where they are above 1."""
        self.rules, self.tables = rules, tables
        self.actions: tuple[Mapping[str, Any], ...] = tuple(MappingProxyType(dict(action)) for action in actions)
        """Every action as a dictionary, in id order."""
        ends = np.cumsum(list(fields.values())).tolist()
        slices = {name: slice(end - size, end) for (name, size), end in zip(fields.items(), ends, strict=True)}
        self.observation_fields: Mapping[str, slice] = MappingProxyType(slices)
        self.observation_high: NDArray[np.int8] = np.ones(ends[-1], np.int8)
        for name, most in high.items():
            self.observation_high[slices[name]] = most

    @classmethod
    def of(cls, rules: Any) -> Self:
        """The one game object of these rules."""
        game: Self = _game_of(cls, rules)  # type: ignore[arg-type]
        return game

    def __reduce__(self) -> tuple[Any, ...]:
        return _game_of, (type(self), self.rules)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    @cached_property
    def symmetries(self) -> Symmetries:
        """The ways to turn the board that change nothing but names; only as it is, unless a game knows more."""
        return Symmetries(np.arange(len(self.observation_high))[None], np.arange(len(self.actions))[None])

    def normalized(self, observation: NDArray[np.int8]) -> NDArray[np.float32]:
        """Observations as numbers from 0 to 1: counts divided by what they can be at most."""
        return np.divide(observation, self.observation_high, dtype=np.float32)

    def rules_table(self) -> dict[str, Any]:
        """The rules in full, JSON-able: what a replay needs to be played again."""
        table: dict[str, Any] = self.rules.table()
        return table

    def state_dict(self, state: Any) -> dict[str, Any]:
        """The whole position, hidden cards included."""
        raise NotImplementedError

    def load_state_dict(self, position: Mapping[str, Any]) -> np.void:
        """A state record of the position, without random numbers; `ValueError` if the position makes no sense."""
        raise NotImplementedError

    def phase(self, state: Any) -> str:
        """The kind of the decision to make."""
        raise NotImplementedError

    def action_text(self, action: int) -> str:
        """An action in plain words."""
        raise NotImplementedError

    def event_text(self, state: Any, action: int, seat: int | None) -> str:
        """An action in plain words, as far as `seat` (`None`: everybody) may know what the deciding seat does."""
        return self.action_text(action)

    def outcome(self, state: Any) -> tuple[str, tuple[int, ...]]:
        """How a finished game ended, in a few words, and every seat's points for breaking ties."""
        raise NotImplementedError

    def scene(self, state: Any, seat: int | None) -> dict[str, Any]:
        """What `seat` may see (`None`: what everybody may; `render.OPEN`: everything), as data for the renderers;
        `question` is what it is asked, and `out_of_turn` says whether that comes while another has the turn."""
        raise NotImplementedError

    def text(self, scene: Mapping[str, Any]) -> str:
        """A scene drawn in characters."""
        raise NotImplementedError

    def picture(self, scene: Mapping[str, Any]) -> str:
        """A scene drawn as SVG; of a game without pictures, its characters."""
        return text_picture(self.text(scene))


@cache
def _game_of(game: type[Any], rules: Any) -> Any:
    return game(rules)


def role_of(seat: str) -> str:
    """`dragon_0` -> `dragon`: what a seat plays; all seats of a symmetric game have the same role."""
    name, _, number = seat.rpartition("_")
    return name if number.isdecimal() else seat


def sides(game: Game) -> list[str]:
    """What can be learnt in a game: a seat that has a role of its own, or a role that several seats share."""
    roles = [role_of(seat) for seat in game.seats]
    return list(dict.fromkeys(s if roles.count(r) == 1 else r for s, r in zip(game.seats, roles, strict=True)))


def rules_digest(game: Game) -> str:
    """Tells apart what a game is played by, whatever its rules table is called: the table and its options, the version
    of the rules, what is observed and which actions there are. Saved games, replays and policies go with one digest."""
    table = {key: value for key, value in game.rules_table().items() if key != "name"}
    fields = [(name, field.start, field.stop) for name, field in game.observation_fields.items()]
    parts = (game.name, game.rules_version, table, fields, [dict(action) for action in game.actions])
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def record_problem(game: Game, state: Any) -> str:
    """Why no game can have come to a state record, or nothing: kernels trust their records, but bytes from outside may
    hold anything. A sound record is what its own description leads to."""
    try:
        again = game.load_state_dict(game.state_dict(state))
    except IndexError:
        return "an entry is beyond what there is"
    except ValueError as error:
        return str(error)
    again["rng"] = state["rng"]
    if not state["rng"].all():
        return "its random numbers stand still"
    return "" if again.tobytes() == state.tobytes() else "its entries contradict each other"


def new_states(game: Game, count: int) -> NDArray[np.void]:
    """Zeroed state records."""
    return np.zeros(count, game.state_dtype)


def new_masks(game: Game, count: int) -> NDArray[np.int64]:
    """Zeroed action masks as words of eight actions, in whole groups of four words (see `engine.sampling`) and with
    at least eight spare bytes for what kernels spill over."""
    return np.zeros((count, (len(game.actions) + 8) // 32 * 4 + 4), np.int64)
