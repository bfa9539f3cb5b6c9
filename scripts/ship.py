"""Put the policies of a training run into the package: as 16-bit floats, and checked to play as they did.

python scripts/ship.py runs/train/mine                        # for the game and rules of the run
python scripts/ship.py runs/train/dragon-3 --twin icarius     # and for the mirror image of its game
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np

from agents.league.run import Run
from drako_env.cli.options import fail
from drako_env.engine.game import Game, role_of
from drako_env.engine.network import Tensors
from drako_env.envs.batch import GameBatch
from drako_env.games import make_game
from drako_env.golden_dragon.twin import twin_orders
from drako_env.players import shipped_policy
from drako_env.players.policy import SUFFIX, Policy, load_policy, save_policy

GAMES, DECISIONS = 64, 200


def mirrored(policy: Policy, twin: Game) -> Tensors:
    """A network for the mirror image of its game."""
    seen, actions = twin_orders(policy.game, twin)  # type: ignore[arg-type]
    tensors = dict(policy.tensors)
    tensors |= {"scale": tensors["scale"][seen], "0.weight": tensors["0.weight"][:, seen]}
    return tensors | {name: tensors[name][actions] for name in ("policy.weight", "policy.bias")}


def largest_change(policy: Policy, shipped: Policy, seed: int = 0) -> float:
    """Of any action's probability, in positions of random games."""
    batch, change = GameBatch(policy.game, GAMES, seed), 0.0
    for _ in range(DECISIONS):
        seen = batch.observation, batch.action_mask
        change = max(change, float(np.abs(policy.probabilities(*seen) - shipped.probabilities(*seen)).max()))
        batch.step(batch.sample())
    return change


def ship(game: Game, tensors: Tensors, info: dict[str, str]) -> Path:
    """Write one file."""
    path = shipped_policy(game) / f"{role_of(info['seat'])}{SUFFIX}"
    path.parent.mkdir(parents=True, exist_ok=True)
    own = {key: info[key] for key in ("seat", "canonical", "round", "seed") if key in info}
    save_policy(path, game, tensors, own, np.float16)
    return path


def main() -> int:
    """Ship every side's policy of a run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the folder of a finished training run")
    parser.add_argument("--twin", help="also for this game, the mirror image")
    options = parser.parse_args()
    try:
        run = Run.load(options.run)
        files = sorted((options.run / "policies").glob(f"*{SUFFIX}"))
        twin = make_game(options.twin, num_players=len(run.game.seats)) if options.twin else None
        for policy in [load_policy(file, run.game) for file in files]:
            path = ship(run.game, policy.tensors, policy.info)
            change = largest_change(policy, load_policy(path, run.game))
            print(f"{path}: {path.stat().st_size:,} bytes, probabilities change by at most {change:.4f}")
            if twin:
                path = ship(twin, mirrored(policy, twin), policy.info)
                print(f"{path}: {path.stat().st_size:,} bytes")
    except (ValueError, OSError) as error:
        return fail("ship", error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
