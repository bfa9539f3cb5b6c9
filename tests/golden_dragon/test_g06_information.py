"""G6: only the initial order of each holder is hidden. Re-deal all that a seat may not know, and nothing the seat gets
changes by a byte."""

import copy
import random
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import pairwise, permutations

import numpy as np
import pytest

from drako_env import golden_dragon_v0, icarius_v0
from drako_env.envs.seat import SeatGames
from drako_env.games import make_game
from drako_env.golden_dragon import observe
from drako_env.golden_dragon.state import Phase
from drako_env.players import make_player
from tests.golden_dragon.positions import SCOPES, oracle_rules, random_options, random_positions
from tests.oracle import golden_dragon as oracle
from tests.play import random_action

AGENTS = ("random", "heuristic", "ismcts:20")
oracle_rules = cache(oracle_rules)


def hidden_stones(game, seat):
    """How many stones of each holder a seat has not seen, as the reference has it."""
    view = oracle.knowledge(oracle_rules(game.game.rules), game.state_dict(), seat)
    return [holder.count(None) for holder in view["holders"]]


def early_positions(seed):
    """Random games at each decision as long as somebody has something to hide, and at one decision more."""
    chance = random.Random(seed)
    while True:
        module = chance.choice((golden_dragon_v0, golden_dragon_v0, icarius_v0))
        game = module.raw_env(**random_options(chance))
        game.reset(seed=chance.getrandbits(64))
        hiding = True
        while hiding and not game.terminations[game.agent_selection]:
            hiding = game.state_dict()["phase"].startswith("setup") or any(
                sum(hidden_stones(game, seat)) for seat in (0, 1)
            )
            yield game
            game.step(random_action(game, chance))


def redealt(game, seat, chance):
    """The same game with other hidden stones and other random numbers, made without the kernels' own re-dealing."""
    state, viewer = game.state_dict(), game.possible_agents.index(seat)
    winds = list(oracle_rules(game.game.rules).dirs)
    for other, hidden in enumerate(hidden_stones(game, viewer)):
        holder = state["holders"][other]
        unseen = holder[:hidden]
        if state["phase"] == "setup_order" and len(holder) < 5 and other != viewer:
            unseen = [wind for wind in winds if wind != state["under"][other]]
        chance.shuffle(unseen)
        holder[:hidden] = unseen[:hidden]
    twin = copy.deepcopy(game)
    twin.load_state_dict(state)
    twin.position.states["rng"] = chance.getrandbits(63) | 1
    return twin


@cache
def agent_of(spec, game):
    return make_player(spec, game)


def choice_of(spec, view):
    agent = agent_of(spec, view.game)
    agent.reset(7)
    return str(agent.act(view)).encode()


def all_that_reaches(game, seat):
    """Everything that is handed to a seat, and what agents make of it, by name, as bytes."""
    game.render_mode = "ansi"
    observed = game.observe(seat)
    reached = {}
    for viewer in (seat, None):
        game.render_seat = viewer
        reached[f"picture for {viewer and 'seat'}"] = game.render().encode()
    known = game.position.states.copy()
    game.game.kernels.hide_one(game.game.tables, known, 0, game.possible_agents.index(seat))
    reached |= {
        "observation": observed["observation"].tobytes(),
        "mask": observed["action_mask"].tobytes(),
        "infos": repr(game.infos.get(seat)).encode(),
        "decider": game.agent_selection.encode(),
        "rewards": repr((game.rewards, game.terminations, game.truncations)).encode(),
        "known": known.tobytes(),
    }
    if game.agent_selection == seat and not game.terminations[seat]:
        view = game.view()
        reached["view"] = view.observation.tobytes() + view.action_mask.tobytes() + view.known.tobytes()
        reached |= {spec: choice_of(spec, view) for spec in AGENTS}
    return reached


