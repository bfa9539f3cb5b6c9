"""Baselines of a game in one table: players that need no training, MaskablePPO on fixed opponents, self-play, RLlib.

python scripts/baselines.py                                            # Drako, all of them, three seeds
python scripts/baselines.py --game golden_dragon --players 2
python scripts/baselines.py random ppo --steps 4096 --games 20         # a taste of some

Every method plays `random` and `heuristic` on every seat. A seed is that of the deals, and of training where there is
any; what learns has --minutes for all roles together. What is done stays in --out: Ctrl-C, or worse, and the same
command goes on.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(ROOT := Path(__file__).parent.parent))

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from agents.league.checkpoint import Checkpoints
from drako_env.cli.options import INTERRUPTED, add_game_options, chosen_game, fail
from drako_env.engine.game import Game, role_of, sides
from drako_env.engine.view import Agent, SeatView
from drako_env.envs.seat import SeatGames
from drako_env.evaluation.report import share, table
from drako_env.evaluation.runner import play_pairings
from drako_env.players import make_player
from drako_env.runs import read, write

OPPONENTS = ("random", "heuristic")
ENVS, ROLLOUT, MINIBATCH = 64, 64, 512
"""Of MaskablePPO: games side by side, decisions in each between updates; the rest is as it comes."""
PPO, RLLIB = "ppo", "train_rllib.py"


@dataclass(frozen=True)
class Cell:
    """A method with a seed: how long it trained, and what it won."""

    method: str
    seed: int
    player: str
    seconds: float
    decisions: int
    """That it learnt from, of all roles."""
    settings: dict[str, Any]
    wins: dict[str, dict[str, int]]
    """By opponent and role."""
    games: dict[str, int]
    """By role, against each opponent."""


class Models:
    """MaskablePPO's models of all roles as a player."""

    def __init__(self, game: Game, folder: Path) -> None:
        from sb3_contrib import MaskablePPO

        roles = dict.fromkeys(map(role_of, game.seats))
        models = {role: MaskablePPO.load(folder / f"{role}.zip", device="cpu") for role in roles}
        self._models = [models[role_of(seat)] for seat in game.seats]

    def reset(self, seed: int) -> None:
        """A new game."""
        self._models[0].set_random_seed(seed % 2**32)

    def act(self, view: SeatView) -> int:
        """Draw an action from the policy."""
        return int(self._models[view.seat].predict(view.observation, action_masks=view.action_mask)[0])


def player_of(spec: str, game: Game) -> Agent:
    """A player by name, or MaskablePPO's models in a folder."""
    name, _, folder = spec.partition(":")
    return Models(game, Path(folder)) if name == PPO else make_player(spec, game)


class Trained(NamedTuple):
    """What a method ends with."""

    player: str
    decisions: int


def as_it_is(name: str, game: Game, folder: Path, seed: int, options: argparse.Namespace) -> Trained:
    """Nothing to train."""
    return Trained(name, 0)


def train_ppo(game: Game, folder: Path, seed: int, options: argparse.Namespace) -> Trained:
    """One model for each role, half of the games against random play and half against the rules of thumb."""
    import torch
    from sb3_contrib import MaskablePPO

    from drako_env.envs.sb3 import SeatVecEnv

    torch.set_num_threads(1)  # the network is too small for more
    decisions, seconds = 0, 60 * options.minutes / len(sides(game))
    for side in sides(game):
        envs = SeatVecEnv(SeatGames(game, ENVS, side, [(1.0, name) for name in OPPONENTS], seed))
        model = MaskablePPO("MlpPolicy", envs, n_steps=ROLLOUT, batch_size=MINIBATCH, seed=seed, device="cpu")
        if options.steps:
            model.learn(options.steps)
        else:
            end = time.monotonic() + seconds
            model.learn(sys.maxsize, callback=lambda *_, end=end: time.monotonic() < end)
        model.save(folder / f"{role_of(side)}.zip")
        decisions += model.num_timesteps
    return Trained(f"{PPO}:{folder}", decisions)


