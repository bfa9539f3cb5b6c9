"""Replays: a whole game as JSON lines, and the proof that it could have happened.

The first line is the header (format, game, the full rules table, seed, who sat where), then one line a decision (seat,
action, the cards drawn if any, the agent's opinions if recorded), then the result. Every card follows from the seed, so
`verify` can play the game again and say at which line a file departs from the rules.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

try:
    import msgspec
except ImportError as error:
    raise ImportError("replays need msgspec: pip install 'drako-env[replay]'") from error

from drako_env.engine.game import OVER, Game, new_masks, new_states
from drako_env.engine.rng import one_seed, seed_words
from drako_env.games import make_game
from drako_env.runs import write

FORMAT = "drako-env replay 1"
Opinions = list[tuple[int, float]]
"""What an agent thought of its actions: `(action id, visits or probability)`, best first."""


class ReplayError(ValueError):
    """A replay that cannot be read, or that breaks the rules; the message names the line."""


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the lines of a file have in common: their keys and types are checked when they are read."""


class Header(Line, frozen=True):
    """The first line."""

    format: str
    game: str
    rules: dict[str, Any]
    seed: int
    seats: dict[str, str]
    """Who played each seat."""


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


class Result(Line, frozen=True):
    """The last line: how the game ended."""

    rewards: dict[str, float]
    ending: str


class Replay(msgspec.Struct, frozen=True):
    """A recorded game."""

    header: Header
    decisions: list[Decision]
    result: Result

    def make_game(self) -> Game:
        """The game under the rules of the replay."""
        return make_game(self.header.game, rules=self.header.rules)


def record(
    game: Game,
    seed: int,
    players: Sequence[str],
    actions: Sequence[int],
    opinions: Sequence[Opinions] = (),
) -> Replay:
    """The replay of the finished game that `actions` (ids) make of the cards of `seed`."""
    decisions = []
    states, mask, deciding = _deal(game, seed)
    for number, action in enumerate(actions):
        before, seat = states[0].copy(), game.seats[deciding]
        deciding = game.kernels.play_one(game.tables, states, 0, action, mask)
        if deciding < OVER:
            raise ReplayError(f"decision {number + 1}: action {action!r} is illegal for {seat}")
        thoughts = opinions[number] if number < len(opinions) else []
        weights = [Opinion(dict(game.actions[a]), weight) for a, weight in thoughts]
        drawn = game.drawn(before, action, states[0])
        decisions.append(Decision(seat, dict(game.actions[action]), drawn, weights))
    if deciding != OVER:
        raise ReplayError(f"the game is not over after {len(actions)} decisions")
    seats = dict(zip(game.seats, players, strict=True))
    return Replay(Header(FORMAT, game.name, game.rules_table(), seed, seats), decisions, _result(game, states))


def save(path: str | Path, replay: Replay) -> None:
    """Write a replay as JSON lines; the file is never half written."""
    write(Path(path), encode(replay))


def encode(replay: Replay) -> bytes:
    """A replay as JSON lines."""
    return msgspec.json.Encoder().encode_lines([replay.header, *replay.decisions, replay.result])


def load(path: str | Path) -> Replay:
    """Read a replay; `ReplayError` names the line that is not what it should be. The rules are checked by `verify`."""
    lines = Path(path).read_bytes().splitlines()
    if len(lines) < 2:
        raise ReplayError(f"{path}, line {len(lines) + 1}: a replay has a header, decisions and a result")
    header = _read_line(lines[0], Header, f"{path}, line 1")
    if header.format != FORMAT:
        raise ReplayError(f"{path}, line 1: format {header.format!r}; this version reads {FORMAT!r}")
    decisions = [
        _read_line(line, Decision, f"{path}, line {number}") for number, line in enumerate(lines[1:-1], start=2)
    ]
    return Replay(header, decisions, _read_line(lines[-1], Result, f"{path}, line {len(lines)}"))


def verify(replay: Replay) -> bool:
    """True if the game follows the rules from its seed to its result; else `ReplayError` with the line (the header is
    line 1)."""
    try:
        game = replay.make_game()
    except (ValueError, TypeError) as error:
        raise ReplayError(f"line 1: {error}") from None
    if tuple(replay.header.seats) != game.seats:
        raise ReplayError(f"line 1: seats {', '.join(replay.header.seats)}; the game has {', '.join(game.seats)}")
    last = len(replay.decisions) + 2
    *_, states = positions(replay, game)
    if states["agent"][0] != OVER:
        raise ReplayError(f"line {last}: a result, but the game is not over")
    if (result := _result(game, states)) != replay.result:
        raise ReplayError(f"line {last}: the result is {result}, not {replay.result}")
    return True


def positions(replay: Replay, game: Game) -> Iterator[np.ndarray[Any, np.dtype[np.void]]]:
    """The position before every decision and at the end, as an array of one record; `ReplayError` at the first line
    that breaks the rules."""
    states, mask, deciding = _deal(game, replay.header.seed)
    yield states.copy()
    for line, decision in enumerate(replay.decisions, start=2):
        if deciding == OVER:
            raise ReplayError(f"line {line}: the game was over before")
        if decision.agent != game.seats[deciding]:
            raise ReplayError(f"line {line}: {decision.agent} decides, but it is up to {game.seats[deciding]}")
        action = game.actions.index(decision.action) if decision.action in game.actions else None
        if action is None or not mask[action]:
            phase = game.phase(states[0])
            raise ReplayError(f"line {line}: {decision.action} is not legal for {decision.agent} in phase {phase!r}")
        before = states[0].copy()
        deciding = game.kernels.play_one(game.tables, states, 0, action, mask)
        if (drawn := game.drawn(before, action, states[0])) != decision.drawn:
            raise ReplayError(f"line {line}: drawn was {drawn}, not {decision.drawn}")
        yield states.copy()


def _deal(game: Game, seed: int) -> tuple[Any, Any, int]:
    states, mask = new_states(game, 1), new_masks(game, 1).view(np.int8)[0]
    states["rng"] = seed_words(one_seed(seed))
    return states, mask, game.kernels.deal_one(game.tables, states, 0, mask)


def _result(game: Game, states: Any) -> Result:
    rewards = np.zeros(len(game.seats), np.float32)
    game.kernels.reward_one(states, 0, rewards)
    return Result(dict(zip(game.seats, rewards.tolist(), strict=True)), game.outcome(states[0])[0])


Kind = TypeVar("Kind", bound=Line)


def _read_line(line: bytes, kind: type[Kind], where: str) -> Kind:
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.DecodeError as error:
        raise ReplayError(f"{where}: not the {kind.__name__.lower()} of a replay: {error}") from None
