"""A server of the page in a thread of the tests, whose clock stands still until they set it forward."""

import contextlib
import logging
import socket
import threading
import time

from drako_env.games import GAMES
from drako_env.players import make_player
from drako_env.web.listen import listen, make_server
from drako_env.web.server import make_app

OPPONENTS = {name: ["heuristic", "random"] for name in GAMES}
WITH_POLICY = OPPONENTS | {"drako": ["policy", "heuristic", "level:3"]}
HANGS = 300
"""Seconds after which a test fails that waits for something; compiling the kernels is among that."""


def app_of(make=make_player, opponents=OPPONENTS, adviser="heuristic", **options):
    return make_app(make, opponents, adviser, **options)


def until(condition):
    """Wait for something that happens in the server."""
    end = time.monotonic() + HANGS
    while not condition():
        assert time.monotonic() < end, "does not happen"
        time.sleep(0.001)


class Running(logging.Handler):
    """The server. `problems` is what it logs of errors."""

    def __init__(self, app, port=0):
        super().__init__(logging.ERROR)
        self.app, self.problems = app, []
        self._socket = listen("127.0.0.1", port)
        self.address = self._socket.getsockname()
        self.url = f"http://127.0.0.1:{self.address[1]}"
        self._server = make_server(app, log_config=None)
        self._thread = threading.Thread(target=self._server.run, args=[[self._socket]])

    def emit(self, record):
        self.problems.append(logging.Formatter().format(record))

    def __enter__(self):
        for name in ("uvicorn.error", "asyncio"):
            logging.getLogger(name).addHandler(self)
        self._thread.start()
        until(lambda: self._server.started)
        self._loop = self._server.servers[0].get_loop()
        self._now = self._loop.time()
        self._loop.time = lambda: self._now
        return self

    def __exit__(self, *_):
        self._server.should_exit = True
        while self._thread.is_alive():
            with contextlib.suppress(RuntimeError):  # it has ended meanwhile
                self._loop.call_soon_threadsafe(self._later, 1.0)
            self._thread.join(0.001)
        for name in ("uvicorn.error", "asyncio"):
            logging.getLogger(name).removeHandler(self)

    def skip(self, seconds):
        """That much later, in the server, after what it is about to do."""
        done = threading.Event()
        self._loop.call_soon_threadsafe(self._later, seconds)
        self._loop.call_soon_threadsafe(done.set)
        assert done.wait(HANGS)

    def _later(self, seconds):
        self._now += seconds

    @property
    def connections(self):
        return list(self._server.server_state.connections)

    def connect(self, sent=b""):
        """A client that the server has noticed, and what it sends."""
        client = socket.create_connection(self.address, timeout=HANGS)
        own = client.getsockname()
        until(lambda: own in [one.client for one in self.connections])
        client.sendall(sent)
        return client

    def quiet(self):
        """Whether nobody is connected, and nothing is worked on."""
        return not self._server.server_state.connections and not self._server.server_state.tasks
