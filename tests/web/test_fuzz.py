"""Broken requests at every route of the server: only documented answers, and nobody else's table changes."""

import json
import random
import re
from collections import Counter

import pytest
from starlette.routing import Route

from drako_env import replay
from drako_env.evaluation.analysis import Analyst
from drako_env.evaluation.runner import Job, play_job
from drako_env.games import GAMES, make_game
from drako_env.players import make_player
from drako_env.web import analysis, limits, server
from drako_env.web.limits import Limits
from drako_env.web.setup import Preset
from tests.web.running import app_of
from tests.web.test_server import HOSTILE, NEW, client_at, new_session

DOCUMENTED = {200, 201, 204, 404, 405, 409, 413, 415, 422, 429}
KINDS = ["application/json", "application/jsonl", "text/plain", "", "application/json;charset=x", ";"]
JUNK = ["nosuch", "..", ".", "%00", "%ff", "%2e%2e%2fpage.js", "a" * 300, "é", "", "-1", "x y", "table-", "file-0"]
NUMBERS = ["0", "3", "11", "-1", "9" * 30, "x", "%00", "1.5"]
QUERIES = [""] * 8 + ["?view=all", "?view=dragon_0", "?view=%00", "?seen=x", "?seen=0.0.0", "?view=&seen="]
VALUES = [None, True, 0, -1, 3, 2**70, 0.5, "", "x", "person", [], [[]], {}, {"a": 1}]


@pytest.fixture
def client(tmp_path, monkeypatch):
    """Everything but the time of day is the same in every run; analysts think briefly."""
    count = iter(range(10**6))
    monkeypatch.setattr(limits, "new_secret", lambda: f"table{next(count)}")
    monkeypatch.setattr(server, "new_secret", lambda: f"secret{next(count)}")
    quick = lambda game: Analyst(game, make_player("ismcts:2", game), deals=1)  # noqa: E731
    monkeypatch.setattr(analysis, "make_analyst", quick)
    bounds = Limits(sessions=14, hints=10**9)
    return client_at(app_of(folder=tmp_path, preset=Preset(seed=7), limits=bounds))


@pytest.fixture
def recorded():
    game, names = make_game("drako", rules="micro"), ("random", "heuristic")
    played = play_job(game, [make_player(name, game) for name in names], Job(names, 0, 5, record=True))
    return replay.encode(replay.record(game, 5, names, played.actions))


