"""Series survive: files are whole, a folder has one owner, workers end with their parent, a full disk is said."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from drako_env import runs
from drako_env.runs import append, claimed, digest, read, write
from scripts import evaluate

ROOT = Path(__file__).parents[2]


def raiser(error):
    def fails(*arguments, **options):
        raise error

    return fails


@pytest.mark.parametrize("place", [(os, "fsync"), (Path, "replace"), (Path, "write_bytes")], ids=lambda place: place[1])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.EIO, "broken"), OSError(errno.ENOSPC, "full")])
def test_a_file_is_written_whole_or_stays_as_it_was(tmp_path, monkeypatch, place, error):
    path = tmp_path / "about.json"
    write(path, "old")
    with monkeypatch.context() as patch:
        patch.setattr(*place, raiser(error))
        with pytest.raises(type(error)):
            write(path, "new and longer")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    write(path, b"new")
    assert path.read_bytes() == b"new"


def test_a_file_and_its_folder_reach_the_disk_before_the_name_counts(tmp_path, monkeypatch):
    steps, fsync, replace = [], os.fsync, Path.replace

    def synced(file):
        steps.append(Path(f"/proc/self/fd/{file}").readlink().name)
        fsync(file)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", lambda new, path: (steps.append("replace"), replace(new, path)))
    write(tmp_path / "state.json", "{}")
    assert steps == ["state.json.tmp", "replace", tmp_path.name]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_no_room_names_the_file_and_what_it_needs(tmp_path, monkeypatch, code):
    monkeypatch.setattr(os, "fsync", raiser(OSError(code, "no")))
    with pytest.raises(OSError, match=r"no room for 1,234 bytes: '.*state.json'"):
        write(tmp_path / "state.json", "x" * 1234)


def test_a_line_too_many_names_its_file():
    with pytest.raises(OSError, match="no room for 5 bytes: '/dev/full'"):
        append(Path("/dev/full"), "12345")


def test_a_damaged_file_is_told_from_a_whole_one(tmp_path):
    path = tmp_path / "x.json"
    write(path, '{"a": 1}')
    whole = digest(path)
    write(path, '{"a": 2}')
    assert digest(path) not in (whole, "")
    assert digest(tmp_path / "nowhere") == ""
    assert read(path, ["a"], "") == {"a": 2}
    for content, says in (
        ('{"a"', "Expecting"),
        ("7", "not iterable"),
        ("[]", "no b"),
        ('{"a": 1}', "no b"),
        (b"\xff", ""),
    ):
        write(path, content)
        with pytest.raises(ValueError, match=rf"x.json: damaged \(.*{says}.*\); do this"):
            read(path, ["b"], "do this")


def test_a_folder_has_one_owner(tmp_path):
    folder = tmp_path / "new"
    with claimed(folder), pytest.raises(BlockingIOError, match=f"{folder}: another run is at work"), claimed(folder):
        pass
    with claimed(folder):
        pass


def test_a_killed_owner_leaves_nothing_behind(tmp_path):
    code = "with claimed(pathlib.Path(sys.argv[1])):\n print(flush=True)\n input()"
    code = f"import pathlib, sys\nfrom drako_env.runs import claimed\n{code}"
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        owner.stdout.readline()
        with pytest.raises(BlockingIOError), claimed(tmp_path):
            pass
        owner.kill()
    with claimed(tmp_path):
        pass


def test_a_file_system_without_locks_is_no_obstacle(tmp_path, monkeypatch):
    monkeypatch.setattr("fcntl.flock", raiser(OSError(errno.ENOLCK, "no locks")))
    with claimed(tmp_path):
        pass


def evaluated(folder, monkeypatch, capsys, *words):
    """The exit code of an evaluation, and what it says."""
    given = ["heuristic", "random", "--games", "3", "--processes", "1", "--out", str(folder), *words]
    monkeypatch.setattr(sys, "argv", ["evaluate.py", *given])
    return evaluate.main(), capsys.readouterr()


def files(folder):
    """All but the times, which no two runs share."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != "games.times.json")
    return {path.relative_to(folder): path.read_bytes() for path in found}


def test_an_evaluation_in_a_claimed_folder_is_refused(tmp_path, monkeypatch, capsys):
    with claimed(tmp_path):
        code, said = evaluated(tmp_path, monkeypatch, capsys)
    assert code == 2
    assert said.err.startswith(f"evaluate: {tmp_path}: another run is at work in this folder")
    assert said.err.count("\n") == 1
    assert list(files(tmp_path)) == [Path(".lock")]


