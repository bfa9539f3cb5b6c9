"""The server of the page: sessions by secret names, small JSON requests, nothing hidden in any answer."""

import ipaddress
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from drako_env.web import MISSING

try:
    import msgspec
    from anyio import CapacityLimiter
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.datastructures import Headers
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import Response
    from starlette.routing import Route
    from starlette.types import ASGIApp, Receive, Scope, Send
except ImportError as error:
    raise ImportError(MISSING) from error

from drako_env.engine.game import Game
from drako_env.games import GAMES, Entry, make_game
from drako_env.web.limits import LIMITS, Hints, Limits, Sessions, client_of
from drako_env.web.session import PERSON, AgentMaker, RefusedError, Session

STATIC = Path(__file__).parent / "static"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
LARGEST_BODY = 4096
LONGEST_ERROR = 300
"""Characters of an answer that says what was wrong with what was sent."""
MOST_CHOICES = 12
"""An option with more values than that is not offered."""
LOCAL = ("127.0.0.1", "localhost", "[::1]")
HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:]+)(:[0-9]*)?", re.IGNORECASE)
POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class NewSession(msgspec.Struct, forbid_unknown_fields=True):
    """What to play, and who."""

    game: str
    players: list[str]
    """By seat: `person` or an opponent's name."""
    table: str = ""
    options: dict[str, str | int | bool] = {}
    practice: bool = False


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """Nothing more than the address says."""


class Numbered(msgspec.Struct, forbid_unknown_fields=True):
    """Something that is asked for at one decision of the game."""

    number: int


class Played(Numbered, forbid_unknown_fields=True):
    """A person's decision."""

    action: int


Result = TypeVar("Result")


