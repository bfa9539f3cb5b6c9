"""G1, G8: boards and their validator."""

import pytest

from drako_env.golden_dragon.rules import BOARDS, Board, Rules, board_problems

SHIPPED = sorted(path.stem for path in BOARDS.glob("*.toml"))
SQUARE6 = (("N", -1, 0), ("S", 1, 0), ("E", 0, 1), ("W", 0, -1), ("SE", 1, 1), ("SW", 1, -1))


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_shipped_boards_are_good_and_come_back_from_their_tables(name, num_players):
    rules = Rules.load(name, num_players=num_players, veto_scope="any_opponent")
    assert Rules.load(rules.table()) == rules
    assert len(rules.board.taboo) == 6


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
        entries = [cell for cell in board.cells for wind in range(6) if board.step(cell, wind) == board.goal]
        assert len(entries) == 6


def test_g8_cells_of_the_classic_board():
    board = Rules.load("classic10").board
    assert board.goal == (8, 5)
    assert board.taboo == ((2, 3), (2, 7), (4, 1), (4, 5), (5, 8), (6, 4))
    assert board.starts == ((0, 5), (0, 4), (0, 6), (0, 3), (0, 2), (0, 7))


def test_g12_icarius_is_the_classic_board_turned_upside_down():
    classic, icarius = Rules.load("classic10").board, Rules.load("icarius_classic10").board
    assert icarius.rows == classic.rows[::-1]
    mirrored = {"N": "S", "S": "N", "E": "E", "W": "W", "SE": "NE", "SW": "NW"}
    assert {name: (down, right) for name, down, right in icarius.winds} == {
        mirrored[name]: (-down, right) for name, down, right in classic.winds
    }


def test_auto_chooses_by_the_number_of_players():
    assert [Rules.load(num_players=n).board.name for n in (2, 3, 4, 5)] == [
        "classic10",
        "classic10",
        "compact9",
        "compact8",
    ]
    assert Rules.load("auto", prefix="icarius_", num_players=5).board.name == "icarius_compact8"


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
        ({"options": {"veto_scope": "nobody"}}, "veto_scope = 'nobody': expected 'owner_only' or 'any_opponent'"),
        ({"options": {"num_players": 6}}, "num_players = 6: expected 2 to 5"),
        ({"options": {"storm": 1}}, "unknown option 'storm'"),
    ],
)
def test_bad_tables_are_named(table, says):
    with pytest.raises(ValueError, match=says):
        Rules.load(Rules.load().table() | table)


def test_bad_names_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="no board 'nosuch': give a shipped name"):
        Rules.load("nosuch")
    (tmp_path / "x.toml").write_text("rows = [")
    with pytest.raises(ValueError, match="not valid TOML"):
        Rules.load(tmp_path / "x.toml")
