"""Rules tables with decks and wound spaces: what is known of them, what can be changed, in words and as TOML."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from copy import deepcopy
from typing import Any

import numpy as np

Table = Mapping[str, Any]

ARMOR = 4
MARKERS = 25
DECK = 38
MANY = 5
"""How many cards that offer attack or defense are many: more than one in eight."""
SPACES_CHANCE = 0.25
"""How often wound spaces are changed instead of copies."""
MOST_MOVES, MOST_COPIES = 3, 2
"""How often a change moves copies at most, and how many at once."""
TRIES = 200
"""For each proposal wanted: most changes are allowed and new."""


def allowed(table: Table) -> bool:
    """Whether a table agrees with all that is known of the game from public descriptions; see `facts`."""
    return all(facts(table).values())


def facts(table: Table) -> dict[str, bool]:
    """What is known, in words, and whether it is so. That every kind keeps a copy is no fact about the game: with
    the kinds actions and hands stay as they are, and networks can be trained on."""
    decks, spaces = list(table["deck"].values()), table["wounds"]
    double = [_copies(deck, lambda card: len(card["options"]) == 2) for deck in decks]
    dwarves, everything = list(spaces["dwarves"].values()), [n for side in spaces.values() for n in side.values()]
    return {
        f"armor has {ARMOR} spaces": spaces["dragon"]["armor"] == ARMOR,
        "every dwarf has another number of spaces": len(set(dwarves)) == len(dwarves),
        f"there are {MARKERS} wound markers": sum(everything) == MARKERS and min(everything) >= 1,
        f"a deck has {DECK} cards": all(_copies(deck, lambda card: True) == DECK for deck in decks),
        "every kind keeps a copy": all(card["copies"] >= 1 for deck in decks for card in deck),
        "most cards have two symbols": all(2 * cards > DECK for cards in double),
        "many cards offer attack or defense": all(_copies(deck, _attack_or_defense) >= MANY for deck in decks),
    }


def _copies(deck: list[Any], wanted: Callable[[Any], bool]) -> int:
    return sum(card["copies"] for card in deck if wanted(card))


def _attack_or_defense(card: Any) -> bool:
    symbols = [symbol for symbol, _ in card["options"]]
    return "defense" in symbols and any(symbol.startswith("attack") for symbol in symbols)


def check(table: Table) -> None:
    """`ValueError` if a table has nothing to change, or is not allowed itself."""
    if not {"deck", "wounds"} <= set(table):
        raise ValueError(f"table {table['name']!r}: only decks and wound spaces can be searched, and it has none")
    if wrong := [fact for fact, so in facts(table).items() if not so]:
        raise ValueError(f"table {table['name']!r}: known is that {wrong[0]}, and here it is not so")


def key(table: Table) -> str:
    """Tells tables apart."""
    return json.dumps({part: table[part] for part in ("deck", "wounds", "options")}, sort_keys=True)


def proposals(table: Table, count: int, known: Collection[str], seed: int) -> list[dict[str, Any]]:
    """So many allowed changes of a table, none of them known by its `key`; fewer if there are hardly any left."""
    chance, found, old = np.random.default_rng(seed), dict[str, dict[str, Any]](), {key(table), *known}
    for _ in range(TRIES * count):
        changed = _changed(table, chance)
        if allowed(changed) and key(changed) not in old:
            found[key(changed)] = changed
        if len(found) == count:
            break
    return list(found.values())


def _changed(table: Table, chance: np.random.Generator) -> dict[str, Any]:
    """A space moved from one place to another, or some copies within decks."""
    changed = deepcopy(dict(table))
    if chance.random() < SPACES_CHANCE:
        places = [(side, place) for side, places in changed["wounds"].items() for place in places]
        (side, place), (other_side, other) = (places[i] for i in chance.choice(len(places), 2, replace=False))
        changed["wounds"][side][place] -= 1
        changed["wounds"][other_side][other] += 1
        return changed
    for _ in range(chance.integers(1, MOST_MOVES + 1)):
        deck = changed["deck"][str(chance.choice(list(changed["deck"])))]
        less, more = (deck[i] for i in chance.choice(len(deck), 2, replace=False))
        copies = int(chance.integers(1, MOST_COPIES + 1))
        less["copies"] -= copies
        more["copies"] += copies
    return changed


def change(before: Table, after: Table) -> str:
    """What differs, in words."""
    parts = []
    for what, counts in (("cards", _cards), ("spaces", _spaces)):
        for side, old in counts(before).items():
            new = counts(after)[side]
            moved = [f"{name} {new[name] - n:+d}" for name, n in old.items() if new[name] != n]
            parts += [f"{side} {what}: {', '.join(moved)}"] if moved else []
    return "; ".join(parts) or "nothing"


def _cards(table: Table) -> dict[str, dict[str, int]]:
    return {side: {card["name"]: card["copies"] for card in deck} for side, deck in table["deck"].items()}


def _spaces(table: Table) -> dict[str, dict[str, int]]:
    return dict(table["wounds"])


def toml(table: Table, comment: str) -> str:
    """A table as a file that `Rules.load` reads. Names, numbers and lists are written as in JSON."""
    return "\n".join([*(f"# {line}" for line in comment.splitlines()), *_lines(table)]) + "\n"


def _lines(table: Table) -> Iterator[str]:
    yield f"name = {_value(table['name'])}"
    for title, values in [("options", table["options"]), *((f"wounds.{s}", v) for s, v in table["wounds"].items())]:
        yield from ("", f"[{title}]", *(f"{name} = {_value(value)}" for name, value in values.items()))
    for side, deck in table["deck"].items():
        for card in deck:
            yield from ("", f"[[deck.{side}]]", *(f"{name} = {_value(value)}" for name, value in card.items()))


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
