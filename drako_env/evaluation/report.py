"""What a set of played games says: figures as JSON, Markdown and a picture."""

from collections import Counter
from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from drako_env.engine.game import Game, role_of
from drako_env.evaluation.match import GameResult, match_score
from drako_env.evaluation.ratings import Table, bradley_terry, equilibrium, identified
from drako_env.evaluation.runner import Pairing, Played
from drako_env.evaluation.statistics import quantile, wilson
from drako_env.runs import write

ALL_ROLES = "any"

Cells = dict[Pairing, list[GameResult]]
Report = dict[str, Any]


def summarise(game: Game, pairings: Sequence[Pairing], games: Sequence[Played]) -> Report:
    """The figures, JSON-able, in the order of `pairings`. Whatever needs more than was played is left out."""
    cells: Cells = {pairing: [] for pairing in pairings}
    for played in games:
        cells[played.pairing].append(played.result)
    cells = {pairing: results for pairing, results in cells.items() if results}
    agents = list(dict.fromkeys(agent for pairing in cells for agent in pairing))
    report: Report = {
        "game": game.name,
        "games": len(games),
        "agents": agents,
        "pairings": [_pairing(game, pairing, results) for pairing, results in cells.items()],
    }
    if len(game.seats) == 2:
        report["matches"] = [_match(cells, a, b) for a, b in permutations(agents, 2) if {(a, b), (b, a)} <= set(cells)]
    if len(agents) > 1 and (results := _rated(game, agents, cells)):
        report["ratings"] = [vars(rating) for rating in bradley_terry(results)]
    if len(game.seats) == 2 and len(agents) > 1 and len(cells) == len(agents) ** 2:
        report["equilibrium"] = _equilibrium(game, agents, cells)
    return report


def _pairing(game: Game, pairing: Pairing, results: list[GameResult]) -> dict[str, Any]:
    seats = {}
    for seat, (name, agent) in enumerate(zip(game.seats, pairing, strict=True)):
        wins = sum(result.rewards[seat] > 0 for result in results)
        ends = list(wilson(wins, len(results)))
        seats[name] = {"agent": agent, "wins": wins, "rate": wins / len(results), "interval": ends}
    lengths = [result.decisions for result in results]
    return {
        "agents": list(pairing),
        "games": len(results),
        "different": len({result.course or result.number for result in results}),
        "seats": seats,
        "endings": dict(Counter(result.ending for result in results).most_common()),
        "decisions": {"median": quantile(lengths, 0.5), "5%": quantile(lengths, 0.05), "95%": quantile(lengths, 0.95)},
    }


def _match(cells: Cells, agent: str, other: str) -> dict[str, Any]:
    """Both legs of every deal that both pairings have played."""
    second = {result.number: result for result in cells[other, agent]}
    legs = [(leg, second[leg.number]) for leg in cells[agent, other] if leg.number in second]
    scores = [match_score(*pair) for pair in legs]
    return {
        "agents": [agent, other],
        "matches": len(scores),
        "won": scores.count(1.0),
        "drawn": scores.count(0.5),
        "lost": scores.count(0.0),
        "score": sum(scores) / max(1, len(scores)),
        "interval": list(wilson(sum(scores), len(scores))),
    }


def _rated(game: Game, agents: Sequence[str], cells: Cells) -> Table | None:
    """The results to rate agents by: by role, or over all roles if the pairings say no more, or nothing."""
    by_role = [role_of(seat) for seat in game.seats]
    tables = (_table(agents, roles, cells) for roles in (by_role, [ALL_ROLES] * len(by_role)))
    return next((table for table in tables if identified(table)), None)


def _table(agents: Sequence[str], roles: Sequence[str], cells: Cells) -> Table:
    deals = 1 + max(result.number for results in cells.values() for result in results)
    wins = np.zeros((len(cells), len(roles), deals))
    for i, results in enumerate(cells.values()):
        for result in results:
            best = np.array(result.rewards) == max(result.rewards)
            wins[i, :, result.number] = best / best.sum()
    pairings = np.array([[agents.index(agent) for agent in pairing] for pairing in cells])
    return Table(agents, roles, pairings, wins)


def _equilibrium(game: Game, agents: Sequence[str], cells: Cells) -> dict[str, Any]:
    """How a player of each seat would mix the agents; `value` is the first seat's win rate then."""
    rates = [[np.mean([r.rewards[0] > 0 for r in cells[row, column]]) for column in agents] for row in agents]
    found = equilibrium(np.array(rates))
    mixtures = zip(game.seats, (found.rows, found.columns), strict=True)
    shares = {seat: dict(zip(agents, np.abs(mixture.round(6)).tolist(), strict=True)) for seat, mixture in mixtures}
    return {"mixtures": shares, "value": round(found.value, 6)}


