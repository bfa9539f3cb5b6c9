"""Exact play on tables small enough: the whole game tree, best responses, exploitability.

The tree is kept level by level in arrays; a level holds all positions after so many decisions. A player's information
is all that it has seen and done, so positions belong to the same information set if they look the same to it now, come
from the same information set, and by the same own action.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.game import Game
from drako_env.engine.position import Position
from drako_env.envs.batch import GameBatch

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Probabilities = Callable[[NDArray[np.int8], NDArray[np.int8]], NDArray[np.floating]]
"""A policy to be judged: `(observation (n, D), mask (n, A)) -> (n, A)` chances of the actions."""
MAX_POSITIONS = 3_000_000


@dataclass(frozen=True)
class Level:
    """All positions after the same number of decisions."""

    seat: Ints
    """Who decides."""
    information: tuple[Ints, Ints]
    """By player: the information set of each position, numbered within the level."""
    view: Ints
    """Where the deciding seat's observation and mask stand among the tree's views."""
    position: Ints
    """Of each move out of here: the position it starts from."""
    action: Ints
    """Of each move: its action."""
    child: Ints
    """Of each move: the position of the next level that it leads to, -1 if it ends the game."""
    reward: Floats
    """Of each move: the first seat's reward if it ends the game."""


@dataclass(frozen=True)
class Tree:
    """Every game of a two-player game that can be played."""

    game: Game
    chances: Floats
    """Of the positions of the first level."""
    levels: list[Level]
    observations: NDArray[np.int8]
    masks: NDArray[np.int8]
    """Of all different views: a policy is asked once about each."""

    @property
    def size(self) -> int:
        """How many positions there are."""
        return sum(len(level.seat) for level in self.levels)


def build_tree(game: Game, most: int = MAX_POSITIONS) -> Tree:
    """All of it; `ValueError` if there are more than two seats or `most` positions."""
    if len(game.seats) != 2:
        raise ValueError(f"{game.name} has {len(game.seats)} seats, and exact play is for two")
    states, chances = all_deals(game)
    levels: list[Level] = []
    views: dict[bytes, int] = {}
    rows: list[bytes] = []
    size = 0
    before: list[Ints] = [np.zeros(len(states), np.int64)] * 2
    while len(states):
        size += len(states)
        batch = _batch(game, states)
        information = [_number(_looks(game, states, seat), before[seat]) for seat in range(2)]
        view = _views(batch, views, rows)
        position, action = np.nonzero(batch.action_mask)
        if size + len(position) > most:
            raise ValueError(f"more than {most:,} positions: this table is too large for exact play")
        moved = _batch(game, states[position])
        moved.step(action)
        child = np.where(moved.done, -1, np.cumsum(~moved.done) - 1)
        reward = moved.reward[:, 0].astype(float)
        levels.append(
            Level(batch.agent.copy(), (information[0], information[1]), view, position, action, child, reward)
        )
        own = batch.agent[position]
        before = [(information[s][position] * 1000 + np.where(own == s, action + 1, 0))[~moved.done] for s in range(2)]
        states = moved._states[~moved.done].copy()
    width = len(game.observation_high)
    table = np.frombuffer(b"".join(rows), np.int8).reshape(len(rows), -1)
    return Tree(game, chances, levels, table[:, :width], table[:, width:])


def all_deals(game: Game) -> tuple[NDArray[np.void], Floats]:
    """Every deal as a state, and its probability; `ValueError` if chance goes on deciding after that."""
    if not game.chance.only_deals:
        name = game.rules_table()["name"]
        raise ValueError(f"rules {name!r}: chance goes on deciding after the deal, which exact play does not follow")
    dealt = Position(game).deal(0).state.copy()
    game.chance.take_back(None, 0, dealt)
    dealt["rng"] = 1
    open_deals, deals, chances = [(dealt, 1.0)], [], []
    while open_deals:
        state, chance = open_deals.pop()
        for outcome, share in game.chance.outcomes(state):
            following = state.copy()
            game.chance.lay_out(following, outcome)
            open_deals.append((following, chance * share))
        if not game.chance.outcomes(state):
            deals.append(state)
            chances.append(chance)
    return np.array(deals), np.array(chances)


