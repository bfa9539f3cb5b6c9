"""Many games at once are single games, side by side."""

import copy
import hashlib
import itertools
import json
import pickle
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drako_env import drako_v0, golden_dragon_v0
from tests.drako.positions import play, position
from tests.drako.random_games import TABLES
from tests.every_game import every_game, one_of_each_game
from tests.play import random_action


def compare_with_single(module, batch, games, steps):
    """Game `i` of a batch and a single game with its seed, action by action, through several games."""
    singles = {i: module.raw_env(rules=batch.game.rules) for i in games}
    for i, single in singles.items():
        single.reset(seed=int(batch.seeds[i]))
    for _ in range(steps):
        for i, single in singles.items():
            assert single.agent_selection == batch.possible_agents[batch.agent[i]]
            observed = single.observe(single.agent_selection)
            assert observed["observation"].tobytes() == batch.observation[i].tobytes()
            assert observed["action_mask"].tobytes() == batch.action_mask[i].tobytes()
        actions = batch.sample()
        batch.step(actions)
        for i, single in singles.items():
            single.step(int(actions[i]))
            assert [single.rewards[seat] for seat in single.possible_agents] == batch.reward[i].tolist()
            assert single.terminations[single.agent_selection] == batch.done[i]
            if batch.done[i]:
                single.reset()


@every_game
def test_games_of_a_batch_are_single_games(module, options):
    compare_with_single(module, module.batch_env(15, seed=3, **options), range(15), 400)


@pytest.mark.parametrize("table", TABLES)
def test_under_other_rules_too(table):
    options = {"radius": 3, "exchange": False, "fury_may_kill": True, "edition": "2019", "discard_action": "always"}
    compare_with_single(drako_v0, drako_v0.batch_env(5, seed=4, rules=table, **options), range(5), 400)


@pytest.mark.slow
@every_game
def test_a_thousand_games_of_a_batch_are_single_games(module, options):
    compare_with_single(module, module.batch_env(1000, seed=5, **options), range(1000), 250)


@one_of_each_game
@given(seed=st.integers(0, 2**32), size=st.integers(1, 40), other=st.integers(1, 40))
@settings(max_examples=15, deadline=None)
def test_the_size_of_a_batch_does_not_matter(module, options, seed, size, other):
    first, second = module.batch_env(size, seed=seed, **options), module.batch_env(other, seed=seed, **options)
    common = min(size, other)
    for _ in range(30):
        for name in ("seeds", "observation", "action_mask", "agent", "reward", "done"):
            assert np.array_equal(getattr(first, name)[:common], getattr(second, name)[:common]), name
        first.step(first.sample())
        second.step(second.sample())


@every_game
def test_arrays_are_written_in_place(module, options):
    batch, single = module.batch_env(8, seed=0, **options), module.raw_env(**options)
    names = ("observation", "action_mask", "agent", "reward", "done")
    addresses = [getattr(batch, name).ctypes.data for name in names]
    out = np.empty(8, np.int64)
    for _ in range(300):
        assert batch.sample(out) is out
        batch.step(out)
    assert [getattr(batch, name).ctypes.data for name in names] == addresses
    seat = single.possible_agents[0]
    assert batch.observation.shape == (8, *single.observation_space(seat)["observation"].shape)
    assert batch.action_mask.shape == (8, single.action_space(seat).n)
    assert batch.reward.shape == (8, len(single.possible_agents))


def test_sizes_of_drako():
    batch = drako_v0.batch_env(8, seed=0)
    assert batch.observation.shape == (8, 320)
    assert batch.action_mask.shape == (8, 222)


@pytest.mark.parametrize("choices", [2, 3, 5])
@one_of_each_game
def test_sampling_is_uniform_and_legal(module, options, choices):
    batch = module.batch_env(1, seed=1, **options)
    chance = random.Random(0)
    while batch.action_mask.sum() != choices:
        batch.step(np.array([chance.choice(np.flatnonzero(batch.action_mask[0]).tolist())]))
    legal = np.flatnonzero(batch.action_mask[0])
    counts = np.bincount([batch.sample()[0] for _ in range(6000)], minlength=batch.action_mask.shape[1])
    assert counts[legal].sum() == 6000
    expected = 6000 / len(legal)
    assert ((counts[legal] - expected) ** 2 / expected).sum() < 2.5 * len(legal) + 12


