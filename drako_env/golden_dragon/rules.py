"""Boards and options: read from TOML and validated (G1)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from drako_env.engine.tables import read_table

RULES_VERSION = 2  # raised when a clause of RULES.md or the meaning of an observation changes

BOARDS = Path(__file__).parent / "boards"
NUM_WINDS = 6
MAX_PLAYERS = 5
MAX_CELLS = 127
MAX_SINGLE_MOVES = 10_000
MOVES_A_TURN = 3
START_LABELS = "123455"
DEFAULT_BOARD = "classic10"
AUTO = {2: "classic10", 3: "classic10", 4: "compact9", 5: "compact8"}
OPTIONS: dict[str, tuple[Any, ...]] = {
    "num_players": tuple(range(2, MAX_PLAYERS + 1)),
    "veto_scope": ("owner_only", "any_opponent", "others"),
    "max_single_moves": tuple(range(1, MAX_SINGLE_MOVES + 1)),
    "first_turn": tuple(range(1, MOVES_A_TURN + 1)),
}
HANDICAPS = {"first_turn": MOVES_A_TURN}
"""Options that a table names only where they are not as usual."""

Cell = tuple[int, int]


@dataclass(frozen=True)
class Board:
    """A board: rows of text ('.' a cell, 'x' taboo, 'G' the goal, digits the starts, a blank is no cell) and winds."""

    name: str
    rows: tuple[str, ...]
    winds: tuple[tuple[str, int, int], ...]
    """Name, rows southward, columns eastward."""

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All cells that can be entered, row by row."""
        return tuple(cell for cell, mark in self._marks if mark not in " x")

    @cached_property
    def taboo(self) -> tuple[Cell, ...]:
        """The cells that nobody may enter."""
        return tuple(cell for cell, mark in self._marks if mark == "x")

    @cached_property
    def goal(self) -> Cell:
        """Where the own dragon wins."""
        return next(cell for cell, mark in self._marks if mark == "G")

    @cached_property
    def starts(self) -> tuple[Cell, ...]:
        """The start cells of labels 1 to 4, then the left and the right one of label 5."""
        places = {label: [cell for cell, mark in self._marks if mark == label] for label in "12345"}
        return (*(places[label][0] for label in "1234"), *sorted(places["5"], key=lambda cell: cell[1]))

    def step(self, cell: Cell, wind: int) -> Cell | None:
        """Where a wind blows a dragon, if that can be entered at all."""
        _, down, right = self.winds[wind]
        target = (cell[0] + down, cell[1] + right)
        return target if target in self._enterable else None

    @cached_property
    def _enterable(self) -> frozenset[Cell]:
        return frozenset(self.cells)

    @cached_property
    def _marks(self) -> tuple[tuple[Cell, str], ...]:
        return tuple(((r, c), mark) for r, row in enumerate(self.rows) for c, mark in enumerate(row))


@dataclass(frozen=True)
class Rules:
    """A complete, validated set of rules. Make one with `Rules.load`."""

    board: Board
    num_players: int = 2
    veto_scope: str = "owner_only"
    max_single_moves: int = 600
    first_turn: int = MOVES_A_TURN

    def __post_init__(self) -> None:
        """However it was made, a `Rules` object is valid."""
        where = f"board {self.board.name!r}"
        _check_options({name: getattr(self, name) for name in OPTIONS}, where)
        _check_marks(self.board, where)
        if problem := _first_problem(self.board, self.num_players):
            raise ValueError(f"{where}: {problem}")

    @classmethod
    def load(
        cls, board: "str | Path | Mapping[str, Any] | Rules" = DEFAULT_BOARD, /, *, prefix: str = "", **options: Any
    ) -> "Rules":
        """Rules from a shipped board's name (`auto`: smaller ones for four and five players), a path to a `.toml`, what
        such a file holds, or other rules; `options` win. A variant has boards of its own under the same names with a
        `prefix`."""
        _check_options(options, "keyword arguments")
        if isinstance(board, Rules):
            return replace(board, **options)
        if isinstance(board, Mapping):
            given = _check_options(dict(board.get("options", {})), "rules: [options]")
            return cls(_read_board(board, "rules"), **given | options)
        if board == "auto":
            board = AUTO[options.get("num_players", 2)]
        path, table = read_table(board, BOARDS, "board", prefix)
        given = _check_options(dict(table.get("options", {})), f"{path}: [options]")
        return cls(_read_board({"name": path.stem} | table, str(path)), **given | options)

    def may_veto(self, seat: int, mover: int, dragon: int) -> bool:
        """G5: whether a seat with lightning is asked when the mover has chosen a dragon."""
        if self.veto_scope == "owner_only":
            return seat == dragon and seat != mover
        return seat != mover and (self.veto_scope == "any_opponent" or dragon != mover)

    def table(self) -> dict[str, Any]:
        """All of it in the form of a `.toml` table; `Rules.load` reads it back."""
        return {
            "name": self.board.name,
            "rows": list(self.board.rows),
            "winds": {name: [down, right] for name, down, right in self.board.winds},
            "options": {n: v for n in OPTIONS if (v := getattr(self, n)) != HANDICAPS.get(n)},
        }


