"""The search of every game: what its tree counts must add up, whatever it finds."""

from collections import Counter

import numpy as np
import pytest

from drako_env.engine.game import new_masks, new_states
from drako_env.engine.tree import NODE, NONE, ROOT
from drako_env.engine.view import SeatView
from drako_env.games import make_game
from tests.drako.positions import position as drako_position
from tests.drako.random_games import TABLES
from tests.golden_dragon.positions import NO_STORM, STORM
from tests.golden_dragon.positions import position as golden_dragon_position

GAMES = [
    ("drako", {"rules": TABLES[1], "exchange": False}),
    ("golden_dragon", {"num_players": 2, "max_single_moves": 30}),
]
every_two_player_game = pytest.mark.parametrize(("name", "options"), GAMES)
EXPLORATION = 0.7


def after_random_decisions(name, options, decisions):
    """The view of whoever decides then."""
    game, actions = make_game(name, **options), np.zeros(1, np.int64)
    states, masks = new_states(game, 1), new_masks(game, 1)
    states["rng"] = 1
    game.kernels.deal_one(game.tables, states, 0, masks.view(np.int8)[0])
    for _ in range(decisions):
        game.kernels.sample_games(states, np.zeros(1, np.int64), masks, actions)
        game.kernels.play_one(game.tables, states, 0, int(actions[0]), masks.view(np.int8)[0])
    return SeatView.of(game, states)


class Search:
    """A search from what a seat knows."""

    def __init__(self, view, size=2000):
        self.game, self.view, self.known = view.game, view, view.seeded(1)
        self.tree, self.nodes, self.decisions = np.zeros(size, NODE), 1, np.zeros(1, np.int64)
        self.tree[ROOT] = (NONE, NONE, NONE, NONE, NONE, 0, 1, 0.0, 0.0, 0.0)

    def simulate(self, count):
        words = new_masks(self.game, 1)
        scratch = new_states(self.game, 1), words[0], words.view(np.int8)[0]
        reward = np.zeros(len(self.game.seats), np.float32)
        tree = self.tree, self.nodes, ROOT, count, EXPLORATION, reward, self.decisions
        self.nodes = self.game.kernels.search_one(self.game.tables, self.known, *scratch, *tree)
        return self

    def children(self, node):
        """The newest first."""
        found, child = [], self.tree[node]["first_child"]
        while child != NONE:
            found.append(int(child))
            child = self.tree[child]["next_sibling"]
        return found


def own_results(tree, node, children):
    """The simulations that ended at a node, and how many of them its mover won, given two players."""
    n, below = tree[node], [tree[child] for child in children]
    wins = sum(c["wins"] if c["mover"] == n["mover"] else c["visits"] - c["wins"] for c in below)
    return int(n["visits"] - sum(c["visits"] for c in below)), float(n["wins"] - wins)


@every_two_player_game
@pytest.mark.parametrize("decisions", [0, 9])
def test_visits_wins_and_availability_add_up(name, options, decisions):
    search = Search(after_random_decisions(name, options, decisions)).simulate(150)
    tree, seen = search.tree, []
    assert tree[ROOT]["visits"] == 150
    assert search.nodes == 151, "every simulation adds one node"
    for node in range(search.nodes):
        children = search.children(node)
        seen += children
        ended, won = own_results(tree, node, children)
        if node != ROOT:
            assert ended >= 1, "the simulation that added it ended there"
            assert 0 <= won <= ended
            assert tree[node]["visits"] <= tree[node]["available"]
        assert children == sorted(children, reverse=True)
        assert all(tree[child]["parent"] == node for child in children)
        assert len({int(tree[child]["action"]) for child in children}) == len(children)
        assert all(tree[child]["available"] <= tree[node]["visits"] for child in children)
    assert sorted(seen) == list(range(1, search.nodes))
    assert {int(tree[child]["mover"]) for child in search.children(ROOT)} == {search.view.seat}
    assert {int(tree[child]["action"]) for child in search.children(ROOT)} <= set(search.view.legal())


@every_two_player_game
def test_at_the_root_an_action_is_available_in_every_simulation_since_it_was_added(name, options):
    """Which also tells when it was added: a second one at the first visit, a third at the second, the k-th as soon as
    (k - 1)^2 <= 4 visits."""
    search = Search(after_random_decisions(name, options, 0)).simulate(60)
    added = [0]
    for visits in range(1, 60):
        if len(added) ** 2 <= 4 * visits and len(added) < len(search.view.legal()):
            added.append(visits)
    available = [int(search.tree[child]["available"]) for child in reversed(search.children(ROOT))]
    assert len(available) > 3
    assert available == [60 - visits for visits in added]


