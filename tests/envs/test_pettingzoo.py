"""PettingZoo's own checks, and what they do not look at."""

import random
import warnings

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from pettingzoo.test import api_test, render_test, seed_test

from drako_env import drako_v0, golden_dragon_v0
from drako_env.envs.aec import GameEnv
from tests.drako.positions import play, position
from tests.drako.random_games import random_action

DICT_WARNINGS = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}


def test_api_test_warns_only_of_dict_observations(capsys):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(drako_v0.env(), num_cycles=1000)
        api_test(drako_v0.raw_env(), num_cycles=1000)
    assert {str(warning.message) for warning in caught} == DICT_WARNINGS
    assert "Passed" in capsys.readouterr().out


def test_seed_test():
    seed_test(drako_v0.env, num_cycles=500)


@pytest.mark.parametrize(("game", "says"), [(drako_v0, "D dragon"), (golden_dragon_v0, "> player 0")])
def test_render_test(game, says, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(GameEnv.metadata, "render_fps", 1000)
    custom = {"ansi": lambda picture: says in picture, "svg": lambda picture: picture.startswith("<svg ")}
    render_test(game.raw_env, custom_tests=custom)


def test_agent_iter_plays_whole_games_and_rewards_sum_to_zero():
    env, chance = drako_v0.env(), random.Random(0)
    for seed in range(20):
        env.reset(seed=seed)
        totals = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            observation, reward, termination, truncation, info = env.last()
            totals[agent] += reward
            assert not truncation
            assert info == {}
            env.step(None if termination else random_action(env, chance))
            assert termination or observation["action_mask"].any()
        assert sorted(totals.values()) == [-1.0, 1.0]
        assert env.agents == []


def test_spaces_are_the_same_for_both_seats():
    env = drako_v0.env()
    dragon, dwarves = env.possible_agents
    assert (dragon, dwarves) == ("dragon_0", "dwarves_0")
    assert env.observation_space(dragon) == env.observation_space(dwarves)
    assert env.action_space(dragon) == env.action_space(dwarves)


def test_observations_are_not_overwritten_by_the_next_step():
    game = drako_v0.raw_env()
    game.reset(seed=0)
    kept = game.observe("dragon_0")
    before = {part: array.copy() for part, array in kept.items()}
    game.step(0)
    assert all(np.array_equal(kept[part], before[part]) for part in kept)
    kept["action_mask"][:] = 0
    assert game.observe(game.agent_selection)["action_mask"].any()


@pytest.mark.parametrize(
    "bad", [2, -1, 10**6, 2**70, 1.0, "draw", None, True, [0], np.int64(5), np.float32(0), np.array([0, 1])]
)
def test_an_illegal_action_is_refused_and_changes_nothing(bad):
    game = drako_v0.raw_env()
    game.reset(seed=0)
    before = (game._states.tobytes(), game._mask.tobytes(), game.agent_selection)
    with pytest.raises(
        ValueError, match=r"is illegal for dragon_0 in phase 'exchange'; legal are 0 \(keep the hand\), 1"
    ):
        game.step(bad)
    assert (game._states.tobytes(), game._mask.tobytes(), game.agent_selection) == before
    game.step(np.int64(1))


def test_the_error_names_the_action():
    game = drako_v0.raw_env()
    game.reset(seed=0)
    with pytest.raises(ValueError, match=r"action 2 \(draw\) is illegal"):
        game.step(2)


def test_the_wrapper_ends_the_game_of_an_illegal_action():
    env = drako_v0.env()
    env.reset(seed=0)
    env.step(2)
    assert env.terminations == {"dragon_0": True, "dwarves_0": True}
    assert env.rewards == {"dragon_0": -1.0, "dwarves_0": 0}


def finished_game():
    game, chance = drako_v0.raw_env(), random.Random(0)
    game.reset(seed=0)
    while not game.terminations[game.agent_selection]:
        game.step(random_action(game, chance))
    return game


def test_steps_after_the_end_are_refused():
    game = finished_game()
    record = game._states.tobytes()
    with pytest.raises(ValueError, match="only valid action is None"):
        game.step(0)
    game.step(None)
    game.step(None)
    with pytest.raises(ValueError, match=r"the game is over .* reset\(\)"):
        game.step(None)
    assert game._states.tobytes() == record
    game.reset(seed=0)
    assert game.agents == ["dragon_0", "dwarves_0"]


@pytest.mark.parametrize("call", ["step", "observe", "render", "state_dict"])
def test_before_reset_everything_says_so(call):
    game = drako_v0.raw_env(render_mode="ansi")
    arguments = {"step": (0,), "observe": ("dragon_0",)}.get(call, ())
    with pytest.raises(ResetNeeded, match="call reset"):
        getattr(game, call)(*arguments)


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="render_mode = 'neon': allowed are None, 'human', 'ansi', 'rgb_array', 'svg'"):
        drako_v0.raw_env(render_mode="neon")
    with pytest.raises(ValueError, match="render_seat = 'elf': allowed are None, 'dragon_0', 'dwarves_0'"):
        drako_v0.env(render_seat="elf")
    game = drako_v0.raw_env()
    with pytest.raises(ValueError, match="no action 999"):
        game.action_dict(999)
    with pytest.raises(ValueError, match="no such action"):
        game.action_id({"type": "dance"})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"phase": "lunch"}, "phase: 'lunch' is not one of exchange"),
        ({"agent": "dwarves"}, "agent 'dwarves' cannot decide in phase 'action'"),
        ({"winner": "dragon"}, "only a game that is over"),
        ({"actions_left": 7}, "actions_left: 7"),
        ({"pending": {"card": "walk"}}, "pending is"),
        ({"hands": {"dragon": {"ace": 1}, "dwarves": {}}}, "'ace' is not one of walk"),
        ({"hands": {"dragon": {"walk": 9}, "dwarves": {}}}, "hand of the dragon: 9"),
        ({"hands": {"dragon": {}}}, "lacks the key 'dwarves'"),
        ({"decks": 3}, "malformed"),
        ({"dragon": {"hex": [5, 5], "netted": False, "wounds": {}}}, "armor"),
        ({"hands": {"dragon": {}, "dwarves": {}}, "decks": {"dragon": {}, "dwarves": {}}}, "nobody can move"),
    ],
)
def test_a_position_that_makes_no_sense_is_refused(change, says):
    game = drako_v0.raw_env(exchange=False, placement="first_game")
    game.reset(seed=0)
    record = game._states.tobytes()
    with pytest.raises(ValueError, match=says):
        game.load_state_dict(game.state_dict() | change)
    assert game._states.tobytes() == record