def leaks(game, seat, chance, leak=lambda game: None):
    """By what ways hidden stones reach a seat."""
    twin = redealt(game, seat, chance)
    leak(twin)
    before, after = all_that_reaches(game, seat), all_that_reaches(twin, seat)
    return [name for name in before if before[name] != after.get(name)]


def check_many(states):
    chance, changed = random.Random(0), 0
    for count, game in enumerate(early_positions(seed=12)):
        if count == states:
            break
        for seat in game.possible_agents:
            found = leaks(game, seat, chance)
            assert not found, f"hidden stones reach {seat} through {found}: {game.state_dict()}"
        changed += redealt(game, "player_0", chance).state_dict() != game.state_dict()
    assert changed > states / 3, "re-dealing must really change the hidden stones"
    return changed


def test_g6_nothing_hidden_reaches_a_seat():
    check_many(120)


@pytest.mark.slow
def test_g6_nothing_hidden_reaches_a_seat_in_ten_thousand_states():
    print(f"10,000 states, {check_many(10_000):,} of them with other stones for player_0's eyes")


@pytest.mark.parametrize("scope", SCOPES)
def test_g6_who_is_asked_for_a_veto_hangs_on_public_facts_alone(scope):
    """The same choice in a game with other hidden stones is put to the same seat, until a stone is taken out."""
    chance, asked = random.Random(5), 0
    for game in random_positions(seed=8, games=3, num_players=4, veto_scope=scope):
        state = game.state_dict()
        if state["phase"] not in ("place", "veto") or not any(hidden_stones(game, state["agent"])):
            continue
        original, twin = copy.deepcopy(game), redealt(game, game.agent_selection, chance)
        action = random_action(game, chance)
        for played in (original, twin):
            played.step(action)
        if original.state_dict()["single_moves"] == state["single_moves"]:
            assert leaks(original, original.agent_selection, chance) == []
            assert twin.agent_selection == original.agent_selection
            asked += original.state_dict()["phase"] == "veto"
    assert asked > 10


def test_g6_holds_for_batches_and_learners_too():
    """What a learner gets from a batch does not change when every game's hidden stones are dealt anew."""
    games = SeatGames(make_game("golden_dragon", num_players=3), 100, "player", "random", seed=3)
    batch, changed = games.batch, 0
    for _ in range(15):
        before = batch.observation.tobytes(), batch.action_mask.tobytes(), batch.agent.tobytes()
        holders = batch._states["holder"].copy()
        for i in range(100):
            batch.game.kernels.redeal_one(batch.game.tables, batch._states, i, int(games.seat[i]))
        changed += (batch._states["holder"] != holders).any()
        view = (batch.game.tables, batch._states, batch.observation, batch._mask, batch.agent)
        batch.game.kernels.view_games(*view)
        assert (batch.observation.tobytes(), batch.action_mask.tobytes(), batch.agent.tobytes()) == before
        games.step(batch.sample())
    assert changed > 8


def other_holders(game, seat):
    """What no seat may know: the stones in front of the others' holders."""
    return np.delete(game.position.states["holder"][0], seat, axis=0)[:, 0] + 1


def leak_by_observation(game):
    honest = game.game.kernels

    def leaky(tables, states, i, seat, observation):
        honest.observe_one(tables, states, i, seat, observation)
        observation[: states["holder"].shape[1]] += states["holder"][i, :, 0]

    game.game = type(game.game)(game.game.rules)
    game.game.kernels = replace(honest, observe_one=leaky)
    game.position.game = game.game


def leak_by_mask(game):
    honest = game.observe

    def leaky(agent):
        observed = honest(agent)
        observed["action_mask"][:4] += other_holders(game, game.possible_agents.index(agent))[:4]
        return observed

    game.observe = leaky


def leak_by_infos(game):
    for i, seat in enumerate(game.possible_agents):
        game.infos[seat] = {"digest": other_holders(game, i).tolist()}


def leak_by_picture(game):
    class Leaky(type(game.game)):
        def scene(self, state, seat):
            return super().scene(state, seat) | {"question": f"the holders are {state['holder']}"}

    game.game = Leaky(game.game.rules)


