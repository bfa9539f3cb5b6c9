"""OpenSpiel walks the same games its own way, and comes to the same information sets, values and strategies."""

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms import cfr, expected_game_score
from open_spiel.python.algorithms import exploitability as spiel_exploitability

import drako_env.openspiel  # noqa: F401 (registers the games)
from drako_env.exact import Solver, build_tree, exploitability, graph, uniform, value
from drako_env.games import make_game
from tests.kuhn.game import Kuhn, Rules

TABLE = "micro"


@pytest.fixture(scope="module")
def tree():
    return build_tree(make_game("drako", rules=TABLE))


@pytest.fixture(scope="module")
def game():
    return pyspiel.load_game(f"python_drako(rules={TABLE})")


@pytest.fixture(scope="module")
def their_uniform(game):
    """The number of their information sets, and what the uniform policy loses."""
    policy = spiel_policy.TabularPolicy(game)
    return len(policy.state_lookup), spiel_exploitability.nash_conv(game, policy)


def ours_of(tree):
    return sum(side.sets for side in tree.sides), exploitability(tree, uniform(tree, 0), uniform(tree, 1))


def test_information_sets_and_exploitability_agree(tree, their_uniform):
    sets, gain = ours_of(tree)
    assert (sets, pytest.approx(gain, abs=1e-9)) == their_uniform


@pytest.mark.slow
def test_a_larger_table_agrees_too():
    game, tree = pyspiel.load_game("python_drako(rules=small)"), build_tree(make_game("drako", rules="small"))
    policy = spiel_policy.TabularPolicy(game)
    sets, gain = ours_of(tree)
    assert sets == len(policy.state_lookup)
    assert gain == pytest.approx(spiel_exploitability.nash_conv(game, policy), abs=1e-9)


def test_the_same_iterations_come_to_the_same_strategies():
    """On Kuhn poker; where moves are worth the same, which of them is chosen hangs on the last bit of a number."""
    game, tree = pyspiel.load_game("kuhn_poker"), build_tree(Kuhn.of(Rules()))
    theirs, ours = cfr.CFRPlusSolver(game), Solver(tree)
    for _ in range(20):
        theirs.evaluate_and_update_policy()
        ours.iterate(1)
        left = spiel_exploitability.nash_conv(game, theirs.average_policy())
        assert exploitability(tree, *ours.average()) == pytest.approx(left, abs=1e-9)


@pytest.mark.slow
def test_their_iterations_come_to_our_value(tree, game):
    """An average strategy that is exploitable by so much is worth the game's value, give or take as much."""
    solver, theirs = Solver(tree), cfr.CFRPlusSolver(game)
    solver.iterate(1000)
    for _ in range(15):
        theirs.evaluate_and_update_policy()
    policy = theirs.average_policy()
    left = spiel_exploitability.nash_conv(game, policy)
    worth = expected_game_score.policy_value(game.new_initial_state(), [policy] * 2)[0]
    assert left < 0.2
    assert worth == pytest.approx(value(tree, *solver.average()), abs=left + 0.001)


def our_lines(side):
    """Of each information set: what the seat has seen at its own decisions, and done. Few sets have the same line: they
    differ in what was seen in between."""
    lines = []
    for parent, view in zip(side.parent.tolist(), side.view.tolist(), strict=True):
        before = (*lines[side.home[parent]], int(side.action[parent])) if parent else ()
        lines.append((*before, view))
    return lines


def their_line(state, known):
    """The same of the seat that decides in a state of OpenSpiel's."""
    walk, seat, line = state.get_game().new_initial_state(), state.current_player(), ()
    for action in [*state.history(), None]:
        if walk.current_player() == seat:
            line += (known[np.ascontiguousarray(walk.observation(seat)).tobytes()],)
            line += () if action is None else (action,)
        if action is not None:
            walk.apply_action(action)
    return line


