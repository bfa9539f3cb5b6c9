"""Levels of play: the same names in every game, from random play to the strongest. Which players they are, says
`levels.toml`."""

import tomllib
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from drako_env.engine.game import Game

FILE = Path(__file__).parent / "levels.toml"
COUNT = 8
NAMES = tuple(f"level:{number}" for number in range(1, COUNT + 1))


@dataclass(frozen=True)
class Ladder:
    """The players of all levels, weakest first, and the games that they are for."""

    levels: tuple[str, ...]
    games: tuple[str, ...] = ()
    """Their names without the version; nothing: any game."""
    players: tuple[int, ...] = ()
    """How many there may be; nothing: any number."""
    learnt: bool = False
    """Only where a learnt policy comes with the project for the game and its rules."""
    elo: tuple[int, ...] = ()
    """The measured rating of every level above the first; nothing: not measured."""
    milliseconds: tuple[float, ...] = ()
    """The processor's time of a decision, measured in the same games."""

    def fits(self, game: Game, learnt: bool) -> bool:
        """Whether it is for this game; `learnt` says whether a policy comes with it."""
        named = not self.games or short_name(game) in self.games
        return named and (not self.players or len(game.seats) in self.players) and (learnt or not self.learnt)

    def measured(self, spec: str) -> tuple[int, float] | None:
        """Rating and milliseconds of one of its players, or of `level:7` by that name, if they were measured."""
        number = NAMES.index(spec) if spec in NAMES else self.levels.index(spec) if spec in self.levels else COUNT
        return (self.elo[number], self.milliseconds[number]) if number < len(self.elo) else None


def short_name(game: Game) -> str:
    """`golden_dragon_v0` -> `golden_dragon`."""
    return game.name.rsplit("_", 1)[0]


def ladder_of(game: Game, learnt: bool) -> Ladder:
    """The levels of a game; `learnt` says whether a policy comes with it."""
    return next(ladder for ladder in read_ladders(FILE) if ladder.fits(game, learnt))


@cache
def read_ladders(path: Path) -> tuple[Ladder, ...]:
    """All ladders of a file, of which the first that fits counts; `ValueError` says what is wrong with it."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        ladders = tuple(_ladder(row) for row in table["ladder"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from None
    if not ladders or ladders[-1] != Ladder(ladders[-1].levels):
        raise ValueError(f"{path}: the last ladder has to be for every game, with nothing but levels")
    return ladders


def _ladder(row: dict[str, Any]) -> Ladder:
    """A checked table of the file."""
    if unknown := row.keys() - {field.name for field in fields(Ladder)}:
        raise ValueError(f"a ladder has no {sorted(unknown)[0]!r}")
    levels, players, games = row["levels"], row.get("players", []), row.get("games", [])
    elo, milliseconds = row.get("elo", []), row.get("milliseconds", [])
    if len(levels) != COUNT or len(set(levels)) != COUNT or not all(isinstance(spec, str) for spec in levels):
        raise ValueError(f"levels = {levels}: expected {COUNT} different players")
    if wrong := [spec for spec in levels if "level" in spec.split(":")]:
        raise ValueError(f"level {wrong[0]!r}: a level cannot be made of another")
    if not all(isinstance(count, int) for count in players):
        raise ValueError(f"players = {players}: expected numbers")
    if not isinstance(games, list) or not all(isinstance(name, str) for name in games):
        raise ValueError(f"games = {games}: expected names")
    if {len(elo), len(milliseconds)} not in ({0}, {COUNT}):
        raise ValueError(f"elo and milliseconds: expected {COUNT} numbers each, or neither")
    measured = tuple(map(int, elo)), tuple(map(float, milliseconds))
    return Ladder(tuple(levels), tuple(games), tuple(players), row.get("learnt") is True, *measured)


WORDS = {
    "random": "any legal action",
    "heuristic": "rules of thumb",
    "policy": "the learnt policy",
    "tempered": "the learnt policy at temperature {}",
    "ismcts": "a search, {} a decision",
    "puct": "a search guided by the learnt policy, {} a decision",
    "improve": "the learnt policy, improved by looking ahead from {} deals",
}


def in_words(spec: str) -> str:
    """A player in plain words; of somebody's own, its name."""
    name, _, argument = spec.partition(":")
    first, _, rest = argument.partition(":")
    if name == "mistakes":
        return f"{in_words(rest)} with {float(first):.0%} random decisions"
    if name in ("ismcts", "puct"):
        first = f"{first[:-1]} s" if first.endswith("s") else f"{first} simulations"
    return WORDS.get(name, spec).format(first)