def markdown(report: Report) -> str:
    """The figures as tables for people."""
    parts = [f"# {report['game']}: {report['games']} games", _pairings_table(report), *_repeated(report)]
    if report.get("matches"):
        parts += ["## Matches of two legs, sides swapped", _matches_table(report)]
    elif len(report["pairings"]) > 1:
        parts += ["## By agent", _agents_table(report)]
    if "ratings" in report:
        parts += ["## Ratings (Elo above the first agent, by role)", _ratings_table(report)]
    if "equilibrium" in report:
        parts += ["## Equilibrium of the pay-offs", _equilibrium_table(report)]
    return "\n\n".join(parts) + "\n"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, its columns as wide as needed."""
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    lines = [header, ["-" * width for width in widths], *rows]
    return "\n".join("| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines)


def share(rate: float) -> str:
    """A share in per cent."""
    return f"{rate:.1%}"


def interval(ends: Sequence[float]) -> str:
    """Both ends in per cent."""
    return f"{ends[0]:.1%} - {ends[1]:.1%}"


def times_table(milliseconds: Mapping[str, float]) -> str:
    """How long the agents took; no part of a report, which is the same on every machine."""
    return table(["agent", "ms a decision"], [[agent, f"{spent:.2f}"] for agent, spent in milliseconds.items()])


def endings(pairing: Report) -> str:
    """How its games ended, most frequent first."""
    return ", ".join(f"{ending} {share(n / pairing['games'])}" for ending, n in pairing["endings"].items())


def lengths(pairing: Report) -> str:
    """How many decisions its games took."""
    return "{median} ({5%}-{95%})".format(**pairing["decisions"])


def _pairings_table(report: Report) -> str:
    """Of two seats the first one's wins, of more all of them."""
    names = list(report["pairings"][0]["seats"])
    shown = names[:1] if len(names) == 2 else names
    rows = []
    for pairing in report["pairings"]:
        seats = [pairing["seats"][name] for name in shown]
        wins = [f"{share(seat['rate'])} ({interval(seat['interval'])})" for seat in seats]
        rows.append([*pairing["agents"], str(pairing["games"]), *wins, lengths(pairing), endings(pairing)])
    wins = [f"{name} wins (95%)" for name in shown]
    return table([*names, "games", *wins, "decisions (5%-95%)", "endings"], rows)


def _repeated(report: Report) -> list[str]:
    """A warning where games went the same way: chance has less to say then than the intervals think."""
    few = [pairing for pairing in report["pairings"] if pairing["different"] < pairing["games"]]
    found = [f"{' - '.join(pairing['agents'])}: {pairing['different']} of {pairing['games']}" for pairing in few]
    return [f"Not all games differ, so that these intervals are too narrow: {'; '.join(found)}."] if few else []


def _agents_table(report: Report) -> str:
    """Every agent over all the seats it took."""
    rows = []
    for agent in report["agents"]:
        taken = [(p["games"], seat) for p in report["pairings"] for seat in p["seats"].values()]
        wins = sum(seat["wins"] for _, seat in taken if seat["agent"] == agent)
        games = sum(count for count, seat in taken if seat["agent"] == agent)
        rows.append([agent, str(games), share(wins / games), interval(wilson(wins, games))])
    return table(["agent", "seats taken", "won", "95% interval"], rows)


def _matches_table(report: Report) -> str:
    rows = [
        [
            *match["agents"],
            str(match["matches"]),
            f"{match['won']}/{match['drawn']}/{match['lost']}",
            share(match["score"]),
            interval(match["interval"]),
        ]
        for match in report["matches"]
    ]
    return table(["agent", "against", "matches", "won/drawn/lost", "score", "95% interval"], rows)


def _ratings_table(report: Report) -> str:
    rows = [
        [rating["role"], rating["agent"], f"{rating['elo']:+.0f}", f"{rating['low']:+.0f} to {rating['high']:+.0f}"]
        for rating in report["ratings"]
    ]
    return table(["role", "agent", "rating", "95% interval"], rows)


def _equilibrium_table(report: Report) -> str:
    found = report["equilibrium"]
    first = next(iter(found["mixtures"]))
    rows = [
        [agent, *(share(found["mixtures"][seat][agent]) for seat in found["mixtures"])] for agent in report["agents"]
    ]
    mixtures = table(["agent", *found["mixtures"]], rows)
    return f"{mixtures}\n\n{first} then wins {share(found['value'])}."


def heat_map(report: Report, path: Path) -> None:
    """The win rates of the first seat, agent against agent, as a picture (two seats)."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("a heat map needs Matplotlib: pip install 'drako-env[evaluation]'") from error
    agents, (first, second) = report["agents"], report["pairings"][0]["seats"]
    rates = np.full((len(agents), len(agents)), np.nan)
    figure = Figure(figsize=(2.6 + 1.1 * len(agents), 2.0 + 0.8 * len(agents)), layout="constrained")
    axes = figure.subplots()
    for pairing in report["pairings"]:
        row, column = (agents.index(agent) for agent in pairing["agents"])
        rate, (low, high) = pairing["seats"][first]["rate"], pairing["seats"][first]["interval"]
        rates[row, column] = rate
        colour = "white" if abs(rate - 0.5) > 0.32 else "black"
        label = f"{rate:.0%}\n{low:.0%}-{high:.0%}"
        axes.text(column, row, label, ha="center", va="center", color=colour, fontsize=9)
    image = axes.imshow(rates, cmap="RdBu_r", vmin=0, vmax=1)  # red: the first seat's, as in the pictures
    axes.grid(visible=False)
    axes.set_xticks(range(len(agents)), agents, rotation=25, ha="right")
    axes.set_yticks(range(len(agents)), agents)
    axes.set_xlabel(second)
    axes.set_ylabel(first)
    axes.set_title(f"{report['game']}: how often {first} wins")
    figure.colorbar(image, ax=axes, format=lambda share, _: f"{share:.0%}")
    picture = BytesIO()
    figure.savefig(picture, dpi=130, metadata={"Software": None})
    write(path, picture.getvalue())
