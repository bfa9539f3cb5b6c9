"""The analysis board on the server: games that are over, games under way, replays that somebody brings, and positions
set up by hand.

Of finished games all hands may be seen; of one under way a seat's study holds what that seat may know. Whatever is
wrong with what somebody brings is answered with 422 and a line that says it.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from drako_env.web import MISSING

try:
    import msgspec
    from anyio import CapacityLimiter
    from starlette.concurrency import run_in_threadpool
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route
except ImportError as error:
    raise ImportError(MISSING) from error

from drako_env.engine.checks import shown
from drako_env.engine.game import Game
from drako_env.engine.position import Position
from drako_env.evaluation.analysis import Analyst
from drako_env.games import GAMES, make_game
from drako_env.render import OPEN
from drako_env.replay import Replay, decode, verify
from drako_env.web import answers
from drako_env.web.analysis_study import Study, make_analyst
from drako_env.web.session import RefusedError, SoFar

PAGE = Path(__file__).parent / "static" / "analysis.html"
LARGEST_REPLAY, LARGEST_POSITION = 2**20, 2**15
MOST_STUDIES = 32
"""That are kept in memory: a study has some hundred kilobytes."""


TABLE = "table-"
"""Before the name of a chair: the game that is played there, as far as it has gone."""
PRACTICE = "the game is under way: what its seats do not know stays hidden"

Tables = Callable[[str, str], tuple[SoFar, int]]
"""By the name of a chair and the client that asks: a game under way, and with whose eyes it may be studied."""


class Store(Protocol):
    """Where finished games are."""

    def replay(self, name: str, /) -> Path | None:
        """The file of a finished game."""


class WantedPosition(msgspec.Struct, forbid_unknown_fields=True):
    """A position to set up: of the game of a study, or of one under its standard rules."""

    position: dict[str, Any]
    study: str = ""
    game: str = ""


@dataclass(frozen=True)
class Begin:
    """What a new game goes on from."""

    game: Game
    seed: int | None
    """Of the deal; nothing if it was not dealt."""
    position: Mapping[str, Any] | None
    """Where the game began, if it was not dealt."""
    players: Sequence[str]
    actions: Sequence[int]


@dataclass
class Loaded:
    """A study, and what was found out about it."""

    study: Study
    begin: Begin | None
    """Nothing if it is a seat's study of a game under way: the others' cards are its secret."""
    replay: bytes = b""
    """As a file; nothing if the game is not over."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _data: bytes = b""
    _searched: dict[int, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of_replay(cls, data: bytes, replay: Replay) -> "Loaded":
        """A game that is over."""
        study, header = Study.of_replay(replay), replay.header
        begin = Begin(study.game, header.seed, header.position, study.players, study.actions)
        return cls(study, begin, data)

    @classmethod
    def of_table(cls, so_far: SoFar, eyes: int) -> "Loaded":
        """A game under way, as one seat has seen it, or (`OPEN`) everybody."""
        game, players = so_far.game, so_far.players
        viewers = (OPEN, *range(len(game.seats))) if eyes == OPEN else (eyes,)
        study = Study(game, so_far.states, so_far.actions, players, viewers, drawn=so_far.drawn)
        begin = Begin(game, so_far.seed, so_far.begin, players, so_far.actions) if eyes == OPEN else None
        return cls(study, begin)

    @classmethod
    def of_position(cls, position: Position, given: Mapping[str, Any]) -> "Loaded":
        """A position that was set up by hand."""
        game, players = position.game, ["?"] * len(position.game.seats)
        study = Study(game, [position.state.copy()], [], players, (OPEN, *range(len(game.seats))))
        return cls(study, Begin(game, None, given, players, []))

    @cached_property
    def _analyst(self) -> Analyst:
        return make_analyst(self.study.game)

    def data(self) -> bytes:
        """What the page shows at first."""
        with self._lock:
            if not self._data:
                offers = {"practice": self.begin is None, "file": bool(self.replay)}
                self._data = msgspec.json.encode(self.study.data(self._analyst) | offers)
            return self._data

    def search(self, number: int) -> dict[str, Any]:
        """What the search thinks of a decision."""
        with self._lock:
            if number not in self._searched:
                self._searched[number] = self.study.search(number, self._analyst)
            return self._searched[number]

    def position(self, number: int) -> dict[str, Any]:
        """One position, with the rules that it is played by."""
        if self.begin is None:
            raise RefusedError(PRACTICE)
        game, state = self.study.game, self.study.states[number]
        return {"game": game.name, "rules": game.rules_table(), "position": game.state_dict(state)}


class Studies:
    """Those that were looked at last."""

    def __init__(self, store: Store, tables: Tables) -> None:
        self._store, self._tables, self._lock = store, tables, threading.Lock()
        self._kept: OrderedDict[str, Loaded] = OrderedDict()

    def bring(self, data: bytes) -> str:
        """A replay from outside; `ReplayError` says what is wrong with it."""
        verify(replay := decode(data))
        name = f"file-{_digest(data)}"
        self._keep(name, lambda: Loaded.of_replay(data, replay))
        return name

    def set_up(self, wanted: WantedPosition, client: str) -> str:
        """A position by hand; `ValueError` says what is wrong with it."""
        game = self.find(wanted.study, client).study.game if wanted.study else _standard(wanted.game)
        position = _loaded(game, wanted.position)
        name = f"position-{_digest(msgspec.json.encode((game.name, game.rules_table(), wanted.position)))}"
        self._keep(name, lambda: Loaded.of_position(position, wanted.position))
        return name

    def find(self, name: str, client: str) -> Loaded:
        """One of them, a finished game, or one under way."""
        if name.startswith(TABLE):
            so_far, eyes = self._tables(name.removeprefix(TABLE), client)
            played = msgspec.json.encode((name, eyes, so_far.seed, so_far.players, so_far.actions))
            return self._keep(f"{TABLE}{_digest(played)}", lambda: Loaded.of_table(so_far, eyes))
        return self._keep(name, lambda: self._finished(name))

    def _finished(self, name: str) -> Loaded:
        path = self._store.replay(name)
        if path is None:
            raise HTTPException(404, "no such game to analyse: it is not over, or was cleared; load its file")
        data = path.read_bytes()
        return Loaded.of_replay(data, decode(data))

    def _keep(self, name: str, make: Callable[[], Loaded]) -> Loaded:
        """What is known by a name already, or else is made."""
        with self._lock:
            found = self._kept.pop(name, None)
        found = found or make()
        with self._lock:
            self._kept[name] = found
            while len(self._kept) > MOST_STUDIES:
                self._kept.popitem(last=False)
        return found


class Board:
    """The routes. One study at a time is worked on: analysts think for long."""

    def __init__(self, store: Store, tables: Tables) -> None:
        self.studies, self._worker = Studies(store, tables), CapacityLimiter(1)

    def routes(self) -> list[Route]:
        """All of them."""
        study = "/api/analysis/{name}"
        return [
            Route("/analysis", self.page),
            Route("/analysis/{name}", self.page),
            Route("/api/analysis", self.bring, methods=["POST"]),
            Route("/api/analysis/position", self.set_up, methods=["POST"]),
            Route(study, self.study),
            Route(f"{study}/replay", self.replay),
            Route(f"{study}/search/{{number}}", self.search),
            Route(f"{study}/position/{{number}}", self.position),
        ]

    def begin(self, name: str, number: int, client: str) -> tuple[Begin, int]:
        """What playing on after so many decisions begins with, and whose decision is next."""
        loaded = self.studies.find(name, client)
        if loaded.begin is None:
            raise RefusedError(PRACTICE)
        states = loaded.study.states
        if not 0 <= number < len(states) or Position.of(loaded.study.game, states[number]).over:
            raise HTTPException(422, "number: there is no such decision, or the game is over there")
        actions = loaded.begin.actions[:number]
        return replace(loaded.begin, actions=actions), int(states[number]["agent"])

    async def page(self, request: Request) -> Response:
        """The page itself: it reads from its address what to show."""
        return answers.file(PAGE)

    async def bring(self, request: Request) -> Response:
        """A replay from outside."""
        data = await answers.read(request, answers.REPLAY, LARGEST_REPLAY)
        return answers.answer({"study": await self._work(lambda: self.studies.bring(data))}, 201)

    async def set_up(self, request: Request) -> Response:
        """A position by hand."""
        wanted = await answers.body(request, WantedPosition, LARGEST_POSITION)
        name = await self._work(lambda: self.studies.set_up(wanted, answers.client(request)))
        return answers.answer({"study": name}, 201)

    async def study(self, request: Request) -> Response:
        """All of a study but what the search thinks."""
        found = await self._work(lambda: self._find(request).data())
        return Response(found, headers=answers.HEADERS, media_type=answers.JSON)

    async def search(self, request: Request) -> Response:
        """What the search thinks of one decision."""
        return answers.answer(await self._work(lambda: _searched(self._find(request), request)))

    async def position(self, request: Request) -> Response:
        """One position, to change by hand."""
        return answers.answer(await self._work(lambda: _shown(self._find(request), request)))

    async def replay(self, request: Request) -> Response:
        """The game as a file."""
        lines = (await self._work(lambda: self._find(request))).replay
        if not lines:
            raise HTTPException(404, "there is no replay of a game that is not over, or of a single position")
        return answers.replay_file(lines)

    def _find(self, request: Request) -> Loaded:
        return self.studies.find(request.path_params["name"], answers.client(request))

    async def _work(self, work: Callable[[], Any]) -> Any:
        async with self._worker:
            try:
                return await run_in_threadpool(work)
            except RefusedError as error:
                raise HTTPException(409, str(error)) from None
            except ValueError as error:
                raise HTTPException(422, str(error)) from None


def _searched(loaded: Loaded, request: Request) -> dict[str, Any]:
    return loaded.search(_number(request, loaded))


def _shown(loaded: Loaded, request: Request) -> dict[str, Any]:
    return loaded.position(_number(request, loaded, end=True))


def _loaded(game: Game, given: dict[str, Any]) -> Position:
    """A position; what is wrong with it is said of the part that is wrong."""
    try:
        return Position(game).load(given)
    except ValueError as error:
        model = game.state_dict(Position(game).deal(0).state)
        different = _difference(given, model) if "malformed" in str(error) else ""
        raise ValueError(different or str(error)) from None


def _difference(given: Any, model: Any, where: str = "the position") -> str:
    """The first part that is not of the same kind as in a model."""
    if isinstance(model, dict):
        if not isinstance(given, dict):
            return f"{where}: {shown(given)}, but expected {{ }} with {', '.join(model) or 'cards and their numbers'}"
        found = (_difference(given[key], part, key) for key, part in model.items() if key in given)
        return next(filter(None, found), "")
    if isinstance(model, list) and not isinstance(given, list):
        return f"{where}: {shown(given)}, but expected [ ] with {len(model)} entries"
    return ""


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
