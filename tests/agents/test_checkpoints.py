"""Training runs survive: damaged checkpoints, an end at any moment, a full disk, a second run in the same folder."""

import errno
import json
import os
import sys
from pathlib import Path

import pytest
from rich.console import Console

from agents.league.config import Config
from agents.league.league import League
from agents.league.run import Budget, Run
from agents.league.training import run_league
from drako_env import runs
from drako_env.games import make_game
from scripts import train

ROOT = Path(__file__).parents[2]
GAME = make_game("drako", rules="tiny")
SEATS = ["dragon_0", "dwarves_0"]
CONFIG = Config.load(layers=[32], num_envs=32, steps=32, minibatch=256, snapshot_every=1, eval_every=100)
CHECKPOINT = ("checkpoint/state.json", "checkpoint/00003/dragon.pt", "checkpoint/00003/dwarves.pt")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """The disk itself is not on trial."""
    monkeypatch.setattr(os, "fsync", lambda file: None)


class Forgetful:
    """Learners that know nothing but their round."""

    def start(self, game, seeds, config):
        self.seats, self.round = list(seeds), 0

    def train(self, opponents, pace):
        for pool in opponents.values():
            for _, player in pool.values():
                kind, _, file = player.partition(":")
                assert kind != "policy" or Path(file).read_bytes().startswith(b"policy")
        self.round += 1
        return {seat: {"results": {}, "decisions": self.round, "time": {"games": 1.0}} for seat in self.seats}

    def export(self, files, info):
        for path in files.values():
            runs.write(path, f"policy of round {self.round}")

    def save(self, folder):
        folder.mkdir(exist_ok=True)
        for seat in self.seats:
            runs.write(folder / f"{seat.partition('_')[0]}.pt", f"learner of round {self.round}")

    def load(self, folder, decisions):
        learnt = {(folder / f"{seat.partition('_')[0]}.pt").read_text() for seat in self.seats}
        self.round = decisions[self.seats[0]]
        assert learnt == {f"learner of round {self.round}"}

    def start_from(self, files):
        pass

    def close(self):
        pass


def begun(folder, rounds=3):
    return Run(folder, GAME, SEATS, CONFIG, 0, Budget(rounds=rounds))


def league(folder, said=None, rounds=0):
    """A run, begun or gone on with, and trained up to a round."""
    found = League(begun(folder), Forgetful(), tell=(said if said is not None else []).append)
    found.start()
    if rounds:
        train_to(found, rounds)
    return found


def train_to(found, rounds):
    found.run.budget = Budget(rounds=rounds)
    found.train()


def cut(path):
    path.write_bytes(path.read_bytes()[:10])


@pytest.mark.parametrize("damage", [cut, Path.unlink])
@pytest.mark.parametrize("name", [*CHECKPOINT, "past/dragon-00003.safetensors"])
def test_a_damaged_checkpoint_falls_back_to_the_one_before(tmp_path, name, damage):
    league(tmp_path, rounds=3)
    damage(tmp_path / name)
    said = []
    found = league(tmp_path, said)
    assert (found.state.round, found.learners.round) == (2, 2)
    assert said == [f"damaged or missing: {name}; going on from the checkpoint before, of round 2"]
    train_to(found, 3)
    assert league(tmp_path, said).state.round == 3
    assert [row["round"] for row in found.state.rows] == [1, 2, 3]
    cut(tmp_path / CHECKPOINT[0])
    assert league(tmp_path).state.round == 2, "there are two again"
    assert len(said) == 1


def test_without_a_whole_checkpoint_the_files_are_named(tmp_path):
    league(tmp_path, rounds=3)
    for name in ("checkpoint/00002/dragon.pt", *CHECKPOINT[1:]):
        cut(tmp_path / name)
    with pytest.raises(OSError, match="no checkpoint is whole; damaged or missing: ") as caught:
        league(tmp_path)
    names = "checkpoint/00003/dragon.pt, checkpoint/00003/dwarves.pt, checkpoint/00002/dragon.pt; put back copies"
    assert names in str(caught.value)
    assert "\n" not in str(caught.value)


def test_only_what_two_checkpoints_need_is_kept(tmp_path):
    league(tmp_path, rounds=5)
    assert sorted(path.name for path in (tmp_path / "checkpoint").iterdir()) == [
        "00004",
        "00005",
        "previous.json",
        "state.json",
    ]
    assert not list(tmp_path.rglob("*.tmp"))


class Killed(BaseException):
    pass


