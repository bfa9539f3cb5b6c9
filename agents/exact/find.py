"""A search over small tables of Drako for those in which hidden cards matter: hill climbing, each table solved."""

import json
import random
from copy import deepcopy
from pathlib import Path
from typing import Any

from agents.exact.figures import best_drawn, mixing_gains, solve
from drako_env.exact import build_tree, exploitability, purified, uniform, value
from drako_env.games import make_game

Draft = dict[str, Any]
"""Sizes by name, and for each side the copies of its cards by number."""
CARDS = {
    "dwarves": (
        [["attack1", 2]],
        [["attack1", 3]],
        [["attack1", 4]],
        [["attack1", 2], ["defense", 0]],
        [["attack2", 1]],
        [["attack2", 2]],
        [["attack2", 1], ["defense", 0]],
        [["crossbow", 2]],
        [["crossbow", 4]],
        [["crossbow", 2], ["defense", 0]],
        [["net", 0], ["attack1", 2]],
        [["move1", 1], ["defense", 0]],
        [["defense", 0]],
    ),
    "dragon": (
        [["attack", 1]],
        [["attack", 2]],
        [["attack", 1], ["defense", 0]],
        [["attack", 2], ["defense", 0]],
        [["fire", 1]],
        [["fire", 2]],
        [["fire", 1], ["defense", 0]],
        [["move", 1], ["attack", 1]],
        [["flight", 0], ["defense", 0]],
        [["defense", 0]],
    ),
}
SIZES = {"start_hand": (1, 2), "room": (0, 1), "cards_per_draw": (1, 2), "armor": (1, 3)}
SIZES |= {"fury": (1, 2), "archer": (1, 2), "net": (1, 2), "exchange": (0, 1)}
"""What is drawn and changed, from least to most; `room` is what a hand may keep beyond the starting hand."""
FEWEST_CARDS = 2
GOAL, MOST_ITERATIONS = 0.01, 400
FAIR = 0.5
"""A table in which a side gets more than this is not even enough."""
BOTH = 0.1
"""What the greater of two merits counts beside the lesser: a climb needs a slope."""
STARTS = 300
"""Random tables that are tried before one is found that hides something: a climb begins there."""
HIDES = 0.03
"""What open hands have to change for that; and what not mixing has to cost before it is worth a proof."""
PROOF_SECONDS = 20.0
"""For the best pure strategies of each side; most take a second or two."""


def climb(seed: int, steps: int, most_cards: int, most_positions: int, starts: int = STARTS) -> list[dict[str, Any]]:
    """What was judged on the way from a random table to a better one."""
    chance, found = random.Random(f"climb {seed}"), []
    for _ in range(starts):
        draft = _random_draft(chance, most_cards)
        entry = judge(draft, most_positions)
        if entry.get("shown", 0.0) > HIDES:
            break
    found.append({"seed": seed} | entry)
    for _ in range(steps):
        other = _changed(draft, chance, most_cards)
        entry = judge(other, most_positions)
        if entry["score"] >= found[-1]["score"]:
            draft = other
            found.append({"seed": seed} | entry)
    return found


def _random_draft(chance: random.Random, most_cards: int) -> Draft:
    draft: Draft = {name: chance.randint(*span) for name, span in SIZES.items()}
    for side, cards in CARDS.items():
        size = chance.randint(max(FEWEST_CARDS, draft["start_hand"]), most_cards)
        kinds = chance.sample(range(len(cards)), min(size, chance.choice((2, 3))))
        draft[side] = dict.fromkeys(map(str, kinds), 1)
        for _ in range(size - len(kinds)):
            draft[side][str(chance.choice(kinds))] += 1
    return draft


def _changed(draft: Draft, chance: random.Random, most_cards: int) -> Draft:
    """The same but for one or two things."""
    other = deepcopy(draft)
    for _ in range(chance.choice((1, 2))):
        what = chance.choice((*SIZES, *CARDS, *CARDS, *CARDS))
        if what in SIZES:
            other[what] = chance.randint(*SIZES[what])
        else:
            _change_deck(other[what], chance, len(CARDS[what]), most_cards)
    fits = all(sum(other[side].values()) >= max(FEWEST_CARDS, other["start_hand"]) for side in CARDS)
    return other if fits else draft


def _change_deck(deck: dict[str, int], chance: random.Random, kinds: int, most_cards: int) -> None:
    """One card more, one less, or another in its place."""
    how = chance.choice(("more", "less", "other"))
    if how != "more" and sum(deck.values()) > 1:
        kind = chance.choice(sorted(deck))
        deck[kind] -= 1
        if not deck[kind]:
            del deck[kind]
    if how != "less" and sum(deck.values()) < most_cards:
        kind = str(chance.randrange(kinds))
        deck[kind] = deck.get(kind, 0) + 1


def table_of(draft: Draft, name: str = "draft") -> dict[str, Any]:
    """A draft as a rules table, on the smallest board."""
    sizes = {"start_hand": draft["start_hand"], "hand_limit": draft["start_hand"] + draft["room"]}
    sizes["cards_per_draw"] = draft["cards_per_draw"]
    return {
        "name": name,
        "options": {"exchange": bool(draft["exchange"]), "placement": "first_game", "radius": 1} | sizes,
        "wounds": {
            "dragon": {"armor": draft["armor"], "flight": 1, "movement": 1, "fire": 1},
            "dwarves": {dwarf: draft[dwarf] for dwarf in ("fury", "archer", "net")},
        },
        "deck": {side: [_card(side, kind, n) for kind, n in sorted(draft[side].items())] for side in CARDS},
    }


def _card(side: str, kind: str, copies: int) -> dict[str, Any]:
    options = CARDS[side][int(kind)]
    name = "-or-".join(f"{symbol}{value or ''}" for symbol, value in options)
    return {"name": name, "copies": copies, "options": options}


def judge(draft: Draft, most_positions: int) -> dict[str, Any]:
    """What is known of a table. Its score is what it costs not to mix or what open hands change, whichever is less,
    and a little of both; below zero if it is uneven or too large."""
    table = table_of(draft)
    try:
        tree = build_tree(make_game("drako", rules=table), most_positions)
    except ValueError:
        return {"draft": draft, "score": -1.0}
    solver, left = solve(tree, GOAL, MOST_ITERATIONS)
    strategies = solver.average()
    found = {"draft": draft, "positions": tree.size, "sets": [side.sets for side in tree.sides]}
    found |= {"value": value(tree, *strategies), "exploitability": left, "open_value": tree.open_value}
    shown = abs(tree.open_value - found["value"])
    if abs(found["value"]) > FAIR:
        return found | {"shown": shown, "score": FAIR - abs(found["value"])}
    pure = [purified(tree, seat, strategies[seat]) for seat in range(2)]
    mixing = min(exploitability(tree, *pure), best_drawn(tree, strategies, 20)) - left
    if mixing > HIDES:  # there may be better ones than those that were drawn
        mixing = min(mixing, mixing_gains(tree, PROOF_SECONDS))
    found |= {"uniform": exploitability(tree, uniform(tree, 0), uniform(tree, 1)), "mixing": mixing, "shown": shown}
    return found | {"score": min(mixing, shown) + BOTH * (mixing + shown)}


def known(path: Path) -> dict[int, list[dict[str, Any]]]:
    """What an earlier search has found, by seed."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = [json.loads(line) for line in lines]
    return {climbed[0]["seed"]: climbed for climbed in found}
