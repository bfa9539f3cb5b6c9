"""An independent reference of the Golden Dragon and Icarius rules: slow, plain, and written from the rules text alone.

All functions are pure: they take and give the JSON-able dictionaries of `state_dict` and never change
their arguments. Clause numbers (`G4`) are the sections of RULES-golden-dragon.md; `A5` are rows of its G11.
There is no chance in the game: `initial_state` and the decisions fix everything.

Where the texts are silent or ambiguous, this module reads:
 1. Set-up counters: `active` 0 and `moves_left` 3 (those of the first turn, as Drako's state does), full card counts.
 2. Set-up stones: `holders` are empty until filled, pick by pick; a stone not yet laid is in no list. While the fifth
    player is asked for the side, its stone is already in `under` and its position is still null.
 3. All stones (and the side) are chosen before the first holder is ordered; holders are ordered in seat order.
 4. `barred` is a set, so it is listed in ascending order; it is empty between two stones, as `hand` is null.
 5. A storm answered with yes shows at once as `moves_left` 5, the first stone taken.
 6. Game over: the last single move is carried out and counted in full (`single_moves` + 1, `moves_left` - 1, freed
    stone in the holder); `active` stays; `hand`, `announced`, `agent` are null, `barred` is empty.
 7. A winning move that is also number `max_single_moves` wins; a pass-through counts towards that limit.
 8. `any_opponent`: the mover's own dragon can be vetoed too, its winning move included (G5 asks all seats but p).
    `others` asks the same seats, about any other dragon, whoever owns it; with two players it is `owner_only`.
 9. Rewards (no clause): winner +1, every other seat -1; draw 0.
10. `known` (G2, G6) is no key of the state, but follows from it: cards spent, `active`, `moves_left` and `single_moves`
    give the single moves of each seat, and each pushes back one stone. A position no game can reach is refused there.
11. Knowledge is what was seen: a last unseen stone of another seat is shown as null, though `unseen` (one stone) names
    it. The stone in hand and `under` are public; during set-up the number of picks made is public, not the picks.
12. Validator 1: the game ends at the goal, so no path leads on through it; paths count from all six start cells.
13. Validator 2: the goal counts as an exit.
14. Validator 3: adjacent = one wind leads from the start to the goal or from the goal to the start.
15. Validator 4: closed = each of the winds leads off the board, onto a red cell or to another member; the goal is never
    a member (no dragon rests there), so a way into it opens a set, though only for its owner. A red predecessor is
    "on-board" too (literal). Start cells are those in use: labels 1..n (G3).
16. Boards given as rows or as a file (which has winds of its own) are taken as they stand, for Icarius as well (only
    built-in ones are flipped). Column = index in the row, blanks are no cells. One goal and all six start cells are
    required, the number of reds is free. The left '5' is the one further west.
17. `auto` chooses for Icarius by the same numbers as for Golden Dragon, among the flipped boards.
"""

import json
import random
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

State = dict[str, Any]
Action = dict[str, Any]
Cell = tuple[int, int]

_CROSS: dict[str, Cell] = {"N": (-1, 0), "S": (1, 0), "E": (0, 1), "W": (0, -1)}
WINDS: dict[str, dict[str, Cell]] = {  # G1, G12: (row, column), rows grow southward, columns eastward
    "golden_dragon": {**_CROSS, "SE": (1, 1), "SW": (1, -1)},  # square6
    "icarius": {**_CROSS, "NE": (-1, 1), "NW": (-1, -1)},  # icarius_square6
}
_TOP = ("  542135  ", " ........ ", "...x...x..")
BOARDS: dict[str, tuple[str, ...]] = {  # G8: `.` cell, `x` red, `G` golden, digits starts
    "classic10": (
        *_TOP, "..........", ".x...x....", "........x.", " ...x.... ", " ........ ", "  ...G..  ", "   ....   "
    ),
    "compact9": (*_TOP, "..........", ".x...x..x.", " ..x..... ", " ........ ", "  ...G..  ", "   ....   "),
    "compact8": (*_TOP, ".x........", ".....x..x.", " ..x..... ", "  ...G..  ", "   ....   "),
}  # fmt: skip
AUTO = {2: "classic10", 3: "classic10", 4: "compact9", 5: "compact8"}  # G1: shorter games, not the default
LABELS = (1, 2, 3, 4, 5)  # G1: five labels, six start cells
VETO_SCOPES = ("owner_only", "any_opponent", "others")