@every_two_player_game
def test_a_search_goes_on_where_it_stopped(name, options):
    """In one piece or in two: the random numbers go on in the record, and nothing else of it changes."""
    view = after_random_decisions(name, options, 9)
    whole, parts = Search(view).simulate(50), Search(view)
    before = parts.known.copy()
    parts.simulate(20)
    assert (parts.known["rng"] != before["rng"]).all()
    parts.simulate(30)
    assert parts.nodes == whole.nodes
    assert parts.tree.tobytes() == whole.tree.tobytes()
    assert parts.known.tobytes() == whole.known.tobytes()
    assert parts.decisions == whole.decisions
    parts.known["rng"] = before["rng"]
    assert parts.known.tobytes() == before.tobytes()


@every_two_player_game
def test_a_full_tree_is_searched_on(name, options):
    search = Search(after_random_decisions(name, options, 9), size=4).simulate(50)
    assert search.nodes == 4
    assert search.tree[ROOT]["visits"] == 50
    for node in range(1, 4):
        ended, won = own_results(search.tree, node, search.children(node))
        assert 0 <= won <= ended


def results(search):
    """Of the root's children: action, visits, wins."""
    rows = [search.tree[child] for child in search.children(ROOT)]
    return {search.game.action_text(int(c["action"])): (int(c["visits"]), float(c["wins"])) for c in rows}


def test_when_every_decision_ends_the_game_each_simulation_is_one_decision():
    """The dwarves' last card loses (R5.7); the last single move of a game is a draw (G7)."""
    last_card = drako_position(
        agent="dwarves", hands={"dwarves": {"crossbow": 1}}, decks={"dwarves": {}}, fury_used=True
    )
    search = Search(last_card.view()).simulate(25)
    assert results(search) == {"discard crossbow": (25, 0)}
    assert search.decisions[0] == 25
    last_move = golden_dragon_position(hand="S", single_moves=599, bolts=[0, 0, 0])
    search = Search(last_move.view()).simulate(25)
    assert sum(visits for visits, _ in results(search).values()) == 25
    assert len(results(search)) == 3
    assert all(wins == visits / 2 for visits, wins in results(search).values())
    assert search.decisions[0] == 25


def share_won(game):
    """How many of the simulations through the first action its mover wins, when the tree holds no other."""
    search = Search(game.view(), size=2).simulate(400)
    ((visits, wins),) = results(search).values()
    assert visits == 400
    assert search.decisions[0] == 2 * visits, "one in the tree, one in the play-out"
    return wins / visits


def test_play_outs_take_the_better_of_two_random_actions():
    """The dragon blocks the killing strike, unless it draws "take" both times. The third dragon reaches the goal,
    unless it is not drawn in two draws from three; else the game is a draw."""
    wounds, hands = {"armor": 4, "flight": 3, "movement": 2}, {"dwarves": {"great-axe-step": 1}}
    hands, nothing = hands | {"dragon": {"walk-scales": 1}}, {"dragon": {}, "dwarves": {}}
    strike = drako_position(agent="dwarves", hands=hands, decks=nothing, fury=(1, 0), wounds=wounds, fury_used=True)
    assert share_won(strike) == pytest.approx(1 / 4, abs=0.06)
    near = {"active": 1, "first": ["S"], "cells": [(0, 5), (7, 5), (0, 6)], "bolts": [0, 0, 0]}
    goal = golden_dragon_position(**near, single_moves=599)
    assert share_won(goal) == pytest.approx(5 / 9 + 4 / 9 / 2, abs=0.04)


def test_the_search_tries_first_what_looks_best_at_first_glance():
    """A storm brings the dragon to the goal with the fourth stone: rules of thumb that plan the turn play it, but the
    search goes by the next stone alone, and looks ahead by itself."""
    game = golden_dragon_position(first=["W", "S", "S", "S", "N"], cells=[(5, 6), (0, 4), (0, 6)])
    view = game.view()
    planned = game.game.kernels.best_one(game.game.tables, view.seeded(0), 0, view.action_mask)
    assert game.game.action_text(planned) == STORM
    assert list(results(Search(view, size=2).simulate(1))) == [NO_STORM]


@every_two_player_game
def test_among_equally_good_actions_chance_decides_evenly(name, options):
    """Three places for the last dwarf are best, three stones for the front of the holder."""
    view, chosen = after_random_decisions(name, options, 2), Counter()
    for seed in range(600):
        chosen[view.game.kernels.best_one(view.game.tables, view.seeded(seed), 0, view.action_mask)] += 1
    assert len(chosen) == 3
    assert min(chosen.values()) > 160