@one_of_each_game
def test_sampled_actions_are_legal(module, options):
    batch = module.batch_env(50, seed=1, **options)
    for _ in range(300):
        actions = batch.sample()
        assert (np.take_along_axis(batch.action_mask, actions[:, None], axis=1) == 1).all()
        batch.step(actions)


def test_sampling_does_not_change_what_is_dealt():
    batch, twin = drako_v0.batch_env(4, seed=9), drako_v0.batch_env(4, seed=9)
    for _ in range(200):
        actions = batch.sample()
        twin.step(actions)
        batch.step(actions)
        assert np.array_equal(batch.observation, twin.observation)


@pytest.mark.parametrize("bad", [-1, 2, 222, 10**9])
def test_an_illegal_action_changes_none_of_the_games(bad):
    batch = drako_v0.batch_env(5, seed=0)
    actions = batch.sample()
    actions[3] = bad
    before = batch.save(), batch.observation.tobytes(), batch.action_mask.tobytes()
    with pytest.raises(ValueError, match=rf"game 3: action {bad}.* is illegal for dragon_0 in phase 'exchange'"):
        batch.step(actions)
    assert (batch.save(), batch.observation.tobytes(), batch.action_mask.tobytes()) == before


@one_of_each_game
def test_an_illegal_action_in_any_game_changes_nothing(module, options):
    """Be it of the game, below or above its actions, or just beyond the memory of a mask, which is a little longer."""
    batch = module.batch_env(5, seed=0, **options)
    for _ in range(40):
        actions = batch.sample()
        before = batch.save(), batch.observation.tobytes(), batch.action_mask.tobytes()
        of_the_game = int(np.flatnonzero(batch.action_mask[3] == 0)[0])
        for illegal in (of_the_game, -1, batch.action_mask.shape[1], batch._mask.shape[1], 10**9):
            actions[3] = illegal
            with pytest.raises(ValueError, match=rf"game 3: action {illegal}.* is illegal for"):
                batch.step(actions)
            assert (batch.save(), batch.observation.tobytes(), batch.action_mask.tobytes()) == before
        batch.step(batch.sample())


@pytest.mark.parametrize("bad", [np.zeros(4, np.int64), np.zeros((5, 1), np.int64), np.zeros(5), 0, ["keep"] * 5])
def test_actions_of_a_wrong_shape_or_type_are_refused(bad):
    batch = drako_v0.batch_env(5, seed=0)
    with pytest.raises(ValueError, match=r"actions must be integers of shape \(5,\)"):
        batch.step(bad)


@every_game
def test_save_and_load_continue_identically(module, options):
    batch, twin = module.batch_env(16, seed=2, **options), module.batch_env(16, seed=99, **options)
    for _ in range(100):
        batch.step(batch.sample())
    twin.load(batch.save())
    for _ in range(300):
        for name in ("seeds", "observation", "action_mask", "agent", "reward", "done"):
            assert np.array_equal(getattr(batch, name), getattr(twin, name)), name
        batch.step(batch.sample())
        twin.step(twin.sample())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda saved: b"", "not written by"),
        (lambda saved: b"[]\n", "its format is None"),
        (lambda saved: saved[:-5], "its digest"),
        (lambda saved: saved[:-1] + bytes([saved[-1] ^ 1]), "its digest"),
        (lambda saved: drako_v0.batch_env(3, seed=0).save(), "its num_games is 3, expected 4"),
        (lambda saved: drako_v0.batch_env(4, seed=0, radius=3).save(), "its rules"),
        (lambda saved: golden_dragon_v0.batch_env(4, seed=0).save(), "its game is 'golden_dragon_v0'"),
    ],
)
def test_foreign_or_damaged_saves_are_refused(change, says):
    batch = drako_v0.batch_env(4, seed=0)
    saved = batch.save()
    with pytest.raises(ValueError, match=says):
        batch.load(change(saved))
    assert batch.save() == saved


