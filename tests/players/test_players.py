"""Players: legal, reproducible, blind to what is hidden, and of some strength."""

import copy
import gc
import itertools
import pickle
import random
from types import SimpleNamespace

import numpy as np
import pytest

from drako_env import drako_v0
from drako_env.drako.game import Drako
from drako_env.drako.rules import Rules
from drako_env.engine.tree import ROOT
from drako_env.engine.view import SeatView
from drako_env.evaluation.match import game_seeds, play_game
from drako_env.players import KNOWN, make_player
from drako_env.players.search import Budget, SearchAgent
from tests.drako.positions import legal, position
from tests.drako.random_games import random_positions
from tests.drako.test_r12_information import redealt

SPECS = ("random", "heuristic", "ismcts:30", "mistakes:0.3:ismcts:20")


def views(seed, count, **options):
    """Some views of random positions, with their games."""
    for game in random_positions(seed, every=13, **options):
        if game.terminations[game.agent_selection]:
            continue
        yield game, game.view()
        count -= 1
        if count == 0:
            return


@pytest.mark.parametrize("spec", SPECS)
def test_every_choice_is_legal_under_any_rules(spec):
    agents = {}
    for game, view in views(1, 150):
        agent = agents.setdefault(id(game.game), make_player(spec, game.game))
        agent.reset(3)
        assert view.action_mask[agent.act(view)]


@pytest.mark.parametrize("spec", SPECS)
def test_the_same_seed_gives_the_same_choice(spec):
    for game, view in views(2, 40):
        first, second = make_player(spec, game.game), make_player(spec, game.game)
        first.reset(5)
        second.reset(5)
        assert [first.act(view) for _ in range(3)] == [second.act(view) for _ in range(3)]


def check_re_dealing(count):
    """Equal views, and so equal choices, whatever the hidden cards are."""
    chance, changed, agents = random.Random(0), 0, {}
    for game, view in views(3, count):
        twin = redealt(game, game.agent_selection, chance)
        other = twin.view()
        changed += twin.state_dict()["hands"] != game.state_dict()["hands"]
        for name in ("observation", "action_mask", "known"):
            assert getattr(view, name).tobytes() == getattr(other, name).tobytes(), name
        for spec in SPECS:
            agent = agents.setdefault((spec, id(game.game)), make_player(spec, game.game))
            agent.reset(9)
            choice = agent.act(view)
            agent.reset(9)
            assert agent.act(other) == choice
    assert changed > count / 3


def test_r12_choices_do_not_depend_on_what_is_hidden():
    check_re_dealing(100)


@pytest.mark.slow
def test_r12_choices_do_not_depend_on_what_is_hidden_in_five_hundred_positions():
    check_re_dealing(500)


def reachable_records(start):
    """Every state record that can be reached from an object by following references, however hidden."""
    seen, todo, records = set(), [start], []
    while todo:
        thing = todo.pop()
        if (
            id(thing) in seen
            or isinstance(thing, type)
            or type(thing).__name__ in ("module", "function", "CPUDispatcher")
        ):
            continue
        seen.add(id(thing))
        if isinstance(thing, np.ndarray):
            records.append(thing)
            if thing.base is not None:
                todo.append(thing.base)
        todo += gc.get_referents(thing)
        todo += list(vars(thing).values()) if hasattr(thing, "__dict__") else []
    return [array for array in records if array.dtype.names and "hand" in array.dtype.names]


def test_a_hostile_agent_finds_no_way_from_its_view_to_the_true_state():
    for game, view in views(4, 20):
        true_hand = game.position.states["hand"][0, 1 - view.seat]
        if not true_hand.any():
            continue
        found = reachable_records(view)
        assert found, "the view's own record is among what can be reached"
        for array in found:
            assert not array["hand"][:, 1 - view.seat].any()
            assert not np.shares_memory(array, game.position.states)
        before = game.position.states.tobytes()
        for array in (view.observation, view.action_mask, view.known):
            array[...] = np.zeros(1, array.dtype)
        assert game.position.states.tobytes() == before


def test_a_view_can_be_completed_in_many_ways():
    game, view = next(views(6, 1, rules="reconstructed"))
    hands = {view.determinize(seed)["hand"][0, 1 - view.seat].tobytes() for seed in range(50)}
    assert len(hands) > 20
    whole = view.determinize(1)
    assert whole["hand"][0, 1 - view.seat].sum() == game.position.states["hand_size"][0, 1 - view.seat]
    assert np.array_equal(whole["hand"][0, view.seat], game.position.states["hand"][0, view.seat])


def test_a_view_is_of_one_game_among_many():
    batch = drako_v0.batch_env(3, seed=0)
    for _ in range(11):
        batch.step(batch.sample())
    for i in range(3):
        view, alone = SeatView.of(batch.game, batch._states, i), SeatView.of(batch.game, batch._states[i : i + 1])
        assert view.seat == batch.agent[i]
        assert view.known.shape == (1,)
        for name in ("observation", "action_mask", "known"):
            assert getattr(view, name).tobytes() == getattr(alone, name).tobytes(), name
        assert view.observation.tobytes() == batch.observation[i].tobytes()
        assert view.action_mask.tobytes() == batch.action_mask[i].tobytes()


