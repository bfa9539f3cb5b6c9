"""The analysis board on the server: finished games, replays that somebody brings, and positions set up by hand.

`routes(store)` are added to those of the page. `store.replay(name)` is the file of a finished game, or `None`: of these
all hands may be seen. `store.keep(replay)` puts a game that somebody brought among them, for whoever wants to play on
from it. Whatever is wrong with what somebody brings is answered with 422 and a line that says it.
"""

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from drako_env.web import MISSING

try:
    import msgspec
    from anyio import CapacityLimiter
    from starlette.concurrency import run_in_threadpool
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import Response
    from starlette.routing import Route
except ImportError as error:
    raise ImportError(MISSING) from error

from drako_env.engine.game import Game
from drako_env.engine.position import Position
from drako_env.evaluation.analysis import Analyst
from drako_env.games import GAMES, make_game
from drako_env.render import OPEN
from drako_env.replay import ReplayError, decode, verify
from drako_env.web.analysis_study import Study, make_analyst
from drako_env.web.server import HEADERS

PAGE = Path(__file__).parent / "static" / "analysis.html"
LARGEST_REPLAY, LARGEST_POSITION = 2**20, 2**15
MOST_STUDIES = 32
"""That are kept in memory: a study has some hundred kilobytes."""


class Store(Protocol):
    """Where finished games are."""

    def replay(self, name: str, /) -> Path | None:
        """The file of a finished game."""

    def keep(self, replay: bytes, /) -> str:
        """A game among the finished ones, under the name that is returned."""


class WantedPosition(msgspec.Struct, forbid_unknown_fields=True):
    """A position to set up: of the game of a study, or of one under its standard rules."""

    position: dict[str, Any]
    study: str = ""
    game: str = ""


