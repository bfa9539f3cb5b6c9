"""A training run: what it trains and for how long, on the disk."""

import argparse
import hashlib
import json
import platform
import shlex
import subprocess
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from agents.league.checkpoint import State
from agents.league.config import Config
from drako_env.cli.options import add_game_options
from drako_env.engine.game import Game
from drako_env.games import make_game
from drako_env.runs import read, write

ABOUT = "about.json"
PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo", "stable-baselines3", "sb3-contrib", "torch", "ray")


def derived_seed(*parts: object) -> int:
    """A seed for one purpose of a run that no other purpose shares."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:4], "little")


@dataclass
class Budget:
    """How long to train: minutes, or rounds for runs that must not depend on the clock."""

    minutes: float = 0.0
    rounds: int = 0

    def progress(self, state: State) -> float:
        """How much of it is used up, from 0 to 1."""
        used = state.round / self.rounds if self.rounds else state.seconds / (60 * self.minutes)
        return min(1.0, used)


@dataclass
class Run:
    """A training run as it was begun: all that is needed to go on with it, or to do it again."""

    folder: Path
    game: Game
    seats: list[str]
    """Who learns: seats, or a role that all of its seats share."""
    config: Config
    seed: int
    budget: Budget
    kind: str = "train"
    """The script that began it."""
    start: dict[str, Path] = field(default_factory=dict)
    """Policies to begin with, by side; once begun, the checkpoint has them."""
    where: list[str] = field(default_factory=list)
    """The words that say where this part of it is trained: whoever goes on may choose others."""
    commands: list[list[str]] = field(default_factory=list)
    """Those that worked on it so far."""

    def save(self, command: list[str]) -> None:
        """Write `about.json`, with every command that worked on the run."""
        self.commands = [*self.commands, command]
        about = {
            "commands": self.commands,
            "kind": self.kind,
            "game": self.game.name,
            "rules": self.game.rules_table(),
            "seats": self.seats,
            "seed": self.seed,
            "config": self.config.as_dict(),
            "budget": vars(self.budget),
            "commit": _commit(),
            "python": platform.python_version(),
            "versions": _versions(),
        }
        write(self.folder / ABOUT, json.dumps(about, indent=1) + "\n")

    def game_words(self) -> list[str]:
        """The game and its options in the words of the command that began the run, for other commands."""
        parser = argparse.ArgumentParser(add_help=False)
        add_game_options(parser)
        options, _ = parser.parse_known_args(self.commands[0][1:])
        words = [] if options.game == parser.get_default("game") else ["--game", options.game]
        words += [] if options.players is None else ["--players", str(options.players)]
        return words + [word for chosen in options.set for word in ("--set", shlex.quote(chosen))]

    @classmethod
    def load(cls, folder: Path) -> "Run":
        """Read it back."""
        keys = ("commands", "kind", "game", "rules", "seats", "seed", "config", "budget")
        about = read(folder / ABOUT, keys, "put back a copy of it, or begin anew with another --out")
        game = make_game(about["game"], rules=about["rules"])
        config, budget = Config.load(None, **about["config"]), Budget(**about["budget"])
        seats, seed, commands = about["seats"], about["seed"], about["commands"]
        return cls(folder, game, seats, config, seed, budget, about["kind"], commands=commands)


def settle(folder: Path, said: dict[str, Any], resume: bool, what: str) -> None:
    """Write down all that the results of a `what` depend on; `ValueError` if something else is written there."""
    path = folder / ABOUT
    if path.exists() != resume:
        there = f"there is a {what} already; add --resume to go on with it, or choose another --out"
        raise ValueError(f"{folder}: {'there is nothing to resume' if resume else there}")
    if not resume:
        write(path, json.dumps(said, indent=1) + "\n")
        return
    before = read(path, tuple(said), "begin anew with another --out")
    if other := [name for name in said if before[name] != said[name]]:
        raise ValueError(f"{folder}: begun with another {other[0]}; begin anew with another --out")


def _versions() -> dict[str, str]:
    """Of the packages that matter, as far as they are installed."""
    found = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _commit() -> str:
    """Of this project, as far as git knows."""
    command = ["git", "rev-parse", "HEAD"]
    try:
        done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return done.stdout.strip() or "unknown"
