"""Golden Dragon and Icarius as a `Game`: the folder's parts under the names that the adapters know."""

from collections.abc import Mapping
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.chance import Chance
from drako_env.engine.game import kernels_of
from drako_env.engine.symmetry import Symmetries
from drako_env.golden_dragon import dicts, kernels
from drako_env.golden_dragon.actions import action_text, all_actions
from drako_env.golden_dragon.chance import NoChance
from drako_env.golden_dragon.observe import Field
from drako_env.golden_dragon.render import picture, scene, text
from drako_env.golden_dragon.rules import RULES_VERSION, Rules
from drako_env.golden_dragon.state import BOLTS_EACH, HOLDER_SIZE, MOVES_A_TURN, STATE, Phase
from drako_env.golden_dragon.tables import build_tables

PERCENT = 100


class GoldenDragon:
    """The game under one set of rules."""

    name: str = "golden_dragon_v0"
    rules_version: int = RULES_VERSION
    state_dtype: np.dtype[np.void] = STATE
    kernels = kernels_of(kernels)
    chance: Chance = NoChance()
    words: Mapping[str, str] = {
        "figure": "dragon",
        "goal": "golden volcano",
        "taboo": "red volcano",
        "storm": "storm",
    }

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.seats = tuple(f"player_{seat}" for seat in range(rules.num_players))
        self.tables = build_tables(rules)
        self.actions: tuple[Mapping[str, Any], ...] = tuple(MappingProxyType(action) for action in all_actions(rules))
        starts, sizes = self.tables["field"][0].tolist(), self.tables["field_size"][0].tolist()
        self.observation_fields: Mapping[str, slice] = MappingProxyType(
            {field.name.lower(): slice(starts[field], starts[field] + sizes[field]) for field in Field}
        )
        self.observation_high: NDArray[np.int8] = np.ones(sum(sizes), np.int8)
        self.observation_high[self.observation_fields["time"]] = PERCENT
        self.max_decisions = _max_decisions(rules)

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, rules: Rules) -> "GoldenDragon":
        """The one game object of these rules."""
        return cls(rules)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.rules)

    def __deepcopy__(self, memo: dict[int, Any]) -> "GoldenDragon":
        return self

    @cached_property
    def symmetries(self) -> Symmetries:
        """Only the board as it is: its volcanoes lie where they lie."""
        return Symmetries(np.arange(len(self.observation_high))[None], np.arange(len(self.actions))[None])

    def action_text(self, action: int) -> str:
        """An action in plain words."""
        return action_text(self.actions[action], self.words)

    def heard(self, state: Any, action: int, seat: int | None) -> str:
        """G3: which stones go into a holder, only its owner sees."""
        if state["phase"] == Phase.SETUP_ORDER and seat != state["agent"]:
            return "a stone goes into the holder"
        if state["phase"] == Phase.PLACE:
            wind, dragon = dicts.wind_names(self.rules)[state["hand"]], self.actions[action]["dragon"]
            return f"the {wind} stone for the {self.words['figure']} of player {dragon}"
        return self.action_text(action)

    def state_dict(self, state: Any) -> dict[str, Any]:
        """The whole position, hidden stones included."""
        return dicts.state_dict(self.rules, state)

    def load_state_dict(self, position: Mapping[str, Any]) -> np.void:
        """A state record of the position, without random numbers; `ValueError` if the position makes no sense."""
        return dicts.load_state_dict(self.rules, position)

    def rules_table(self) -> dict[str, Any]:
        """The rules in full, JSON-able."""
        return self.rules.table()

    def drawn(self, before: Any, action: int, after: Any) -> dict[str, Any]:
        """Nothing is left to chance."""
        return {}

    def all_deals(self) -> tuple[NDArray[np.void], NDArray[np.float64]]:
        """There is one deal, but far too many orders of stones."""
        raise ValueError(f"{self.name} is too large for exact play")

    def phase(self, state: Any) -> str:
        """The kind of the decision to make."""
        return Phase(state["phase"]).name.lower()

    def outcome(self, state: Any) -> tuple[str, tuple[int, ...]]:
        """How a finished game ended; nothing breaks ties."""
        return scene.ending(self.state_dict(state), self.words), (0,) * len(self.seats)

    def scene(self, state: Any, seat: int | None) -> dict[str, Any]:
        """What `seat` may see (`None`: what everybody may), as data for the renderers."""
        return scene.scene(self.rules, self.words, state, seat)

    def picture(self, scene: Mapping[str, Any]) -> str:
        """A scene drawn as SVG."""
        return picture.picture(scene)

    def text(self, scene: Mapping[str, Any]) -> str:
        """A scene drawn in characters."""
        return text.text(scene)


class Icarius(GoldenDragon):
    """The same rules by other names (G12): up to the sun, between clouds."""

    name = "icarius_v0"
    words: Mapping[str, str] = {"figure": "flyer", "goal": "sun", "taboo": "cloud", "storm": "sun"}


def _max_decisions(rules: Rules) -> int:
    """G7: single moves are limited. A stone is placed once more after each veto, and every placing may be asked about
    (G5); a storm is asked about before a turn."""
    setup = rules.num_players * (1 + HOLDER_SIZE) + 1
    turns = rules.max_single_moves // MOVES_A_TURN + 1
    placings = rules.max_single_moves + rules.num_players * BOLTS_EACH
    asked = 1 if rules.veto_scope == "owner_only" else rules.num_players - 1
    return setup + turns + placings * (1 + asked)


def _restore(game: type[GoldenDragon], rules: Rules) -> GoldenDragon:
    """For `pickle` and for `cloudpickle`, which cannot name a cached class method."""
    return game.of(rules)
