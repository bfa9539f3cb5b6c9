"""The guides can be followed: every block of Python runs, every line for the shell names commands that there are."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from drako_env.__main__ import COMMANDS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "notebooks" / "docs"
SLOW = {"guides/own-repository", "reference/testing"}
PAGES = [*sorted(SLOW), "guides/troubleshooting", "guides/compatibility", "guides/baselines"]
NEEDS = {"guides/own-repository": "sb3_contrib", "reference/testing": "ray"}
IN_A_CLONE = {"guides/training", "guides/exact"}
"""What they import is not in the wheel."""
FRAGMENTS = {"reference/dataset", "reference/replay", "reference/rllib"}
"""They begin with a file or a trained algorithm of the reader's."""
TASTE = {"sb3_env(512, ": "sb3_env(1, ", ".learn(1_000_000)": ".learn(1_024)"}
"""What would take minutes."""
FENCE = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page, *languages):
    """The title and the text of every block in these languages."""
    found = FENCE.findall((DOCS / f"{page}.md").read_text(encoding="utf-8"))
    return [(title, text) for language, title, text in found if language in languages]


def program(page, folder):
    """The blocks of a page as one program; those with a title are files beside it."""
    parts = []
    for title, text in blocks(page, "python"):
        if title:
            (folder / title).write_text(text, encoding="utf-8")
        else:
            parts.append(text)
    code = "\n".join(parts)
    for long, short in TASTE.items():
        code = code.replace(long, short)
    return code


def for_the_installed():
    """All pages with code that needs the wheel alone, the README among them."""
    files = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    names = [Path(os.path.relpath(file, DOCS)).with_suffix("").as_posix() for file in files]
    return [name for name in names if name not in IN_A_CLONE | FRAGMENTS and blocks(name, "python")]


def test_pages_that_need_a_clone_say_so():
    for page in IN_A_CLONE:
        assert any(
            re.search(r"^(from|import) (agents|scripts)\b", text, re.MULTILINE) for _, text in blocks(page, "python")
        )
    for page in for_the_installed():
        assert not any(
            re.search(r"^(from|import) (agents|scripts)\b", text, re.MULTILINE) for _, text in blocks(page, "python")
        ), page


def lines(page):
    """What a page has for the shell, without remarks, continued lines as one."""
    text = "\n".join(text for _, text in blocks(page, "sh")).replace("\\\n", " ")
    return [words for line in text.splitlines() if (words := shlex.split(line, comments=True))]


def run_program(page, folder, python=sys.executable, **variables):
    code = program(page, folder)
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | variables
    return subprocess.run([python, "-c", code], cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.slow) if page in SLOW else page for page in PAGES]
)
def test_the_code_of_a_page_runs(page, tmp_path):
    pytest.importorskip(NEEDS.get(page, "numpy"))
    done = run_program(page, tmp_path)
    assert done.returncode == 0, done.stderr


@cache
def help_of(*command):
    done = subprocess.run([sys.executable, *command, "--help"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def problem(words):
    """What is wrong with a command, if anything."""
    words = [word for word in words if not re.fullmatch(r"[A-Z_]+=.*", word)]  # variables before the command
    program = Path(words[0]).name if words else "export"
    if program == "drako-env":
        return _unknown_options(words[2:], "-m", "drako_env", words[1]) if words[1] in COMMANDS else "no such command"
    if program == "python" and words[1].startswith("scripts/"):
        return _unknown_options(words[2:], words[1]) if (ROOT / words[1]).exists() else "no such script"
    if program == "pip":
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
            "optional-dependencies"
        ]
        asked = {extra for word in words for match in re.findall(r"\[(.*?)\]", word) for extra in match.split(",")}
        return f"no extras {asked - set(extras)}" if asked - set(extras) else None
    return None if program in {"python", "export", "make", "docker"} else "no such program"


def _unknown_options(words, *command):
    known = set(re.findall(r"--[a-z-]+", help_of(*command)))
    unknown = [word for word in words if word.startswith("--") and word.partition("=")[0] not in known]
    return f"no options {unknown}" if unknown else None


@pytest.mark.parametrize("page", PAGES)
def test_the_lines_for_the_shell_name_what_there_is(page):
    assert {" ".join(words): said for words in lines(page) if (said := problem(words))} == {}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("drako-env evaluate a b --game drako", None),
        ("drako-env evaluate a b --gamez drako", "no options"),
        ("drako-env evaluates a b", "no such command"),
        ("python scripts/nothing.py", "no such script"),
        ("pip install 'drako-env[web,nothing]'", "no extras"),
        ("NUMBA_CACHE_DIR=/x drako-env evaluate", None),
        ("frobnicate", "no such program"),
    ],
)
def test_a_wrong_line_is_seen(line, said):
    found = problem(shlex.split(line))
    assert found is None if said is None else found.startswith(said)
