"""Where a run stands, on the disk: the newest checkpoint, and the one before it should the newest be damaged."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from drako_env.runs import digest, write

NEWEST, BEFORE = "state.json", "previous.json"


@dataclass
class State:
    """Where a run stands; with the files that it names it is all that is needed to go on."""

    round: int = 0
    seconds: float = 0.0
    decisions: dict[str, int] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    """The log, one row a round: figures of the run, and under `sides` those of each role. `train_win` (win rates) and
    `win` (wins and games of an evaluation) go by opponent."""
    files: dict[str, str] = field(default_factory=dict)
    """The learners and the policies that are kept: path in the run's folder -> digest of what was written."""

    @classmethod
    def load(cls, path: Path) -> "State":
        """Read it."""
        return cls(**json.loads(path.read_text(encoding="utf-8")))


class Checkpoints:
    """Those of a run. A state is written when all that it names is complete; it stays until the next but one is."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._newest, self._before = (run / "checkpoint" / name for name in (NEWEST, BEFORE))
        self._last = b""
        """The state read or written last."""

    def exist(self) -> bool:
        """Whether there is a run to go on with, damaged or not."""
        return self._newest.exists() or self._before.exists()

    def load(self, tell: Callable[[str], None]) -> State | None:
        """The newest state with nothing damaged; none in a new run. `OSError` if there is none left."""
        if not self.exist():
            return None
        damaged: list[str] = []
        for path in (self._newest, self._before):
            state, found = self._read(path)
            damaged += found
            if state and not found:
                if damaged:
                    tell(f"{_listed(damaged)}; going on from the checkpoint before, of round {state.round}")
                self._last = path.read_bytes()
                return state
        do = "put back copies of these files, or begin anew with another --out"
        raise OSError(f"{self._run}: no checkpoint is whole; {_listed(damaged)}; {do}")

    def _read(self, path: Path) -> tuple[State | None, list[str]]:
        """A state, and which files are not what they were: its own, or those that it names."""
        try:
            state = State.load(path)
        except (ValueError, KeyError, TypeError, AttributeError, OSError):
            return None, [str(path.relative_to(self._run))]
        return state, [name for name, written in state.files.items() if digest(self._run / name) != written]

    def save(self, state: State, files: Iterable[Path]) -> None:
        """Make this state, which needs these files, the newest; the newest becomes the one before."""
        names = [path.relative_to(self._run).as_posix() for path in files]
        state.files = {name: state.files.get(name) or digest(self._run / name) for name in names}
        if self._last:
            write(self._before, self._last)
        self._last = json.dumps(asdict(state)).encode()
        write(self._newest, self._last)


def _listed(damaged: list[str]) -> str:
    return f"damaged or missing: {', '.join(dict.fromkeys(damaged))}"
