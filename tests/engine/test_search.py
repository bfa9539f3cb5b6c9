"""The search of every game: what its tree counts must add up, whatever it finds."""

import numpy as np
import pytest

from drako_env.engine.game import new_masks, new_states
from drako_env.engine.tree import NODE, NONE, ROOT
from drako_env.engine.view import SeatView
from drako_env.games import make_game
from tests.drako.random_games import TABLES

GAMES = [
    ("drako", {"rules": TABLES[1], "exchange": False}),
    ("golden_dragon", {"num_players": 2, "max_single_moves": 30}),
]
every_two_player_game = pytest.mark.parametrize(("name", "options"), GAMES)
EXPLORATION = 0.7


class Search:
    """A search from what the first seat knows after some random decisions."""

    def __init__(self, name, options, decisions=0, seed=1, size=2000):
        self.game = make_game(name, **options)
        states, masks = new_states(self.game, 1), new_masks(self.game, 1)
        states["rng"], actions = [[seed, seed]], np.zeros(1, np.int64)
        mask = masks.view(np.int8)[0]
        self.game.kernels.deal_one(self.game.tables, states, 0, mask)
        for _ in range(decisions):
            self.game.kernels.sample_games(states, np.zeros(1, np.int64), masks, actions)
            self.game.kernels.play_one(self.game.tables, states, 0, int(actions[0]), mask)
        self.view = SeatView.of(self.game, states)
        self.known = self.view.seeded(seed)
        self.tree, self.nodes, self.decisions = np.zeros(size, NODE), 1, np.zeros(1, np.int64)
        self.tree[ROOT] = (NONE, NONE, NONE, NONE, NONE, 0, 1, 0.0)

    def simulate(self, count):
        words = new_masks(self.game, 1)
        scratch = new_states(self.game, 1), words[0], words.view(np.int8)[0]
        tree = self.tree, self.nodes, ROOT, count, EXPLORATION, self.decisions
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
    search = Search(name, options, decisions).simulate(150)
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
    search = Search(name, options).simulate(60)
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
    whole, parts = Search(name, options, 9).simulate(50), Search(name, options, 9)
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
    search = Search(name, options, 9, size=4).simulate(50)
    assert search.nodes == 4
    assert search.tree[ROOT]["visits"] == 50
    for node in range(1, 4):
        ended, won = own_results(search.tree, node, search.children(node))
        assert 0 <= won <= ended
