"""The server of the page: sessions by secret names, small JSON requests, nothing hidden in any answer."""

import ipaddress
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
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
from drako_env.games import GAMES, make_game
from drako_env.replay import load
from drako_env.web.lessons import lesson_of
from drako_env.web.limits import LIMITS, Hints, Limits, Sessions, client_of, new_secret
from drako_env.web.session import PERSON, AgentMaker, RefusedError, Session
from drako_env.web.setup import Preset, described, offered_options
from drako_env.web.store import Store
from drako_env.web.words import rules_file

STATIC = Path(__file__).parent / "static"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
LARGEST_BODY = 4096
LONGEST_ERROR = 300
"""Characters of an answer that says what was wrong with what was sent."""
MOST_LISTED = 100
"""Finished games that are listed."""
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
    links: bool = False
    """Whether everybody gets a link of their own."""
    begun: str = ""
    """A finished game to play on from, for practice: its rules and cards are taken, not `table` and `options`."""
    number: int = 0
    """After so many of its decisions."""


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """Nothing more than the address says."""


class Numbered(msgspec.Struct, forbid_unknown_fields=True):
    """Something that is asked for at one decision of the game."""

    number: int


class Played(Numbered, forbid_unknown_fields=True):
    """A person's decision."""

    action: int


Result = TypeVar("Result")


