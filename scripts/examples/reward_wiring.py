"""What is lost by rewarding whoever acted last: the same training, with nothing but the wiring of rewards changed.

python scripts/examples/reward_wiring.py                          # five ways to train, three seeds of each
python scripts/examples/reward_wiring.py --steps 51200 --seeds 1

The widespread recipe for self-play with Stable-Baselines3 shows a learner the decisions of all seats in one stream and
pays for each what its actor was given (`OneStream`). With out-of-turn decisions that is wrong: the stream ends with
whoever decided last, the other seat never learns that it has won or lost, and the value of a position is taken from the
eyes of whoever comes next. `OneSeat` shows one seat's decisions alone, and pays its own outcome. In between there is
`OneSeat` paid for whoever acted last: the same games, the same decisions, another reward.

One network learns both seats with MaskablePPO as it comes, and meets random play or itself. At the end it plays random
play on each seat."""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv

from drako_env import drako_v0
from drako_env.evaluation.statistics import wilson
from drako_env.runs import write

SEATS = ("dragon_0", "dwarves_0")
STEPS = 20_480
"""As in PettingZoo's tutorial."""
OWN, LAST, STREAM = "own outcome", "whoever acted last", "whoever acted last, all seats in one stream"
RANDOM, ITSELF = "random play", "itself"
SETTINGS: dict[str, Any] = {}
"""Of MaskablePPO: none, it is taken as it comes."""

Seen = NDArray[np.int8]
Step = tuple[Seen, float, bool, bool, dict[str, Any]]


class OneStream(gymnasium.Env[Seen, int]):
    """The recipe: the observation of whoever decides next, the reward of whoever has just decided."""

    def __init__(self, env: AECEnv[str, Any, Any]) -> None:
        self.aec, seat = env, env.possible_agents[0]
        self.observation_space = env.observation_space(seat)["observation"]  # type: ignore[index]
        self.action_space: gymnasium.Space[Any] = env.action_space(seat)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """Deal a game."""
        super().reset(seed=seed)
        self.aec.reset(seed=int(self.np_random.integers(2**31)))
        return self._seen(), {}

    def step(self, action: int) -> Step:
        """One decision of whoever is to decide."""
        actor = self.aec.agent_selection
        self.aec.step(int(action))
        over = self.aec.terminations[actor]
        return self._seen(), self.aec._cumulative_rewards[actor] if over else 0.0, over, False, {}

    def action_masks(self) -> Seen:
        """What is legal for whoever is to decide."""
        mask: Seen = self.aec.observe(self.aec.agent_selection)["action_mask"]
        return mask

    def _seen(self) -> Seen:
        seen: Seen = self.aec.observe(self.aec.agent_selection)["observation"]
        return seen


class OneSeat(OneStream):
    """One seat's decisions, another seat in each game; `opponent(observation, mask)` decides for the others.

    The reward is the seat's own, or with `paid_as_last` that of whoever has decided last."""

    def __init__(self, env: AECEnv[str, Any, Any], paid_as_last: bool = False) -> None:
        super().__init__(env)
        self.paid_as_last, self.games = paid_as_last, 0
        self.opponent: Callable[[Seen, Seen], Any] = self._anything
        self.actor = self.seat = env.possible_agents[0]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """Deal a game and let the others play on to the seat's first decision."""
        super().reset(seed=seed)
        self.seat = self.aec.possible_agents[self.games % len(self.aec.possible_agents)]
        self.games += 1
        self._others()
        return self._seen(), {}

    def step(self, action: int) -> Step:
        """A decision of the seat, and those of the others up to its next one."""
        self.actor = self.seat
        self.aec.step(int(action))
        self._others()
        over = self.aec.terminations[self.seat]
        return self._seen(), self.outcome() if over else 0.0, over, False, {}

    def outcome(self) -> float:
        """What a game that is over is worth to the learner."""
        reward: float = self.aec.rewards[self.actor if self.paid_as_last else self.seat]
        return reward

    def _others(self) -> None:
        while self.aec.agent_selection != self.seat and not self.aec.terminations[self.seat]:
            self.actor = self.aec.agent_selection
            self.aec.step(int(self.opponent(self._seen(), self.action_masks())))

    def _anything(self, observation: Seen, mask: Seen) -> int:
        return int(self.np_random.choice(np.flatnonzero(mask)))


