"""The games in OpenSpiel: its own checks, the kernels move by move, exact play, and nothing hidden told."""

import random
import unittest
import zlib
from pathlib import Path

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel: pip install 'drako-env[openspiel]'")

from open_spiel.integration_tests import api_test
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import generate_playthrough, ismcts, mcts
from open_spiel.python.tests import games_sim_test

import drako_env.openspiel  # noqa: F401 (registers the games)
from drako_env.drako.chance import CardChance
from drako_env.drako.game import Drako
from drako_env.envs.aec import GameEnv
from drako_env.exact import all_deals, best_response, build_tree
from drako_env.games import make_game
from drako_env.golden_dragon.game import GoldenDragon

DUEL = Path(__file__).parent / "duel.toml"
GAMES = [
    "python_drako",
    "python_drako(exchange=False,placement=first_game)",
    "python_drako(discard_action=always,edition=2019,fury_may_kill=1,radius=3)",
    *(f"python_golden_dragon(num_players={n})" for n in (2, 3, 4, 5)),
    "python_icarius(num_players=3,veto_scope=any_opponent)",
]
ONE_OF_EACH = [GAMES[0], GAMES[4], GAMES[-1]]
every_game = pytest.mark.parametrize("name", GAMES)
one_of_each_game = pytest.mark.parametrize("name", ONE_OF_EACH)


def positions(game, seed, games):
    """The states of random games, the last ones included."""
    chance = random.Random(seed)
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            yield state
            state.apply_action(random_move(state, chance))
        yield state


def random_move(state, chance):
    if state.is_chance_node():
        outcomes, weights = zip(*state.chance_outcomes(), strict=True)
        return chance.choices(outcomes, weights)[0]
    return chance.choice(state.legal_actions())


# OpenSpiel's own checks


@every_game
def test_random_sim_test_with_serialisation(name, capfd):
    pyspiel.random_sim_test(pyspiel.load_game(name), 2, True, False)


def run_cases(base, name, game):
    case = type(base.__name__, (base,), {"game": game, "game_name": name})
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun > 3
    assert not result.failures + result.errors, (result.failures + result.errors)[0][1]


@one_of_each_game
def test_the_api_test_on_parts_of_the_tree(name):
    run_cases(api_test.EnforceAPIOnPartialTreeBase, name, pyspiel.load_game(name))


def test_the_api_test_on_a_whole_tree(monkeypatch):
    """Perfect recall among others. The counts are ours: as many decisions as our tree has positions."""
    tree = build_tree(make_game("drako", rules=str(DUEL)))
    decisions = sum(side.sets for side in tree.sides)
    ends = len(tree.payoffs[0].worth)  # both together know every deal of this table: no two ends are taken as one
    game = pyspiel.load_game("python_drako", {"rules": str(DUEL)})
    chance_nodes = sum(1 for state in all_states(game.new_initial_state()) if state.is_chance_node())
    monkeypatch.setitem(api_test.TOTAL_NUM_STATES, "duel", (chance_nodes, tree.size, ends))
    monkeypatch.setitem(api_test.PERFECT_RECALL_NUM_STATES, "duel", decisions)
    run_cases(api_test.EnforceAPIOnFullTreeBase, "duel", game)


def all_states(state):
    yield state
    if not state.is_terminal():
        for action in state.legal_actions():
            yield from all_states(state.child(action))


@one_of_each_game
def test_the_python_simulation_test(name, capsys):
    games_sim_test.GamesSimTest().sim_game(pyspiel.load_game(name))


def check_playthrough(name):
    assert "InformationStateString(1) = " in generate_playthrough.playthrough(name, None, seed=1)


@pytest.mark.parametrize("name", ["python_drako(rules=tiny)", "python_golden_dragon(max_single_moves=12)"])
def test_the_playthrough_generator(name):
    check_playthrough(name)


@pytest.mark.slow
@every_game
def test_the_playthrough_generator_on_whole_games(name):
    check_playthrough(name)


