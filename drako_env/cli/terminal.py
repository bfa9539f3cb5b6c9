"""A game against the machine in the terminal. It is written down after every decision, so that it can be left at any
time and goes on from its file."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.prompt import Prompt

from drako_env.cli.options import INTERRUPTED
from drako_env.engine.game import Game, role_of
from drako_env.engine.position import Position
from drako_env.engine.view import Agent
from drako_env.evaluation.match import agent_seed
from drako_env.players import make_player
from drako_env.replay import ReplayError, load, positions, record, save
from drako_env.web.session import PERSON
from drako_env.web.words import Words

ADVISER = "ismcts:1000"
HINTS = 5
WIDTH = 80


@dataclass
class Table:
    """A game, who sits where, and what was decided."""

    game: Game
    players: Sequence[str]
    """By seat: one person, the names of the others."""
    seed: int
    path: Path
    """Where it is written down."""
    practice: bool = False
    actions: list[int] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    """What happened, in the words for the person."""

    def __post_init__(self) -> None:
        self._agents = [None if name == PERSON else make_player(name, self.game) for name in self.players]
        self.seat, self.words = self.players.index(PERSON), Words(self.game)
        self._go_to(list(self.actions))

    @classmethod
    def resumed(cls, path: Path, practice: bool) -> "Table":
        """The game of a file as it was left; `ValueError` if there is none to go on with."""
        replay = load(path, unfinished=True)
        if replay.result is not None:
            raise ReplayError(f"{path}: the game is over; drako-env replay {path} leafs through it")
        if replay.header.position is not None:
            raise ReplayError(f"{path}, line 1: it began in a position set up by hand: go on with it on the page")
        game, players = replay.make_game(), list(replay.header.seats.values())
        if players.count(PERSON) != 1:
            raise ReplayError(f"{path}, line 1: {players.count(PERSON)} persons play; the terminal is for one")
        for _ in positions(replay, game):
            pass  # names the line that breaks the rules
        actions = [game.actions.index(decision.action) for decision in replay.decisions]
        return cls(game, players, replay.header.seed, path, practice, actions)

    def _go_to(self, actions: Sequence[int]) -> None:
        """Play from the deal; agents begin anew."""
        self.position, self.actions, self.told = Position(self.game).deal(self.seed), [], []
        for action in actions:
            self._play(action)
        for seat, agent in enumerate(self._agents):
            if agent is not None:
                agent.reset(agent_seed(self.seed, seat) + len(actions))

    def play(self, action: int) -> None:
        """One decision, written down."""
        self._play(action)
        self._keep()

    def _play(self, action: int) -> None:
        game, before, seat = self.game, self.position.state.copy(), self.position.agent
        if not self.position.play(action):
            raise ValueError(f"{self.players[seat]} chose {action!r}, which is illegal")
        words = self.words.told(before, action, self.position.state, self.seat)["text"]
        self.actions.append(action)
        drawn = game.chance.drawn(before, action, self.position.state) if seat == self.seat else {}
        if cards := _listed(drawn.get(role_of(game.seats[seat]), {})):
            words += f": {cards}"
        self.told.append(f"[bold]{nice(game.seats[seat])}[/] {escape(words)}")

    def _keep(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        save(self.path, record(self.game, self.seed, self.players, self.actions, unfinished=True))

    def undo(self) -> bool:
        """Back to the person's last decision; False if there is none."""
        position, mine = Position(self.game).deal(self.seed), []
        for number, action in enumerate(self.actions):
            mine += [number] if position.agent == self.seat else []
            position.play(action)
        if mine:
            self._go_to(self.actions[: mine[-1]])
            self._keep()
        return bool(mine)

    def decider(self) -> Agent | None:
        """Whoever is to decide; `None`: the person."""
        return self._agents[self.position.agent]

    def choices(self) -> dict[int, str]:
        """The legal actions in words."""
        scene = self.game.scene(self.position.state, self.seat)
        return {action: self.words.choice(scene, action)["text"] for action in self.position.legal()}

    def hints(self) -> list[tuple[int, float]]:
        """What an adviser would choose for the person, best first, with its shares."""
        adviser: Any = make_player(ADVISER, self.game)
        adviser.reset(len(self.actions))
        adviser.act(self.position.view())
        weights = adviser.opinions()[:HINTS]
        total = sum(weight for _, weight in adviser.opinions()) or 1
        return [(action, weight / total) for action, weight in weights]


