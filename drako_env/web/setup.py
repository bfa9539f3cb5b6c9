"""What can be chosen before a game, in plain words. The words and the measured ratings are in `setup.toml`."""

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
from drako_env.players.levels import NAMES as LEVELS
from drako_env.players.levels import in_words, ladder_of
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
    """A game as the page offers it."""
    entry, words = GAMES[name], _words()
    counts = entry.options.get("num_players", ())
    seats = {str(n): list(make_game(name, num_players=n).seats) for n in counts} or {"": list(make_game(name).seats)}
    tables = [(OWN, "as this server was started"), *_tables(entry)] if preset.is_own(name, OWN) else _tables(entry)
    about = words["games"].get(name, {})
    return {
        "title": about.get("title", name.replace("_", " ").title()),
        "about": about.get("about", ""),
        "sides": about.get("sides", {}),
        "tables": [{"value": table, "label": label} for table, label in tables],
        "options": [_option(key, values) for key, values in offered_options(entry).items() if key != "num_players"],
        "opponents": [_opponent(name, spec) for spec in opponents],
        "seats": seats | ({OWN: list(preset.game.seats)} if preset.game and preset.name == name else {}),
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


def _opponent(game: str, spec: str) -> dict[str, str]:
    """An agent by what it is, with its rating where one was measured."""
    words = _words()
    label = words["opponents"].get(spec, spec)
    if measured := words["ratings"].get(game, {}).get(_level_of(game, spec)):
        label += f" (rating {measured['rating']}, thinks {measured['ms']:g} ms)"
    elif spec in LEVELS:
        label = f"Level {spec.partition(':')[2]}: {_level(game, LEVELS.index(spec))}"
    return {"value": spec, "label": label}


def _level_of(name: str, spec: str) -> str:
    """The level that a player is, by whose name it was measured: `level:7` may be the learnt policy."""
    ladder = ladder_of(make_game(name), has_policy(make_game(name)))
    return LEVELS[ladder.index(spec)] if spec in ladder else spec


def _level(name: str, number: int) -> str:
    """What a level is in a game whose levels have no rating; among many it may be another player than between two."""
    counts = GAMES[name].options.get("num_players", ())
    games = [make_game(name, num_players=count) for count in counts] or [make_game(name)]
    few, many = (in_words(ladder_of(game, has_policy(game))[number]) for game in (games[0], games[-1]))
    return few if few == many else f"{few}; among more than two {many}"


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads(WORDS.read_text(encoding="utf-8"))
