"""The games by name, for whoever lets a user choose one."""

from collections.abc import Callable
from typing import Any

from drako_env.drako.game import Drako
from drako_env.drako.rules import Rules
from drako_env.engine.game import Game


def _drako(rules: Any = "reconstructed", **options: Any) -> Game:
    return Drako.of(Rules.load(rules, **options))


GAMES: dict[str, Callable[..., Game]] = {"drako": _drako}


def make_game(name: str, /, **options: Any) -> Game:
    """A game by its name, with or without version: `make_game("drako", rules="reconstructed", exchange=False)`."""
    short = name.removesuffix("_v0")
    if short not in GAMES:
        raise ValueError(f"unknown game {name!r}; known are {', '.join(GAMES)}")
    return GAMES[short](**options)
