"""The server: what it answers, what it refuses, and that nothing refused changes anything."""

import asyncio
import json
import signal
import threading
import urllib.request

import pytest
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient

from drako_env.__main__ import run
from drako_env.cli import play
from drako_env.games import GAMES
from drako_env.players import make_player
from drako_env.runs import claimed
from drako_env.web import listen
from drako_env.web.answers import LARGEST_BODY, LONGEST_ERROR
from drako_env.web.limits import WINDOW, Hints, Limits, Sessions, client_of
from drako_env.web.server import Server
from tests.web.browsing import serving
from tests.web.running import HANGS, OPPONENTS, app_of

NEW = {"game": "drako", "players": ["person", "heuristic"]}
KEEP_ELSEWHERE = "stop it, or choose another --keep ('': nowhere)"
WHAT = ("play", "advance", "cancel", "undo", "hint", "rematch")


def client_at(app, address="testclient", host="127.0.0.1"):
    headers = {"Content-Type": "application/json"}
    return TestClient(app, base_url=f"http://{host}", headers=headers, client=(address, 50000))


@pytest.fixture
def client():
    return client_at(app_of(most_sessions=20))


def new_session(client, **changes):
    answer = client.post("/api/sessions", json=NEW | changes)
    assert answer.status_code == 201, answer.text
    return answer.json()


def shown(made):
    """What a new session shows, without what its creator alone is told."""
    return {key: value for key, value in made.items() if key not in ("session", "links")}


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
            made = new_session(client, game=name, players=["person"] + ["random"] * (len(seats) - 1), options=options)
            assert list(made["players"]) == seats
            assert made["picture"].startswith("<svg")
        client.app.state.sessions._sessions.clear()


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
def test_bad_sessions_are_refused(client, changes, status):
    answer = client.post("/api/sessions", json=NEW | changes)
    assert answer.status_code == status
    assert answer.json()["error"]
    assert len(client.app.state.sessions) == 0


HOSTILE = [
    b"",
    b"\x00",
    b"\xff\xfe{}",
    b'{"game":"\xff"}',
    b'{"game":"\\ud800"}',
    b'{"number":NaN}',
    b'{"number":1e400}',
    b'{"number":0,"action":-Infinity}',
    b'{"number":0,"action":' + b"9" * 4000 + b"}",
    b'{"number":' + b"[" * 4000,
    b"[" * 2000 + b"]" * 2000,
    b'{"number":' + b'{"a":' * 600 + b"0" + b"}" * 601,
    b'{"number":true,"action":null}',
    b'{"number":"0"}',
    b'{"number":0.5}',
    b'{"number":0,"__class__":"x"}',
    b"x" * (LARGEST_BODY + 1),
]


@pytest.mark.parametrize("body", HOSTILE, ids=lambda body: repr(body[:30]))
def test_hostile_bodies_are_refused_everywhere_and_change_nothing(client, body):
    made = new_session(client, practice=True)
    path = f"/api/sessions/{made['session']}"
    for address in ("/api/sessions", *(f"{path}/{what}" for what in WHAT)):
        answer = client.post(address, content=body)
        assert answer.status_code in (409, 413, 422)
        assert 0 < len(answer.json()["error"]) <= LONGEST_ERROR
    assert client.get(path).json() == shown(made)
    assert len(client.app.state.sessions) == 1


def test_hostile_requests_change_nothing(client):
    mine, yours = new_session(client), new_session(client)
    path = f"/api/sessions/{mine['session']}"
    legal = {choice["id"] for choice in mine["actions"]}
    illegal = next(i for i in range(222) if i not in legal)
    attempts = [
        ("POST", f"{path}/play", json.dumps({"number": 0, "action": illegal}), 409),
        ("POST", f"{path}/play", json.dumps({"number": 9, "action": min(legal)}), 409),
        ("POST", f"{path}/play", json.dumps({"number": 0}), 422),
        ("POST", f"{path}/play", json.dumps({"number": 0, "action": 2**70}), 409),
        ("POST", f"{path}/play?view=nosuch", json.dumps({"number": 0, "action": min(legal)}), 422),
        ("POST", f"{path}/advance", json.dumps({"number": 0}), 409),
        ("POST", f"{path}/undo", "{}", 409),
        ("POST", f"{path}/rematch", "{}", 409),
        ("GET", f"{path}/replay", None, 409),
        ("GET", "/api/sessions/nosuch", None, 404),
        ("GET", f"/api/sessions/{mine['session'][:-1]}", None, 404),
        ("POST", "/api/sessions/nosuch/hint", json.dumps({"number": 0}), 404),
        ("GET", "/api/sessions/%ff%00", None, 404),
        ("GET", "/static/../server.py", None, 404),
        ("GET", "/static/%2e%2e/server.py", None, 404),
        ("GET", "/static/..%2fserver.py", None, 404),
        ("GET", "/static/", None, 404),
        ("GET", "/static/page.js/x", None, 404),
        ("GET", "/static/%00", None, 404),
        ("GET", "/static/" + "a" * 3000, None, 404),
        ("GET", "/nosuch", None, 404),
        ("POST", f"{path}/cancel", "{}", 409),
        ("GET", f"{path}.{mine['session']}", None, 404),
        ("GET", f"{path}?view=dragon_0", None, 409),
        ("GET", f"{path}?view=nosuch", None, 422),
        ("GET", "/api/rules/chess", None, 404),
        ("GET", "/api/rules/..%2f..%2fREADME.md", None, 404),
        ("GET", "/api/lessons/chess", None, 404),
        ("GET", "/api/finished/..%2f..%2fetc", None, 404),
        ("GET", "/api/finished/nosuch", None, 404),
        ("GET", "/api/games/", None, 404),
        ("GET", "//evil.example/api/games/", None, 404),
        ("DELETE", path, None, 405),
        ("GET", f"{path}/play", None, 405),
        ("POST", "/", "{}", 405),
        ("OPTIONS", "/api/sessions", None, 405),
        ("TRACE", "/static/page.js", None, 405),
    ]
    for method, address, body, status in attempts:
        answer = client.request(method, address, content=body, follow_redirects=False)
        assert answer.status_code == status, (method, address, answer.text)
        assert answer.json()["error"]
    for session in (mine, yours):
        assert client.get(f"/api/sessions/{session['session']}").json() == shown(session)