def _batch(game: Game, states: NDArray[np.void]) -> GameBatch:
    batch = GameBatch(game, len(states), 0)
    batch._states[:] = states
    game.kernels.view_games(game.tables, batch._states, batch.observation, batch._mask, batch.agent)
    return batch


def _looks(game: Game, states: NDArray[np.void], seat: int) -> NDArray[np.void]:
    """What the seat knows of each position."""
    known = states.copy()
    for i in range(len(known)):
        game.kernels.hide_one(game.tables, known, i, seat)
    known["rng"] = 0
    return known


def _number(looks: NDArray[np.void], before: Ints) -> Ints:
    """Numbers for the different pairs of look and past."""
    rows = np.concatenate([looks.view(np.int8).reshape(len(looks), -1), before.view(np.int8).reshape(-1, 8)], axis=1)
    packed = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1])))[:, 0]
    return np.unique(packed, return_inverse=True)[1].astype(np.int64)


def _views(batch: GameBatch, views: dict[bytes, int], rows: list[bytes]) -> Ints:
    both = np.concatenate([batch.observation, batch.action_mask], axis=1)
    found = np.empty(len(both), np.int64)
    for i, row in enumerate(both):
        key = row.tobytes()
        if key not in views:
            views[key] = len(rows)
            rows.append(key)
        found[i] = views[key]
    return found


def best_response(tree: Tree, seat: int, policy: Probabilities) -> float:
    """What `seat` gets on average by playing as well as possible against `policy`, which it knows."""
    chances = np.asarray(policy(tree.observations, tree.masks), float)
    return _value(tree, chances, seat)


def value(tree: Tree, first: Probabilities, second: Probabilities) -> float:
    """What the first seat gets when these policies meet."""
    seats = [np.asarray(policy(tree.observations, tree.masks), float) for policy in (first, second)]
    worth: Floats = np.zeros(0)
    for level in reversed(tree.levels):
        after = _after(level, worth)
        chances = np.where(
            level.seat[level.position] == 0,
            seats[0][level.view[level.position], level.action],
            seats[1][level.view[level.position], level.action],
        )
        worth = np.asarray(np.bincount(level.position, weights=chances * after, minlength=len(level.seat)), float)
    return float(worth @ tree.chances)


def exploitability(tree: Tree, first: Probabilities, second: Probabilities) -> float:
    """What both together could gain by answering the other's policy as well as possible: zero in equilibrium."""
    return best_response(tree, 0, second) + best_response(tree, 1, first)


def _after(level: Level, worth: Floats) -> Floats:
    """The first seat's prospects after each move of a level, given those of the positions of the next."""
    ended = level.child < 0
    after = level.reward.copy()
    after[~ended] = worth[level.child[~ended]]
    return after


def _value(tree: Tree, chances: Floats, seat: int) -> float:
    """Downwards, how likely the other side and the deal make each position; then upwards, the best of every
    information set and the average elsewhere."""
    sign, reach = (1.0 if seat == 0 else -1.0), [tree.chances]
    for level in tree.levels:
        likely = np.where(level.seat[level.position] == seat, 1.0, chances[level.view[level.position], level.action])
        along = (reach[-1][level.position] * likely)[level.child >= 0]
        reach.append(along)
    worth = np.zeros(0)
    for level, likely in zip(reversed(tree.levels), reversed(reach[:-1]), strict=True):
        after = sign * _after(level, worth)
        mine = level.seat[level.position] == seat
        worth = sign * np.where(
            level.seat == seat,
            _best(level, level.information[seat], mine, likely, after),
            np.bincount(
                level.position,
                np.where(mine, 0, chances[level.view[level.position], level.action]) * after,
                len(level.seat),
            ),
        )
    return float(sign * (worth @ tree.chances))


def _best(level: Level, information: Ints, mine: NDArray[np.bool_], likely: Floats, after: Floats) -> Floats:
    """The prospects of each position of the player, who chooses one action for a whole information set."""
    position, action = level.position[mine], level.action[mine]
    width = int(level.action.max()) + 1
    move = information[position] * width + action
    gain = np.full((information.max() + 1) * width, -np.inf)
    sums = np.bincount(move, likely[position] * after[mine], len(gain))
    gain[move] = sums[move]
    choice = gain.reshape(-1, width).argmax(axis=1)
    taken = choice[information[position]] == action
    prospects = np.zeros(len(level.seat))
    prospects[position[taken]] = after[mine][taken]
    return prospects