@dataclass(frozen=True)
class OracleRules:
    """A board with its winds, and the numbers and options of the game (G1)."""

    cells: frozenset[Cell]  # the red cells and the goal included
    dirs: dict[str, Cell]
    starts: dict[int, tuple[Cell, ...]]  # label 5 has two: left, right
    taboo: frozenset[Cell]
    goal: Cell
    n_players: int = 2
    veto_scope: str = "owner_only"
    moves_per_turn: int = 3
    storm_moves: int = 5
    storms_each: int = 2
    bolts_each: int = 2
    holder_size: int = 5
    max_single_moves: int = 600
    first_turn: int = 3

    @property
    def free(self) -> frozenset[Cell]:
        """Cells a dragon may enter at all: the reds are fixed all game."""
        return self.cells - self.taboo

    @classmethod
    def load(
        cls,
        board: str | Path | Sequence[str] = "classic10",
        n_players: int = 2,
        variant: str = "golden_dragon",
        **options: Any,
    ) -> "OracleRules":
        """A validated board (`board_data`) with the options given."""
        if n_players not in AUTO or options.get("veto_scope", VETO_SCOPES[0]) not in VETO_SCOPES:
            raise ValueError(f"bad options: n_players={n_players}, {options}")
        rows, dirs = board_data(AUTO[n_players] if board == "auto" else board, variant)
        rules = cls(**read_board(rows), dirs=dirs, n_players=n_players, **options)
        if errors := board_errors(rules):
            raise ValueError("; ".join(errors))
        return rules


def board_data(board: str | Path | Sequence[str], variant: str) -> tuple[Sequence[str], dict[str, Cell]]:
    """Rows and winds: of a built-in name, flipped top to bottom for Icarius (G12), of a TOML file, of rows of text."""
    if isinstance(board, Path):
        data = tomllib.loads(board.read_text(encoding="utf-8"))
        return data["rows"], {wind: (down, right) for wind, (down, right) in data["winds"].items()}
    if isinstance(board, str):
        board = BOARDS[board][:: -1 if variant == "icarius" else 1]
    return board, dict(WINDS[variant])


def read_board(rows: Sequence[str]) -> dict[str, Any]:
    """Cells, starts, taboo and goal of a drawing (G1, G8)."""
    drawn = {(r, c): mark for r, row in enumerate(rows) for c, mark in enumerate(row) if mark != " "}
    if sorted(mark for mark in drawn.values() if mark not in ".x") != list("123455G"):
        raise ValueError("besides `.` and `x` a board has one `G`, the starts 1 to 4 once, 5 twice, and nothing else")
    west_to_east = sorted(drawn, key=lambda cell: (cell[1], cell[0]))
    found = {mark: tuple(cell for cell in west_to_east if drawn[cell] == mark) for mark in "xG12345"}
    starts = {label: found[str(label)] for label in LABELS}
    return {"cells": frozenset(drawn), "starts": starts, "taboo": frozenset(found["x"]), "goal": found["G"][0]}


def _step(cell: Sequence[int], vector: Cell) -> Cell:
    return cell[0] + vector[0], cell[1] + vector[1]


def _exits(rules: OracleRules, cell: Cell, winds: Iterable[str]) -> set[Cell]:
    """Where these winds lead from a cell, no dragon in the way; nowhere from the goal (G7)."""
    if cell == rules.goal:
        return set()
    return {_step(cell, rules.dirs[wind]) for wind in winds} & rules.free


def _reach(rules: OracleRules, origins: Iterable[Cell], winds: Iterable[str], enough: float = inf) -> dict[Cell, int]:
    """Every cell reachable along directed moves, with its distance; the origins included; stops beyond `enough`."""
    winds = tuple(winds)
    distance = dict.fromkeys(origins, 0)
    queue = list(distance)
    for cell in queue:  # grows while it is read: breadth first
        if len(distance) > enough:
            break
        for near in _exits(rules, cell, winds) - distance.keys():
            distance[near] = distance[cell] + 1
            queue.append(near)
    return distance