def train_league(script: str, game: Game, folder: Path, seed: int, options: argparse.Namespace) -> Trained:
    """What one of the project's own scripts does."""
    begun = (folder / "about.json").exists()
    words = ["--resume"] if begun else [*_game_words(options), "--seed", str(seed)]
    words += ["--games", str(len(game.seats))]  # its own evaluation, as short as can be
    runners = ["--runners", str(options.processes)] if script == RLLIB else []
    command = [sys.executable, str(ROOT / "scripts" / script), *words, *runners, "--minutes", str(options.minutes)]
    done = subprocess.run([*command, "--out", str(folder)], capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"{folder}: training ended with code {done.returncode}: {done.stderr.strip() or done.stdout}")
    state = Checkpoints(folder).load(print)
    return Trained(f"policy:{folder / 'policies'}", sum(state.decisions.values()) if state else 0)


def _game_words(options: argparse.Namespace) -> list[str]:
    players = [] if options.players is None else ["--players", str(options.players)]
    return ["--game", options.game, *players, *(word for rule in options.set for word in ("--set", rule))]


Train = Callable[[Game, Path, int, argparse.Namespace], Trained]
METHODS: dict[str, tuple[str, Train]] = {
    "random": ("any legal action", partial(as_it_is, "random")),
    "heuristic": ("rules of thumb", partial(as_it_is, "heuristic")),
    "search": ("`ismcts:200`, 200 simulations a decision", partial(as_it_is, "ismcts:200")),
    PPO: ("MaskablePPO against random play and rules of thumb, one model for each role", train_ppo),
    "self-play": ("`scripts/train.py --minutes {minutes:g}`", partial(train_league, "train.py")),
    "rllib": ("`scripts/train_rllib.py --minutes {minutes:g} --runners {processes}`", partial(train_league, RLLIB)),
}
"""In words, and how to get a player."""
LEARNING = (PPO, "self-play", "rllib")


def run_cell(game: Game, method: str, seed: int, options: argparse.Namespace) -> Cell:
    """Train and play, unless that was done."""
    file, settings = options.out / f"{method}-{seed}.json", settings_of(game, method, options)
    if file.exists():
        cell = Cell(**read(file, Cell.__dataclass_fields__, "remove it to run it again"))
        if cell.settings != settings:
            raise ValueError(f"{file}: made with other settings, {cell.settings}; choose another --out")
        return cell
    folder, start = options.out / f"{method}-{seed}", time.perf_counter()
    folder.mkdir(parents=True, exist_ok=True)
    player, decisions = METHODS[method][1](game, folder, seed, options)
    seconds = round(time.perf_counter() - start, 1)
    wins = {other: wins_of(game, player, other, seed, options) for other in OPPONENTS}
    roles = list(map(role_of, game.seats))
    games = {role: roles.count(role) * options.games for role in roles}
    cell = Cell(method, seed, player, seconds, decisions, settings, wins, games)
    write(file, json.dumps(asdict(cell), indent=1) + "\n")
    return cell


def settings_of(game: Game, method: str, options: argparse.Namespace) -> dict[str, Any]:
    """What the result depends on."""
    chosen = {"game": game.name, "rules": game.rules_table()["name"], "seats": len(game.seats), "games": options.games}
    if method == PPO and options.steps:
        return chosen | {"steps": options.steps}
    return chosen | ({"minutes": options.minutes} if method in LEARNING else {})


