"""The same games in any process, compiled or not, with bounds checked or not."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scripts import cold_start
from tests.project.games_digest import digest

ROOT = Path(__file__).parents[2]
GAMES = 12


def run(*arguments, cwd=ROOT, **variables):
    command = [sys.executable, "-W", "error", *arguments]
    return subprocess.run(
        command, cwd=cwd, env=os.environ | variables, capture_output=True, text=True, check=True, timeout=300
    )


@pytest.mark.parametrize(
    "variables",
    [{"PYTHONHASHSEED": "1"}, {"NUMBA_DISABLE_JIT": "1"}, {"NUMBA_BOUNDSCHECK": "1"}],
    ids=["another process", "not compiled", "bounds checked"],
)
def test_the_same_games_everywhere(variables):
    assert run("-m", "tests.project.games_digest", str(GAMES), **variables).stdout.strip() == digest(GAMES)


START = "from drako_env import drako_v0; e = drako_v0.env(); e.reset(seed=0)"


def seconds(code):
    start = time.perf_counter()
    run("-c", code)
    return time.perf_counter() - start


def test_a_cold_start_compiles_once_and_says_so(tmp_path):
    variables = {"NUMBA_CACHE_DIR": str(tmp_path)}
    said = [line for line in run("-c", START, **variables).stderr.splitlines() if "still compiling" not in line]
    names = ("deal_one", "observe_one", "reward_one", "play_one")
    assert said == [f"drako_env: compiling drako {name}, once, into {tmp_path}/drako_env ..." for name in names]
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(ROOT / "drako_env", elsewhere / "drako_env", ignore=shutil.ignore_patterns("__pycache__"))
    found = run(
        "-c", f"{START}; import drako_env; print(drako_env.__file__)", cwd=elsewhere, PYTHONPATH="", **variables
    )
    assert found.stdout.startswith(str(elsewhere))
    assert found.stderr == "", "another installation of the same sources starts warm"


@pytest.mark.timing
@pytest.mark.parametrize("door", cold_start.DOORS)
def test_nobody_waits_for_long_without_a_word(door, tmp_path):
    """Three seconds of the processor; a warm start has nothing to say, and may have PyTorch to import."""
    cold = cold_start.start(cold_start.DOORS[door], tmp_path)
    warm = cold_start.start(cold_start.DOORS[door], tmp_path)
    print(f"{door}: {cold.seconds:.1f} s, then {warm.seconds:.1f} s, at most {cold.silence:.1f} s after {cold.after}")
    assert cold.silence < 3
    assert warm.seconds < cold.seconds / 1.5


NUMBA_ALONE = "import pettingzoo, numba; numba.njit(lambda: 0)()"


@pytest.mark.timing
def test_a_warm_start_takes_little_more_than_numba_itself():
    """The best of several runs of each, side by side: other work on the machine only ever adds time. Numba's first call
    of any function takes most of a start, the more the more is installed beside it; what is ours must stay small."""
    seconds(START)
    alone, ours = [], []
    for _ in range(10):
        alone.append(seconds(NUMBA_ALONE))
        ours.append(seconds(START))
        if len(ours) >= 3 and min(ours) < 1.3 * min(alone):
            break
    assert min(ours) < 1.3 * min(alone), f"a warm start takes {min(ours) / min(alone):.2f} times Numba's own"
