"""What a learner has decided in many games, as the kernels note it: all that policy gradients need."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.jit import jit, kernel
from drako_env.engine.network import CACHE


class Rollout(NamedTuple):
    """By game and place. Observations, masks and actions are as the network sees them: turned, if it wants it so."""

    observation: NDArray[np.int8]
    action_mask: NDArray[np.int8]
    action: NDArray[np.int64]
    log_probability: NDArray[np.float32]
    value: NDArray[np.float32]
    reward: NDArray[np.float32]
    """Of the learner, until its next decision."""
    ended: NDArray[np.bool_]
    """The game was over then."""
    advantage: NDArray[np.float32]
    target: NDArray[np.float32]
    """What the value should have been."""
    next_value: NDArray[np.float32]
    """By game: of the decision after the last."""
    rewards: NDArray[np.float32]
    """To compute in: by seat."""


def new_rollout(games: int, places: int, width: int, actions: int, seats: int) -> Rollout:
    """An empty one."""
    shape = games, places
    noted = {
        name: np.zeros(shape, np.float32) for name in ("log_probability", "value", "reward", "advantage", "target")
    }
    return Rollout(
        observation=np.zeros((*shape, width), np.int8),
        action_mask=np.zeros((*shape, actions), np.int8),
        action=np.zeros(shape, np.int64),
        ended=np.zeros(shape, np.bool_),
        next_value=np.zeros(games, np.float32),
        rewards=np.zeros(seats, np.float32),
        **noted,
    )


@jit
def note_decision(
    nets: Any, observation: Any, legal: Any, action: int, value: float, rollout: Any, i: int, k: int
) -> None:
    """A decision of game `i`, with the network's probabilities in `nets.logits`."""
    way = nets.way[0]
    rollout.observation[i, k] = nets.seen if way else observation
    for a in range(len(nets.logits)):
        rollout.action_mask[i, k, nets.back[way, a]] = legal[a]
    rollout.action[i, k] = nets.back[way, action]
    rollout.log_probability[i, k] = np.log(nets.logits[action])
    rollout.value[i, k] = value
    rollout.reward[i, k] = 0
    rollout.ended[i, k] = False


def _add_advantages(rollout: Any, gamma: float, decay: float, value_decay: float) -> None:
    for i in range(len(rollout.action)):
        following, advantage, error = rollout.next_value[i], 0.0, 0.0
        for k in range(rollout.action.shape[1] - 1, -1, -1):
            going_on = 0.0 if rollout.ended[i, k] else gamma
            surprise = rollout.reward[i, k] + going_on * following - rollout.value[i, k]
            advantage = surprise + going_on * decay * advantage
            error = surprise + going_on * value_decay * error
            following = rollout.value[i, k]
            rollout.advantage[i, k] = advantage
            rollout.target[i, k] = following + error


add_advantages = kernel(_add_advantages, CACHE)
"""`(rollout, gamma, decay, value_decay)`: generalised advantages with one lambda for the policy, one for the value."""
