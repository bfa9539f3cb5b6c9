"""G1, G8: boards and their validator."""

import pytest

from drako_env import golden_dragon_v0, icarius_v0
from drako_env.games import GAMES
from drako_env.golden_dragon.rules import Board, Rules, board_problems
from tests.golden_dragon.positions import BOARD_NAMES, SHIPPED
from tests.play import random_play

SQUARE6 = (("N", -1, 0), ("S", 1, 0), ("E", 0, 1), ("W", 0, -1), ("SE", 1, 1), ("SW", 1, -1))


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_shipped_boards_are_good_and_come_back_from_their_tables(name, num_players):
    rules = Rules.load(name, num_players=num_players, veto_scope="any_opponent")
    assert Rules.load(rules.table()) == rules
    assert len(rules.board.taboo) == 6
    entries = [
        cell for cell in rules.board.cells for wind in range(6) if rules.board.step(cell, wind) == rules.board.goal
    ]
    assert len(entries) == 6, "A2: the goal can be entered in six ways"


@pytest.mark.parametrize("volcanoes", [0, 2, 7])
def test_g1_a_board_may_have_any_number_of_volcanoes(volcanoes):
    """Six is what the shipped boards have; the validator does not count them."""
    table = Rules.load("classic10").table()
    free = [row.replace("x", ".") for row in table["rows"]]
    free[4] = "x" * volcanoes + free[4][volcanoes:]
    board = Rules.load(table | {"rows": free}).board
    assert len(board.taboo) == volcanoes
    (game,) = random_play(
        lambda chance: golden_dragon_v0.raw_env(board=table | {"rows": free}), 0, games=1, every=10_000
    )
    assert game.terminations["player_0"]


def steps_to_goal(board):
    """How many moves every cell is away from the goal."""
    distance, edge = {board.goal: 0}, [board.goal]
    while edge:
        edge = [
            cell
            for cell in board.cells
            if cell not in distance and any(board.step(cell, wind) in edge for wind in range(6))
        ]
        distance |= dict.fromkeys(edge, max(distance.values()) + 1)
    return distance


@pytest.mark.parametrize(("name", "cells", "away"), [("classic10", 74, 8), ("compact9", 64, 7), ("compact8", 56, 6)])
def test_g8_sizes_and_distances(name, cells, away):
    for board in (Rules.load(name).board, Rules.load(f"icarius_{name}").board):
        distance = steps_to_goal(board)
        assert len(board.cells) == cells
        assert [distance[start] for start in board.starts] == [away] * 6
        assert max(distance.values()) <= away


@pytest.mark.parametrize("name", ["two_rows", "icarius_two_rows"])
def test_g12_two_rows_of_starts(name):
    """2 1 3 in front, one move nearer to the goal than 5 4 5 behind; but for that it is the classic board."""
    board, classic = Rules.load(name).board, Rules.load(name.replace("two_rows", "classic10")).board
    distance = steps_to_goal(board)
    assert [distance[start] for start in board.starts] == [7, 7, 7, 8, 8, 8]
    marks = {cell: board.rows[cell[0]][cell[1]] for cell in sorted(board.starts)}
    assert sorted("".join(marks.values())) == list("123455")
    rows = ["".join(mark for cell, mark in marks.items() if cell[0] == row) for row in sorted({r for r, _ in marks})]
    assert sorted(rows) == ["213", "545"]
    assert [row for row, _ in board.starts[3:]] == [classic.starts[0][0]] * 3, "the back row is the outermost one"
    assert (board.cells, board.taboo, board.goal, board.winds) == (
        classic.cells,
        classic.taboo,
        classic.goal,
        classic.winds,
    )


def test_g8_cells_of_the_classic_board():
    board = Rules.load("classic10").board
    assert board.goal == (8, 5)
    assert board.taboo == ((2, 3), (2, 7), (4, 1), (4, 5), (5, 8), (6, 4))
    assert board.starts == ((0, 5), (0, 4), (0, 6), (0, 3), (0, 2), (0, 7))


@pytest.mark.parametrize("name", BOARD_NAMES)
def test_g12_every_board_of_icarius_is_one_turned_upside_down(name):
    board, icarius = Rules.load(name).board, Rules.load(name, prefix="icarius_").board
    assert icarius.name == f"icarius_{name}"
    assert icarius.rows == board.rows[::-1]
    mirrored = {"N": "S", "S": "N", "E": "E", "W": "W", "SE": "NE", "SW": "NW", "NE": "SE", "NW": "SW"}
    assert {wind: (down, right) for wind, down, right in icarius.winds} == {
        mirrored[wind]: (-down, right) for wind, down, right in board.winds
    }