def as_ours(tree, policy):
    """A policy of OpenSpiel's as strategies of a tree; first it is made the same wherever the own line is the same."""
    known, chances = {row.tobytes(): i for i, row in enumerate(tree.observations)}, {}
    for state in policy.states:
        theirs = policy.policy_for_key(state.information_state_string())
        theirs[:] = chances.setdefault((state.current_player(), their_line(state, known)), theirs.copy())
    strategies = []
    for seat, side in enumerate(tree.sides):
        of_set = np.array([chances[seat, line] for line in our_lines(side)])
        strategies.append(np.append(1.0, of_set[side.home[1:], side.action[1:]]))
    return strategies


@pytest.mark.slow
@pytest.mark.parametrize("solver", [cfr.CFRSolver, cfr.CFRPlusSolver])
def test_what_their_cfr_finds_is_worth_the_same_here(solver, tree, game, their_uniform):
    """Iterations themselves cannot be compared: where all moves are worth the same, regrets are the rounding errors of
    either program, and strategies follow them."""
    theirs = solver(game)
    for _ in range(4):
        theirs.evaluate_and_update_policy()
    policy = theirs.average_policy()
    ours = as_ours(tree, policy)
    left = spiel_exploitability.nash_conv(game, policy)
    worth = expected_game_score.policy_value(game.new_initial_state(), [policy] * 2)[0]
    assert 0.01 < left < their_uniform[1] - 0.1
    assert exploitability(tree, *ours) == pytest.approx(left, abs=1e-9)
    assert value(tree, *ours) == pytest.approx(worth, abs=1e-9)


def merged(looks):
    """Nobody sees anything."""
    return tuple(look * 0 for look in looks)


def split(looks):
    """Positions that look the same are told apart."""
    return tuple(np.arange(len(look)) for look in looks)


@pytest.mark.parametrize(("error", "sign"), [(merged, -1), (split, 1)])
def test_information_sets_that_are_wrong_are_noticed(error, sign, monkeypatch):
    """Who knows less can gain less, and who knows more can gain more."""
    right, game = graph._looks, pyspiel.load_game("kuhn_poker")
    theirs = spiel_policy.TabularPolicy(game)
    gain = spiel_exploitability.nash_conv(game, theirs)
    assert ours_of(build_tree(Kuhn.of(Rules()))) == (len(theirs.state_lookup), pytest.approx(gain))
    monkeypatch.setattr(graph, "_looks", lambda game, states: error(right(game, states)))
    sets, wrong = ours_of(build_tree(Kuhn.of(Rules())))
    assert sets != len(theirs.state_lookup)
    assert sign * (wrong - gain) > 0.05


def test_information_sets_of_drako_that_are_split_are_noticed(their_uniform, monkeypatch):
    right = graph._looks
    monkeypatch.setattr(graph, "_looks", lambda game, states: split(right(game, states)))
    sets, gain = ours_of(build_tree(make_game("drako", rules=TABLE)))
    assert sets > their_uniform[0]
    assert gain > their_uniform[1] + 0.01


@pytest.mark.slow
def test_a_solution_is_one_to_openspiel_too(tree, game):
    """What we find for the present observation is as exploitable there."""
    solver = Solver(tree, by_view=True)
    solver.iterate(2000)
    left = exploitability(tree, *solver.average())
    chances = np.zeros(tree.masks.shape)
    for side, strategy in zip(tree.sides, solver.average(), strict=True):
        chances[side.view[side.home[1:]], side.action[1:]] = strategy[1:]
    known = {row.tobytes(): i for i, row in enumerate(tree.observations)}
    policy = spiel_policy.TabularPolicy(game)
    for state in policy.states:
        seen = np.ascontiguousarray(state.observation(state.current_player())).tobytes()
        policy.policy_for_key(state.information_state_string())[:] = chances[known[seen]]
    assert spiel_exploitability.nash_conv(game, policy) == pytest.approx(left, abs=1e-6)
