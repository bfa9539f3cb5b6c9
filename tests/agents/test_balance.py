"""The search for an even table: what is known stays so, only better tables are accepted, nothing is done twice."""

import json
import tomllib
from copy import deepcopy
from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from rich.console import Console

from agents.balance import command
from agents.balance.candidates import CHOOSING, REPORTED, START, Candidate, Log, better, expected, score, worth_judging
from agents.balance.mirrors import Mirror, quick_mirror, slow_mirror
from agents.balance.report import results
from agents.balance.search import Search
from agents.balance.settings import LEVELS, Settings, Weights
from agents.balance.strong import StrongPlay
from agents.balance.tables import allowed, change, check, key, proposals, toml
from agents.league.config import Config
from agents.league.fitting import fitted, resized
from drako_env.drako.rules import Rules
from drako_env.envs.batch import GameBatch
from drako_env.games import make_game
from drako_env.players.policy import Policy, load_policies
from tests.agents.test_exploit import Clock, habitual
from tests.engine.test_network import tensors
from tests.programs import call

TABLE = Rules.load("reconstructed_1").table()
WEIGHTS = Weights()
SMALL = Config.load(num_envs=32, steps=32, minibatch=256, rollouts=1, eval_every=1000, snapshot_every=1000)
QUICK = Settings(0.5, games=2, simulations=2, learnt_games=20, heuristic_games=20, proposals=3, training=SMALL)


def a_game():
    return make_game("drako", rules=TABLE)


def changed(**counts):
    """The table with other copies (`walk`) or spaces (`wounds_net`)."""
    table = deepcopy(TABLE)
    for name, number in counts.items():
        for cards in table["deck"].values():
            for card in cards:
                card["copies"] += number if card["name"].replace("-", "_") == name else 0
        for spaces in table["wounds"].values():
            if name.removeprefix("wounds_") in spaces and name.startswith("wounds_"):
                spaces[name.removeprefix("wounds_")] += number
    return table


@pytest.mark.parametrize(
    ("counts", "so"),
    [
        ({}, True),
        ({"walk": -1, "maul": 1}, True),
        ({"wounds_net": -1, "wounds_fire": 1}, True),
        ({"wounds_armor": 1, "wounds_fire": -1}, False),
        ({"wounds_net": 1, "wounds_fire": -1}, False),  # as many as fury
        ({"wounds_net": -1}, False),
        ({"wounds_fire": -2, "wounds_flight": 2}, False),
        ({"walk": 1}, False),
        ({"maul": -2, "walk": 2}, False),  # no copy left
        ({"walk": 10, "walk_scales": -6, "claw_walk": -3, "fire_walk": -1}, False),  # most cards have one symbol
        ({"claw_scales": -2, "walk": 2}, False),  # few offer attack or defense
    ],
)
def test_what_is_known_stays_so(counts, so):
    assert allowed(changed(**counts)) == so


def test_tables_with_nothing_to_search_are_named():
    with pytest.raises(ValueError, match="armor has 4 spaces, and here it is not so"):
        check(Rules.load("tiny").table())
    with pytest.raises(ValueError, match="only decks and wound spaces can be searched"):
        check(make_game("golden_dragon").rules_table())


def test_proposals_keep_decks_and_kinds_and_are_new():
    found = proposals(TABLE, 60, [], 7)
    assert len({key(table) for table in found} - {key(TABLE)}) == 60
    game = a_game()
    for table in found:
        assert allowed(table)
        for side, deck in table["deck"].items():
            assert [card["name"] for card in deck] == [card["name"] for card in TABLE["deck"][side]]
            assert sum(card["copies"] for card in deck) == 38
        new = make_game("drako", rules=table)
        assert new.actions == game.actions
        if table["wounds"] == TABLE["wounds"]:
            assert new.observation_fields == game.observation_fields
    assert proposals(TABLE, 60, [], 7) == found
    known = [key(table) for table in found]
    assert not {key(table) for table in proposals(TABLE, 60, known, 7)} & set(known)
    kinds = {"cards" in change(TABLE, table) for table in found}
    assert kinds == {True, False}, "copies are changed, and spaces"


