"""Replays: a whole game as JSON lines, and the proof that it could have happened.

The first line is the header (format, game, the full rules table, seed, who sat where, a digest of the rules, and the
position if one was set up by hand), then one line a decision (seat, action, the cards drawn if any, the agent's
opinions and its winning chance if recorded), then the result. Every card follows from the seed, so `verify` can play
the game again and say at which line a file departs from the rules. A file may be anybody's: whatever is wrong with its
content is a `ReplayError`.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar

try:
    import msgspec
except ImportError as error:
    raise ImportError("replays need msgspec: pip install 'drako-env[replay]'") from error

from drako_env.engine.checks import shown
from drako_env.engine.game import Game, rules_digest
from drako_env.engine.position import Position
from drako_env.games import make_game
from drako_env.runs import write

FORMAT = "drako-env replay 1"
MAX_BYTES, MAX_HEADER = 2**25, 2**16
MAX_WEIGHT = 1e12
LONGEST_REASON = 500
Opinions = list[tuple[int, float]]
"""What an agent thought of its actions: `(action id, visits or probability)`, best first."""


class ReplayError(ValueError):
    """A replay that cannot be read, or that breaks the rules; the message names the line."""


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the lines of a file have in common: their keys and types are checked when they are read."""


class Header(Line, frozen=True, omit_defaults=True):
    """The first line."""

    format: str
    game: str
    rules: dict[str, Any]
    seed: int
    seats: dict[str, str]
    """Who played each seat."""
    digest: str = ""
    """`engine.game.rules_digest` of the game when it was recorded; the oldest files have none."""
    position: dict[str, Any] | None = None
    """As `state_dict` has it, of a game that began there and not with a deal."""


class Opinion(Line, frozen=True):
    """What an agent thought of one action: its visits or its probability."""

    action: dict[str, Any]
    weight: float


class Decision(Line, frozen=True, omit_defaults=True):
    """One decision."""

    agent: str
    action: dict[str, Any]
    drawn: dict[str, Any] = {}
    opinions: list[Opinion] = []
    """Best first."""
    value: float | None = None
    """The winning chance, from 0 to 1, that the agent gave its own seat."""


class Result(Line, frozen=True):
    """The last line: how the game ended."""

    rewards: dict[str, float]
    ending: str


class Replay(msgspec.Struct, frozen=True):
    """A recorded game."""

    header: Header
    decisions: list[Decision]
    result: Result | None
    """`None`: the game is not over, and its file ends with the last decision."""

    def make_game(self) -> Game:
        """The game under the rules of the replay."""
        return make_game(self.header.game, rules=self.header.rules)


def record(
    game: Game,
    seed: int,
    players: Sequence[str],
    actions: Sequence[int],
    opinions: Sequence[Opinions] = (),
    values: Sequence[float | None] = (),
    unfinished: bool = False,
    position: Mapping[str, Any] | None = None,
) -> Replay:
    """The replay of the game that `actions` (ids) make of the cards of `seed`, or of `position` if it began there; it
    has to be over, unless it may be `unfinished`. What agents thought, and the winning chances they saw, may end before
    the game."""
    decisions, now = [], begun(game, seed, position)
    thoughts = zip_longest(actions, opinions[: len(actions)], values[: len(actions)])
    for number, (action, opinion, value) in enumerate(thoughts):
        before, seat = now.state.copy(), game.seats[now.agent]
        if not now.play(action):
            raise ReplayError(f"decision {number + 1}: action {action!r} is illegal for {seat}")
        weights = [Opinion(dict(game.actions[a]), weight) for a, weight in opinion or []]
        drawn = game.chance.drawn(before, action, now.state)
        decisions.append(Decision(seat, dict(game.actions[action]), drawn, weights, value))
    if not now.over and not unfinished:
        raise ReplayError(f"the game is not over after {len(actions)} decisions")
    seats = dict(zip(game.seats, players, strict=True))
    start = None if position is None else dict(position)
    header = Header(FORMAT, game.name, game.rules_table(), seed, seats, rules_digest(game), start)
    return Replay(header, decisions, _result(now) if now.over else None)


def begun(game: Game, seed: int, position: Mapping[str, Any] | None = None) -> Position:
    """Where a game begins: with the deal of `seed`, or in a position that goes on with the chances of `seed`."""
    dealt = Position(game).deal(seed)
    return dealt if position is None else dealt.load(position)


def save(path: str | Path, replay: Replay) -> None:
    """Write a replay as JSON lines; the file is never half written."""
    write(Path(path), encode(replay))


def encode(replay: Replay) -> bytes:
    """A replay as JSON lines."""
    last = [] if replay.result is None else [replay.result]
    return msgspec.json.Encoder().encode_lines([replay.header, *replay.decisions, *last])


def load(path: str | Path, unfinished: bool = False) -> Replay:
    """Read a replay of the rules as they are here; `ReplayError` names the line that is not what it should be. That the
    decisions follow the rules is checked by `verify`. The result may be missing if the game may be `unfinished`."""
    return decode(_read_bytes(Path(path)), f"{path}, ", unfinished)