@pytest.mark.parametrize("name", ["python_drako(rules=tiny)", *ONE_OF_EACH])
def test_ismcts_plays(name):
    game, chance = pyspiel.load_game(name), random.Random(1)
    numbers = np.random.RandomState(1)
    bots = [
        ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, numbers), 2.0, 4, random_state=numbers)
        for _ in range(game.num_players())
    ]
    state = game.new_initial_state()
    decisions = 0
    while not state.is_terminal() and decisions < 20:
        searching = not state.is_chance_node()
        move = bots[state.current_player()].step(state) if searching else random_move(state, chance)
        decisions += searching
        assert move in state.legal_actions()
        state.apply_action(move)
    assert decisions > 3


def test_the_search_in_c_plus_plus_is_refused():
    """It crashes with every game that is written in Python."""
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.ISMCTSBot(1, evaluator, 1.0, 10)
    state = next(state for state in positions(pyspiel.load_game("python_drako"), 1, 1) if not state.is_chance_node())
    for ask in (bot.step, bot.step_with_policy, bot.get_policy):
        with pytest.raises(TypeError, match="ISMCTSBot plays them"):
            ask(state)
    poker = pyspiel.load_game("kuhn_poker").new_initial_state()
    poker.apply_action(0)
    poker.apply_action(1)
    assert bot.step(poker) in poker.legal_actions(), "games of its own it plays as ever"


@every_game
def test_tensors_are_from_0_to_1_and_tell_events_apart(name):
    game = pyspiel.load_game(name)
    for count, state in enumerate(positions(game, 1, 1)):
        for player in range(game.num_players() * (count % 7 == 0)):
            for tensor in (state.observation_tensor(player), state.information_state_tensor(player)):
                assert 0 <= min(tensor) <= max(tensor) <= 1
    observer = game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=True))
    observer.set_from(state, 0)
    events = state.events(0)
    assert len(set(observer.dict["history"][: len(events)].tolist())) == len(set(events.tolist())) > 5
    assert not observer.dict["history"][len(events) :].any()


# Against the kernels


def outcome_that_gives(state, dealt):
    """The number of the outcome that draws what the kernel drew."""
    waiting = state.position.state
    missing = waiting["hand_size"] - waiting["hand"].sum(axis=1)
    seat = int(missing[0] == 0)
    kinds = np.repeat(np.arange(waiting["hand"].shape[1]), dealt["hand"][seat] - waiting["hand"][seat])
    (number,) = (n for n, _ in state.chance_outcomes() if state._game.chance.draws[n] == tuple(kinds.tolist()))
    return number


def check_move_by_move(name, games):
    game, chance = pyspiel.load_game(name), random.Random(2)
    env = GameEnv(game.game)
    for seed in range(games):
        env.reset(seed=seed)
        state = game.new_initial_state()
        while True:
            while state.is_chance_node():
                state.apply_action(outcome_that_gives(state, env.position.state))
            assert state._game.state_dict(state.position.state) == env.state_dict()
            if state.is_terminal():
                break
            seat = env.agent_selection
            seen = env.observe(seat)
            assert env.possible_agents[state.current_player()] == seat
            assert state.legal_actions_mask() == seen["action_mask"].tolist()
            assert state.observation_tensor() == game.game.normalized(seen["observation"]).tolist()
            action = chance.choice(state.legal_actions())
            state.apply_action(action)
            env.step(action)
        assert state.returns() == [env.rewards[seat] for seat in env.possible_agents]


@every_game
def test_adapter_and_kernel_agree_move_by_move(name):
    check_move_by_move(name, 3)