def test_networks_fit_other_wound_spaces():
    """Before the first wound they play as they did."""
    before, after = a_game(), make_game("drako", rules=changed(wounds_net=-1, wounds_fire=1))
    network = tensors(before, 16)
    old, new = (
        Policy.of(game, network if game is before else fitted(network, before, after), {"canonical": "yes"}, 0)
        for game in (before, after)
    )
    seen = [GameBatch(game, 8, 1) for game in (before, after)]
    assert before.observation_fields != after.observation_fields
    judged = [
        policy.judge(batch.observation, batch.action_mask) for policy, batch in zip((old, new), seen, strict=True)
    ]
    np.testing.assert_allclose(judged[0][0], judged[1][0], atol=1e-6)
    np.testing.assert_allclose(judged[0][1], judged[1][1], atol=1e-6)
    assert resized(np.array([[1.0, 2.0, 4.0]]), 2).tolist() == [[1, 6]]
    assert resized(np.array([[1.0, 2.0, 4.0]]), 5).tolist() == [[1, 2, 0, 0, 4]]
    assert resized(np.array([[1.0, 2.0, 4.0]]), 3).tolist() == [[1, 2, 4]]
    with pytest.raises(ValueError, match="see and do the same things"):
        fitted(network, before, make_game("drako", rules="tiny"))


def test_changes_in_words_and_as_a_file(tmp_path):
    table = changed(walk=-1, maul=1, wounds_net=-1, wounds_fire=1)
    assert change(TABLE, table) == "dragon cards: walk -1, maul +1; dragon spaces: fire +1; dwarves spaces: net -1"
    path = tmp_path / "even.toml"
    path.write_text(toml(table, "One line.\nAnother."))
    assert Rules.load(path).table() == table
    assert path.read_text().startswith('# One line.\n# Another.\nname = "reconstructed_1"\n')
    odd = table | {"name": 'a "quoted" \\ név'}
    assert tomllib.loads(toml(odd, "")) == odd


def tried(number, **rates):
    """A candidate of which these win rates, or rates and shares of kills, are known."""
    pairs = {level: rate if isinstance(rate, tuple) else (rate, 0.0) for level, rate in rates.items()}
    mirrors = {level: Mirror(1000, round(1000 * rate), round(1000 * kills)) for level, (rate, kills) in pairs.items()}
    return Candidate(number, 1, TABLE, "", mirrors)


def test_strong_play_comes_first_and_kills_are_a_penalty():
    best = tried(0, heuristic=0.5, learnt=0.6, puct=0.5)
    assert score(best.mirrors, WEIGHTS) == pytest.approx(0.1)
    assert better(tried(1, heuristic=0.2, learnt=0.45), best, WEIGHTS)
    assert not better(tried(1, heuristic=0.2, learnt=0.58), best, WEIGHTS)
    assert not better(tried(1, heuristic=0.5, learnt=(0.5, 0.26)), best, WEIGHTS), "11 points too many"
    assert better(tried(1, heuristic=0.5, learnt=(0.5, 0.15)), best, WEIGHTS)
    assert not better(tried(1, heuristic=0.5, learnt=0.5, puct=0.8), best, WEIGHTS)
    assert not better(best, best, WEIGHTS)


def test_who_is_worth_judging():
    best = tried(0, heuristic=0.3, learnt=0.65, puct=0.5)
    rates = {1: (0.5, 0.65), 2: (0.3, 0.37), 3: (0.45, 0.36), 4: (0.45, (0.36, 0.3))}
    screened = [tried(number, heuristic=one, untrained=other) for number, (one, other) in rates.items()]
    assert expected(screened[1], best, WEIGHTS) == pytest.approx(0.1 * 0.2 + 0.01)
    assert expected(screened[3], best, WEIGHTS) == pytest.approx(0.1 * 0.05 + 0.005 + 0.15), "kills count"
    assert [one.number for one in worth_judging(screened, best, WEIGHTS, 3)] == [3, 2, 1]
    found = replace(screened[2], mirrors=screened[2].mirrors | tried(3, learnt=0.9, puct=0.9).mirrors, accepted=False)
    going_on = [*screened[:2], found, screened[3]]
    assert [one.number for one in worth_judging(going_on, best, WEIGHTS, 3)] == [3, 2, 1]