def board_errors(rules: OracleRules) -> list[str]:
    """The four checks of the board validator (G1); empty when the board is good."""
    dirs, goal, starts = rules.dirs, rules.goal, _start_cells(rules)
    resting = rules.free - {goal}  # cells where a dragon can stand during the game
    reached = _reach(rules, starts, dirs).keys()
    fixed = [*starts, goal, *rules.taboo]
    near = {_step(cell, v) for cell in starts for v in dirs.values()}
    after_goal = {_step(goal, v) for v in dirs.values()}
    bad = {
        "1: a free cell cannot be reached": not rules.free <= reached,
        "1: a free cell cannot reach the goal": any(goal not in _reach(rules, [cell], dirs) for cell in rules.free),
        "2: a free cell has fewer than 2 exits": any(len(_exits(rules, cell, dirs)) < 2 for cell in resting),
        "3: starts, goal and taboo overlap": len(set(fixed)) < len(fixed),
        "3: a start is adjacent to the goal": goal in near or not after_goal.isdisjoint(starts),
        "4: deadlock": any(_is_trap(rules, cell, missing) for cell in resting for missing in (None, *dirs)),
    }
    return [message for message, failed in bad.items() if failed]


def _start_cells(rules: OracleRules, labels: Iterable[int] = LABELS) -> list[Cell]:
    return [cell for label in labels for cell in rules.starts[label]]


def _is_trap(rules: OracleRules, cell: Cell, missing: str | None) -> bool:
    """Whether <= n dragons, this cell's among them, could be stuck while no holder has the missing wind.

    A closed set holds all that is reachable from any of its members, so only these least sets need a look.
    """
    stuck = _reach(rules, [cell], (wind for wind in rules.dirs if wind != missing), enough=rules.n_players).keys()
    if rules.goal in stuck or len(stuck) > rules.n_players:
        return False
    if missing is None:
        return True
    dr, dc = rules.dirs[missing]
    starts = _start_cells(rules, LABELS[: rules.n_players])
    return all((r - dr, c - dc) in rules.cells or (r, c) in starts for r, c in stuck)


def initial_state(rules: OracleRules) -> State:
    """Before the first decision: seat 0 chooses its stone (G3)."""
    n = rules.n_players
    empty: list[None] = [None] * n
    return {
        "phase": "setup_stone",
        "agent": 0,
        "active": 0,
        "moves_left": rules.first_turn,
        "positions": list(empty),
        "under": list(empty),
        "holders": [[] for _ in range(n)],
        "storms": [rules.storms_each] * n,
        "bolts": [rules.bolts_each] * n,
        "hand": None,
        "barred": [],
        "announced": None,
        "single_moves": 0,
        "winner": None,
    }


def movable(rules: OracleRules, state: State) -> list[int]:
    """`legal(p, hand, barred)` of G4: the dragons that the stone in hand may move."""
    return [k for k in range(rules.n_players) if k not in state["barred"] and _may_enter(rules, state, k)]


def _may_enter(rules: OracleRules, state: State, dragon: int) -> bool:
    """On the board, not red, not occupied, and the goal only for the mover's own dragon (G4, A15)."""
    target = _step(state["positions"][dragon], rules.dirs[state["hand"]])
    if target not in rules.cells or target in rules.taboo or list(target) in state["positions"]:
        return False
    return target != rules.goal or dragon == state["active"]


def _unplaced(rules: OracleRules, state: State, seat: int) -> list[str]:
    """During set-up: the seat's stones that are neither under its dragon nor in its holder (G3)."""
    return [w for w in rules.dirs if w != state["under"][seat] and w not in state["holders"][seat]]


def legal(rules: OracleRules, state: State) -> list[Action]:
    """Every legal action of `state["agent"]`, each once; none when the game is over."""
    match state["phase"]:
        case "setup_stone" | "setup_order":
            return [{"type": "stone", "wind": wind} for wind in _unplaced(rules, state, state["agent"])]  # D0, D2
        case "setup_side":
            return [{"type": "side", "side": side} for side in ("left", "right")]  # D1
        case "storm" | "veto":
            return [{"type": state["phase"], "use": use} for use in (False, True)]  # D3, D5
        case "place":
            return [{"type": "place", "dragon": k} for k in movable(rules, state)]  # D4
    return []


