"""Matches: reproducible, resumable, with honest intervals."""

import json
import signal
from pathlib import Path

import numpy as np
import pytest

from drako_env import replay
from drako_env.cli.balance import BEGIN, END, section, write_section
from drako_env.drako.game import Drako
from drako_env.drako.rules import Rules
from drako_env.engine.game import new_masks, new_states
from drako_env.engine.rng import one_seed, seed_words
from drako_env.evaluation.match import GameResult, game_seeds, match_score, play_game
from drako_env.evaluation.report import markdown, summarise
from drako_env.evaluation.runner import Job, Store, play_pairings, run
from drako_env.evaluation.statistics import difference, quantile, wilson
from drako_env.games import make_game
from drako_env.players import make_player
from drako_env.players.simple import RandomAgent
from tests.programs import call

ROOT = Path(__file__).parents[2]


def test_wilson_interval():
    low, high = wilson(8, 10)
    assert (low, high) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0, 20)[0] == 0
    assert wilson(0, 20)[1] == pytest.approx(0.1611, abs=1e-4)
    assert wilson(20, 20)[1] == 1
    assert wilson(0, 0) == (0, 1)


def test_the_interval_of_a_difference():
    """Newcombe's own examples (1998, table II, method 10), and that both ways are one."""
    assert difference(56, 70, 48, 80) == pytest.approx((0.0524, 0.3339), abs=1e-4)
    assert difference(9, 10, 3, 10) == pytest.approx((0.1705, 0.8090), abs=1e-4)
    assert difference(10, 10, 0, 20) == pytest.approx((0.6791, 1.0), abs=1e-4)
    low, high = difference(56, 70, 48, 80)
    assert difference(48, 80, 56, 70) == pytest.approx((-high, -low))


def test_quantile():
    assert quantile([5, 1, 3], 0.5) == 3
    assert quantile([1, 2], 0.99) == 2


def test_seeds_do_not_depend_on_their_number():
    assert game_seeds(3, 5) == game_seeds(3, 100)[:5]
    assert game_seeds(3, 5) != game_seeds(4, 5)


def test_a_game_is_reproducible_and_sums_up_its_end():
    game = Drako.of(Rules.load())
    agents = [make_player("heuristic", game), make_player("random", game)]
    result = play_game(game, agents, 11, 4)
    assert result == play_game(game, agents, 11, 4)
    assert sorted(result.rewards) == [-1, 1]
    assert result.ending in ("the dragon is dead", "all dwarves are dead", "the dwarves are out of cards")
    assert result.number == 4


def test_r13_points_are_wounds_dealt_by_strikes():
    game = Drako.of(Rules.load())
    agents = [make_player("random", game), make_player("random", game)]
    results = [play_game(game, agents, seed) for seed in game_seeds(1, 60)]
    assert all(0 <= result.points[0] <= 14 and 0 <= result.points[1] <= 11 for result in results)
    assert all((result.points[1] == 11) == (result.ending == "the dragon is dead") for result in results)


def jobs(count):
    return [Job(("heuristic", "random"), number, seed) for number, seed in enumerate(game_seeds(0, count))]


def played(path, count, processes, resume=False):
    store = Store(path, resume)
    todo = [job for job in jobs(count) if job.key not in store.games]
    run(todo, Drako.of(Rules.load()), make_player, processes, lambda job, game: store.add(game))
    store.finish()
    return path.read_bytes()


def test_results_do_not_depend_on_the_number_of_processes(tmp_path):
    assert played(tmp_path / "one.jsonl", 14, 1) == played(tmp_path / "two.jsonl", 14, 2)


def test_an_interrupted_run_goes_on_without_losing_or_repeating_a_game(tmp_path):
    whole = played(tmp_path / "whole.jsonl", 10, 1)
    path = tmp_path / "broken.jsonl"
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[i] for i in (7, 2, 4)) + b'{"agents": ["heu')
    assert played(path, 10, 1, resume=True) == whole


def test_a_store_does_not_overwrite(tmp_path):
    path = tmp_path / "games.jsonl"
    played(path, 2, 1)
    with pytest.raises(FileExistsError, match="--resume"):
        Store(path, resume=False)


def test_a_damaged_line_is_named(tmp_path):
    path = tmp_path / "games.jsonl"
    played(path, 3, 1)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], "{}", lines[2], ""]))
    with pytest.raises(ValueError, match=r"games.jsonl, line 2: not the result of a game"):
        Store(path, resume=True)


def leg(winner, points):
    rewards = (1.0, -1.0) if winner == 0 else (-1.0, 1.0)
    return GameResult(0, 0, rewards, 10, "", points)


