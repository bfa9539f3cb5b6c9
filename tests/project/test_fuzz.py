"""A little of `scripts/fuzz.py`: hostile positions and files of every game, with all bounds checked."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def fuzz(*words):
    command = [sys.executable, "scripts/fuzz.py", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)


def test_hostile_data_is_refused_or_played(tmp_path):
    done = fuzz("--positions", "300", "--files", "200", "--seed", "2", "--out", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    counts = {line.rsplit(maxsplit=1)[0]: int(line.split()[-1]) for line in done.stdout.splitlines()[-10:]}
    for kind in ("position", "table", "replay", "policy", "batch"):
        assert counts[f"{kind} accepted"] > 0
        assert counts[f"{kind} refused"] > 10

    # what the process died of is in a file that was written before; a failure is one the next time, too
    case = tmp_path / "case.json"
    assert fuzz("--replay", str(case)).stdout in ("accepted\n", "refused\n")
    case.write_text(json.dumps(json.loads(case.read_text()) | {"setting": 99}))
    done = fuzz("--replay", str(case))
    assert (done.returncode, done.stdout) == (1, "IndexError: list index out of range\n")