def act(game, spec, seed=0):
    agent = make_player(spec, game.game)
    agent.reset(seed)
    names = {i: text for text, i in legal(game).items()}
    return names[agent.act(game.view())]


def test_search_finds_the_killing_blow():
    wounds = {"armor": 4, "flight": 3, "movement": 2, "fire": 1}
    hands = {"dwarves": {"axe-step": 1, "march": 2, "shield": 2}}
    game = position(agent="dwarves", hands=hands, fury=(1, 0), wounds=wounds)
    assert act(game, "ismcts:300") == "play axe-step as attack1"


def test_search_and_heuristic_block_a_strike_that_would_kill():
    game = position(
        agent="dwarves",
        hands={"dwarves": {"great-axe-step": 1}, "dragon": {"walk-scales": 1, "walk": 1}},
        fury=(1, 0),
        wounds={"armor": 4, "flight": 3, "movement": 2},
    )
    game.step(legal(game)["play great-axe-step as attack1"])
    assert act(game, "heuristic") == act(game, "ismcts:200") == "block with walk-scales"


def test_the_heuristic_dragon_takes_the_kill():
    hands = {"dragon": {"bite": 1}}
    game = position(hands=hands, fury=(1, 0), archer=(0, 1), wounds={"archer_dwarf": 1})
    game.step(legal(game)["play bite as attack"])
    assert act(game, "heuristic") == "attack archer"


@pytest.mark.parametrize("seat", [0, 1])
def test_the_heuristic_beats_random(seat):
    game = Drako.of(Rules.load())
    agents = [make_player("heuristic" if seat == i else "random", game) for i in range(2)]
    wins = sum(play_game(game, agents, seed).rewards[seat] > 0 for seed in game_seeds(0, 100))
    assert wins > 90


def test_search_counts_what_it_does():
    game = Drako.of(Rules.load())
    agent = SearchAgent(game, Budget(simulations=500))
    agent.reset(0)
    _, view = next(views(7, 1, rules="reconstructed"))
    agent.act(view)
    assert agent.simulations == 500
    assert agent.decisions[0] > 500
    assert sum(visits for _, visits in agent.opinions()) == 500
    assert {action for action, _ in agent.opinions()} <= set(view.legal())


def test_search_keeps_its_tree_within_a_turn_and_only_there():
    game = position(hands={"dragon": {"walk": 2, "bite": 1, "walk-scales": 2}}, fury=(2, 0))
    agent = SearchAgent(game.game, Budget(simulations=400))
    agent.reset(1)
    kept = forgotten = 0
    for _ in range(12):
        if game.terminations[game.agent_selection]:
            break
        mover = game.agent_selection
        action = agent.act(game.view())
        game.step(action)
        if agent._root != ROOT:
            assert game.agent_selection == mover
            assert agent._tree[agent._root]["action"] == action
            kept += 1
        elif game.agent_selection != mover:
            forgotten += agent._nodes == 1
    assert kept > 2
    assert forgotten > 0


def test_search_by_the_clock(monkeypatch):
    """A clock that goes on by 30 ms whenever it is looked at."""
    ticks = itertools.count()
    monkeypatch.setattr("drako_env.players.search.time", SimpleNamespace(perf_counter=lambda: 0.03 * next(ticks)))
    game = position(hands={"dragon": {"walk": 2, "bite": 1}})
    agent = make_player("ismcts:0.1s", game.game)
    agent.reset(0)
    view = game.view()
    agent.act(view)
    assert agent.simulations == 1 + 3 * agent.CHUNK


@pytest.mark.parametrize(
    "spec",
    ["nosuch", "", "ismcts", "ismcts:", "ismcts:0", "ismcts:-5", "ismcts:s", "ismcts:0s", "random:3", "heuristic:x"],
)
def test_bad_specs_are_named(spec):
    with pytest.raises(ValueError, match="agent") as error:
        make_player(spec, Drako.of(Rules.load()))
    assert spec.partition(":")[0] in str(error.value)
    if spec == "nosuch":
        assert all(name in str(error.value) for name in KNOWN)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))])
@pytest.mark.parametrize(
    "spec", ["random", "heuristic", "ismcts:20", "policy", "puct:8", "knows:8", "mistakes:0.5:tempered:2"]
)
def test_a_copy_plays_as_the_player_does(spec, copied):
    batch = drako_v0.batch_env(10, seed=3)
    agent = make_player(spec, batch.game)
    other = copied(agent)
    for i in range(batch.num_games):
        agent.reset(i)
        expected = agent.act(batch.view(i))
        other.reset(i)
        assert other.act(batch.view(i)) == expected
