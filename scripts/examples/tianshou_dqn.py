"""Tianshou: masked DQN on one seat against random play, through Tianshou's wrapper of PettingZoo environments.

python scripts/examples/tianshou_dqn.py                               # the dwarves, 400 games
python scripts/examples/tianshou_dqn.py --seat dragon_0 --games 1000

What works (Tianshou 2.0.1): `PettingZooEnv(drako_v0.env())` with its vectorised environments, collectors and buffers;
masks, which reach `DiscreteQLearningPolicy` and the random player as `obs.mask`; every seat's reward with every step.

What does not, and what is done about it here:

- A transition's next observation is that of whoever decides next, often the opponent, and seats here decide several
  times in a row and out of turn: no fixed n-step horizon leads back to one's own. Bootstrapping would ask the learner
  what the *opponent's* position is worth. So the horizon is longer than any game and only whole games are stored: every
  target is the game's result for the learner's seat.
- `MultiAgentOnPolicyAlgorithm` (PPO, A2C) hands each seat its own transitions only. A game that ends on the opponent's
  move has neither an end nor a reward for the learner, and the next game is taken for its continuation. Hence DQN.
- `eps_training` is not used: the flag that says "training" does not reach the seats' policies. `eps_inference` is.
- Speed: fewer than a thousand decisions a second, learning included. 400 games are a demonstration: what
  came out with two seeds won more than random play does, how much more depended on the seed."""

import argparse
import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import torch
from rich.console import Console
from rich.progress import track
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step

from drako_env import drako_v0
from drako_env.evaluation.statistics import wilson

SEATS = ("dragon_0", "dwarves_0")
LONGEST_GAME = 250
"""Decisions of both seats together: the decks run out after fewer than 200. Checked for every game that is stored."""
GAMES_AT_ONCE = 20
GAMES_KEPT = 8
"""In the buffer, for each of these: about as many as the last eight rounds."""
UPDATES_PER_ROUND = 60
MINIBATCH = 256
EXPLORATION = 0.1


class SeatLearner:
    """A DQN on one seat, random play on the other, as Tianshou's multi-agent algorithm."""

    def __init__(self, seat: str, seed: int) -> None:
        np.random.seed(seed)  # Tianshou explores, and its random player plays, from the global generator
        torch.manual_seed(seed)
        self.seat, self.index = seat, SEATS.index(seat)
        env = PettingZooEnv(drako_v0.env())
        shape, actions = env.observation_space["observation"].shape, env.action_space.n
        network = Net(state_shape=shape, action_shape=actions, hidden_sizes=(128, 128))
        self.policy = DiscreteQLearningPolicy(model=network, action_space=env.action_space)
        self.dqn: DQN = DQN(
            policy=self.policy,
            optim=AdamOptimizerFactory(lr=1e-3),
            gamma=1.0,
            n_step_return_horizon=LONGEST_GAME,
        )
        players = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space) for _ in SEATS]
        players[self.index] = self.dqn
        self.algorithm = MultiAgentOffPolicyAlgorithm(algorithms=players, env=env)

    @contextmanager
    def exploring(self, chance: float) -> Iterator[None]:
        """Any legal action with this chance, instead of the best one."""
        self.policy.set_eps_inference(chance)
        try:
            with policy_within_training_step(self.algorithm.policy):
                yield
        finally:
            self.policy.set_eps_inference(0.0)


def environments(games: int, seed: int) -> DummyVectorEnv:
    """So many games side by side, each in Tianshou's wrapper."""
    envs = DummyVectorEnv([lambda: PettingZooEnv(drako_v0.env()) for _ in range(games)])
    envs.seed(seed)
    return envs


def train(learner: SeatLearner, games: int, seed: int) -> Collector:
    """Play rounds of whole games, learning after each. The collector holds what was played last."""
    buffer = VectorReplayBuffer(GAMES_AT_ONCE * GAMES_KEPT * LONGEST_GAME, GAMES_AT_ONCE)
    collector = Collector(learner.algorithm, environments(GAMES_AT_ONCE, seed), buffer, exploration_noise=True)
    collector.reset()
    for _ in track(range(max(1, games // GAMES_AT_ONCE)), "rounds"):
        with learner.exploring(EXPLORATION):
            longest = collector.collect(n_episode=GAMES_AT_ONCE).lens.max()
            if longest > LONGEST_GAME:
                raise RuntimeError(f"a game of {longest} decisions: LONGEST_GAME must be larger")
            for _ in range(UPDATES_PER_ROUND):
                learner.algorithm.update(buffer, sample_size=MINIBATCH)
    return collector


def count_wins(learner: SeatLearner, games: int, seed: int) -> int:
    """How many of `games` games the learner wins with its best actions. Each environment plays one game, so that
    short games do not count more often."""
    collector = Collector(learner.algorithm, environments(games, seed))
    collector.reset()
    return int((collector.collect(n_episode=games).returns[:, learner.index] > 0).sum())


def main() -> None:
    """Train, and say how much it helped."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seat", choices=SEATS, default="dwarves_0", help="the learner's (default: %(default)s)")
    parser.add_argument("--games", type=int, default=400, help="to learn from (default: %(default)s)")
    parser.add_argument("--evaluate", type=int, default=200, help="games before and after (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="(default: %(default)s)")
    options = parser.parse_args()
    torch.set_num_threads(1)  # the network is too small for more
    logging.getLogger("tianshou.data.stats").setLevel(logging.ERROR)  # it warns of rewards of more than one seat
    console, learner = Console(), SeatLearner(options.seat, options.seed)

    def report(when: str) -> None:
        wins = count_wins(learner, options.evaluate, options.seed + 1)
        low, high = wilson(wins, options.evaluate)
        rate = f"{wins / options.evaluate:.1%} ({low:.1%} - {high:.1%})"
        console.print(f"{when}: {options.seat} wins {rate} of {options.evaluate} games against random play")

    report("Untrained")
    start = time.perf_counter()
    decisions = train(learner, options.games, options.seed).collect_step
    seconds = time.perf_counter() - start
    report("Trained")
    console.print(
        f"{decisions:,} decisions in {seconds:.0f} s: {decisions / seconds:,.0f} a second, learning included."
    )


if __name__ == "__main__":
    main()
