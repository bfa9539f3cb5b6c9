"""Masked PPO by self-play in one file, in the manner of CleanRL: PyTorch, NumPy and `drako_env`, nothing else.

python scripts/examples/cleanrl_ppo.py                      # a million decisions: about two minutes on one core
python scripts/examples/cleanrl_ppo.py --decisions 5000000 --save runs/cleanrl.pt

What works: `drako_v0.batch_env` shows every seat's decisions, so one network plays both seats and learns from both (its
observation says whose eyes it looks through). Illegal actions get no probability. Every reward goes to the seat it
belongs to: a game that is lost on the opponent's move is lost by one's own last decision (`advantages`).

What does not: there is neither a canonical form of positions nor an average of the networks, there are no checkpoints
and no curves. All that is in `scripts/train.py`, which plays better for the same time."""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import mse_loss

from drako_env import drako_v0
from drako_env.envs.batch import GameBatch
from drako_env.evaluation.statistics import wilson
from drako_env.players.policy import input_scale

GAMES = 128
STEPS = 128
"""Decisions in each game between two updates: 16,384 in all, most of a game by both seats together."""
MINIBATCH = 2048
EPOCHS = 3
LEARNING_RATE = 1e-3
"""At the start; it falls in a straight line to a tenth."""
GAMMA = 0.999
LAMBDA = 0.95
CLIP = 0.2
ENTROPY = 0.01
VALUE_WEIGHT = 0.5
GRADIENT_NORM = 0.5
EVALUATE_EVERY = 10
EVALUATION_GAMES = 256

Floats = NDArray[np.float32]
Opponent = Callable[[GameBatch], NDArray[np.int64]]
OPPONENTS: dict[str, Opponent] = {"random": GameBatch.sample, "heuristic": GameBatch.best}


class Network(torch.nn.Module):
    """Log-probabilities of the actions, and what the position is worth to the seat that decides."""

    def __init__(self, scale: Floats, actions: int, width: int = 256) -> None:
        super().__init__()
        self.register_buffer("scale", torch.from_numpy(scale))
        self.first, self.second = torch.nn.Linear(len(scale), width), torch.nn.Linear(width, width)
        self.policy, self.value = torch.nn.Linear(width, actions), torch.nn.Linear(width, 1)
        for layer, gain in ((self.first, 2**0.5), (self.second, 2**0.5), (self.policy, 0.01), (self.value, 1.0)):
            torch.nn.init.orthogonal_(layer.weight, gain)
            torch.nn.init.zeros_(layer.bias)

    def forward(self, observation: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """For every row of observations and of legal actions."""
        x = torch.relu(self.second(torch.relu(self.first(observation * self.scale))))
        logits = self.policy(x).masked_fill(mask == 0, torch.finfo(torch.float32).min)
        return torch.log_softmax(logits, dim=1), self.value(x).squeeze(1)


@dataclass
class Rollout:
    """Decisions in the order they were taken, `(steps, games, ...)`; the seats of a game take turns as they come."""

    observation: NDArray[np.int8]
    mask: NDArray[np.int8]
    agent: NDArray[np.int64]
    action: NDArray[np.int64]
    log_probability: Floats
    value: Floats
    reward: Floats
    """`(STEPS, GAMES, seats)`: what each seat was given for the step, whoever decided."""
    done: NDArray[np.bool_]


@torch.no_grad()
def decide(network: Network, batch: GameBatch) -> tuple[NDArray[np.int64], Floats, Floats]:
    """A legal action for the seat to decide in every game, drawn from the policy; its log-probability; the value."""
    log_probabilities, value = network(torch.from_numpy(batch.observation), torch.from_numpy(batch.action_mask))
    action = torch.multinomial(log_probabilities.exp(), 1)
    return action.squeeze(1).numpy(), log_probabilities.gather(1, action).squeeze(1).numpy(), value.numpy()


def collect(network: Network, batch: GameBatch, steps: int) -> Rollout:
    """Play on, every seat with the same network."""
    rows: list[tuple[Any, ...]] = []
    for _ in range(steps):
        action, log_probability, value = decide(network, batch)
        shown = batch.observation.copy(), batch.action_mask.copy(), batch.agent.copy()  # overwritten by the step
        batch.step(action)
        rows.append((*shown, action, log_probability, value, batch.reward.copy(), batch.done.copy()))
    return Rollout(*(np.stack(column) for column in zip(*rows, strict=True)))


def advantages(
    rollout: Rollout, agent: NDArray[np.int64], value: Floats, gamma: float = GAMMA, decay: float = LAMBDA
) -> tuple[Floats, NDArray[np.bool_]]:
    """Generalised advantage estimates along each seat's own decisions, and which of them are known.

    A seat's next position is the one in which *it* decides next, and its reward is all that it is given until then.
    `agent` and `value` are those of the positions after the last step. Whoever does not decide there has not seen how
    its last decision went on: that decision is left out."""
    steps, games = rollout.agent.shape
    row = np.arange(games)
    advantage, known = np.zeros((steps, games), np.float32), np.zeros((steps, games), bool)
    gained, next_value, next_advantage = (np.zeros(rollout.reward.shape[1:], np.float32) for _ in range(3))
    seen = np.zeros(rollout.reward.shape[1:], bool)
    next_value[row, agent], seen[row, agent] = value, True
    for t in reversed(range(steps)):
        over = rollout.done[t]
        gained[over] = next_value[over] = next_advantage[over] = 0.0  # what follows is another game
        seen[over] = True
        gained += rollout.reward[t]
        mine = row, rollout.agent[t]
        error = gained[mine] + gamma * next_value[mine] - rollout.value[t]
        advantage[t] = np.where(seen[mine], error + gamma * decay * next_advantage[mine], 0.0)
        known[t] = seen[mine]
        gained[mine], next_value[mine], next_advantage[mine], seen[mine] = 0.0, rollout.value[t], advantage[t], True
    return advantage, known


def update(
    network: Network, optimizer: torch.optim.Optimizer, rollout: Rollout, batch: GameBatch, minibatch: int
) -> float:
    """Some passes of PPO over what was played; the mean entropy of the policy."""
    _, _, last_value = decide(network, batch)
    advantage, known = advantages(rollout, batch.agent, last_value)
    columns = [getattr(rollout, name) for name in ("observation", "mask", "action", "log_probability")]
    data = [torch.from_numpy(column[known]) for column in (*columns, advantage, advantage + rollout.value)]
    entropies = []
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(data[0])).split(minibatch):
            loss, entropy = losses(network, *(column[rows] for column in data))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), GRADIENT_NORM)
            optimizer.step()
            entropies.append(entropy.item())
    return float(np.mean(entropies))


