"""Connections: clients that are slow, leave, or talk nonsense hold nothing and leave nothing in the log."""

import http.client
import json
import queue
import random
import socket
import threading

import pytest

from drako_env.players import make_player
from drako_env.web.limits import Limits
from drako_env.web.listen import PATIENCE, Connection
from tests.web.running import HANGS, Running, app_of, until

HOST = b"Host: 127.0.0.1\r\n"
JSON = HOST + b"Content-Type: application/json\r\n"
NEW = {"game": "drako", "players": ["person", "heuristic"]}
POST = b"POST /api/sessions HTTP/1.1\r\n" + JSON
BODY = json.dumps(NEW).encode()
LONG = POST + b"Content-Length: 4000\r\n\r\n" + BODY


class Patient:
    """An adviser that thinks until it is told to stop."""

    started, stop = threading.Event(), threading.Event()

    def reset(self, seed):
        self.started.set()

    def act(self, view):
        assert self.stop.wait(HANGS)
        return int(view.action_mask.argmax())


@pytest.fixture(scope="module")
def served():
    app = app_of(lambda name, game: Patient() if name == "patient" else make_player(name, game), adviser="patient")
    with Running(app) as running:
        yield running


@pytest.fixture
def running(served):
    """A server that is done with everything after each test, and has nothing to complain of."""
    yield served
    until(served.quiet)
    problems = served.problems.copy()
    served.problems.clear()
    served.app.state.sessions._sessions.clear()
    assert problems == []


@pytest.fixture
def heard(monkeypatch):
    """What the server has read, piece by piece."""
    pieces, read = queue.Queue(), Connection.data_received

    def data_received(self, data):
        read(self, data)
        pieces.put(data)

    monkeypatch.setattr(Connection, "data_received", data_received)
    return pieces


def ask(running, method, path, body=None, **headers):
    """One request, as a browser sends it; returns the status and the answer."""
    client = http.client.HTTPConnection(*running.address, timeout=HANGS)
    content = None if body is None else json.dumps(body)
    client.request(method, path, content, {"Content-Type": "application/json"} | headers)
    answer = client.getresponse()
    found = answer.status, json.loads(answer.read())
    client.close()
    return found


def rest_of(client):
    """All that still comes."""
    with client:
        try:
            return b"".join(iter(lambda: client.recv(65536), b""))
        except ConnectionResetError:
            return b""


