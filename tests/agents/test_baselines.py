"""The table of baselines: rows from whole games, kept from run to run."""

import json

import pytest

from drako_env.games import make_game
from scripts import baselines

SMALL = ["--games", "6", "--seeds", "2", "--processes", "1"]


def run(folder, *words):
    return baselines.main([*SMALL, *words, "--out", str(folder)])


def test_players_that_need_no_training(tmp_path, capsys, monkeypatch):
    assert run(tmp_path, "random", "heuristic") == 0
    said = capsys.readouterr().out
    assert "| random: any legal action " in said
    assert "2 seeds, 6 deals on every seat for each" in said
    cell = json.loads((tmp_path / "heuristic-1.json").read_text())
    assert cell["games"] == {"dragon": 6, "dwarves": 6}
    assert min(cell["wins"]["random"].values()) >= 4, "rules of thumb beat random play"
    mirror = json.loads((tmp_path / "random-0.json").read_text())["wins"]["random"]
    assert mirror["dragon"] + mirror["dwarves"] == 6, "one set of games, won by one of them each"
    monkeypatch.setattr(baselines, "play_pairings", None)  # nothing is played again
    assert run(tmp_path, "random", "heuristic") == 0
    assert capsys.readouterr().out == said
    assert (tmp_path / "report.md").read_text() in said


def test_the_mean_of_seeds_and_their_range(capsys):
    cells = [
        baselines.Cell(
            "ppo",
            seed,
            "ppo:x",
            90.0,
            1000 * won,
            {},
            {o: {"player": won} for o in baselines.OPPONENTS},
            {"player": 10},
        )
        for seed, won in enumerate((2, 3, 7))
    ]
    options = baselines.argparse.Namespace(games=5, steps=1, minutes=1)
    row = baselines.report(cells, options).splitlines()[2]
    assert row.count("40.0% (20.0% - 70.0%)") == 2
    assert "| 1.5 min, 4,000 decisions |" in row


def test_seats_of_one_role_are_taken_in_turn(tmp_path):
    assert run(tmp_path, "heuristic", "--game", "golden_dragon", "--players", "3") == 0
    cell = json.loads((tmp_path / "heuristic-0.json").read_text())
    assert cell["games"] == {"player": 18}
    assert cell["wins"]["heuristic"]["player"] == 6, "in every game one of the three"


def test_what_was_made_otherwise_is_not_mixed_in(tmp_path, capsys):
    assert run(tmp_path, "random") == 0
    assert run(tmp_path, "random", "--games", "7") != 0
    assert "made with other settings" in capsys.readouterr().err
    assert run(tmp_path, "nothing") != 0
    assert "no method 'nothing'; there are random, heuristic, search, ppo, self-play, rllib" in capsys.readouterr().err


def test_maskable_ppo_learns_every_role(tmp_path, monkeypatch):
    pytest.importorskip("sb3_contrib", reason="sb3-contrib is missing: make setup installs it")
    for name, value in (("ENVS", 4), ("ROLLOUT", 8), ("MINIBATCH", 16)):
        monkeypatch.setattr(baselines, name, value)
    assert run(tmp_path, "ppo", "--steps", "32", "--seeds", "1", "--games", "2") == 0
    assert sorted(path.name for path in (tmp_path / "ppo-0").iterdir()) == ["dragon.zip", "dwarves.zip"]
    cell = json.loads((tmp_path / "ppo-0.json").read_text())
    assert cell["settings"]["steps"] == 32
    assert cell["decisions"] == 64, "of both roles"
    game = make_game("drako")
    models = baselines.player_of(f"ppo:{tmp_path / 'ppo-0'}", game)
    assert models._models[0] is not models._models[1]


@pytest.mark.slow
def test_maskable_ppo_stops_when_its_time_is_over(tmp_path, monkeypatch):
    pytest.importorskip("sb3_contrib", reason="sb3-contrib is missing: make setup installs it")
    monkeypatch.setattr(baselines, "ROLLOUT", 8)
    assert run(tmp_path, "ppo", "--minutes", "0.02", "--seeds", "1", "--games", "2") == 0
    cell = json.loads((tmp_path / "ppo-0.json").read_text())
    assert cell["settings"]["minutes"] == 0.02
    assert cell["decisions"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("game", [(), ("--game", "golden_dragon", "--players", "2")], ids=["drako", "golden_dragon"])
@pytest.mark.parametrize(("method", "library"), [("self-play", "sb3_contrib"), ("rllib", "ray")])
def test_a_league_is_trained_and_gone_on_with(tmp_path, method, library, game):
    pytest.importorskip(library, reason=f"{library} is missing: make setup installs it")
    words = (method, "--minutes", "0.05", "--seeds", "1", "--games", "2", *game)
    assert run(tmp_path, *words) == 0
    before = json.loads((tmp_path / f"{method}-0.json").read_text())
    (tmp_path / f"{method}-0.json").unlink()  # as if it had been interrupted after training
    assert run(tmp_path, *words) == 0
    after = json.loads((tmp_path / f"{method}-0.json").read_text())
    assert after["decisions"] >= before["decisions"] > 0