@pytest.mark.parametrize(
    ("first", "second", "score"),
    [
        (leg(0, (0, 0)), leg(1, (14, 0)), 1.0),  # both legs won, whatever the wounds
        (leg(1, (9, 0)), leg(0, (0, 9)), 0.0),
        (leg(0, (8, 4)), leg(0, (7, 5)), 1.0),  # 8 + 5 wounds dealt against 4 + 7
        (leg(0, (8, 4)), leg(0, (9, 4)), 0.0),
        (leg(1, (3, 6)), leg(1, (3, 6)), 0.5),
    ],
)
def test_r13_a_match_is_two_legs_and_wounds_break_the_tie(first, second, score):
    assert match_score(first, second) == score


def test_games_that_went_the_same_way_are_counted_once():
    """Where nothing is dealt, two searches repeat themselves: more games do not say more."""
    game = make_game("golden_dragon", num_players=2)
    pairings = [("heuristic", "heuristic"), ("random", "random")]
    jobs = [Job(pairing, number, 7 + number // 2) for pairing in pairings for number in range(4)]
    played = []
    run(jobs, game, make_player, 1, lambda job, result: played.append(result))
    report = summarise(game, pairings, played)
    assert [pairing["different"] for pairing in report["pairings"]] == [2, 2]
    assert "too narrow: heuristic - heuristic: 2 of 4; random - random: 2 of 4." in markdown(report)
    jobs = [Job(pairing, number, number) for pairing in pairings for number in range(4)]
    played.clear()
    run(jobs, game, make_player, 1, lambda job, result: played.append(result))
    assert "too narrow" not in markdown(
        summarise(game, pairings[1:], [one for one in played if one.pairing == pairings[1]])
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["dragon=heuristic", "dwarves=nosuch"], "unknown agent 'nosuch'; known are random, heuristic, ismcts:N"),
        (["dragon=heuristic", "--set", "rules=tiny"], "made for other rules"),
        (["elf=random", "dwarves=random"], "'elf=random': expected SEAT=AGENT"),
        (["random", "random", "random"], "3 agents for 2 seats"),
        (["random", "heuristic", "--set", "rules=nosuch"], "no rules table 'nosuch'"),
        (["random", "heuristic", "--set", "rules=3"], "no rules table '3'"),
        (["random", "heuristic", "--set", "exchange=maybe"], "exchange = 'maybe'"),
        (["random", "heuristic", "--game", "chess"], "unknown game 'chess'"),
        (["random", "heuristic", "--games", "0"], "at least 1"),
        (["random", "heuristic", "--seed", "-1"], "--seed not negative"),
        (["random", "heuristic", "--replays", "a"], "--replays a: expected numbers of deals"),
        (["random", "heuristic", "--replays", "900"], "--replays 900: expected numbers of deals, from 0 to 199"),
        (["random", "heuristic", "--set", "name=x"], "unknown option 'name'"),
        (["dragon=random", "dragon=heuristic"], "dragon has an agent already"),
        (["random", "ismcts:abc"], "known agents are random"),
    ],
)
def test_bad_words_are_one_clear_line(arguments, says):
    done = call("evaluate", *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_evaluate_reports_one_pairing(tmp_path):
    done = call("evaluate", "dragon=heuristic", "dwarves=random", "--games", "12", "--out", str(tmp_path / "a"))
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "a" / "report.json").read_text())
    (pairing,) = report["pairings"]
    assert pairing["games"] == report["games"] == sum(pairing["endings"].values()) == 12
    assert "ratings" not in report
    assert "| heuristic | random    | 12 " in (tmp_path / "a" / "report.md").read_text()


def test_evaluate_swaps_sides_on_the_same_deals_and_stores_replays(tmp_path):
    out = tmp_path / "b"
    options = ("heuristic", "random", "--games", "6", "--processes", "1", "--out", str(out))
    assert call("evaluate", *options, "--replays", "4").returncode == 0
    report = json.loads((out / "report.json").read_text())
    assert [pairing["agents"] for pairing in report["pairings"]] == [["heuristic", "random"], ["random", "heuristic"]]
    assert report["matches"][0]["matches"] == 6
    games = [json.loads(line) for line in (out / "games.jsonl").read_text().splitlines()]
    assert {game["seed"] for game in games[:6]} == {game["seed"] for game in games[6:]}
    assert [path.name for path in sorted((out / "replays").iterdir())] == [
        "heuristic-random-4.jsonl",
        "random-heuristic-4.jsonl",
    ]
    recorded = replay.load(out / "replays" / "random-heuristic-4.jsonl")
    assert replay.verify(recorded)
    assert recorded.header.seats == {"dragon_0": "random", "dwarves_0": "heuristic"}
    played = next(game for game in games if game["agents"] == ["random", "heuristic"] and game["number"] == 4)
    assert list(recorded.result.rewards.values()) == played["rewards"]
    assert call("evaluate", *options, "--resume", "--replays", "1").returncode == 0, "a replay asked for later"
    assert len(list((out / "replays").iterdir())) == 4
    assert [json.loads(line) for line in (out / "games.jsonl").read_text().splitlines()] == games


