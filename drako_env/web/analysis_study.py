"""A game to study, as data for the page: pictures of every position, moves in words, and what analysts think.

A study shows what some viewers may see. That of a finished game shows all hands; that of a game under way is made for
one seat, and holds nothing that this seat may not know.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from drako_env.engine.game import Game, role_of
from drako_env.engine.position import Position
from drako_env.evaluation.analysis import DEALS, Analyst, Judge, Opinion
from drako_env.players import has_policy, make_player
from drako_env.render import OPEN
from drako_env.replay import Replay, positions
from drako_env.web.words import Words

DIGITS = 4
ELEMENT = re.compile("(?=<[a-z])")
ALL = "all"
JUDGES = ("policy", "puct:200")
OTHER_JUDGES = ("ismcts:20", "ismcts:500")
"""Where no policy comes with the project: a quick search in its place, and a longer one."""


def judges_of(game: Game) -> tuple[str, str]:
    """Who judges the positions of a game: the policy, and the search."""
    return JUDGES if has_policy(game) else OTHER_JUDGES


def make_analyst(game: Game, deals: int = DEALS) -> Analyst:
    """An analyst of a game."""
    policy, search = (make_player(name, game) for name in judges_of(game))
    return Analyst(game, cast(Judge, policy), cast(Judge, search), deals)


@dataclass
class Study:
    """The positions of a game, from its first decision to where it stands, and who may look."""

    game: Game
    states: list[Any]
    actions: list[int]
    """What was decided in every position; in the last one nothing is."""
    players: Sequence[str]
    viewers: tuple[int, ...]
    """Seats, or `OPEN` for all hands."""
    recorded: Sequence[tuple[dict[int, float], float | None]] = ()
    """What the players themselves thought, decision by decision."""
    drawn: Sequence[dict[str, Any]] = ()
    _lines: dict[str, int] = field(default_factory=dict)
    _elements: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._words = Words(self.game)

    @classmethod
    def of_replay(cls, replay: Replay) -> "Study":
        """A finished game, open to everybody; `ReplayError` at the line that breaks the rules."""
        game = replay.make_game()
        states = [position.state.copy() for position in positions(replay, game)]
        actions = [game.actions.index(decision.action) for decision in replay.decisions]
        recorded = [
            ({game.actions.index(o.action): o.weight for o in decision.opinions}, decision.value)
            for decision in replay.decisions
        ]
        drawn = [decision.drawn for decision in replay.decisions]
        viewers = (OPEN, *range(len(game.seats)))
        return cls(game, states, actions, list(replay.header.seats.values()), viewers, recorded, drawn)

    def data(self, analyst: Analyst | None) -> dict[str, Any]:
        """All that the page shows, JSON-able; without an analyst no opinions but those that were recorded."""
        game, deciders = self.game, [int(state["agent"]) for state in self.states]
        shown = [seat for seat in range(len(game.seats)) if self._may_ask(seat)]
        views = {self._name(viewer): self._view(viewer) for viewer in self.viewers}
        decisions = [self._decision(number, analyst) for number in range(len(self.states))]
        last = Position.of(game, self.states[-1])
        return {
            "game": game.name,
            "seats": list(game.seats),
            "players": list(self.players),
            "judges": judges_of(game),
            "ending": game.outcome(last.state)[0] if last.over else None,
            "rewards": last.rewards() if last.over else None,
            "deciders": deciders,
            "views": views,
            "decisions": decisions,
            "chances": {game.seats[seat]: self._chances(seat, analyst) for seat in shown} if analyst else {},
            "actions": self._actions(decisions),
            "places": self._words.around(game.scene(self.states[0], self.viewers[0]))["places"]["names"],
            "lines": [self._drawn(line) for line in self._lines],
            "elements": list(self._elements),
        }

    def search(self, number: int, analyst: Analyst) -> dict[str, Any]:
        """What the search thinks of a decision, and what the decision lost by that."""
        view = Position.of(self.game, self.states[number]).view()
        if not self._may_ask(view.seat):
            raise ValueError(f"decision {number} is not that of a seat that looks on")
        found = analyst.opinion(analyst.search, view)
        lost = analyst.loss(view, self.actions[number], found.best) if number < len(self.actions) else 0.0
        return {"search": _shares(found), "search_chance": round(found.chance, DIGITS), "loss": round(lost, DIGITS)}

    def _name(self, viewer: int) -> str:
        return ALL if viewer == OPEN else self.game.seats[viewer]

    def _may_ask(self, seat: int) -> bool:
        """Whether a seat's thoughts may be shown."""
        return seat in self.viewers or OPEN in self.viewers

    def _view(self, viewer: int) -> dict[str, Any]:
        scenes = [self.game.scene(state, viewer) for state in self.states]
        pictures = [self._shared(self.game.picture(scene)) for scene in scenes]
        moves = [self._move(number, viewer) for number in range(len(self.actions))]
        return {"pictures": pictures, "questions": list(map(self._words.question, scenes)), "moves": moves}

    def _shared(self, picture: str) -> list[int]:
        """A picture as the numbers of its lines: most are those of other pictures."""
        return [self._lines.setdefault(line, len(self._lines)) for line in picture.splitlines()]

    def _drawn(self, line: str) -> list[int]:
        """A line as the numbers of its elements: the drawing of a symbol is the same wherever it stands."""
        elements = ELEMENT.split(line)
        return [self._elements.setdefault(element, len(self._elements)) for element in elements]

    def _move(self, number: int, viewer: int) -> str:
        """A decision in words, with the cards that it brought as far as the viewer may know them."""
        (before, after), action = self.states[number : number + 2], self.actions[number]
        seat, game = int(before["agent"]), self.game
        text = self._words.told(before, action, after, seat if viewer == OPEN else viewer)["text"]
        cards = self.drawn[number].get(role_of(game.seats[seat]), {}) if number < len(self.drawn) else {}
        listed = ", ".join(f"{count} {name}" if count > 1 else name for name, count in cards.items())
        return f"{text}: {listed}" if listed and viewer in (OPEN, seat) else text

    def _decision(self, number: int, analyst: Analyst | None) -> dict[str, Any]:
        """What there was to choose, what was chosen and thought; nothing of a seat that nobody looks on with."""
        position = Position.of(self.game, self.states[number])
        if position.over or not self._may_ask(position.agent):
            return {}
        legal, scene = position.legal(), self.game.scene(position.state, position.agent)
        words = [self._words.choice(scene, action)["text"] for action in legal]
        found: dict[str, Any] = {"legal": legal, "words": words}
        if number < len(self.actions):
            found["chosen"] = self.actions[number]
        if analyst is not None:
            found["policy"] = _shares(analyst.opinion(analyst.policy, position.view()))
        if number < len(self.recorded):
            found |= _recorded(*self.recorded[number], position.legal())
        return found

    def _chances(self, seat: int, analyst: Analyst) -> list[float]:
        return [round(analyst.chance(state, seat), DIGITS) for state in self.states]

    def _actions(self, decisions: Sequence[dict[str, Any]]) -> dict[int, dict[str, Any]]:
        """The actions that anybody could choose, with their parts: the page shows them on the board."""
        wanted = sorted({action for decision in decisions for action in decision.get("legal", ())})
        return {action: dict(self.game.actions[action]) for action in wanted}


def _shares(opinion: Opinion) -> list[float]:
    """By legal action, in their order."""
    return [round(share, DIGITS) for share in opinion.shares.values()]


def _recorded(weights: dict[int, float], value: float | None, legal: Sequence[int]) -> dict[str, Any]:
    """What was recorded of the thoughts of whoever played."""
    total, found = sum(weights.values()), {}
    if total:
        found["recorded"] = [round(weights.get(action, 0.0) / total, DIGITS) for action in legal]
    return found if value is None else found | {"recorded_chance": round(value, DIGITS)}
