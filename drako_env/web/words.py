"""A game in words for people. A game says them itself in its `render/words.py`; one that has none speaks plainly."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from drako_env.engine.game import Game

Scene = Mapping[str, Any]
Marks = list[tuple[str, str]]
"""Parts of the picture: `("hex", "0,1")` is whatever has `data-hex="0,1"`."""


class Words:
    """The words of one game."""

    def __init__(self, game: Game) -> None:
        self._game, self._own = game, _own_words(game)

    def question(self, scene: Scene) -> str:
        """What is to be decided, and by whom."""
        return str(self._own.question(scene) if self._own else scene["question"])

    def choice(self, scene: Scene, action: int) -> dict[str, Any]:
        """An action as a person is offered it, and the parts of the picture that stand for it."""
        parts = dict(self._game.actions[action])
        if self._own:
            text, marks = self._own.choice(scene, parts), self._own.marks(scene, parts)
        else:
            text, marks = self._game.action_text(action), []
        return {"id": action, "text": text, "marks": marks}

    def told(self, before: Any, action: int, after: Any, seat: int | None) -> dict[str, Any]:
        """What a seat (`None`: everybody) is told of an action between two records, and where it happened."""
        game = self._game
        if not self._own:
            return {"text": game.event_text(before, action, seat), "marks": [], "turn": ""}
        earlier, later = game.scene(before, seat), game.scene(after, seat)
        text, marks = self._own.told(earlier, dict(game.actions[action]), later)
        return {"text": text, "marks": marks, "turn": self._own.heading(earlier, later)}

    def around(self, scene: Scene) -> dict[str, Any]:
        """What else helps: the names of places and what is there, the cards that may be looked at, the symbols."""
        if not self._own:
            return {"places": {"names": {}, "holds": {}}, "cards": [], "symbols": []}
        own = self._own
        return {"places": own.places(scene), "cards": own.cards(scene), "symbols": own.symbols(scene)}


def _own_words(game: Game) -> ModuleType | None:
    package = type(game).__module__.rpartition(".")[0]
    name = f"{package}.render.words"
    if not package or find_spec(f"{package}.render") is None or find_spec(name) is None:
        return None
    return import_module(name)
