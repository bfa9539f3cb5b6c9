"""Checks of values that come from outside, with messages that say what was expected."""

from reprlib import Repr
from typing import Any

import numpy as np

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = 80


def shown(value: Any) -> str:
    """A value for a message: not too long, and whatever it is (a deep nest has no `repr`, nor has a huge number)."""
    try:
        return _SHORT.repr(value)
    except ValueError:
        return f"a {type(value).__name__} too long to show"


def truth(value: Any, what: str) -> bool:
    """True or false, and nothing that only looks like it."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{what}: {shown(value)} is neither true nor false")
    return bool(value)


def one_of(value: Any, allowed: Any, what: str) -> Any:
    """One of the allowed values."""
    if isinstance(value, bool) or value not in allowed:
        raise ValueError(f"{what}: {shown(value)} is not one of {', '.join(map(str, allowed))}")
    return value


def count(value: Any, highest: int, what: str) -> int:
    """A whole number from 0 to `highest`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value <= highest:
        raise ValueError(f"{what}: {shown(value)} is not a whole number from 0 to {highest}")
    return int(value)


def listed(value: Any, what: str) -> Any:
    """A list."""
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{what}: {shown(value)} is no list")
    return value