def test_an_evaluation_on_a_full_disk_goes_on_when_there_is_room(tmp_path, monkeypatch, capsys):
    """The disk is full from the first, the second, ... write on: of a game, a replay, the report."""
    whole, room, code = tmp_path / "whole", runs.room, 1
    assert evaluated(whole, monkeypatch, capsys, "--replays", "1")[0] == 0
    left = moment = 0

    @contextmanager
    def scarce(path, size):
        nonlocal left
        left -= 1
        with room(path, size):
            if left < 0:
                raise OSError(errno.ENOSPC, "full")
            yield

    while code:
        broken, left = tmp_path / str(moment), moment
        with monkeypatch.context() as patch:
            patch.setattr(runs, "room", scarce)
            code, said = evaluated(broken, patch, capsys, "--replays", "1")
        if code:
            assert code == 1
            assert re.fullmatch(rf"evaluate: {broken}/.*: no room for [\d,]+ bytes; make room .* --resume\n", said.err)
            assert evaluated(broken, monkeypatch, capsys, "--replays", "1", "--resume")[0] == 0
        assert files(broken) == files(whole)
        moment += 1
    assert moment > 12


LIMITED = """
import resource, runpy
from drako_env.players import make_player
from drako_env.evaluation.runner import play_pairings
from drako_env.games import make_game
play_pairings(make_game("drako"), [("heuristic", "random")], 1, make_player)  # what is compiled is kept on the disk
resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))
runpy.run_path("scripts/evaluate.py", run_name="__main__")
"""


def test_a_line_that_is_cut_off_by_a_full_disk_is_played_again(tmp_path, monkeypatch, capsys):
    words = ["heuristic", "random", "--games", "40", "--processes", "1", "--out", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *words], cwd=ROOT, capture_output=True, text=True, timeout=180
    )
    assert done.returncode == 1
    assert f"evaluate: {tmp_path}/games.jsonl: no room for " in done.stderr
    assert len((tmp_path / "games.jsonl").read_bytes()) == 6000
    assert evaluated(tmp_path, monkeypatch, capsys, "--games", "40", "--resume")[0] == 0
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 80


def test_ctrl_c_while_the_report_is_written(tmp_path, monkeypatch, capsys):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert evaluated(whole, monkeypatch, capsys)[0] == 0
    with monkeypatch.context() as patch:
        patch.setattr("drako_env.cli.series.markdown", raiser(KeyboardInterrupt()))
        code, said = evaluated(broken, monkeypatch, capsys)
    assert code == 130
    assert "interrupted after 6 of 6 games: the same command with --resume goes on" in said.out
    assert evaluated(broken, monkeypatch, capsys, "--resume")[0] == 0
    assert files(broken) == files(whole)


@pytest.mark.parametrize("content", ['{"game": "dra', "{}"])
def test_a_damaged_series_says_what_is_wrong(tmp_path, monkeypatch, capsys, content):
    assert evaluated(tmp_path, monkeypatch, capsys)[0] == 0
    path = tmp_path / "series.json"
    path.write_text(content)
    code, said = evaluated(tmp_path, monkeypatch, capsys, "--resume")
    assert code == 2
    assert said.err.startswith(f"evaluate: {path}: damaged (")
    assert said.err.count("\n") == 1
    path.unlink()
    assert evaluated(tmp_path, monkeypatch, capsys, "--resume")[0] == 0
    assert json.loads(path.read_text())["seed"] == 0


def test_workers_end_with_an_evaluation_that_is_killed(tmp_path):
    command = [sys.executable, "scripts/evaluate.py", "heuristic", "random", "--games", "100000", "--processes", "2"]
    running = subprocess.Popen(
        [*command, "--out", str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, start_new_session=True
    )
    games = tmp_path / "games.jsonl"
    try:
        while not games.exists() or not games.stat().st_size:
            assert running.poll() is None
            time.sleep(0.05)
        running.kill()
        running.communicate(timeout=60)  # the workers have the pipe, too: it is closed when all have ended
    finally:
        with suppress(ProcessLookupError):  # nobody is left
            os.killpg(running.pid, signal.SIGKILL)