def nice(seat: str) -> str:
    """`player_1` -> `player 1`, `dragon_0` -> `dragon`."""
    return seat.removesuffix("_0") if role_of(seat) != "player" else seat.replace("_", " ")


def _listed(cards: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" if count > 1 else name for name, count in cards.items())


def play(table: Table, console: Console) -> int:
    """The game until its end, or until the person leaves; returns the exit code."""
    console.width = min(console.width, WIDTH)
    try:
        finished = _play_on(table, console)
    except (KeyboardInterrupt, EOFError) as error:
        console.print()
        _say_how_to_go_on(table, console)
        return INTERRUPTED if isinstance(error, KeyboardInterrupt) else 0
    if finished:
        console.print(f"replay: {table.path}  (drako-env replay leafs through it)", soft_wrap=True)
    else:
        _say_how_to_go_on(table, console)
    return 0


def _say_how_to_go_on(table: Table, console: Console) -> None:
    if table.actions:
        console.print(f"The game is kept. On with it: drako-env play --resume {table.path}", soft_wrap=True)


def _play_on(table: Table, console: Console) -> bool:
    """True at the end of the game, False if the person leaves before."""
    shown = 0
    while not table.position.over:
        shown = _tell(table, shown, console)
        agent = table.decider()
        if agent is None:
            console.print(f"\n{position_text(table)}", highlight=False, markup=False)
            if not _decide(table, console):
                return False
            shown = min(shown, len(table.told))
        else:
            with console.status(f"{nice(table.game.seats[table.position.agent])} thinks …"):
                action = agent.act(table.position.view())
            table.play(action)
    _tell(table, shown, console)
    console.print(position_text(table), highlight=False, markup=False)
    return True


def _tell(table: Table, shown: int, console: Console) -> int:
    for line in table.told[shown:]:
        console.print(line, highlight=False)
    return len(table.told)


def position_text(table: Table) -> str:
    """What the person sees, in lines of at most eighty characters, with what the own cards can do."""
    scene = table.game.scene(table.position.state, table.seat)
    lines = [*table.game.text(scene).splitlines(), *card_lines(table.words.around(scene)["cards"])]
    wrapped = (textwrap.wrap(line, WIDTH, subsequent_indent="    ", break_on_hyphens=False) or [""] for line in lines)
    return "\n".join(line for group in wrapped for line in group)


def card_lines(piles: Sequence[Mapping[str, Any]]) -> list[str]:
    """The cards of the person's hand, where a game has cards: what each can be played as."""
    return [f"  {card['name']}: {card['text']}" for pile in piles[:1] for card in pile["cards"]]


def _decide(table: Table, console: Console) -> bool:
    """One decision of the person; False to leave."""
    choices = table.choices()
    legal = list(choices)
    _list_choices(list(choices.values()), console)
    commands = f"1 to {len(legal)}, (h)int{', (u)ndo' if table.practice else ''}, (q)uit"
    while True:
        word = Prompt.ask(commands, console=console).strip().lower()
        if word in ("q", "quit"):
            return False
        if word in ("h", "hint"):
            _advise(table, choices, console)
        elif word in ("u", "undo"):
            if table.practice and table.undo():
                return True
            console.print("nothing to take back" if table.practice else "moves are taken back with --practice only")
        elif word.isdecimal() and len(word) < 5 and 1 <= int(word) <= len(legal):
            table.play(legal[int(word) - 1])
            return True
        else:
            console.print(f"{word[:20]!r} is no answer here: type {commands}", markup=False, highlight=False)


def _list_choices(choices: Sequence[str], console: Console) -> None:
    """The choices in as many columns as fit."""
    words = [f"{number:>2} {choice}" for number, choice in enumerate(choices, start=1)]
    width = max(map(len, words)) + 3
    columns = max(1, console.width // width)
    for first in range(0, len(words), columns):
        row = "".join(word.ljust(width) for word in words[first : first + columns])
        console.print(row.rstrip(), highlight=False, markup=False)


def _advise(table: Table, choices: Mapping[int, str], console: Console) -> None:
    with console.status("the adviser thinks …"):
        hints = table.hints()
    numbers = {action: number for number, action in enumerate(choices, start=1)}
    for action, share in hints:
        console.print(f"  {share:4.0%}  {numbers[action]:>2} {choices[action]}", highlight=False, markup=False)
