"""Exact play on tables small enough: every game that can be played, best responses, exploitability, equilibria."""

from drako_env.exact.cfr import Solver
from drako_env.exact.graph import all_deals
from drako_env.exact.strategies import load_strategies, save_strategies
from drako_env.exact.tree import MAX_POSITIONS, Payoffs, Side, Tree, build_tree
from drako_env.exact.values import (
    Probabilities,
    Strategy,
    best_answer,
    best_response,
    chances_of,
    exploitability,
    plan_of,
    purified,
    uniform,
    value,
)

__all__ = [
    "MAX_POSITIONS",
    "Payoffs",
    "Probabilities",
    "Side",
    "Solver",
    "Strategy",
    "Tree",
    "all_deals",
    "best_answer",
    "best_response",
    "build_tree",
    "chances_of",
    "exploitability",
    "load_strategies",
    "plan_of",
    "purified",
    "save_strategies",
    "uniform",
    "value",
]
