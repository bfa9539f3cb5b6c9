"""The games by name, for whoever lets a user choose one."""

from collections.abc import Callable
from functools import partial
from typing import Any

from drako_env.drako.game import Drako
from drako_env.drako.rules import Rules as DrakoRules
from drako_env.engine.game import Game
from drako_env.golden_dragon.game import GoldenDragon, Icarius
from drako_env.golden_dragon.rules import Rules as BoardRules


def _drako(rules: Any = "reconstructed", **options: Any) -> Game:
    return Drako.of(DrakoRules.load(rules, **options))


def _golden_dragon(kind: type[GoldenDragon], prefix: str, rules: Any = None, board: Any = None, **options: Any) -> Game:
    """`board` is the game's own word for its rules table."""
    if rules is not None and board is not None:
        raise ValueError(f"board = {board!r} and rules = {rules!r}: give one of them")
    chosen = board if rules is None else rules
    return kind.of(BoardRules.load("auto" if chosen is None else chosen, prefix=prefix, **options))


GAMES: dict[str, Callable[..., Game]] = {
    "drako": _drako,
    "golden_dragon": partial(_golden_dragon, GoldenDragon, ""),
    "icarius": partial(_golden_dragon, Icarius, "icarius_"),
}


def make_game(name: str, /, **options: Any) -> Game:
    """A game by its name, with or without version: `make_game("drako", rules="reconstructed", exchange=False)`."""
    short = name.removesuffix("_v0")
    if short not in GAMES:
        raise ValueError(f"unknown game {name!r}; known are {', '.join(GAMES)}")
    return GAMES[short](**options)
