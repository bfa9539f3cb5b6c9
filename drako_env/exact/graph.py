"""All that can happen in a game, level by level: the different positions after so many decisions, what each seat sees
of them, and every move out of them with all that chance can make of it.

Kernels play the moves. Where one has drawn random numbers, what it drew is taken back, and every outcome laid out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.game import Game
from drako_env.engine.position import Position
from drako_env.envs.batch import GameBatch

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
OVER = -1
"""In the place of a seat or of a position: the game has ended."""
STILL = 1
"""What stands in the place of random numbers: where it has changed, chance had a hand in it."""


@dataclass(frozen=True)
class Level:
    """The different positions after the same number of decisions. A branch is a move with one outcome of chance."""

    seat: Ints
    """Who decides in each position."""
    view: Ints
    """Where the deciding seat's observation and mask stand among the level's views."""
    views: NDArray[np.int8]
    """Different observations with their masks behind them."""
    examples: NDArray[np.void]
    """For each view a position that has it."""
    moves: Ints
    """How many actions are legal in each position."""
    action: Ints
    """Of each move, in the order of the positions."""
    event: tuple[Ints, Ints]
    """By player, of each move: a number for what it is told."""
    first: Ints
    """Where the branches of each position begin, and where they all end."""
    rank: Ints
    """Of each branch: its move's place among those of the position."""
    move: Ints
    """Of each branch: its move."""
    chance: Floats
    """Of each branch: the probability of its outcome."""
    child: Ints
    """Of each branch: the position of the next level that it leads to, or OVER."""
    reward: Floats
    """Of each branch that ends the game: the first seat's reward."""
    look: tuple[Ints, Ints]
    """By player, of each position of the next level: a number for what it sees."""


@dataclass(frozen=True)
class Deals:
    """All that can be dealt."""

    states: NDArray[np.void]
    """The different positions."""
    chances: Floats
    look: tuple[Ints, Ints]
    """By player, of each position: a number for what it sees."""


def all_deals(game: Game, most: int) -> tuple[NDArray[np.void], Floats]:
    """Every deal as a state, and its probability; `ValueError` if there are more than `most`."""
    dealt = Position(game).deal(0).state.copy()
    game.chance.take_back(None, 0, dealt)
    return outcomes(game, dealt, most, "deals")


def outcomes(game: Game, state: np.void, most: int, what: str = "positions") -> tuple[NDArray[np.void], Floats]:
    """Every position that chance can make of one in which it may have something to decide, with its probability."""
    state["rng"] = STILL
    found, chances = [state], [1.0]
    while game.chance.outcomes(found[0]):
        choices = [game.chance.outcomes(waiting) for waiting in found]
        if sum(map(len, choices)) > most:
            raise too_large(most, what)
        chances = [c * share for c, choice in zip(chances, choices, strict=True) for _, share in choice]
        found = [_laid_out(game, s, o) for s, choice in zip(found, choices, strict=True) for o, _ in choice]
    return np.array(found), np.array(chances)


class TooLargeError(ValueError):
    """There is more than can be counted."""


def too_large(most: int, what: str = "positions") -> TooLargeError:
    """What is said of a table that cannot be counted."""
    return TooLargeError(f"more than {most:,} {what}: this table is too large for exact play")


def _laid_out(game: Game, state: np.void, outcome: int) -> np.void:
    following: np.void = state.copy()
    game.chance.lay_out(following, outcome)
    return following


def deals(game: Game, most: int, given: tuple[NDArray[np.void], Floats] | None = None) -> Deals:
    """The first level's positions: all that can be dealt, or those given with their probabilities."""
    states, chances = given or all_deals(game, most)
    states = states.copy()
    states["rng"] = STILL
    if not np.isclose(np.sum(chances), 1) or (states["agent"] == OVER).any():
        raise ValueError("positions to begin with need somebody to decide, and chances that add up to 1")
    different, place = _different(states)
    return Deals(different, np.bincount(place, chances).astype(float), _looks(game, different))