def apply(rules: OracleRules, state: State, action: Action) -> State:
    """The position after `action`, at the next decision or at the end."""
    if action not in legal(rules, state):
        raise ValueError(f"illegal in phase {state['phase']!r}: {action}")
    after: State = json.loads(json.dumps(state))  # a deep copy of a JSON-able state
    match after["phase"]:
        case "setup_stone":
            _do_setup_stone(rules, after, action["wind"])
        case "setup_side":
            _set_dragon(rules, after, rules.starts[5][("left", "right").index(action["side"])])
        case "setup_order":
            _do_setup_order(rules, after, action["wind"])
        case "storm":
            _do_storm(rules, after, action["use"])
        case "place":
            after["announced"] = action["dragon"]
            _poll(rules, after, _veto_seats(rules, after))
        case "veto":
            _do_veto(rules, after, action["use"])
    return after


def _ask(state: State, phase: str, seat: int | None) -> None:
    state["phase"], state["agent"] = phase, seat


def _do_setup_stone(rules: OracleRules, state: State, wind: str) -> None:
    """The stone goes on start label i+1; the fifth player has two such cells (G3)."""
    seat = state["agent"]
    state["under"][seat] = wind
    cells = rules.starts[seat + 1]
    if len(cells) > 1:
        _ask(state, "setup_side", seat)
    else:
        _set_dragon(rules, state, cells[0])


def _set_dragon(rules: OracleRules, state: State, cell: Cell) -> None:
    """Next seat; after the last one the holders are ordered (G3)."""
    seat = state["agent"]
    state["positions"][seat] = list(cell)
    if seat + 1 < rules.n_players:
        _ask(state, "setup_stone", seat + 1)
    else:
        _ask(state, "setup_order", 0)


def _do_setup_order(rules: OracleRules, state: State, wind: str) -> None:
    """Front to back; the last stone falls into place (G3)."""
    seat = state["agent"]
    state["holders"][seat].append(wind)
    rest = _unplaced(rules, state, seat)
    if len(rest) > 1:
        return
    state["holders"][seat] += rest
    if seat + 1 < rules.n_players:
        _ask(state, "setup_order", seat + 1)
    else:
        _begin_turn(rules, state, 0)
        _play_on(rules, state)


def _begin_turn(rules: OracleRules, state: State, seat: int) -> None:
    """The storm question comes before any stone is taken, and only with a card left (G4)."""
    first = state["single_moves"] == 0
    state["active"], state["moves_left"] = seat, rules.first_turn if first else rules.moves_per_turn
    _ask(state, "storm" if state["storms"][seat] > 0 else "place", seat)


def _do_storm(rules: OracleRules, state: State, use: bool) -> None:
    """G4."""
    if use:
        state["storms"][state["active"]] -= 1
        state["moves_left"] += rules.storm_moves - rules.moves_per_turn
    _ask(state, "place", state["active"])
    _play_on(rules, state)


def _play_on(rules: OracleRules, state: State) -> None:
    """Between two single moves: take stones until somebody has to decide, or the game is over (G4)."""
    while state["phase"] == "place":
        state["hand"] = state["holders"][state["active"]].pop(0)
        if movable(rules, state):
            return
        _end_single_move(rules, state, state["hand"])  # pass-through


def _veto_seats(rules: OracleRules, state: State) -> list[int]:
    """Who is asked about the announced dragon, in order; never a seat without lightning (G5)."""
    mover, dragon, n = state["active"], state["announced"], rules.n_players
    seats = [(mover + i) % n for i in range(1, n)]
    if rules.veto_scope == "owner_only":
        seats = [dragon] if dragon != mover else []
    elif rules.veto_scope == "others" and dragon == mover:
        seats = []
    return [seat for seat in seats if state["bolts"][seat] > 0]


def _poll(rules: OracleRules, state: State, seats: list[int]) -> None:
    """Ask the first of the seats that have not answered yet; without any, the move is carried out (G5)."""
    if seats:
        _ask(state, "veto", seats[0])
    else:
        _commit(rules, state)


def _do_veto(rules: OracleRules, state: State, use: bool) -> None:
    """The first yes ends the poll: same stone, another dragon, or pass-through if none is left (G4, G5, A7)."""
    seat = state["agent"]
    if not use:
        seats = _veto_seats(rules, state)
        _poll(rules, state, seats[seats.index(seat) + 1 :])
        return
    state["bolts"][seat] -= 1
    state["barred"] = sorted([*state["barred"], state["announced"]])
    state["announced"] = None
    _ask(state, "place", state["active"])
    if not movable(rules, state):
        _end_single_move(rules, state, state["hand"])
        _play_on(rules, state)