class Server:
    """The routes. `opponents` are the agents that may be chosen in each game, `adviser` is the one that gives hints."""

    def __init__(
        self,
        make_player: AgentMaker,
        opponents: Mapping[str, Sequence[str]],
        adviser: str,
        sessions: Sessions,
        limits: Limits,
        timing: bool = False,
    ) -> None:
        self._make_player, self._opponents, self._adviser, self.sessions = make_player, opponents, adviser, sessions
        self._limits, self._hints = limits, Hints(limits.hints)
        self._workers: WeakValueDictionary[str, CapacityLimiter] = WeakValueDictionary()
        """By client, while it has requests."""
        self._files = {path.name: path for path in STATIC.iterdir() if path.suffix in TYPES}
        self._timing = timing
        """Whether answers say how long agents thought: that may betray whether they had a choice."""

    def routes(self) -> list[Route]:
        """All of them."""
        session = "/api/sessions/{name}"
        return [
            Route("/", self.page),
            Route("/static/{name}", self.part),
            Route("/api/games", self.games),
            Route("/api/sessions", self.new, methods=["POST"]),
            Route(session, self.show),
            Route(f"{session}/play", self.play, methods=["POST"]),
            Route(f"{session}/advance", self.advance, methods=["POST"]),
            Route(f"{session}/undo", self.undo, methods=["POST"]),
            Route(f"{session}/hint", self.hint, methods=["POST"]),
            Route(f"{session}/rematch", self.rematch, methods=["POST"]),
            Route(f"{session}/replay", self.replay),
        ]

    async def page(self, request: Request) -> Response:
        """The page itself."""
        return _file(STATIC / "index.html")

    async def part(self, request: Request) -> Response:
        """What the page consists of: these files and no others, whatever a path looks like."""
        if request.path_params["name"] not in self._files:
            raise HTTPException(404)
        return _file(self._files[request.path_params["name"]])

    async def games(self, request: Request) -> Response:
        """What can be chosen."""
        return _answer(await run_in_threadpool(lambda: self._choices))

    @cached_property
    def _choices(self) -> dict[str, Any]:
        shown = {}
        for name, entry in GAMES.items():
            shown[name] = {
                "title": name.replace("_", " ").title(),
                "tables": list(entry.tables),
                "options": _offered(entry),
                "opponents": list(self._opponents[name]),
                "seats": {
                    str(n): list(make_game(name, num_players=n).seats) for n in entry.options.get("num_players", ())
                }
                or {"": list(make_game(name).seats)},
            }
        return {"games": shown, "person": PERSON}

    async def new(self, request: Request) -> Response:
        """A new session."""
        wanted, client = await _body(request, NewSession), _client(request)
        self.sessions.check_room(client)
        session = await self._work(client, lambda: self._set_up(wanted))
        return _answer({"session": self.sessions.add(session, client), **session.payload()}, 201)

    def _set_up(self, wanted: NewSession) -> Session:
        game = self._chosen_game(wanted)
        allowed = (PERSON, *self._opponents[wanted.game])
        if len(wanted.players) != len(game.seats) or not set(wanted.players) <= set(allowed):
            raise HTTPException(422, f"players: expected {len(game.seats)} of {', '.join(allowed)}")
        try:
            return Session(game, wanted.players, self._make_player, secrets.randbits(63), wanted.practice)
        except ValueError:
            raise HTTPException(
                422, "a learnt policy plays by the standard rules only: choose another opponent"
            ) from None

    async def show(self, request: Request) -> Response:
        """A session as it stands."""
        return await self._changed(request, lambda session: None)

    async def play(self, request: Request) -> Response:
        """A person's decision."""
        wanted = await _body(request, Played)
        return await self._changed(request, lambda session: session.play(wanted.number, wanted.action))

    async def advance(self, request: Request) -> Response:
        """An agent's decision."""
        wanted = await _body(request, Numbered)
        return await self._changed(request, lambda session: session.advance(wanted.number))

    async def undo(self, request: Request) -> Response:
        """Take a decision back."""
        await _body(request, Nothing)
        return await self._changed(request, Session.undo)

    async def rematch(self, request: Request) -> Response:
        """Another game of the same players."""
        await _body(request, Nothing)
        return await self._changed(request, lambda session: session.rematch(secrets.randbits(63)))

    async def hint(self, request: Request) -> Response:
        """What the adviser would do."""
        wanted = await _body(request, Numbered)
        self.sessions.find(request.path_params["name"])  # a hint at no session is not counted
        self._hints.count(_client(request))
        hints, timing = await self._locked(request, lambda session: session.hint(wanted.number, self._adviser))
        return _answer({"hints": hints}, headers=timing)

    async def replay(self, request: Request) -> Response:
        """The finished game as a file."""
        lines, timing = await self._locked(request, Session.replay)
        name = {"Content-Disposition": 'attachment; filename="game.jsonl"'}
        return Response(lines, media_type="application/jsonl", headers=HEADERS | timing | name)

    async def _changed(self, request: Request, change: Callable[[Session], None]) -> Response:
        """Change a session, and answer with what it looks like then."""

        def work(session: Session) -> dict[str, Any]:
            change(session)
            return session.payload()

        payload, timing = await self._locked(request, work)
        return _answer(payload, headers=timing)

    async def _locked(self, request: Request, work: Callable[[Session], Any]) -> tuple[Any, dict[str, str]]:
        """Work on a session in a thread, one at a time. Returns what it gives, and a header that says how long it took,
        and how much of that an agent was thinking."""
        start, session = time.perf_counter(), self.sessions.find(request.path_params["name"])

        def alone() -> tuple[Any, float]:
            with session.lock:
                before = session.thinking
                return work(session), session.thinking - before

        try:
            result, thought = await self._work(_client(request), alone)
        except RefusedError as error:
            raise HTTPException(409, str(error)) from None
        spent = time.perf_counter() - start
        if not self._timing:
            return result, {}
        return result, {"Server-Timing": f"all;dur={1000 * spent:.1f}, agent;dur={1000 * thought:.1f}"}

    async def _work(self, client: str, work: Callable[[], Result]) -> Result:
        """Something that takes a while, in a thread. A client's further requests wait, and hold no thread meanwhile."""
        workers = self._workers.setdefault(client, CapacityLimiter(self._limits.working))
        if workers.statistics().tasks_waiting >= self._limits.waiting:
            raise HTTPException(429, f"{self._limits.waiting} requests of your address are waiting: try again later")
        async with workers:
            return await run_in_threadpool(work)

    def _chosen_game(self, wanted: NewSession) -> Game:
        """Only shipped tables: a name that is none is never looked for among files."""
        entry = GAMES.get(wanted.game)
        if entry is None:
            raise HTTPException(422, f"game: expected one of {', '.join(GAMES)}")
        if wanted.table and wanted.table not in entry.tables:
            raise HTTPException(422, f"table: expected one of {', '.join(entry.tables)}")
        offered = _offered(entry)
        if unknown := set(wanted.options) - set(offered):
            raise HTTPException(422, f"options: {sorted(unknown)[0]!r} is not one of {', '.join(offered)}")
        try:
            return make_game(wanted.game, rules=wanted.table or entry.tables[0], **wanted.options)
        except ValueError as error:
            raise HTTPException(422, str(error)) from None


