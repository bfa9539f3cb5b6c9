"""What an agent is given: copies of what its seat sees, and whole positions that look the same to it."""

import random

import numpy as np

from drako_env.engine.game import new_masks
from drako_env.engine.view import SeatView
from tests.every_game import one_of_each_game
from tests.play import random_action


def in_play(module, options, decisions=25):
    """A game after some random decisions."""
    game, chance = module.raw_env(**options), random.Random(3)
    game.reset(seed=3)
    for _ in range(decisions):
        game.step(random_action(game, chance))
    return game


def seen_by(game, states, seat):
    """The observation, the legal actions of whoever decides, and all that is known, as bytes."""
    observation, mask, known = np.empty(len(game.observation_high), np.int8), new_masks(game, 1), states.copy()
    game.kernels.observe_one(game.tables, states, 0, seat, observation)
    game.kernels.mask_one(game.tables, states, 0, mask.view(np.int8)[0])
    game.kernels.hide_one(game.tables, known, 0, seat)
    return observation.tobytes(), mask.tobytes(), known.tobytes()


@one_of_each_game
def test_a_view_is_what_the_deciding_seat_sees_of_one_game_of_many(module, options):
    env = in_play(module, options)
    other = in_play(module, options, decisions=9)
    states = np.concatenate([other.position.states, env.position.states])
    before = states.tobytes()
    view, seen = SeatView.of(env.game, states, 1), env.observe(env.agent_selection)
    assert env.game.seats[view.seat] == env.agent_selection
    assert view.observation.tobytes() == seen["observation"].tobytes()
    assert view.action_mask.tobytes() == seen["action_mask"].tobytes()
    assert view.legal() == np.flatnonzero(seen["action_mask"]).tolist()
    assert states.tobytes() == before, "a view holds copies"
    assert not view.known["rng"].any(), "what chance will bring is no part of what is known"


@one_of_each_game
def test_a_determinized_position_is_whole_and_looks_the_same_to_the_seat(module, options):
    """And what is hidden is dealt by chance: other seeds hide other cards or stones."""
    env = in_play(module, options)
    view, deals = env.view(), set()
    for seed in range(12):
        states = view.determinize(seed)
        assert seen_by(env.game, states, view.seat) == seen_by(env.game, env.position.states, view.seat)
        again = env.game.load_state_dict(env.game.state_dict(states[0]))
        again["rng"] = states["rng"][0]
        assert again.tobytes() == states.tobytes(), "a position that a game can come to"
        states["rng"] = 0
        deals.add(states.tobytes())
    assert len(deals) > 3
    assert view.determinize(1).tobytes() == view.determinize(1).tobytes()
