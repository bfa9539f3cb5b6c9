"""A game's rules and the engine's loops, compiled into one: the entry points that Python calls."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from types import FunctionType
from typing import Any

from drako_env.engine import loops
from drako_env.engine.jit import cache_dir, jit, kernel

Rule = Callable[..., Any]


@dataclass(frozen=True)
class Kernels:
    """The entry points of one game's rules: see the functions of these names in `engine.loops`."""

    deal_one: Callable[..., int]
    play_one: Callable[..., int]
    mask_one: Callable[..., None]
    observe_one: Callable[..., None]
    redeal_one: Callable[..., None]
    hide_one: Callable[..., None]
    reward_one: Callable[..., None]
    best_one: Callable[..., int]
    search_one: Callable[..., int]
    guided_search_one: Callable[..., int]
    look_ahead_one: Callable[..., None]
    deal_games: Callable[..., None]
    view_games: Callable[..., None]
    step_games: Callable[..., int]
    sample_games: Callable[..., None]
    best_games: Callable[..., None]
    collect_games: Callable[..., None]
    play_games: Callable[..., int]
    cache: Path
    """The folder of their machine code."""


def compile_kernels(
    *,
    deal: Rule,
    apply: Rule,
    write_mask: Rule,
    observe: Rule,
    hide: Rule,
    redeal: Rule,
    score: Rule | None = None,
    plan: Rule | None = None,
    write_reward: Rule | None = None,
) -> Kernels:
    """The loops with a game's rules, `@jit` functions, in the place of those on top of `engine.loops`.

    Each game has copies of its own: numba's disk cache does not hold a function that others are passed to."""
    rules: dict[str, Rule | None] = {"deal": deal, "apply": apply, "write_mask": write_mask, "observe": observe}
    rules |= {"hide": hide, "redeal": redeal, "score": score, "plan": plan, "write_reward": write_reward}
    own = {name: f for name, f in vars(loops).items() if isinstance(f, FunctionType) and f.__module__ == loops.__name__}
    entry_points = {field.name for field in fields(Kernels)} & set(own)
    folder, space = cache_dir(_folder(apply)), dict(vars(loops))
    for name, function in own.items():
        copy = FunctionType(function.__code__, space, name)
        space[name] = kernel(copy, folder) if name in entry_points else jit(copy)
    space.update({name: rule for name, rule in rules.items() if rule is not None})
    return Kernels(cache=folder, **{name: space[name] for name in entry_points})


def _folder(function: Callable[..., Any]) -> Path:
    """Where a game's rules are written."""
    return Path(str(sys.modules[function.__module__].__file__)).parent
