"""Leaf through a recorded game: here in the terminal, as a page, or as a film. It is verified first.

drako-env replay game.jsonl                    # step by step: Enter, b(ack), a number, q(uit)
drako-env replay game.jsonl --html game.html   # the analysis board as one self-contained page
drako-env replay game.jsonl --gif game.gif     # or --mp4 game.mp4
drako-env replay game.jsonl --seat all         # with every hand open
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from drako_env.cli.options import make_parser
from drako_env.replay import Replay, load, verify
from drako_env.runs import write
from drako_env.web.analysis_study import make_analyst
from drako_env.web.replay_page import Page, film, film_writer, html, pages


def leaf(every: list[Page], console: Console) -> None:
    """Step through in the terminal."""
    number = 0
    while True:
        show(every[number], f"{number + 1} of {len(every)}", console)
        word = console.input("[dim]Enter, b, a number, q > [/]").strip().lower()
        if word in ("q", "quit"):
            return
        if word.isdecimal():
            number = int(word[:9]) - 1
        else:
            number += -1 if word.startswith("b") else 1
        number = max(0, min(len(every) - 1, number))


def show(page: Page, where: str, console: Console) -> None:
    """One page."""
    console.rule(where)
    console.print(page.text, highlight=False, markup=False)
    console.print(f"{page.seat or 'end'}: [bold]{escape(page.decision)}[/]", highlight=False)
    for words, share in page.opinions:
        console.print(f"  {share:4.0%} {words}", highlight=False, markup=False)


def add_show_options(parser: argparse.ArgumentParser) -> None:
    """How to look at a game."""
    parser.add_argument("--seat", help="whose eyes to see it with; all: every hand open (default: whoever decides)")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write the analysis board as one self-contained page")
    parser.add_argument(
        "--quick", action="store_true", help="the page without what policy and search think of the game"
    )
    parser.add_argument("--gif", type=Path, metavar="FILE", help="write a film")
    parser.add_argument("--mp4", type=Path, metavar="FILE", help="write a film")


def show_game(replay: Replay, options: argparse.Namespace, console: Console) -> None:
    """Write what the options ask for, or leaf through it here."""
    films = [path for path in (options.gif, options.mp4) if path]
    for path in films:
        film_writer(path)  # what is missing is said before anything is drawn
    if options.html:
        write_page(replay, options, console)
    for path in films:
        with console.status(f"drawing {len(replay.decisions) + 1} pictures"):
            film(replay, path, options.seat)
    if written := [str(path) for path in (options.html, options.gif, options.mp4) if path]:
        console.print(f"written: {', '.join(written)}")
    else:
        leaf(list(pages(replay, options.seat)), console)


def write_page(replay: Replay, options: argparse.Namespace, console: Console) -> None:
    """The analysis board, after some thinking."""
    with console.status("") as status:
        analyst = None if options.quick else make_analyst(replay.make_game())
        status.update("drawing, and what the policy thinks")
        count = len(replay.decisions)
        told = lambda number: status.update(f"what the search thinks: {number + 1} of {count} decisions")  # noqa: E731
        page = html(replay, options.seat, analyst, told)
    write(options.html, page)


def main(argv: Sequence[str]) -> int:
    """Verify, then show."""
    parser = make_parser("replay", __doc__)
    parser.add_argument("file", type=Path)
    add_show_options(parser)
    options = parser.parse_args(argv)
    replay = load(options.file)
    verify(replay)
    show_game(replay, options, Console())
    return 0