def test_g12_neither_game_has_boards_that_the_other_lacks():
    assert sorted(SHIPPED) == sorted([*BOARD_NAMES, *(f"icarius_{name}" for name in BOARD_NAMES)])
    assert Rules.load("icarius_hex", prefix="icarius_") == Rules.load("hex", prefix="icarius_")
    with pytest.raises(FileNotFoundError, match=r"shipped name \(classic10, compact8, compact9, hex, two_rows\)"):
        icarius_v0.raw_env(board="nosuch")


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_g8_one_board_for_any_number_of_players_unless_another_is_asked_for(num_players):
    assert Rules.load(num_players=num_players).board.name == "classic10"
    assert golden_dragon_v0.raw_env(num_players=num_players).game.rules.board.name == "classic10"
    assert icarius_v0.raw_env(num_players=num_players).game.rules.board.name == "icarius_classic10"
    shorter = {2: "classic10", 3: "classic10", 4: "compact9", 5: "compact8"}[num_players]
    assert Rules.load("auto", num_players=num_players).board.name == shorter
    assert Rules.load("auto", prefix="icarius_", num_players=num_players).board.name == f"icarius_{shorter}"


@pytest.mark.parametrize("name", ["golden_dragon", "icarius"])
def test_the_boards_to_choose_from_exist_and_the_default_comes_first(name):
    tables = GAMES[name].tables
    assert GAMES[name].make(rules=tables[0]).rules == GAMES[name].make().rules
    assert {*tables} == {"auto", *BOARD_NAMES} - {"hex"}
    for table in tables:
        GAMES[name].make(rules=table)


def problems(*rows, num_players=2):
    return board_problems(Board("x", rows, SQUARE6), num_players)


def test_g1_a_cell_that_nobody_reaches():
    found = problems("5421356", "......", "......", "...G..", "......", "", "..", "..")
    assert any("cannot be reached from a start" in problem for problem in found)
    assert any("has no way to the goal" in problem for problem in found)


def test_g1_a_dead_end():
    assert "[5, 2] has 1 exits; expected 2 or more" in problems("542135", "......", "......", " ..G..", ".", "...")


def test_g1_a_start_next_to_the_goal():
    assert any("lies next to the goal" in problem for problem in problems("542135", "...G..", "......", "......"))


def test_g1_a_trap():
    """Two cells at the bottom that only north leads out of."""
    rows = ("542135", "......", "......", "..G...", "......", "x..xxx", "xxxxxx")
    assert problems(*rows) == ["2 dragons can be trapped on [[5, 1], [5, 2]]"]
    assert problems("542135", "......", "......", "..G...", "......", "...xxx", "xxxxxx") == []
    assert problems("542135", "......", "......", "..G...", "......", "...xxx", "xxxxxx", num_players=3) != []


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"rows": ["G12345"]}, "1 times '5' in rows; expected 2"),
        ({"rows": ["G123455?"]}, "'\\?' in rows"),
        ({"rows": "G"}, "expected a list of texts"),
        ({"winds": {"N": [1, 0]}}, "must name 6 winds"),
        ({"winds": {name: [0, 0] for name in "ABCDEF"}}, "wind 'A' = \\[0, 0\\]"),
        ({"colour": 1}, "unknown key 'colour'"),
        (
            {"options": {"veto_scope": "nobody"}},
            "veto_scope = 'nobody': expected 'owner_only' or 'any_opponent' or 'others'",
        ),
        ({"options": {"num_players": 6}}, "num_players = 6: expected 2 to 5"),
        ({"options": {"storm": 1}}, "unknown option 'storm'"),
    ],
)
def test_bad_tables_are_named(table, says):
    with pytest.raises(ValueError, match=says):
        Rules.load(Rules.load().table() | table)


@pytest.mark.parametrize(("cells", "allowed"), [(127, True), (128, False)])
def test_g1_a_board_has_at_most_127_cells(cells, allowed):
    rows = ["..542135..", *["." * 10] * 5, ".....G....", *["." * 10] * 5, "." * (cells - 120)]
    table = Rules.load().table() | {"rows": rows}
    if allowed:
        assert len(golden_dragon_v0.raw_env(board=table).game.rules.board.cells) == cells
    else:
        with pytest.raises(ValueError, match="128 cells; at most 127 are allowed"):
            Rules.load(table)


def test_bad_names_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="no board 'nosuch': give a shipped name"):
        Rules.load("nosuch")
    (tmp_path / "x.toml").write_text("rows = [")
    with pytest.raises(ValueError, match="not valid TOML"):
        Rules.load(tmp_path / "x.toml")
