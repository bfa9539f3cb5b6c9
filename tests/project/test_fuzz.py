"""A little of `scripts/fuzz.py`: hostile positions and files of every game, with all bounds checked."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def fuzz(*words):
    command = [sys.executable, "scripts/fuzz.py", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


def test_hostile_data_is_refused_or_played(folder):
    done = fuzz("--positions", "300", "--files", "200", "--seed", "2", "--out", str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    counts = {line.rsplit(maxsplit=1)[0]: int(line.split()[-1]) for line in done.stdout.splitlines()[-10:]}
    for kind in ("position", "table", "replay", "policy", "batch"):
        assert counts[f"{kind} accepted"] > 0
        assert counts[f"{kind} refused"] > 10


def test_a_case_can_be_tried_again(folder):
    """What the process died of is in a file that was written before; a failure is one the next time, too."""
    case = json.loads((folder / "case.json").read_text())
    assert fuzz("--replay", str(folder / "case.json")).stdout in ("accepted\n", "refused\n")
    (folder / "broken.json").write_text(json.dumps(case | {"setting": 99}))
    done = fuzz("--replay", str(folder / "broken.json"))
    assert (done.returncode, done.stdout) == (1, "IndexError: list index out of range\n")
