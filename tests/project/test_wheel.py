"""The wheel holds the package and its data alone, and plays in an environment that has only what it declares."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.project import test_pages
from tests.project.test_extras import extras

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


GYMNASIUM = """
import importlib.util, sys
assert importlib.util.find_spec("torch") is None
import gymnasium, drako_env
env = gymnasium.make("drako_env/Drako-v0", opponent=sys.argv[1])
for seed in range(3):
    observation, info = env.reset(seed=seed)
    env.action_space.seed(seed)
    ended = False
    while not ended:
        observation, reward, ended, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
    print("terminated")
"""
MINE = """
class First:
    def __init__(self, game):
        pass

    def reset(self, seed):
        pass

    def act(self, view):
        return int(view.action_mask.argmax())
"""


def run(*command, cwd, code=0, input=None, **variables):
    """What a program says; it must end with this code."""
    environment = os.environ | variables
    done = subprocess.run(command, cwd=cwd, env=environment, input=input, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if code == 0 else done.stderr


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A copy of the sources, so that nothing is left over from an earlier build."""
    source = tmp_path_factory.mktemp("source")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for path in (path for path in ROOT.iterdir() if path.is_file()):
        shutil.copy(path, source)
    return source


@pytest.fixture(scope="module")
def wheel(source, tmp_path_factory):
    built = tmp_path_factory.mktemp("built")
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


@pytest.fixture(scope="module")
def released(source, tmp_path_factory):
    """As a release is made: an archive of the sources, and a wheel from nothing but that."""
    pytest.importorskip("build", reason="build is missing: make setup installs it")
    folder = tmp_path_factory.mktemp("released")
    run(sys.executable, "-m", "build", "--quiet", "--outdir", str(folder), ".", cwd=source)
    return folder


def test_the_archive_of_the_sources_builds_the_same_wheel(released, wheel):
    (made,) = released.glob("*.whl")
    assert made.name == wheel.name
    contents = [{name: ZipFile(path).read(name) for name in ZipFile(path).namelist()} for path in (made, wheel)]
    assert contents[0] == contents[1]


def test_the_description_has_no_link_into_the_repository(wheel):
    """Here a link of the README is a word."""
    archive = ZipFile(wheel)
    (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    text = archive.read(name).decode()
    assert "Description-Content-Type: text/markdown" in text
    assert "# drako-env" in text
    assert "](notebooks" not in text
    assert "](tests" not in text


def test_twine_finds_nothing_wrong(released):
    pytest.importorskip("twine", reason="twine is missing: make dist installs it")
    files = sorted(str(path) for path in released.iterdir())
    said = run(sys.executable, "-m", "twine", "--no-color", "check", "--strict", *files, cwd=released)
    assert said.count("PASSED") == len(files) == 2


def test_every_package_of_every_extra_is_pinned(tmp_path):
    """`constraints.txt` is a lock: what pip would install is what stands there."""
    report, extras = tmp_path / "report.json", "dev,train,film,release,bench"
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
    run(*command, "--report", str(report), "--constraint", "constraints.txt", f".[{extras}]", cwd=ROOT)
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {_canonical(line.partition("#")[0].strip()) for line in lines if "==" in line}
    found = [one["metadata"] for one in json.loads(report.read_text())["install"]]
    chosen = {_canonical(f"{one['name']}=={one['version'].partition('+')[0]}") for one in found}
    assert {one for one in chosen - pinned if not one.startswith("drako-env==")} == set()


def _canonical(pin):
    name, _, version = pin.partition("==")
    return f"{re.sub(r'[-_.]+', '-', name).lower()}=={version}"


class Installed:
    """An environment with the wheel, its extras and nothing else, used from an empty folder."""

    def __init__(self, folder, wheel, extras):
        venv.create(folder / "venv", with_pip=True)
        self.programs, self.cwd = folder / "venv" / "bin", folder / "elsewhere"
        self.variables = {"NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": ""}
        self.cwd.mkdir()
        constraints = ("--constraint", str(ROOT / "constraints.txt"))
        self.run("python", "-m", "pip", "install", "--quiet", "--no-compile", *constraints, f"{wheel}{extras}")

    def run(self, program, *words, **options):
        return run(str(self.programs / program), *words, cwd=self.cwd, **options, **self.variables)


@pytest.fixture(scope="module")
def bare(wheel, tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("bare"), wheel, "")


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("installed"), wheel, "[web,evaluation]")