def wins_of(game: Game, player: str, other: str, seed: int, options: argparse.Namespace) -> dict[str, int]:
    """How often a player wins among others on each seat in turn, by role; on the same deals for every player."""
    seated = {
        seat: tuple(player if i == seat else other for i in range(len(game.seats))) for seat in range(len(game.seats))
    }
    pairings = list(dict.fromkeys(seated.values()))
    played = play_pairings(game, pairings, options.games, player_of, seed, options.processes)
    wins = dict.fromkeys(map(role_of, game.seats), 0)
    for seat, pairing in seated.items():
        wins[role_of(game.seats[seat])] += sum(one.result.rewards[seat] > 0 for one in played if one.pairing == pairing)
    return wins


def report(cells: Sequence[Cell], options: argparse.Namespace) -> str:
    """A row for each method: the mean of its seeds, and their lowest and highest."""
    roles = list(cells[0].games)
    header = ["method", *(f"{role} against {other}" for other in OPPONENTS for role in roles), "training"]
    rows = []
    for method in dict.fromkeys(cell.method for cell in cells):
        mine = [cell for cell in cells if cell.method == method]
        rates = [[cell.wins[other][role] / cell.games[role] for cell in mine] for other in OPPONENTS for role in roles]
        spread = [f"{share(sum(r) / len(r))} ({share(min(r))} - {share(max(r))})" for r in rates]
        words = METHODS[method][0].format(**vars(options))
        rows.append([f"{method}: {words}", *spread, _training(mine)])
    deals = f"{len({cell.seed for cell in cells})} seeds, {options.games} deals on every seat for each"
    return f"{table(header, rows)}\n\nMean of the seeds (lowest - highest); {deals}.\n"


def _training(cells: Sequence[Cell]) -> str:
    """How long a seed took with all that belongs to it, and how much was learnt from."""
    minutes = sum(cell.seconds for cell in cells) / len(cells) / 60
    decisions = sum(cell.decisions for cell in cells) // len(cells)
    return f"{minutes:.1f} min, {decisions:,} decisions" if decisions else "none"


def main(argv: Sequence[str] | None = None) -> int:
    """Run what is missing, show the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("methods", nargs="*", metavar="METHOD", help=f"of {', '.join(METHODS)} (default: all)")
    add_game_options(parser)
    parser.add_argument("--seeds", type=int, default=3, help="how many, from 0 on (default: 3)")
    parser.add_argument("--games", type=int, default=500, help="deals on every seat (default: 500)")
    parser.add_argument("--minutes", type=float, default=5.0, help="of training, all roles together (default: 5)")
    parser.add_argument("--steps", type=int, help="of MaskablePPO for each role, instead of minutes")
    parser.add_argument("--processes", type=int, default=2, help="that play, also for RLlib (default: 2)")
    parser.add_argument("--out", type=Path, help="default: runs/baselines/GAME; what is there stays")
    options, console = parser.parse_args(argv), Console(width=160)
    options.out = options.out or Path("runs/baselines") / options.game
    try:
        cells = run_all(options, console)
    except (ValueError, OSError) as error:
        return fail("baselines", error, "to go on: the same command")
    except KeyboardInterrupt:
        console.print("interrupted: the same command goes on")
        return INTERRUPTED
    write(options.out / "report.md", report(cells, options))
    print(report(cells, options))
    return 0


def run_all(options: argparse.Namespace, console: Console) -> list[Cell]:
    """All cells, with a bar."""
    game, names = chosen_game(options), options.methods or list(METHODS)
    if unknown := [name for name in names if name not in METHODS]:
        raise ValueError(f"no method {unknown[0]!r}; there are {', '.join(METHODS)}")
    if min(options.seeds, options.games, options.steps or 1, options.processes) < 1 or options.minutes <= 0:
        raise ValueError("--seeds, --games, --steps and --processes must be at least 1, --minutes above 0")
    todo = [(name, seed) for name in names for seed in range(options.seeds)]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    cells = []
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task("", total=len(todo))
        for name, seed in todo:
            progress.update(task, description=f"{name}, seed {seed}")
            cells.append(run_cell(game, name, seed, options))
            progress.advance(task)
    return cells


if __name__ == "__main__":
    sys.exit(main())
