"""What can be chosen before a game, in plain words (`setup.toml`), with the ratings of players (`levels.toml`)."""

import secrets
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from drako_env.engine.game import Game
from drako_env.games import GAMES, Entry, make_game
from drako_env.players import has_policy
from drako_env.players.levels import COUNT, Ladder, in_words, ladder_of
from drako_env.players.levels import NAMES as LEVELS
from drako_env.web.lessons import has_lesson

WORDS = Path(__file__).parent / "setup.toml"
MOST_CHOICES = 12
"""An option with more values than that is not offered."""
OWN = "as started"
"""The rules table of the command line."""


@dataclass(frozen=True)
class Preset:
    """What the command line chose: it is offered first."""

    name: str = ""
    game: Game | None = None
    """Only if it is not what the name alone stands for."""
    players: tuple[str, ...] = ()
    seed: int | None = None

    def seeds(self) -> Iterator[int]:
        """Those of the games to come: unless the first one is given, nobody can guess them."""
        if self.seed is not None:
            return count(self.seed)
        return iter(lambda: secrets.randbits(63), -1)

    def is_own(self, name: str, table: str) -> bool:
        """Whether a table of a game is that of the command line."""
        return self.game is not None and name == self.name and table == OWN

    def shown(self) -> dict[str, Any]:
        """What the page chooses at first."""
        return {"game": self.name, "table": OWN if self.game else "", "players": list(self.players)}


def offered_options(entry: Entry) -> dict[str, list[Any]]:
    """The options that one can choose on the page."""
    return {key: list(values) for key, values in entry.options.items() if len(values) <= MOST_CHOICES}


def described(name: str, opponents: Sequence[str], preset: Preset) -> dict[str, Any]:
    """A game as the page offers it; who sits where, and how strong the others are, for every number of players."""
    entry, words, own = GAMES[name], _words(), preset.game if preset.name == name else None
    counts = entry.options.get("num_players", ())
    games = {str(n): make_game(name, num_players=n) for n in counts} or {"": make_game(name)}
    tables = _tables(entry)
    if own:
        games[OWN] = own
        tables = [(OWN, "as this server was started"), *tables]
    about = words["games"].get(name, {})
    return {
        "title": about.get("title", name.replace("_", " ").title()),
        "about": about.get("about", ""),
        "sides": about.get("sides", {}),
        "tables": [{"value": table, "label": label} for table, label in tables],
        "options": [_option(key, values) for key, values in offered_options(entry).items() if key != "num_players"],
        "opponents": {count: _opponents(game, opponents) for count, game in games.items()},
        "seats": {count: list(game.seats) for count, game in games.items()},
        "lesson": has_lesson(name),
    }


def _tables(entry: Entry) -> list[tuple[str, str]]:
    words = _words()["tables"]
    return [(table, words.get(table, table)) for table in entry.tables]


def _option(name: str, values: Sequence[Any]) -> dict[str, Any]:
    words = _words()["options"].get(name, {})
    named = words.get("values", {})
    shown = [{"value": value, "label": named.get(str(value).lower(), str(value))} for value in values]
    return {"name": name, "label": words.get("label", name), "help": words.get("help", ""), "values": shown}


def _opponents(game: Game, specs: Sequence[str]) -> list[dict[str, str]]:
    """Under the rules as they are, and in other words where variants are chosen, which no learnt policy plays."""
    here, varied = ladder_of(game, has_policy(game)), ladder_of(game, False)
    return [{"value": spec, "label": _opponent(here, spec), "varied": _opponent(varied, spec)} for spec in specs]


def _opponent(ladder: Ladder, spec: str) -> str:
    """An agent by what it is, with its rating where one was measured."""
    label = str(_words()["opponents"].get(spec, spec))
    if spec in LEVELS:
        number = LEVELS.index(spec)
        strongest = "strongest, " if number == COUNT - 1 else ""
        label = f"Level {number + 1}: {strongest}{_level(ladder.levels[number])}"
    if measured := ladder.measured(spec):
        label += " (rating {}, thinks {:g} ms)".format(*measured)
    return label


def _level(spec: str) -> str:
    """A player of a level by how it plays."""
    name, _, argument = spec.partition(":")
    first, _, player = argument.partition(":")
    if name == "mistakes":
        return f"{_level(player)}, {float(first):.0%} slips"
    tries = f"{int(first):,}" if first.isdecimal() else first
    return str(_words()["levels"].get(name, in_words(spec))).format(tries)


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads(WORDS.read_text(encoding="utf-8"))
