"""What commands share: the game on the command line, and errors as one clear line."""

import argparse
import sys
import tomllib
from typing import Any

from drako_env.engine.game import Game
from drako_env.games import GAMES, make_game
from drako_env.players import KNOWN
from drako_env.runs import FULL

PLAYERS_HELP = "players:\n" + "\n".join(f"  {name:17} {what}" for name, what in KNOWN.items())
INTERRUPTED = 130
NO_ROOM = 1
USAGE = 2


def make_parser(command: str, description: str | None, players: bool = False) -> argparse.ArgumentParser:
    """A parser that shows the docstring of its command as it is written, and if asked for a list of all players."""
    return argparse.ArgumentParser(
        f"drako-env {command}",
        description=description,
        epilog=PLAYERS_HELP if players else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_game_options(parser: argparse.ArgumentParser) -> None:
    """Which game, under which rules."""
    parser.add_argument("--game", default="drako", help=f"one of {', '.join(GAMES)} (default: drako)")
    parser.add_argument("--players", type=int, metavar="N", help="how many, where a game lets one choose")
    parser.add_argument(
        "--set", action="append", default=[], metavar="OPTION=VALUE", help="a rule option, e.g. rules=my.toml"
    )


def chosen_game(options: argparse.Namespace) -> Game:
    """The game of `--game` with its options; a value that its option refuses is tried as a text (edition=2019)."""
    words = [name_and_text(word, "--set") for word in options.set]
    if options.players is not None:
        words.append(("num_players", str(options.players)))
    try:
        return make_game(options.game, **{name: toml_value(text) for name, text in words})
    except ValueError as error:
        try:
            return make_game(options.game, **dict(words))
        except ValueError:
            raise error from None


def name_and_text(word: str, option: str) -> tuple[str, str]:
    """`exchange=false` in its two parts."""
    name, equals, text = word.partition("=")
    if not equals:
        raise ValueError(f"{option} {word}: expected NAME=VALUE")
    return name, text


def toml_value(text: str) -> Any:
    """A value of TOML; whatever is none is a text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def fail(program: str, error: Exception, go_on: str = "to go on: the same command with --resume") -> int:
    """One clear line; returns the exit code. `go_on` is for a disk that was full and has room again."""
    if isinstance(error, OSError) and error.errno in FULL:
        file = f"{error.filename}: " if error.filename else ""
        print(f"{program}: {file}{error.strerror}; make room on the disk; {go_on}", file=sys.stderr)
        return NO_ROOM
    print(f"{program}: {error}", file=sys.stderr)
    return USAGE
