"""The table of clients in the documentation names tests that exist, and every client that is tested."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "notebooks" / "docs" / "guides" / "clients.md"


def named():
    """Every `(path, test or nothing)` of the page."""
    return re.findall(r"`(tests/[\w/.]+)(?:::(\w+))?`", PAGE.read_text(encoding="utf-8"))


def test_every_named_test_exists():
    found = named()
    assert len(found) > 25
    for path, test in found:
        assert (ROOT / path).exists(), path
        assert not test or f"\ndef {test}(" in (ROOT / path).read_text(encoding="utf-8"), test


def test_every_client_that_is_tested_is_named():
    for library in ("gymnasium", "sb3", "rllib", "openspiel"):
        path = f"tests/clients/test_{library}.py"
        tests = set(re.findall(r"\ndef (test_\w+)\(", (ROOT / path).read_text(encoding="utf-8")))
        assert len(tests & {test for file, test in named() if file == path}) >= len(tests) - 1, library


def slow_tests(path):
    """The tests of a file that are slow, as a whole or for some parameters."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {
        one.name for one in functions if any("pytest.mark.slow" in ast.unparse(mark) for mark in one.decorator_list)
    }


def test_slow_ones_are_marked():
    rows = re.findall(r"`(tests/[\w/.]+)::(\w+)`(.*)", PAGE.read_text(encoding="utf-8"))
    marked = {test for _, test, rest in rows if "*slow*" in rest}
    assert marked == {test for path, test, _ in rows if test in slow_tests(path)}
    assert len(marked) > 3
