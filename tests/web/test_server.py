"""The server: what it answers, what it refuses, and that nothing refused changes anything."""

import json
import random

import pytest
from starlette.testclient import TestClient

from agents.registry import make_agent
from drako_env.games import GAMES
from drako_env.web.server import LARGEST_BODY, Tables, make_app

OPPONENTS = {name: ["heuristic", "random"] for name in GAMES}
NEW = {"game": "drako", "players": ["person", "heuristic"]}


@pytest.fixture
def client():
    app = make_app(make_agent, OPPONENTS, "heuristic", most_tables=20)
    return TestClient(app, base_url="http://127.0.0.1", headers={"Content-Type": "application/json"})


def new_table(client, **changes):
    answer = client.post("/api/tables", json=NEW | changes)
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_the_page_and_its_parts(client):
    page = client.get("/")
    assert page.status_code == 200
    assert "script-src" not in page.headers["content-security-policy"]  # default-src 'self': no inline scripts
    for part in ("page.js", "page.css"):
        assert f"/static/{part}" in page.text
        assert client.get(f"/static/{part}").status_code == 200


def test_what_can_be_chosen_can_be_played(client):
    games = client.get("/api/games").json()["games"]
    assert set(games) == set(GAMES)
    for name, game in games.items():
        for players, seats in game["seats"].items():
            options = {"num_players": int(players)} if players else {}
            made = new_table(client, game=name, players=["person"] + ["random"] * (len(seats) - 1), options=options)
            assert list(made["players"]) == seats
            assert made["picture"].startswith("<svg")
        client.app.state.tables._tables.clear()


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"game": "chess"}, 422),
        ({"players": ["person"]}, 422),
        ({"players": ["person", "policy:/etc/passwd"]}, 422),
        ({"players": ["person", "ismcts:99999999"]}, 422),
        ({"table": "../../../etc/passwd"}, 422),
        ({"table": "/etc/passwd"}, 422),
        ({"options": {"rules": "/etc/passwd"}}, 422),
        ({"options": {"radius": 99}}, 422),
        ({"game": "golden_dragon", "options": {"max_single_moves": 77}}, 422),
        ({"options": {"radius": [2]}}, 422),
        ({"surprise": 1}, 422),
        ({"practice": "yes"}, 422),
        ({"game": "x" * LARGEST_BODY}, 413),
    ],
)
def test_bad_tables_are_refused(client, changes, status):
    answer = client.post("/api/tables", json=NEW | changes)
    assert answer.status_code == status
    assert answer.json()["error"]
    assert len(client.app.state.tables) == 0


def test_hostile_requests_change_nothing(client):
    mine, yours = new_table(client), new_table(client)
    path = f"/api/tables/{mine['table']}"
    legal = {choice["id"] for choice in mine["actions"]}
    illegal = next(i for i in range(222) if i not in legal)
    attempts = [
        ("POST", f"{path}/play", json.dumps({"number": 0, "action": illegal}), 409),
        ("POST", f"{path}/play", json.dumps({"number": 9, "action": min(legal)}), 409),
        ("POST", f"{path}/play", json.dumps({"number": 0}), 422),
        ("POST", f"{path}/play", json.dumps({"number": 0, "action": "0"}), 422),
        ("POST", f"{path}/play", json.dumps({"number": 0, "action": 2**70}), 409),
        ("POST", f"{path}/play", "{", 422),
        ("POST", f"{path}/play", "[" * 4000, 422),
        ("POST", f"{path}/play", "x" * (LARGEST_BODY + 1), 413),
        ("POST", f"{path}/advance", json.dumps({"number": 0}), 409),
        ("POST", f"{path}/undo", "{}", 409),
        ("POST", f"{path}/rematch", "{}", 409),
        ("GET", f"{path}/replay", None, 409),
        ("GET", "/api/tables/nosuch", None, 404),
        ("GET", f"/api/tables/{mine['table'][:-1]}", None, 404),
        ("GET", "/static/../server.py", None, 404),
        ("GET", "/static/%2e%2e/server.py", None, 404),
        ("GET", "/static/..%2fserver.py", None, 404),
        ("DELETE", path, None, 405),
        ("GET", f"{path}/play", None, 405),
    ]
    for method, address, body, status in attempts:
        answer = client.request(method, address, content=body)
        assert answer.status_code == status, (method, address, answer.text)
    for table in (mine, yours):
        shown = client.get(f"/api/tables/{table['table']}").json()
        assert shown == {key: value for key, value in table.items() if key != "table"}


def test_a_form_of_a_foreign_page_is_refused(client):
    answer = client.post("/api/tables", content=json.dumps(NEW), headers={"Content-Type": "text/plain"})
    assert answer.status_code == 415
    assert len(client.app.state.tables) == 0


def test_how_long_agents_thought_is_not_told(client):
    table = new_table(client, players=["heuristic", "person"])
    answer = client.post(f"/api/tables/{table['table']}/advance", json={"number": 0})
    assert answer.status_code == 200
    assert "server-timing" not in answer.headers


def test_a_foreign_host_name_is_refused(client):
    assert client.get("/api/games", headers={"host": "evil.example"}).status_code == 400


def test_tables_are_bounded_and_expire():
    now = [0.0]
    tables = Tables(most=2, seconds=10, clock=lambda: now[0])
    first, _ = tables.add(object()), tables.add(object())
    with pytest.raises(Exception, match="all 2 tables are taken"):
        tables.add(object())
    now[0] = 8
    tables.find(first)
    now[0] = 11
    assert len({tables.add(object()), first}) == 2
    assert len(tables) == 2
    now[0] = 100
    with pytest.raises(Exception, match="no such table"):
        tables.find(first)
    assert len(tables) == 0


def fuzz(client, requests, seed):
    """Random requests, most of them broken: only 2xx and 4xx, and a refused one changes nothing."""
    chance = random.Random(seed)
    names = [new_table(client, practice=True)["table"] for _ in range(4)] + ["nosuch", "..", "%00", "a" * 300]
    junk = ["", "{}", "null", "[]", '{"number":0}', '{"number":-1,"action":3}', '{"number":1e400}', "\x00", "é" * 9]
    good = 0
    for _ in range(requests):
        name = chance.choice(names)
        what = chance.choice(["", "/play", "/advance", "/undo", "/hint", "/rematch", "/replay", "/nosuch"])
        before = client.get(f"/api/tables/{name}")
        body = chance.choice(junk)
        if before.status_code == 200 and chance.random() < 0.5:
            shown = before.json()
            choices = [choice["id"] for choice in shown["actions"]] or [0]
            number = shown["number"] if chance.random() < 0.8 else chance.randrange(-5, 400)
            content = {"number": number, "action": chance.choice([*choices, chance.randrange(-3, 500)])}
            body = json.dumps(content if what == "/play" else {"number": number})
        method = chance.choice(["GET", "POST", "POST", "POST", "PUT"])
        answer = client.request(method, f"/api/tables/{name}{what}", content=body.encode())
        assert 200 <= answer.status_code < 300 or 400 <= answer.status_code < 500, (method, name, what, body)
        good += answer.status_code < 300
        if answer.status_code >= 400 and before.status_code == 200:
            assert client.get(f"/api/tables/{name}").content == before.content
    assert client.get("/api/games").status_code == 200
    return good


def test_fuzzed_requests(client):
    assert fuzz(client, 150, seed=0) > 5


@pytest.mark.slow
def test_ten_thousand_fuzzed_requests(client):
    print(f"{fuzz(client, 10_000, seed=1):,} of 10,000 requests were good")