@dataclass(frozen=True)
class Chair:
    """Who looks at a session: all people who sit before one page in turn (`shared`), or one seat, or an onlooker."""

    session: Session
    seat: int | None
    shared: bool

    @property
    def own(self) -> int | None:
        """The only seat that may be played from here, if it is not everybody's."""
        if self.shared:
            return None
        if self.seat is None or not self.session.links:
            raise RefusedError("who looks on does not play")
        return self.seat

    def payload(self) -> dict[str, Any]:
        """What is shown here."""
        return self.session.payload(self.seat, self.shared)


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
        store: Store | None = None,
        preset: Preset | None = None,
    ) -> None:
        self._make_player, self._opponents, self._adviser, self.sessions = make_player, opponents, adviser, sessions
        self._limits, self._hints = limits, Hints(limits.hints)
        self._workers: WeakValueDictionary[str, CapacityLimiter] = WeakValueDictionary()
        """By client, while it has requests."""
        self._files = {path.name: path for path in STATIC.iterdir() if path.suffix in TYPES}
        self._timing, self._store, self._preset = timing, store, preset or Preset()
        """`timing`: whether answers say how long agents thought: that may betray whether they had a choice."""
        self._seeds = self._preset.seeds()
        self._analysis = _analysis_routes(store)

    def routes(self) -> list[Route]:
        """All of them."""
        session = "/api/sessions/{name}"
        return [
            Route("/", self.page),
            Route("/static/{name}", self.part),
            Route("/api/games", self.games),
            Route("/api/rules/{game}", self.rules),
            Route("/api/lessons/{game}", self.lesson),
            Route("/api/finished", self.finished),
            Route("/api/finished/{name}", self.finished_replay),
            Route("/api/sessions", self.new, methods=["POST"]),
            Route(session, self.show),
            Route(f"{session}/play", self.play, methods=["POST"]),
            Route(f"{session}/advance", self.advance, methods=["POST"]),
            Route(f"{session}/cancel", self.cancel, methods=["POST"]),
            Route(f"{session}/undo", self.undo, methods=["POST"]),
            Route(f"{session}/hint", self.hint, methods=["POST"]),
            Route(f"{session}/rematch", self.rematch, methods=["POST"]),
            Route(f"{session}/replay", self.replay),
            *self._analysis,
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
        shown = {name: described(name, self._opponents[name], self._preset) for name in GAMES}
        preset, extra = self._preset.shown(), {"analysis": bool(self._analysis), "kept": self._store is not None}
        return {"games": shown, "person": PERSON, "preset": preset, **extra}

    async def rules(self, request: Request) -> Response:
        """The rules of a game as they are written."""
        name = request.path_params["game"]
        path = await run_in_threadpool(lambda: rules_file(make_game(name)) if name in GAMES else None)
        if path is None:
            raise HTTPException(404, "there are no rules of such a game")
        return Response(path.read_bytes(), headers=HEADERS, media_type="text/markdown")

    async def lesson(self, request: Request) -> Response:
        """The guided first game."""
        lesson = await run_in_threadpool(lambda: lesson_of(request.path_params["game"]))
        if lesson is None:
            raise HTTPException(404, "there is no guided game of that name")
        return _answer(lesson)

    async def finished(self, request: Request) -> Response:
        """The last finished games: of those all cards may be seen."""
        store = self._store
        games = await self._work(_client(request), lambda: store.listed(MOST_LISTED) if store else [])
        return _answer({"games": games})

    async def finished_replay(self, request: Request) -> Response:
        """A finished game as a file."""
        path = self._store.replay(request.path_params["name"]) if self._store else None
        if path is None:
            raise HTTPException(404, "there is no such game: the link is wrong, or newer games have taken its place")
        return _replay_file(path.read_bytes())

    async def new(self, request: Request) -> Response:
        """A new session. The name of its creator's chair is `session`; if there are links, `links` are all of them."""
        wanted, client = await _body(request, NewSession), _client(request)
        self.sessions.check_room(client)
        session = await self._work(client, lambda: self._set_up(wanted))
        name = self.sessions.add(session, client)
        if self._store:
            store = self._store
            await self._work(client, lambda: _keep(store, session, name, self.sessions.names))
        links = {session.game.seats[seat]: f"{name}.{secret}" for secret, seat in session.links.items()}
        own = next(iter(links.values()), name)
        return _answer({"session": own, "links": links, **self._chair(own, client).payload()}, 201)

    def _set_up(self, wanted: NewSession) -> Session:
        game, seed, actions = (
            self._begun(wanted) if wanted.begun else (self._chosen_game(wanted), next(self._seeds), [])
        )
        allowed = (PERSON, *self._opponents[wanted.game])
        if len(wanted.players) != len(game.seats) or not set(wanted.players) <= set(allowed):
            raise HTTPException(422, f"players: expected {len(game.seats)} of {', '.join(allowed)}")
        try:
            practice = wanted.practice or bool(wanted.begun)
            session = Session(game, wanted.players, self._make_player, seed, practice)
        except ValueError:
            raise HTTPException(
                422, "a learnt policy plays by the standard rules only: choose another opponent"
            ) from None
        session.follow(actions)
        if wanted.links:
            session.links = {new_secret(): seat for seat in session.people}
        return session

    def _begun(self, wanted: NewSession) -> tuple[Game, int, list[int]]:
        """The rules, the cards and the first decisions of a finished game."""
        path = self._store.replay(wanted.begun) if self._store else None
        if path is None:
            raise HTTPException(422, "begun: there is no such finished game")
        recorded = load(path)
        if recorded.header.game.removesuffix("_v0") != wanted.game:
            raise HTTPException(422, f"begun: that game is {recorded.header.game}")
        if not 0 <= wanted.number < len(recorded.decisions):
            raise HTTPException(422, f"number: that game has decisions 0 to {len(recorded.decisions) - 1}")
        game = recorded.make_game()
        actions = [game.actions.index(one.action) for one in recorded.decisions[: wanted.number]]
        return game, recorded.header.seed, actions

    async def show(self, request: Request) -> Response:
        """A session as it stands. `?seen=VERSION`: nothing, if it still stands so."""
        seen = request.query_params.get("seen", "")
        chair = await self._sit_down(request)
        if seen and seen == chair.session.version:
            return Response(status_code=204, headers=HEADERS)
        return await self._changed(request, lambda chair: None)

    async def play(self, request: Request) -> Response:
        """A person's decision."""
        wanted = await _body(request, Played)
        return await self._changed(request, lambda one: one.session.play(wanted.number, wanted.action, one.own))

    async def advance(self, request: Request) -> Response:
        """An agent's decision."""
        wanted = await _body(request, Numbered)
        return await self._changed(request, lambda one: one.session.advance(wanted.number))

    async def cancel(self, request: Request) -> Response:
        """Do not wait for the agent that thinks."""
        await _body(request, Nothing)
        return await self._changed(request, lambda one: one.session.cancel(), waiting=False)

    async def undo(self, request: Request) -> Response:
        """Take a decision back."""
        await _body(request, Nothing)
        return await self._changed(request, lambda one: one.session.undo(one.own))

    async def rematch(self, request: Request) -> Response:
        """Another game of the same players with sides swapped."""
        await _body(request, Nothing)
        return await self._changed(request, lambda one: one.session.rematch(next(self._seeds), swap=True))

    async def hint(self, request: Request) -> Response:
        """What the adviser would do."""
        wanted = await _body(request, Numbered)
        await self._sit_down(request)  # a hint at no session is not counted
        self._hints.count(_client(request))
        advise = lambda one: one.session.hint(wanted.number, self._adviser, one.own)  # noqa: E731
        hints, timing = await self._at(request, advise)
        return _answer({"hints": hints}, headers=timing)

    async def replay(self, request: Request) -> Response:
        """The finished game as a file."""
        lines, timing = await self._at(request, lambda one: one.session.replay())
        return _replay_file(lines, timing)

    async def _sit_down(self, request: Request) -> Chair:
        """Who asks; a session that has to be found again on the disk is so in a thread."""
        name, client = request.path_params["name"], _client(request)
        if name.partition(".")[0] in self.sessions.names:
            return self._chair(name, client)
        return await self._work(client, lambda: self._chair(name, client))

    def _chair(self, name: str, client: str, view: str | None = None) -> Chair:
        """Who asks: a name is that of a session, or with a secret that of one participant's link. `view` is the seat
        whose hand somebody wants to see who only looks on."""
        table, dot, secret = name.partition(".")
        session = self.sessions.find(table, client)
        if bool(session.links) != bool(dot) or (dot and secret not in session.links):
            raise HTTPException(404, "there is no such game: the link is wrong, or the game was cleared")
        if view:
            if view not in session.game.seats:
                raise HTTPException(422, f"view: expected one of {', '.join(session.game.seats)}")
            if session.people and not session.over:
                raise HTTPException(409, "hands are closed while people play")
            return Chair(session, session.game.seats.index(view), False)
        return Chair(session, session.seat_of(session.links[secret]) if dot else None, not dot)

    async def _changed(self, request: Request, change: Callable[[Chair], None], waiting: bool = True) -> Response:
        """Change a session, and answer with what it looks like then."""

        def work(chair: Chair) -> dict[str, Any]:
            change(chair)
            again = self._chair(
                request.path_params["name"], "", request.query_params.get("view")
            )  # sides may be swapped
            return again.payload()

        payload, timing = await self._at(request, work, waiting)
        return _answer(payload, headers=timing)

    async def _at(
        self, request: Request, work: Callable[[Chair], Any], waiting: bool = True
    ) -> tuple[Any, dict[str, str]]:
        """Work on a session in a thread. Returns what it gives, and a header that says how long it took, and how much
        of that an agent was thinking."""
        start, client, chair = time.perf_counter(), _client(request), await self._sit_down(request)
        before = chair.session.thinking
        try:
            result = await (self._work(client, lambda: work(chair)) if waiting else run_in_threadpool(work, chair))
        except RefusedError as error:
            raise HTTPException(409, str(error)) from None
        thought, spent = chair.session.thinking - before, time.perf_counter() - start
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
        """Only shipped tables, and that of the command line: a name that is none is never looked for among files."""
        entry = GAMES.get(wanted.game)
        if entry is None:
            raise HTTPException(422, f"game: expected one of {', '.join(GAMES)}")
        if self._preset.is_own(wanted.game, wanted.table) and self._preset.game is not None:
            return self._preset.game
        if wanted.table and wanted.table not in entry.tables:
            raise HTTPException(422, f"table: expected one of {', '.join(entry.tables)}")
        if unknown := set(wanted.options) - set(offered := offered_options(entry)):
            raise HTTPException(422, f"options: {sorted(unknown)[0]!r} is not one of {', '.join(offered)}")
        try:
            return make_game(wanted.game, rules=wanted.table or entry.tables[0], **wanted.options)
        except ValueError as error:
            raise HTTPException(422, str(error)) from None


def _keep(store: Store, session: Session, name: str, in_use: Collection[str]) -> None:
    """Write a new session down, if need be in the place of one that was left."""
    store.make_room(in_use)
    with session.lock:
        session.keep(store.journal(name))


def _analysis_routes(store: Store | None) -> list[Route]:
    """The pages on which finished games are analysed, where they are installed."""
    if store is None or find_spec("drako_env.web.analysis") is None:
        return []
    found: list[Route] = import_module("drako_env.web.analysis").routes(store)
    return found


def _replay_file(lines: bytes, headers: Mapping[str, str] = MappingProxyType({})) -> Response:
    name = {"Content-Disposition": 'attachment; filename="game.jsonl"'}
    return Response(lines, media_type="application/jsonl", headers=HEADERS | dict(headers) | name)


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
    most_sessions: int = 200,
    seconds: float = 3600.0,
    timing: bool = False,
    limits: Limits = LIMITS,
    folder: Path | None = None,
    preset: Preset | None = None,
) -> Starlette:
    """The application. `hosts` are further names that the server answers to, `limits` what one client may use, `folder`
    is where games are kept (`None`: in memory only), `preset` what is chosen at first."""
    store = Store(folder, most_sessions) if folder else None
    restore = (lambda name: store.find(name, make_player)) if store else None
    sessions = Sessions(most_sessions, seconds, limits.sessions, restore=restore)
    server = Server(make_player, opponents, adviser, sessions, limits, timing, store, preset)
    known = Middleware(KnownHosts, hosts=[*LOCAL, *hosts])
    app = Starlette(routes=server.routes(), middleware=[known], exception_handlers={HTTPException: _problem})
    app.router.redirect_slashes = False
    app.state.sessions, app.state.store = sessions, store
    return app
