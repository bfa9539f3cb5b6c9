"""Every game that can be played, in sequence form: the information sets of both seats, and what every pair of their
lines of play is worth.

A seat's information set is all that it has seen, in order, and done. What follows from a pair of lines does not depend
on how the decisions of both interleave, so of the tree itself nothing needs to be kept.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.game import Game
from drako_env.exact.graph import OVER, Floats, Ints, Level, TooLargeError, deals, level, too_large

MAX_POSITIONS = 30_000_000
MAX_DEALS = 100_000
"""They are laid out one by one, which takes its time; few tables that have more of them can be counted."""


@dataclass(frozen=True)
class Side:
    """The information sets of a seat, each behind those that lead to it, and its moves in them. Move 0 stands for
    having done nothing yet."""

    parent: Ints
    """Of each information set: the seat's own last move before it."""
    first: Ints
    """Where the moves of each information set begin, and where they all end."""
    action: Ints
    """Of each move."""
    view: Ints
    """Of each information set: where its observation and mask stand among the tree's views."""

    @property
    def sets(self) -> int:
        """How many information sets there are."""
        return len(self.parent)

    @cached_property
    def home(self) -> Ints:
        """Of each move: its information set; -1 of move 0."""
        return np.concatenate([[-1], np.repeat(np.arange(self.sets), np.diff(self.first))])


@dataclass(frozen=True)
class Payoffs:
    """What the ends of games are worth to a seat, by its last move and that of the other seat."""

    first: Ints
    """Where the entries of each own move begin, and where they all end."""
    other: NDArray[np.int32]
    """The other seat's last move."""
    worth: Floats
    """The reward times the probability that chance lets it come to this."""


@dataclass(frozen=True)
class Tree:
    """A two-player game in sequence form."""

    game: Game | None
    sides: tuple[Side, Side]
    payoffs: tuple[Payoffs, Payoffs]
    observations: NDArray[np.int8]
    masks: NDArray[np.int8]
    """Of all different views: a policy is asked once about each."""
    examples: NDArray[np.void]
    """For each view a position that has it."""
    size: int
    """How many positions there are: all ways to come to a decision."""
    states: int = 0
    """How many different positions there are."""
    open_value: float = 0.0
    """What the first seat would get in perfect play if both saw everything but what chance has still to decide."""


@dataclass
class _Paths:
    """All ways that lead to a level: to which position, over which information sets and last moves, how likely."""

    state: Ints
    information: list[Ints]
    last: list[Ints]
    chance: Floats


@dataclass
class _Sets:
    """A side as it grows."""

    parent: list[Ints] = field(default_factory=list)
    moves: list[Ints] = field(default_factory=list)
    action: list[Ints] = field(default_factory=list)
    view: list[Ints] = field(default_factory=list)
    size: int = 1

    def side(self) -> Side:
        """All of it."""
        nothing = np.zeros(0, np.int64)
        moves = np.concatenate([nothing, *self.moves])
        action = np.concatenate([[-1], *self.action]).astype(np.int64)
        first = np.concatenate([[1], 1 + np.cumsum(moves)]).astype(np.int64)
        return Side(np.concatenate([nothing, *self.parent]), first, action, np.concatenate([nothing, *self.view]))


def build_tree(
    game: Game,
    most: int = MAX_POSITIONS,
    tell: Callable[[int], object] = lambda size: None,
    begin: tuple[NDArray[np.void], Floats] | None = None,
) -> Tree:
    """All of it; `ValueError` if there are more than two seats or `most` positions. `tell` hears how many there are so
    far. `begin`: the end of a game alone, from these positions with these probabilities; both seats know them all, and
    each sees its own part of the one that it is."""
    if len(game.seats) != 2:
        raise ValueError(f"{game.name} has {len(game.seats)} seats, and exact play is for two")
    start = deals(game, min(most, MAX_DEALS), begin)
    paths = _Paths(
        np.arange(len(start.states)), list(start.look), [np.zeros(len(start.states), np.int64)] * 2, start.chances
    )
    states, sets, ends, levels = start.states, (_Sets(), _Sets()), [], []
    size, views = 0, _Views()
    while len(states):
        size += len(paths.state)
        tell(size)
        here, states = _counted(game, states, paths, size, most)
        levels.append(here)
        ended, paths = _follow(here, paths, _enter(here, paths, sets, views.add(here)))
        ends.append(ended)
    observations, masks, examples, place = views.different(len(game.observation_high))
    first, second = (side.side() for side in sets)
    sides = tuple(Side(s.parent, s.first, s.action, place[s.view]) for s in (first, second))
    payoffs = payoffs_of(ends, sets[0].size, sets[1].size)
    number = sum(len(here.seat) for here in levels)
    value = float(start.chances @ _open_values(levels)) if levels else 0.0
    return Tree(game, (sides[0], sides[1]), payoffs, observations, masks, examples, size, number, value)


def _counted(
    game: Game, states: NDArray[np.void], paths: _Paths, size: int, most: int
) -> tuple[Level, NDArray[np.void]]:
    """What these positions lead to, unless that is too much."""
    try:
        here, following = level(game, states, most - size)
    except TooLargeError:
        raise too_large(most) from None
    if size + int(np.diff(here.first)[paths.state].sum()) > most:
        raise too_large(most)
    return here, following


