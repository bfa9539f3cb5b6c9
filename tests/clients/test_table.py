"""The table of clients in the documentation names tests that exist, and every client that is tested."""

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
