"""PettingZoo's own checks, and what they do not look at."""

import copy
import pickle
import random
import re
import warnings
from functools import partial
from types import MappingProxyType

import cloudpickle
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from pettingzoo.test import api_test, render_test, seed_test

from drako_env import drako_v0, golden_dragon_v0, icarius_v0
from drako_env.envs.aec import GameEnv
from tests.drako.positions import play, position
from tests.every_game import every_game, one_of_each_game
from tests.play import random_action, random_play

DICT_WARNINGS = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}


@every_game
def test_api_test_warns_only_of_dict_observations(module, options, capsys):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(module.env(**options), num_cycles=1000)
        api_test(module.raw_env(**options), num_cycles=1000)
    assert {str(warning.message) for warning in caught} == DICT_WARNINGS
    assert "Passed" in capsys.readouterr().out


@every_game
def test_seed_test(module, options):
    seed_test(partial(module.env, **options), num_cycles=500)


@every_game
def test_render_test(module, options, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(GameEnv.metadata, "render_fps", 1000)
    custom = {"ansi": lambda picture: picture.count("\n") > 5, "svg": lambda picture: picture.startswith("<svg ")}
    render_test(partial(module.raw_env, **options), custom_tests=custom)


@every_game
def test_agent_iter_plays_whole_games_and_one_seat_wins(module, options):
    env, chance = module.env(**options), random.Random(0)
    for seed in range(6):
        env.reset(seed=seed)
        totals = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            observation, reward, termination, truncation, info = env.last()
            totals[agent] += reward
            assert not truncation
            assert info == {}
            env.step(None if termination else random_action(env, chance))
            assert termination or observation["action_mask"].any()
        assert sorted(totals.values()) == [*[-1.0] * (len(totals) - 1), 1.0]
        assert env.agents == []


def test_names_of_the_seats():
    assert drako_v0.env().possible_agents == ["dragon_0", "dwarves_0"]
    for num_players in (2, 3, 4, 5):
        seats = [f"player_{seat}" for seat in range(num_players)]
        assert golden_dragon_v0.env(num_players=num_players).possible_agents == seats
        assert icarius_v0.env(num_players=num_players).possible_agents == seats


@every_game
def test_spaces_are_the_same_for_all_seats(module, options):
    env = module.env(**options)
    first, *others = env.possible_agents
    for other in others:
        assert env.observation_space(first) == env.observation_space(other)
        assert env.action_space(first) == env.action_space(other)


@one_of_each_game
def test_what_is_observed_lies_in_the_spaces(module, options):
    for game in random_play(lambda chance: module.raw_env(**options), seed=1, games=2, every=3):
        for seat in game.possible_agents:
            assert game.observation_space(seat).contains(game.observe(seat))
            assert game.observe(seat)["action_mask"].any() == (
                seat == game.agent_selection and not game.terminations[seat]
            )


DUPLICATES = [copy.deepcopy, *(lambda game, by=by: by.loads(by.dumps(game)) for by in (pickle, cloudpickle))]


@pytest.mark.parametrize("duplicate", DUPLICATES, ids=["deepcopy", "pickle", "cloudpickle"])
@one_of_each_game
def test_copies_are_independent_and_go_on_alike(module, options, duplicate):
    for game in random_play(lambda chance: module.env(**options), seed=2, games=1, every=9):
        twin, record = duplicate(game), game.unwrapped.position.states.tobytes()
        assert twin.unwrapped.position.states.tobytes() == record
        if twin.terminations[twin.agent_selection]:
            break
        twin.step(random_action(twin, random.Random(1)))
        assert game.unwrapped.position.states.tobytes() == record
        third = duplicate(game)
        third.step(random_action(third, random.Random(1)))
        assert third.unwrapped.position.states.tobytes() == twin.unwrapped.position.states.tobytes() != record


@every_game
def test_action_ids_and_dictionaries_are_inverse(module, options):
    game = module.raw_env(**options)
    actions = [game.action_dict(i) for i in range(len(game.game.actions))]
    assert [game.action_id(action) for action in actions] == list(range(len(actions)))


@one_of_each_game
def test_observations_are_not_overwritten_by_the_next_step(module, options):
    game = module.raw_env(**options)
    game.reset(seed=0)
    kept = game.observe(game.agent_selection)
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
    before = (game.position.states.tobytes(), game.position.mask.tobytes(), game.agent_selection)
    with pytest.raises(
        ValueError, match=r"is illegal for dragon_0 in phase 'exchange'; legal are 0 \(keep the hand\), 1"
    ):
        game.step(bad)
    assert (game.position.states.tobytes(), game.position.mask.tobytes(), game.agent_selection) == before
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


@one_of_each_game
def test_an_illegal_action_of_any_game_is_refused_by_name_and_ends_the_game_of_the_wrapper(module, options):
    game, env = module.raw_env(**options), module.env(**options)
    game.reset(seed=0)
    env.reset(seed=0)
    seat = game.agent_selection
    bad = int(np.flatnonzero(game.observe(seat)["action_mask"] == 0)[0])
    record, text = (
        game.position.states.tobytes(),
        re.escape(f"action {bad} ({game.game.action_text(bad)}) is illegal for {seat}"),
    )
    with pytest.raises(ValueError, match=text):
        game.step(bad)
    assert game.position.states.tobytes() == record
    env.step(bad)
    assert all(env.terminations.values())
    assert env.rewards == {name: -1.0 if name == seat else 0 for name in env.possible_agents}


def finished_game(module=drako_v0, options=MappingProxyType({})):
    game, chance = module.raw_env(**options), random.Random(0)
    game.reset(seed=0)
    while not game.terminations[game.agent_selection]:
        game.step(random_action(game, chance))
    return game


@one_of_each_game
def test_steps_after_the_end_are_refused(module, options):
    game = finished_game(module, options)
    record = game.position.states.tobytes()
    with pytest.raises(ValueError, match="only valid action is None"):
        game.step(0)
    for _ in game.possible_agents:
        game.step(None)
    with pytest.raises(ValueError, match=r"the game is over .* reset\(\)"):
        game.step(None)
    assert game.position.states.tobytes() == record
    game.reset(seed=0)
    assert game.agents == game.possible_agents


@pytest.mark.parametrize("call", ["step", "observe", "render", "state_dict"])
@one_of_each_game
def test_before_reset_everything_says_so(module, options, call):
    game = module.raw_env(render_mode="ansi", **options)
    arguments = {"step": (0,), "observe": (game.possible_agents[0],)}.get(call, ())
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
    deep = []
    for _ in range(100_000):
        deep = [deep]
    for action in ({"type": "dance"}, {"type": deep}):
        with pytest.raises(ValueError, match="no such action"):
            game.action_id(action)
    game.reset(seed=0)
    with pytest.raises(ValueError, match="is illegal for dragon_0"):
        game.step(deep)


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
    record = game.position.states.tobytes()
    with pytest.raises(ValueError, match=says):
        game.load_state_dict(game.state_dict() | change)
    assert game.position.states.tobytes() == record


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
    record = game.position.states.tobytes()
    with pytest.raises(ValueError, match=says):
        game.load_state_dict(state)
    assert game.position.states.tobytes() == record


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


@one_of_each_game
def test_a_position_can_be_loaded_without_a_reset(module, options):
    game = finished_game(module, options)
    twin = module.raw_env(**options)
    twin.load_state_dict(game.state_dict())
    assert twin.rewards == game.rewards
    assert twin.state_dict() == game.state_dict()


@one_of_each_game
def test_a_view_is_what_the_seat_to_decide_may_know(module, options):
    raw = module.raw_env(**options)
    with pytest.raises(ResetNeeded):
        raw.view()
    raw.reset(seed=0)
    view, seen = raw.view(), raw.observe(raw.agent_selection)
    assert raw.possible_agents[view.seat] == raw.agent_selection
    assert view.observation.tobytes() == seen["observation"].tobytes()
    assert view.action_mask.tobytes() == seen["action_mask"].tobytes()
    before = raw.state_dict()
    view.known[:] = 0
    assert raw.state_dict() == before, "a view is a copy"
    chance = random.Random(0)
    while not raw.terminations[raw.agent_selection]:
        raw.step(random_action(raw, chance))
    with pytest.raises(ValueError, match="over"):
        raw.view()