@pytest.mark.parametrize("name", ["Range", "If-None-Match", "If-Modified-Since", "Accept", "Content-Length", "Cookie"])
@pytest.mark.parametrize("value", ["", "*", "bytes=9-1", "bytes=0-,0-,-1", "-1", "x" * 9000])
def test_hostile_headers_do_nothing(client, name, value):
    plain = client.get("/static/page.js")
    answer = client.get("/static/page.js", headers={name: value})
    assert (answer.status_code, answer.content) == (200, plain.content)


def test_a_form_of_a_foreign_page_is_refused(client):
    answer = client.post("/api/sessions", content=json.dumps(NEW), headers={"Content-Type": "text/plain"})
    assert answer.status_code == 415
    assert len(client.app.state.sessions) == 0


def test_a_form_cannot_take_back_a_move(client):
    session = new_session(client, practice=True)
    path = f"/api/sessions/{session['session']}"
    played = client.post(f"{path}/play", json={"number": 0, "action": session["actions"][0]["id"]}).json()
    assert client.post(f"{path}/undo", content="{}", headers={"Content-Type": "text/plain"}).status_code == 415
    assert client.get(path).json() == played


def test_how_long_agents_thought_is_not_told(client):
    session = new_session(client, players=["heuristic", "person"])
    answer = client.post(f"/api/sessions/{session['session']}/advance", json={"number": 0})
    assert answer.status_code == 200
    assert "server-timing" not in answer.headers


