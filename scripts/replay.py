"""Leaf through a recorded game: here in the terminal, as a page, or as a film. It is verified first.

python scripts/replay.py game.jsonl                    # step by step: Enter, b(ack), a number, q(uit)
python scripts/replay.py game.jsonl --html game.html   # one self-contained page with a slider
python scripts/replay.py game.jsonl --gif game.gif     # or --mp4 game.mp4
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from rich.console import Console
from rich.markup import escape

from agents.series import fail
from drako_env import replay as replays
from drako_env.web.book import Page, film, html, pages


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


def main() -> int:
    """Verify, then show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seat", help="whose eyes to see it with (default: whoever decides)")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write one self-contained page")
    parser.add_argument("--gif", type=Path, metavar="FILE", help="write a film")
    parser.add_argument("--mp4", type=Path, metavar="FILE", help="write a film")
    options, console = parser.parse_args(), Console()
    try:
        replay = replays.load(options.file)
        replays.verify(replay)
        if options.html:
            options.html.write_text(html(replay, options.seat), encoding="utf-8")
        for path in filter(None, (options.gif, options.mp4)):
            with console.status(f"drawing {len(replay.decisions) + 1} pictures"):
                film(replay, path, options.seat)
        written = [str(path) for path in (options.html, options.gif, options.mp4) if path]
        if written:
            console.print(f"written: {', '.join(written)}")
        else:
            leaf(list(pages(replay, options.seat)), console)
    except (ValueError, OSError, ImportError) as error:
        return fail("replay", error)
    except (KeyboardInterrupt, EOFError):
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
