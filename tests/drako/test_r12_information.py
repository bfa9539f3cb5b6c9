"""R12: re-deal all that a seat may not know, and nothing the seat gets changes by a byte."""

import copy
import itertools
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from drako_env.drako.game import Drako
from drako_env.drako.rules import Rules
from drako_env.envs.seat import SeatGames
from tests.drako.random_games import random_positions

SIDES = {"dragon_0": "dragon", "dwarves_0": "dwarves"}


def redealt(game, seat, chance):
    """The same game with other hidden cards and other random numbers, made without the kernels' own re-dealing."""
    state = game.state_dict()
    (other,) = {"dragon", "dwarves"} - {SIDES[seat]}
    unseen = list((Counter(state["hands"][other]) + Counter(state["decks"][other])).elements())
    chance.shuffle(unseen)
    size = sum(state["hands"][other].values())
    state["hands"][other] = dict(Counter(unseen[:size]))
    state["decks"][other] = dict(Counter(unseen[size:]))
    twin = copy.deepcopy(game)
    twin.load_state_dict(state)
    twin.position.states["rng"] = chance.getrandbits(63) | 1
    return twin


def all_that_reaches(game, seat):
    """Everything an environment hands to a seat, by name, as bytes."""
    observed = game.observe(seat)
    pictures = {}
    for game.render_mode, game.render_seat in itertools.product(("ansi", "svg"), (seat, None)):
        pictures[f"{game.render_mode} for {game.render_seat}"] = game.render().encode()
    return pictures | {
        "observation": observed["observation"].tobytes(),
        "mask": observed["action_mask"].tobytes(),
        "infos": repr(game.infos.get(seat)).encode(),
        "decider": game.agent_selection.encode(),
        "rewards": repr((game.rewards, game.terminations, game.truncations)).encode(),
    }


def check(game, seat, chance):
    """R12.3."""
    before = all_that_reaches(game, seat)
    twin = redealt(game, seat, chance)
    after = all_that_reaches(twin, seat)
    leaks = [name for name in before if before[name] != after[name]]
    assert not leaks, f"hidden cards reach {seat} through {leaks}"


def check_many(states):
    chance = random.Random(0)
    changed = 0
    for count, game in enumerate(random_positions(seed=12, every=9)):
        if count == states:
            break
        for seat in game.possible_agents:
            check(game, seat, chance)
        changed += redealt(game, "dragon_0", chance).state_dict()["hands"] != game.state_dict()["hands"]
    assert changed > states / 3, "re-dealing must really change the hidden hands"


def test_r12_3_nothing_hidden_reaches_a_seat():
    check_many(600)


@pytest.mark.slow
def test_r12_3_nothing_hidden_reaches_a_seat_in_ten_thousand_states():
    check_many(10_000)


@pytest.mark.parametrize("seat", [0, 1])
def test_r12_3_holds_for_batches_and_seats_too(seat):
    """What a learner gets from a batch does not change when every game's hidden cards are dealt anew."""
    games = SeatGames(Drako.of(Rules.load()), 200, tuple(SIDES)[seat], "random", seed=3)
    for _ in range(12):
        batch = games.batch
        before = batch.observation.tobytes(), batch.action_mask.tobytes(), batch.agent.tobytes()
        hands = batch._states["hand"].copy()
        for i in range(200):
            batch.game.kernels.redeal_one(batch.game.tables, batch._states, i, seat)
        assert (batch._states["hand"] != hands).any()
        view = (batch.game.tables, batch._states, batch.observation, batch._mask, batch.agent)
        batch.game.kernels.view_games(*view)
        assert (batch.observation.tobytes(), batch.action_mask.tobytes(), batch.agent.tobytes()) == before
        for _ in range(7):
            games.step(batch.sample())


def leak_by_observation(game):
    honest = game.game.kernels

    def leaky(tables, states, i, seat, observation):
        honest.observe_one(tables, states, i, seat, observation)
        observation[game.observation_fields["opponent_unseen"]][:4] = states["hand"][i, 1 - seat, :4]

    game.game = type(game.game)(game.game.rules)
    game.game.kernels = replace(honest, observe_one=leaky)
    game.position.game = game.game


def leak_by_mask(game):
    honest = game.observe

    def leaky(agent):
        observed = honest(agent)
        seat = game.possible_agents.index(agent)
        observed["action_mask"][:4] |= (game.position.states["hand"][0, 1 - seat, :4] > 0).astype(np.int8)
        return observed

    game.observe = leaky


def leak_by_infos(game):
    for seat in game.possible_agents:
        game.infos[seat] = {"digest": hash(game.position.states["hand"].tobytes())}


def leak_by_picture(game):
    honest = game.game.scene

    class Leaky(type(game.game)):
        def scene(self, state, seat):
            hand = super().state_dict(state)["hands"]["dwarves"]
            return honest(state, seat) | {"question": f"the dwarves hold {hand}"}

    game.game = Leaky(game.game.rules)


def leak_by_svg(game):
    class Leaky(type(game.game)):
        def scene(self, state, seat):
            return super().scene(state, seat) | {"hidden": super().state_dict(state)["hands"]["dwarves"]}

        def picture(self, scene):
            return super().picture(scene) + f"<!-- {scene['hidden']} -->"

    game.game = Leaky(game.game.rules)


@pytest.mark.parametrize("leak", [leak_by_observation, leak_by_mask, leak_by_infos, leak_by_picture, leak_by_svg])
def test_a_planted_leak_is_caught(leak, monkeypatch):
    """The check sees each way that hidden cards could take."""
    honest_redealt = redealt

    def redealt_with_leak(game, seat, chance):
        twin = honest_redealt(game, seat, chance)
        leak(twin)
        return twin

    monkeypatch.setattr(f"{__name__}.redealt", redealt_with_leak)
    caught = 0
    chance = random.Random(1)
    for game in random_positions(seed=3, games=4, every=5):
        leaky = copy.deepcopy(game)
        leak(leaky)
        try:
            check(leaky, "dragon_0", chance)
        except AssertionError as error:
            caught += "hidden cards reach dragon_0" in str(error)
    assert caught > 5


def test_r12_2_re_dealing_looks_the_same_and_is_fair():
    """The kernels' own re-dealing keeps all that the seat knows, and reaches every hidden hand."""
    hands, size, share = Counter(), 0, {}
    for game in random_positions(seed=5, games=3, every=11, rules="reconstructed"):
        seen = all_that_reaches(game, "dragon_0")
        twin = copy.deepcopy(game)
        for _ in range(20):
            twin.position.redeal(0)
            assert all_that_reaches(twin, "dragon_0") == seen
    game.reset(seed=1)
    unseen = game.game.rules.dwarves_deck
    for _ in range(5000):
        game.position.redeal(0)
        hand = game.state_dict()["hands"]["dwarves"]
        hands.update(hand)
        size = sum(hand.values())
    share = {card.name: hands[card.name] / (5000 * size * card.copies / 38) for card in unseen}
    assert size == 4
    assert all(0.85 < ratio < 1.15 for ratio in share.values()), share
