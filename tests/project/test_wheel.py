"""The wheel holds the package and its data alone, and plays in an environment that has only what it declares."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FOLDERS = ("drako_env", "agents", "scripts", "tests", "notebooks")
DATA = (".toml", ".md", ".ttf", ".html", ".css", ".js", ".typed", ".safetensors")
OPTIONAL = (
    "stable_baselines3 sb3_contrib torch tensorboard msgspec scipy matplotlib rich starlette uvicorn "
    "resvg_py PIL pygame imageio_ffmpeg ray pyspiel mkdocs pytest"
)
PLAY = f"""
import importlib.util, random, sys
for name in {OPTIONAL.split()!r}:
    assert importlib.util.find_spec(name) is None, name
from drako_env import drako_v0, golden_dragon_v0, icarius_v0
import gymnasium
for module, options in ((drako_v0, {{}}), (golden_dragon_v0, {{"num_players": 3}}), (icarius_v0, {{"num_players": 5}})):
    env, chance, decisions = module.env(render_mode="ansi", **options), random.Random(0), 0
    env.reset(seed=0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        legal = observation["action_mask"].nonzero()[0].tolist()
        env.step(None if termination else chance.choice(legal))
        decisions += not termination
    module.raw_env(render_mode="svg").reset(seed=0)
    batch = module.batch_env(8, seed=0)
    batch.step(batch.sample())
    print(module.__name__, decisions)
env = gymnasium.make("drako_env/Drako-v0", opponent="heuristic")
env.reset(seed=0)
for call, extra in ((lambda: drako_v0.sb3_env(2), "train"), (lambda: __import__("drako_env.replay"), "replay")):
    try:
        call()
    except ImportError as error:
        assert f"drako-env[{{extra}}]" in str(error), error
    else:
        raise AssertionError(extra)
"""


def run(*command, cwd, **variables):
    done = subprocess.run(command, cwd=cwd, env=os.environ | variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy of the sources, so that nothing is left over from an earlier build."""
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for path in (path for path in ROOT.iterdir() if path.is_file()):
        shutil.copy(path, source)
    run(sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--quiet", "--wheel-dir", str(built), cwd=source)
    (made,) = built.iterdir()
    return made


def test_the_wheel_holds_the_package_and_its_data(wheel):
    names = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert {name.split("/")[0] for name in names} == {"drako_env"}
    wanted = [path for path in (ROOT / "drako_env").rglob("*") if path.suffix in (".py", *DATA)]
    assert {path.suffix for path in wanted} == {".py", *DATA}
    assert {path.relative_to(ROOT).as_posix() for path in wanted} - names == set()
    assert "drako_env/render/fonts/LICENSE_DEJAVU" in names


def test_the_wheel_plays_with_what_it_declares_alone(wheel, tmp_path):
    venv.create(tmp_path / "venv", with_pip=True)
    python, elsewhere = str(tmp_path / "venv" / "bin" / "python"), tmp_path / "elsewhere"
    elsewhere.mkdir()
    constraints = ("--constraint", str(ROOT / "constraints.txt"))
    run(python, "-m", "pip", "install", "--quiet", *constraints, str(wheel), cwd=elsewhere)
    said = run(python, "-I", "-W", "error", "-c", PLAY, cwd=elsewhere, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert [line.split()[0] for line in said.splitlines()] == [
        "drako_env.drako_v0",
        "drako_env.golden_dragon_v0",
        "drako_env.icarius_v0",
    ]
    assert all(int(line.split()[1]) > 10 for line in said.splitlines())
