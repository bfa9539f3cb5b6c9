"""TorchRL: games by masked policies through its wrapper of PettingZoo environments, ready to learn from.

python scripts/examples/torchrl_rollouts.py               # 10 games of two untrained networks
python scripts/examples/torchrl_rollouts.py --games 100 --seed 7

What works (TorchRL 0.14.1, tensordict 0.14.3): `PettingZooWrapper(drako_v0.env(), use_mask=True)` passes TorchRL's own
`check_env_specs`. Each seat is a group of its own; a rollout holds *every* seat's observation and reward at *every*
step, so that returns and advantages along a seat's rows are its own (`decisions`). Legal actions are in `action_mask`,
for `MaskedCategorical`; `env.rollout` without a policy keeps to them too. Seeds; `SerialEnv` of several games.

What does not:

- A seat that is not to decide gets a mask of ones and must "choose" as well; what it chooses is ignored. Only rows with
  `(seat, "mask")` are decisions: a policy's loss must leave out the others.
- In a `SerialEnv`, `rollout` without a policy does not see the masks: nearly every action it draws is illegal.
- It warns that it was tested with PettingZoo 1.24.3; nothing was found that fails with ours.
- Speed: a few hundred decisions a second. The bookkeeping of one takes longer than a thousand decisions of
  `drako_v0.batch_env`, so that there is no training here: `cleanrl_ppo.py` has one on the batch."""

import argparse
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import torch
from rich.console import Console
from rich.table import Table
from tensordict import TensorDictBase
from tensordict.nn import TensorDictModule, TensorDictSequential
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor
from torchrl.objectives.value.functional import reward2go

from drako_env import drako_v0
from drako_env.evaluation.statistics import wilson

SEATS = ("dragon_0", "dwarves_0")
LONGEST_GAME = 1000


class Logits(torch.nn.Module):
    """A small network on what a seat sees."""

    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.layers = MLP(inputs, actions, num_cells=[64])

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """For each action; counts of cards are rarely above 4."""
        return self.layers(observation.float() / 4)


def make_env(seed: int) -> PettingZooWrapper:
    """The game in TorchRL's wrapper; `use_mask` says who decides."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PettingZoo in TorchRL is tested", UserWarning)
        env = PettingZooWrapper(drako_v0.env(), use_mask=True)
    env.set_seed(seed)
    return env


def make_policy(env: PettingZooWrapper) -> TensorDictSequential:
    """A network for each seat that draws legal actions only."""
    actors = []
    for seat in env.group_map:
        inputs = env.observation_spec[seat, "observation", "observation"].shape[-1]
        actions = env.observation_spec[seat, "action_mask"].shape[-1]
        logits = TensorDictModule(
            Logits(inputs, actions), in_keys=[(seat, "observation", "observation")], out_keys=[(seat, "logits")]
        )
        actors.append(
            ProbabilisticActor(
                logits,
                in_keys={"logits": (seat, "logits"), "mask": (seat, "action_mask")},
                out_keys=[(seat, "action")],
                distribution_class=MaskedCategorical,
            )
        )
    return TensorDictSequential(*actors)


@torch.no_grad()
def play(env: PettingZooWrapper, policy: TensorDictSequential | None) -> TensorDictBase:
    """One game to its end."""
    game = env.rollout(LONGEST_GAME, policy)
    if not game["next", "done"][-1]:
        raise RuntimeError(f"no end within {LONGEST_GAME} decisions")
    return game


def decisions(game: TensorDictBase, seat: str) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What a seat chose, what it might have chosen, and what it got from there on, at its own decisions only.

    Rewards are summed over all rows of the game first: the last one often comes with the opponent's move."""
    returns = reward2go(game["next", seat, "reward"].squeeze(1), game["next", "done"], gamma=1.0).squeeze(1)
    own = game[seat, "mask"].squeeze(1)
    return game[seat, "action"].squeeze(1)[own], game[seat, "action_mask"].squeeze(1)[own], returns[own]


def main() -> None:
    """Play, and show what a learner would be given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10, help="(default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the games and the networks (default: %(default)s)")
    options = parser.parse_args()
    torch.set_num_threads(1)  # the networks are too small for more
    torch.manual_seed(options.seed)
    env = make_env(options.seed)
    policy, start = make_policy(env), time.perf_counter()
    games = [play(env, policy) for _ in range(options.games)]
    seconds = time.perf_counter() - start
    table = Table("seat", "decisions", "illegal", "games won")
    for seat in SEATS:
        chosen, legal, returns = (torch.cat(parts) for parts in zip(*(decisions(g, seat) for g in games), strict=True))
        illegal = int((~legal.gather(1, chosen[:, None])).sum())
        wins = sum(int(decisions(game, seat)[2][0] > 0) for game in games)
        low, high = wilson(wins, len(games))
        table.add_row(seat, f"{len(returns):,}", str(illegal), f"{wins} of {len(games)} ({low:.1%} - {high:.1%})")
    console, steps = Console(), sum(len(game) for game in games)
    console.print(table)
    console.print(f"{len(games)} games of untrained networks, {steps:,} decisions: {steps / seconds:,.0f} a second.")


if __name__ == "__main__":
    main()