def forged(batch, change=lambda states: None, body=None):
    """Bytes with a header that fits them, as somebody would make them who knows how."""
    header, _, rest = batch.save().partition(b"\n")
    states = batch._states.copy()
    change(states)
    body = states.tobytes() + rest[states.nbytes :] if body is None else body
    claims = json.loads(header) | {"digest": hashlib.sha256(body).hexdigest()}
    return json.dumps(claims).encode() + b"\n" + body


def is_refused(batch, saved, says):
    before = batch.save(), batch.observation.tobytes(), batch.action_mask.tobytes(), batch.agent.tobytes()
    with pytest.raises(ValueError, match=says):
        batch.load(saved)
    assert (batch.save(), batch.observation.tobytes(), batch.action_mask.tobytes(), batch.agent.tobytes()) == before


@every_game
def test_records_of_no_game_are_refused(module, options):
    """Kernels trust their records: an entry out of its range would reach beyond the tables."""
    batch, chance = module.batch_env(3, seed=2, **options), random.Random(0)
    for _ in range(50):
        batch.step(batch.sample())
    names = [name for name in batch.game.state_dtype.names if name != "rng"]
    for name, lowest in itertools.product(names, (True, False)):
        place, info = chance.randrange(batch._states[name][0].size), np.iinfo(batch._states[name].dtype)

        def change(states, name=name, place=place, value=info.min if lowest else info.max):
            states[name][1:2].reshape(-1)[place] = value

        is_refused(batch, forged(batch, change), "game 1 makes no sense")


@one_of_each_game
def test_what_cannot_go_on_is_refused(module, options):
    batch = module.batch_env(3, seed=2, **options)
    over = module.raw_env(**options)
    over.reset(seed=0)
    chance = random.Random(0)
    while not over.terminations[over.agent_selection]:
        over.step(random_action(over, chance))

    def finish(states):
        states[2] = over.position.state

    def stop(states):
        states["rng"][0, 1] = 0

    is_refused(batch, forged(batch, finish), "in game 2 nobody can move")
    is_refused(batch, forged(batch, stop), "game 0 makes no sense .its random numbers stand still")
    batch.load(forged(batch))


def test_a_decision_without_a_choice_is_refused():
    """A bite with nobody to bite: the record is sound, but nobody could go on."""
    bite = position(hands={"dragon": {"bite": 1}}, fury=(1, 0))
    play(bite, "play bite as attack")
    state = bite.state_dict()
    state["dwarves"]["fury"]["hex"] = [1, 1]
    batch = drako_v0.batch_env(2, seed=0, exchange=False)

    def change(states):
        rng = states["rng"][1].copy()
        states[1] = batch.game.load_state_dict(state)
        states["rng"][1] = rng

    is_refused(batch, forged(batch, change), "in game 1 nobody can move")


def test_bytes_that_are_too_few_too_many_or_no_rewards_are_refused():
    batch = drako_v0.batch_env(2, seed=0)
    other = drako_v0.batch_env(2, seed=5).save().partition(b"\n")[2]
    is_refused(batch, forged(batch, body=other[:-1]), "bytes of games, expected")
    is_refused(batch, forged(batch, body=other + b"\0"), "bytes of games, expected")
    is_refused(batch, forged(batch, body=other[:-1] + b"\2"), "its rewards do not fit")
    reward = np.array([np.nan, 0, 1, -1], np.float32).tobytes()
    is_refused(batch, forged(batch, body=other[: -2 - len(reward)] + reward + other[-2:]), "its rewards do not fit")
    is_refused(batch, b"[" * 100_000 + b"\n", "not written by")


@one_of_each_game
def test_copies_of_a_batch_are_independent(module, options):
    batch = module.batch_env(5, seed=1, **options)
    for _ in range(150):
        batch.step(batch.sample())
    for twin in (copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))):
        saved = batch.save()
        assert twin.save() == saved
        twin.step(twin.sample())
        assert batch.save() == saved
        assert twin.save() != saved


@one_of_each_game
def test_saving_keeps_rewards_and_a_reset_clears_them(module, options):
    batch, twin = module.batch_env(30, seed=1, **options), module.batch_env(30, seed=2, **options)
    while not batch.done.any():
        batch.step(batch.sample())
    twin.load(batch.save())
    assert twin.done.any()
    assert np.array_equal(twin.reward, batch.reward)
    twin.reset()
    assert not twin.done.any()
    assert not twin.reward.any()


