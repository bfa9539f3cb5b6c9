"""`jit` for the rules, `kernel` for the entry points: numba's compiler, with a disk cache that notices every change.

Numba's own cache looks only at the file that defines a function, not at the functions it calls. So the cache lives in
a directory named after a digest of all kernel sources: edit any of them and the machine code is made anew. Only the
entry points are cached: their machine code holds all that they call, and a warm start has less to open.
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

PACKAGE = Path(__file__).parent.parent
KERNEL_FOLDERS = ("engine", "drako", "golden_dragon")


def jit(function: F) -> F:
    """Compile `function` into the kernel that calls it; with `NUMBA_DISABLE_JIT=1` leave it plain Python.

    Inlining everything makes a step a third faster, and kernels are all that Python calls."""
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}
    compiled: F = numba.njit(error_model="numpy", **options)(function)
    return compiled


def kernel(function: F) -> F:
    """Compile `function` at its first call and keep the machine code on disk."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_dir())  # read while decorating: other users of numba keep their own setting
    try:
        compiled: F = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
        return compiled
    finally:
        numba.config.CACHE_DIR = before


@cache
def cache_dir() -> Path:
    """The folder of this version's machine code; a temporary one where the home folder cannot be written."""
    homes = [os.environ.get("NUMBA_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME"), os.path.expanduser("~/.cache")]
    for home in [Path(h) for h in homes if h] + [Path(tempfile.gettempdir())]:
        folder = home / "drako_env" / _digest()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="drako_env-"))


def load_kernels(game: str, first: Callable[[], Any], others: Callable[[], None]) -> None:
    """Load the kernels that every game needs by calling them, `first`; if the cache lacks them, compile `others` too.

    Loading makes many objects that stay: the garbage collector would walk them again and again."""
    marker = cache_dir() / f"{game}.compiled"
    cold = not numba.config.DISABLE_JIT and not marker.exists()
    if cold:
        print(f"drako_env: compiling the {game} kernels, once, into {cache_dir()} ...", file=sys.stderr, flush=True)
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


def _digest() -> str:
    """Of all that numba's own cache depends on, and of the sources that it does not look at."""
    setting = (numba.__version__, numba.config.BOUNDSCHECK, sys.version, get_host_cpu_name(), PACKAGE)
    digest = hashlib.blake2b(repr(setting).encode(), digest_size=8)
    for folder in KERNEL_FOLDERS:
        for source in sorted((PACKAGE / folder).glob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()