class Fake:
    """Judges by a table alone: every walk makes the dragon stronger; on the way it may stop everything."""

    def __init__(self, stops_at=None):
        self.calls, self.stops_at, self.asked, self.published = [], stops_at, count(1), []

    def _note(self, *call):
        if next(self.asked) == self.stops_at:
            raise KeyboardInterrupt
        self.calls.append(call)

    def prepare(self, candidate, parent, during):
        self._note("prepare", candidate.number, parent.number)
        during(0.5)

    def screen(self, candidate, parent):
        assert parent.accepted
        mirror = self.mirror("heuristic", candidate, CHOOSING)
        return {"heuristic": mirror, "untrained": mirror}

    def mirror(self, level, candidate, purpose):
        self._note(level, candidate.number, purpose)
        walks = sum(card["copies"] for card in candidate.table["deck"]["dragon"] if "walk" in card["name"])
        return Mirror(1000, 1000 - 30 * walks, 100)

    def publish(self, best, comment):
        self.published.append((best.number, comment))

    def drop(self, candidates):
        self.dropped = [candidate.number for candidate in candidates]


def climb(path, judge, steps=6, told=None):
    log = Log(path)
    search = Search(log, judge, QUICK, 3, lambda done, words: told.append(done) if told is not None else None)
    return log, search.run(TABLE, steps)


def test_hill_climbing_accepts_only_what_is_better(tmp_path):
    judge, told = Fake(), []
    log, reported = climb(tmp_path / "log.jsonl", judge, told=told)
    best, *scores = log.candidates[START], 1.0
    for candidate in log.judged()[1:]:
        assert candidate.accepted == better(candidate, best, WEIGHTS)
        assert ("puct" in candidate.mirrors) == candidate.accepted
        best = candidate if candidate.accepted else best
        scores.append(score(best.mirrors, WEIGHTS))
    assert scores[1:] == sorted(scores[1:], reverse=True)
    assert scores[-1] < score(log.candidates[START].mirrors, WEIGHTS), "something better was found"
    assert log.best() == best
    assert judge.published[-1] == (best.number, f"Changed for even strong play: {change(TABLE, best.table)}.")
    assert set(judge.dropped) == {one.number for one in log.judged()} - {best.number}
    assert list(reported) == list(LEVELS)
    assert [call for call in judge.calls if call[2] == REPORTED] == [(level, best.number, REPORTED) for level in LEVELS]
    parents = [call[1:] for call in judge.calls if call[0] == "prepare"][1:]
    assert all(log.candidates[parent].accepted for _, parent in parents)
    assert told == sorted(told)
    assert 0 <= told[0] < told[-1] < 1


@pytest.mark.parametrize("stops_at", [2, 6, 9, 14, 25])
def test_a_stopped_search_goes_on_without_repeating(stops_at, tmp_path):
    whole, _ = climb(tmp_path / "whole.jsonl", Fake())
    path, first, second = tmp_path / "log.jsonl", Fake(stops_at), Fake()
    with pytest.raises(KeyboardInterrupt):
        climb(path, first)
    with path.open("a") as file:
        file.write('{"number": 7, "cut')  # as if it had been killed while writing
    log, _ = climb(path, second)
    assert log.candidates == whole.candidates
    assert path.read_text() == (tmp_path / "whole.jsonl").read_text()
    done = [call for call in first.calls if call[0] == "heuristic" and call[2] == CHOOSING and call[1] != START]
    assert not set(done) & set(second.calls)
    again = Fake()
    climb(path, again)
    assert {call[2] for call in again.calls} == {REPORTED}
    longer, _ = climb(path, Fake(), steps=7)
    assert len(longer.candidates) == len(whole.candidates) + QUICK.proposals


def test_a_damaged_log_is_named(tmp_path):
    (tmp_path / "log.jsonl").write_text('{"number": 1}\n')
    with pytest.raises(ValueError, match="line 1: not a candidate"):
        Log(tmp_path / "log.jsonl")


def test_mirrors_count_every_game_once_and_agree(tmp_path):
    """The heuristic inside the kernels and game by game: other random numbers, the same play."""
    game = a_game()
    quick = quick_mirror(game, "heuristic", 2000, 1)
    slow = slow_mirror(game, "heuristic", 150, 2, tmp_path / "games.jsonl", 1)
    assert 0.22 < quick.rate < 0.31
    assert 0.22 < quick.killed < 0.34
    assert (slow.rate, slow.killed) == (pytest.approx(quick.rate, abs=0.12), pytest.approx(quick.killed, abs=0.12))
    before = (tmp_path / "games.jsonl").read_text()
    assert slow_mirror(game, "heuristic", 150, 2, tmp_path / "games.jsonl", 1) == slow
    assert (tmp_path / "games.jsonl").read_text() == before


