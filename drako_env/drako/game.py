"""Drako as a `Game`: the folder's parts under the names that the adapters know."""

from collections.abc import Mapping
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drako_env.drako import dicts, kernels
from drako_env.drako.actions import action_text, all_actions
from drako_env.drako.chance import CardChance, draws
from drako_env.drako.deals import all_deals
from drako_env.drako.observe import Field
from drako_env.drako.render import picture, scene, text
from drako_env.drako.rules import DWARVES, RULES_VERSION, Rules
from drako_env.drako.state import STATE, Area, Phase, Seat
from drako_env.drako.symmetry import symmetries
from drako_env.drako.tables import build_tables
from drako_env.engine.chance import Chance
from drako_env.engine.game import kernels_of, new_masks, new_states
from drako_env.engine.symmetry import Symmetries

CARD_FIELDS = (
    Field.OWN_HAND,
    Field.OWN_DECK,
    Field.OWN_DISCARDS,
    Field.OPPONENT_UNSEEN,
    Field.OPPONENT_DISCARDS,
)
MAX_CARDS = 127
STRIKE_COUNTS = (Field.STRIKES_OPEN, Field.STRIKES_TAKEN)


class Drako:
    """The game under one set of rules."""

    name: str = "drako_v0"
    rules_version: int = RULES_VERSION
    seats: tuple[str, ...] = ("dragon_0", "dwarves_0")
    state_dtype: np.dtype[np.void] = STATE
    kernels = kernels_of(kernels)

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.tables = build_tables(rules)
        self.actions: tuple[Mapping[str, Any], ...] = tuple(MappingProxyType(action) for action in all_actions(rules))
        starts, sizes = self.tables["field"][0].tolist(), self.tables["field_size"][0].tolist()
        slices = {field: slice(starts[field], starts[field] + sizes[field]) for field in Field}
        self.observation_fields: Mapping[str, slice] = MappingProxyType(
            {field.name.lower(): slices[field] for field in Field}
        )
        self.observation_high: NDArray[np.int8] = np.ones(sum(sizes), np.int8)
        for field in CARD_FIELDS:
            self.observation_high[slices[field]] = MAX_CARDS
        for field in STRIKE_COUNTS:
            self.observation_high[slices[field]] = 2
        self.chance: Chance = CardChance(rules, self.tables)
        self.max_decisions = _max_decisions(rules)

    @staticmethod
    @lru_cache(maxsize=64)
    def of(rules: Rules) -> "Drako":
        """The one game object of these rules."""
        return Drako(rules)

    def __reduce__(self) -> tuple[Any, ...]:
        return Drako.of, (self.rules,)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Drako":
        return self

    @cached_property
    def symmetries(self) -> Symmetries:
        """The twelve ways to turn the board."""
        return symmetries(self.rules.radius, self.observation_fields, self.actions)

    def action_text(self, action: int) -> str:
        """An action in plain words."""
        return action_text(dict(self.actions[action]))

    def heard(self, state: Any, action: int, seat: int | None) -> str:
        """Whatever is played, everybody sees (R3.3, R4.2)."""
        return self.action_text(action)

    def state_dict(self, state: Any) -> dict[str, Any]:
        """The whole position, hidden cards included."""
        return dicts.state_dict(self.rules, state)

    def load_state_dict(self, position: Mapping[str, Any]) -> np.void:
        """A state record of the position, without random numbers; `ValueError` if the position makes no sense."""
        return dicts.load_state_dict(self.rules, position)

    def rules_table(self) -> dict[str, Any]:
        """The rules in full, JSON-able."""
        return self.rules.table()

    def drawn(self, before: Any, action: int, after: Any) -> dict[str, Any]:
        """The cards drawn, by player: by drawing (R5.3), or a whole hand by exchanging it (R4.2)."""
        return dicts.drawn(self.rules, before, self.actions[action]["type"], after)

    def all_deals(self) -> tuple[NDArray[np.void], NDArray[np.float64]]:
        """Every deal and its probability; `ValueError` unless the table is small enough for exact play."""
        dealt, mask = new_states(self, 1), new_masks(self, 1).view(np.int8)[0]
        dealt["rng"] = 1
        self.kernels.deal_one(self.tables, dealt, 0, mask)
        return all_deals(self.rules, dealt)

    def phase(self, state: Any) -> str:
        """The kind of the decision to make."""
        return Phase(state["phase"]).name.lower()

    def outcome(self, state: Any) -> tuple[str, tuple[int, ...]]:
        """How a finished game ended, and the wounds that each side's strikes dealt (R13.1: without fury's own)."""
        by_dragon = int(state["dwarf_wounds"].sum()) - int(state["fury_used"])
        return scene.ending(self.state_dict(state)), (by_dragon, int(state["dragon_wounds"].sum()))

    def scene(self, state: Any, seat: int | None) -> dict[str, Any]:
        """What `seat` may see (`None`: what everybody may), as data for the renderers."""
        return scene.scene(self.rules, state, seat)

    def text(self, scene: Mapping[str, Any]) -> str:
        """A scene drawn in characters."""
        return text.text(scene)

    def picture(self, scene: Mapping[str, Any]) -> str:
        """A scene drawn as SVG."""
        return picture.picture(scene)


def _max_decisions(rules: Rules) -> int:
    """R11.2: every card is drawn once and spent once. Most asks a card that breathes fire: the direction, and an answer
    for each dwarf (R7.4, R7.5)."""
    cards = [sum(card.copies for card in deck) for deck in rules.decks]
    setup = 2 + len(DWARVES)
    spent = sum(draws(number) + number * (2 + len(DWARVES)) for number in cards)
    escapes, fury, wounds = cards[Seat.DWARVES], 1, sum(rules.dragon_spaces[Area.FLIGHT :])
    if rules.fury_timing == "any":  # R10.1: asked at the end of every turn, and a turn draws or spends a card
        fury += draws(cards[Seat.DWARVES]) + cards[Seat.DWARVES]
    return setup + spent + escapes + fury + wounds