def decode(data: bytes, where: str = "", unfinished: bool = False) -> Replay:
    """The replay of the bytes of a file; `where` stands before the line in what a `ReplayError` says."""
    lines = data.splitlines()
    missing = unfinished and bool(lines) and b'"rewards"' not in lines[-1]
    if len(lines) < 2 - missing:
        raise ReplayError(f"{where}line {len(lines) + 1}: a replay has a header, decisions and a result")
    header, end = _read_header(lines[0], f"{where}line 1"), len(lines) if missing else -1
    if len(lines[1:end]) > (most := _game_of(header, f"{where}line 1").max_decisions):
        raise ReplayError(f"{where}line {most + 3}: no game has more than {most} decisions")
    decisions = [
        _read_line(line, Decision, f"{where}line {number}") for number, line in enumerate(lines[1:end], start=2)
    ]
    result = None if missing else _read_line(lines[-1], Result, f"{where}line {len(lines)}")
    return Replay(header, decisions, result)


def verify(replay: Replay) -> bool:
    """True if the game follows the rules from its seed to its result; else `ReplayError` with the line (the header is
    line 1)."""
    game, last = _game_of(replay.header, "line 1"), len(replay.decisions) + 2
    *_, position = positions(replay, game)
    if replay.result is None:
        raise ReplayError(f"line {last}: the result is missing: the game is not over")
    if not position.over:
        raise ReplayError(f"line {last}: a result, but the game is not over")
    if (result := _result(position)) != replay.result:
        raise ReplayError(f"line {last}: the result is {result}, not {str(replay.result)[:LONGEST_REASON]}")
    return True


def positions(replay: Replay, game: Game) -> Iterator[Position]:
    """The position before every decision and at the end: one object, which goes on. `ReplayError` at the first line
    that breaks the rules."""
    try:
        position = begun(game, replay.header.seed, replay.header.position)
    except ValueError as error:
        raise ReplayError(f"line 1: position: {str(error)[:LONGEST_REASON]}") from None
    yield position
    for line, decision in enumerate(replay.decisions, start=2):
        if position.over:
            raise ReplayError(f"line {line}: the game was over before")
        if decision.agent != game.seats[position.agent]:
            decides = decision.agent if decision.agent in game.seats else shown(decision.agent)
            raise ReplayError(f"line {line}: {decides} decides, but it is up to {game.seats[position.agent]}")
        action = game.actions.index(decision.action) if decision.action in game.actions else None
        if action is None or not position.mask[action]:
            what, phase = shown(decision.action), game.phase(position.state)
            raise ReplayError(f"line {line}: {what} is not legal for {decision.agent} in phase {phase!r}")
        _check_opinions(game, decision, line)
        before = position.state.copy()
        position.play(action)
        if (drawn := game.chance.drawn(before, action, position.state)) != decision.drawn:
            raise ReplayError(f"line {line}: drawn was {drawn}, not {shown(decision.drawn)}")
        yield position


def _check_opinions(game: Game, decision: Decision, line: int) -> None:
    """Of actions that there are, with weights that can be added up; and a winning chance that is one."""
    if decision.value is not None and not 0 <= decision.value <= 1:
        raise ReplayError(f"line {line}: a value of {decision.value}: expected a winning chance from 0 to 1")
    for opinion in decision.opinions:
        if opinion.action not in game.actions or not 0 <= opinion.weight <= MAX_WEIGHT:
            what = f"{shown(opinion.action)} with weight {opinion.weight}"
            raise ReplayError(f"line {line}: an opinion on {what}: expected an action of the game, weighed from 0 up")


def _result(position: Position) -> Result:
    game = position.game
    return Result(dict(zip(game.seats, position.rewards(), strict=True)), game.outcome(position.state)[0])


def _read_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ReplayError(f"{path}, line 1: a file of more than {MAX_BYTES} bytes is no replay")
    return data


def _read_header(line: bytes, where: str) -> Header:
    """The first line, if it is of the format that this version reads."""
    if len(line) > MAX_HEADER:
        raise ReplayError(f"{where}: a header of more than {MAX_HEADER} bytes is none of a replay")
    header = _read_line(line, Header, where)
    if header.format != FORMAT:
        raise ReplayError(f"{where}: format {shown(header.format)}; this version reads {FORMAT!r}")
    return header


def _game_of(header: Header, where: str) -> Game:
    """The game of a header, if it is the one that was recorded."""
    try:
        game = make_game(header.game, rules=header.rules)
    except (ValueError, TypeError, RecursionError) as error:
        raise ReplayError(f"{where}: {str(error)[:LONGEST_REASON]}") from None
    if tuple(header.seats) != game.seats:
        seats = ", ".join(header.seats)[:LONGEST_REASON]
        raise ReplayError(f"{where}: seats {seats}; the game has {', '.join(game.seats)}")
    if header.digest != (here := rules_digest(game)):
        made = shown(header.digest) if header.digest else "none, as in the first versions"
        what = f"the digest of its rules, options, actions and observations is {made}, here it is {here!r}"
        raise ReplayError(f"{where}: recorded under other rules: {what}; play it with the version that wrote it")
    return game


Kind = TypeVar("Kind", bound=Line)


def _read_line(line: bytes, kind: type[Kind], where: str) -> Kind:
    try:
        return msgspec.json.decode(line, type=kind)
    except RecursionError:
        raise ReplayError(f"{where}: not the {kind.__name__.lower()} of a replay: nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ReplayError(f"{where}: not the {kind.__name__.lower()} of a replay: {error}") from None
