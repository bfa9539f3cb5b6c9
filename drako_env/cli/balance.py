"""How even is a game? Equal players meet at several strengths, for every rules table given.

drako-env balance --agents random heuristic ismcts:200 ismcts:2000 --games 1000
drako-env balance --tables reconstructed my_deck.toml --agents ismcts:200 --games 300
drako-env balance --resume --write            # put the tables into the game's RULES.md
"""

import argparse
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown

from drako_env.cli.options import chosen_game
from drako_env.cli.series import play_series, report_of, series_parser
from drako_env.engine.game import Game
from drako_env.evaluation.report import Report, endings, interval, lengths, share, table
from drako_env.games import make_game
from drako_env.players import make_player

STRENGTHS = ("random", "heuristic", "ismcts:200", "ismcts:2000")
BEGIN, END = "<!-- written by scripts/{}.py -->\n", "<!-- end -->"


def section(reports: dict[str, Report]) -> str:
    """The figures of every table and strength as one Markdown table: how often the last seat wins, or every seat where
    there are more than two."""
    every = list(next(iter(reports.values()))["pairings"][0]["seats"])
    shown = every if len(every) > 2 else every[-1:]
    rows = []
    for name, report in reports.items():
        for pairing in report["pairings"]:
            seats = [pairing["seats"][seat] for seat in shown]
            rates = [f"{share(seat['rate'])} ({interval(seat['interval'])})" for seat in seats]
            rows.append([name, pairing["agents"][0], str(pairing["games"]), *rates, lengths(pairing), endings(pairing)])
    wins = [f"{seat} wins (95%)" for seat in shown]
    return table(["table", "all seats", "games", *wins, "decisions (5%-95%)", "endings"], rows)


def write_section(path: Path, script: str, text: str, part: str = "") -> None:
    """Replace what stands between a script's marks in a Markdown file; `part` tells several of a script apart."""
    before, after = around_section(path, script, part)
    path.write_text(f"{before}{text}\n{after}", encoding="utf-8")


def around_section(path: Path, script: str, part: str = "") -> tuple[str, str]:
    """What stands before and after a section, the marks included; `ValueError` if there are none."""
    mark = BEGIN.format(script).replace(" -->", f", {part} -->" if part else " -->")
    before, begin, rest = path.read_text(encoding="utf-8").partition(mark)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path}: the marks {mark.strip()!r} and {END!r} are missing")
    return before + begin, end + after


def chosen_games(options: argparse.Namespace, out: Path) -> dict[str, Game]:
    """The game under every table, by the table's name; `ValueError` if one of them cannot be played."""
    options.tables = options.tables or [make_game(options.game).rules_table()["name"]]
    games, rules = {}, list(options.set)
    for table_name in options.tables:
        name = Path(table_name).stem
        options.set = [*rules, f"rules={table_name}"]
        if name in games:
            raise ValueError("two tables have the same file name")
        games[name] = chosen_game(options)
        for agent in options.agents:
            make_player(agent, games[name])
        if (out / name / "games.jsonl").exists() and not options.resume:
            raise ValueError(f"{out / name} exists: add --resume to go on, or choose another --out")
    return games


def main(argv: Sequence[str]) -> int:
    """Play the mirrors of every table, show the section, write it if asked."""
    parser = series_parser("balance", __doc__, games=200)
    parser.add_argument(
        "--agents", nargs="+", default=STRENGTHS, metavar="PLAYER", help="default: " + " ".join(STRENGTHS)
    )
    parser.add_argument("--tables", nargs="+", help="shipped names or paths (default: the game's own)")
    parser.add_argument("--write", action="store_true", help="write the section into the game's RULES.md")
    options = parser.parse_args(argv)
    out, reports = options.out or Path("runs/balance"), {}
    for name, game in chosen_games(options, out).items():
        options.out = out / name
        pairings = [(agent,) * len(game.seats) for agent in options.agents]
        if code := play_series(game, pairings, options, "balance"):
            return code
        reports[name] = report_of(options.out)
    text = section(reports)
    Console(width=140).print(Markdown(text))
    if options.write:
        path = Path(str(files(type(game).__module__.rsplit(".", 1)[0]) / "RULES.md"))
        write_section(path, "balance", text)
        print(f"written: {path}")
    return 0