def _offered(entry: Entry) -> dict[str, list[Any]]:
    """The options that one can choose on the page."""
    return {key: list(values) for key, values in entry.options.items() if len(values) <= MOST_CHOICES}


def _client(request: Request) -> str:
    return client_of(request.client.host if request.client else "")


def _file(path: Path) -> Response:
    return Response(path.read_bytes(), headers=HEADERS, media_type=TYPES[path.suffix])


Body = TypeVar("Body")


async def _body(request: Request, kind: type[Body]) -> Body:
    """A small JSON body of the right shape. A form of a foreign page cannot send that type."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "expected application/json")
    read = b""
    try:
        async for part in request.stream():
            read += part
            if len(read) > LARGEST_BODY:
                raise HTTPException(413, f"a request has at most {LARGEST_BODY} bytes")
        return msgspec.json.decode(read, type=kind)
    except ClientDisconnect:  # nobody hears the answer; without one the log would have a traceback
        raise HTTPException(400, "the request broke off") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HTTPException(422, str(error)) from None


def _answer(content: Any, status: int = 200, headers: Mapping[str, str] = MappingProxyType({})) -> Response:
    return Response(msgspec.json.encode(content), status, HEADERS | dict(headers), media_type="application/json")


async def _problem(request: Request, error: Exception) -> Response:
    """Whatever is refused is answered in the same way, that which Starlette refuses, too."""
    assert isinstance(error, HTTPException)
    return _answer({"error": error.detail[:LONGEST_ERROR]}, error.status_code, error.headers or {})


class KnownHosts:
    """Answers only to names that are ours, and to the address at which a connection arrived: a foreign page could
    otherwise talk to a server in this network through a name of its own that leads here (DNS rebinding)."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self._app, self._hosts = app, tuple(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        found = HOST.fullmatch(Headers(scope=scope).get("host", ""))
        known = (*self._hosts, *_address(scope))
        if found and found[1].lower() in known:
            return await self._app(scope, receive, send)
        answer = _answer({"error": f"this server answers to {', '.join(known)} only"}, 400)
        return await answer(scope, receive, send)


def _address(scope: Scope) -> list[str]:
    """The address of this machine to which the client is connected, in the form of a Host header."""
    try:
        found = ipaddress.ip_address((scope.get("server") or ("",))[0])
    except ValueError:
        return []
    if isinstance(found, ipaddress.IPv6Address):
        return [str(found.ipv4_mapped or f"[{found}]")]
    return [str(found)]


def make_app(
    make_player: AgentMaker,
    opponents: Mapping[str, Sequence[str]],
    adviser: str,
    hosts: Sequence[str] = (),
    most_sessions: int = 500,
    seconds: float = 3600.0,
    timing: bool = False,
    limits: Limits = LIMITS,
) -> Starlette:
    """The application. `hosts` are further names that the server answers to, `limits` what one client may use."""
    server = Server(make_player, opponents, adviser, Sessions(most_sessions, seconds, limits.sessions), limits, timing)
    known = Middleware(KnownHosts, hosts=[*LOCAL, *hosts])
    app = Starlette(routes=server.routes(), middleware=[known], exception_handlers={HTTPException: _problem})
    app.router.redirect_slashes = False
    app.state.sessions = server.sessions
    return app