class Arm(NamedTuple):
    """A way to train."""

    opponent: str
    reward: str


ARMS = (Arm(RANDOM, OWN), Arm(RANDOM, LAST), Arm(ITSELF, OWN), Arm(ITSELF, LAST), Arm(ITSELF, STREAM))


def make_env(arm: Arm) -> OneStream:
    """The environment that an arm learns in."""
    aec = drako_v0.env()
    return OneStream(aec) if arm.reward == STREAM else OneSeat(aec, arm.reward == LAST)


def train(arm: Arm, steps: int, seed: int) -> Any:
    """A model that has learnt from so many decisions."""
    from sb3_contrib import MaskablePPO

    env = make_env(arm)
    model = MaskablePPO("MlpPolicy", env, seed=seed, device="cpu", **SETTINGS)
    if isinstance(env, OneSeat) and arm.opponent == ITSELF:
        env.opponent = lambda observation, mask: model.predict(observation, action_masks=mask)[0]
    return model.learn(steps)


def count_wins(model: Any, seat: str, games: int, seed: int) -> int:
    """How many of `games` games against random play a model wins on a seat; each game of the batch counts once."""
    envs = drako_v0.sb3_env(games, seat=seat, opponent="random", seed=seed)
    observation, result = envs.reset(), np.zeros(games)
    while not result.all():
        actions, _ = model.predict(observation, action_masks=envs.action_masks())
        observation, rewards, _, _ = envs.step(actions)
        result = np.where(result == 0, rewards, result)
    return int((result > 0).sum())


class Result(NamedTuple):
    """What a trained model has won."""

    arm: Arm
    seed: int
    wins: dict[str, int]
    """By seat."""
    seconds: float


def run(arm: Arm, steps: int, seed: int, games: int) -> Result:
    """Train and play."""
    start = time.perf_counter()
    model = train(arm, steps, seed)
    seconds = time.perf_counter() - start
    wins = {seat: count_wins(model, seat, games, seed=1_000_000 + seed) for seat in SEATS}
    return Result(arm, seed, wins, round(seconds, 1))


def table(results: Sequence[Result], games: int) -> str:
    """Win rates over all seeds with 95% intervals, and seed by seed."""
    lines = [
        "| opponent | rewarded | dragon_0 wins (95%) | by seed | dwarves_0 wins (95%) | by seed |",
        "|---|---|---|---|---|---|",
    ]
    for arm in dict.fromkeys(result.arm for result in results):
        mine = [result for result in results if result.arm == arm]
        cells = [cell for seat in SEATS for cell in _cells([result.wins[seat] for result in mine], games)]
        lines.append(f"| {arm.opponent} | {arm.reward} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cells(wins: Sequence[int], games: int) -> list[str]:
    low, high = wilson(sum(wins), games * len(wins))
    rate = sum(wins) / games / len(wins)
    return [f"{rate:.1%} ({low:.1%} - {high:.1%})", ", ".join(f"{won / games:.0%}" for won in wins)]


def main(argv: Sequence[str] | None = None) -> None:
    """Train all, show the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=STEPS, help="decisions to learn from (default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=3, help="how many, from 0 on (default: %(default)s)")
    parser.add_argument("--games", type=int, default=1000, help="of each result (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="write the results there as JSON")
    options = parser.parse_args(argv)
    import torch

    torch.set_num_threads(1)  # the network is too small for more
    results = []
    for seed, arm in product(range(options.seeds), ARMS):
        results.append(run(arm, options.steps, seed, options.games))
        said = ", ".join(f"{seat} {wins / options.games:.1%}" for seat, wins in results[-1].wins.items())
        print(
            f"seed {seed}, against {arm.opponent}, rewarded {arm.reward}: {said}; {results[-1].seconds} s", flush=True
        )
        if options.out:
            write(options.out, json.dumps([result._asdict() for result in results], indent=1).encode())
    print(f"\n{options.steps} steps; wins of {options.games} games against random play for every seed\n")
    print(table(results, options.games))


if __name__ == "__main__":
    main()