@pytest.mark.parametrize(
    "out", [np.empty(4, np.int64), np.empty(5), np.empty((5, 1), np.int64), np.empty(10, np.int64)[::2]]
)
def test_sample_refuses_a_bad_buffer(out):
    with pytest.raises(ValueError, match="out must be a contiguous int64 array"):
        drako_v0.batch_env(5, seed=0).sample(out)


@one_of_each_game
def test_reset_with_and_without_a_seed(module, options):
    batch = module.batch_env(4, seed=0, **options)
    start = batch.save()
    batch.step(batch.sample())
    batch.reset()
    assert batch.save() != start
    batch.reset(seed=0)
    assert batch.save() == start


@one_of_each_game
def test_a_batch_without_observations_plays_the_same(module, options):
    batch = module.batch_env(6, seed=1, **options)
    blind = module.batch_env(6, seed=1, observe=False, **options)
    assert blind.observation.shape == (6, 0)
    for _ in range(300):
        batch.step(batch.sample())
        blind.step(blind.sample())
        assert np.array_equal(batch.action_mask, blind.action_mask)


@one_of_each_game
def test_rules_of_thumb_play_in_a_batch_what_they_play_in_each_game(module, options):
    batch = module.batch_env(6, seed=1, **options)
    for _ in range(12):
        twins, masks = batch._states.copy(), batch.action_mask
        single = [batch.game.kernels.best_one(batch.game.tables, twins, i, masks[i]) for i in range(6)]
        actions = batch.best()
        assert actions.tolist() == single
        assert batch._states.tobytes() == twins.tobytes(), "the same random numbers are spent"
        batch.step(actions)


def test_a_batch_needs_a_game():
    with pytest.raises(ValueError, match="num_games = 0"):
        drako_v0.batch_env(0)


@one_of_each_game
def test_some_games_can_be_played_alone(module, options):
    """Chosen games go on as they would among all; the others stay as they are."""
    some, every, chosen = (*(module.batch_env(9, seed=2, **options) for _ in range(2)), np.array([1, 4, 8]))
    others = np.setdiff1d(np.arange(9), chosen)
    for _ in range(200):
        untouched = some.states[others].tobytes()
        some.step(some.sample(games=chosen), chosen)
        assert some.states[others].tobytes() == untouched
        every.step(every.sample())
        assert some.states[chosen].tobytes() == every.states[chosen].tobytes()
        assert np.array_equal(some.observation[chosen], every.observation[chosen])
    assert np.array_equal(some.best(chosen), every.best()[chosen])


def test_the_last_positions_of_finished_games_can_be_had():
    batch, ends = drako_v0.batch_env(20, seed=1), 0
    ended = batch.states.copy()
    for _ in range(300):
        batch.step(batch.sample(), ended=ended)
        assert all(batch.game.state_dict(state)["phase"] == "over" for state in ended[batch.done])
        ends += batch.done.sum()
    assert ends > 5
    with pytest.raises(ValueError, match="ended must be an array like states"):
        batch.step(batch.sample(), ended=ended[:5])
    with pytest.raises(ValueError, match="read-only"):
        batch.states["rng"] = 0


@pytest.mark.parametrize(
    ("games", "error", "says"),
    [
        ([1, 1], ValueError, "ascending order, each of them once"),
        ([2, 1], ValueError, "ascending order, each of them once"),
        ([0, 5], IndexError, "out of bounds"),
        ([True, False], ValueError, "games must be int64 numbers, got bool"),
    ],
)
def test_games_that_cannot_be_meant_are_refused(games, error, says):
    batch = drako_v0.batch_env(5, seed=0)
    before = batch.save()
    with pytest.raises(error, match=says):
        batch.step(np.zeros(2, int), np.array(games))
    assert batch.save() == before


def test_a_view_is_of_the_seat_to_decide():
    batch = drako_v0.batch_env(5, seed=0)
    view = batch.view(3)
    assert view.seat == batch.agent[3]
    assert np.array_equal(view.observation, batch.observation[3])
    assert np.array_equal(view.action_mask, batch.action_mask[3])
    with pytest.raises(IndexError):
        batch.view(5)
