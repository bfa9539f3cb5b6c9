"""Strategies of both seats as data: saved with the digest of the rules that they are for, loaded without executing
anything."""

from pathlib import Path

import numpy as np

from drako_env.engine.game import rules_digest
from drako_env.exact.graph import Floats
from drako_env.exact.tree import Tree
from drako_env.exact.values import chances_of

FORMAT = "drako_env strategies 1"


def save_strategies(path: Path, tree: Tree, strategies: tuple[Floats, Floats]) -> None:
    """Write an `.npz` with the chances of every move of both seats, in the order of the tree's sides."""
    first, second = (chances_of(tree, seat, strategy) for seat, strategy in enumerate(strategies))
    with path.open("wb") as file:
        np.savez_compressed(file, format=FORMAT, rules=_digest(tree), first=first, second=second)


def load_strategies(path: Path, tree: Tree) -> tuple[Floats, Floats]:
    """The strategies of a file; `ValueError` if they are for other rules, or the file holds something else."""
    try:
        with np.load(path, allow_pickle=False) as content:
            kind, rules = str(content["format"]), str(content["rules"])
            first, second = content["first"], content["second"]
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"{path}: no file of strategies ({error})") from None
    if kind != FORMAT or rules != _digest(tree):
        raise ValueError(
            f"{path}: {kind!r} for the rules {rules}; expected {FORMAT!r} for {_digest(tree)}: solve again"
        )
    return _checked(path, tree, 0, first), _checked(path, tree, 1, second)


def _checked(path: Path, tree: Tree, seat: int, chances: Floats) -> Floats:
    """In every information set they must add up to one."""
    side = tree.sides[seat]
    if chances.shape != side.action.shape or chances.dtype != float or not (chances >= 0).all():
        raise ValueError(f"{path}: expected {len(side.action)} chances for {_seat(tree, seat)}")
    sums = np.add.reduceat(chances[1:], side.first[:-1] - 1)
    if not np.allclose(sums, 1):
        raise ValueError(f"{path}: the chances of {_seat(tree, seat)} do not add up to 1 everywhere")
    return chances


def _seat(tree: Tree, seat: int) -> str:
    return tree.game.seats[seat] if tree.game else f"seat {seat}"


def _digest(tree: Tree) -> str:
    return rules_digest(tree.game) if tree.game else ""
