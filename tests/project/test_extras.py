"""A module that needs what is not installed names the extra that brings it."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from drako_env.__main__ import COMMANDS

ROOT = Path(__file__).parents[2]
BARE = "import sys; sys.meta_path.insert(0, __import__('tests.project.test_extras', fromlist='Bare').Bare())\n"
IMPORT_ALL = """
import importlib, json, pkgutil, drako_env
said = {}
for module in pkgutil.walk_packages(drako_env.__path__, "drako_env."):
    if not module.name.startswith("drako_env.cli.") and module.name != "drako_env.__main__":
        try:
            importlib.import_module(module.name)
            said[module.name] = None
        except ImportError as error:
            said[module.name] = str(error)
print(json.dumps(said))
"""
RUN_ALL = """
from drako_env.__main__ import COMMANDS, run
for name in COMMANDS:
    if name != "compile":  # needs no extra
        assert run(name, ["nothing"]), name
"""
OTHER_NAMES = {
    "stable-baselines3": "stable_baselines3",
    "open_spiel": "pyspiel",
    "pillow": "PIL",
    "pygame-ce": "pygame",
    "resvg-py": "resvg_py",
    "imageio-ffmpeg": "imageio_ffmpeg",
    "sb3-contrib": "sb3_contrib",
}
"""Of packages as they are imported."""


def extras():
    """The packages of every extra."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    return {extra: {re.match(r"[\w.-]+", line)[0] for line in lines} for extra, lines in declared.items()}


def hidden():
    """What only extras bring."""
    packages = set().union(*extras().values()) - {"drako-env", "numpy", "gymnasium", "pettingzoo"}
    return {OTHER_NAMES.get(package.lower(), package) for package in packages}


class Bare:
    """As if nothing but what the package needs were installed."""

    def __init__(self):
        self.hidden = hidden()

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def run_bare(code):
    command = [sys.executable, "-c", BARE + code]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)


def test_what_is_hidden():
    assert {"torch", "ray", "pyspiel", "scipy", "matplotlib", "msgspec", "rich", "starlette", "PIL"} <= hidden()
    assert "numba" not in hidden()


def test_every_module_names_the_extra_it_misses():
    said = json.loads(run_bare(IMPORT_ALL).stdout)
    refused = {name: words for name, words in said.items() if words}
    assert {"drako_env.envs.rllib", "drako_env.envs.sb3", "drako_env.exact.linear", "drako_env.replay"} <= set(refused)
    assert {"drako_env.drako_v0", "drako_env.testing", "drako_env.evaluation.match", "drako_env.players"}.isdisjoint(
        refused
    )
    for name, words in refused.items():
        named = re.search(r"pip install 'drako-env\[(\w+)\]'$", words)
        assert named, f"{name}: {words}"
        assert named[1] in extras(), f"{name}: {words}"


def test_every_command_names_the_extra_it_misses():
    lines = run_bare(RUN_ALL).stderr.splitlines()
    needed = [extra for name, (_, extra) in COMMANDS.items() if name != "compile"]
    for line, extra in zip(lines, needed, strict=True):
        assert f"pip install 'drako-env[{extra}]'" in line


@pytest.mark.parametrize("extra", sorted(extras()))
def test_every_extra_is_pinned(extra):
    """`constraints.txt` says which versions are known to live together."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {line.partition("==")[0].lower() for line in lines if "==" in line}
    wanted = {package.lower() for package in extras()[extra]} - {"drako-env"}
    assert wanted - pinned == set()
