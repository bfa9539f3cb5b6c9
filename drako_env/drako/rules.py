"""Rules tables: decks, wound spaces, board radius and options, read from TOML and validated."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from drako_env.drako.state import MAX_DECK, MAX_KINDS, MAX_SPACES
from drako_env.engine.checks import shown
from drako_env.engine.hexboard import MAX_RADIUS
from drako_env.engine.tables import read_table

RULES_VERSION = 2  # raised when a clause of RULES.md or the meaning of an observation changes

DECKS = Path(__file__).parent / "decks"

SYMBOLS = {
    "dragon": ("move", "flight", "attack", "fire", "defense"),
    "dwarves": ("move1", "move2", "attack1", "attack2", "crossbow", "net", "defense"),
}
VALUELESS = ("flight", "net", "defense")
AREAS = ("armor", "flight", "movement", "fire")
DWARVES = ("fury", "archer", "net")
MAX_COPIES = 127
MAX_NAME = 80
EDITIONS = {"2011": "start", "2019": "any"}  # R10.3: the fury_timing each printing speaks of
OPTIONS: dict[str, tuple[Any, ...]] = {
    "exchange": (True, False),
    "placement": ("free", "first_game"),
    "discard_action": ("forced", "always"),
    "edition": tuple(EDITIONS),
    "fury_timing": ("start", "any"),
    "fury_may_kill": (False, True),
    "radius": (2, 1, *range(3, MAX_RADIUS + 1)),
    "start_hand": (4, 1, 2, 3, 5, 6, 7, 8, 9, 10),
    "hand_limit": (6, 1, 2, 3, 4, 5, 7, 8, 9, 10),
    "cards_per_draw": (2, 1, 3, 4),
}
SIZES_OF_HANDS = {"start_hand": 4, "hand_limit": 6, "cards_per_draw": 2}
"""The game's own, R4.1 and R5.3: a table says only where it differs, so that digests of older tables hold."""


@dataclass(frozen=True)
class Card:
    """A kind of card: its name, how many copies the deck has, and its one or two `(symbol, value)` options (R3.1)."""

    name: str
    copies: int
    options: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Rules:
    """A complete, validated set of rules. Make one with `Rules.load`."""

    name: str
    dragon_deck: tuple[Card, ...]
    dwarves_deck: tuple[Card, ...]
    dragon_spaces: tuple[int, ...]
    """Wound spaces by area: armor, flight, movement, fire (R2.1)."""
    dwarf_spaces: tuple[int, ...]
    """Wound spaces by dwarf: fury, archer, net (R2.2)."""
    radius: int = 2
    exchange: bool = True
    placement: str = "free"
    discard_action: str = "forced"
    edition: str = "2011"
    fury_timing: str = "start"
    fury_may_kill: bool = False
    start_hand: int = SIZES_OF_HANDS["start_hand"]
    hand_limit: int = SIZES_OF_HANDS["hand_limit"]
    cards_per_draw: int = SIZES_OF_HANDS["cards_per_draw"]

    def __post_init__(self) -> None:
        """However it was made, a `Rules` object is valid."""
        _read_name(self.name, "rules")
        for side, deck in (("dragon", self.dragon_deck), ("dwarves", self.dwarves_deck)):
            _read_deck([_card_table(card) for card in deck], side, f"rules {self.name!r}")
        for names, spaces in ((AREAS, self.dragon_spaces), (DWARVES, self.dwarf_spaces)):
            if len(names) != len(spaces):
                raise ValueError(f"rules {self.name!r}: expected wound spaces for {', '.join(names)}, got {spaces!r}")
            _read_wounds(dict(zip(names, spaces, strict=True)), names, f"rules {self.name!r}")
        _checked_options({name: getattr(self, name) for name in OPTIONS}, f"rules {self.name!r}")
        _check_together(self)

    @property
    def decks(self) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
        """Both decks in seat order."""
        return self.dragon_deck, self.dwarves_deck

    @classmethod
    def load(cls, source: "str | Path | Mapping[str, Any] | Rules" = "reconstructed", /, **options: Any) -> "Rules":
        """Rules from a shipped table's name, a path to a `.toml`, what such a file holds, or other rules; `options` win
        over the file's."""
        if isinstance(source, Rules):
            return replace(source, **_checked_options(options, "keyword arguments"))
        if isinstance(source, Mapping):
            return _read_table(source, "rules", options)
        path, table = read_table(source, DECKS, "rules table")
        return _read_table(table, str(path), options)

    def table(self) -> dict[str, Any]:
        """All of it in the form of a `.toml` table; `Rules.load` reads it back."""
        sides = {"dragon": self.dragon_deck, "dwarves": self.dwarves_deck}
        return {
            "name": self.name,
            "wounds": {
                "dragon": dict(zip(AREAS, self.dragon_spaces, strict=True)),
                "dwarves": dict(zip(DWARVES, self.dwarf_spaces, strict=True)),
            },
            "deck": {side: [_card_table(card) for card in deck] for side, deck in sides.items()},
            "options": {n: v for n in OPTIONS if (v := getattr(self, n)) != SIZES_OF_HANDS.get(n)},
        }