def _enter(here: Level, paths: _Paths, sets: tuple[_Sets, _Sets], offset: int) -> Ints:
    """Note the information sets in which somebody decides on this level; returns where each path's moves begin."""
    begin = np.empty(len(paths.state), np.int64)
    for seat, side in enumerate(sets):
        mine = np.flatnonzero(here.seat[paths.state] == seat)
        _, index, place = np.unique(paths.information[seat][mine], return_index=True, return_inverse=True)
        some = paths.state[mine[index]]
        moves = here.moves[some]
        starts = np.cumsum(moves) - moves
        side.parent.append(paths.last[seat][mine[index]])
        side.moves.append(moves)
        side.view.append(offset + here.view[some])
        order = np.arange(moves.sum()) - np.repeat(starts, moves)
        first_move = np.cumsum(here.moves) - here.moves
        side.action.append(here.action[np.repeat(first_move[some], moves) + order])
        begin[mine] = side.size + starts[place]
        side.size += int(moves.sum())
    return begin


def _follow(here: Level, paths: _Paths, begin: Ints) -> tuple[tuple[Ints, Ints, Floats], _Paths]:
    """The ends of games on this level, by last moves and worth, and the paths to the next one."""
    count = np.diff(here.first)[paths.state]
    path = np.repeat(np.arange(len(count)), count)
    branch = here.first[paths.state][path] + np.arange(len(path)) - (np.cumsum(count) - count)[path]
    chance = paths.chance[path] * here.chance[branch]
    seat, taken = here.seat[paths.state][path], begin[path] + here.rank[branch]
    last = [np.where(seat == side, taken, paths.last[side][path]) for side in range(2)]
    child = here.child[branch]
    over = child == OVER
    ended = last[0][over], last[1][over], chance[over] * here.reward[branch[over]]
    going, path = branch[~over], path[~over]
    information = []
    for side in range(2):
        signal, signals = _signals(here, side)
        key = paths.information[side][path] * signals + signal[going]
        information.append(np.unique(key, return_inverse=True)[1].reshape(-1))
    return ended, _Paths(child[~over], information, [moves[~over] for moves in last], chance[~over])


def _signals(here: Level, seat: int) -> tuple[Ints, int]:
    """Of each branch: a number for what a player is told and sees then, and how many there are."""
    seen = np.where(here.child == OVER, 0, here.look[seat][here.child] if len(here.look[seat]) else 0)
    told = here.event[seat][here.move]
    signal = np.unique(told * (int(seen.max(initial=0)) + 1) + seen, return_inverse=True)[1].reshape(-1)
    return signal, int(signal.max(initial=0)) + 1


class _Views:
    """Observations with their masks, collected level by level."""

    def __init__(self) -> None:
        self.rows: list[NDArray[np.int8]] = []
        self.examples: list[NDArray[np.void]] = []
        self.count = 0

    def add(self, here: Level) -> int:
        """Returns the number of the first of a level's views."""
        self.rows.append(here.views)
        self.examples.append(here.examples)
        self.count += len(here.views)
        return self.count - len(here.views)

    def different(self, width: int) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.void], Ints]:
        """The different observations, their masks, examples, and where each view stands among them."""
        rows, index, place = np.unique(np.concatenate(self.rows), axis=0, return_index=True, return_inverse=True)
        examples = np.concatenate(self.examples)[index]
        return rows[:, :width].copy(), rows[:, width:].copy(), examples, place.reshape(-1).astype(np.int64)


def payoffs_of(ends: list[tuple[Ints, Ints, Floats]], moves: int, others: int) -> tuple[Payoffs, Payoffs]:
    """Of both seats, ends with the same last moves taken together."""
    first, second, worth = (np.concatenate(part) for part in zip(*ends, strict=True))
    key, place = np.unique(first * others + second, return_inverse=True)
    worth = np.bincount(place.reshape(-1), worth).astype(float)
    first, second = np.divmod(key, others)
    order = np.lexsort((first, second))
    return _sorted(first, second, worth, moves), _sorted(second[order], first[order], -worth[order], others)


def _sorted(own: Ints, other: Ints, worth: Floats, moves: int) -> Payoffs:
    first = np.concatenate([[0], np.cumsum(np.bincount(own, minlength=moves))]).astype(np.int64)
    return Payoffs(first, other.astype(np.int32), np.ascontiguousarray(worth))


def _open_values(levels: list[Level]) -> Floats:
    """Of the first level's positions in perfect play with open hands, by going back from the last one."""
    values = np.zeros(0)
    for here in reversed(levels):
        after = here.reward.copy()
        going = here.child != OVER
        after[going] = values[here.child[going]]
        worth = np.bincount(here.move, here.chance * after)
        sign = np.where(here.seat == 0, 1.0, -1.0)
        starts = np.cumsum(here.moves) - here.moves
        values = sign * np.maximum.reduceat(np.repeat(sign, here.moves) * worth, starts)
    return values
