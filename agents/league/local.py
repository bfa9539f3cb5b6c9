"""Learners in processes of their own, one core each: they train at the same time and wait for each other."""

import multiprocessing
import os
import traceback
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from agents.league.config import Config
from agents.league.pool import Opponents
from drako_env.engine.game import Game, role_of
from drako_env.runs import obey_parent


class LocalLearners:
    """The learners of a league on one machine: a process for every side."""

    def __init__(self) -> None:
        self._workers: dict[str, Worker] = {}

    def start(self, game: Game, seeds: Mapping[str, int], config: Config) -> None:
        """Start a process for each of these sides."""
        for seat, seed in seeds.items():
            self._workers[seat] = Worker(game, seat, config, seed)

    def train(self, opponents: Mapping[str, Opponents], rate: float, entropy: float) -> dict[str, dict[str, Any]]:
        """One round of every learner; the figures of `Learner.train`, by side."""
        return self._all("train", {seat: (against, rate, entropy) for seat, against in opponents.items()})

    def export(self, files: Mapping[str, Path], info: Mapping[str, str]) -> None:
        """Write every side's policy as it is now."""
        self._all("export", {seat: (file, info) for seat, file in files.items()})

    def start_from(self, files: Mapping[str, Path]) -> None:
        """Begin with the networks of these policies."""
        self._all("start_from", {seat: (file,) for seat, file in files.items()})

    def save(self, folder: Path) -> None:
        """All that `load` needs to go on."""
        folder.mkdir(parents=True, exist_ok=True)
        self._all("save_state", {seat: (folder / f"{role_of(seat)}.pt",) for seat in self._workers})

    def load(self, folder: Path, decisions: Mapping[str, int]) -> None:
        """Go on from there, after so many decisions of each side."""
        self._all("load_state", {seat: (folder / f"{role_of(seat)}.pt", decisions[seat]) for seat in self._workers})

    def close(self) -> None:
        """End the processes."""
        while self._workers:
            self._workers.popitem()[1].close()

    def _all(self, method: str, arguments: Mapping[str, tuple[Any, ...]]) -> dict[str, Any]:
        """A call of these sides' learners, all at the same time."""
        for seat, given in arguments.items():
            self._workers[seat].start(method, *given)
        return {seat: self._workers[seat].result() for seat in arguments}


class Worker:
    """A `Learner` in another process: `start(method, ...)`, then `result()`."""

    def __init__(self, game: Game, seat: str, config: Config, seed: int) -> None:
        for library in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ.setdefault(library, "1")
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, game, seat, config, seed), daemon=True)
        self._process.start()
        theirs.close()

    def start(self, method: str, *arguments: Any) -> None:
        """Begin a call."""
        self._connection.send((method, arguments))

    def result(self) -> Any:
        """Wait for the call begun."""
        try:
            good, value = self._connection.recv()
        except EOFError:
            raise RuntimeError(f"a learner's process ended with exit code {self._process.exitcode}") from None
        if not good:
            raise value if isinstance(value, OSError) else RuntimeError(f"a learner failed:\n{value}")
        return value

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.join()


def _serve(connection: Connection, game: Game, seat: str, config: Config, seed: int) -> None:
    """The other process: make the learner, then answer calls until told to stop."""
    obey_parent()
    try:
        from agents.league.learner import Learner

        learner = Learner(game, seat, config, seed)
        while True:
            method, arguments = connection.recv()
            connection.send((True, getattr(learner, method)(*arguments)))
    except EOFError:
        pass
    except OSError as error:  # a full disk, a missing file: nothing that is wrong with the learner
        connection.send((False, error))
    except Exception:
        connection.send((False, traceback.format_exc()))
