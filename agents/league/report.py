"""What a training run leaves behind: curves, logs, tables."""

import csv
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from agents.league.checkpoint import State
from agents.league.league import League
from drako_env import replay
from drako_env.engine.game import Game, role_of
from drako_env.evaluation.report import interval, share, table
from drako_env.evaluation.statistics import wilson
from drako_env.runs import write

COLOURS = ("#b5432a", "#2f6f8f", "#5b8c5a", "#8a7fa3", "#c9a227")

Wins = Mapping[str, Mapping[str, tuple[int, int]]]
"""Seat -> opponent -> (wins, games)."""


class Log:
    """Keeps `log.csv`, `curves.png` and TensorBoard's files up to date with a run."""

    def __init__(self, folder: Path, state: State) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self.folder = folder
        self._board = SummaryWriter(str(folder / "tensorboard"), purge_step=state.round + 1)

    def add(self, state: State) -> None:
        """Take in the last row."""
        self._write_csv(state)  # first: of a full disk it speaks in one line, TensorBoard in a thread's traceback
        for (role, name), figure in figures(state.rows[-1]).items():
            self._board.add_scalar(f"{name}/{role}" if role else f"run/{name}", figure, state.round)
        self._board.flush()
        if state.round % 20 == 0:
            draw_curves(state.rows, self.folder / "curves.png")

    def close(self, state: State) -> None:
        """The last word. Without room for it, what stopped the run is to be heard, not this."""
        with suppress(OSError):
            self._board.close()
            if state.rows:
                draw_curves(state.rows, self.folder / "curves.png")

    def _write_csv(self, state: State) -> None:
        rows = [
            {f"{role}_{name}" if role else name: figure for (role, name), figure in figures(row).items()}
            for row in state.rows
        ]
        text = StringIO(newline="")
        writer = csv.DictWriter(text, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(rows)
        write(self.folder / "log.csv", text.getvalue())


def figures(row: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    """A row of the log (see `State`), flat: (role, none for what the whole run has; name) -> figure."""
    flat = {("", name): figure for name, figure in row.items() if name != "sides"}
    for role, side in row["sides"].items():
        flat |= {(role, name): figure for name, figure in side.items() if name not in ("train_win", "win", "time")}
        flat |= {(role, f"time_{part}"): share for part, share in side["time"].items()}
        flat |= {(role, f"train_win_{opponent}"): rate for opponent, rate in side["train_win"].items()}
        for opponent, (wins, games) in side.get("win", {}).items():
            name, (low, high) = f"win_{opponent}", wilson(wins, games)
            flat |= {(role, name): wins / games, (role, f"{name}_low"): low, (role, f"{name}_high"): high}
    return flat


def profile(rows: list[dict[str, Any]]) -> str:
    """Where the learners' time went, on average over a run."""
    times = [side["time"] for row in rows for side in row["sides"].values()]
    parts = [f"{part} {share(sum(t[part] for t in times) / len(times))}" for part in times[0]]
    return f"the learners' time: {', '.join(parts)}"


def draw_curves(rows: list[dict[str, Any]], path: Path) -> None:
    """Win rates against each anchor, entropy, value loss and length over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 6.4), layout="constrained")
    panels = figure.subplots(2, 2)
    points = [(row["seconds"] / 60, figures(row)) for row in rows]
    for number, role in enumerate(rows[-1]["sides"]):
        colour = COLOURS[number % len(COLOURS)]
        judged = dict.fromkeys(opponent for row in rows for opponent in row["sides"][role].get("win", ()))
        for opponent, style in zip(judged, ("--", "-", "-.", ":"), strict=False):
            _draw(panels[0, 0], points, (role, f"win_{opponent}"), colour, style, f"{role} against {opponent}")
        _draw(panels[0, 0], points, (role, "train_win_itself"), colour, ":", f"{role} in self-play")
        for axes, what in ((panels[0, 1], "entropy"), (panels[1, 0], "value_loss"), (panels[1, 1], "length")):
            _draw(axes, points, (role, what), colour, "-", role)
    _label(panels)
    picture = BytesIO()
    figure.savefig(picture, dpi=120)
    write(path, picture.getvalue())


def _label(panels: Any) -> None:
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


def _draw(axes: Any, points: list[Any], key: tuple[str, str], colour: str, style: str, label: str) -> None:
    """A figure over the minutes, with its interval if it has one."""
    found = [(minutes, flat[key]) for minutes, flat in points if key in flat]
    if found:
        axes.plot(*zip(*found, strict=True), style, color=colour, label=label, linewidth=1.4)
    low, high = ((key[0], f"{key[1]}_{end}") for end in ("low", "high"))
    if ends := [(minutes, flat[low], flat[high]) for minutes, flat in points if low in flat]:
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
    folder = league.run.folder / "policies"
    folder.mkdir(exist_ok=True)
    for seat in league.run.seats:
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
        thoughts = played.opinions, played.values
        replay.save(paths[-1], replay.record(game, seed + number, names, played.actions, *thoughts))
    return paths
