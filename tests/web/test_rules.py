"""The rules as the page shows them."""

import re

import pytest

from drako_env.games import GAMES
from drako_env.web import rules
from tests.web.running import app_of
from tests.web.test_server import client_at

CHAPTERS = ["The game in a minute", "The clauses", "Readings"]
OF_PROGRAMS = re.compile(
    r"\b([a-z]+[12] [v0-9]|attack[12]|move[12]|fury|archer|[a-z]+_[a-z_]+|True|False|toml|env)\b"
    r"|\(-?\d, ?-?\d\)|`[vqr]`|`\w+` dwarf"
)
"""What nobody says who plays: names of symbols, figures and options, coordinates that the board does not show."""


def shown(name):
    """All that the page shows: what stands before the first chapter is for readers of the program."""
    return rules.rules_of(name).partition("## ")[2]


@pytest.mark.parametrize("name", GAMES)
def test_the_page_says_the_rules_in_its_own_words(name):
    text = shown(name)
    assert re.findall("^## (.*)", "## " + text, re.MULTILINE) == CHAPTERS
    assert OF_PROGRAMS.findall(text) == []


@pytest.mark.parametrize("name", GAMES)
def test_what_is_said_otherwise_is_still_written_so(name):
    text, spoken = rules.rules_file(name).read_text(encoding="utf-8"), rules.words_of(name)
    for title in spoken["left_out"]:
        assert f"\n## {title}\n" in text
        text = rules.without_chapter(text, title)
    for written, said in spoken["instead"]:
        before, text = text, rules.replaced(text, written, said)
        assert text != before, f"RULES.md has no {written!r} any more: see drako_env/web/spoken/{name}.toml"


@pytest.mark.parametrize("name", GAMES)
def test_every_clause_is_told(name):
    clauses = r"^### \w+|^- \*\*[RG][\d.]+a?\*\*"
    written = re.findall(clauses, rules.rules_file(name).read_text(encoding="utf-8"), re.MULTILINE)
    told = re.findall(clauses, shown(name), re.MULTILINE)
    assert len(told) > 20
    assert set(written) - set(told) <= {"- **R11.3**"}  # what a program is rewarded with


def test_icarius_has_rules_of_its_own():
    text = shown("icarius")
    assert "own flyer on the sun" in text
    assert "volcano" not in text
    assert not re.search("dragon", text.replace("Golden Dragon", ""), re.IGNORECASE)


def test_the_rules_are_served():
    client = client_at(app_of())
    for name in GAMES:
        assert client.get(f"/api/rules/{name}").text == rules.rules_of(name)
    assert client.get("/api/rules/chess").status_code == 404
