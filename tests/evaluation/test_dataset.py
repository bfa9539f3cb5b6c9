"""Data sets: every row is what a seat saw, did and got, whoever plays; and nothing else can be loaded."""

import json

import numpy as np
import pytest

from drako_env import dataset
from drako_env.__main__ import main
from drako_env.engine.position import Position
from drako_env.evaluation.match import game_seeds
from drako_env.games import make_game

GAMES, PART = 5, 2
SEED = 3


def recorded(folder, *players, processes=1, **options):
    game = make_game("drako", **options)
    header = dataset.header_of(game, players, GAMES, SEED, PART)
    dataset.record(folder, header, processes)
    return game


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Games of rules of thumb on a small table."""
    folder = tmp_path_factory.mktemp("set")
    recorded(folder, "heuristic", "random", rules="tiny")
    return folder


@pytest.fixture
def copied(folder, tmp_path):
    """To be spoilt."""
    for path in folder.glob("[!.]*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


@pytest.mark.parametrize(
    "players",
    [("policy", "policy"), ("policy", "mistakes:0.3:policy"), ("puct:4", "heuristic"), ("random", "ismcts:5")],
    ids=lambda players: " ".join(players),
)
def test_a_row_is_what_the_seat_saw_did_and_got(players, tmp_path):
    """Played again from its seed, a game shows the same; also if what the seat does not know is dealt anew."""
    game = recorded(tmp_path, *players)
    data, row = dataset.load(tmp_path, game), 0
    for number, seed in enumerate(game_seeds(SEED, GAMES)):
        position, first = Position(game).deal(seed), row
        while not position.over:
            for shown in (position, Position.of(game, position.state)):
                if shown is not position:
                    shown.redeal(position.agent)
                view = shown.view()
                np.testing.assert_array_equal(data.observation[row], view.observation)
                np.testing.assert_array_equal(data.action_mask[row], view.action_mask)
                assert (data.seat[row], data.game[row]) == (view.seat, number)
            assert position.play(int(data.action[row]))
            row += 1
        rewards = np.array(position.rewards())
        assert (data.outcome[first:row] == rewards[data.seat[first:row]]).all()
    assert row == len(data)
    judging = [player in ("policy", "puct:4", "ismcts:5") for player in players]
    assert (np.isfinite(data.value) == np.array(judging)[data.seat]).all()


def test_players_that_judge_know_who_wins(tmp_path):
    dataset.record(tmp_path, dataset.header_of(make_game("drako"), ("policy", "policy"), 100, SEED))
    data = dataset.load(tmp_path)
    assert np.corrcoef(data.value, data.outcome)[0, 1] > 0.3


def test_nothing_else_is_kept(folder):
    with np.load(dataset.part_path(folder, 0)) as content:
        assert set(content) == set(dataset.KINDS)
    assert {path.name for path in folder.glob("[!.]*")} == {"dataset.json", *(f"part_000{i}.npz" for i in range(3))}


def test_the_same_data_in_any_number_of_processes_and_pieces(folder, copied, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    recorded(other, "heuristic", "random", processes=2, rules="tiny")
    dataset.part_path(copied, 1).unlink()
    recorded(copied, "heuristic", "random", rules="tiny")
    for part in range(3):
        one = dataset.part_path(folder, part).read_bytes()
        for again in (other, copied):
            assert dataset.part_path(again, part).read_bytes() == one


def test_a_folder_holds_one_data_set(copied):
    with pytest.raises(ValueError, match="a data set with another players is there; choose another --out"):
        recorded(copied, "random", "random", rules="tiny")
    with pytest.raises(ValueError, match="with another rules is there"):
        recorded(copied, "heuristic", "random", rules="small")


def spoil_header(**changes):
    def spoil(folder):
        path = folder / "dataset.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return spoil


def spoil_part(change):
    def spoil(folder):
        path = dataset.part_path(folder, 1)
        with np.load(path) as content:
            arrays = dict(content)
        change(arrays)
        np.savez(path, **arrays)

    return spoil


def setting(name, value):
    return spoil_part(lambda arrays: arrays[name].__setitem__(0, value))


BROKEN = {
    "no data set": lambda folder: (folder / "dataset.json").unlink(),
    "damaged": lambda folder: (folder / "dataset.json").write_text("{"),
    "its format is 'other'": spoil_header(format="other"),
    "games: '5' is no number of games": spoil_header(games="5"),
    "made for rules 'abc', here they are": spoil_header(digest="abc"),
    "unknown game 'chess'": spoil_header(game="chess"),
    "1 of 3 parts are missing": lambda folder: dataset.part_path(folder, 1).unlink(),
    "not a zip file": lambda folder: dataset.part_path(folder, 1).write_bytes(b"nothing"),
    "seat is not a file": spoil_part(lambda arrays: arrays.pop("seat")),
    "allow_pickle=False": spoil_part(lambda arrays: arrays.update(action=np.array([{}], object))),
    "seat is float64": spoil_part(lambda arrays: arrays.update(seat=arrays["seat"].astype(float))),
    "an action is not legal": spoil_part(lambda arrays: arrays["action_mask"].fill(0)),
    "an action is not legal ": setting("action", -1),
    "a seat is none of the game's": setting("seat", 2),
    "an observation is beyond": setting("observation", -1),
    "a value is no chance": setting("value", 1.5),
    "an outcome is no reward": setting("outcome", np.nan),
    "its games are not 2 to 3": setting("game", 0),
    "more than 100 bytes": lambda folder: None,
}


@pytest.mark.parametrize("problem", BROKEN)
def test_what_is_broken_is_refused_in_a_line(problem, copied, monkeypatch):
    BROKEN[problem](copied)
    if "bytes" in problem:
        monkeypatch.setattr(dataset, "MAX_BYTES", 100)
    with pytest.raises(ValueError, match=problem.strip()) as caught:
        dataset.load(copied)
    assert "\n" not in str(caught.value)


def test_other_rules_are_refused(folder):
    assert len(dataset.load(folder, make_game("drako", rules="tiny"))) == len(dataset.load(folder))
    with pytest.raises(ValueError, match=r"made for rules .*, here they are .*; make it anew"):
        dataset.load(folder, make_game("drako", rules="small"))


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["dataset", "--set", "rules=tiny", "--games", "3", "--processes", "1"]
    assert main([*words, "heuristic"]) == 0
    assert "3 games" in (out := capsys.readouterr().out)
    assert "runs/dataset/drako-heuristic" in out
    assert dataset.load("runs/dataset/drako-heuristic").header["players"] == dict.fromkeys(
        ("dragon_0", "dwarves_0"), "heuristic"
    )
    assert main([*words, "dragon=random", "dwarves=heuristic", "--out", "both"]) == 0
    assert list(dataset.load("both").header["players"].values()) == ["random", "heuristic"]
    for wrong, says in (
        (["random", "heuristic"], "say who sits where: dragon=random and so on"),
        (["heuristic", "--seed", "1"], "a data set with another seed is there"),
        (["policy"], "made for other rules"),
        (["heuristic", "--games", "0"], "at least one game"),
    ):
        assert main([*words, *wrong]) == 2
        assert says in capsys.readouterr().err


def test_an_interrupted_run_goes_on(tmp_path, monkeypatch, capsys):
    words = ["dataset", "random", "--set", "rules=tiny", "--games", "150", "--processes", "1", "--out", str(tmp_path)]
    play, played = dataset.record_part, []

    def interrupted(folder, header, part):
        if len(played) == 1:
            played.append("Ctrl-C")
            raise KeyboardInterrupt
        played.append(part)
        play(folder, header, part)

    monkeypatch.setattr(dataset, "record_part", interrupted)
    assert main(words) == 130
    assert "interrupted: the same command goes on" in capsys.readouterr().out
    assert main(words) == 0
    assert played == [0, "Ctrl-C", 1]
    assert len(np.unique(dataset.load(tmp_path).game)) == 150