@pytest.mark.parametrize(
    "host", ["evil.example", "0.0.0.0", "10.0.0.9", "127.0.0.1.evil.example", "[::2]", "[", "a:b:c", "", "é".encode()]
)
def test_a_foreign_host_name_is_refused(client, host):
    answer = client.get("/api/games", headers={"host": host})
    assert answer.status_code == 400
    assert "this server answers to 127.0.0.1, localhost, [::1]" in answer.json()["error"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8000", "LocalHost", "[::1]:8000"])
def test_a_known_host_name_is_answered(client, host):
    assert client.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("address", ["10.1.2.3", "[fd00::2]"])
def test_the_address_at_which_one_arrives_is_known(address):
    app = app_of()
    assert client_at(app, host=address).get("/").status_code == 200
    assert client_at(app, host="evil.example").get("/").status_code == 400


@pytest.fixture
def started(monkeypatch, capsys):
    """What `play.py --web` with some options returns, serves (the application, the socket), and says."""
    served = []
    monkeypatch.setattr(play, "opponents_of", lambda *games: ["heuristic"])
    monkeypatch.setattr(listen, "serve", lambda *what: served.append(what))

    def start(*options):
        return (
            run("play", ["--web", "--keep", "", *options]),
            *(served[-1] if served else (None, None)),
            capsys.readouterr(),
        )

    yield start
    for _, listening in served:
        listening.close()


def test_for_oneself_there_is_no_warning_and_no_other_name(started):
    code, app, listening, said = started("--port", "0")
    assert code == 0
    assert said.err == ""
    assert said.out == f"Play on http://127.0.0.1:{listening.getsockname()[1]}/  (Ctrl-C stops the server)\n"
    assert client_at(app).get("/").status_code == 200
    assert client_at(app).get("/", headers={"host": "evil.example"}).status_code == 400


def test_for_the_whole_network_there_is_a_warning_an_address_and_a_check_of_names(started, monkeypatch):
    monkeypatch.setattr(listen, "_own_addresses", lambda family: iter([listen.ipaddress.ip_address("10.1.2.3")]))
    monkeypatch.setattr(listen.socket, "gethostname", lambda: "mybox")
    code, app, listening, said = started("--host", "0.0.0.0", "--port", "0", "--name", "games.example")
    assert code == 0
    assert "everybody in the network" in said.err
    port = listening.getsockname()[1]
    assert port != 0
    assert f"http://10.1.2.3:{port}/ " in said.out
    assert "0.0.0.0" not in said.out
    for host in ("10.1.2.3", f"10.1.2.3:{port}", "mybox", "mybox.local", "games.example", "localhost"):
        assert client_at(app, host="10.1.2.3").get("/", headers={"host": host}).status_code == 200, host
    for host in ("evil.example", "0.0.0.0", "10.1.2.4"):
        assert client_at(app, host="10.1.2.3").get("/", headers={"host": host}).status_code == 400, host


def test_this_machine_has_an_address_in_its_network_or_none():
    for address in listen._own_addresses(listen.socket.AF_INET6):
        assert not address.is_unspecified


def test_where_nobody_can_listen_is_said(started):
    taken = listen.listen("127.0.0.1", 0)
    for options in (["--port", str(taken.getsockname()[1])], ["--port", "99999"], ["--host", "a" * 99]):
        code, _, _, said = started(*options)
        assert code == 2
        assert said.err.startswith("play: cannot listen on")
        assert "choose another --port" in said.err
    taken.close()


def test_a_folder_is_for_one_server(started, tmp_path):
    with claimed(tmp_path):
        code, _, _, said = started("--port", "0", "--keep", str(tmp_path))
    assert code == 2
    assert said.err == f"play: {tmp_path}: another server keeps its games there; {KEEP_ELSEWHERE}\n"


def test_the_command_serves_until_it_is_stopped():
    with serving() as (server, address):
        with urllib.request.urlopen(address, timeout=HANGS) as page:
            assert page.status == 200
        server.send_signal(signal.SIGINT)
        assert server.wait(HANGS) == 0
        assert server.stderr.read() == ""


def test_tables_are_bounded_and_expire():
    now = [0.0]
    sessions = Sessions(most=2, seconds=10, clock=lambda: now[0])
    first, _ = sessions.add(object(), "me"), sessions.add(object(), "me")
    with pytest.raises(HTTPException, match="all 2 games are taken"):
        sessions.add(object(), "you")
    now[0] = 8
    sessions.find(first)
    now[0] = 11
    assert len({sessions.add(object(), "you"), first}) == 2
    assert len(sessions) == 2
    now[0] = 100
    with pytest.raises(HTTPException, match="no such game"):
        sessions.find(first)
    assert len(sessions) == 0


def test_each_client_has_so_many_sessions():
    app = app_of(limits=Limits(sessions=2))
    mine, yours = client_at(app, "10.0.0.1"), client_at(app, "10.0.0.2")
    first = new_session(mine)
    new_session(mine)
    refused = mine.post("/api/sessions", json=NEW)
    assert refused.status_code == 429
    assert "your address has 2 games" in refused.json()["error"]
    assert "60 minutes" in refused.json()["error"]
    new_session(yours)
    assert len(app.state.sessions) == 3
    assert mine.get(f"/api/sessions/{first['session']}").status_code == 200


def test_each_client_has_so_many_hints():
    app = app_of(limits=Limits(hints=2))
    mine, yours = client_at(app, "10.0.0.1"), client_at(app, "10.0.0.2")
    path = f"/api/sessions/{new_session(mine)['session']}/hint"
    assert mine.post("/api/sessions/nosuch/hint", json={"number": 0}).status_code == 404
    assert [mine.post(path, json={"number": 0}).status_code for _ in range(3)] == [200, 200, 429]
    assert "2 hints in a minute" in mine.post(path, json={"number": 0}).json()["error"]
    assert yours.post(path, json={"number": 0}).status_code == 200


def test_hints_come_back_after_a_minute():
    now = [7.0]
    hints = Hints(1, clock=lambda: now[0])
    hints.count("me")
    now[0] += WINDOW - 1.5
    with pytest.raises(HTTPException, match="try again in 2 s"):
        hints.count("me")
    now[0] += 1.5
    hints.count("me")


def test_addresses_of_one_client():
    assert client_of("10.0.0.1") != client_of("10.0.0.2")
    assert client_of("::ffff:10.0.0.1") == client_of("10.0.0.1")
    assert client_of("2001:db8::1") == client_of("2001:db8::ffff:1")
    assert client_of("2001:db8::1") != client_of("2001:db8:0:1::1")


def test_requests_of_one_client_wait_for_each_other_and_for_nobody_else():
    limits, stop = Limits(working=1, waiting=1), threading.Event()
    server = Server(make_player, OPPONENTS, "heuristic", Sessions(9, 9), limits)

    async def crowd():
        mine = [asyncio.create_task(server._work("me", stop.wait)) for _ in range(3)]
        assert await server._work("you", lambda: 5) == 5
        done = [task.done() for task in mine]
        stop.set()
        return done, await asyncio.gather(*mine, return_exceptions=True)

    done, found = asyncio.run(crowd())
    assert done == [False, False, True]
    assert found[:2] == [True, True]
    assert "1 requests of your address are waiting" in found[2].detail
