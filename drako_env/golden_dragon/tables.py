"""A board and its options as one read-only record, which every kernel receives."""

import numpy as np
from numpy.typing import NDArray

from drako_env.golden_dragon.actions import all_actions
from drako_env.golden_dragon.observe import Field, field_sizes
from drako_env.golden_dragon.rules import MAX_CELLS, MAX_PLAYERS, NUM_WINDS, Rules
from drako_env.golden_dragon.state import OFF_BOARD

TABLES = np.dtype(
    [
        ("num_players", "i8"),
        ("num_cells", "i8"),
        ("num_actions", "i8"),
        ("max_single_moves", "i8"),
        ("first_turn", "i8"),  # its single moves
        ("goal", "i8"),
        ("may_veto", "i8", (MAX_PLAYERS, MAX_PLAYERS, MAX_PLAYERS)),  # by seat, mover and chosen dragon: 1 or 0
        ("starts", "i8", MAX_PLAYERS + 1),  # of labels 1 to 4, then left and right 5
        ("target", "i8", (NUM_WINDS, MAX_CELLS)),  # where a wind leads, OFF_BOARD if nowhere
        ("distance", "i8", MAX_CELLS),  # moves to the goal on an empty board
        ("field", "i8", len(Field)),  # where each field of the observation starts
        ("field_size", "i8", len(Field)),
    ],
    align=True,
)


def build_tables(rules: Rules) -> NDArray[np.void]:
    """The record of `rules`, in an array of length one, as the kernels take it."""
    tables = np.zeros(1, TABLES)
    t, board = tables[0], rules.board
    index = {cell: i for i, cell in enumerate(board.cells)}
    t["num_players"] = rules.num_players
    t["num_cells"] = len(board.cells)
    t["num_actions"] = len(all_actions(rules))
    t["max_single_moves"] = rules.max_single_moves
    t["first_turn"] = rules.first_turn
    for case in np.ndindex(t["may_veto"].shape):
        t["may_veto"][case] = rules.may_veto(*case)
    t["goal"] = index[board.goal]
    t["starts"] = [index[cell] for cell in board.starts]
    t["target"] = OFF_BOARD
    for cell, i in index.items():
        for wind in range(NUM_WINDS):
            target = board.step(cell, wind)
            if target is not None:
                t["target"][wind, i] = index[target]
    t["distance"][: len(index)] = _distances(t["target"][:, : len(index)], int(t["goal"]))
    t["field_size"] = field_sizes(rules)
    t["field"] = np.cumsum(t["field_size"]) - t["field_size"]
    tables.flags.writeable = False
    return tables


def _distances(target: NDArray[np.int64], goal: int) -> list[int]:
    """How many moves every cell is away from the goal."""
    found, edge = {goal: 0}, {goal}
    while edge:
        before = {int(cell) for wind in target for cell in np.flatnonzero(np.isin(wind, list(edge)))}
        edge = before - found.keys()
        found |= dict.fromkeys(edge, max(found.values()) + 1)
    return [found[cell] for cell in range(target.shape[1])]
