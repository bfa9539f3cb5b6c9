"""A session: one game between people on a page and agents. What leaves it is what the person who looks may know."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from drako_env.engine.game import Game, role_of
from drako_env.engine.position import Position
from drako_env.engine.view import Agent
from drako_env.evaluation.match import agent_seed
from drako_env.replay import encode, record

PERSON = "person"
HINTS = 5

AgentMaker = Callable[[str, Game], Agent]


class RefusedError(Exception):
    """What was asked for cannot be done now; nothing has changed."""


@dataclass(frozen=True)
class Event:
    """A decision as everybody at the session was told of it."""

    seat: int
    texts: tuple[str, ...]
    """What every seat may know of it, then what all may."""
    drawn: dict[str, Any]
    """What chance brought, by player."""


class Session:
    """A game under way. Methods may be called from several threads; each is all or nothing."""

    def __init__(self, game: Game, players: Sequence[str], make_player: AgentMaker, seed: int, practice: bool) -> None:
        self.game, self.players, self.practice = game, tuple(players), practice
        self.lock = threading.Lock()
        self.thinking = 0.0
        """Seconds that agents have thought here."""
        self._make_player, self._seed = make_player, seed
        self._agents = [None if player == PERSON else make_player(player, game) for player in players]
        self.people = [seat for seat, player in enumerate(players) if player == PERSON]
        self._deal()

    def _deal(self) -> None:
        self._position = Position(self.game).deal(self._seed)
        for seat, agent in enumerate(self._agents):
            if agent is not None:
                agent.reset(agent_seed(self._seed, seat))
        self._actions: list[int] = []
        self._events: list[Event] = []
        self._before: list[Any] = []

    @property
    def number(self) -> int:
        """How many decisions were made."""
        return len(self._actions)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._position.over

    def play(self, number: int, action: int) -> None:
        """A person's decision, the `number`-th of the game (so that a request sent twice plays once)."""
        self._expect(number)
        if self._position.agent not in self.people:
            raise RefusedError("it is not your decision")
        if not 0 <= action < len(self.game.actions) or not self._position.mask[action]:
            raise RefusedError(f"action {action} is not legal now")
        self._apply(action)

    def advance(self, number: int) -> None:
        """An agent's decision."""
        self._expect(number)
        agent = None if self.over else self._agents[self._position.agent]
        if agent is None:
            raise RefusedError("no agent is to decide")
        self._apply(self._think(agent))

    def undo(self) -> None:
        """Back to the last decision of a person, in practice only."""
        if not self.practice or self.over:  # after the end all cards may be looked at
            raise RefusedError("moves can be taken back in practice games only, before the end")
        last = [i for i, event in enumerate(self._events) if event.seat in self.people]
        if not last:
            raise RefusedError("there is nothing to take back")
        self._position = Position.of(self.game, self._before[last[-1]])
        del self._actions[last[-1] :], self._events[last[-1] :], self._before[last[-1] :]
        for seat, agent in enumerate(self._agents):
            if agent is not None:
                agent.reset(agent_seed(self._seed, seat) + self.number)

    def hint(self, number: int, adviser: str) -> list[dict[str, Any]]:
        """The choices that an agent would think of for the person to decide, best first, with their shares."""
        self._expect(number)
        if self._position.agent not in self.people:
            raise RefusedError("it is not your decision")
        agent = self._make_player(adviser, self.game)
        agent.reset(agent_seed(self._seed, self.number))
        best = self._think(agent)
        opinions = agent.opinions() if hasattr(agent, "opinions") else [(best, 1)]
        total = sum(weight for _, weight in opinions) or 1
        shown = [(action, weight / total) for action, weight in opinions[:HINTS]]
        return [{"action": a, "text": self.game.action_text(a), "share": round(share, 3)} for a, share in shown]

    def rematch(self, seed: int) -> None:
        """The same players, other cards; only after the end."""
        if not self.over:
            raise RefusedError("the game is not over")
        self._seed = seed
        self._deal()

    def replay(self) -> bytes:
        """The whole game as JSON lines; only after the end, since it shows every card."""
        if not self.over:
            raise RefusedError("the game is not over")
        return encode(record(self.game, self._seed, self.players, self._actions))

    def payload(self) -> dict[str, Any]:
        """All that the page shows to whoever sits before it."""
        viewer = self._viewer()
        scene = self.game.scene(self._position.state, viewer)
        yours = self._position.agent in self.people
        return {
            "game": self.game.name,
            "number": self.number,
            "players": dict(zip(self.game.seats, self.players, strict=True)),
            "viewer": self._name(viewer),
            "decider": self._name(None if self.over else self._position.agent),
            "yours": yours,
            "question": scene["question"],
            "out_of_turn": scene["out_of_turn"],
            "picture": self.game.picture(scene),
            "text": self.game.text(scene),
            "actions": self._choices() if yours else [],
            "log": [self._line(event, viewer) for event in self._events],
            "practice": self.practice,
            "can_undo": self.practice and not self.over and any(event.seat in self.people for event in self._events),
            "over": self._result() if self.over else None,
        }

    def _think(self, agent: Agent) -> int:
        start = time.perf_counter()
        action = agent.act(self._position.view())
        self.thinking += time.perf_counter() - start
        return action

    def _expect(self, number: int) -> None:
        if number != self.number:
            raise RefusedError(f"the game is at decision {self.number}, not {number}")

    def _apply(self, action: int) -> None:
        before, seat = self._position.state.copy(), self._position.agent
        listeners = (*range(len(self.game.seats)), None)
        texts = tuple(self.game.event_text(before, action, listener) for listener in listeners)
        if not self._position.play(action):
            raise ValueError(f"{self.players[seat]} chose {action}, which is illegal")
        self._actions.append(action)
        self._before.append(before)
        self._events.append(Event(seat, texts, self.game.chance.drawn(before, action, self._position.state)))

    def _viewer(self) -> int | None:
        """Whose eyes the page has: the only person's, or those of the person to decide; else only what all may see."""
        if len(self.people) == 1:
            return self.people[0]
        return self._position.agent if self._position.agent in self.people else None

    def _name(self, seat: int | None) -> str | None:
        return None if seat is None else self.game.seats[seat]

    def _choices(self) -> list[dict[str, Any]]:
        actions = self.game.actions
        return [{"id": a, "text": self.game.action_text(a), "action": dict(actions[a])} for a in self._position.legal()]

    def _line(self, event: Event, viewer: int | None) -> dict[str, Any]:
        text = event.texts[-1 if viewer is None else viewer]
        own = event.drawn.get(role_of(self.game.seats[event.seat])) if event.seat == viewer else None
        cards = ", ".join(f"{n} {name}" if n > 1 else name for name, n in (own or {}).items())
        return {"seat": self.game.seats[event.seat], "text": f"{text}: {cards}" if cards else text}

    def _result(self) -> dict[str, Any]:
        ending, _ = self.game.outcome(self._position.state)
        return {"rewards": dict(zip(self.game.seats, self._position.rewards(), strict=True)), "reason": ending}