class Fuzz:
    """What is asked, with what is known of the tables."""

    def __init__(self, client, recorded, chance):
        self.client, self.recorded, self.chance = client, recorded, chance
        store = client.app.state.store
        for name in ("over", "other"):
            (store.folder / "finished" / f"{name}.jsonl").write_bytes(recorded)
        two, agents = {"players": ["person", "person"], "links": True, "analysis": True}, ["random", "heuristic"]
        made = [new_session(client, practice=True), new_session(client, table="tiny"), new_session(client, **two)]
        made.append(new_session(client, players=agents, table="tiny"))
        made.append(new_session(client, game="golden_dragon", practice=True))
        made += [new_session(client, table="micro") for _ in range(2)]
        self.chairs = [name for one in made for name in one["links"].values() or [one["session"]]]
        for name in self.chairs[-2:]:  # over
            session = self.tables()[name]
            while not session.over:
                session._decide(chance.choice(session._position.legal()))
        game = make_game("drako", rules="micro")
        first = game.state_dict(next(iter(replay.positions(replay.decode(recorded), game))).state)
        self.position = {"study": "over", "position": first}
        self.studies = ["over", "other", *(f"table-{chair}" for chair in self.chairs)]
        brought = client.post("/api/analysis", content=recorded, headers={"content-type": "application/jsonl"})
        by_hand = client.post("/api/analysis/position", json=self.position)
        self.studies += [one.json()["study"] for one in (brought, by_hand)]
        self.routes = {route.path: route.methods for route in client.app.routes if isinstance(route, Route)}

    def path(self, route):
        """An address of a route; sometimes one that leads nowhere."""
        names = {
            "/api/s": self.chairs,
            "/api/a": self.studies,
            "/api/f": ["over", "other"],
            "/analys": self.studies,
            "/static": ["page.js", "analysis.css"],
        }
        known = next((found for prefix, found in names.items() if route.startswith(prefix)), list(GAMES))
        fill = {"name": known, "game": list(GAMES), "number": NUMBERS[:3]}
        junk = {"name": JUNK, "game": JUNK, "number": NUMBERS}

        def part(found):
            return self.chance.choice((fill if self.chance.random() < 0.8 else junk)[found[1]])

        return re.sub(r"{(\w+)}", part, route) + self.chance.choice(QUERIES)

    def body(self, route):
        """What a route expects, as it should be or mutated; or junk."""
        if self.chance.random() < 0.15:
            return self.chance.choice([*HOSTILE, b"{}", b"null", b"[]", "é".encode() * 9])
        if route == "/api/analysis":
            return self.mutated(self.recorded)
        wanted = self.expected(route)
        if self.chance.random() < 0.35:
            self.change(wanted)
        return self.mutated(json.dumps(wanted).encode())

    def expected(self, route):
        if route == "/api/sessions":
            return NEW | {"table": self.chance.choice(["tiny", "micro"]), "practice": True}
        if route == "/api/sessions/on":
            return {"study": self.chance.choice(self.studies), "number": self.chance.randrange(9)}
        if route == "/api/analysis/position":
            return json.loads(json.dumps(self.position))
        if route.endswith(("/cancel", "/undo", "/rematch")):
            return {}
        if not route.endswith(("/play", "/advance", "/hint")):
            return {"number": 0}
        session = self.tables()[self.chance.choice(self.chairs).partition(".")[0]]
        return {"number": session.number} | (
            {"action": self.chance.choice([*session._position.legal(), 0])} if route.endswith("/play") else {}
        )

    def change(self, wanted):
        """One value somewhere in it becomes another, or is missing, or is new."""
        while wanted:
            key = self.chance.choice(list(wanted))
            if not (isinstance(wanted[key], dict) and wanted[key] and self.chance.random() < 0.8):
                break
            wanted = wanted[key]
        else:
            key = "surprise"
        wanted[key] = self.chance.choice(VALUES)
        if self.chance.random() < 0.2:
            del wanted[key]

    def mutated(self, data):
        data = bytearray(data)
        for _ in range(self.chance.choice([0, 0, 0, 1, 3])):
            place = self.chance.randrange(len(data) or 1)
            data[place : place + self.chance.choice([0, 1, 1, 40])] = self.chance.choice(
                [b"", b"\x00", b"\xff", b"}", b"9", b'"', bytes([self.chance.randrange(256)])]
            )
        return bytes(data)

    def way(self, route):
        """The method and the type of a request: seldom others than the route's own."""
        own = "POST" if "POST" in self.routes[route] else "GET"
        expected = "application/jsonl" if route == "/api/analysis" else "application/json"
        method = own if self.chance.random() < 0.9 else self.chance.choice(["GET", "POST", "PUT", "DELETE"])
        return method, expected if self.chance.random() < 0.9 else self.chance.choice(KINDS)

    def tables(self):
        return {name: taken.session for name, taken in self.client.app.state.sessions._sessions.items()}

    def stand(self):
        """All tables as they are."""
        return {
            name: (one.version, one._position.states.tobytes(), one.players, dict(one.links), one.finished)
            for name, one in self.tables().items()
        }

    def ask(self):
        """One request, and what became of it."""
        route = self.chance.choice(list(self.routes))
        path, content = self.path(route), self.body(route)
        method, kind = self.way(route)
        before = self.stand()
        answer = self.client.request(method, path, content=content, headers={"Content-Type": kind})
        assert answer.status_code in DOCUMENTED, (method, path, content)
        addressed = path.removeprefix("/api/sessions/").partition("/")[0].partition("?")[0].partition(".")[0]
        after = self.stand()
        if answer.status_code >= 400:
            assert answer.json()["error"]
            assert after == before, (method, path, content)
        elif route not in ("/api/sessions", "/api/sessions/on"):
            assert set(after) == set(before)
        for name in set(before) - {addressed}:
            assert after[name] == before[name], f"{method} {path} changes another table"
        return route, answer.status_code


def fuzz(client, recorded, requests, seed):
    """Returns how often each route gave each answer."""
    asking = Fuzz(client, recorded, random.Random(seed))
    answers = Counter(asking.ask() for _ in range(requests))
    assert {route for route, _ in answers} == set(asking.routes)
    return answers


def test_broken_requests_at_every_route(client, recorded):
    answers = fuzz(client, recorded, 500, seed=0)
    assert sum(n for (_, status), n in answers.items() if status < 300) > 50
    assert sum(n for (_, status), n in answers.items() if status == 422) > 20


@pytest.mark.slow
def test_ten_thousand_broken_requests_at_every_route(client, recorded):
    answers = fuzz(client, recorded, 10_000, seed=1)
    statuses = Counter()
    for (_, status), count in answers.items():
        statuses[status] += count
    print(f"{sum(statuses.values()):,} requests at every route: {dict(sorted(statuses.items()))}")
    good, asked = {route for route, status in answers if status < 300}, {route for route, _ in answers}
    assert asked - good == {"/api/sessions/{name}/cancel"}, "nobody is thinking"
