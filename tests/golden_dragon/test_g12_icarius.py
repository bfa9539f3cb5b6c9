"""G12: Icarius is the same game by other names, upside down."""

import random

import pytest

from drako_env import golden_dragon_v0, icarius_v0
from tests.golden_dragon.positions import BOARD_NAMES, SCOPES
from tests.play import legal, random_action

MIRROR = {"N": "S", "S": "N", "E": "E", "W": "W", "SE": "NE", "SW": "NW", "NE": "SE", "NW": "SW"}


def mirrored(value, height):
    """A position or an action of Golden Dragon as Icarius has it; `height` is the number of the board's rows."""
    if isinstance(value, dict):
        turned = {key: mirrored(part, height) for key, part in value.items()}
        if "positions" in value:
            cells = value["positions"]
            turned["positions"] = [cell and [height - 1 - cell[0], cell[1]] for cell in cells]
        return turned
    if isinstance(value, list):
        return [mirrored(part, height) for part in value]
    return MIRROR.get(value, value)


CASES = [(n, scope, "classic10") for n in (2, 3, 4, 5) for scope in SCOPES]
CASES += [(n, "others", name) for n, name in enumerate(BOARD_NAMES[1:], start=2)]


@pytest.mark.parametrize(("num_players", "scope", "board"), CASES)
def test_g12_the_same_decisions_make_the_mirrored_game(num_players, scope, board):
    options = {"num_players": num_players, "veto_scope": scope, "board": board}
    game, twin = golden_dragon_v0.raw_env(**options), icarius_v0.raw_env(**options)
    chance, height = random.Random(num_players), len(game.game.rules.board.rows)
    for _ in range(1 if board == "hex" else 3):
        game.reset()
        twin.reset()
        while not game.terminations[game.agent_selection]:
            actions = [game.action_dict(i) for i in legal(game).values()]
            expected = sorted(twin.action_id(mirrored(action, height)) for action in actions)
            assert sorted(legal(twin).values()) == expected
            action = random_action(game, chance)
            game.step(action)
            twin.step(twin.action_id(mirrored(game.action_dict(action), height)))
            assert twin.state_dict() == mirrored(game.state_dict(), height)
            assert twin.rewards == game.rewards


def test_g12_its_own_words():
    game = icarius_v0.raw_env(num_players=5, render_mode="ansi")
    game.reset(seed=0)
    assert game.metadata["name"] == "icarius_v0"
    assert set(legal(game)) == {f"the {wind} stone" for wind in ("N", "S", "E", "W", "NE", "NW")}
    texts = {game.game.action_text(i) for i in range(len(game.game.actions))}
    assert {"play a sun card", "play no sun card", "play a lightning card", "move the flyer of player 4"} <= texts
    assert "which stone lies under the flyer?" in game.render()
    assert "cards: sun 2, lightning 2" in game.render()


@pytest.mark.parametrize("board", BOARD_NAMES)
def test_g12_a_shipped_name_means_the_own_mirror_image(board):
    flipped = icarius_v0.raw_env(board=board).game.rules.board
    assert flipped.rows == golden_dragon_v0.raw_env(board=board).game.rules.board.rows[::-1]
    assert flipped.goal[0] < flipped.starts[0][0], "the sun is in the north"


def test_g12_starts_in_the_south_and_the_sun_in_the_north():
    board = icarius_v0.raw_env().game.rules.board
    assert board.goal == (1, 5)
    assert {row for row, _ in board.starts} == {9}
    assert [cell for _, cell in sorted(board.starts)] == [2, 3, 4, 5, 6, 7]