def _card_table(card: Card) -> dict[str, Any]:
    return {"name": card.name, "copies": card.copies, "options": [list(option) for option in card.options]}


def _check_together(rules: Rules) -> None:
    """What each for itself may be chosen, but not with the rest of the table."""
    where = f"rules {rules.name!r}"
    for side, deck in zip(SYMBOLS, rules.decks, strict=True):
        if (total := sum(card.copies for card in deck)) < rules.start_hand:
            needed = f"a starting hand needs at least {rules.start_hand}"
            raise ValueError(f"{where}: [[deck.{side}]]: {total} cards in all; {needed}")
    if rules.start_hand > rules.hand_limit:
        raise ValueError(f"{where}: start_hand = {rules.start_hand}: hand_limit allows {rules.hand_limit}")
    if rules.radius == 1 and rules.placement == "free":  # R4.3
        why = "every hex of a board of radius 1 is adjacent to the dragon"
        raise ValueError(f"{where}: placement = 'free': {why}; choose placement = 'first_game'")


def _read_table(table: Mapping[str, Any], file: str, options: Mapping[str, Any]) -> Rules:
    _expect_keys(table, file, required=("deck", "wounds"), optional=("name", "board", "options"))
    board, wounds, decks = table.get("board", {}), table["wounds"], table["deck"]
    _expect_keys(board, f"{file}: [board]", required=(), optional=("radius",))
    _expect_keys(wounds, f"{file}: [wounds]", required=("dragon", "dwarves"))
    _expect_keys(decks, f"{file}: [deck]", required=("dragon", "dwarves"))
    return Rules(
        name=_read_name(table.get("name", Path(file).stem), file),
        dragon_deck=_read_deck(decks["dragon"], "dragon", file),
        dwarves_deck=_read_deck(decks["dwarves"], "dwarves", file),
        dragon_spaces=_read_wounds(wounds["dragon"], AREAS, f"{file}: [wounds.dragon]"),
        dwarf_spaces=_read_wounds(wounds["dwarves"], DWARVES, f"{file}: [wounds.dwarves]"),
        **_checked_options(board, f"{file}: [board]")
        | _checked_options(table.get("options", {}), f"{file}: [options]")
        | _checked_options(options, "keyword arguments"),
    )


def _read_deck(entries: Any, side: str, file: str) -> tuple[Card, ...]:
    where = f"{file}: [[deck.{side}]]"
    if not isinstance(entries, list):
        raise ValueError(f"{where}: expected a list of cards, got {shown(entries)}")
    if len(entries) > MAX_KINDS:
        raise ValueError(f"{where}: {len(entries)} different cards; at most {MAX_KINDS} are allowed")
    cards = tuple(_read_card(entry, side, f"{where} number {i + 1}") for i, entry in enumerate(entries))
    names = [card.name for card in cards]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"{where}: the name {twice[0]!r} stands twice; add its copies up instead")
    if (total := sum(card.copies for card in cards)) > MAX_DECK:
        raise ValueError(f"{where}: {total} cards in all; at most {MAX_DECK} are allowed")
    return cards


