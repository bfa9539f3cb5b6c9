"""What a training run can be told on the command line, and the run that comes of it."""

import argparse
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from agents.league.checkpoint import Checkpoints
from agents.league.config import Config
from agents.league.fitting import refit
from agents.league.run import Budget, Run
from drako_env.cli.options import add_game_options, chosen_game, name_and_text, toml_value
from drako_env.engine.game import Game, role_of, sides
from drako_env.players import shipped_policy
from drako_env.players.policy import SUFFIX, is_canonical, load_policy

FINAL_GAMES = 1000
MINUTES = 5.0
FIXED = ("set", "players", "train", "config", "seats", "seed", "start", "start_set")
"""What a resumed run keeps."""


def add_league_options(parser: argparse.ArgumentParser) -> None:
    """What a league can be told, wherever it trains."""
    add_game_options(parser)
    parser.add_argument("--seats", help="both, or one role such as dragon (default: both)")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--minutes", type=float, help=f"of training (default: {MINUTES:g}; resumed: as before)")
    length.add_argument("--rounds", type=int, help="instead of minutes, for runs to be repeated exactly")
    parser.add_argument("--train", action="append", default=[], metavar="NAME=VALUE", help="a field of the config")
    parser.add_argument("--start", metavar="AGENT", help="begin with the networks of policy or policy:FOLDER")
    parser.add_argument(
        "--start-set", action="append", default=[], metavar="OPTION=VALUE", help="rules they learnt under, if others"
    )
    parser.add_argument("--seed", type=int, help="default: 0")
    parser.add_argument("--out", type=Path, help="the run's folder (default: under runs/, named after the time)")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --out, as it was begun")
    parser.add_argument("--config", type=Path, help="a TOML file with the fields of agents/league/config.py")
    parser.add_argument("--games", type=int, default=FINAL_GAMES, help="of the evaluation at the end, per opponent")


def settings(words: list[str]) -> dict[str, object]:
    """What was given as `--train NAME=VALUE`."""
    return {name: toml_value(text) for name, text in (name_and_text(word, "--train") for word in words)}


def chosen_seats(game: Game, words: str) -> list[str]:
    """The sides to train."""
    chosen = [side for side in sides(game) if words in ("both", role_of(side))]
    if not chosen:
        raise ValueError(f"--seats {words}: expected both or {' or '.join(map(role_of, sides(game)))}")
    return chosen


def policy_files(game: Game, seats: list[str], spec: str) -> dict[str, Path]:
    """The files of `policy` or `policy:FOLDER`, by side; `ValueError` if one cannot be played."""
    name, _, argument = spec.partition(":")
    folder = Path(argument) if argument else shipped_policy(game)
    if name != "policy" or not folder.is_dir():
        raise ValueError(f"{spec!r}: expected policy or policy:FOLDER")
    files = {seat: folder / f"{role_of(seat)}{SUFFIX}" for seat in seats}
    for file in files.values():
        load_policy(file, game)
    return files


def shaped_like(files: Mapping[str, Path], game: Game, config: Config) -> Config:
    """A config whose networks have the shape of these policies, so that training can begin with them."""
    for file in files.values():
        policy = load_policy(file, game)
        config = replace(config, layers=policy.layers, canonical=is_canonical(policy.info))
    return config


def run_of(options: argparse.Namespace, kind: str) -> Run:
    """The run to begin or to go on with; an old one is never overwritten."""
    folder: Path = options.out or Path("runs") / kind / time.strftime("%Y-%m-%d-%H%M%S")
    exists = Checkpoints(folder).exist()
    if options.resume and not exists:
        raise ValueError(f"{folder}: there is no run to resume")
    if exists and not options.resume:
        raise ValueError(f"{folder}: there is a run already; add --resume to go on with it, or choose another --out")
    run = _resumed(folder, kind, options) if options.resume else _new(folder, kind, options)
    if options.minutes is not None or options.rounds is not None:
        run.budget = Budget(options.minutes or 0.0, options.rounds or 0)
    if not (run.budget.minutes > 0 or run.budget.rounds > 0) or run.seed < 0:
        raise ValueError("--minutes or --rounds must be above 0, and --seed not below")
    if options.games < 1:
        raise ValueError("--games must be at least 1")
    return run


def _resumed(folder: Path, kind: str, options: argparse.Namespace) -> Run:
    if given := [name for name in FIXED if getattr(options, name) not in (None, [])]:
        raise ValueError(f"--{given[0]}: a resumed run stays what it was; only --minutes or --rounds may change")
    run = Run.load(folder)
    if run.kind != kind:
        raise ValueError(f"{folder}: begun with scripts/{run.kind}.py, which alone can go on with it")
    return run


def _new(folder: Path, kind: str, options: argparse.Namespace) -> Run:
    game = chosen_game(options)
    config = Config.load(options.config, **settings(options.train))
    seats = chosen_seats(game, options.seats or "both")
    if options.start_set and not options.start:
        raise ValueError("--start-set: the rules that the policies of --start learnt under; give --start, too")
    start = _start(game, seats, folder / "start", options) if options.start else {}
    return Run(folder, game, seats, config, options.seed or 0, Budget(MINUTES), kind, start)


def _start(game: Game, seats: list[str], folder: Path, options: argparse.Namespace) -> dict[str, Path]:
    """The files to begin with, made to fit if they learnt under other rules."""
    if not options.start_set:
        return policy_files(game, seats, options.start)
    before = chosen_game(argparse.Namespace(**vars(options) | {"set": options.start_set}))
    return refit(policy_files(before, seats, options.start), before, game, folder)
