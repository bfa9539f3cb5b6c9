"""Drako as a `Game`: the folder's parts under the names that the adapters know."""

from collections.abc import Mapping
from functools import cached_property
from itertools import zip_longest
from typing import Any

import numpy as np

from drako_env.drako import dicts
from drako_env.drako.actions import action_text, all_actions
from drako_env.drako.apply import apply
from drako_env.drako.chance import CardChance, draws
from drako_env.drako.deal import deal, hide, redeal
from drako_env.drako.heuristic import score
from drako_env.drako.legal import write_mask
from drako_env.drako.observe import Field, field_sizes, observe
from drako_env.drako.render import picture, scene, text
from drako_env.drako.rules import DWARVES, RULES_VERSION, Rules
from drako_env.drako.state import STATE, Area, Phase, Seat
from drako_env.drako.symmetry import symmetries
from drako_env.drako.tables import build_tables
from drako_env.engine.game import Game
from drako_env.engine.kernels import compile_kernels
from drako_env.engine.symmetry import Symmetries


class Drako(Game):
    """The game under one set of rules."""

    name = "drako_v0"
    rules_version = RULES_VERSION
    seats = ("dragon_0", "dwarves_0")
    state_dtype = STATE
    kernels = compile_kernels(
        deal=deal, apply=apply, write_mask=write_mask, observe=observe, hide=hide, redeal=redeal, score=score
    )

    def __init__(self, rules: Rules) -> None:
        fields = {field.name.lower(): size for field, size in zip(Field, field_sizes(rules), strict=True)}
        super().__init__(rules, build_tables(rules), all_actions(rules), fields, _high(rules))
        self.chance = CardChance(rules, self.tables)
        self.max_decisions = _max_decisions(rules)

    @cached_property
    def symmetries(self) -> Symmetries:
        """The twelve ways to turn the board."""
        return symmetries(self.rules.radius, self.observation_fields, self.actions)

    def action_text(self, action: int) -> str:
        """An action in plain words. Whatever is played, everybody sees (R3.3, R4.2)."""
        return action_text(dict(self.actions[action]))

    def state_dict(self, state: Any) -> dict[str, Any]:
        """The whole position, hidden cards included."""
        return dicts.state_dict(self.rules, state)

    def load_state_dict(self, position: Mapping[str, Any]) -> np.void:
        """A state record of the position, without random numbers; `ValueError` if the position makes no sense."""
        return dicts.load_state_dict(self.rules, position)

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


def _high(rules: Rules) -> dict[str, int | list[int]]:
    """No more copies of a card than there are in the deck that has more of them, nor in hand than a hand holds (R5.3);
    a figure is struck twice at most."""
    decks = [[card.copies for card in deck] for deck in rules.decks]
    copies = [max(kinds) for kinds in zip_longest(*decks, fillvalue=0)]
    hand = rules.hand_limit + rules.cards_per_draw
    high: dict[str, int | list[int]] = {"strikes_open": 2, "strikes_taken": 2}
    high |= dict.fromkeys(("own_deck", "own_discards", "opponent_unseen", "opponent_discards"), copies)
    return high | {"own_hand": [min(hand, number) for number in copies]}


def _max_decisions(rules: Rules) -> int:
    """R11.2: every card is drawn once and spent once. Most asks a card that breathes fire: the direction, and an answer
    for each dwarf (R7.4, R7.5)."""
    cards = [sum(card.copies for card in deck) for deck in rules.decks]
    setup = 2 + len(DWARVES)
    spent = sum(draws(rules, number) + number * (2 + len(DWARVES)) for number in cards)
    escapes, fury, wounds = cards[Seat.DWARVES], 1, sum(rules.dragon_spaces[Area.FLIGHT :])
    if rules.fury_timing == "any":  # R10.1: asked at the end of every turn, and a turn draws or spends a card
        fury += draws(rules, cards[Seat.DWARVES]) + cards[Seat.DWARVES]
    return setup + spent + escapes + fury + wounds
