"""`@kernel` for functions of these tests."""

from functools import partial
from pathlib import Path

from drako_env.engine import jit

kernel = partial(jit.kernel, folder=jit.cache_dir(Path(__file__).parent))