def _commit(rules: OracleRules, state: State) -> None:
    """The dragon moves onto the new stone, the freed one goes to the mover's holder (G4)."""
    dragon, wind = state["announced"], state["hand"]
    target = _step(state["positions"][dragon], rules.dirs[wind])
    freed = state["under"][dragon]
    state["positions"][dragon], state["under"][dragon] = list(target), wind
    if target == rules.goal:
        state["winner"] = state["active"]  # G7; the dragon is the mover's own
    _end_single_move(rules, state, freed)
    _play_on(rules, state)


def _end_single_move(rules: OracleRules, state: State, back: str) -> None:
    """Push a stone back and count; then the end (G7), the next seat clockwise, or the next stone (G4)."""
    state["holders"][state["active"]].append(back)
    state["hand"], state["barred"], state["announced"] = None, [], None
    state["single_moves"] += 1
    state["moves_left"] -= 1
    if state["winner"] is not None or state["single_moves"] >= rules.max_single_moves:
        _ask(state, "over", None)
    elif state["moves_left"] == 0:
        _begin_turn(rules, state, (state["active"] + 1) % rules.n_players)
    else:
        _ask(state, "place", state["active"])


def winner(state: State) -> int | None:
    """The winning seat; none during the game and after a draw (G7)."""
    return state["winner"]


def rewards(state: State) -> list[float]:
    """+1 for the winner and -1 for all others; 0 during the game and after a draw."""
    seats = range(len(state["positions"]))
    return [0.0 if state["winner"] is None else 1.0 if seat == state["winner"] else -1.0 for seat in seats]


def moves_made(rules: OracleRules, state: State) -> list[int]:
    """Single moves completed by each seat, from the counters: every turn has 3, and 2 more with a storm (G4)."""
    n, active, turn = rules.n_players, state["active"], rules.moves_per_turn
    made = [(rules.storms_each - left) * (rules.storm_moves - turn) for left in state["storms"]]
    made[active] += turn - state["moves_left"]  # this turn; its storm, if any, is counted above
    made = [count + (turn if seat < active else 0) for seat, count in enumerate(made)]  # this round
    short = turn - rules.first_turn  # moves that the first seat did not have in the first turn
    rounds, rest = divmod(state["single_moves"] + short - sum(made), n * turn)
    if rest or rounds < 0:
        raise ValueError("no game has these counters: single_moves, active, moves_left, storms")
    return [count + rounds * turn - (short if seat == 0 else 0) for seat, count in enumerate(made)]


def known(rules: OracleRules, state: State) -> list[list[bool]]:
    """`known` of G2: the stones pushed back since the start, at the back of each holder, were seen by all (G6)."""
    made = moves_made(rules, state)
    return [[i >= len(h) - made[seat] for i in range(len(h))] for seat, h in enumerate(state["holders"])]


def knowledge(rules: OracleRules, state: State, seat: int) -> State:
    """What a seat may know (G6): the state with null for the holder stones it has not seen, and two more keys.

    `seat`, and `unseen`: for each seat the stones, in wind order, whose place in its holder is not known.
    """
    view: State = json.loads(json.dumps(state))
    view |= {"seat": seat, "unseen": [[] for _ in state["holders"]]}
    for other, flags in enumerate(known(rules, state)):
        if other != seat:
            stones = list(zip(state["holders"][other], flags, strict=True))
            view["holders"][other] = [wind if seen else None for wind, seen in stones]
            hidden = [wind for wind, seen in stones if not seen]
            if state["phase"].startswith("setup"):
                hidden += _unplaced(rules, state, other)  # the set is public, the picks are secret
            view["unseen"][other] = sorted(hidden, key=list(rules.dirs).index)
    return view


