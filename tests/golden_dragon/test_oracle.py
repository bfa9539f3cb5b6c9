"""The kernels and the independent reference agree, decision by decision."""

import random
from collections import Counter
from itertools import cycle, product

import numpy as np
import pytest

from drako_env import golden_dragon_v0, icarius_v0
from drako_env.golden_dragon.actions import all_actions
from drako_env.golden_dragon.dicts import state_dict
from drako_env.golden_dragon.game import GoldenDragon
from drako_env.golden_dragon.rules import BOARDS, Rules
from drako_env.golden_dragon.state import STATE
from drako_env.golden_dragon.tables import build_tables
from tests.oracle import golden_dragon as oracle

kernels = GoldenDragon.kernels

DOORS = {"golden_dragon": golden_dragon_v0, "icarius": icarius_v0}
PREFIX = {"golden_dragon": "", "icarius": "icarius_"}
PLAYERS, SCOPES = (2, 3, 4, 5), ("owner_only", "any_opponent", "others")
NAMES = ("auto", "classic10", "compact9", "compact8")  # the reference has its own drawings of these
FILES = sorted(BOARDS.glob("*.toml"))  # every shipped board as data, those that the rules text does not draw included


def both_rules(board, players, variant="golden_dragon", **options):
    """The same rules for the kernels and for the reference."""
    rules = Rules.load(board, prefix=PREFIX[variant], num_players=players, **options)
    return rules, oracle.OracleRules.load(board, players, variant, **options)


def compare_game(rules, reference, chance):
    """One random game, decision by decision; returns how many."""
    tables, actions, decisions = build_tables(rules), all_actions(rules), 0
    states, mask = np.zeros(1, STATE), np.zeros(len(actions), np.int8)
    kernels.deal_one(tables, states, 0, mask)
    expected = oracle.initial_state(reference)
    while True:
        assert state_dict(rules, states[0]) == expected
        assert oracle.invariant_errors(reference, expected) == []
        legal = [actions[i] for i in np.flatnonzero(mask)]
        assert sorted(map(repr, legal)) == sorted(map(repr, oracle.legal(reference, expected)))
        rewards = np.ones(rules.num_players, np.float32)
        kernels.reward_one(states, 0, rewards)
        assert rewards.tolist() == oracle.rewards(expected)
        if not legal:
            return decisions
        action = chance.choice(legal)
        kernels.play_one(tables, states, 0, actions.index(action), mask)
        expected = oracle.apply(reference, expected, action)
        decisions += 1


def test_the_oracle_meets_the_examples_of_the_text():
    oracle.check_against_text()


@pytest.mark.parametrize("variant", PREFIX)
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("players", PLAYERS)
def test_kernels_and_oracle_agree(players, scope, variant):
    rules, reference = both_rules("auto", players, variant, veto_scope=scope)
    chance = random.Random(players)
    for _ in range(4):
        compare_game(rules, reference, chance)


@pytest.mark.parametrize("variant", DOORS)
@pytest.mark.parametrize("players", PLAYERS)
def test_they_agree_on_what_is_default(players, variant):
    rules = DOORS[variant].raw_env(num_players=players).game.rules
    compare_game(rules, oracle.OracleRules.load(n_players=players, variant=variant), random.Random(players))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_they_agree_on_every_shipped_board(path):
    compare_game(*both_rules(path, 5, veto_scope="others"), random.Random(0))


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 600])
def test_they_agree_on_hexes_and_on_the_limit_of_moves(limit):
    rules = both_rules(BOARDS / "hex.toml", 3, veto_scope="any_opponent", max_single_moves=limit)
    compare_game(*rules, random.Random(limit))


@pytest.mark.parametrize("first_turn", [1, 2])
@pytest.mark.parametrize("players", PLAYERS)
def test_they_agree_on_a_shorter_first_turn(players, first_turn):
    compare_game(*both_rules("auto", players, first_turn=first_turn), random.Random(players))


@pytest.mark.slow
def test_oracle_agrees_on_three_hundred_thousand_decisions():
    """All numbers of players and scopes, the boards by name in both variants and from their files, in turn."""
    chance, played = random.Random(1), Counter()
    boards = [*product(PREFIX, NAMES), *(("golden_dragon", path) for path in FILES)]
    settings = list(product(PLAYERS, SCOPES, boards))
    for players, scope, (variant, board) in cycle(settings):
        if played.total() >= 300_000:
            break
        options = {"veto_scope": scope, "max_single_moves": chance.choice((600, 600, 60))}
        options["first_turn"] = chance.choice((3, 3, 2, 1))
        rules = both_rules(board, players, variant, **options)
        played[players, scope, variant, board] += sum(compare_game(*rules, chance) for _ in range(3))
    print(f"{played.total():,} decisions agree")
    assert len(played) == len(settings)


@pytest.mark.parametrize("players", [2, 5])
def test_g6_what_is_hidden_changes_nothing_that_is_seen(players):
    rules = Rules.load("auto", num_players=players)
    tables, chance = build_tables(rules), random.Random(0)
    states, mask = np.zeros(1, STATE), np.zeros(len(all_actions(rules)), np.int8)
    width, changed = int(tables["field_size"][0].sum()), 0
    kernels.deal_one(tables, states, 0, mask)
    for number in range(60):
        for seat in range(players):
            other = states.copy()
            other["rng"] = number + 1
            kernels.redeal_one(tables, other, 0, seat)
            seen = []
            for array in (states, other):
                observation, known = np.zeros(width, np.int8), array.copy()
                kernels.observe_one(tables, array, 0, seat, observation)
                kernels.hide_one(tables, known, 0, seat)
                seen.append((observation.tobytes(), known.tobytes()))
            assert seen[0] == seen[1]
            changed += other["holder"].tolist() != states["holder"].tolist()
        kernels.play_one(tables, states, 0, int(chance.choice(np.flatnonzero(mask))), mask)
    assert changed > 10


def test_the_record_has_no_gaps():
    assert sum(STATE[name].itemsize for name in STATE.names) == STATE.itemsize
