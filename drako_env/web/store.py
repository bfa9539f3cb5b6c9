"""Where games are kept: every table after each decision, and finished games as replays. All of it is bounded."""

import re
import secrets
import threading
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drako_env.web import MISSING

try:
    import msgspec
except ImportError as error:
    raise ImportError(MISSING) from error

from drako_env.engine.game import rules_digest
from drako_env.games import make_game
from drako_env.runs import append, write
from drako_env.web.session import AgentMaker, Session

FORMAT = "drako-env table 1"
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
SUFFIX = ".jsonl"
LARGEST = 2**20
"""Bytes of a table's file: a game has some thousand decisions at most."""


class Header(msgspec.Struct, forbid_unknown_fields=True):
    """The first line of a table's file: what the session is, as `Session.header` says it."""

    game: str
    rules: dict[str, Any]
    digest: str
    players: list[str]
    practice: bool
    seed: int
    rotation: int
    games: list[dict[str, Any]]
    links: dict[str, int]
    finished: str
    position: dict[str, Any] | None = None
    analysis: bool = False
    format: str = FORMAT


@dataclass
class Store:
    """A folder of tables and finished games. `replay` and `folder` are what an analysis needs of it."""

    folder: Path
    most_tables: int = 200
    most_finished: int = 2000
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        for folder in (self._tables, self._games):
            folder.mkdir(parents=True, exist_ok=True)

    @property
    def _tables(self) -> Path:
        return self.folder / "tables"

    @property
    def _games(self) -> Path:
        return self.folder / "finished"

    # Tables

    def journal(self, name: str) -> "TableFile":
        """Where a table is written down."""
        return TableFile(self, self._tables / f"{name}{SUFFIX}")

    def find(self, name: str, make_player: AgentMaker) -> Session | None:
        """A table as it was left; nothing if there is none, or none that can be played on here."""
        path = self._tables / f"{name}{SUFFIX}"
        if not NAME.fullmatch(name) or not path.is_file() or path.stat().st_size > LARGEST:
            return None
        try:
            header, actions = _read(path)
            game = make_game(header.game, rules=header.rules)
            if header.digest != rules_digest(game):
                return None
            session = Session(game, header.players, make_player, header.seed, header.practice, header.position)
            session.restore(msgspec.to_builtins(header), actions)
        except (ValueError, TypeError, KeyError, IndexError):  # a file that was cut or changed by hand
            return None
        session.keep(self.journal(name))  # written anew: a line that was cut off is gone
        return session

    def make_room(self, in_use: Collection[str]) -> None:
        """Forget the tables that nobody came back to for longest, if there are too many beside those in use."""
        with self._lock:
            tables = [path for path in self._tables.glob(f"*{SUFFIX}") if path.stem not in in_use]
            surplus = len(tables) + len(in_use) - self.most_tables
            for path in sorted(tables, key=_used)[: max(surplus, 0)]:
                path.unlink(missing_ok=True)

    # Finished games

    def keep(self, replay: bytes) -> str:
        """A finished game under a name of its own: that of its table stays secret. The oldest ones make room."""
        with self._lock:
            name = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(8)}"
            write(self._games / f"{name}{SUFFIX}", replay)
            for old in self._names()[self.most_finished :]:
                (self._games / f"{old}{SUFFIX}").unlink(missing_ok=True)
        return name

    def replay(self, name: str) -> Path | None:
        """The file of a finished game."""
        path = self._games / f"{name}{SUFFIX}"
        return path if NAME.fullmatch(name) and path.is_file() else None

    def listed(self, most: int) -> list[dict[str, Any]]:
        """The last finished games, newest first."""
        return [shown for name in self._names()[:most] if (shown := self._shown(name))]

    def _names(self) -> list[str]:
        """Newest first: names begin with the time."""
        return sorted((path.stem for path in self._games.glob(f"*{SUFFIX}")), reverse=True)

    def _shown(self, name: str) -> dict[str, Any] | None:
        try:
            lines = (self._games / f"{name}{SUFFIX}").read_bytes().splitlines()
            first, last = msgspec.json.decode(lines[0]), msgspec.json.decode(lines[-1])
            return {
                "name": name,
                "game": first["game"],
                "players": first["seats"],
                "rewards": last["rewards"],
                "reason": last["ending"],
                "decisions": len(lines) - 2,
                "when": f"{name[:4]}-{name[4:6]}-{name[6:8]} {name[9:11]}:{name[11:13]} UTC",
            }
        except (OSError, ValueError, KeyError, IndexError, TypeError):
            return None


@dataclass
class TableFile:
    """The file of a table: a header, then one line a decision."""

    store: Store
    path: Path

    def begin(self, header: dict[str, Any], actions: Sequence[int]) -> None:
        """A new game, or one that a decision was taken back in."""
        lines = [Header(**header), *actions]
        write(self.path, msgspec.json.Encoder().encode_lines(lines))

    def add(self, action: int) -> None:
        """One more decision."""
        append(self.path, f"{action}\n")

    def finish(self, replay: bytes) -> str:
        """The game is over."""
        name = self.store.keep(replay)
        append(self.path, f'"{name}"\n')
        return name


def _read(path: Path) -> tuple[Header, list[int]]:
    """The header and the decisions. A last line that was cut off is as if it had not been written."""
    first, *lines = path.read_bytes().split(b"\n")
    header = msgspec.json.decode(first, type=Header)
    if header.format != FORMAT:
        raise ValueError(f"{path}: format {header.format!r}; this version reads {FORMAT!r}")
    decisions: list[int] = []
    for line in lines[:-1]:  # whole lines end with a line feed
        found = msgspec.json.decode(line, type=int | str)
        if isinstance(found, str):
            header.finished = found
        else:
            decisions.append(found)
    return header, decisions


def _used(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
