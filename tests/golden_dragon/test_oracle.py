"""The kernels and the independent reference agree, decision by decision."""

import random

import numpy as np
import pytest

from drako_env.golden_dragon.actions import all_actions
from drako_env.golden_dragon.dicts import state_dict
from drako_env.golden_dragon.kernels import deal_one, hide_one, observe_one, play_one, redeal_one
from drako_env.golden_dragon.rules import Rules
from drako_env.golden_dragon.state import STATE
from drako_env.golden_dragon.tables import build_tables
from tests.oracle import golden_dragon as oracle

PREFIX = {"golden_dragon": "", "icarius": "icarius_"}


@pytest.mark.parametrize("variant", PREFIX)
@pytest.mark.parametrize("scope", ["owner_only", "any_opponent"])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_kernels_and_oracle_agree(players, scope, variant):
    rules = Rules.load("auto", prefix=PREFIX[variant], num_players=players, veto_scope=scope)
    reference = oracle.OracleRules.load(board="auto", n_players=players, variant=variant, veto_scope=scope)
    tables, actions, chance = build_tables(rules), all_actions(rules), random.Random(players)
    states, mask = np.zeros(1, STATE), np.zeros(len(actions), np.int8)
    for _ in range(4):
        deal_one(tables, states, 0, mask)
        expected = oracle.initial_state(reference)
        while True:
            assert state_dict(rules, states[0]) == expected
            assert oracle.invariant_errors(reference, expected) == []
            legal = [actions[i] for i in np.flatnonzero(mask)]
            assert sorted(map(repr, legal)) == sorted(map(repr, oracle.legal(reference, expected)))
            if not legal:
                break
            action = chance.choice(legal)
            play_one(tables, states, 0, actions.index(action), mask)
            expected = oracle.apply(reference, expected, action)


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