def _read_card(entry: Any, side: str, where: str) -> Card:
    _expect_keys(entry, where, required=("name", "copies", "options"))
    name, copies, options = _read_name(entry["name"], where), entry["copies"], entry["options"]
    where = f"{where} ({name!r})"
    _expect_int(copies, 1, MAX_COPIES, f"{where}: copies")
    if not isinstance(options, list) or len(options) not in (1, 2):
        raise ValueError(f"{where}: options = {shown(options)}: expected a list of one or two [symbol, value] pairs")
    read = tuple(_read_option(option, side, where) for option in options)
    if len({symbol for symbol, _ in read}) < len(read):
        raise ValueError(f"{where}: both options are {read[0][0]!r}; a card's two symbols must differ")
    return Card(name, copies, read)


def _read_name(name: Any, where: str) -> str:
    """Names stand in pictures, on the page and in the terminal."""
    if not isinstance(name, str) or not name.isprintable() or not 1 <= len(name) <= MAX_NAME:
        raise ValueError(f"{where}: name = {shown(name)}: expected a text of 1 to {MAX_NAME} printable characters")
    return name


def _read_option(option: Any, side: str, where: str) -> tuple[str, int]:
    if not isinstance(option, list) or len(option) != 2:
        raise ValueError(f"{where}: option {shown(option)}: expected a pair [symbol, value]")
    symbol, value = option
    if symbol not in SYMBOLS[side]:
        other = "dwarves" if side == "dragon" else "dragon"
        hint = f", {symbol!r} is a symbol of the {other}" if symbol in SYMBOLS[other] else ""
        raise ValueError(
            f"{where}: unknown symbol {shown(symbol)}{hint}; the {side} may use {', '.join(SYMBOLS[side])}"
        )
    lowest, highest = (0, 0) if symbol in VALUELESS else (1, 9)
    _expect_int(value, lowest, highest, f"{where}: value of {symbol!r}")
    return symbol, value


def _read_wounds(table: Any, names: tuple[str, ...], where: str) -> tuple[int, ...]:
    _expect_keys(table, where, required=names)
    for name in names:
        _expect_int(table[name], 1, MAX_SPACES, f"{where}: {name}")
    return tuple(table[name] for name in names)


def _checked_options(options: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Only known options with allowed values; an edition sets what it implies unless that is given too (R10.3)."""
    if not isinstance(options, Mapping):
        raise ValueError(f"{where}: expected a table of options, got {shown(options)}")
    for name, value in options.items():
        if name not in OPTIONS:
            raise ValueError(f"{where}: unknown option {shown(name)}; known are {', '.join(OPTIONS)}")
        if not any(value == allowed and type(value) is type(allowed) for allowed in OPTIONS[name]):
            allowed = ", ".join(map(repr, sorted(OPTIONS[name], key=lambda v: v if type(v) is int else 0)))
            raise ValueError(f"{where}: {name} = {shown(value)}: allowed are {allowed}")
    implied = {"fury_timing": EDITIONS[options["edition"]]} if "edition" in options else {}
    return implied | dict(options)


def _expect_keys(table: Any, where: str, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
    if not isinstance(table, Mapping):
        raise ValueError(f"{where}: expected a table, got {shown(table)}")
    allowed = ", ".join((*required, *optional))
    if unknown := sorted(shown(key) for key in set(table) - {*required, *optional}):
        raise ValueError(f"{where}: unknown key {unknown[0]}; allowed are {allowed}")
    if missing := [key for key in required if key not in table]:
        raise ValueError(f"{where}: {missing[0]!r} is missing; expected are {allowed}")


def _expect_int(value: Any, lowest: int, highest: int, where: str) -> None:
    if type(value) is not int or not lowest <= value <= highest:
        expected = f"{lowest}" if lowest == highest else f"a whole number from {lowest} to {highest}"
        raise ValueError(f"{where} = {shown(value)}: expected {expected}")
