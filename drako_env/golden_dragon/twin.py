"""Golden Dragon and Icarius are mirror images of each other (G12): what is learnt in one can be played in the other."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drako_env.golden_dragon.game import GoldenDragon

Ints = NDArray[np.int64]
BY_CELL, BY_WIND = ("cells",), ("under", "leads", "holders", "unseen", "hand")


def twin_orders(game: GoldenDragon, twin: GoldenDragon) -> tuple[Ints, Ints]:
    """For every entry of the twin's observation, and for each of its actions, which one it is in `game`. `ValueError`
    if the boards are no mirror images."""
    cells, winds = _cells(game, twin), _winds(game, twin)
    entries = [_field(name, part, cells, winds) for name, part in twin.observation_fields.items()]
    names = [wind[0] for wind in game.rules.board.winds]
    order = {_key(action): number for number, action in enumerate(game.actions)}
    own = dict(zip((wind[0] for wind in twin.rules.board.winds), winds, strict=True))
    actions = [
        order[_key({**action, "wind": names[own[action["wind"]]]} if "wind" in action else action)]
        for action in twin.actions
    ]
    return np.concatenate(entries), np.array(actions)


def _cells(game: GoldenDragon, twin: GoldenDragon) -> Ints:
    """Of the twin's cells: their numbers in the game, upside down."""
    height = len(game.rules.board.rows)
    numbers = {cell: number for number, cell in enumerate(game.rules.board.cells)}
    try:
        return np.array([numbers[height - 1 - row, column] for row, column in twin.rules.board.cells])
    except KeyError:
        raise ValueError("the boards are no mirror images of each other") from None


def _winds(game: GoldenDragon, twin: GoldenDragon) -> Ints:
    """Of the twin's winds: their numbers in the game."""
    vectors = [(-down, right) for _, down, right in game.rules.board.winds]
    return np.array([vectors.index((down, right)) for _, down, right in twin.rules.board.winds])


def _field(name: str, part: slice, cells: Ints, winds: Ints) -> Ints:
    """The entries of a field of the twin's observation, as numbers of the game's."""
    entries = np.arange(part.start, part.stop)
    if name in BY_CELL:
        return np.asarray(entries.reshape(-1, len(cells))[:, cells].ravel())
    if name in BY_WIND:
        width = 3 if name == "leads" else 1
        return np.asarray(entries.reshape(-1, len(winds), width)[:, winds].ravel())
    return entries


def _key(action: Any) -> tuple[Any, ...]:
    return tuple(sorted(action.items()))
