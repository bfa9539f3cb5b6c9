"""G7: the end."""

import pytest

from drako_env.games import make_game
from drako_env.golden_dragon.rules import Rules
from tests.golden_dragon.positions import STORM, VETO, after, move, play, position

NEAR = [(0, 5), (7, 5), (0, 6)]


def test_g7_the_own_dragon_on_the_goal_wins_at_once():
    """Four moves of the storm are not played."""
    game = position(active=1, first=["S"], cells=NEAR)
    state = after(game, STORM, move(1))
    assert (state["phase"], state["agent"], state["winner"], state["active"]) == ("over", None, 1, 1)
    assert state["positions"][1] == [8, 5]
    assert (state["moves_left"], state["single_moves"], state["hand"]) == (4, 1, None)
    assert [len(holder) for holder in state["holders"]] == [5, 5, 5]
    assert game.terminations == dict.fromkeys(game.possible_agents, True)
    assert game.rewards == {"player_0": -1.0, "player_1": 1.0, "player_2": -1.0}


def test_g7_nothing_can_be_played_afterwards():
    game = position(active=1, hand="S", cells=NEAR)
    play(game, move(1))
    for seat in game.possible_agents:
        assert not game.observe(seat)["action_mask"].any()


def test_g7_the_last_single_move_is_a_draw():
    game = position(hand="S", single_moves=599)
    state = after(game, move(0))
    assert (state["phase"], state["agent"], state["winner"], state["single_moves"]) == ("over", None, None, 600)
    assert set(game.rewards.values()) == {0.0}
    assert all(game.terminations.values())
    assert not any(game.truncations.values())


def test_g7_the_limit_is_an_option():
    state = after(position(hand="S", single_moves=10, max_single_moves=12), move(0))
    assert state["phase"] == "place"
    state = after(position(hand="S", single_moves=11, max_single_moves=12), move(0))
    assert (state["phase"], state["winner"]) == ("over", None)


@pytest.mark.parametrize(("limit", "allowed"), [(0, False), (1, True), (10_000, True), (10_001, False)])
def test_g7_the_limit_has_limits(limit, allowed):
    if allowed:
        assert Rules.load(max_single_moves=limit).max_single_moves == limit
    else:
        with pytest.raises(ValueError, match=f"max_single_moves = {limit}: expected 1 to 10000"):
            Rules.load(max_single_moves=limit)


def test_g7_a_stone_that_passes_through_may_be_the_last():
    game = position(hand="E", single_moves=599)
    state = after(game, move(2), VETO)
    assert (state["phase"], state["winner"], state["single_moves"]) == ("over", None, 600)
    state = after(position(first=["N"] * 5, single_moves=597), STORM)
    assert (state["phase"], state["winner"], state["moves_left"]) == ("over", None, 2)


def test_g7_a_win_with_the_last_single_move_is_a_win():
    assert after(position(active=1, hand="S", cells=NEAR, single_moves=599), move(1))["winner"] == 1


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_g7_only_the_active_player_wins(num_players):
    cells = [(7, 5), (0, 4), (0, 6), (0, 3), (0, 2)][:num_players]
    game = position(hand="S", cells=cells, num_players=num_players)
    play(game, move(0))
    assert list(game.rewards.values()) == [1.0] + [-1.0] * (num_players - 1)
    assert "player 0 won: the dragon has reached the golden volcano" in game.game.text(
        game.game.scene(game.position.state, None)
    )


@pytest.mark.parametrize(("scope", "asked"), [("owner_only", 1), ("any_opponent", 3), ("others", 3)])
def test_g7_the_bound_of_all_decisions(scope, asked):
    """Six stones of each player are laid, and one chooses a side (of five players, but counted always); 20 single moves
    are seven turns, each begins with a storm or none; 20 stones, and one more after each of eight vetoes, are placed
    and asked about."""
    game = make_game("golden_dragon", num_players=4, veto_scope=scope, max_single_moves=20)
    assert game.max_decisions == 4 * 6 + 1 + 7 + (20 + 4 * 2) * (1 + asked)
