"""Guided first games: set positions, one decision each, with what to do and why. `guided/GAME.toml` has the words."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from drako_env.engine.position import Position
from drako_env.games import GAMES, make_game
from drako_env.web.words import Words

FOLDER = Path(__file__).parent / "guided"


def has_lesson(name: str) -> bool:
    """Whether there is a guided game."""
    return name in GAMES and (FOLDER / f"{name}.toml").is_file()


@cache
def lesson_of(name: str) -> dict[str, Any] | None:
    """The whole guided game: every step as it is shown, what is right in it, and what it leads to."""
    if not has_lesson(name):
        return None
    table = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    position = Position(make_game(name, **table["options"])).deal(table["seed"])
    return {"game": name, "title": table["title"], "steps": [_step(position, row) for row in table["step"]]}


def _step(position: Position, row: Mapping[str, Any]) -> dict[str, Any]:
    """One decision; `position` goes on to what it leads to."""
    game, words = position.game, Words(position.game)
    if "position" in row:
        position.load(_merged(game.state_dict(position.state), row["position"]))
    seat, legal = position.agent, position.legal()
    shown = {"title": row["title"], "text": row["text"], "good": row.get("good", ""), "seat": game.seats[seat]}
    right = [a for a in legal if any(dict(game.actions[a]).items() >= wanted.items() for wanted in row["do"])]
    shown |= {"before": _view(position, seat), "right": right}
    told = [_play(position, words, right[0], seat)]
    for answer in row.get("then", []):
        told.append(_play(position, words, game.actions.index(answer), seat))
    return shown | {"told": told, "after": _view(position, seat) | {"actions": []}}


def _play(position: Position, words: Words, action: int, seat: int) -> dict[str, Any]:
    before, decider = position.state.copy(), position.game.seats[position.agent]
    if not position.play(action):
        raise ValueError(f"a guided game plays {dict(position.game.actions[action])}, which is illegal")
    return {"seat": decider} | words.told(before, action, position.state, seat)


def _view(position: Position, seat: int) -> dict[str, Any]:
    """A position as the page shows it to a seat."""
    game, words = position.game, Words(position.game)
    scene = game.scene(position.state, seat)
    actions = [words.choice(scene, action) for action in position.legal()] if position.agent == seat else []
    picture = {"picture": game.picture(scene), "question": words.question(scene), "viewer": game.seats[seat]}
    return picture | {"actions": actions, "out_of_turn": scene["out_of_turn"]} | words.around(scene)


def _merged(position: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A position with some of its entries, or of their entries, replaced."""
    merged = dict(position)
    for key, value in changes.items():
        if value in ("none", {}):  # TOML knows no null
            merged[key] = None
            continue
        parts = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = {**merged[key], **value} if parts else value
    return merged
