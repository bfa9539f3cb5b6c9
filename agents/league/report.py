"""What a training run leaves behind: curves, logs, tables."""

import argparse
import csv
import json
import platform
import shlex
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from agents.league.checkpoint import State
from agents.league.config import Config
from agents.league.league import Budget, League
from drako_env import replay
from drako_env.cli.options import add_game_options
from drako_env.engine.game import Game, role_of
from drako_env.evaluation.report import interval, share, table
from drako_env.evaluation.statistics import wilson
from drako_env.games import make_game
from drako_env.runs import read, write

ABOUT = "about.json"
PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo", "stable-baselines3", "sb3-contrib", "torch", "ray")
COLOURS = ("#b5432a", "#2f6f8f", "#5b8c5a", "#8a7fa3", "#c9a227")

Wins = Mapping[str, Mapping[str, tuple[int, int]]]
"""Seat -> opponent -> (wins, games)."""


@dataclass
class Run:
    """A training run as it was begun: all that is needed to go on with it, or to do it again."""

    folder: Path
    kind: str
    """The script that began it."""
    game: Game
    seats: list[str]
    config: Config
    seed: int
    budget: Budget
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
        return cls(folder, about["kind"], game, seats, config, seed, budget, commands=commands)


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


class Log:
    """Keeps `log.csv`, `curves.png` and TensorBoard's files up to date with a run."""

    def __init__(self, folder: Path, roles: list[str], state: State) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self.folder, self.roles = folder, roles
        self._board = SummaryWriter(str(folder / "tensorboard"), purge_step=state.round + 1)

    def add(self, state: State) -> None:
        """Take in the last row."""
        self._write_csv(state)  # first: of a full disk it speaks in one line, TensorBoard in a thread's traceback
        for name, figure in state.rows[-1].items():
            role, _, what = name.partition("_")
            tag = f"{what}/{role}" if role in self.roles else f"run/{name}"
            self._board.add_scalar(tag, figure, state.round)
        self._board.flush()
        if state.round % 5 == 0:
            draw_curves(state.rows, self.roles, self.folder / "curves.png")

    def close(self, state: State) -> None:
        """The last word. Without room for it, what stopped the run is to be heard, not this."""
        with suppress(OSError):
            self._board.close()
            if state.rows:
                draw_curves(state.rows, self.roles, self.folder / "curves.png")

    def _write_csv(self, state: State) -> None:
        columns = list(dict.fromkeys(name for row in state.rows for name in row))
        text = StringIO(newline="")
        writer = csv.DictWriter(text, columns)
        writer.writeheader()
        writer.writerows(state.rows)
        write(self.folder / "log.csv", text.getvalue())


def draw_curves(rows: list[dict[str, Any]], roles: list[str], path: Path) -> None:
    """Win rates against each anchor, entropy, value loss and length over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 6.4), layout="constrained")
    panels = figure.subplots(2, 2)
    names = list(dict.fromkeys(name for row in rows for name in row))
    for role_number, role in enumerate(roles):
        colour = COLOURS[role_number % len(COLOURS)]
        judged = [name for name in names if name.startswith(f"{role}_win_") and f"{name}_low" in names]
        for name, style in zip(judged, ("--", "-", "-.", ":"), strict=False):
            _draw(panels[0, 0], rows, name, colour, style, f"{role} against {name.removeprefix(f'{role}_win_')}")
        _draw(panels[0, 0], rows, f"{role}_train_win_latest", colour, ":", f"{role} against the other learner")
        for axes, what in ((panels[0, 1], "entropy"), (panels[1, 0], "value_loss"), (panels[1, 1], "length")):
            _draw(axes, rows, f"{role}_{what}", colour, "-", role)
    titles = ("win rate", "entropy of the policy", "value loss", "own decisions a game")
    for axes, title in zip(panels.flat, titles, strict=True):
        axes.set_title(title, loc="left", fontsize=10)
        axes.set_xlabel("minutes", fontsize=8)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
        axes.tick_params(labelsize=8)
    panels[0, 0].set_ylim(0, 1)
    for axes in panels[0]:
        if axes.lines:
            axes.legend(fontsize=7)
    picture = BytesIO()
    figure.savefig(picture, dpi=120)
    write(path, picture.getvalue())


def _draw(axes: Any, rows: list[dict[str, Any]], name: str, colour: str, style: str, label: str) -> None:
    points = [(row["seconds"] / 60, row[name]) for row in rows if name in row]
    if points:
        axes.plot(*zip(*points, strict=True), style, color=colour, label=label, linewidth=1.4)
        if any(f"{name}_low" in row for row in rows):
            ends = [(row["seconds"] / 60, row[f"{name}_low"], row[f"{name}_high"]) for row in rows if name in row]
            axes.fill_between(*zip(*ends, strict=True), color=colour, alpha=0.12, linewidth=0)


def results_table(baseline: Wins, trained: Wins) -> str:
    """What training brought, seat by seat: random play as the baseline, trained play, the share of what was left."""
    rows = []
    for seat, opponents in trained.items():
        for opponent, (wins, games) in opponents.items():
            before, after = baseline[seat][opponent][0] / baseline[seat][opponent][1], wins / games
            gained = (after - before) / (1 - before) if before < 1 else 1.0
            rows.append([seat, opponent, share(before), share(after), interval(wilson(wins, games)), share(gained)])
    return table(["seat", "against", "random play wins", "trained wins", "95% interval", "of what was left"], rows)


def save_policies(league: League) -> Path:
    """The final policies, under their roles' names."""
    folder = league.folder / "policies"
    folder.mkdir(exist_ok=True)
    for seat in league.seats:
        newest = league.policy_file(seat, league.state.round)
        write(folder / f"{role_of(seat)}.safetensors", newest.read_bytes())
    return folder


def save_replays(game: Game, seatings: list[tuple[str, ...]], folder: Path, seed: int) -> list[Path]:
    """A game of each seating of agents."""
    from drako_env.evaluation.runner import Job, play_job
    from drako_env.players import make_player

    folder.mkdir(exist_ok=True)
    paths = []
    for number, seating in enumerate(seatings):
        agents = [make_player(agent, game) for agent in seating]
        played = play_job(game, agents, Job(seating, number, seed + number, record=True))
        names = ["trained" if agent.startswith("policy:") else agent.replace(":", "") for agent in seating]
        paths.append(folder / ("-".join(names) + ".jsonl"))
        replay.save(paths[-1], replay.record(game, seed + number, names, played.actions, played.opinions))
    return paths
