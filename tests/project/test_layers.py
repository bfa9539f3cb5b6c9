"""Imports go downwards only, and the rules need neither PettingZoo nor Gymnasium."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "drako_env"
ALLOWED = {
    "engine": {"engine", "render"},
    "drako": {"engine", "drako", "render"},
    "golden_dragon": {"engine", "golden_dragon", "render"},
    "players": {"engine", "players", "runs"},
    "render": {"render"},
    "envs": {"engine", "envs", "players", "render"},
    "evaluation": {"engine", "evaluation", "runs"},
    "exact": {"engine", "envs", "exact"},
    "web": {"engine", "evaluation", "games", "players", "render", "replay", "runs", "web"},
    "cli": {"cli", "dataset", "engine", "envs", "evaluation", "games", "habits", "players", "replay", "runs", "web"},
}
OTHERS = {
    "envs": None,
    "web": None,
    "cli": {"rich"},
    "evaluation": {"scipy", "matplotlib", "ray"},
    "exact": {"scipy"},
    "players": {"safetensors"},
    "render": {"resvg_py", "PIL", "pygame"},
}
"""What a layer may use beyond what the rules may; `None`: anything."""
RULES_MAY_IMPORT = {"numpy", "numba", "llvmlite", "drako_env"} | set(sys.stdlib_module_names)


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("*/**/*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_downwards(path):
    layer = path.relative_to(PACKAGE).parts[0]
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "drako_env":
            assert len(parts) > 1, f"{path}: import the module meant, not the package"
            assert parts[1] in ALLOWED[layer], f"{path} imports {name}"
        elif (others := OTHERS.get(layer, set())) is not None:
            assert parts[0] in RULES_MAY_IMPORT | others, f"{path} imports {name}"


def test_the_rules_run_without_pettingzoo_and_gymnasium():
    code = (
        "import sys; sys.modules['pettingzoo'] = sys.modules['gymnasium'] = None\n"
        "from drako_env.drako.game import Drako; from drako_env.drako.rules import Rules\n"
        "print(Drako(Rules.load()).tables['num_actions'][0])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "222"
