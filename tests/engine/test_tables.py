"""Rules tables are anybody's files: whatever is wrong with one is a short `ValueError` that names it."""

import pytest

from drako_env import drako_v0, golden_dragon_v0
from drako_env.drako.rules import DECKS
from drako_env.golden_dragon.rules import BOARDS

SHIPPED = {
    drako_v0: (DECKS / "reconstructed.toml").read_text(encoding="utf-8"),
    golden_dragon_v0: (BOARDS / "classic10.toml").read_text(encoding="utf-8"),
}
DOTTED = ".".join(["a"] * 50_000) + " = 1\n"
HOSTILE = {
    "a key of 100 KB": (DOTTED, "larger than 65536 bytes"),  # the parser would not come back from it
    "a key of 20 KB": (DOTTED[80_000:], "line 1: longer than 1000 bytes"),
    "too large": ("# nothing but a comment\n" * 5000, "larger than 65536 bytes"),
    "too deep": ("a = [\n" + "[\n" * 5000, "nested too deeply"),
    "no text": (b"name = '\xff'", "not valid TOML"),
    "options that are none": ("options = 3\n", r"\[options\]: expected a table of options, got 3"),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("module", SHIPPED, ids=lambda module: module.__name__)
def test_hostile_tables_are_refused(tmp_path, module, name):
    written, says = HOSTILE[name]
    path = tmp_path / "mine.toml"
    before = written if isinstance(written, bytes) else written.encode()
    path.write_bytes(before + b"\n" + SHIPPED[module].encode())
    with pytest.raises(ValueError, match=says) as error:
        module.raw_env(rules=path)
    assert str(path) in str(error.value)
    assert len(str(error.value)) < 300 + len(str(path))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('name = "march"', 'name = "\\u001b[2J"', r"name = '\\x1b\[2J': expected a text of 1 to 80 printable"),
        ('name = "march"', f'name = "{"m" * 81}"', "expected a text of 1 to 80 printable"),
        ('name = "march"', "name = [[[[[[[[[[[[1]]]]]]]]]]]]", "name = .*expected a text"),
        ('[["crossbow", 2]]', '[[["crossbow"], 2]]', r"unknown symbol \['crossbow'\]"),
        ('[["crossbow", 2]]', "[[nan, inf]]", "unknown symbol nan"),
        ("copies = 5", "copies = 99999999999999999999", "copies = 99999999999999999999: expected"),
        ('name = "reconstructed"', 'name = ""', "name = '': expected a text"),
    ],
)
def test_strange_entries_are_named(tmp_path, old, new, says):
    assert old in SHIPPED[drako_v0]
    path = tmp_path / "mine.toml"
    path.write_text(SHIPPED[drako_v0].replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=says) as error:
        drako_v0.raw_env(rules=path)
    assert str(path) in str(error.value)


def test_a_folder_is_no_table(tmp_path):
    with pytest.raises(FileNotFoundError, match=f"no rules table '{tmp_path}'"):
        drako_v0.raw_env(rules=str(tmp_path))


def test_a_table_that_may_not_be_read_is_named(tmp_path, monkeypatch):
    path = tmp_path / "mine.toml"
    path.write_text(SHIPPED[drako_v0])

    def denied(self, *arguments, **keywords):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(type(path), "open", denied)
    with pytest.raises(PermissionError, match=r"mine\.toml"):
        drako_v0.raw_env(rules=path)