def test_a_series_stays_what_it_was(tmp_path):
    words = ("random", "heuristic", "--games", "2", "--processes", "1", "--out", str(tmp_path))
    assert call("evaluate", *words).returncode == 0
    for change, key in ((("--seed", "9"), "seed"), (("--set", "edition=2019"), "rules")):
        done = call("evaluate", *words, *change, "--resume")
        assert done.returncode == 2
        assert f"its games were played with another {key}" in done.stderr
    assert json.loads((tmp_path / "report.json").read_text())["games"] == 4


def test_a_hostile_agent_cannot_tell_the_cards_from_its_seed():
    game, guessed = Drako.of(Rules.load()), 0

    class Hostile(RandomAgent):
        def reset(self, seed):
            super().reset(seed)
            self.guesses = []
            for other in range(seed - 4, seed + 5):
                states, mask = new_states(game, 1), new_masks(game, 1).view(np.int8)[0]
                states["rng"] = seed_words(one_seed(other))
                game.kernels.deal_one(game.tables, states, 0, mask)
                self.guesses.append(states["hand"][0, 1].tolist())

        def act(self, view):
            nonlocal guessed
            if not view.observation[game.observation_fields["own_discards"]].any():
                guessed += view.known["hand"][0, 1].tolist() in self.guesses
            return super().act(view)

    for seed in range(20):
        play_game(game, [RandomAgent(game), Hostile(game)], seed)
    assert guessed < 10


def test_a_tournament_survives_interruption_and_does_not_depend_on_processes(tmp_path, monkeypatch):
    agents = ("random", "heuristic", "ismcts:2", "ismcts:5", "ismcts:10")
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert call("tournament", *agents, "--games", 3, "--processes", 1, "--out", whole).returncode == 0
    words = ["tournament", *agents, "--games", 3, "--processes", 2, "--out", broken]
    add = Store.add

    def interrupted(store, game):
        add(store, game)
        if len(store.games) == 10:
            signal.raise_signal(signal.SIGINT)  # Ctrl-C

    with monkeypatch.context() as patch:
        patch.setattr(Store, "add", interrupted)
        done = call(*words)
    assert done.returncode == 130
    kept = (broken / "games.jsonl").read_text().splitlines()
    assert len(kept) == 10
    assert "interrupted after 10 of 75 games" in " ".join(done.stdout.split())
    assert call(*words, "--resume").returncode == 0
    for name in ("games.jsonl", "report.json", "report.md", "payoffs.png"):
        assert (broken / name).read_bytes() == (whole / name).read_bytes(), name
    assert set(kept) <= set((whole / "games.jsonl").read_text().splitlines())
    report = json.loads((whole / "report.json").read_text())
    assert len(report["pairings"]) == 25
    assert len(report["ratings"]) == 10
    assert sum(report["equilibrium"]["mixtures"]["dragon_0"].values()) == pytest.approx(1)


def test_balance_writes_its_section(tmp_path):
    done = call("balance", "--agents", "random", "--games", "20", "--out", str(tmp_path / "c"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "c" / "reconstructed" / "report.json").exists()
    rules = tmp_path / "RULES.md"
    rules.write_text(f"before\n{BEGIN.format('balance')}old\n{END}\nafter\n")
    report = json.loads((tmp_path / "c" / "reconstructed" / "report.json").read_text())
    write_section(rules, "balance", section({"reconstructed": report}))
    text = rules.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert "| reconstructed | random    | 20 " in text
    rules.write_text("no marks")
    with pytest.raises(ValueError, match="the marks"):
        write_section(rules, "balance", "x")


def test_pairings_meet_on_the_same_deals_whatever_the_number_of_processes():
    game, pairings = Drako.of(Rules.load()), [("random", "heuristic"), ("heuristic", "random")]
    alone, together = (play_pairings(game, pairings, 3, make_player, seed=5, processes=n) for n in (1, 2))
    assert alone == together
    assert [one.key for one in alone] == [(pairing, n) for pairing in sorted(pairings) for n in range(3)]
    assert {one.result.seed for one in alone} == set(game_seeds(5, 3))