def leak_by_view(game):
    game.game = type(game.game)(game.game.rules)
    game.game.kernels = replace(game.game.kernels, hide_one=lambda *arguments: None)
    game.position.game = game.game


def leak_by_decider(game):
    seat = int(game.position.states["holder"][0, :2, 0].sum()) % len(game.possible_agents)
    game.agent_selection = game.possible_agents[seat]


def leak_by_rewards(game):
    game.rewards = {seat: int(game.position.states["holder"][0, :2, 0].sum()) for seat in game.possible_agents}


@pytest.mark.parametrize(
    ("leak", "ways"),
    [
        (leak_by_observation, "observation"),
        (leak_by_mask, "mask"),
        (leak_by_infos, "infos"),
        (leak_by_picture, "picture for seat, picture for None"),
        (leak_by_view, "known, view"),
        (leak_by_decider, "decider"),
        (leak_by_rewards, "rewards"),
    ],
)
def test_a_planted_leak_is_caught(leak, ways):
    """The check sees each way that hidden stones could take."""
    caught, chance = 0, random.Random(1)
    for count, game in enumerate(early_positions(seed=3)):
        if count == 40:
            break
        leaky = copy.deepcopy(game)
        leak(leaky)
        caught += {*ways.split(", ")} <= {*leaks(leaky, game.agent_selection, chance, leak)}
    assert caught > 5


def test_g6_after_five_single_moves_a_holder_is_known():
    for game in random_positions(seed=4, games=5, every=4):
        state = game.state_dict()
        made = oracle.moves_made(oracle_rules(game.game.rules), state)
        for seat in range(len(game.possible_agents)):
            for other, hidden in enumerate(hidden_stones(game, seat)):
                assert not hidden or (other != seat and made[other] < 5)


def test_g6_re_dealing_is_fair():
    """The kernels' own re-dealing reaches every order of a holder equally often: chi-squared over 120 orders."""
    game = golden_dragon_v0.raw_env()
    game.reset(seed=1)
    while game.state_dict()["phase"] != "storm":
        game.step(random_action(game, random.Random(0)))
    orders, deals = Counter(), 24_000
    for _ in range(deals):
        game.position.redeal(0)
        orders[game.position.states["holder"][0, 1].tobytes()] += 1
    assert len(orders) == 120
    expected = deals / 120
    assert sum((count - expected) ** 2 / expected for count in orders.values()) < 173.6  # 0.1%, 119 degrees


def test_g6_re_dealing_a_holder_that_is_being_filled_reaches_any_stones():
    """Two of the five stones that are not under the dragon, in any order: twenty ways."""
    game, found = golden_dragon_v0.raw_env(), set()
    game.reset(seed=1)
    while game.state_dict()["phase"] != "setup_order" or len(game.state_dict()["holders"][1]) < 2:
        game.step(random_action(game, random.Random(0)))
    before = game.state_dict()
    for _ in range(400):
        game.position.redeal(0)
        holders = game.state_dict()["holders"]
        found.add(tuple(holders[1]))
        assert game.state_dict() | {"holders": None} == before | {"holders": None}
        assert holders[0] == before["holders"][0]
    winds = {name for name, _, _ in game.game.rules.board.winds} - {before["under"][1]}
    assert found == set(permutations(winds, 2))


def unary(count, size):
    return [1] * count + [0] * (size - count)


def one_hot(index, size):
    return [int(i == index) for i in range(size)]


