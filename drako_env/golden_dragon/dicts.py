"""The semantic view: a state record as a JSON-able dictionary."""

from typing import Any

from drako_env.golden_dragon.rules import Rules
from drako_env.golden_dragon.state import NO_WIND, NOBODY, OFF_BOARD, Phase


def state_dict(rules: Rules, s: Any) -> dict[str, Any]:
    """The whole position, hidden stones included."""
    seats = range(rules.num_players)
    cells = [list(cell) for cell in rules.board.cells]
    winds = [name for name, _, _ in rules.board.winds]

    def wind(number: int) -> str | None:
        return None if number == NO_WIND else winds[number]

    return {
        "phase": Phase(s["phase"]).name.lower(),
        "agent": _seat(s["agent"]),
        "active": int(s["active"]),
        "moves_left": int(s["moves_left"]),
        "positions": [None if s["cell"][k] == OFF_BOARD else cells[s["cell"][k]] for k in seats],
        "under": [wind(s["under"][k]) for k in seats],
        "holders": [[winds[stone] for stone in s["holder"][p, : s["held"][p]]] for p in seats],
        "storms": [int(s["storms"][p]) for p in seats],
        "bolts": [int(s["bolts"][p]) for p in seats],
        "hand": wind(s["hand"]),
        "barred": [k for k in seats if s["barred"] >> k & 1],
        "announced": _seat(s["announced"]),
        "single_moves": int(s["single_moves"]),
        "winner": _seat(s["winner"]),
    }


def _seat(number: int) -> int | None:
    return None if number == NOBODY else int(number)
