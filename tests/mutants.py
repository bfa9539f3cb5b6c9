"""Small changes of a source file, one at a time: what a mistake in it could look like. See `scripts/mutate.py`."""

import ast
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from pathlib import Path

Edit = tuple[int, int, str]
"""From where to where (in bytes), and what to write there."""

OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.Div: ("/", "*"),
    ast.MatMult: ("@", "*"),
    ast.Mod: ("%", "//"),
    ast.Pow: ("**", "*"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "|"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}
FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}
SIGNS: dict[type[ast.AST], str] = {ast.Not: "not", ast.USub: "-", ast.Invert: "~"}
NOT_CODE = {"annotation", "returns", "decorator_list"}
HAS_OPPOSITE = (ast.Eq, ast.NotEq, ast.In, ast.NotIn, ast.Is, ast.IsNot)


@dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    path: str
    line: int
    function: str
    """That the change is in, by its `__qualname__`; empty at the level of the module or a class."""
    start: int
    before: str
    after: str

    def source(self) -> str:
        """The whole file, changed."""
        data = Path(self.path).read_bytes()
        return (data[: self.start] + self.after.encode() + data[self.start + len(self.before.encode()) :]).decode()


def mutants_of(path: str) -> Iterator[Mutant]:
    """Every change of a file; now and then one is no longer Python."""
    data = Path(path).read_bytes()
    code = Code(data)
    for node, function in code_nodes(ast.parse(data)):
        for start, end, after in code.edits(node):
            line = data.count(b"\n", 0, start) + 1
            yield Mutant(path, line, function, start, data[start:end].decode(), after)


def sample(paths: Iterable[str], count: int, seed: int) -> list[Mutant]:
    """So many mutants of some files (0: all), each as likely as any other, in random order."""
    found = [mutant for path in paths for mutant in mutants_of(path)]
    random.Random(seed).shuffle(found)
    return list(islice(filter(compiles, found), count or None))


def compiles(mutant: Mutant) -> bool:
    """Whether Python can read it."""
    try:
        ast.parse(mutant.source())
    except SyntaxError:
        return False
    return True


def code_nodes(node: ast.AST, name: str = "", inside: bool = False) -> Iterator[tuple[ast.AST, str]]:
    """Every node that does something (annotations and messages do not), and the function around it."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        name = f"{name}{'.<locals>' * inside}.{node.name}".lstrip(".")
        inside = isinstance(node, ast.FunctionDef)
    yield node, name if inside else ""
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and field not in NOT_CODE and not isinstance(child, ast.JoinedStr):
                yield from code_nodes(child, name, inside)


class Code:
    """The text of a file, by the nodes of its tree."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.lines = [0, *accumulate(map(len, data.splitlines(keepends=True)))]

    def edits(self, node: ast.AST) -> Iterator[Edit]:
        """What could be written in place of a node, or of a part of it that is no node of its own."""
        match node:
            case ast.Compare():
                for kind, (left, right) in zip(node.ops, pairwise([node.left, *node.comparators]), strict=True):
                    yield from self.operator(kind, left, right)
            case ast.BinOp():
                yield from self.operator(node.op, node.left, node.right)
            case ast.AugAssign():
                yield from self.operator(node.op, node.target, node.value)
            case ast.BoolOp():
                for left, right in pairwise(node.values):
                    yield from self.operator(node.op, left, right)
            case ast.UnaryOp() if sign := SIGNS.get(type(node.op)):
                yield self.start(node), self.start(node) + len(sign), ""
            case ast.Call(func=ast.Name(id=name)) if name in FUNCTIONS:
                yield self.start(node), self.start(node) + len(name), FUNCTIONS[name]
            case ast.Subscript(slice=ast.Tuple(elts=[first, second])):
                yield self.start(first), self.end(second), f"{self.text(second)}, {self.text(first)}"
            case ast.Constant():
                yield from self.constant(node)
        yield from self.negation(node)
        yield from self.removal(node)

    def operator(self, kind: ast.AST, left: ast.expr, right: ast.expr) -> Iterator[Edit]:
        """Another operator of the same sort."""
        old, new = OPERATORS[type(kind)]
        if found := re.search(
            re.escape(old).replace(r"\ ", r"\s+").encode(), self.data[self.end(left) : self.start(right)]
        ):
            yield self.end(left) + found.start(), self.end(left) + found.end(), new

    def constant(self, node: ast.Constant) -> Iterator[Edit]:
        """The opposite, or one more and one less; what is less than nothing often means the same, the last of one."""
        if isinstance(node.value, bool):
            yield self.start(node), self.end(node), str(not node.value)
        elif isinstance(node.value, (int, float)):
            for value in (node.value + 1, node.value - 1)[: 1 + bool(node.value)]:
                yield self.start(node), self.end(node), repr(value)

    def negation(self, node: ast.AST) -> Iterator[Edit]:
        """The opposite of a condition, where changing its operator is not that already."""
        tests = node.ifs if isinstance(node, ast.comprehension) else [getattr(node, "test", None)]
        for test in filter(None, tests):
            opposite = isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], HAS_OPPOSITE)
            if not opposite and not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
                yield self.start(test), self.end(test), f"not ({self.text(test)})"

    def removal(self, node: ast.AST) -> Iterator[Edit]:
        """Nothing instead of a statement, where that does not leave a name without a value."""
        match node:
            case (
                ast.AugAssign()
                | ast.Raise()
                | ast.Break()
                | ast.Continue()
                | ast.Return(value=None)
                | ast.Expr(value=ast.Call())
                | ast.Assign(targets=[ast.Subscript() | ast.Attribute()])
            ):
                yield self.start(node), self.end(node), "pass"

    def start(self, node: ast.expr | ast.stmt) -> int:
        """Where a node begins."""
        return self.lines[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Where it ends."""
        return self.lines[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)

    def text(self, node: ast.expr | ast.stmt) -> str:
        """What is written there."""
        return self.data[self.start(node) : self.end(node)].decode()
