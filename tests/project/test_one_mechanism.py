"""A game is added, never branched on: shared code names no game, and the games' folders share no copied code."""

import ast
import io
import re
import tokenize
from itertools import combinations
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOR_ALL_GAMES = ("engine", "envs", "render", "web", "evaluation", "players", "cli")
SHARED = (*(f"drako_env/{folder}" for folder in FOR_ALL_GAMES), "agents")
FOLDERS = ("drako", "golden_dragon")
GAME_NAME = re.compile(r"(drako|golden_?dragon|icarius)(_?v\d+)?", re.IGNORECASE)
GAME_MODULE = re.compile(r"drako_env\.(drako|golden_dragon|icarius)(_v\d+)?(\.|$)")
MAY_NAME = {
    "drako_env/envs/registration.py",  # the table of Gymnasium's ids
    "agents/exact/find.py",  # it makes up tables of one game, card by card
}
SMALLEST_COPY = 6


def shared_files():
    return [path for folder in SHARED for path in sorted((ROOT / folder).rglob("*.py"))]


def branches(tree):
    """What the code does with a game's name: comparing, looking up, matching, calling; a default that a user may
    change is none."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            yield from (node.left, *node.comparators)
        elif isinstance(node, ast.Dict):
            yield from filter(None, node.keys)
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            yield from node.elts
        elif isinstance(node, ast.Subscript):
            yield node.slice
        elif isinstance(node, ast.MatchValue):
            yield node.value
        elif isinstance(node, ast.Call):
            yield from node.args


def names_of_games(source):
    """The lines of a source that branch on a game, or import one."""
    tree, found = ast.parse(source), []
    for node in branches(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and GAME_NAME.fullmatch(node.value):
            found.append(f"line {node.lineno}: {node.value!r}")
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "drako_env":
            modules = [f"drako_env.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        else:
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        found += [f"line {node.lineno}: import of {name}" for name in modules if GAME_MODULE.match(name)]
    return found


@pytest.mark.parametrize("path", shared_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_shared_code_names_no_game(path):
    if str(path.relative_to(ROOT)) not in MAY_NAME:
        assert names_of_games(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "branch",
    [
        'if game.name == "golden_dragon_v0": pass',
        'if "drako" in name: pass',
        'if name in ("icarius", "chess"): pass',
        'size = {"drako": 3}[name]',
        'size = sizes["golden_dragon"]',
        'if game.name.startswith("drako"): pass',
        'match name:\n    case "icarius_v0":\n        pass',
        "from drako_env.drako.game import Drako",
        "from drako_env import golden_dragon_v0",
        "import drako_env.golden_dragon.game",
    ],
)
def test_a_planted_branch_is_caught(branch):
    assert names_of_games(f"x = 1\n{branch}\n")


def test_what_is_no_branch_is_let_be():
    innocent = 'FORMAT = "drako_env batch 1"\nparser.add_argument("--game", default="drako")\nimport drako_env.engine\n'
    assert names_of_games(innocent) == []


def code_lines(source):
    """The lines with code on them, without comments, docstrings, imports, lines of mere brackets, and signatures, which
    the protocols prescribe."""
    tree, skipped = ast.parse(source), set()
    for node in ast.walk(tree):
        documented = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if documented or isinstance(node, (ast.Import, ast.ImportFrom)):
            skipped |= set(range(node.lineno, node.end_lineno + 1))
        elif isinstance(node, ast.FunctionDef):
            skipped |= set(range(node.lineno, node.body[0].lineno))
    words = {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING):
            words.setdefault(token.start[0], []).append(token.string)
    lines = {number: " ".join(parts) for number, parts in words.items() if number not in skipped}
    return [lines[number] for number in sorted(lines) if re.search(r"\w", lines[number])]


def blocks(path):
    """Every run of so many lines of code."""
    lines = code_lines(path.read_text(encoding="utf-8"))
    return {tuple(lines[i : i + SMALLEST_COPY]) for i in range(len(lines) - SMALLEST_COPY + 1)}


@pytest.mark.parametrize(("first", "second"), [*combinations(FOLDERS, 2)])
def test_the_games_share_no_copied_code(first, second):
    here, there = (
        {path.name: blocks(path) for path in sorted((ROOT / "drako_env" / folder).rglob("*.py"))}
        for folder in (first, second)
    )
    copies = [
        f"{first}/{name} and {second}/{other}:\n" + "\n".join(block)
        for name, ours in here.items()
        for other, theirs in there.items()
        for block in sorted(ours & theirs)
    ]
    assert not copies, f"{len(copies)} copied blocks, the first one {copies[0]}"


def test_a_copied_block_is_seen(tmp_path):
    body = "\n".join(f"    x{i} = {i}  # a comment" for i in range(SMALLEST_COPY))
    (tmp_path / "a.py").write_text(f"def f():\n{body}\n")
    (tmp_path / "b.py").write_text(f'def g():\n    """Other words."""\n{body.replace("# a comment", "# another")}\n')
    assert blocks(tmp_path / "a.py") & blocks(tmp_path / "b.py")