@pytest.mark.parametrize(
    "pieces",
    [
        [],
        [b"GET / HT"],
        [b"GET / HTTP/1.1\r\n", b"A: a\r\n", b"B: b\r\n", b"C: c\r\n"],
        [LONG],
        [LONG, b" ", b" ", b" "],
        [POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n{\r\n", b"1\r\n"],
    ],
    ids=["nothing", "half a line", "drops of headers", "half a body", "drops of a body", "chunks"],
)
def test_who_never_completes_a_request_is_let_go(running, heard, pieces):
    client = running.connect()
    for piece in pieces:
        client.sendall(piece)
        assert heard.get(timeout=HANGS) == piece
        running.skip(0.9 * PATIENCE / len(pieces))
    running.skip(0.2 * PATIENCE if pieces else 1.1 * PATIENCE)
    assert b"201" not in rest_of(client)
    until(running.quiet)
    assert len(running.app.state.sessions) == 0


def test_who_goes_on_after_the_answer_is_let_go(running, heard):
    client = running.connect(b"POST /nosuch HTTP/1.1\r\n" + JSON + b"Content-Length: 4000\r\n\r\n")
    assert client.recv(9) == b"HTTP/1.1 "
    until(lambda: not running.connections[0].tasks)
    heard.get(timeout=HANGS)
    for _ in range(3):
        client.sendall(b" ")
        assert heard.get(timeout=HANGS) == b" "
        running.skip(0.4 * PATIENCE)
    rest_of(client)
    until(running.quiet)


def test_who_is_slow_but_in_time_is_answered(running, heard):
    client = running.connect()
    request = POST + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(BODY)
    for piece in (request, BODY[:9], BODY[9:]):
        running.skip(0.3 * PATIENCE)
        client.sendall(piece)
        assert heard.get(timeout=HANGS) == piece
    assert b"201 Created" in rest_of(client)


def test_who_does_not_read_is_let_go(running):
    with running.connect(b"GET /static/page.css HTTP/1.1\r\n%s\r\n" % HOST * 2000):
        until(lambda: any(one.flow.write_paused for one in running.connections))
        running.skip(1.1 * PATIENCE)
        until(running.quiet)


def test_an_agent_may_think_for_as_long_as_it_likes(running):
    _, session = ask(running, "POST", "/api/sessions", NEW)
    answers = queue.Queue()
    path = f"/api/sessions/{session['session']}/hint"
    asking = threading.Thread(target=lambda: answers.put(ask(running, "POST", path, {"number": 0})))
    asking.start()
    assert Patient.started.wait(HANGS)
    running.skip(100 * PATIENCE)
    Patient.stop.set()
    asking.join()
    status, answer = answers.get()
    assert status == 200
    assert len(answer["hints"]) == 1


@pytest.mark.parametrize(
    "sent",
    [
        LONG,
        POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{",
        POST + b"Expect: 100-continue\r\nContent-Length: 9\r\n\r\n",
    ],
    ids=["length", "chunks", "expect"],
)
def test_a_broken_off_upload_leaves_nothing(running, heard, sent):
    with running.connect(sent):
        heard.get(timeout=HANGS)
    until(running.quiet)
    assert len(running.app.state.sessions) == 0


def test_what_was_not_sent_to_its_end_is_not_done(running):
    _, session = ask(running, "POST", "/api/sessions", NEW | {"practice": True})
    path = f"/api/sessions/{session['session']}"
    played = ask(running, "POST", f"{path}/play", {"number": 0, "action": session["actions"][0]["id"]})
    with running.connect(f"POST {path}/undo HTTP/1.1\r\n".encode() + JSON + b"Content-Length: 2\r\n\r\n{"):
        pass
    until(running.quiet)
    assert ask(running, "GET", path) == played


NONSENSE = {
    "not http": [b"\x16\x03\x01\x00\xa5\x01\r\n\r\n"],
    "http 2": [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    "path": [b"GET /\xff HTTP/1.1\r\n" + HOST + b"\r\n"],
    "no path": [b"GET ?x HTTP/1.1\r\n" + HOST + b"\r\n"],
    "foreign path": [b"GET http://evil.example/ HTTP/1.1\r\n" + HOST + b"\r\n"],
    "tunnel": [b"CONNECT evil.example:443 HTTP/1.1\r\n" + HOST + b"\r\n", b"\x16\x03"],
    "no host": [b"GET / HTTP/1.0\r\n\r\n"],
    "two hosts": [b"GET / HTTP/1.1\r\n" + HOST + HOST + b"\r\n"],
    "host of bytes": [b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n"],
    "two lengths": [POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}"],
    "negative length": [POST + b"Content-Length: -1\r\n\r\n{}"],
    "length and chunks": [POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n", b"zz\r\n"],
    "chunk": [POST + b"Transfer-Encoding: chunked\r\n\r\n", b"zz\r\n"],
    "chunk with the request": [b"POST /nosuch HTTP/1.1\r\n" + JSON + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"],
    "chunk after the answer": [b"POST /nosuch HTTP/1.1\r\n" + JSON + b"Transfer-Encoding: chunked\r\n\r\n", b"zz\r\n"],
    "chunk after too much": [POST + b"Transfer-Encoding: chunked\r\n\r\n1388\r\n" + b"x" * 5000, b"garbage"],
    "type of bytes": [b"POST /api/sessions HTTP/1.1\r\n" + HOST + b"Content-Type: \xff\r\nContent-Length: 0\r\n\r\n"],
    "long header": [b"GET / HTTP/1.1\r\nX: " + b"a" * 20_000],
    "no web socket": [
        b"GET /nosuch HTTP/1.1\r\n"
        + HOST
        + b"Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n"
    ],
}


@pytest.mark.parametrize("pieces", NONSENSE.values(), ids=NONSENSE)
def test_nonsense_is_refused(running, heard, pieces):
    client = running.connect()
    for piece in pieces:
        client.sendall(piece)
        until(lambda: not heard.empty())
        while not heard.empty():
            heard.get()
    client.shutdown(socket.SHUT_WR)
    running.skip(1.1 * PATIENCE)
    head, _, body = rest_of(client).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 4")
    assert b"application/json" in head.lower()
    assert b'"error"' in body
    until(running.quiet)
    assert len(running.app.state.sessions) == 0


def test_damaged_requests_leave_nothing_in_the_log(running):
    chance = random.Random(0)
    good = [
        POST + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY,
        POST + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY),
        b"GET /api/games HTTP/1.1\r\n" + HOST + b"Range: bytes=0-9\r\n\r\n",
        b"GET /static/page.js HTTP/1.1\r\n" + HOST + b"If-None-Match: *\r\n\r\n",
    ]
    for _ in range(150):
        sent = bytearray(b"".join(chance.choices(good, k=2)))
        for _ in range(chance.randrange(1, 4)):
            start = chance.randrange(len(sent))
            sent[start : start + chance.randrange(3)] = chance.choice(
                [b"", b"\x00", b"\xff", b"\r\n", b" ", b"9", b"{"]
            )
        with running.connect(bytes(sent)):
            pass
    until(running.quiet)
    assert ask(running, "GET", "/api/games")[0] == 200


def test_answers_do_not_wait_for_acknowledgements(running):
    with running.connect():
        own = running.connections[0].transport.get_extra_info("socket")
        assert own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_one_client_has_so_many_connections(running, monkeypatch):
    monkeypatch.setattr(Connection, "most_each", 3)
    clients = [running.connect() for _ in range(3)]
    assert rest_of(socket.create_connection(running.address, timeout=HANGS)) == b""
    until(lambda: len(running.connections) == 3)
    clients.pop().close()
    until(lambda: len(running.connections) == 2)
    assert ask(running, "GET", "/api/games")[0] == 200
    for client in clients:
        client.close()


def test_a_client_cannot_claim_to_be_another():
    with Running(app_of(limits=Limits(sessions=1))) as running:
        assert ask(running, "POST", "/api/sessions", NEW)[0] == 201
        status, answer = ask(running, "POST", "/api/sessions", NEW, **{"X-Forwarded-For": "10.0.0.9"})
    assert status == 429
    assert "your address has 1 games" in answer["error"]