def expected_fields(game, seat):
    """Every field, worked out from what the reference says that a seat knows."""
    rules = oracle_rules(game.game.rules)
    view, winds = oracle.knowledge(rules, game.state_dict(), seat), list(rules.dirs)
    players = [(seat + i) % rules.n_players for i in range(rules.n_players)]
    cells = [list(cell) for cell in game.game.rules.board.cells]

    def wind(name):
        return [int(name == w) for w in winds]

    def by_player(part):
        return [entry for player in players for entry in part(player)]

    def holder(player):
        places = view["holders"][player] + [None] * 5
        return [entry for name in places[:5] for entry in wind(name)]

    def distance(cell):
        return oracle._reach(rules, [tuple(cell)], winds)[rules.goal]

    def ways(player):
        """Nearer, as far, farther: for each wind, as far as the dragon may go there."""
        here = view["positions"][player]
        for name in winds:
            if here is None or not oracle._may_enter(rules, view | {"hand": name}, player):
                yield from (0, 0, 0)
            else:
                gained = distance(here) - distance(oracle._step(here, rules.dirs[name]))
                yield from (int(gained > 0), int(gained == 0), int(gained < 0))

    def how_far(player):
        return unary(min(12, distance(view["positions"][player])) if view["positions"][player] else 0, 12)

    return {
        "distance": by_player(how_far),
        "leads": by_player(ways),
        "cells": by_player(lambda p: [int(cell == view["positions"][p]) for cell in cells]),
        "under": by_player(lambda p: wind(view["under"][p])),
        "holders": by_player(holder),
        "unseen": by_player(
            lambda p: [int(w in view["unseen"][p] and view["phase"] not in EARLY_PHASES) for w in winds]
        ),
        "held": by_player(lambda p: unary(len(view["holders"][p]), 5)),
        "storms": by_player(lambda p: unary(view["storms"][p], 2)),
        "bolts": by_player(lambda p: unary(view["bolts"][p], 2)),
        "seat": one_hot(seat, len(players)),
        "decider": by_player(lambda p: [int(p == view["agent"])]),
        "active": by_player(lambda p: [int(p == view["active"])]),
        "barred": by_player(lambda p: [int(p in view["barred"])]),
        "announced": by_player(lambda p: [int(p == view["announced"])]),
        "phase": one_hot(Phase[view["phase"].upper()], 7),
        "hand": wind(view["hand"]),
        "moves_left": unary(view["moves_left"], 5),
        "time": [100 * view["single_moves"] // rules.max_single_moves],
    }


EARLY_PHASES = ("setup_stone", "setup_side")
"""Nothing is in any holder yet: the field `unseen` is about holders."""


def test_every_field_says_what_the_seat_knows():
    for game in random_positions(seed=21, games=9, every=4):
        for seat, agent in enumerate(game.possible_agents):
            observation, fields = game.observe(agent)["observation"], game.observation_fields
            expected = expected_fields(game, seat)
            assert set(expected) == set(fields)
            for name, values in expected.items():
                assert observation[fields[name]].tolist() == values, (name, seat, game.state_dict())


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_fields_tile_the_observation_and_every_byte_is_written(num_players):
    game = golden_dragon_v0.raw_env(num_players=num_players)
    parts, size = list(game.observation_fields.values()), len(game.game.observation_high)
    assert (parts[0].start, parts[-1].stop) == (0, size)
    assert all(before.stop == after.start for before, after in pairwise(parts))
    for played in random_positions(seed=1, games=1, every=11, num_players=num_players, veto_scope=SCOPES[0]):
        for seat in range(num_players):
            pages = [np.full(size, filling, np.int8) for filling in (0, 77)]
            for page in pages:
                played.game.kernels.observe_one(played.game.tables, played.position.states, 0, seat, page)
            assert np.array_equal(*pages)


def test_the_docstring_lists_every_field_with_its_size():
    rows = [line.split("|")[1:3] for line in observe.__doc__.splitlines() if line.startswith("| `")]
    for num_players in (2, 5):
        game = make_game("golden_dragon", num_players=num_players)
        cells = len(game.rules.board.cells)
        listed = {name.strip(" `"): size.split("*") for name, size in rows}
        sizes = {
            name: int(np.prod([{"P": num_players, "C": cells}.get(f.strip()) or int(f) for f in factors]))
            for name, factors in listed.items()
        }
        assert sizes == {name: part.stop - part.start for name, part in game.observation_fields.items()}