@pytest.mark.parametrize("damaged", [False, True], ids=["whole", "then damaged"])
def test_a_run_that_ends_at_any_moment_goes_on(tmp_path, monkeypatch, damaged):
    """The third round ends before the first, the second, ... time that something reaches the disk or is removed."""
    moment = 0
    while True:
        folder, left = tmp_path / str(moment), moment

        def step(function, *arguments, **options):
            nonlocal left
            if left == 0:
                raise Killed
            left -= 1
            return function(*arguments, **options)

        run = league(folder, rounds=2)
        with monkeypatch.context() as patch:
            for place, name in ((os, "fsync"), (Path, "replace"), (Path, "unlink"), (Path, "write_bytes")):
                known = getattr(place, name)
                patch.setattr(place, name, lambda *a, known=known, **o: step(known, *a, **o))
            try:
                train_to(run, 3)
            except Killed:
                through = False
            else:
                through = True
        if damaged:
            cut(folder / "checkpoint" / "state.json")
        said = []
        found = league(folder, said)
        assert found.state.round == found.learners.round
        assert found.state.round in ((1, 2) if damaged else (2, 3))
        assert len(said) == damaged
        train_to(found, 4)
        if through:
            break
        moment += 1
    assert moment > 20


def trained(folder, capsys, learners=Forgetful):
    """The exit code of a run of three rounds, and what it says."""
    code = run_league(League(begun(folder), learners()), lambda league: None, Console(width=200))
    return code, capsys.readouterr()


class Full(Forgetful):
    """In the third round the disk is full."""

    def save(self, folder):
        super().save(folder)
        if self.round == 3:
            raise OSError(errno.ENOSPC, "no room for 99 bytes", str(folder / "dragon.pt"))


class Stopped(Forgetful):
    """Ctrl-C while the third checkpoint is written."""

    def save(self, folder):
        super().save(folder)
        if self.round == 3:
            raise KeyboardInterrupt


def test_a_full_disk_is_one_line_and_the_run_goes_on(tmp_path, capsys):
    code, said = trained(tmp_path, capsys, Full)
    assert code == 1
    assert said.err.startswith(f"train: {tmp_path}/checkpoint/00003/dragon.pt: no room for 99 bytes; make room")
    assert f"--out {tmp_path} --resume" in said.err
    assert said.err.count("\n") == 1
    assert league(tmp_path).state.round == 2
    assert trained(tmp_path, capsys)[0] == 0
    assert league(tmp_path).state.round == 3


def test_a_disk_that_is_full_from_the_start(tmp_path, capsys, monkeypatch):
    def full(path, content):
        raise OSError(errno.ENOSPC, "no room for 9 bytes", str(path))

    monkeypatch.setattr("agents.league.run.write", full)
    code, said = trained(tmp_path, capsys)
    assert code == 1
    assert "about.json: no room for 9 bytes; make room on the disk; there was no checkpoint yet" in said.err


def test_ctrl_c_while_a_checkpoint_is_written(tmp_path, capsys):
    code, said = trained(tmp_path, capsys, Stopped)
    assert code == 130
    assert f"stopped; to go on: .venv/bin/python scripts/{Path(sys.argv[0]).name} --out {tmp_path} --resume" in said.out
    assert said.err == ""
    assert league(tmp_path).state.round == 2


def test_a_second_run_in_the_same_folder_is_refused(tmp_path, capsys):
    with runs.claimed(tmp_path):
        code, said = trained(tmp_path, capsys)
    assert code == 2
    assert said.err.startswith(f"train: {tmp_path}: another run is at work in this folder")
    assert said.err.count("\n") == 1
    assert not (tmp_path / "about.json").exists()
    assert trained(tmp_path, capsys)[0] == 0


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda text: text[:300], "Unterminated string"),
        (lambda text: "", "Expecting value"),
        (lambda text: "[1, 2]", "no commands and no kind"),
        (lambda text: json.dumps({k: v for k, v in json.loads(text).items() if k != "seed"}), "no seed"),
    ],
)
def test_a_damaged_about_says_what_is_wrong(tmp_path, damage, says, monkeypatch, capsys):
    run = begun(tmp_path)
    run.save(["train.py"])
    league(tmp_path)
    path = tmp_path / "about.json"
    path.write_text(damage(path.read_text()))
    monkeypatch.setattr(sys, "argv", ["train.py", "--out", str(tmp_path), "--resume"])
    assert train.main() == 2
    said = capsys.readouterr().err
    assert said.startswith(f"train: {path}: damaged ({says}")
    assert "put back a copy of it" in said
    assert said.count("\n") == 1
