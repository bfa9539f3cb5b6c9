"""The kernel against an independent oracle, written from the rules alone: legal sets and successors must agree."""

import json
import random
from collections import Counter
from itertools import cycle, product
from pathlib import Path

import pytest

from drako_env import drako_v0
from drako_env.drako.rules import DECKS
from tests.drako.random_games import TABLES, random_action, random_options
from tests.oracle import drako as oracle

FURY = (  # R10.3: the edition decides when fury may be declared, unless it is said explicitly
    {"edition": "2011"},
    {"edition": "2019"},
    {"edition": "2011", "fury_timing": "any"},
    {"edition": "2019", "fury_timing": "start"},
)
MAY_KILL, DISCARD = (False, True), ("forced", "always")
SETTINGS = [fury | {"fury_may_kill": k, "discard_action": d} for fury, k, d in product(FURY, MAY_KILL, DISCARD)]


def oracle_rules(options):
    path = DECKS / "reconstructed.toml" if options["rules"] == "reconstructed" else Path(options["rules"])
    return oracle.OracleRules.load(path, **{name: value for name, value in options.items() if name != "rules"})


def drawn_cards(rules, before, action, after):
    """The cards that the kernel drew, if the oracle says that some are drawn."""
    chance = oracle.chance(rules, before, action)
    if chance is None:
        return None
    side, _ = chance
    if action["type"] == "exchange":
        return after["hands"][side]
    return dict(Counter(before["decks"][side]) - Counter(after["decks"][side]))


def as_set(actions):
    return sorted(json.dumps(action, sort_keys=True) for action in actions)


def compare_game(options, chance, asked):
    """One random game, decision by decision; returns how many. `asked` collects answers after a last action (R10.1)."""
    rules, game, decisions = oracle_rules(options), drako_v0.raw_env(**options), 0
    game.reset(seed=chance.getrandbits(64))
    state = game.state_dict()
    assert oracle.start(rules, state["hands"]) == state
    while state["phase"] != "over":
        mask = game.observe(game.agent_selection)["action_mask"]
        legal = as_set(game.action_dict(i) for i in mask.nonzero()[0].tolist())
        assert legal == as_set(oracle.legal_actions(rules, state)), (options, state)
        chosen = random_action(game, chance)
        action = game.action_dict(chosen)
        game.step(chosen)
        after = game.state_dict()
        expected = oracle.successor(rules, state, action, drawn_cards(rules, state, action, after))
        assert after == expected, (options, state, action)
        if state["phase"] == "action" and state["actions_left"] == 0:
            asked.add((rules.fury_timing, rules.fury_may_kill, rules.discard_action, action["type"]))
        state = after
        decisions += 1
    assert oracle.legal_actions(rules, state) == []
    return decisions


def compare(decisions, seed):
    """Random games under all settings of fury in turn, other options and tables by chance, until so many agree."""
    chance = random.Random(seed)
    agreed, tables, asked = 0, set(), set()
    for setting in cycle(SETTINGS):
        if agreed >= decisions:
            break
        options = {n: v for n, v in random_options(chance).items() if n != "fury_timing"} | setting
        agreed += compare_game(options, chance, asked)
        tables.add(options["rules"])
    assert tables == set(TABLES)
    assert {tuple(setting) for *setting, _ in asked} == set(product(["any"], MAY_KILL, DISCARD))
    assert {answer for *_, answer in asked} == {"fury", "stop"}
    return agreed


def test_oracle_agrees():
    compare(8_000, seed=0)


@pytest.mark.slow
def test_oracle_agrees_on_three_hundred_thousand_decisions():
    print(f"{compare(300_000, seed=1):,} decisions agree")