def invariant_errors(rules: OracleRules, state: State) -> list[str]:
    """What is wrong with a position at a decision or at the end (G2); empty when all is well."""
    phase, n = state["phase"], rules.n_players
    setup, holding = phase.startswith("setup"), phase in ("place", "veto")
    stones = Counter([*state["under"], *(w for h in state["holders"] for w in h), state["hand"]])
    stones.pop(None, None)
    cells = [tuple(cell) for cell in state["positions"] if cell is not None]
    sizes = [rules.holder_size - (holding and seat == state["active"]) for seat in range(n)]
    allowed = rules.free - ({rules.goal} if state["winner"] is None else set())
    ended = state["winner"] is not None or state["single_moves"] >= rules.max_single_moves
    good = {
        "every holder has 5 stones, the one in hand included": setup or [len(h) for h in state["holders"]] == sizes,
        "each dragon stands on one stone": setup or (len(cells) == n and None not in state["under"]),
        "there are n copies of each wind": all(stones[w] == n or (setup and stones[w] < n) for w in rules.dirs),
        "there are no other stones": stones.keys() <= rules.dirs.keys(),
        "no two dragons share a cell": len(set(cells)) == len(cells),
        "dragons stand on free cells, on the goal only to win": set(cells) <= allowed,
        "the goal holds the winner": state["winner"] is None or cells[state["winner"]] == rules.goal,
        "a stone is in hand while it is played": (state["hand"] is not None) == holding,
        "a dragon is announced during a poll": (state["announced"] is not None) == (phase == "veto"),
        "only placed stones bar dragons": holding or not state["barred"],
        "card counts are in range": all(0 <= left <= rules.storms_each for left in state["storms"])
        and all(0 <= left <= rules.bolts_each for left in state["bolts"]),
        "the game is over when it ended": ended == (phase == "over") == (state["agent"] is None),
        "whoever decides has a choice": bool(legal(rules, state)) != (phase == "over"),
    }
    return [message for message, holds in good.items() if not holds]


def _expect(condition: bool, message: str) -> None:
    if not condition:
        raise AssertionError(message)


def _set_up(rules: OracleRules, under: list[str], holders: list[list[str]]) -> State:
    state = initial_state(rules)
    for wind in (*under, *(w for holder in holders for w in holder[:-1])):
        state = apply(rules, state, {"type": "stone", "wind": wind})
    return state


def _check_vectors() -> None:
    """V1-V4 of G13."""
    rules = OracleRules.load("classic10", 3)
    state = _set_up(rules, ["E"] * 3, [["S", "N", "W", "SE", "SW"]] * 3)
    v1 = {"N": [], "S": [0, 1, 2], "E": [2], "W": [1], "SE": [0, 1, 2], "SW": [0, 1, 2]}
    for wind, dragons in v1.items():
        _expect(movable(rules, {**state, "hand": wind}) == dragons, f"V1 {wind}")
    spread = {**state, "positions": [[1, 3], [7, 5], [9, 5]]}
    for wind, answers in {"S": [[], [1], []], "N": [[0, 1], [0, 1], [0, 1, 2]]}.items():
        for mover, dragons in enumerate(answers):
            _expect(movable(rules, {**spread, "hand": wind, "active": mover}) == dragons, f"V2 {wind} {mover}")
    v3 = apply(rules, state, {"type": "storm", "use": False})
    for dragon in (1, 2):
        v3 = apply(rules, v3, {"type": "place", "dragon": dragon})
        _expect((v3["phase"], v3["agent"]) == ("veto", dragon), "V3 poll")
        v3 = apply(rules, v3, {"type": "veto", "use": True})
    _expect(legal(rules, v3) == [{"type": "place", "dragon": 0}] and v3["barred"] == [1, 2], "V3 bars")
    v3 = apply(rules, v3, {"type": "place", "dragon": 0})
    _expect(v3["bolts"] == [2, 1, 1] and v3["holders"][0][-1] == "E" and v3["single_moves"] == 1, "V3 end")
    v4 = apply(rules, spread, {"type": "storm", "use": False})
    _expect(v4["holders"][0][-1] == "S" and v4["hand"] == "N" and v4["positions"] == spread["positions"], "V4 stones")
    _expect((v4["phase"], v4["agent"], v4["single_moves"], v4["moves_left"]) == ("place", 0, 1, 2), "V4 counters")


def _check_polls() -> None:
    """Who is asked about the first stone of seat 0, a south wind that suits every dragon, in what order (G5)."""
    asked = {
        "owner_only": {0: [], 1: [1], 2: [2]},
        "any_opponent": {0: [1, 2], 1: [1, 2], 2: [1, 2]},
        "others": {0: [], 1: [1, 2], 2: [1, 2]},
    }
    for scope, dragon in product(asked, range(3)):
        rules = OracleRules.load(n_players=3, veto_scope=scope)
        state = _set_up(rules, ["E"] * 3, [["S", "N", "W", "SE", "SW"]] * 3)
        state = apply(rules, apply(rules, state, {"type": "storm", "use": False}), {"type": "place", "dragon": dragon})
        seats = []
        while state["phase"] == "veto":
            seats.append(state["agent"])
            state = apply(rules, state, {"type": "veto", "use": False})
        _expect(seats == asked[scope][dragon] and state["single_moves"] > 0, f"{scope}, dragon {dragon}: {seats}")


