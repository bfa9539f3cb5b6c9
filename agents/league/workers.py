"""Learners in processes of their own, one core each: they train at the same time and wait for each other."""

import multiprocessing
import os
import signal
import traceback
from multiprocessing.connection import Connection
from typing import Any

from agents.league.config import Config
from drako_env.engine.game import Game


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
            raise RuntimeError(f"a learner failed:\n{value}")
        return value

    def call(self, method: str, *arguments: Any) -> Any:
        """Begin a call and wait for it."""
        self.start(method, *arguments)
        return self.result()

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.join()


def _serve(connection: Connection, game: Game, seat: str, config: Config, seed: int) -> None:
    """The other process: make the learner, then answer calls until told to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends us
    try:
        from agents.league.learner import Learner

        learner = Learner(game, seat, config, seed)
        while True:
            method, arguments = connection.recv()
            connection.send((True, getattr(learner, method)(*arguments)))
    except EOFError:
        pass
    except Exception:
        connection.send((False, traceback.format_exc()))
