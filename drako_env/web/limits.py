"""How much everybody, and how much one client, may use of the page's server."""

import ipaddress
import math
import secrets
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from drako_env.web import MISSING

try:
    from starlette.exceptions import HTTPException
except ImportError as error:
    raise ImportError(MISSING) from error

from drako_env.web.session import Session


def new_secret() -> str:
    """A name that nobody can guess."""
    return secrets.token_urlsafe(16)


WINDOW = 60.0
"""Seconds in which hints are counted."""


@dataclass(frozen=True)
class Limits:
    """What one client (an address) may use."""

    sessions: int = 40
    """A fifth of all 200: nobody takes them all alone, and a class behind one router still finds one for each."""
    hints: int = 30
    """In a minute: one every other second. A hint takes about 30 ms, so that is 1.5 % of a core."""
    working: int = 4
    """Requests that are worked on at the same time: a tenth of the 40 threads that Starlette has. More of them wait."""
    waiting: int = 100
    """Requests that wait for those: two for each session."""


LIMITS = Limits()


def client_of(address: str) -> str:
    """Whom an address belongs to: a machine may take any address of its IPv6 network, which has 2^64 of them."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return address
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found.packed, 64), strict=False))


@dataclass
class _Taken:
    session: Session
    client: str
    used: float


@dataclass
class Sessions:
    """The sessions in use, at most so many, and so many of one client; those that nobody came back to are cleared.

    `restore` finds one again that is kept elsewhere: then room is made by clearing the one that was left longest."""

    most: int
    seconds: float
    most_each: int = LIMITS.sessions
    clock: Callable[[], float] = time.monotonic
    restore: Callable[[str], Session | None] | None = None
    _sessions: dict[str, _Taken] = field(default_factory=dict)

    def check_room(self, client: str) -> None:
        """Whether there is one more."""
        self.clear()
        self._make_room()
        if sum(taken.client == client for taken in self._sessions.values()) >= self.most_each:
            left = f"one that is left alone for {self.seconds / 60:g} minutes is cleared"
            raise HTTPException(429, f"your address has {self.most_each} games, as many as one may have: {left}")

    def add(self, session: Session, client: str) -> str:
        """A new session under a name that nobody can guess."""
        self.check_room(client)
        name = new_secret()
        self._sessions[name] = _Taken(session, client, self.clock())
        return name

    def find(self, name: str, client: str = "") -> Session:
        """A session by its name."""
        self.clear()
        if name not in self._sessions:
            found = self.restore(name) if self.restore else None
            if found is None:
                raise HTTPException(404, "there is no such game: the link is wrong, or the game was cleared")
            self._make_room()
            self._sessions.setdefault(name, _Taken(found, client, self.clock()))
        taken = self._sessions[name]
        taken.used = self.clock()
        return taken.session

    def clear(self) -> None:
        """Forget what has expired."""
        now = self.clock()
        for name in [name for name, taken in list(self._sessions.items()) if now - taken.used > self.seconds]:
            self._sessions.pop(name, None)

    def _make_room(self) -> None:
        """For one more."""
        if len(self._sessions) < self.most:
            return
        idle = [name for name, taken in self._sessions.items() if taken.session.idle] if self.restore else []
        if not idle:
            raise HTTPException(429, f"all {self.most} games are taken: try again later")
        del self._sessions[min(idle, key=lambda name: self._sessions[name].used)]

    @property
    def names(self) -> set[str]:
        """Of all that are in use."""
        return set(self._sessions)

    def __len__(self) -> int:
        return len(self._sessions)


@dataclass
class Hints:
    """The hints that each client had in this minute."""

    most_each: int
    clock: Callable[[], float] = time.monotonic
    _begun: float = float("-inf")
    _given: Counter[str] = field(default_factory=Counter)

    def count(self, client: str) -> None:
        """One more, if there is one left."""
        now = self.clock()
        if now - self._begun >= WINDOW:
            self._begun, self._given = now, Counter()
        if self._given[client] >= self.most_each:
            wait = math.ceil(self._begun + WINDOW - now)
            text = f"your address had {self.most_each} hints in a minute, as many as one may have"
            raise HTTPException(429, f"{text}: try again in {wait} s")
        self._given[client] += 1