@dataclass
class Loaded:
    """A study, and what was found out about it."""

    study: Study
    replay: bytes = b""
    """As a file; nothing if it is a single position."""
    kept: str = ""
    """Under which name it is among the finished games, if it was brought and played on from."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _data: bytes = b""
    _searched: dict[int, dict[str, Any]] = field(default_factory=dict)

    @cached_property
    def _analyst(self) -> Analyst:
        return make_analyst(self.study.game)

    def data(self) -> bytes:
        """What the page shows at first."""
        with self._lock:
            if not self._data:
                self._data = msgspec.json.encode(self.study.data(self._analyst))
            return self._data

    def search(self, number: int) -> dict[str, Any]:
        """What the search thinks of a decision."""
        with self._lock:
            if number not in self._searched:
                self._searched[number] = self.study.search(number, self._analyst)
            return self._searched[number]

    def position(self, number: int) -> dict[str, Any]:
        """One position, with the rules that it is played by."""
        game, state = self.study.game, self.study.states[number]
        return {"game": game.name, "rules": game.rules_table(), "position": game.state_dict(state)}


class Studies:
    """Those that were looked at last."""

    def __init__(self, store: Store) -> None:
        self._store, self._lock = store, threading.Lock()
        self._kept: OrderedDict[str, Loaded] = OrderedDict()

    def bring(self, data: bytes) -> str:
        """A replay from outside; `ReplayError` says what is wrong with it."""
        verify(replay := decode(data))
        return self._keep(f"file-{_digest(data)}", Loaded(Study.of_replay(replay), data))

    def set_up(self, wanted: WantedPosition) -> str:
        """A position by hand; `ValueError` says what is wrong with it."""
        game = self.find(wanted.study).study.game if wanted.study else _standard(wanted.game)
        position = Position(game).load(wanted.position)
        viewers, players = (OPEN, *range(len(game.seats))), ["?"] * len(game.seats)
        name = f"position-{_digest(msgspec.json.encode((game.name, game.rules_table(), wanted.position)))}"
        return self._keep(name, Loaded(Study(game, [position.state.copy()], [], players, viewers)))

    def finished(self, name: str) -> str:
        """The name under which a game is among the finished ones."""
        if self._store.replay(name) is not None:
            return name
        found = self.find(name)
        if not found.replay:
            raise HTTPException(404, "a single position cannot be played on from: it has no deal")
        found.kept = found.kept if self._store.replay(found.kept) else self._store.keep(found.replay)
        return found.kept

    def find(self, name: str) -> Loaded:
        """One of them, or a finished game."""
        with self._lock:
            if name in self._kept:
                self._kept.move_to_end(name)
                return self._kept[name]
        path = self._store.replay(name)
        if path is None:
            raise HTTPException(404, "no such game to analyse: it is not over, or was cleared; load its file")
        data = path.read_bytes()
        self._keep(name, Loaded(Study.of_replay(decode(data)), data))
        return self.find(name)

    def _keep(self, name: str, loaded: Loaded) -> str:
        with self._lock:
            self._kept.setdefault(name, loaded)
            self._kept.move_to_end(name)
            while len(self._kept) > MOST_STUDIES:
                self._kept.popitem(last=False)
        return name


class Board:
    """The routes. One study at a time is worked on: analysts think for long."""

    def __init__(self, store: Store) -> None:
        self._studies, self._worker = Studies(store), CapacityLimiter(1)

    async def page(self, request: Request) -> Response:
        """The page itself: it reads from its address what to show."""
        return Response(PAGE.read_bytes(), headers=HEADERS, media_type="text/html")

    async def bring(self, request: Request) -> Response:
        """A replay from outside."""
        data = await _read(request, "application/jsonl", LARGEST_REPLAY)
        return _answer({"study": await self._work(self._studies.bring, data)}, 201)

    async def set_up(self, request: Request) -> Response:
        """A position by hand."""
        data = await _read(request, "application/json", LARGEST_POSITION)
        try:
            wanted = msgspec.json.decode(data, type=WantedPosition)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise HTTPException(422, str(error)) from None
        return _answer({"study": await self._work(self._studies.set_up, wanted)}, 201)

    async def study(self, request: Request) -> Response:
        """All of a study but what the search thinks."""
        found = await self._work(lambda: self._find(request).data())
        return Response(found, headers=HEADERS, media_type="application/json")

    async def search(self, request: Request) -> Response:
        """What the search thinks of one decision."""
        return _answer(await self._work(lambda: self._find(request).search(_number(request, self._find(request)))))

    async def position(self, request: Request) -> Response:
        """One position, to change by hand."""

        def work() -> dict[str, Any]:
            found = self._find(request)
            return found.position(_number(request, found, end=True))

        return _answer(await self._work(work))

    async def play_on(self, request: Request) -> Response:
        """The name of the game that the page can play on from."""
        await _read(request, "application/json", LARGEST_POSITION)
        return _answer({"finished": await self._work(self._studies.finished, request.path_params["name"])})

    async def replay(self, request: Request) -> Response:
        """The game as a file."""
        lines = (await self._work(self._find, request)).replay
        if not lines:
            raise HTTPException(404, "a single position has no replay")
        name = {"Content-Disposition": 'attachment; filename="game.jsonl"'}
        return Response(lines, media_type="application/jsonl", headers=HEADERS | name)

    def _find(self, request: Request) -> Loaded:
        return self._studies.find(request.path_params["name"])

    async def _work(self, work: Any, *arguments: Any) -> Any:
        async with self._worker:
            try:
                return await run_in_threadpool(work, *arguments)
            except (ReplayError, ValueError) as error:
                raise HTTPException(422, str(error)) from None


def routes(store: Store) -> list[Route]:
    """Those of the analysis board."""
    board, study = Board(store), "/api/analysis/{name}"
    return [
        Route("/analysis", board.page),
        Route("/analysis/{name}", board.page),
        Route("/api/analysis", board.bring, methods=["POST"]),
        Route("/api/analysis/position", board.set_up, methods=["POST"]),
        Route(study, board.study),
        Route(f"{study}/replay", board.replay),
        Route(f"{study}/play", board.play_on, methods=["POST"]),
        Route(f"{study}/search/{{number}}", board.search),
        Route(f"{study}/position/{{number}}", board.position),
    ]


def _standard(name: str) -> Game:
    if name not in GAMES:
        raise ValueError(f"game: expected one of {', '.join(GAMES)}")
    return make_game(name)


def _number(request: Request, loaded: Loaded, end: bool = False) -> int:
    """The number of a decision; of a position, that at the end too."""
    given, count = request.path_params["number"], len(loaded.study.states)
    last = Position.of(loaded.study.game, loaded.study.states[-1])
    most = count - (1 if last.over and not end else 0)
    if not given.isdecimal() or len(given) > 9 or int(given) >= most:
        raise HTTPException(404, f"decision: expected a number below {most}")
    return int(given)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:24]


async def _read(request: Request, kind: str, most: int) -> bytes:
    """The body of a request, of a type that no form of a foreign page can send."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != kind:
        raise HTTPException(415, f"expected {kind}")
    read = b""
    try:
        async for chunk in request.stream():
            read += chunk
            if len(read) > most:
                raise HTTPException(413, f"at most {most} bytes are read")
    except ClientDisconnect:
        raise HTTPException(400, "the request broke off") from None
    return read


def _answer(content: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(content), status, HEADERS, media_type="application/json")