def _read_board(table: Mapping[str, Any], where: str) -> Board:
    if unknown := sorted(set(table) - {"name", "rows", "winds", "options"}):
        raise ValueError(f"{where}: unknown key {unknown[0]!r}; allowed are name, rows, winds, options")
    name, rows, winds = (table.get(key) for key in ("name", "rows", "winds"))
    if not isinstance(name, str):
        raise ValueError(f"{where}: name = {name!r}: expected a text")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, str) for row in rows):
        raise ValueError(f"{where}: rows = {rows!r}: expected a list of texts")
    if not isinstance(winds, Mapping) or len(winds) != NUM_WINDS:
        raise ValueError(f"{where}: [winds] must name {NUM_WINDS} winds, got {winds!r}")
    for wind, vector in winds.items():
        whole = isinstance(vector, list) and len(vector) == 2 and all(type(part) is int for part in vector)
        if not whole or vector == [0, 0]:
            raise ValueError(f"{where}: wind {wind!r} = {vector!r}: expected [rows southward, columns eastward]")
    return Board(name, tuple(rows), tuple((wind, vector[0], vector[1]) for wind, vector in winds.items()))


def _check_options(options: dict[str, Any], where: str) -> dict[str, Any]:
    for name, value in options.items():
        if name not in OPTIONS:
            raise ValueError(f"{where}: unknown option {name!r}; known are {', '.join(OPTIONS)}")
        allowed = OPTIONS[name]
        if value not in allowed or type(value) is not type(allowed[0]):
            shown = f"{allowed[0]} to {allowed[-1]}" if type(allowed[0]) is int else " or ".join(map(repr, allowed))
            raise ValueError(f"{where}: {name} = {value!r}: expected {shown}")
    return options


def _check_marks(board: Board, where: str) -> None:
    """One goal, all starts, no strange marks."""
    marks = "".join(board.rows)
    if strange := sorted(set(marks) - set(" .xG12345")):
        raise ValueError(f"{where}: {strange[0]!r} in rows; allowed are blank . x G and the digits 1 to 5")
    for mark, count in {"G": 1, "1": 1, "2": 1, "3": 1, "4": 1, "5": 2}.items():
        if marks.count(mark) != count:
            raise ValueError(f"{where}: {marks.count(mark)} times {mark!r} in rows; expected {count}")
    if len(board.cells) > MAX_CELLS:
        raise ValueError(f"{where}: {len(board.cells)} cells; at most {MAX_CELLS} are allowed")


def board_problems(board: Board, num_players: int) -> list[str]:
    """What the validator of G1 finds: nothing, on a good board."""
    return [*_lost_cells(board), *_dead_ends(board), *_starts_at_goal(board), *_deadlocks(board, num_players)]


@cache
def _first_problem(board: Board, num_players: int) -> str | None:
    """Looked for once: it takes longer than all else about an environment."""
    return next(iter(board_problems(board, num_players)), None)


def _lost_cells(board: Board) -> list[str]:
    """Check 1: every cell can be reached from a start and can reach the goal."""
    reached = _closure(board, board.starts, range(NUM_WINDS))
    lost = [f"{list(cell)} cannot be reached from a start" for cell in board.cells if cell not in reached]
    arriving = {board.goal}
    while more := {
        cell
        for cell in board.cells
        if cell not in arriving and any(board.step(cell, wind) in arriving for wind in range(NUM_WINDS))
    }:
        arriving |= more
    return lost + [f"{list(cell)} has no way to the goal" for cell in board.cells if cell not in arriving]


def _dead_ends(board: Board) -> list[str]:
    """Check 2: every cell but the goal has two exits or more."""
    exits = {cell: sum(board.step(cell, wind) is not None for wind in range(NUM_WINDS)) for cell in board.cells}
    return [
        f"{list(cell)} has {count} exits; expected 2 or more"
        for cell, count in exits.items()
        if count < 2 and cell != board.goal
    ]


def _starts_at_goal(board: Board) -> list[str]:
    """Check 3: no start lies next to the goal."""
    near = [cell for cell in board.starts if board.goal in [board.step(cell, wind) for wind in range(NUM_WINDS)]]
    return [f"the start {list(cell)} lies next to the goal" for cell in near]


def _deadlocks(board: Board, num_players: int) -> list[str]:
    """Check 4: at most one wind can be missing from all holders, and then every dragon stands on it. So look for few
    cells that the other winds (or all of them) do not lead out of. A closed set holds all that its cells lead to, so
    the sets that single cells lead to are enough."""
    found = []
    for missing in (None, *range(NUM_WINDS)):
        winds = [wind for wind in range(NUM_WINDS) if wind != missing]
        for cell in board.cells:
            trap = _closure(board, [cell], winds)
            if len(trap) <= num_players and board.goal not in trap and _can_hold(board, trap, missing):
                found.append(f"{num_players} dragons can be trapped on {sorted(map(list, trap))}")
                break
    return found


def _can_hold(board: Board, trap: set[Cell], missing: int | None) -> bool:
    """Whether dragons standing on the missing wind's stones can be on all of these cells."""
    if missing is None:
        return True
    _, down, right = board.winds[missing]
    behind = {cell: (cell[0] - down, cell[1] - right) for cell in trap}
    on_board = {*board.cells, *board.taboo}
    return all(cell in board.starts or behind[cell] in on_board for cell in trap)


def _closure(board: Board, cells: Any, winds: Any) -> set[Cell]:
    """Everything that `winds` lead to from `cells`, these included; nothing leads on from the goal."""
    reached, todo = set(cells), list(cells)
    while todo:
        cell = todo.pop()
        for target in (board.step(cell, wind) for wind in winds) if cell != board.goal else ():
            if target is not None and target not in reached:
                reached.add(target)
                todo.append(target)
    return reached