def level(game: Game, states: NDArray[np.void], most: int) -> tuple[Level, NDArray[np.void]]:
    """What can be done in these positions, and the different positions that it leads to."""
    batch = _batch(game, states)
    position, action = np.nonzero(batch.action_mask)
    if len(position) > most:
        raise too_large(most)
    moves = np.bincount(position, minlength=len(states))
    after, reward = _played(game, states[position], action)
    move, branches, chance = _branches(game, states[position], action, after, most)
    ended = branches["agent"] == OVER
    child = np.full(len(branches), OVER)
    following, child[~ended] = _different(branches[~ended])
    rows = np.concatenate([batch.observation, batch.action_mask], axis=1)
    views, example, view = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    starts = np.cumsum(moves) - moves
    found = Level(
        seat=batch.agent.copy(),
        view=view.reshape(-1),
        views=views,
        examples=states[example],
        moves=moves,
        action=action,
        event=_events(game, states, position, action),
        first=np.concatenate([[0], np.cumsum(np.bincount(position[move], minlength=len(states)))]),
        rank=move - starts[position[move]],
        move=move,
        chance=chance,
        child=child,
        reward=_rewards(game, branches, ended, move, reward),
        look=_looks(game, following),
    )
    return found, following


def _batch(game: Game, states: NDArray[np.void]) -> GameBatch:
    batch = GameBatch(game, len(states), 0)
    batch._states[:] = states
    game.kernels.view_games(game.tables, batch._states, batch.observation, batch._mask, batch.agent)
    return batch


def _played(game: Game, states: NDArray[np.void], action: Ints) -> tuple[NDArray[np.void], Floats]:
    """The positions after one action in each, and the first seat's reward."""
    batch = _batch(game, states)
    ended = states.copy()
    batch.step(action, ended=ended)
    after = np.where(batch.done, ended, batch._states)
    return after, batch.reward[:, 0].astype(float)


def _branches(
    game: Game, before: NDArray[np.void], action: Ints, after: NDArray[np.void], most: int
) -> tuple[Ints, NDArray[np.void], Floats]:
    """Of each branch: its move, the position that it leads to, and its probability."""
    drawn = np.flatnonzero((after["rng"] != STILL).any(axis=1))
    count = np.ones(len(after), np.int64)
    laid = []
    for i in drawn:
        game.chance.take_back(before[i], int(action[i]), after[i])
        laid.append(outcomes(game, after[i].copy(), most))
        count[i] = len(laid[-1][1])
    if count.sum() > most:
        raise too_large(most)
    move = np.repeat(np.arange(len(after)), count)
    states, chance = after[move], np.ones(len(move))
    starts = np.cumsum(count) - count
    for i, (made, chances) in zip(drawn, laid, strict=True):
        states[starts[i] : starts[i] + count[i]] = made
        chance[starts[i] : starts[i] + count[i]] = chances
    states["rng"] = STILL
    return move, states, chance


def _rewards(game: Game, branches: NDArray[np.void], ended: NDArray[np.bool_], move: Ints, reward: Floats) -> Floats:
    """Of each branch; where chance decided last, the reward of what it made of the position."""
    found = np.where(ended, reward[move], 0.0)
    seats = np.zeros(len(game.seats), np.float32)
    for i in np.flatnonzero(ended & (np.bincount(move)[move] > 1)):
        game.kernels.reward_one(branches, i, seats)
        found[i] = seats[0]
    return found


def _events(game: Game, states: NDArray[np.void], position: Ints, action: Ints) -> tuple[Ints, Ints]:
    """By player, of each move: a number for what it is told. Unless a game hides something, that is the action."""
    if type(game).event_text is Game.event_text:
        return action, action
    texts = [
        np.array([game.event_text(states[p], int(a), seat) for p, a in zip(position, action, strict=True)], object)
        for seat in range(2)
    ]
    first, second = (np.unique(told.astype(str), return_inverse=True)[1].astype(np.int64) for told in texts)
    own = len(action) + action  # a player knows what it does itself
    decider = states["agent"][position]
    return np.where(decider == 0, own, first), np.where(decider == 1, own, second)


def _looks(game: Game, states: NDArray[np.void]) -> tuple[Ints, Ints]:
    """By player: numbers for what it knows of each position, the same where that is the same."""
    found = []
    for seat in range(2):
        known = states.copy()
        for i in range(len(known)):
            game.kernels.hide_one(game.tables, known, i, seat)
        known["rng"] = STILL
        found.append(_different(known)[1])
    return found[0], found[1]


def _different(states: NDArray[np.void]) -> tuple[NDArray[np.void], Ints]:
    """The different ones of some records, and where each of them stands among these."""
    if not len(states):
        return states, np.zeros(0, np.int64)
    packed = np.ascontiguousarray(states).view(np.dtype((np.void, states.dtype.itemsize)))
    _, index, place = np.unique(packed, return_index=True, return_inverse=True)
    return states[index], place.reshape(-1).astype(np.int64)
