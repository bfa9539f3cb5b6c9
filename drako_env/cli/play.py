"""Play against the machine, on a page in the browser or here in the terminal.

drako-env play --web --browser                             # a page on http://127.0.0.1:8000, opened in the browser
drako-env play                                             # in the terminal: you are the dragon
drako-env play --opponent level:3                          # levels go from 1 to 8
drako-env play --game golden_dragon --players 3 --seat player_1 --opponent ismcts:1s
drako-env play --resume runs/play/GAME.jsonl               # on with a game that was left (q or Ctrl-C keep it)
"""

import argparse
import secrets
import sys
import threading
import time
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.prompt import Confirm

from drako_env.cli import terminal
from drako_env.cli.options import add_game_options, chosen_game, make_parser
from drako_env.cli.terminal import ADVISER, Table
from drako_env.engine.game import Game, role_of
from drako_env.games import GAMES, make_game
from drako_env.players import make_player
from drako_env.players.levels import NAMES as LEVELS
from drako_env.runs import claimed
from drako_env.web.session import PERSON

if TYPE_CHECKING:
    from drako_env.web.setup import Preset

OPPONENTS = ("heuristic", "ismcts:200", "ismcts:2000", "random")
POLICY = "policy"
KEEP = "runs/page"
OPEN_TO_OTHERS = (
    "Warning: everybody in the network can open this page, play on it and let this machine think; nothing is encrypted."
    " Without --host it is for this machine only."
)


def opponents_of(*games: Game) -> list[str]:
    """Whom one can choose, the default first: the learnt policy where one comes with all of these games and their
    rules."""
    others = list(OPPONENTS)
    with suppress(ValueError):
        for game in games:
            make_player(POLICY, game)
        others.insert(0, POLICY)
    return [others[0], *LEVELS, *others[1:]]


def page_games(name: str) -> list[Game]:
    """A game for every number of players: the page lets one choose it."""
    counts = GAMES[name].options.get("num_players")
    return [make_game(name, num_players=count) for count in counts] if counts else [make_game(name)]


def serve(options: argparse.Namespace) -> int:
    """The page."""
    from drako_env.web import listen
    from drako_env.web.server import make_app

    preset, added = page_preset(options)
    folder = Path(options.keep) if options.keep else None
    with kept_in(folder):
        listening = listen.listen(options.host, options.port)
        opponents = {name: opponents_of(*page_games(name)) for name in GAMES}
        opponents[preset.name] = list(dict.fromkeys([*opponents[preset.name], *added]))
        hosts, seconds = [*listen.host_names(options.host, listening), *options.name], options.expiry * 60
        app = make_app(make_player, opponents, ADVISER, hosts, options.sessions, seconds, folder=folder, preset=preset)
        address = listen.url(listening)
        if listen.for_others(listening):
            print(OPEN_TO_OTHERS, file=sys.stderr, flush=True)
        print(f"Play on {address}  (Ctrl-C stops the server)", flush=True)
        if options.browser:
            threading.Thread(target=webbrowser.open, args=[address]).start()
        listen.serve(app, listening)
    return 0


@contextmanager
def kept_in(folder: Path | None) -> Iterator[None]:
    """The folder in which games are kept is for one server alone."""
    try:
        with claimed(folder) if folder else nullcontext():
            yield
    except BlockingIOError:
        says = "another server keeps its games there; stop it, or choose another --keep ('': nowhere)"
        raise BlockingIOError(f"{folder}: {says}") from None


def page_preset(options: argparse.Namespace) -> tuple["Preset", list[str]]:
    """What the page offers first, and the agents that the command line adds; `ValueError` for what does not exist."""
    from drako_env.web.setup import Preset

    game, added = chosen_game(options), [*options.agent, *([options.opponent] if options.opponent else [])]
    for spec in added:
        make_player(spec, game)
    changed = bool(options.set or options.players)
    sits = bool(changed or added or options.seat)
    players = chosen_players(game, options) if sits else []
    return Preset(options.game.removesuffix("_v0"), game if changed else None, tuple(players), options.seed), added


def chosen_players(game: Game, options: argparse.Namespace) -> list[str]:
    """The person on a seat, the opponent on all others."""
    seat = options.seat or game.seats[0]
    named = [name for name in game.seats if seat in (name, role_of(name))]
    if not named:
        raise ValueError(f"--seat {seat}: expected one of {', '.join(game.seats)}")
    opponent = options.opponent or opponents_of(game)[0]
    return [PERSON if name == named[0] else opponent for name in game.seats]


def play_here(options: argparse.Namespace) -> int:
    """Games in the terminal, one after the other."""
    console = Console()
    if options.resume:
        table = Table.resumed(options.resume, options.practice)
    else:
        game = chosen_game(options)
        seed = secrets.randbits(63) if options.seed is None else options.seed
        table = Table(game, chosen_players(game, options), seed, new_path(), options.practice)
    while True:
        code = terminal.play(table, console)
        if not table.position.over or not Confirm.ask("another game", console=console, default=False):
            return code
        table = Table(table.game, table.players, secrets.randbits(63), new_path(), table.practice)


def new_path() -> Path:
    """Where the next game is written down."""
    return Path("runs") / "play" / time.strftime("%Y-%m-%d-%H%M%S.jsonl")


def make_play_parser() -> argparse.ArgumentParser:
    """In the terminal, or a page on which everything is chosen."""
    parser = make_parser("play", __doc__, players=True)
    add_game_options(parser)
    parser.add_argument("--seat", help="yours (default: the first)")
    parser.add_argument("--opponent", metavar="PLAYER", help="default: the learnt policy where there is one")
    parser.add_argument("--practice", action="store_true", help="moves can be taken back")
    parser.add_argument("--seed", type=int, help="of the first deal (default: by chance)")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="go on with a game that was left in the terminal")
    page = parser.add_argument_group("the page")
    page.add_argument(
        "--web", action="store_true", help="serve a page instead; what is given above is chosen there at first"
    )
    page.add_argument("--browser", action="store_true", help="open it")
    page.add_argument("--host", default="127.0.0.1", help="where it is served; 0.0.0.0 for the whole network")
    page.add_argument("--port", type=int, default=8000, help="default: 8000; 0: any that is free")
    page.add_argument(
        "--name", action="append", default=[], help="a further name by which browsers call this machine (mybox.lan)"
    )
    page.add_argument(
        "--agent", action="append", default=[], metavar="PLAYER", help="one more that can be chosen in this --game"
    )
    page.add_argument(
        "--keep", default=KEEP, metavar="FOLDER", help=f"where games are kept (default: {KEEP}; '': nowhere)"
    )
    page.add_argument("--sessions", type=int, default=200, help="most games at once (default: 200; 40 of one address)")
    page.add_argument("--expiry", type=float, default=60, help="minutes after which a left game leaves the memory")
    return parser


def main(argv: Sequence[str]) -> int:
    """The page, or the terminal."""
    options = make_play_parser().parse_args(argv)
    if options.web:
        return serve(options)
    return play_here(options)
