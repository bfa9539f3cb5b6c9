"""What learners have decided in many games, as the kernels note it: all that policy gradients need."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.jit import jit, kernel
from drako_env.engine.network import CACHE

if TYPE_CHECKING:  # a game's kernels need what is here
    from drako_env.engine.game import Game

NONE = -1


class Rollout(NamedTuple):
    """By game and place. Observations, masks and actions are as the network sees them: turned, if it wants it so."""

    observation: NDArray[np.int8]
    action_mask: NDArray[np.int8]
    action: NDArray[np.int64]
    log_probability: NDArray[np.float32]
    value: NDArray[np.float32]
    learner: NDArray[np.int8]
    """Whose decision it was: the number of a network; NONE if what came of it is not known, so that nothing can be
    learnt from it."""
    seat: NDArray[np.int8]
    """On which seat."""
    reward: NDArray[np.float32]
    """Of that seat, until its next decision."""
    ended: NDArray[np.bool_]
    """The game was over then."""
    advantage: NDArray[np.float32]
    target: NDArray[np.float32]
    """What the value should have been."""
    learners: NDArray[np.int64]
    """How many networks learn: one entry."""
    rewards: NDArray[np.float32]
    """To compute in, by seat, as what follows."""
    last: NDArray[np.int64]
    ahead: NDArray[np.float64]


def new_rollout(game: "Game", games: int, places: int, learners: int = 1) -> Rollout:
    """An empty one."""
    shape, seats = (games, places), len(game.seats)
    noted = {
        name: np.zeros(shape, np.float32) for name in ("log_probability", "value", "reward", "advantage", "target")
    }
    return Rollout(
        observation=np.zeros((*shape, len(game.observation_high)), np.int8),
        action_mask=np.zeros((*shape, len(game.actions)), np.int8),
        action=np.zeros(shape, np.int64),
        learner=np.zeros(shape, np.int8),
        seat=np.zeros(shape, np.int8),
        ended=np.zeros(shape, np.bool_),
        learners=np.array([learners]),
        rewards=np.zeros(seats, np.float32),
        last=np.zeros(seats, np.int64),
        ahead=np.zeros((seats, 4)),
        **noted,
    )


def part_of(rollout: Rollout, games: slice) -> Rollout:
    """The rows of some games, with memory of their own to compute in."""
    scratch = ("rewards", "last", "ahead")
    rows = {name: array[games] for name, array in rollout._asdict().items() if name not in ("learners", *scratch)}
    return rollout._replace(**rows, **{name: np.zeros_like(getattr(rollout, name)) for name in scratch})


def draw_decisions(rollout: Rollout, learner: int, kept: float, chance: np.random.Generator) -> dict[str, NDArray[Any]]:
    """About the share `kept` of a learner's decisions, in random order, as arrays: all there is to learn from them.

    The more surprising a decision turned out, the likelier it is drawn, and the less it counts (`weight`): so what is
    learnt is on average what all of them teach. To keep the most surprising half would teach to gamble: of a gamble
    that is lost a little often and won a lot sometimes, it keeps the win."""
    own = np.flatnonzero(rollout.learner == learner)
    surprise = np.abs(rollout.advantage.ravel()[own]).astype(float)
    chances = np.ones(len(own))
    if kept < 1 and surprise.any():
        chances = surprise + surprise.mean()
        chances = np.minimum(1.0, chances * (kept * len(own) / chances.sum()))
    drawn = chance.permutation(np.flatnonzero(chance.random(len(own)) < chances))
    names = ("observation", "action_mask", "action", "log_probability", "advantage", "target")
    arrays = {name: getattr(rollout, name) for name in names}
    found = {name: array.reshape(-1, *array.shape[2:])[own[drawn]] for name, array in arrays.items()}
    return found | {"weight": (chances.mean() / chances[drawn]).astype(np.float32)}


@jit
def note_decision(
    nets: Any,
    observation: Any,
    legal: Any,
    action: int,
    learner: int,
    seat: int,
    rollout: Any,
    i: int,
    k: int,
) -> None:
    """A decision of game `i`, as the network has just judged it."""
    way = nets.way[0]
    rollout.observation[i, k] = nets.seen if way else observation
    for a in range(len(nets.logits)):
        rollout.action_mask[i, k, nets.back[way, a]] = legal[a]
    rollout.action[i, k] = nets.back[way, action]
    rollout.log_probability[i, k] = np.log(nets.logits[action])
    rollout.value[i, k] = nets.value[0]
    rollout.learner[i, k] = learner
    rollout.seat[i, k] = seat
    rollout.reward[i, k] = 0
    rollout.ended[i, k] = False
    rollout.last[seat] = k


@jit
def note_rewards(rollout: Any, i: int) -> None:
    """Game `i` is over: `rollout.rewards` belong to the last decision of each seat, if it is in this rollout."""
    for seat in range(len(rollout.last)):
        k = rollout.last[seat]
        if k != NONE:
            rollout.reward[i, k] = rollout.rewards[seat]
            rollout.ended[i, k] = True
            rollout.last[seat] = NONE


def _add_advantages(rollout: Any, gamma: float, decay: float, value_decay: float) -> None:
    ahead = rollout.ahead
    for i in range(len(rollout.action)):
        ahead[:] = 0  # by seat: the value at its next decision, advantage, error, and whether there is such a decision
        for k in range(rollout.action.shape[1] - 1, -1, -1):
            following = ahead[rollout.seat[i, k]]
            if not following[3] and not rollout.ended[i, k]:
                rollout.learner[i, k] = NONE
            going_on = 0.0 if rollout.ended[i, k] else gamma
            surprise = rollout.reward[i, k] + going_on * following[0] - rollout.value[i, k]
            if rollout.learner[i, k] == NONE:
                surprise = 0.0
            following[1] = surprise + going_on * decay * following[1]
            following[2] = surprise + going_on * value_decay * following[2]
            following[0] = rollout.value[i, k]
            following[3] = 1
            rollout.advantage[i, k] = following[1]
            rollout.target[i, k] = following[0] + following[2]


add_advantages = kernel(_add_advantages, CACHE)
"""`(rollout, gamma, decay, value_decay)`: generalised advantages with one lambda for the policy, one for the value. The
last decision of a seat that the game has not answered yet stands for what comes after it, and is not learnt from."""
