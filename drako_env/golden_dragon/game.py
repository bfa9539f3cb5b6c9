"""Golden Dragon and Icarius as a `Game`: the folder's parts under the names that the adapters know."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from drako_env.engine.game import Game
from drako_env.engine.kernels import compile_kernels
from drako_env.golden_dragon import dicts
from drako_env.golden_dragon.actions import action_text, all_actions
from drako_env.golden_dragon.apply import apply
from drako_env.golden_dragon.chance import HiddenHolders
from drako_env.golden_dragon.deal import deal, hide, redeal
from drako_env.golden_dragon.heuristic import plan, score
from drako_env.golden_dragon.legal import write_mask
from drako_env.golden_dragon.observe import Field, field_sizes, observe
from drako_env.golden_dragon.render import picture, scene, text
from drako_env.golden_dragon.rules import MOVES_A_TURN, RULES_VERSION, Rules
from drako_env.golden_dragon.state import BOLTS_EACH, HOLDER_SIZE, STATE, Phase
from drako_env.golden_dragon.tables import build_tables

PERCENT = 100


class GoldenDragon(Game):
    """The game under one set of rules."""

    name = "golden_dragon_v0"
    rules_version = RULES_VERSION
    state_dtype = STATE
    kernels = compile_kernels(
        deal=deal, apply=apply, write_mask=write_mask, observe=observe, hide=hide, redeal=redeal, score=score, plan=plan
    )
    chance = HiddenHolders()
    terms: Mapping[str, str] = {
        "figure": "dragon",
        "goal": "golden volcano",
        "taboo": "red volcano",
        "storm": "storm",
    }
    """What the things of the game are called."""

    def __init__(self, rules: Rules) -> None:
        fields = {field.name.lower(): size for field, size in zip(Field, field_sizes(rules), strict=True)}
        super().__init__(rules, build_tables(rules), all_actions(rules), fields, {"time": PERCENT})
        self.seats = tuple(f"player_{seat}" for seat in range(rules.num_players))
        self.max_decisions = _max_decisions(rules)

    def action_text(self, action: int) -> str:
        """An action in plain words."""
        return action_text(self.actions[action], self.terms)

    def event_text(self, state: Any, action: int, seat: int | None) -> str:
        """G3: which stones go into a holder, only its owner sees."""
        if state["phase"] == Phase.SETUP_ORDER and seat != state["agent"]:
            return "a stone goes into the holder"
        if state["phase"] == Phase.PLACE:
            wind, dragon = dicts.wind_names(self.rules)[state["hand"]], self.actions[action]["dragon"]
            return f"the {wind} stone for the {self.terms['figure']} of player {dragon}"
        return self.action_text(action)

    def state_dict(self, state: Any) -> dict[str, Any]:
        """The whole position, hidden stones included."""
        return dicts.state_dict(self.rules, state)

    def load_state_dict(self, position: Mapping[str, Any]) -> np.void:
        """A state record of the position, without random numbers; `ValueError` if the position makes no sense."""
        return dicts.load_state_dict(self.rules, position)

    def phase(self, state: Any) -> str:
        """The kind of the decision to make."""
        return Phase(state["phase"]).name.lower()

    def outcome(self, state: Any) -> tuple[str, tuple[int, ...]]:
        """How a finished game ended; nothing breaks ties."""
        return scene.ending(self.state_dict(state), self.terms), (0,) * len(self.seats)

    def scene(self, state: Any, seat: int | None) -> dict[str, Any]:
        """What `seat` may see (`None`: what everybody may), as data for the renderers."""
        return scene.scene(self.rules, self.terms, state, seat)

    def picture(self, scene: Mapping[str, Any]) -> str:
        """A scene drawn as SVG."""
        return picture.picture(scene)

    def text(self, scene: Mapping[str, Any]) -> str:
        """A scene drawn in characters."""
        return text.text(scene)


class Icarius(GoldenDragon):
    """The same rules by other names (G12): up to the sun, between clouds."""

    name = "icarius_v0"
    terms: Mapping[str, str] = {"figure": "flyer", "goal": "sun", "taboo": "cloud", "storm": "sun"}


def _max_decisions(rules: Rules) -> int:
    """G7: single moves are limited. A stone is placed once more after each veto, and every placing may be asked about
    (G5); a storm is asked about before a turn."""
    setup = rules.num_players * (1 + HOLDER_SIZE) + 1
    turns = rules.max_single_moves // MOVES_A_TURN + 1
    placings = rules.max_single_moves + rules.num_players * BOLTS_EACH
    asked = 1 if rules.veto_scope == "owner_only" else rules.num_players - 1
    return setup + turns + placings * (1 + asked)
