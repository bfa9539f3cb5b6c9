"""The kernels and the independent reference agree, decision by decision."""

import random
from collections import Counter
from itertools import cycle, product

import numpy as np
import pytest

from drako_env.golden_dragon.actions import all_actions
from drako_env.golden_dragon.dicts import state_dict
from drako_env.golden_dragon.kernels import deal_one, hide_one, observe_one, play_one, redeal_one, reward_one
from drako_env.golden_dragon.rules import Rules
from drako_env.golden_dragon.state import STATE
from drako_env.golden_dragon.tables import build_tables
from tests.golden_dragon.positions import oracle_rules
from tests.oracle import golden_dragon as oracle

PREFIX = {"golden_dragon": "", "icarius": "icarius_"}
SCOPES = ("owner_only", "any_opponent")
BOARDS = ("auto", "classic10", "compact9", "compact8")


def compare_game(rules, reference, chance):
    """One random game, decision by decision; returns how many."""
    tables, actions, decisions = build_tables(rules), all_actions(rules), 0
    states, mask = np.zeros(1, STATE), np.zeros(len(actions), np.int8)
    deal_one(tables, states, 0, mask)
    expected = oracle.initial_state(reference)
    while True:
        assert state_dict(rules, states[0]) == expected
        assert oracle.invariant_errors(reference, expected) == []
        legal = [actions[i] for i in np.flatnonzero(mask)]
        assert sorted(map(repr, legal)) == sorted(map(repr, oracle.legal(reference, expected)))
        rewards = np.ones(rules.num_players, np.float32)
        reward_one(states, 0, rewards)
        assert rewards.tolist() == oracle.rewards(expected)
        if not legal:
            return decisions
        action = chance.choice(legal)
        play_one(tables, states, 0, actions.index(action), mask)
        expected = oracle.apply(reference, expected, action)
        decisions += 1


@pytest.mark.parametrize("variant", PREFIX)
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_kernels_and_oracle_agree(players, scope, variant):
    rules = Rules.load("auto", prefix=PREFIX[variant], num_players=players, veto_scope=scope)
    reference = oracle.OracleRules.load(board="auto", n_players=players, variant=variant, veto_scope=scope)
    chance = random.Random(players)
    for _ in range(4):
        compare_game(rules, reference, chance)


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 600])
def test_they_agree_on_hexes_and_on_the_limit_of_moves(limit):
    rules = Rules.load("hex", num_players=3, veto_scope="any_opponent", max_single_moves=limit)
    compare_game(rules, oracle_rules(rules), random.Random(limit))


@pytest.mark.slow
def test_oracle_agrees_on_three_hundred_thousand_decisions():
    """All numbers of players, scopes, variants and boards in turn, each with a reference of its own making but for the
    hexes, which it takes as they are drawn."""
    chance, played, agreed = random.Random(1), Counter(), 0
    for players, scope, (variant, prefix), board in cycle(product((2, 3, 4, 5), SCOPES, PREFIX.items(), BOARDS)):
        if agreed >= 300_000:
            break
        options = {"veto_scope": scope, "max_single_moves": chance.choice((600, 600, 60))}
        rules = Rules.load(board, prefix=prefix, num_players=players, **options)
        reference = oracle.OracleRules.load(board=board, n_players=players, variant=variant, **options)
        hexes = Rules.load("hex", num_players=players, **options)
        pairs = [(rules, reference)] * 4 + ([(hexes, oracle_rules(hexes))] if board == "auto" else [])
        for ours, theirs in pairs:
            decisions = compare_game(ours, theirs, chance)
            agreed += decisions
            played[ours.board.name] += decisions
    print(f"{agreed:,} decisions agree: {dict(played)}")
    assert len(played) == 7


@pytest.mark.parametrize("players", [2, 5])
def test_g6_what_is_hidden_changes_nothing_that_is_seen(players):
    rules = Rules.load("auto", num_players=players)
    tables, chance = build_tables(rules), random.Random(0)
    states, mask = np.zeros(1, STATE), np.zeros(len(all_actions(rules)), np.int8)
    width, changed = int(tables["field_size"][0].sum()), 0
    deal_one(tables, states, 0, mask)
    for number in range(60):
        for seat in range(players):
            other = states.copy()
            other["rng"] = number + 1
            redeal_one(tables, other, 0, seat)
            seen = []
            for array in (states, other):
                observation, known = np.zeros(width, np.int8), array.copy()
                observe_one(tables, array, 0, seat, observation)
                hide_one(tables, known, 0, seat)
                seen.append((observation.tobytes(), known.tobytes()))
            assert seen[0] == seen[1]
            changed += other["holder"].tolist() != states["holder"].tolist()
        play_one(tables, states, 0, int(chance.choice(np.flatnonzero(mask))), mask)
    assert changed > 10


def test_the_record_has_no_gaps():
    assert sum(STATE[name].itemsize for name in STATE.names) == STATE.itemsize
