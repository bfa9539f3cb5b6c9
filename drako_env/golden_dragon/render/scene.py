"""What a seat may see, as data: the position with everything hidden replaced by what is known of it. Hiding happens
here, once."""

from collections.abc import Mapping
from typing import Any

from drako_env.golden_dragon.dicts import state_dict, wind_names
from drako_env.golden_dragon.rules import Rules
from drako_env.golden_dragon.state import Phase
from drako_env.render import OPEN

UNSEEN = "?"
QUESTIONS = {
    "setup_stone": "{agent}: which stone lies under the {figure}?",
    "setup_side": "{agent}: start on the left or on the right?",
    "setup_order": "{agent}: which stone comes next into the holder?",
    "storm": "{agent}: play a {storm} card for two more moves?",
    "place": "{agent}: which {figure} does the {hand} stone move? ({left})",
    "veto": "{agent}: {active} blows the {figure} of {announced} to the {hand}: forbid it?",
    "over": "{winner} won: {reason}",
}


def scene(rules: Rules, terms: Mapping[str, str], s: Any, seat: int | None) -> dict[str, Any]:
    """The position as `seat` may see it (`None`: as everybody may; `OPEN`: with every stone): of others' holders,
    unseen stones are `?`."""
    position = state_dict(rules, s)
    holders, unseen = position.pop("holders"), []
    for player, stones in enumerate(holders):
        hidden = 0 if seat in (player, OPEN) else min(int(s["unseen"][player]), len(stones))
        unseen.append(_unseen_winds(rules, s, player, stones[:hidden], hidden))
        stones[:hidden] = [UNSEEN] * hidden
    board = rules.board
    return position | {
        "board": {
            "rows": list(board.rows),
            "cells": [list(cell) for cell in board.cells],
            "taboo": [list(cell) for cell in board.taboo],
            "goal": list(board.goal),
            "starts": [list(cell) for cell in board.starts],
            "winds": {name: [down, right] for name, down, right in board.winds},
        },
        "terms": dict(terms),
        "viewer": None if seat == OPEN else seat,
        "holders": holders,
        "unseen": unseen,
        "choices": _choices(rules, s, seat),
        "out_of_turn": position["phase"] == "veto",
        "question": question(position, terms),
    }


def _choices(rules: Rules, s: Any, seat: int | None) -> list[str]:
    """G3: the stones that the seat to decide may still lay, if the viewer may know them."""
    deciding, phase = int(s["agent"]), Phase(s["phase"])
    if phase == Phase.SETUP_STONE:
        return wind_names(rules)
    if phase != Phase.SETUP_ORDER or seat not in (deciding, OPEN):
        return []
    used = {int(s["under"][deciding]), *map(int, s["holder"][deciding, : s["held"][deciding]])}
    return [wind for number, wind in enumerate(wind_names(rules)) if number not in used]


def _unseen_winds(rules: Rules, s: Any, player: int, hidden: list[str], count: int) -> list[str]:
    """G6: which stones are hidden, in the order of the winds. Those that a holder is being filled from all count."""
    winds = wind_names(rules)
    if count and Phase(s["phase"]) == Phase.SETUP_ORDER and s["held"][player] < len(winds) - 1:
        return [wind for number, wind in enumerate(winds) if number != s["under"][player]]
    return [wind for wind in winds if wind in hidden]


def question(position: dict[str, Any], terms: Mapping[str, str]) -> str:
    """What is to be decided, in plain words; it uses public facts alone."""
    left = position["moves_left"]
    said: dict[str, Any] = dict(terms) | {
        "hand": position["hand"],
        "left": f"{left} move left" if left == 1 else f"{left} moves left",
        "reason": ending(position, terms),
    }
    for key in ("agent", "active", "announced", "winner"):
        said[key] = "nobody" if position[key] is None else f"player {position[key]}"
    return QUESTIONS[position["phase"]].format(**said)


def ending(position: dict[str, Any], terms: Mapping[str, str]) -> str:
    """Why the game ended (G7)."""
    if position["winner"] is None:
        return "no move is left"
    return f"the {terms['figure']} has reached the {terms['goal']}"