def test_the_wheel_plays_with_what_it_declares_alone(bare):
    said = bare.run("python", "-I", "-W", "error", "-c", PLAY)
    assert [line.split()[0] for line in said.splitlines()] == [
        "drako_env.drako_v0",
        "drako_env.golden_dragon_v0",
        "drako_env.icarius_v0",
    ]
    assert all(int(line.split()[1]) > 10 for line in said.splitlines())


@pytest.mark.parametrize(
    ("words", "extra"),
    [("play --web", "web"), ("watch random random", "replay"), ("evaluate policy", "evaluation"), ("train", "train")],
)
def test_the_command_names_the_extra_that_is_missing(bare, words, extra):
    assert "\n  play " in bare.run("drako-env")
    said = bare.run("drako-env", *words.split(), code=2)
    assert f"pip install 'drako-env[{extra}]'" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("opponent", ["policy", "ismcts:200"])
def test_gymnasium_meets_every_player(installed, opponent):
    """Without torch."""
    said = installed.run("python", "-W", "error", "-c", GYMNASIUM, opponent)
    assert said.split() == ["terminated"] * 3


def test_a_class_of_ones_own_meets_the_policy(installed):
    (installed.cwd / "mine.py").write_text(MINE)
    installed.run("drako-env", "evaluate", "mine:First", "policy", "--games", "4", "--processes", "2", "--out", "match")
    report = json.loads((installed.cwd / "match" / "report.json").read_text())
    (match, _) = report["matches"]
    assert match["agents"] == ["mine:First", "policy"]
    assert match["matches"] == 4
    assert 0 <= match["interval"][0] <= match["score"] <= match["interval"][1] < 1
    installed.run("drako-env", "watch", "mine:First", "policy", "--html", "game.html")
    assert "svg xmlns" in (installed.cwd / "game.html").read_text(encoding="utf-8")


def test_a_person_plays_in_the_terminal(installed):
    """Always the first choice, until the end and beyond."""
    said = installed.run("drako-env", "play", "--seat", "dwarves", input="1\n" * 2000)
    assert "replay: runs/play/" in said
    (kept,) = (installed.cwd / "runs" / "play").iterdir()
    installed.run("drako-env", "replay", str(kept), "--html", "mine.html")


def test_a_person_plays_on_the_page(installed):
    command = [str(installed.programs / "drako-env"), "play", "--web", "--port", "0"]
    pipes = {"stdout": subprocess.PIPE, "env": os.environ | installed.variables, "text": True}
    with subprocess.Popen(command, cwd=installed.cwd, **pipes) as server:
        try:
            address = re.search(r"http://\S+/", server.stdout.readline())[0]
            assert b"<title>" in urllib.request.urlopen(address).read()
            assert b'"policy"' in urllib.request.urlopen(f"{address}api/games").read()
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def learning(wheel, tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("learning"), wheel, "[train]")


def test_the_installed_packages_agree(learning):
    assert "No broken requirements" in learning.run("python", "-m", "pip", "check")


def test_the_guide_can_be_followed_without_a_clone(learning):
    """Every block of the page, then every line for the shell."""
    learning.run("python", "-c", test_pages.program("guides/own-repository", learning.cwd))
    for words in test_pages.lines("guides/own-repository"):
        if words[0] == "drako-env":
            learning.run(*words)
    assert json.loads((learning.cwd / "runs" / "tournament" / "report.json").read_text())["games"] == 9 * 20


@pytest.fixture(scope="module")
def complete(wheel, tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("complete"), wheel, "[train,pictures,web,film,rllib,openspiel,examples]")


@pytest.mark.parametrize("page", test_pages.for_the_installed())
def test_a_page_runs_without_a_clone(complete, page):
    complete.run("python", "-c", test_pages.program(page, complete.cwd))


@pytest.mark.parametrize("extra", sorted(extras()))
def test_an_extra_by_itself_agrees(wheel, extra, tmp_path):
    """With the pinned versions, in an environment of its own."""
    alone = Installed(tmp_path, wheel, f"[{extra}]")
    assert "No broken requirements" in alone.run("python", "-m", "pip", "check")
    shutil.rmtree(tmp_path / "venv")  # some gigabytes
