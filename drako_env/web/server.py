"""The server of the page: tables by secret names, small JSON requests, nothing hidden in any answer."""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

try:
    import msgspec
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.requests import Request
    from starlette.responses import FileResponse, JSONResponse, Response
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles
except ImportError as error:
    raise ImportError("the page needs Starlette and uvicorn: pip install 'drako-env[web]'") from error

from drako_env.engine.game import Game
from drako_env.games import GAMES, Entry, make_game
from drako_env.web.table import PERSON, AgentMaker, RefusedError, Table

STATIC = Path(__file__).parent / "static"
LARGEST_BODY = 4096
MOST_CHOICES = 12
"""An option with more values than that is not offered."""
LOCAL = ("127.0.0.1", "localhost", "[::1]")
POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class NewTable(msgspec.Struct, forbid_unknown_fields=True):
    """What to play, and who."""

    game: str
    players: list[str]
    """By seat: `person` or an opponent's name."""
    table: str = ""
    options: dict[str, str | int | bool] = {}
    practice: bool = False


class Numbered(msgspec.Struct, forbid_unknown_fields=True):
    """Something that is asked for at one decision of the game."""

    number: int


class Played(Numbered, forbid_unknown_fields=True):
    """A person's decision."""

    action: int


class RequestError(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass
class Tables:
    """The tables in use, at most so many; those that nobody came back to are cleared."""

    most: int
    seconds: float
    clock: Callable[[], float] = time.monotonic
    _used: dict[str, float] = field(default_factory=dict)
    _tables: dict[str, Table] = field(default_factory=dict)

    def check_room(self) -> None:
        """Whether there is one more."""
        self.clear()
        if len(self._tables) >= self.most:
            raise RequestError(429, f"all {self.most} tables are taken: try again later")

    def add(self, table: Table) -> str:
        """A new table under a name that nobody can guess."""
        self.check_room()
        name = secrets.token_urlsafe(16)
        self._tables[name], self._used[name] = table, self.clock()
        return name

    def find(self, name: str) -> Table:
        """A table by its name."""
        self.clear()
        if name not in self._tables:
            raise RequestError(404, "there is no such table (any more)")
        self._used[name] = self.clock()
        return self._tables[name]

    def clear(self) -> None:
        """Forget what has expired."""
        now = self.clock()
        for name in [name for name, used in self._used.items() if now - used > self.seconds]:
            del self._used[name], self._tables[name]

    def __len__(self) -> int:
        return len(self._tables)


class Server:
    """The routes. `opponents` are the agents that may be chosen in each game, `adviser` is the one that gives hints."""

    def __init__(
        self,
        make_agent: AgentMaker,
        opponents: Mapping[str, Sequence[str]],
        adviser: str,
        tables: Tables,
        timing: bool = False,
    ) -> None:
        self._make_agent, self._opponents, self._adviser, self.tables = make_agent, opponents, adviser, tables
        self._timing = timing
        """Whether answers say how long agents thought: that may betray whether they had a choice."""

    def routes(self) -> list[Route | Mount]:
        """All of them."""
        table = "/api/tables/{name}"
        return [
            Route("/", self.page),
            Route("/api/games", self.games),
            Route("/api/tables", self.new, methods=["POST"]),
            Route(table, self.show),
            Route(f"{table}/play", self.play, methods=["POST"]),
            Route(f"{table}/advance", self.advance, methods=["POST"]),
            Route(f"{table}/undo", self.undo, methods=["POST"]),
            Route(f"{table}/hint", self.hint, methods=["POST"]),
            Route(f"{table}/rematch", self.rematch, methods=["POST"]),
            Route(f"{table}/replay", self.replay),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]

    async def page(self, request: Request) -> Response:
        """The page itself."""
        return FileResponse(STATIC / "index.html", headers=HEADERS)

    async def games(self, request: Request) -> Response:
        """What can be chosen."""
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
        return _answer({"games": shown, "person": PERSON})

    async def new(self, request: Request) -> Response:
        """A new table."""
        wanted = await _body(request, NewTable)
        self.tables.check_room()
        game = self._chosen_game(wanted)
        allowed = (PERSON, *self._opponents[wanted.game])
        if len(wanted.players) != len(game.seats) or not set(wanted.players) <= set(allowed):
            raise RequestError(422, f"players: expected {len(game.seats)} of {', '.join(allowed)}")

        def make() -> Table:
            return Table(game, wanted.players, self._make_agent, secrets.randbits(63), wanted.practice)

        try:
            table = await run_in_threadpool(make)
        except ValueError:
            raise RequestError(
                422, "a learnt policy plays by the standard rules only: choose another opponent"
            ) from None
        return _answer({"table": self.tables.add(table), **table.payload()}, 201)

    async def show(self, request: Request) -> Response:
        """A table as it stands."""
        return await self._changed(request, lambda table: None)

    async def play(self, request: Request) -> Response:
        """A person's decision."""
        wanted = await _body(request, Played)
        return await self._changed(request, lambda table: table.play(wanted.number, wanted.action))

    async def advance(self, request: Request) -> Response:
        """An agent's decision."""
        wanted = await _body(request, Numbered)
        return await self._changed(request, lambda table: table.advance(wanted.number))

    async def undo(self, request: Request) -> Response:
        """Take a decision back."""
        return await self._changed(request, Table.undo)

    async def rematch(self, request: Request) -> Response:
        """Another game of the same players."""
        return await self._changed(request, lambda table: table.rematch(secrets.randbits(63)))

    async def hint(self, request: Request) -> Response:
        """What the adviser would do."""
        wanted = await _body(request, Numbered)
        hints, timing = await self._locked(request, lambda table: table.hint(wanted.number, self._adviser))
        return _answer({"hints": hints}, headers=timing)

    async def replay(self, request: Request) -> Response:
        """The finished game as a file."""
        lines, timing = await self._locked(request, Table.replay)
        name = {"Content-Disposition": 'attachment; filename="game.jsonl"'}
        return Response(lines, media_type="application/jsonl", headers=HEADERS | timing | name)

    async def _changed(self, request: Request, change: Callable[[Table], None]) -> Response:
        """Change a table, and answer with what it looks like then."""

        def work(table: Table) -> dict[str, Any]:
            change(table)
            return table.payload()

        payload, timing = await self._locked(request, work)
        return _answer(payload, headers=timing)

    async def _locked(self, request: Request, work: Callable[[Table], Any]) -> tuple[Any, dict[str, str]]:
        """Work on a table in a thread, one at a time. Returns what it gives, and a header that says how long it took,
        and how much of that an agent was thinking."""
        start, table = time.perf_counter(), self.tables.find(request.path_params["name"])

        def alone() -> tuple[Any, float]:
            with table.lock:
                before = table.thinking
                return work(table), table.thinking - before

        try:
            result, thought = await run_in_threadpool(alone)
        except RefusedError as error:
            raise RequestError(409, str(error)) from None
        spent = time.perf_counter() - start
        if not self._timing:
            return result, {}
        return result, {"Server-Timing": f"all;dur={1000 * spent:.1f}, agent;dur={1000 * thought:.1f}"}

    def _chosen_game(self, wanted: NewTable) -> Game:
        """Only shipped tables: a name that is none is never looked for among files."""
        entry = GAMES.get(wanted.game)
        if entry is None:
            raise RequestError(422, f"game: expected one of {', '.join(GAMES)}")
        if wanted.table and wanted.table not in entry.tables:
            raise RequestError(422, f"table: expected one of {', '.join(entry.tables)}")
        offered = _offered(entry)
        if unknown := set(wanted.options) - set(offered):
            raise RequestError(422, f"options: {sorted(unknown)[0]!r} is not one of {', '.join(offered)}")
        try:
            return make_game(wanted.game, rules=wanted.table or entry.tables[0], **wanted.options)
        except ValueError as error:
            raise RequestError(422, str(error)) from None


def _offered(entry: Entry) -> dict[str, list[Any]]:
    """The options that one can choose on the page."""
    return {key: list(values) for key, values in entry.options.items() if len(values) <= MOST_CHOICES}


Body = TypeVar("Body")


async def _body(request: Request, kind: type[Body]) -> Body:
    """A small JSON body of the right shape. A form of a foreign page cannot send that type."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise RequestError(415, "expected application/json")
    read = b""
    async for part in request.stream():
        read += part
        if len(read) > LARGEST_BODY:
            raise RequestError(413, f"a request has at most {LARGEST_BODY} bytes")
    try:
        return msgspec.json.decode(read, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise RequestError(422, str(error)) from None


def _answer(content: Any, status: int = 200, headers: Mapping[str, str] = MappingProxyType({})) -> Response:
    return Response(msgspec.json.encode(content), status, HEADERS | dict(headers), media_type="application/json")


async def _problem(request: Request, error: Exception) -> Response:
    status = error.status if isinstance(error, RequestError) else 500
    return JSONResponse({"error": str(error)}, status, HEADERS)


def make_app(
    make_agent: AgentMaker,
    opponents: Mapping[str, Sequence[str]],
    adviser: str,
    hosts: Sequence[str] = (),
    most_tables: int = 500,
    seconds: float = 3600.0,
    timing: bool = False,
) -> Starlette:
    """The application. `hosts` are further names that the server answers to; others are refused, so that no foreign
    page can talk to a server on this machine through a name of its own."""
    server = Server(make_agent, opponents, adviser, Tables(most_tables, seconds), timing)
    trusted = Middleware(TrustedHostMiddleware, allowed_hosts=[*LOCAL, *hosts])
    app = Starlette(routes=server.routes(), middleware=[trusted], exception_handlers={RequestError: _problem})
    app.state.tables = server.tables
    return app
