"""The standard field of a game: its levels, neighbour against neighbour, as the table that the documentation shows."""

import argparse
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.markdown import Markdown

from drako_env.cli.balance import around_section, write_section
from drako_env.cli.series import play_series, report_of, times_of
from drako_env.engine.game import Game, role_of
from drako_env.evaluation.report import Report, interval, share, table
from drako_env.evaluation.runner import Pairing
from drako_env.evaluation.statistics import wilson
from drako_env.players import ladder, resolved
from drako_env.players.levels import in_words

SCRIPT = "tournament"


def play_standard(game: Game, options: argparse.Namespace) -> int:
    """Play the field, show its table, write it if asked; returns the exit code."""
    field, part = standard_field(game, options.agents), options.game
    part += "" if options.players is None else f" {options.players}"
    if options.write:
        around_section(options.write, SCRIPT, part)  # marks that are missing are said before anything is played
    options.out = options.out or Path("runs") / "standard" / part.replace(" ", "_")
    if code := play_series(game, neighbours(field, len(game.seats)), options, "standard"):
        return code
    text = standard_table(game, field, report_of(options.out), times_of(options.out))
    Console(width=140).print(Markdown(text))
    if options.write:
        write_section(options.write, SCRIPT, text, part)
        print(f"written: {options.write}")
    return 0


def standard_field(game: Game, agents: Sequence[str]) -> list[str]:
    """The players of the game's levels, or those given instead. Levels are played as what they stand for: when one is
    changed, the games of the others still count."""
    field = [resolved(agent, game) for agent in agents] or list(ladder(game))
    if len(set(field)) < max(2, len(field)):
        raise ValueError("give two or more different agents, or none for the levels of the game")
    return field


def neighbours(field: Sequence[str], seats: int) -> list[Pairing]:
    """Every player among those of the level below, on every seat."""
    tables = [(below,) * (seats - 1) + (above,) for below, above in pairwise(field)]
    return [pairing for around in tables for pairing in rotations(around)]


def rotations(around: Pairing) -> list[Pairing]:
    """The same players in the same order, everybody on every seat once."""
    return [around[turn:] + around[:turn] for turn in range(len(around))]


def standard_table(game: Game, field: Sequence[str], report: Report, milliseconds: dict[str, float]) -> str:
    """A line for every level: who it is, how strong against the level below, how long it thinks; and how many games
    say so."""
    roles = list(dict.fromkeys(role_of(seat) for seat in game.seats))
    rows = []
    for number, agent in enumerate(field):
        wins = [_won(report, role, agent, field[number - 1]) if number else "" for role in roles]
        spent = f"{milliseconds[agent]:.2f}" if agent in milliseconds else ""
        rows.append([str(number + 1), f"`{agent}`", in_words(agent), _rating(report, agent), *wins, spent])
    won = [f"as {role} against the level below" for role in roles]
    lines = table(["level", "player", "in words", "rating (95%)", *won, "ms a decision"], rows)
    return f"{lines}\n\n{min(pairing['games'] for pairing in report['pairings'])} games for every seating."


def _rating(report: Report, agent: str) -> str:
    """Over all roles: neighbours alone rarely tell an agent's strength in one from that in another."""
    if agent == report["agents"][0]:
        return "0"
    found = [rating for rating in report["ratings"] if rating["agent"] == agent]
    return "{:.0f} ({:.0f} to {:.0f})".format(*(fmean(r[key] for r in found) for key in ("elo", "low", "high")))


def _won(report: Report, role: str, agent: str, below: str) -> str:
    """How often it won alone among players of the level below."""
    met = [pairing for pairing in report["pairings"] if set(pairing["agents"]) == {agent, below}]
    seats = [(pairing["games"], name, seat) for pairing in met for name, seat in pairing["seats"].items()]
    alone = [(games, seat["wins"]) for games, name, seat in seats if role_of(name) == role and seat["agent"] == agent]
    games, wins = (sum(column) for column in zip(*alone, strict=True))
    return f"{share(wins / games)} ({interval(wilson(wins, games))})"
