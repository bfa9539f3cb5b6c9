"""`jit` for the rules, `kernel` for the entry points: numba's compiler, with a disk cache that notices every change.

Numba's own cache looks only at the file that defines a function, not at the functions it calls, and at where that file
is. So the cache is ours: a folder named after a digest of the engine's sources and those of the game, of Python, numba,
NumPy and the processor. Edit any of them and the machine code is made anew; environments that agree in all of them
share it, wherever they are installed. Only the entry points are cached: their machine code holds all that they call,
and a warm start has less to open.
"""

import gc
import hashlib
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np
from llvmlite.binding import get_host_cpu_name
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

F = TypeVar("F", bound=Callable[..., Any])

ENGINE = Path(__file__).parent
PATIENCE = 2.5
"""Seconds after which whoever waits for the compiler hears that it is still at work."""


class _Part(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function that kernels inline and nobody else calls: no machine code is made of it by itself."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Python cannot call it ..."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> "_Part":
        """... and numba, which asks where to put the objects of Python that it refers to, has none to put."""
        return self

    def set_env(self, name: str, env: Any) -> None: ...


class _PartCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler, for parts."""

    def define_pipelines(self) -> Any:
        """Numba's own, into a part."""
        self.state.library = _Part(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return super().define_pipelines()


def jit(function: F) -> F:
    """Compile `function` into the kernel that calls it; with `NUMBA_DISABLE_JIT=1` leave it plain Python.

    Inlining everything makes a step a third faster, and kernels are all that Python calls."""
    options = {
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
        "forceinline": True,
        "pipeline_class": _PartCompiler,
    }
    compiled: F = numba.njit(error_model="numpy", **options)(function)
    return compiled


def fast_jit(function: F) -> F:
    """The same for sums of many numbers, which the compiler may add in any order."""
    options = {
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
        "forceinline": True,
        "pipeline_class": _PartCompiler,
    }
    compiled: F = numba.njit(error_model="numpy", fastmath=True, **options)(function)
    return compiled


def kernel(function: F, folder: Path) -> F:
    """Compile `function` at its first call, with a word about it, and keep the machine code in a folder."""
    compiled: F = numba.njit(nogil=True, error_model="numpy")(function)
    if not numba.config.DISABLE_JIT:
        dispatcher: Any = compiled
        dispatcher._cache = kept = _KernelCache(function, folder)
        dispatcher._compiler.compile = _heard_of(_uncollected(dispatcher._compiler.compile), kept.what)
    return compiled


def _uncollected(work: Callable[..., Any]) -> Callable[..., Any]:
    """Compiling and loading make many objects that stay: the garbage collector would walk them again and again."""

    @wraps(work)
    def call(*arguments: Any) -> Any:
        collecting = gc.isenabled()
        gc.disable()
        try:
            return work(*arguments)
        finally:
            if collecting:
                gc.enable()

    return call


def _heard_of(work: Callable[..., Any], what: str) -> Callable[..., Any]:
    """Say every few seconds that it goes on."""

    def tell(over: threading.Event) -> None:
        start = time.monotonic()
        while not over.wait(PATIENCE):
            waited = time.monotonic() - start
            print(f"drako_env: still compiling {what} ({waited:.0f} s) ...", file=sys.stderr, flush=True)

    @contextmanager
    def telling() -> Iterator[None]:
        over = threading.Event()
        threading.Thread(target=tell, args=(over,), daemon=True).start()
        try:
            yield
        finally:
            over.set()

    return telling()(work)


def never_compiled(*kernels: Callable[..., Any]) -> bool:
    """Whether some of these kernels are not in the cache yet."""
    caches = [getattr(function, "_cache", None) for function in kernels]
    return any(isinstance(cache, _KernelCache) and not cache.index.exists() for cache in caches)


class _Folder(_CacheLocator):  # type: ignore[misc]
    """A folder that is named after all that matters: no file is looked at."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._folder, self._line = folder, function.__code__.co_firstlineno

    def from_function(self, py_func: Any, py_file: str) -> "_Folder":
        """Numba asks a class for a place; this is one."""
        return self

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache in a folder of ours; says what is about to be compiled."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        located = {"_locator_classes": [_Folder(function, folder)]}
        self._impl_class = type("Located", (CompileResultCacheImpl,), located)
        super().__init__(function)
        self.what, self._into = f"{folder.name.rpartition('-')[0]} {function.__name__.strip('_')}", folder.parent
        self.index = Path(self._cache_file._index_path)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = _uncollected(super().load_overload)(sig, target_context)
        if found is None:
            print(f"drako_env: compiling {self.what}, once, into {self._into} ...", file=sys.stderr, flush=True)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Where nothing can be written any more, the next process compiles again."""
        with suppress(OSError):
            super().save_overload(sig, data)


@cache
def cache_dir(rules: Path) -> Path:
    """The folder for the machine code of the rules written in a folder, in this version: where there is some already,
    as in an image, it need not be writable; a temporary one where the home folder cannot be written."""
    homes = [os.environ.get("NUMBA_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME"), os.path.expanduser("~/.cache")]
    for home in [Path(h) for h in homes if h] + [Path(tempfile.gettempdir())]:
        folder = home / "drako_env" / f"{rules.name}-{_digest(rules)}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            usable = os.access(folder, os.W_OK) or any(folder.glob("*.nbi"))
        except OSError:
            continue
        if usable:
            return folder
    return Path(tempfile.mkdtemp(prefix="drako_env-"))


def _digest(rules: Path) -> str:
    """Of all that the machine code depends on, but not of where it is installed."""
    versions = numba.__version__, llvmlite.__version__, np.__version__, sys.version
    setting = (*versions, numba.config.BOUNDSCHECK, get_host_cpu_name())
    digest = hashlib.blake2b(repr(setting).encode(), digest_size=8)
    for folder in (ENGINE, rules):
        for source in sorted(folder.glob("*.py")):
            digest.update(source.name.encode() + source.read_bytes())
    return digest.hexdigest()
