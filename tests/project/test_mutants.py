"""What `scripts/mutate.py` changes."""

from pathlib import Path

import pytest

from tests.mutants import compiles, mutants_of, sample

PIECES = {
    "x = a < b": {("<", "<=")},
    "x = a not  in b": {("not  in", "in")},
    "x = (a) == (b) <= c": {("==", "!="), ("<=", "<")},
    "x = a and b": {("and", "or")},
    "x = a + b * c": {("+", "-"), ("*", "//")},
    "x <<= a": {("<<", ">>"), ("x <<= a", "pass")},
    "x = not a": {("not", "")},
    "x = -7": {("-", ""), ("7", "8"), ("7", "6")},
    "x = a[0]": {("0", "1")},
    "x = True": {("True", "False")},
    "x = min(a, b)": {("min", "max")},
    "x = s[seat, kind]": {("seat, kind", "kind, seat")},
    "s[a] = b": {("s[a] = b", "pass")},
    "f(a)": {("f(a)", "pass")},
    "if a or b: x = c": {("or", "and"), ("a or b", "not (a or b)")},
    "x = [a for a in b if a]": {("a", "not (a)")},
    "x = a if b > c else d": {(">", ">="), ("b > c", "not (b > c)")},
    "raise ValueError(f'{a + 1}')": {("raise ValueError(f'{a + 1}')", "pass")},
    "@f(1)\ndef g(x: s[1] = 3) -> s[2]:\n    '''7'''\n    return": {("3", "4"), ("3", "2"), ("return", "pass")},
    "x = 'ä' + a": {("+", "-")},
}


@pytest.mark.parametrize("source", PIECES)
def test_every_piece_is_changed_as_it_should(source, tmp_path):
    path = tmp_path / "source.py"
    path.write_text(source, encoding="utf-8")
    found = list(mutants_of(str(path)))
    assert {(mutant.before, mutant.after) for mutant in found} == PIECES[source]
    assert all(compiles(mutant) and mutant.source() != source for mutant in found)


def test_a_mutant_knows_its_place(tmp_path):
    path = tmp_path / "source.py"
    path.write_text(
        "A = 1\nclass B:\n    c = 2\n    def d(self):\n        def e():\n            return 3\n", encoding="utf-8"
    )
    places = {(mutant.before, mutant.line, mutant.function) for mutant in mutants_of(str(path))}
    assert places == {("1", 1, ""), ("2", 3, ""), ("3", 6, "B.d.<locals>.e")}
    assert "            return 4\n" in [
        mutant.source().splitlines(keepends=True)[-1] for mutant in mutants_of(str(path))
    ]


def test_a_seed_is_a_sample():
    paths = [str(path) for path in sorted((Path(__file__).parents[2] / "drako_env/engine").glob("*.py"))]
    assert sample(paths, 20, 1) == sample(paths, 20, 1) != sample(paths, 20, 2)
    assert len(set(sample(paths, 20, 1))) == 20
    assert len(sample(paths[:6], 0, 1)) == sum(compiles(mutant) for path in paths[:6] for mutant in mutants_of(path))
