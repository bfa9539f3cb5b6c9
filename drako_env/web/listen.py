"""How the page's server listens: where, under which names, and how long it waits for whoever is connected."""

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import Iterator
from typing import Any

from drako_env.web import MISSING

try:
    import h11
    import uvicorn
    from starlette.types import ASGIApp
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ImportError as error:
    raise ImportError(MISSING) from error

from drako_env.web.limits import client_of

PATIENCE = 20.0
"""Seconds that a client has from its connection, or its last answer, until its next request is complete, and to read
what fills the buffers. A request has 4 kB at most. While the server works on a request nobody's patience ends."""
MOST_CONNECTIONS = 128
"""Of one client, further ones are closed at once: a browser opens 6, and the requests of a client that are worked on or
wait (`limits.Limits`) are about a hundred."""
ALL_CONNECTIONS = 800
"""Of all clients: a process has 1,024 files on most machines."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Connection(H11Protocol):
    """A connection that ends when its client lets the server wait. Uvicorn itself limits only the time between an
    answer and the first byte of the next request: one byte now and then would hold a connection for ever."""

    patience = PATIENCE
    most_each = MOST_CONNECTIONS
    _end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody comes."""
        super().connection_made(transport)
        self.whose = client_of(self.client[0] if self.client else "")
        same = [one for one in self.connections if isinstance(one, Connection) and one.whose == self.whose]
        if len(same) > self.most_each or len(self.connections) > ALL_CONNECTIONS:
            transport.abort()
        # asyncio does so for sockets of its own only; without it a head waits 40 ms for its body to follow
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """A piece of a request, or several requests."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Time begins anew."""
        self._rest()
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """The client does not read."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """It does."""
        super().resume_writing()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """The end."""
        self._rest()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Let time run if and only if the client is the one to do something."""
        incomplete = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if not (incomplete or self.flow.write_paused or self.transport.is_closing()):
            self._rest()
        elif self._end is None:
            self._end = self.loop.call_later(self.patience, self.transport.abort)

    def _rest(self) -> None:
        if self._end is not None:
            self._end.cancel()
            self._end = None

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP. Uvicorn fails with a traceback if the request has been answered already, or is so later."""
        if self.cycle is not None:
            self.cycle.disconnected = True
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.abort()
            return
        headers = [("Content-Type", "application/json"), ("Connection", "close")]
        for event in (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(data=b'{"error":"that is no HTTP request"}'),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens already; port 0 is any that is free. `OSError` with what to do if that cannot be."""
    try:
        if not 0 <= port < 2**16:
            raise ValueError("a port is 0 to 65535")
        family, _, _, _, (name, _, *rest) = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0]
        both = family == socket.AF_INET6 and host == "::" and socket.has_dualstack_ipv6()
        return socket.create_server((name, port, *rest), family=family, dualstack_ipv6=both)
    except (OSError, ValueError) as error:
        advice = "choose another --port (0: any that is free) or --host"
        raise OSError(f"cannot listen on {host}, port {port}: {error}; {advice}") from None


def for_others(listening: socket.socket) -> bool:
    """Whether other machines can connect."""
    return not _bound(listening).is_loopback


def host_names(host: str, listening: socket.socket) -> list[str]:
    """The names by which this machine may be called; its addresses are known in any case (`server.KnownHosts`)."""
    given = [] if _bound(listening).is_unspecified else [host]
    own = socket.gethostname()
    return [*given, own, f"{own}.local"] if for_others(listening) else given


def _bound(listening: socket.socket) -> Address:
    return ipaddress.ip_address(listening.getsockname()[0])


def url(listening: socket.socket) -> str:
    """Where the page is; on a socket that listens on all addresses, the one that this machine has in its network."""
    address, port = _bound(listening), listening.getsockname()[1]
    if address.is_unspecified:
        address = next(_own_addresses(listening.family), ipaddress.ip_address("127.0.0.1"))
    return f"http://{f'[{address}]' if address.version == 6 else address}:{port}/"


def _own_addresses(family: int) -> Iterator[Address]:
    """From which this machine would send to others. Connecting a datagram socket sends nothing."""
    for kind, other in ((socket.AF_INET, "203.0.113.1"), (socket.AF_INET6, "2001:db8::1")):
        if kind == socket.AF_INET or kind == family:
            with contextlib.suppress(OSError), socket.socket(kind, socket.SOCK_DGRAM) as probe:
                probe.connect((other, 9))
                yield ipaddress.ip_address(probe.getsockname()[0])


def make_server(app: ASGIApp, **options: Any) -> uvicorn.Server:
    """Uvicorn with the patience of above. A client cannot claim to be another one (`proxy_headers`)."""
    return uvicorn.Server(uvicorn.Config(app, http=Connection, ws="none", proxy_headers=False, **options))


def serve(app: ASGIApp, listening: socket.socket) -> None:
    """Until somebody ends it."""
    with contextlib.suppress(KeyboardInterrupt):  # raised again by Uvicorn, after it has ended in order
        make_server(app, log_level="warning", access_log=False).run([listening])