def losses(
    network: Network,
    observation: torch.Tensor,
    mask: torch.Tensor,
    action: torch.Tensor,
    before: torch.Tensor,
    advantage: torch.Tensor,
    returns: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """PPO's loss of a minibatch, and the entropy."""
    log_probabilities, value = network(observation, mask)
    ratio = (log_probabilities.gather(1, action[:, None]).squeeze(1) - before).exp()
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    gain = torch.min(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage).mean()
    entropy = -(log_probabilities.exp() * log_probabilities).sum(dim=1).mean()  # an illegal action adds 0
    return VALUE_WEIGHT * mse_loss(value, returns) - gain - ENTROPY * entropy, entropy.detach()


def count_wins(network: Network, seat: int, opponent: Opponent, games: int, seed: int) -> int:
    """How many of `games` games the policy wins on a seat. Each game of the batch counts once, so that short games
    do not count more often."""
    batch = drako_v0.batch_env(games, seed=seed)
    wins, playing = 0, np.ones(games, bool)
    while playing.any():
        batch.step(np.where(batch.agent == seat, decide(network, batch)[0], opponent(batch)))
        wins += int((batch.reward[playing & batch.done, seat] > 0).sum())
        playing &= ~batch.done
    return wins


def results(network: Network, opponent: str, games: int, seed: int) -> str:
    """The policy's win rates seat by seat, with 95% intervals."""
    words = []
    for seat, name in enumerate(drako_v0.batch_env(1, seed=0).possible_agents):
        wins = count_wins(network, seat, OPPONENTS[opponent], games, seed)
        low, high = wilson(wins, games)
        words.append(f"{name} {wins / games:.1%} ({low:.1%} - {high:.1%})")
    return f"against {opponent}: {', '.join(words)}"


def train(decisions: int, seed: int, games: int = GAMES, steps: int = STEPS, minibatch: int = MINIBATCH) -> Network:
    """Self-play for about so many decisions of both seats together."""
    torch.manual_seed(seed)
    batch = drako_v0.batch_env(games, seed=seed)
    network = Network(input_scale(batch.game), batch.action_mask.shape[1])
    optimizer = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE, eps=1e-5)
    updates, seconds = max(1, decisions // (games * steps)), 0.0
    print(f"Untrained, {results(network, 'random', EVALUATION_GAMES, seed)}")
    for number in range(1, updates + 1):
        start = time.perf_counter()
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - 0.9 * (number - 1) / updates)
        rollout = collect(network, batch, steps)
        entropy = update(network, optimizer, rollout, batch, minibatch)
        seconds += time.perf_counter() - start
        played = number * games * steps
        print(f"{played:>9,} decisions, {played / seconds:,.0f}/s, entropy {entropy:.2f}")
        if number % EVALUATE_EVERY == 0:
            print(f"          {results(network, 'random', EVALUATION_GAMES, seed)}")
    return network


def main() -> None:
    """Train, then play against others."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--decisions", type=int, default=1_000_000, help="of both seats together (default: %(default)s)"
    )
    parser.add_argument("--games", type=int, default=1000, help="of each result at the end (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the games and the network (default: %(default)s)")
    parser.add_argument("--save", type=Path, help="write the network's weights there")
    options = parser.parse_args()
    torch.set_num_threads(1)  # the network is too small for more
    network = train(options.decisions, options.seed)
    print(f"Trained by self-play. Of {options.games} games on each seat it wins")
    for opponent in OPPONENTS:
        print(f"  {results(network, opponent, options.games, options.seed + 1)}")
    if options.save:
        options.save.parent.mkdir(parents=True, exist_ok=True)
        torch.save(network.state_dict(), options.save)
        print(f"Its weights are in {options.save}.")


if __name__ == "__main__":
    main()
