"""How even is a game? Equal agents meet at several strengths, for every rules table given.

python scripts/balance.py --agents random heuristic ismcts:200 ismcts:2000 --games 1000
python scripts/balance.py --tables reconstructed my_deck.toml --agents ismcts:200 --games 300
python scripts/balance.py --resume --write            # put the tables into the game's RULES.md
"""

import sys
from importlib.resources import files
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from rich.console import Console
from rich.markdown import Markdown

from agents.series import chosen_game, fail, play_series, report_of, series_parser
from drako_env.evaluation.report import Report, endings, interval, lengths, share, table
from drako_env.games import make_game
from drako_env.players import make_player

STRENGTHS = ["random", "heuristic", "ismcts:200", "ismcts:2000"]
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


def write_section(path: Path, script: str, text: str) -> None:
    """Replace what stands between a script's marks in a RULES.md."""
    mark = BEGIN.format(script)
    before, begin, rest = path.read_text(encoding="utf-8").partition(mark)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path}: the marks {mark.strip()!r} and {END!r} are missing")
    path.write_text(f"{before}{begin}{text}\n{end}{after}", encoding="utf-8")


def main() -> int:
    """Play the mirrors of every table, show the section, write it if asked."""
    parser = series_parser(__doc__, games=200)
    parser.add_argument("--agents", nargs="+", default=STRENGTHS, metavar="AGENT")
    parser.add_argument("--tables", nargs="+", help="shipped names or paths (default: the game's own)")
    parser.add_argument("--write", action="store_true", help="write the section into the game's RULES.md")
    options = parser.parse_args()
    out, rules, reports = options.out or Path("runs/balance"), list(options.set), {}
    try:
        options.tables = options.tables or [make_game(options.game).rules_table()["name"]]
        names = [Path(name).stem for name in options.tables]
        if len(set(names)) < len(names):
            raise ValueError("two tables have the same file name")
        games = []
        for name in options.tables:
            options.set = [*rules, f"rules={name}"]
            games.append(chosen_game(options))
            for agent in options.agents:
                make_player(agent, games[-1])
            if (out / Path(name).stem / "games.jsonl").exists() and not options.resume:
                raise ValueError(f"{out / Path(name).stem} exists: add --resume to go on, or choose another --out")
        for name, game in zip(names, games, strict=True):
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
    except (ValueError, OSError) as error:
        return fail("balance", error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
