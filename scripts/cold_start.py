"""How long a first start takes, and how long nothing is said: each door with a cache of its own, empty, then filled,
then used by a copy of the package in another place, as in a second virtual environment.

python scripts/cold_start.py                             # this version
python scripts/cold_start.py --against ../before         # and another checkout of it, in turns
python scripts/cold_start.py aec heuristic --rounds 3

Seconds are those of the processor, so that other work on the machine does not count.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

sys.path.insert(0, str(ROOT := Path(__file__).parent.parent))

from drako_env.evaluation.report import table

MAKE = "import gymnasium, drako_env; env = gymnasium.make('drako_env/Drako-v0', opponent='{}'); env.reset(seed=0)"
PLAYER = """
from drako_env.games import make_game
from drako_env.players import make_player
make_player("{}", make_game("drako"))
"""
DOORS = {
    "aec": "from drako_env import drako_v0; env = drako_v0.env(); env.reset(seed=0)",
    "random": MAKE.format("random"),
    "heuristic": MAKE.format("heuristic"),
    "batch": "from drako_env import drako_v0; batch = drako_v0.batch_env(64, seed=0); batch.step(batch.sample())",
    "sb3": "from drako_env import drako_v0; drako_v0.sb3_env(64, opponent='heuristic').reset()",
    "policy": PLAYER.format("policy"),
    "ismcts:50": PLAYER.format("ismcts:50"),
    "puct:50": PLAYER.format("puct:50"),
    "golden_dragon": "from drako_env import golden_dragon_v0; env = golden_dragon_v0.env(); env.reset(seed=0)",
}
"""What somebody may start with."""


@dataclass(frozen=True)
class Start:
    """A process from its beginning to its end."""

    seconds: float
    silence: float
    """The longest time without a line on stderr."""
    after: str
    """The line before it, if any."""


def start(code: str, cache: Path, root: Path = ROOT) -> Start:
    """Run a program on a checkout, with the machine code in `cache`; `RuntimeError` with what it says if it fails."""
    environment = os.environ | {"PYTHONPATH": str(root), "NUMBA_CACHE_DIR": str(cache)}
    process = subprocess.Popen([sys.executable, "-c", code], cwd=cache, env=environment, stderr=subprocess.PIPE)
    assert process.stderr is not None
    said = [(0.0, "the start")]
    with process.stderr:
        for line in process.stderr:
            said.append((used_by(process.pid), line.decode().strip()))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError("\n".join(line for _, line in said))
    ends = [when for when, _ in said[1:]] + [usage.ru_utime + usage.ru_stime]
    silence, after = max((end - begin, line) for (begin, line), end in zip(said, ends, strict=True))
    return Start(ends[-1], silence, after)


def used_by(pid: int) -> float:
    """Seconds of the processor that a process has had so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Start everything, show the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("doors", nargs="*", metavar="DOOR", help=f"of {', '.join(DOORS)} (default: all)")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="another checkout")
    parser.add_argument("--rounds", type=int, default=1, help="of which the median counts (default: 1)")
    options = parser.parse_args()
    roots = [root for root in (options.against, ROOT) if root]
    rows = []
    for door in options.doors or DOORS:
        found: dict[Path, list[tuple[Start, ...]]] = {root: [] for root in roots}
        for root in roots * options.rounds:
            with tempfile.TemporaryDirectory() as folder:
                found[root].append(starts(DOORS[door], root, Path(folder)))
                print(door, root, *found[root][-1], sep="  ", file=sys.stderr, flush=True)
        rows += [[door, root.resolve().name, *summary(found[root])] for root in roots]
    print(table(["door", "version", "cold", "warm", "warm elsewhere", "longest silence", "after"], rows))


def starts(code: str, root: Path, folder: Path) -> tuple[Start, ...]:
    """With an empty cache, with what that left there, and with the same from a copy of the package."""
    elsewhere, cache = folder / "elsewhere", folder / "cache"
    cache.mkdir()
    shutil.copytree(root / "drako_env", elsewhere / "drako_env", ignore=shutil.ignore_patterns("__pycache__"))
    return tuple(start(code, cache, place) for place in (root, root, elsewhere))


def summary(rounds: Sequence[tuple[Start, ...]]) -> list[str]:
    """Medians over the rounds."""
    cold = [one for one, *_ in rounds]
    worst = max(cold, key=lambda one: one.silence)
    times = [f"{median(one.seconds for one in part):.1f} s" for part in zip(*rounds, strict=True)]
    return [*times, f"{median(one.silence for one in cold):.1f} s", worst.after]


if __name__ == "__main__":
    main()
