"""A session: games between people on a page and agents. What leaves it is what the person who looks may know."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from drako_env.engine.game import Game, role_of, rules_digest
from drako_env.engine.position import Position
from drako_env.engine.view import Agent
from drako_env.evaluation.match import agent_seed
from drako_env.render import OPEN
from drako_env.replay import begun, encode, record
from drako_env.web.words import Words

PERSON = "person"
HINTS = 5
LEGS = 2

AgentMaker = Callable[[str, Game], Agent]


class RefusedError(Exception):
    """What was asked for cannot be done now; nothing has changed."""


class Journal(Protocol):
    """Where a session is written down, so that it is there again after a restart."""

    def begin(self, header: dict[str, Any], actions: Sequence[int]) -> None:
        """A game with its decisions so far."""

    def add(self, action: int) -> None:
        """One more decision."""

    def finish(self, replay: bytes) -> str:
        """A game that is over. Returns the name under which it is kept."""


@dataclass(frozen=True)
class Event:
    """A decision as everybody at the session was told of it."""

    seat: int
    lines: tuple[dict[str, Any], ...]
    """What every seat may know of it, then what all may."""
    drawn: dict[str, Any]
    """What chance brought, by player."""


@dataclass(frozen=True)
class SoFar:
    """A game as far as it has gone, with every hidden card: for whoever makes a study of what some seat may see."""

    game: Game
    seed: int
    begin: Mapping[str, Any] | None
    players: tuple[str, ...]
    states: list[Any]
    actions: list[int]
    drawn: list[dict[str, Any]]


class Session:
    """Games under way, one after the other. Methods may be called from several threads; each is all or nothing.

    Whoever takes part is a participant, numbered by the seat of the first game: with every rematch that swaps sides,
    participants move on by one seat."""

    def __init__(
        self,
        game: Game,
        players: Sequence[str],
        make_player: AgentMaker,
        seed: int,
        practice: bool,
        begin: Mapping[str, Any] | None = None,
    ) -> None:
        self.game, self.players, self.practice, self.begin = game, tuple(players), practice, begin
        """`begin`: the position in which every game begins, if it is not dealt."""
        self.analysis = False
        """Whether people may study their side of the game under way although others play."""
        self.lock = threading.RLock()
        self.thinking = 0.0
        """Seconds that agents have thought here."""
        self.rotation = 0
        self.games: list[dict[str, Any]] = []
        """The results so far, by participant."""
        self.links: dict[str, int] = {}
        """Secrets of participants that have a link of their own; without any, all people sit before one page."""
        self.journal: Journal | None = None
        self.finished = ""
        """The name under which the game that is over is kept."""
        self.kept = True
        self._words, self._changes, self._thinks = Words(game), 0, False
        self._make_player, self._seed = make_player, seed
        self._agents = [None if player == PERSON else make_player(player, game) for player in players]
        self._deal()

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat, player in enumerate(self.players) if player == PERSON]

    def _deal(self) -> None:
        self._position = begun(self.game, self._seed, self.begin)
        self._reset_agents(0)
        self._actions: list[int] = []
        self._events: list[Event] = []
        self._before: list[Any] = []
        self.finished = ""

    def _reset_agents(self, number: int) -> None:
        for seat, agent in enumerate(self._agents):
            if agent is not None:
                agent.reset(agent_seed(self._seed, seat) + number)

    # Keeping

    def header(self) -> dict[str, Any]:
        """All that is needed to go on with the session later, but for the decisions of its game."""
        return {
            "game": self.game.name,
            "rules": self.game.rules_table(),
            "digest": rules_digest(self.game),
            "players": list(self.players),
            "practice": self.practice,
            "seed": self._seed,
            "rotation": self.rotation,
            "games": self.games[:-1] if self.over else self.games,
            "links": self.links,
            "finished": self.finished,
            "position": self.begin,
            "analysis": self.analysis,
        }

    def restore(self, header: dict[str, Any], actions: Sequence[int]) -> None:
        """Go on where a session was; `ValueError` if its decisions do not fit the rules."""
        self.rotation, self.games, self.links = header["rotation"], list(header["games"]), dict(header["links"])
        self.follow(actions)
        self.finished, self.analysis = header["finished"], header["analysis"]

    def follow(self, actions: Sequence[int]) -> None:
        """Decisions that were made elsewhere; `ValueError` if they do not fit the rules."""
        for action in actions:
            if self.over or not 0 <= action < len(self.game.actions) or not self._position.mask[action]:
                raise ValueError(f"decision {self.number + 1}: {action} is not legal")
            self._apply(action)
        self._reset_agents(self.number)

    def keep(self, journal: Journal) -> None:
        """Write the session down from now on."""
        self.journal = journal
        self._write(lambda: journal.begin(self.header(), self._actions))

    def _write(self, write: Callable[[], None]) -> None:
        """A full disk ends no game, but the page says that it is not kept."""
        try:
            write()
        except OSError:
            self.kept = False

    # Playing

    @property
    def number(self) -> int:
        """How many decisions were made."""
        return len(self._actions)

    @property
    def version(self) -> str:
        """Changes whenever anything does."""
        return f"{len(self.games)}.{self.number}.{self._changes}"

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._position.over

    @property
    def closed(self) -> bool:
        """Whether hands are closed: people play."""
        return bool(self.people) and not self.over

    @property
    def idle(self) -> bool:
        """Whether nobody is at work on it."""
        free = not self._thinks and self.lock.acquire(blocking=False)
        if free:
            self.lock.release()
        return free

    def seat_of(self, participant: int) -> int:
        """Where a participant sits now."""
        return (participant + self.rotation) % len(self.players)

    def play(self, number: int, action: int, seat: int | None = None) -> None:
        """A person's decision, the `number`-th of the game (so that a request sent twice plays once). `seat`: only if
        it is that seat's."""
        with self.lock:
            self._expect(number)
            self._expect_own(seat)
            if not 0 <= action < len(self.game.actions) or not self._position.mask[action]:
                raise RefusedError(f"action {action} is not legal now")
            self._decide(action)

    def advance(self, number: int) -> None:
        """An agent's decision. While it thinks, the session can be looked at and changed; then the thought is lost."""
        with self.lock:
            self._expect(number)
            agent = None if self.over else self._agents[self._position.agent]
            if agent is None:
                raise RefusedError("no agent is to decide")
            if self._thinks:
                raise RefusedError("it is thinking already")
            self._thinks, view, version = True, self._position.view(), self.version
        start, action = time.perf_counter(), None
        try:
            action = agent.act(view)
        finally:
            with self.lock:
                self.thinking += time.perf_counter() - start
                if valid := version == self.version:
                    self._thinks = False
                if valid and action is not None:
                    self._decide(action)
        if not valid:
            raise RefusedError("the game has changed meanwhile")

    def cancel(self) -> None:
        """Wait no longer for the agent that thinks; another one of its kind takes its seat."""
        with self.lock:
            if not self._thinks:
                raise RefusedError("nobody is thinking")
            self._interrupt()

    def _interrupt(self) -> None:
        """Whatever an agent is thinking about is not the game any more."""
        self._changes += 1
        if self._thinks:
            seat = self._position.agent
            self._agents[seat] = self._make_player(self.players[seat], self.game)
            self._thinks = False
        self._reset_agents(self.number)

    def undo(self, seat: int | None = None) -> None:
        """Back to the last decision of a person (or of that seat), in practice only."""
        with self.lock:
            if not self.practice or self.over:  # after the end all cards may be looked at
                raise RefusedError("moves can be taken back in practice games only, before the end")
            mine = self.people if seat is None else [seat]
            last = [i for i, event in enumerate(self._events) if event.seat in mine]
            if not last:
                raise RefusedError("there is nothing to take back")
            self._interrupt()
            self._position = Position.of(self.game, self._before[last[-1]])
            del self._actions[last[-1] :], self._events[last[-1] :], self._before[last[-1] :]
            self._reset_agents(self.number)
            if self.journal:
                self.keep(self.journal)

    def hint(self, number: int, adviser: str, seat: int | None = None) -> list[dict[str, Any]]:
        """The choices that an agent would think of for the person to decide, best first, with their shares."""
        with self.lock:
            self._expect(number)
            self._expect_own(seat)
            view, scene = self._position.view(), self.game.scene(self._position.state, self._position.agent)
            agent = self._make_player(adviser, self.game)
            agent.reset(agent_seed(self._seed, self.number))
        start = time.perf_counter()
        best = agent.act(view)
        self.thinking += time.perf_counter() - start
        opinions = agent.opinions() if hasattr(agent, "opinions") else [(best, 1)]
        total = sum(weight for _, weight in opinions) or 1
        return [
            self._words.choice(scene, action) | {"action": action, "share": round(weight / total, 3)}
            for action, weight in opinions[:HINTS]
        ]

    def rematch(self, seed: int, swap: bool = False) -> None:
        """The same players, other cards; only after the end. `swap`: everybody moves on by one seat."""
        with self.lock:
            if not self.over:
                raise RefusedError("the game is not over")
            self._seed = seed
            self._changes += 1
            if swap:
                self.rotation = (self.rotation + 1) % len(self.players)
                self.players = (self.players[-1], *self.players[:-1])
                self._agents = [self._agents[-1], *self._agents[:-1]]
            self._deal()
            if self.journal:
                self.keep(self.journal)

    def replay(self) -> bytes:
        """The whole game as JSON lines; only after the end, since it shows every card."""
        with self.lock:
            if not self.over:
                raise RefusedError("the game is not over")
            return encode(record(self.game, self._seed, self.players, self._actions, position=self.begin))

    def so_far(self) -> SoFar:
        """The whole game."""
        with self.lock:
            states, drawn = [*self._before, self._position.state.copy()], [event.drawn for event in self._events]
            return SoFar(self.game, self._seed, self.begin, self.players, states, list(self._actions), drawn)

    def _expect(self, number: int) -> None:
        if number != self.number:
            raise RefusedError(f"the game is at decision {self.number}, not {number}")

    def _expect_own(self, seat: int | None) -> None:
        mine = self.people if seat is None else [seat]
        if self._position.agent not in mine:
            raise RefusedError("it is not your decision")

    def _decide(self, action: int) -> None:
        """A decision that is written down."""
        self._apply(action)
        if journal := self.journal:
            self._write(lambda: journal.add(action))
            if self.over:
                self._write(self._keep_finished)

    def _keep_finished(self) -> None:
        assert self.journal is not None
        self.finished = self.journal.finish(self.replay())

    def _apply(self, action: int) -> None:
        before, seat = self._position.state.copy(), self._position.agent
        if not self._position.play(action):
            raise ValueError(f"{self.players[seat]} chose {action}, which is illegal")
        after, listeners = self._position.state, (*range(len(self.game.seats)), None)
        lines = tuple(self._words.told(before, action, after, listener) for listener in listeners)
        self._actions.append(action)
        self._before.append(before)
        self._events.append(Event(seat, lines, self.game.chance.drawn(before, action, after)))
        if self.over:
            self.games.append(self._game_result())

    # What is shown

    def payload(self, seat: int | None = None, shared: bool = True) -> dict[str, Any]:
        """All that the page shows to whoever sits before it. `shared`: to all people who sit here, one after the other;
        else to `seat` alone, or to somebody who only looks on (`None`; `OPEN`: with all hands open)."""
        with self.lock:
            viewer = self._viewer() if shared else seat
            mine = self.people if shared else [seat]
            scene = self.game.scene(self._position.state, viewer)
            yours = not self.over and self._position.agent in mine and self.players[self._position.agent] == PERSON
            undo = self.practice and not self.over and any(event.seat in mine for event in self._events)
            return {
                "game": self.game.name,
                "number": self.number,
                "version": self.version,
                "players": dict(zip(self.game.seats, self.players, strict=True)),
                "viewer": self._name(viewer),
                "decider": self._name(None if self.over else self._position.agent),
                "yours": yours,
                "alone": not shared,
                "question": self._words.question(scene),
                "out_of_turn": scene["out_of_turn"],
                "picture": self.game.picture(scene),
                "text": self.game.text(scene),
                "actions": self._choices(scene) if yours else [],
                "log": [self._line(event, viewer) for event in self._events],
                "practice": self.practice,
                "can_undo": undo,
                "over": self._result() if self.over else None,
                "finished": self.finished,
                "score": self._score(),
                "kept": self.kept,
            } | self._words.around(scene)

    def _viewer(self) -> int | None:
        """Whose eyes the page has: the only person's, or those of the person to decide; else only what all may see."""
        if len(self.people) == 1:
            return self.people[0]
        return self._position.agent if self._position.agent in self.people else None

    def _name(self, seat: int | None) -> str | None:
        return None if seat is None or seat == OPEN else self.game.seats[seat]

    def _choices(self, scene: dict[str, Any]) -> list[dict[str, Any]]:
        """What can be chosen; out of turn, what prevents something comes first."""
        choices = [self._words.choice(scene, action) for action in self._position.legal()]
        return choices[::-1] if scene["out_of_turn"] else choices

    def _line(self, event: Event, viewer: int | None) -> dict[str, Any]:
        if viewer == OPEN:
            viewer = event.seat
        line = event.lines[-1 if viewer is None else viewer]
        own = event.drawn.get(role_of(self.game.seats[event.seat])) if event.seat == viewer else None
        cards = ", ".join(f"{n} {name}" if n > 1 else name for name, n in (own or {}).items())
        text = f"{line['text']}: {cards}" if cards else line["text"]
        return {"seat": self.game.seats[event.seat], **line, "text": text}

    def _result(self) -> dict[str, Any]:
        ending, _ = self.game.outcome(self._position.state)
        return {"rewards": dict(zip(self.game.seats, self._position.rewards(), strict=True)), "reason": ending}

    # The score of several games

    def _game_result(self) -> dict[str, Any]:
        """By participant: who won, and the points that break ties."""
        seats = [self.seat_of(participant) for participant in range(len(self.players))]
        rewards, (_, points) = self._position.rewards(), self.game.outcome(self._position.state)
        return {"won": [rewards[seat] > 0 for seat in seats], "points": [points[seat] for seat in seats]}

    def _score(self) -> dict[str, Any]:
        """Games won so far by whoever sits on a seat now, and how the last match of two games ended (R13.1)."""
        rows = {}
        for participant in range(len(self.players)):
            rows[self.game.seats[self.seat_of(participant)]] = {
                "won": sum(game["won"][participant] for game in self.games),
                "points": sum(game["points"][participant] for game in self.games),
            }
        return {"games": len(self.games), "seats": rows, "match": self._match()}

    def _match(self) -> dict[str, Any] | None:
        legs = self.games[-LEGS:]
        if len(self.players) != LEGS or not self.games or len(self.games) % LEGS:
            return None
        totals = [
            (sum(leg["won"][one] for leg in legs), sum(leg["points"][one] for leg in legs)) for one in range(LEGS)
        ]
        best = None if totals[0] == totals[1] else self.game.seats[self.seat_of(totals.index(max(totals)))]
        return {"winner": best, "by_points": totals[0][0] == totals[1][0]}
