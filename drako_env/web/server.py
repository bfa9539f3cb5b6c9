"""The server of the page: sessions by secret names, small JSON requests, nothing hidden in any answer."""

import ipaddress
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
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
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route
    from starlette.types import ASGIApp, Receive, Scope, Send
except ImportError as error:
    raise ImportError(MISSING) from error

from drako_env.engine.game import Game
from drako_env.games import GAMES, make_game
from drako_env.render import OPEN
from drako_env.web import answers
from drako_env.web.analysis import Board
from drako_env.web.analysis_study import ALL
from drako_env.web.lessons import lesson_of
from drako_env.web.limits import LIMITS, Hints, Limits, Sessions, new_secret
from drako_env.web.rules import rules_of
from drako_env.web.session import PERSON, AgentMaker, RefusedError, Session, SoFar
from drako_env.web.setup import Preset, described, offered_options
from drako_env.web.store import Store

STATIC = Path(__file__).parent / "static"
MOST_LISTED = 100
"""Finished games that are listed."""
LOCAL = ("127.0.0.1", "localhost", "[::1]")
HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:]+)(:[0-9]*)?", re.IGNORECASE)


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
    analysis: bool = False
    """Whether several people may each study their side while they play."""


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """Nothing more than the address says."""


class Numbered(msgspec.Struct, forbid_unknown_fields=True):
    """Something that is asked for at one decision of the game."""

    number: int