@pytest.mark.slow
@every_game
def test_adapter_and_kernel_agree_move_by_move_in_a_thousand_games(name):
    check_move_by_move(name, 1000 // len(GAMES))


def test_the_chances_of_the_deals_are_exact():
    game = pyspiel.load_game("python_drako(rules=tiny)")
    states, expected = all_deals(game.game, 100)
    found = {}
    root = game.new_initial_state()
    for first, p in root.chance_outcomes():
        dealt = root.child(first)
        for second, q in dealt.chance_outcomes():
            found[dealt.child(second).position.states["hand"].tobytes()] = p * q
    assert found == pytest.approx({s["hand"].tobytes(): p for s, p in zip(states, expected, strict=True)})


def test_draws_come_as_often_as_their_chances_say():
    """Against every order of the deck."""
    chance = Drako.of(make_game("drako").rules).chance
    deck, count = (3, 0, 2, 1), 2
    cards = np.repeat(np.arange(4), deck).tolist()
    pairs = [tuple(sorted((cards[i], cards[j]))) for i in range(6) for j in range(6) if i != j]
    expected = {chance.numbers[pair]: pairs.count(pair) / len(pairs) for pair in set(pairs)}
    assert dict(chance._outcomes(deck, count)) == pytest.approx(expected)


# Exact play


def chances(observation, count, seed):
    """What a pseudo-random policy does on an observation with so many legal actions; seed 0 is uniform."""
    weights = np.random.default_rng([seed, zlib.crc32(observation.tobytes())]).random(count) ** (6 * (seed > 0))
    return weights / weights.sum()


def our_policy(seed):
    def policy(observations, masks):
        table = np.zeros(masks.shape)
        for row, (observation, mask) in enumerate(zip(observations, masks, strict=True)):
            table[row, mask == 1] = chances(observation, mask.sum(), seed)
        return table

    return policy


def their_policies(game, seeds):
    """The same as tables by information state, for each seed."""
    tables = [{} for _ in range(seeds)]
    for state in all_states(game.new_initial_state()):
        if state.current_player() >= 0:
            seen, legal = state.observation(state.current_player()), state.legal_actions()
            for seed, table in enumerate(tables):
                moves = zip(legal, chances(seen, len(legal), seed).tolist(), strict=True)
                table[state.information_state_string()] = list(moves)
    return tables


def check_exploitability(rules, seeds=5):
    tree = build_tree(make_game("drako", rules=rules))
    game = pyspiel.load_game("python_drako", {"rules": rules})
    tables = their_policies(game, seeds)
    responders = [pyspiel.TabularBestResponse(game, seat, tables[0]) for seat in (0, 1)]
    for seed, table in enumerate(tables):
        theirs = []
        for responder in responders:
            responder.set_policy(table)
            theirs.append(responder.value_from_state(game.new_initial_state()))
        ours = [best_response(tree, seat, our_policy(seed)) for seat in (0, 1)]
        assert theirs == pytest.approx(ours, abs=1e-9)
        assert sum(theirs) == pytest.approx(sum(ours), abs=1e-9)


def test_exploitability_agrees_with_ours():
    check_exploitability(str(DUEL))


@pytest.mark.slow
def test_exploitability_agrees_with_ours_on_the_tiny_table():
    check_exploitability("tiny")


# Hidden information


def all_that_reaches(state, player):
    return {
        "information state string": state.information_state_string(player),
        "information state tensor": state.information_state_tensor(player),
        "observation string": state.observation_string(player),
        "observation tensor": state.observation_tensor(player),
        "decider": state.current_player(),
        "legal actions": state.legal_actions(player) if state.current_player() == player else None,
    }


def check_leaks(name, seed, games, every):
    """Returns how many of the re-dealt games took another course."""
    game, sampler = pyspiel.load_game(name), random.Random(seed).random
    changed = 0
    for count, state in enumerate(positions(game, seed, games)):
        if count % every == 0:
            for player in range(game.num_players()):
                twin = state.resample_from_infostate(player, sampler)
                before, after = all_that_reaches(state, player), all_that_reaches(twin, player)
                leaks = [way for way in before if before[way] != after[way]]
                assert not leaks, f"hidden cards reach player {player} through {leaks}"
                assert len(twin.history()) == len(state.history())
                changed += twin.history() != state.history()
    return changed


@every_game
def test_nothing_hidden_reaches_a_player(name):
    assert check_leaks(name, seed=3, games=3, every=5) > 5


@one_of_each_game
def test_a_resampled_game_was_never_told_apart(name):
    """Perfect recall: what looks the same now has always looked the same."""
    game, sampler = pyspiel.load_game(name), random.Random(4).random
    *_, state = positions(game, 4, 1)
    for player in range(game.num_players()):
        twin = state.resample_from_infostate(player, sampler)
        one, other = game.new_initial_state(), game.new_initial_state()
        for action, retold in zip(state.history(), twin.history(), strict=True):
            one.apply_action(action)
            other.apply_action_with_legality_check(retold)
            assert one.information_state_string(player) == other.information_state_string(player)


def test_resampling_reaches_every_hidden_hand_fairly():
    """Tiny: the dragon does not know which card the dwarves lack; march in 2 of 5 deals."""
    game, sampler = pyspiel.load_game("python_drako(rules=tiny)"), random.Random(5).random
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    lacking = [state.resample_from_infostate(0, sampler).position.states["deck"][0, 1, 0] for _ in range(2000)]
    assert np.mean(lacking) == pytest.approx(0.4, abs=0.05)


def leak_by_draws(monkeypatch):
    honest = CardChance.outcome_text
    monkeypatch.setattr(
        CardChance, "outcome_text", lambda self, state, outcome, seat: honest(self, state, outcome, None)
    )


def leak_by_setup(monkeypatch):
    monkeypatch.setattr(GoldenDragon, "event_text", lambda self, state, action, seat: self.action_text(action))


def leak_by_observation(monkeypatch):
    from drako_env.envs.openspiel import SpielState

    honest = SpielState.observation

    def leaky(self, player):
        seen = honest(self, player)
        seen[:4] = self.position.states["hand"][0, 1 - player, :4]
        return seen

    monkeypatch.setattr(SpielState, "observation", leaky)


@pytest.mark.parametrize(
    ("name", "leak", "way"),
    [
        ("python_drako", leak_by_draws, "information state"),
        ("python_golden_dragon", leak_by_setup, "information state"),
        ("python_drako", leak_by_observation, "observation tensor"),
    ],
)
def test_a_planted_leak_is_caught(name, leak, way, monkeypatch):
    leak(monkeypatch)
    with pytest.raises(AssertionError, match=f"hidden cards reach .*{way}"):
        check_leaks(name, seed=3, games=2, every=9)


# Parameters


def test_yes_and_no_are_options():
    from drako_env.openspiel import load_game

    assert not load_game("drako", exchange=False).game.rules.exchange
    assert load_game("drako_v0", rules="tiny", exchange=True).game.rules.exchange
    assert load_game("golden_dragon", num_players=4).num_players() == 4
    with pytest.raises(pyspiel.SpielError, match="exchanges"):
        load_game("drako", exchanges=True)
    with pytest.raises(ValueError, match="unknown game 'chess'; known are drako, golden_dragon, icarius"):
        load_game("chess")


@pytest.mark.parametrize("given", [(False, True), (0, 1)])
def test_yes_and_no_in_openspiels_own_words(given):
    for value in given:
        for words in (
            (f"python_drako(exchange={value})",),
            ("python_drako", {"exchange": value}),
            (f"python_drako(rules=tiny,exchange={value})",),
            ("python_drako(rules=tiny)", {"exchange": value}),
        ):
            game = pyspiel.load_game(*words)
            assert game.game.rules.exchange == value, words
            assert game.game.rules.name == ("tiny" if "tiny" in words[0] else "reconstructed")
            assert str(pyspiel.load_game(str(game))) == str(game)
    assert pyspiel.load_game("kuhn_poker(players=3)").num_players() == 3
    assert pyspiel.load_game("kuhn_poker", {"players": 3}).num_players() == 3
    assert rl_environment.Environment("python_drako", exchange=given[0]).game.game.rules.exchange == given[0]


def test_options_that_are_not_given_are_as_the_table_says():
    assert not pyspiel.load_game("python_drako(rules=tiny)").game.rules.exchange
    assert pyspiel.load_game("python_drako(rules=tiny,exchange=1)").game.rules.exchange
    assert str(pyspiel.load_game("python_drako(edition=2019)")) == "python_drako(edition=2019)"


@pytest.mark.parametrize("wrong", [{"exchange": 2}, {"placement": "anywhere"}, {"rules": "none_such"}, {"radius": 9}])
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises((ValueError, OSError), match=f"{next(iter(wrong))}|none_such"):
        pyspiel.load_game("python_drako", wrong)


def test_an_illegal_action_changes_nothing():
    state = next(state for state in positions(pyspiel.load_game("python_drako"), 1, 1) if not state.is_chance_node())
    before = str(state), state.history()
    with pytest.raises(ValueError, match="not legal"):
        state.apply_action(next(a for a in range(222) if a not in state.legal_actions()))
    assert (str(state), state.history()) == before
