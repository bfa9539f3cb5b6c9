"""G12: Icarius is the same game by other names, upside down."""

import random

import pytest

from drako_env import golden_dragon_v0, icarius_v0
from tests.golden_dragon.positions import SCOPES
from tests.play import legal, random_action

MIRROR = {"N": "S", "S": "N", "E": "E", "W": "W", "SE": "NE", "SW": "NW"}


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


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_g12_the_same_decisions_make_the_mirrored_game(num_players, scope):
    options = {"num_players": num_players, "veto_scope": scope}
    game, twin = golden_dragon_v0.raw_env(**options), icarius_v0.raw_env(**options)
    chance, height = random.Random(num_players), len(game.game.rules.board.rows)
    for _ in range(3):
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
    assert set(legal(game)) == {f"the {wind} stone" for wind in MIRROR.values()}
    texts = {game.game.action_text(i) for i in range(len(game.game.actions))}
    assert {"play a sun card", "play no sun card", "play a lightning card", "move the flyer of player 4"} <= texts
    assert "which stone lies under the flyer?" in game.render()
    assert "sun cards 2, lightning cards 2" in game.render()


@pytest.mark.parametrize(("num_players", "board"), [(2, "classic10"), (4, "compact9"), (5, "compact8")])
def test_g12_the_boards_are_flipped(num_players, board):
    flipped = icarius_v0.raw_env(num_players=num_players).game.rules.board
    assert flipped.rows == golden_dragon_v0.raw_env(board=board).game.rules.board.rows[::-1]
    assert icarius_v0.raw_env(board=board).game.rules.board == flipped, "a shipped name means Icarius' own board"


def test_g12_starts_in_the_south_and_the_sun_in_the_north():
    board = icarius_v0.raw_env().game.rules.board
    assert board.goal == (1, 5)
    assert {row for row, _ in board.starts} == {9}
    assert [cell for _, cell in sorted(board.starts)] == [2, 3, 4, 5, 6, 7]