def changed(path, value):
    """A position of a defense decision with one entry changed."""
    game = position(hands={"dragon": {"bite": 1}}, fury=(1, 0))
    play(game, "play bite as attack", "attack fury")
    state = game.state_dict()
    place = state
    *way, last = path
    for key in way:
        place = place[key]
    place[last] = value
    return game, state


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("pending", "strikes"), [], "without a strike to answer"),
        (("pending", "blocked"), [True], "without a strike to answer"),
        (("pending", "strikes"), ["dragon"], "a strike at dragon in the turn of the dragon"),
        (("pending", "strikes"), ["archer", "net", "fury", "fury"], "number of strikes"),
        (("pending", "value"), 3, "value 3 of the pending card"),
        (("pending", "symbol"), "move", "symbol 'move' in phase 'defense'"),
        (("pending", "wounds"), 2, "2 wounds to place in phase 'defense'"),
        (("pending", "blocked"), ["no"], "neither true nor false"),
        (("dragon", "netted"), [0], "netted"),
        (("fury_used",), "no", "fury_used"),
        (("hands", "dragon"), None, "malformed"),
        (("hands", "dragon"), {"walk": 6, "bite": 1}, "hand of the dragon: 7"),
        (("dragon", "wounds"), {"armor": 4, "flight": 3, "movement": 2, "fire": 2}, "the dragon has no free space"),
        (("dwarves", "archer", "wounds"), 3, "archer has no free space"),
        (("actions_left",), 3, "actions_left 3 and actions_spent 1"),
    ],
)
def test_a_pending_decision_that_makes_no_sense_is_refused(path, value, says):
    game, state = changed(path, value)
    record = game._states.tobytes()
    with pytest.raises(ValueError, match=says):
        game.load_state_dict(state)
    assert game._states.tobytes() == record


@pytest.mark.parametrize("standing", [("fury", "archer", "net"), ("net",), ("archer",)])
def test_dwarves_are_placed_in_order(standing):
    game = drako_v0.raw_env(exchange=False)
    game.reset(seed=0)
    state = game.state_dict()
    for dwarf, cell in zip(standing, ([2, 0], [0, 2], [-2, 0]), strict=False):
        state["dwarves"][dwarf]["hex"] = cell
    with pytest.raises(ValueError, match="in the order fury, archer, net"):
        game.load_state_dict(state)


def test_unseeded_games_differ():
    def deal():
        game = drako_v0.raw_env()
        game.reset()
        return str(game.state_dict()["hands"])

    assert len({deal() for _ in range(8)}) > 6
    assert len({drako_v0.batch_env(2).save() for _ in range(8)}) == 8


def test_a_numpy_scalar_array_is_an_action():
    game = drako_v0.raw_env()
    game.reset(seed=0)
    game.step(np.array(1))


def test_figures_must_stand_apart_and_on_the_board():
    game = drako_v0.raw_env(exchange=False, placement="first_game")
    game.reset(seed=0)
    state = game.state_dict()
    state["dwarves"]["net"]["hex"] = [0, 0]
    with pytest.raises(ValueError, match=r"net: \[0, 0\] holds another figure"):
        game.load_state_dict(state)
    state["dwarves"]["net"]["hex"] = [3, 0]
    with pytest.raises(ValueError, match=r"net: \[3, 0\] is no hex of a board of radius 2"):
        game.load_state_dict(state)


def test_a_position_can_be_loaded_without_a_reset():
    game = finished_game()
    twin = drako_v0.raw_env()
    twin.load_state_dict(game.state_dict())
    assert twin.rewards == game.rewards
    assert twin.state_dict() == game.state_dict()
