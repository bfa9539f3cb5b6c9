"""`jit` for the rules, `kernel` for the entry points: numba's compiler, with a disk cache that notices every change.

Numba's own cache looks only at the file that defines a function, not at the functions it calls. So the cache lives in
a directory named after a digest of the engine's sources and those of the game: edit any of them and the machine code is
made anew. Only the entry points are cached: their machine code holds all that they call, and a warm start has less to
open.
"""

import gc
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from llvmlite.binding import get_host_cpu_name

F = TypeVar("F", bound=Callable[..., Any])

ENGINE = Path(__file__).parent


def jit(function: F) -> F:
    """Compile `function` into the kernel that calls it; with `NUMBA_DISABLE_JIT=1` leave it plain Python.

    Inlining everything makes a step a third faster, and kernels are all that Python calls."""
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}
    compiled: F = numba.njit(error_model="numpy", **options)(function)
    return compiled


def fast_jit(function: F) -> F:
    """The same for sums of many numbers, which the compiler may add in any order."""
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}
    compiled: F = numba.njit(error_model="numpy", fastmath=True, **options)(function)
    return compiled


def kernel(function: F, folder: Path) -> F:
    """Compile `function` at its first call and keep the machine code in a folder."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)  # read while decorating: other users of numba keep their own setting
    try:
        compiled: F = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
        return compiled
    finally:
        numba.config.CACHE_DIR = before


@cache
def cache_dir(rules: Path) -> Path:
    """The folder for the machine code of the rules written in a folder, in this version; a temporary one where the home
    folder cannot be written."""
    homes = [os.environ.get("NUMBA_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME"), os.path.expanduser("~/.cache")]
    for home in [Path(h) for h in homes if h] + [Path(tempfile.gettempdir())]:
        folder = home / "drako_env" / f"{rules.name}-{_digest(rules)}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="drako_env-"))


def load_kernels(what: str, folder: Path, first: Callable[[], Any], others: Callable[[], None]) -> None:
    """Load the kernels of a cache's folder that everybody needs by calling them, `first`; if they are not there yet,
    compile `others` too. `what` they are is told then.

    Loading makes many objects that stay: the garbage collector would walk them again and again."""
    marker = folder / f"{what}.compiled"
    cold = not numba.config.DISABLE_JIT and not marker.exists()
    if cold:
        print(f"drako_env: compiling the {what} kernels, once, into {folder} ...", file=sys.stderr, flush=True)
    collecting = gc.isenabled()
    gc.disable()
    try:
        first()
        if cold:
            others()
            marker.touch()
    finally:
        if collecting:
            gc.enable()


def _digest(rules: Path) -> str:
    """Of all that numba's own cache depends on, and of the sources that it does not look at."""
    setting = (numba.__version__, numba.config.BOUNDSCHECK, sys.version, get_host_cpu_name(), ENGINE, rules)
    digest = hashlib.blake2b(repr(setting).encode(), digest_size=8)
    for folder in (ENGINE, rules):
        for source in sorted(folder.glob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()