def _check_foreign_veto() -> None:
    """`others`: seat 2 protects dragon 1 and pays for it; then seat 1 bars dragon 2, and dragon 0 has to move (G5)."""
    rules = OracleRules.load(n_players=3, veto_scope="others")
    state = _set_up(rules, ["E"] * 3, [["S", "N", "W", "SE", "SW"]] * 3)
    state = apply(rules, state, {"type": "storm", "use": False})
    for dragon, answers in {1: (False, True), 2: (True,)}.items():
        state = apply(rules, state, {"type": "place", "dragon": dragon})
        for use in answers:
            state = apply(rules, state, {"type": "veto", "use": use})
    _expect((state["bolts"], state["barred"], state["hand"]) == ([2, 1, 1], [1, 2], "S"), "others: bars")
    _expect(legal(rules, state) == [{"type": "place", "dragon": 0}], "others: only the mover's own is left")
    spent = apply(rules, {**state, "bolts": [2, 0, 1], "barred": []}, {"type": "place", "dragon": 1})
    _expect((spent["phase"], spent["agent"]) == ("veto", 2), "others: a seat without lightning is not asked")


def _check_boards() -> None:
    """The figures of G8, and the validator for every number of players and both variants."""
    for name, distance in {"classic10": 8, "compact9": 7, "compact8": 6}.items():
        for variant in WINDS:
            for n in AUTO:
                rules = OracleRules.load(name, n, variant)
            _expect(len(rules.taboo) == 6, f"{name}: six reds")
            for cell in _start_cells(rules):
                _expect(_reach(rules, [cell], rules.dirs)[rules.goal] == distance, f"{name}: distance")
    for n in AUTO:  # the default is the same board for every number of players (G1)
        classic = OracleRules.load(n_players=n)
        _expect((len(classic.cells), len(classic.free)) == (80, 74), "classic10: cells")
    away = {cell: _reach(classic, [cell], classic.dirs)[classic.goal] for cell in classic.free}
    _expect((max(away.values()), list(away.values()).count(1)) == (8, 6), "classic10: ways to the goal, six entries")
    island = read_board([*BOARDS["classic10"], "", "..", ".."])  # four cells that no wind leaves or enters
    for n, checks in {3: "11", 4: "114"}.items():
        errors = board_errors(OracleRules(**island, dirs=WINDS["golden_dragon"], n_players=n))
        _expect("".join(error[0] for error in errors) == checks, f"island: {errors}")


def check_against_text() -> None:
    """The examples and figures of the rules text; raises at the first that this module does not meet."""
    _check_vectors()
    _check_polls()
    _check_foreign_veto()
    _check_boards()


def _play_random(rules: OracleRules, rng: random.Random) -> State:
    """One game, with the invariants and what a seat knows checked at every decision."""
    state = initial_state(rules)
    first: list[list[str]] = state["holders"]
    while state["phase"] != "over":
        state = apply(rules, state, rng.choice(legal(rules, state)))
        _expect(not (errors := invariant_errors(rules, state)), f"{errors}: {state}")
        first = state["holders"] if state["phase"].startswith("setup") or not state["single_moves"] else first
        for seat, holder in enumerate(knowledge(rules, state, state["active"])["holders"]):
            hidden = holder.count(None)  # must be the end of the first order, still at the front
            _expect(not hidden or state["holders"][seat][:hidden] == first[seat][-hidden:], f"G6: {state}")
    return state


if __name__ == "__main__":
    check_against_text()
    draw = _play_random(OracleRules.load("classic10", max_single_moves=7), random.Random(0))  # 8 moves to the goal
    _expect((draw["single_moves"], draw["agent"], rewards(draw)) == (7, None, [0.0, 0.0]), "G7: draw")
    for players, variant, scope in product(AUTO, WINDS, VETO_SCOPES):
        table = OracleRules.load("auto", players, variant, veto_scope=scope)
        games = 200 if variant == "golden_dragon" else 20
        ends = [_play_random(table, random.Random(seed)) for seed in range(games)]
        wins = Counter(end["winner"] for end in ends)
        length = median(end["single_moves"] for end in ends)
        print(f"{players} {variant} {scope}: {games} games, median {length} single moves, wins {sorted(wins.items())}")
    print("all good")
