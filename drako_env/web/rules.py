"""The rules of a game as the page shows them: those of its RULES.md in the words of the page.

`spoken/GAME.toml` says what is left out, and what is said instead of names that only programs use. A game without such
a file shows its rules as they are written."""

import re
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from drako_env.games import GAMES, make_game

FOLDER = Path(__file__).parent / "spoken"
REST = "…"
"""In what is replaced: as little as possible of whatever stands between."""


@cache
def rules_of(name: str) -> str | None:
    """The rules in Markdown; nothing if there are none."""
    path = rules_file(name)
    if path is None:
        return None
    text, spoken = path.read_text(encoding="utf-8"), words_of(name)
    for title in spoken["left_out"]:
        text = without_chapter(text, title)
    for written, said in spoken["instead"]:
        text = replaced(text, written, said)
    return text


def rules_file(name: str) -> Path | None:
    """The rules of a game as they are written beside it."""
    if name not in GAMES:
        return None
    path = Path(str(import_module(type(make_game(name)).__module__).__file__)).parent / "RULES.md"
    return path if path.is_file() else None


def words_of(name: str) -> dict[str, Any]:
    """What is left out, and what is said instead of what, in this order."""
    path = FOLDER / f"{name}.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    first = words_of(table["like"]) if "like" in table else {"left_out": [], "instead": []}
    return {
        "left_out": [*first["left_out"], *table.get("left_out", ())],
        "instead": [*first["instead"], *table.get("instead", {}).items()],
    }


def without_chapter(text: str, title: str) -> str:
    """The text without the chapter of that title."""
    return re.sub(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", "", text, flags=re.MULTILINE | re.DOTALL)


def replaced(text: str, written: str, said: str) -> str:
    """Every place where something is written, however its lines are broken, says something else."""
    parts = [r"\s+".join(map(re.escape, part.split(" "))) for part in written.split(REST)]
    return re.sub(".*?".join(parts), lambda _: said, text, flags=re.DOTALL)
