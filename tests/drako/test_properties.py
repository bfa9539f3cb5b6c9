"""What holds at every step of every game."""

import copy
import pickle
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drako_env import drako_v0
from drako_env.drako.game import Drako
from drako_env.drako.rules import Rules
from drako_env.drako.state import Phase
from drako_env.engine.game import new_masks, new_states
from drako_env.engine.loops import OVER
from drako_env.engine.rng import seed_words
from tests.drako.random_games import random_action, random_positions

MAX_DECISIONS = 400
SEEDS = st.integers(0, 2**64 - 1)


def play_on(game, chance, decisions):
    """Some random decisions; returns everything a player could notice."""
    seen = []
    for _ in range(decisions):
        if game.terminations[game.agent_selection]:
            break
        game.step(random_action(game, chance))
        seen += [
            game.observe(seat)[part].tobytes()
            for seat in game.possible_agents
            for part in ("observation", "action_mask")
        ]
        seen.append(str(game.rewards))
    return seen


@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_invariants_along_a_game(seed):
    decisions = 0
    for game in random_positions(seed, games=1):
        decisions += 1
        state, rules = game.state_dict(), game.game.rules
        for side, deck in zip(("dragon", "dwarves"), rules.decks, strict=True):
            piles = [state[pile][side] for pile in ("hands", "decks", "discards")]
            for card in deck:
                assert sum(pile.get(card.name, 0) for pile in piles) == card.copies, "R3.3: cards are conserved"
            assert sum(state["hands"][side].values()) <= rules.hand_limit or state["phase"] == "discard", "R5.3"
        places = [state["dragon"]["hex"], *(dwarf["hex"] for dwarf in state["dwarves"].values())]
        standing = [tuple(place) for place in places if place]
        assert len(set(standing)) == len(standing), "R1.3: one figure a hex"
        mask = game.observe(game.agent_selection)["action_mask"]
        assert mask.any() == (state["phase"] != "over")
        assert (state["winner"] is None) == (state["phase"] != "over")
        others = [seat for seat in game.possible_agents if seat != game.agent_selection]
        assert not any(game.observe(seat)["action_mask"].any() for seat in others)
        for seat in game.possible_agents:
            assert game.observation_space(seat).contains(game.observe(seat))
    assert decisions <= MAX_DECISIONS


@given(SEEDS)
@settings(max_examples=40, deadline=None)
def test_load_state_dict_of_state_dict_is_the_identity(seed):
    for game in random_positions(seed, games=1, every=7):
        fresh = copy.deepcopy(game)
        fresh.load_state_dict(game.state_dict())
        assert fresh.position.states.tobytes() == game.position.states.tobytes()
        assert fresh.agent_selection == game.agent_selection
        assert fresh.rewards == game.rewards
        for seat in game.possible_agents:
            for part in ("observation", "action_mask"):
                assert np.array_equal(fresh.observe(seat)[part], game.observe(seat)[part])


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
@pytest.mark.parametrize("phase", [phase.name.lower() for phase in Phase if phase != Phase.OVER])
@pytest.mark.parametrize("wrapped", [False, True])
def test_copies_continue_identically_from_any_phase(duplicate, phase, wrapped):
    chance = random.Random(phase)
    game = drako_v0.env() if wrapped else drako_v0.raw_env()
    game.reset(seed=chance.getrandbits(64))
    while game.unwrapped.state_dict()["phase"] != phase:
        if game.terminations[game.agent_selection]:
            game.reset()
        else:
            game.step(random_action(game, chance))
    original_record = game.unwrapped.position.states.tobytes()
    twin = duplicate(game)
    after = play_on(twin, random.Random(1), 40)
    assert game.unwrapped.position.states.tobytes() == original_record, "the copy is independent"
    assert play_on(game, random.Random(1), 40) == after


def test_action_ids_and_dictionaries_are_inverse():
    for options in ({}, {"radius": 3}, {"rules": "tests/drako/skirmish.toml"}):
        game = drako_v0.raw_env(**options)
        actions = [game.action_dict(i) for i in range(game.action_space("dragon_0").n)]
        assert [game.action_id(action) for action in actions] == list(range(len(actions)))


def test_a_seed_is_a_game_and_seeds_differ():
    def hands(seed):
        game = drako_v0.raw_env()
        game.reset(seed=seed)
        return str(game.state_dict()["hands"])

    assert hands(5) == hands(5)
    assert len({hands(seed) for seed in range(300)}) > 280


def test_a_reset_without_seed_goes_on_in_the_stream_of_the_last():
    first, second = drako_v0.raw_env(), drako_v0.raw_env()
    first.reset(seed=1)
    second.reset(seed=1)
    start = first.state_dict()
    first.reset()
    second.reset()
    assert first.state_dict() == second.state_dict() != start


def test_dealing_is_fair():
    """Each card of the deck is equally likely to be drawn: chi-squared over 20,000 hands."""
    game = Drako.of(Rules.load())
    states, counts, mask = new_states(game, 1), np.zeros(11), new_masks(game, 1).view(np.int8)[0]
    states["rng"] = seed_words(np.array([7], np.uint64))
    hands = 20_000
    for _ in range(hands):
        game.kernels.deal_one(game.tables, states, 0, mask)
        counts += states["hand"][0, 0, :11]
    expected = hands * 4 * np.array([card.copies for card in game.rules.dragon_deck]) / 38
    assert ((counts - expected) ** 2 / expected).sum() < 29.6  # 0.1% of the chi-squared distribution, 10 degrees


def random_game_length(game, states, mask, chance):
    """One random game by the kernels alone."""
    game.kernels.deal_one(game.tables, states, 0, mask)
    decisions, agent = 0, 0
    while agent != OVER:
        legal = mask.nonzero()[0]
        agent = game.kernels.play_one(game.tables, states, 0, int(legal[int(chance.random() * len(legal))]), mask)
        decisions += 1
    return decisions


@pytest.mark.slow
def test_a_hundred_thousand_games_end_within_four_hundred_decisions():
    chance = random.Random(0)
    game = Drako.of(Rules.load())
    states, mask = new_states(game, 1), new_masks(game, 1).view(np.int8)[0]
    states["rng"] = seed_words(np.array([0], np.uint64))
    lengths = [random_game_length(game, states, mask, chance) for _ in range(100_000)]
    print(f"longest {max(lengths)}, mean {np.mean(lengths):.1f} decisions")
    assert max(lengths) <= MAX_DECISIONS
