"""Train by self-play: what `scripts/train.py` of a clone does; learning is not part of the installed package."""

import runpy
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

CLONE = Path(__file__).parents[2]
ELSEWHERE = (
    "training is not part of the installed package: clone the project and run `make train`, "
    "or train with Stable-Baselines3 on drako_env.drako_v0.sb3_env (pip install 'drako-env[train]')"
)


def main(argv: Sequence[str]) -> int:
    """Run the script, or say where it is."""
    script = CLONE / "scripts" / "train.py"
    if not (script.exists() and (CLONE / "agents" / "league").is_dir()):
        raise ModuleNotFoundError(ELSEWHERE)
    if find_spec("sb3_contrib") is None:
        raise ModuleNotFoundError(name="sb3_contrib")  # else it is missed in the learners' processes only
    sys.argv = [str(script), *argv]  # a run notes the command that began it
    runpy.run_path(str(script), run_name="__main__")  # ends with `sys.exit`
    return 0