class PlayedOn(Numbered, forbid_unknown_fields=True):
    """What to play on from, for practice: a game or a position of the analysis board, after so many decisions."""

    study: str


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
    looks_on: bool = False
    """Whether it is somebody who opens hands, which closes when people play."""

    @property
    def own(self) -> int | None:
        """The only seat that may be played from here, if it is not everybody's."""
        if self.looks_on:
            raise RefusedError("who looks on does not play")
        return self.seat

    @property
    def eyes(self) -> int | None:
        """With whose eyes the game may be studied from here: those of one seat, `OPEN` for all hands, nobody's."""
        session = self.session
        if not session.closed:
            return OPEN
        alone = len(session.people) == 1
        seat = session.people[0] if alone and self.shared else self.seat
        return seat if alone or session.analysis else None

    def payload(self) -> dict[str, Any]:
        """What is shown here."""
        with self.session.lock:
            seat = None if self.looks_on and self.session.closed else self.seat
            return self.session.payload(seat, self.shared) | {"analysis": self.eyes is not None}

    def study(self) -> tuple[SoFar, int]:
        """The game so far, and with whose eyes it is to be studied."""
        with self.session.lock:
            if self.eyes is None:
                raise RefusedError("analysis is closed while several people play, unless they chose it before the game")
            return self.session.so_far(), self.eyes


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
        self._files = {path.name: path for path in STATIC.iterdir() if path.suffix in answers.TYPES}
        self._timing, self._store, self._preset = timing, store, preset or Preset()
        """`timing`: whether answers say how long agents thought: that may betray whether they had a choice."""
        self._seeds = self._preset.seeds()
        study = lambda name, client: self._chair(name, client).study()  # noqa: E731
        self._board = Board(store, study) if store else None

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
            Route("/api/sessions/on", self.play_on, methods=["POST"]),
            Route(session, self.show),
            Route(f"{session}/play", self.play, methods=["POST"]),
            Route(f"{session}/advance", self.advance, methods=["POST"]),
            Route(f"{session}/cancel", self.cancel, methods=["POST"]),
            Route(f"{session}/undo", self.undo, methods=["POST"]),
            Route(f"{session}/hint", self.hint, methods=["POST"]),
            Route(f"{session}/rematch", self.rematch, methods=["POST"]),
            Route(f"{session}/replay", self.replay),
            *(self._board.routes() if self._board else ()),
        ]

    async def page(self, request: Request) -> Response:
        """The page itself."""
        return answers.file(STATIC / "index.html")

    async def part(self, request: Request) -> Response:
        """What the page consists of: these files and no others, whatever a path looks like."""
        if request.path_params["name"] not in self._files:
            raise HTTPException(404)
        return answers.file(self._files[request.path_params["name"]])

    async def games(self, request: Request) -> Response:
        """What can be chosen."""
        return answers.answer(await run_in_threadpool(lambda: self._choices))

    @cached_property
    def _choices(self) -> dict[str, Any]:
        shown = {name: described(name, self._opponents[name], self._preset) for name in GAMES}
        preset, extra = self._preset.shown(), {"analysis": self._board is not None, "kept": self._store is not None}
        return {"games": shown, "person": PERSON, "preset": preset, **extra}

    async def rules(self, request: Request) -> Response:
        """The rules of a game in the words of the page."""
        rules = await run_in_threadpool(lambda: rules_of(request.path_params["game"]))
        if rules is None:
            raise HTTPException(404, "there are no rules of such a game")
        return Response(rules, headers=answers.HEADERS, media_type="text/markdown")

    async def lesson(self, request: Request) -> Response:
        """The guided first game."""
        lesson = await run_in_threadpool(lambda: lesson_of(request.path_params["game"]))
        if lesson is None:
            raise HTTPException(404, "there is no guided game of that name")
        return answers.answer(lesson)

    async def finished(self, request: Request) -> Response:
        """The last finished games: of those all cards may be seen."""
        store = self._store
        games = await self._work(answers.client(request), lambda: store.listed(MOST_LISTED) if store else [])
        return answers.answer({"games": games})

    async def finished_replay(self, request: Request) -> Response:
        """A finished game as a file."""
        path = self._store.replay(request.path_params["name"]) if self._store else None
        if path is None:
            raise HTTPException(404, "there is no such game: the link is wrong, or newer games have taken its place")
        return answers.replay_file(path.read_bytes())

    async def new(self, request: Request) -> Response:
        """A new session. The name of its creator's chair is `session`; if there are links, `links` are all of them."""
        wanted = await answers.body(request, NewSession)
        return await self._open(request, lambda: self._set_up(wanted))

    async def play_on(self, request: Request) -> Response:
        """A new session that goes on with a game or from a position of the analysis board."""
        wanted, client = await answers.body(request, PlayedOn), answers.client(request)
        return await self._open(request, lambda: self._go_on(wanted, client))

    async def _open(self, request: Request, make: Callable[[], Session]) -> Response:
        client = answers.client(request)
        self.sessions.check_room(client)
        session = await self._work(client, make)
        name = self.sessions.add(session, client)
        if self._store:
            store = self._store
            await self._work(client, lambda: _keep(store, session, name, self.sessions.names))
        links = {session.game.seats[seat]: f"{name}.{secret}" for secret, seat in session.links.items()}
        own = next(iter(links.values()), name)
        return answers.answer({"session": own, "links": links, **self._chair(own, client).payload()}, 201)

    def _set_up(self, wanted: NewSession) -> Session:
        game = self._chosen_game(wanted)
        allowed = (PERSON, *self._opponents[wanted.game])
        if len(wanted.players) != len(game.seats) or not set(wanted.players) <= set(allowed):
            raise HTTPException(422, f"players: expected {len(game.seats)} of {', '.join(allowed)}")
        try:
            session = Session(game, wanted.players, self._make_player, next(self._seeds), wanted.practice)
        except ValueError:
            raise HTTPException(
                422, "a learnt policy plays by the standard rules only: choose another opponent"
            ) from None
        if wanted.links:
            session.links = {new_secret(): seat for seat in session.people}
        session.analysis = wanted.analysis
        return session

    def _go_on(self, wanted: PlayedOn, client: str) -> Session:
        """Whoever was to decide there is a person now; of the others each stays, if it may be chosen here."""
        if self._board is None:
            raise HTTPException(404, "this server keeps no games to play on from")
        try:
            begin, decider = self._board.begin(wanted.study, wanted.number, client)
        except RefusedError as error:
            raise HTTPException(409, str(error)) from None
        except ValueError as error:
            raise HTTPException(422, str(error)) from None
        players = [self._opponent(begin.game, player) for player in begin.players]
        players[decider] = PERSON
        seed = next(self._seeds) if begin.seed is None else begin.seed
        session = Session(begin.game, players, self._make_player, seed, True, begin.position)
        session.follow(begin.actions)
        return session

    def _opponent(self, game: Game, wanted: str) -> str:
        """A player that may be chosen and plays by these rules: a certain one if it does."""
        offered = self._opponents.get(game.name.removesuffix("_v0"), ())
        for player in sorted(offered, key=lambda one: one != wanted):
            try:
                self._make_player(player, game)
            except ValueError:  # a learnt policy, of other rules
                continue
            return player
        raise HTTPException(422, f"there is no opponent here that plays {game.name} by these rules")

    async def show(self, request: Request) -> Response:
        """A session as it stands. `?seen=VERSION`: nothing, if it still stands so."""
        seen = request.query_params.get("seen", "")
        chair = await self._sit_down(request)
        if seen and seen == chair.session.version:
            return Response(status_code=204, headers=answers.HEADERS)
        return await self._changed(request, lambda chair: None)

    async def play(self, request: Request) -> Response:
        """A person's decision."""
        wanted = await answers.body(request, Played)
        return await self._changed(request, lambda one: one.session.play(wanted.number, wanted.action, one.own))

    async def advance(self, request: Request) -> Response:
        """An agent's decision."""
        wanted = await answers.body(request, Numbered)
        return await self._changed(request, lambda one: one.session.advance(wanted.number))

    async def cancel(self, request: Request) -> Response:
        """Do not wait for the agent that thinks."""
        await answers.body(request, Nothing)
        return await self._changed(request, lambda one: one.session.cancel(), waiting=False)

    async def undo(self, request: Request) -> Response:
        """Take a decision back."""
        await answers.body(request, Nothing)
        return await self._changed(request, lambda one: one.session.undo(one.own))

    async def rematch(self, request: Request) -> Response:
        """Another game of the same players with sides swapped."""
        await answers.body(request, Nothing)
        return await self._changed(request, lambda one: one.session.rematch(next(self._seeds), swap=True))

    async def hint(self, request: Request) -> Response:
        """What the adviser would do."""
        wanted = await answers.body(request, Numbered)
        await self._sit_down(request)  # a hint at no session is not counted
        self._hints.count(answers.client(request))
        advise = lambda one: one.session.hint(wanted.number, self._adviser, one.own)  # noqa: E731
        hints, timing = await self._at(request, advise)
        return answers.answer({"hints": hints}, headers=timing)

    async def replay(self, request: Request) -> Response:
        """The finished game as a file."""
        lines, timing = await self._at(request, lambda one: one.session.replay())
        return answers.replay_file(lines, timing)

    async def _sit_down(self, request: Request) -> Chair:
        """Who asks; a session that has to be found again on the disk is so in a thread."""
        name, client = request.path_params["name"], answers.client(request)
        if name.partition(".")[0] in self.sessions.names:
            return self._chair(name, client)
        return await self._work(client, lambda: self._chair(name, client))

    def _chair(self, name: str, client: str, view: str | None = None, changed: bool = False) -> Chair:
        """Who asks: a name is that of a session, or with a secret that of one participant's link. `view` is the seat
        whose hand somebody wants to see who only looks on, or all of them; people may play meanwhile (`changed`)."""
        table, dot, secret = name.partition(".")
        session = self.sessions.find(table, client)
        if bool(session.links) != bool(dot) or (dot and secret not in session.links):
            raise HTTPException(404, "there is no such game: the link is wrong, or the game was cleared")
        if not view:
            return Chair(session, session.seat_of(session.links[secret]) if dot else None, not dot)
        eyes = {seat: number for number, seat in enumerate(session.game.seats)} | {ALL: OPEN}
        if view not in eyes:
            raise HTTPException(422, f"view: expected one of {', '.join(eyes)}")
        if session.closed and not changed:
            raise RefusedError("hands are closed while people play")
        return Chair(session, eyes[view], shared=False, looks_on=True)

    async def _changed(self, request: Request, change: Callable[[Chair], None], waiting: bool = True) -> Response:
        """Change a session, and answer with what it looks like then."""

        def work(chair: Chair) -> dict[str, Any]:
            name, view = request.path_params["name"], request.query_params.get("view")
            self._chair(name, "", view)  # what cannot be shown changes nothing
            change(chair)
            return self._chair(name, "", view, changed=True).payload()  # sides may be swapped

        payload, timing = await self._at(request, work, waiting)
        return answers.answer(payload, headers=timing)

    async def _at(
        self, request: Request, work: Callable[[Chair], Any], waiting: bool = True
    ) -> tuple[Any, dict[str, str]]:
        """Work on a session in a thread. Returns what it gives, and a header that says how long it took, and how much
        of that an agent was thinking."""
        start, client, chair = time.perf_counter(), answers.client(request), await self._sit_down(request)
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
        answer = answers.answer({"error": f"this server answers to {', '.join(known)} only"}, 400)
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
    app = Starlette(routes=server.routes(), middleware=[known], exception_handlers={HTTPException: answers.problem})
    app.router.redirect_slashes = False
    app.state.sessions, app.state.store = sessions, store
    return app
