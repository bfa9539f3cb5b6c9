"""The games by name, for whoever lets a user choose one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from drako_env.drako.rules import OPTIONS as DRAKO_OPTIONS
from drako_env.drako.rules import Rules as DrakoRules
from drako_env.engine.checks import shown
from drako_env.golden_dragon.rules import DEFAULT_BOARD
from drako_env.golden_dragon.rules import OPTIONS as BOARD_OPTIONS
from drako_env.golden_dragon.rules import Rules as BoardRules

if TYPE_CHECKING:
    from drako_env.engine.game import Game

BOARDS = (DEFAULT_BOARD, "auto", "compact9", "compact8", "two_rows")


def _drako(rules: Any = "reconstructed", **options: Any) -> "Game":
    from drako_env.drako.game import Drako  # a game is loaded when it is wanted: kernels take their time

    return Drako.of(DrakoRules.load(rules, **options))


def _golden_dragon(kind: str, prefix: str, rules: Any = None, board: Any = None, **options: Any) -> "Game":
    """`board` is the game's own word for its rules table."""
    from drako_env.golden_dragon import game

    if rules is not None and board is not None:
        raise ValueError(f"board = {board!r} and rules = {rules!r}: give one of them")
    chosen = board if rules is None else rules
    found = BoardRules.load(DEFAULT_BOARD if chosen is None else chosen, prefix=prefix, **options)
    made: Game = getattr(game, kind).of(found)
    return made


@dataclass(frozen=True)
class Entry:
    """A game that can be chosen: how to make it, and what to choose from."""

    make: "Callable[..., Game]"
    tables: tuple[str, ...]
    """The shipped rules tables, the default first."""
    options: Mapping[str, tuple[Any, ...]]
    """Every rule option with its allowed values; the default first, where there are few."""


GAMES: dict[str, Entry] = {
    "drako": Entry(_drako, ("reconstructed", "reconstructed_1", "tiny", "micro", "small", "medium"), DRAKO_OPTIONS),
    "golden_dragon": Entry(partial(_golden_dragon, "GoldenDragon", ""), BOARDS, BOARD_OPTIONS),
    "icarius": Entry(partial(_golden_dragon, "Icarius", "icarius_"), BOARDS, BOARD_OPTIONS),
}


def register_game(name: str, entry: Entry) -> None:
    """Make a game of one's own known by name: to replays, evaluation and every command."""
    GAMES[name] = entry


def make_game(name: str, /, **options: Any) -> "Game":
    """A game by its name, with or without version: `make_game("drako", rules="reconstructed", exchange=False)`."""
    short = name.removesuffix("_v0")
    if short not in GAMES:
        raise ValueError(f"unknown game {shown(name)}; known are {', '.join(GAMES)}")
    return GAMES[short].make(**options)