def test_from_nothing_to_a_table_that_can_be_shipped(tmp_path):
    """Half a core-minute is three rounds of ten seconds; stopped in the second one, all goes on."""
    (tmp_path / "start").mkdir()
    game, silent = a_game(), Console(quiet=True)
    out, start = tmp_path / "out", habitual(game, tmp_path / "start")
    content = replace(QUICK, weights=Weights(learnt=0, puct=0, heuristic=0))  # nothing is better
    judge = StrongPlay(out, game, start, content, 5, 1, Clock(stops_at=4))
    assert command.run(judge, 1, False, silent) == 130
    assert command.run(replace(judge, clock=Clock()), 1, True, silent) == 0
    rows = [json.loads(line) for line in (out / "candidates.jsonl").read_text().splitlines()]
    assert [row["number"] for row in rows[:4]] == [0, 1, 2, 3]
    assert [row["accepted"] for row in rows] == [True, None, None, None, False, False]
    text = (out / "results.md").read_text()
    assert text.count("| as it was ") == 1
    assert Rules.load(out / "best.toml").table() == TABLE
    assert load_policies(out / "policies", game)["dragon"].layers == (16,)
    with pytest.raises(ValueError, match="there is a search already"):
        command.run(judge, 1, False, silent)
    with pytest.raises(ValueError, match="begun with another seed"):
        command.run(replace(judge, seed=6), 1, True, silent)


def test_policies_are_trained_on_under_another_table(tmp_path):
    (tmp_path / "start").mkdir()
    game = a_game()
    judge = StrongPlay(tmp_path / "out", game, habitual(game, tmp_path / "start"), QUICK, 5, 1, Clock())
    start, table = Candidate(START, 0, TABLE, ""), changed(walk=-1, maul=1, wounds_net=-1, wounds_fire=1)
    new = Candidate(4, 1, table, "walk -1, maul +1")
    shares = []
    judge.prepare(start, start, shares.append)
    judge.prepare(new, start, shares.append)
    assert shares == pytest.approx([1 / 3, 2 / 3, 1])
    judge.prepare(new, start, shares.append)
    assert len(shares) == 3, "what is trained is not trained again"
    before = load_policies(judge.folder_of(start) / "policies", game)
    after = load_policies(judge.folder_of(new) / "policies", judge.game_of(new))
    for role, policy in after.items():
        assert 0 < abs(policy.tensors["policy.bias"] - before[role].tensors["policy.bias"]).max() < 0.5
    for level in LEVELS:
        new = new.played(level, judge.mirror(level, new, CHOOSING))
    assert [mirror.games for mirror in new.mirrors.values()] == [20, 20, 2]
    log = Log(tmp_path / "log.jsonl")
    for candidate in (start, new):
        log.add(replace(candidate, mirrors=new.mirrors, accepted=True))
    judge.publish(log.best(), "changed")
    assert Rules.load(tmp_path / "out" / "best.toml").table() == new.table
    assert load_policies(tmp_path / "out" / "policies", judge.game_of(new)).keys() == {"dragon", "dwarves"}
    text = results(log, new.mirrors, QUICK, "dwarves_0", tmp_path)
    lines = [line for line in text.splitlines() if "| walk -1, maul +1 " in line]
    assert len(lines) == 1
    assert lines[0].endswith("| yes      |")
    assert "| dragon cards: walk -1, maul +1; dragon spaces: fire +1; dwarves spaces: net -1 |" in text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--game", "golden_dragon", "--set", "rules=classic10"], "only decks and wound spaces can be searched"),
        (["--set", "rules=tiny"], "known is that armor has 4 spaces"),
        (["--steps", "0"], "--steps must be at least 1"),
        (["--core-minutes", "0"], "must be above 0"),
        (["--start", "heuristic"], "expected policy or policy:FOLDER"),
        (["--resume"], "there is nothing to resume"),
    ],
)
def test_bad_words_are_one_clear_line(words, says, tmp_path):
    start = habitual(a_game(), tmp_path)
    done = call(
        "balance", "--search", "--set", "rules=reconstructed_1", "--start", start, *words, "--out", tmp_path / "x"
    )
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
