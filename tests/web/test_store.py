"""Games are kept: after every decision, through a restart, within bounds; and finished ones as replays."""

import random
import re
import time
import urllib.request
from pathlib import Path

import pytest

from drako_env import replay
from drako_env.players import make_player
from drako_env.web.store import SUFFIX, Store
from tests.web.browsing import serving
from tests.web.running import HANGS, app_of
from tests.web.test_server import NEW, client_at, new_session
from tests.web.test_session import GAMES, play_on, session


def table_file(store, name):
    return store.folder / "tables" / f"{name}{SUFFIX}"


def kept(store, name, played):
    played.keep(store.journal(name))
    return played


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("decisions", [0, 1, 25, 10**6])
def test_a_table_is_there_again(tmp_path, name, decisions):
    store = Store(tmp_path)
    played = kept(store, "mine", session(name))
    play_on(played, random.Random(1), decisions)
    found = Store(tmp_path).find("mine", make_player)
    assert found.payload() == played.payload()
    assert found.header() == played.header()


def test_what_was_taken_back_stays_so(tmp_path):
    store = Store(tmp_path)
    played = kept(store, "mine", session("drako", practice=True))
    play_on(played, random.Random(1), 30)
    played.undo()
    again = store.find("mine", make_player).payload()
    assert again | {"version": ""} == played.payload() | {"version": ""}


def test_a_rematch_goes_on_with_sides_swapped_and_the_score(tmp_path):
    store = Store(tmp_path)
    played = kept(store, "mine", session("drako"))
    play_on(played, random.Random(1))
    first = played.payload()
    played.rematch(7, swap=True)
    play_on(played, random.Random(2), 5)
    found = store.find("mine", make_player).payload()
    assert found | {"version": ""} == played.payload() | {"version": ""}
    assert list(found["players"].values()) == list(first["players"].values())[::-1]
    assert found["score"]["games"] == 1
    (winner,) = (seat for seat, reward in first["over"]["rewards"].items() if reward > 0)
    (other,) = set(found["players"]) - {winner}
    assert found["score"]["seats"][other]["won"] == 1


def test_a_cut_line_is_as_if_it_had_not_been_written(tmp_path):
    store = Store(tmp_path)
    played = kept(store, "mine", session("drako"))
    play_on(played, random.Random(1), 12)
    before = played.payload()
    play_on(played, random.Random(1), 1)
    path = table_file(store, "mine")
    path.write_bytes(path.read_bytes()[:-1])
    found = store.find("mine", make_player)
    assert found.payload() == before
    play_on(found, random.Random(3), 1)
    assert store.find("mine", make_player).number == 13


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: "x" + text,
        lambda text: text.replace("drako_v0", "chess_v0"),
        lambda text: text.replace('"digest":"', '"digest":"0'),
        lambda text: text + "99999\n",
        lambda text: text + "[]\n",
        lambda text: text.replace("table 1", "table 9"),
    ],
)
def test_a_damaged_file_is_no_table(tmp_path, damage):
    store = Store(tmp_path)
    play_on(kept(store, "mine", session("drako")), random.Random(1), 5)
    path = table_file(store, "mine")
    path.write_text(damage(path.read_text()))
    assert store.find("mine", make_player) is None


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", "x" * 100, "\x00"])
def test_no_name_leads_out_of_the_folder(tmp_path, name):
    store = Store(tmp_path / "games")
    (tmp_path / f"x{SUFFIX}").write_text("{}")
    assert store.find(name, make_player) is None
    assert store.replay(name) is None


def test_finished_games_are_replays_and_listed(tmp_path):
    store = Store(tmp_path)
    played = kept(store, "mine", session("drako"))
    play_on(played, random.Random(1))
    path = store.replay(played.finished)
    assert replay.verify(replay.load(path))
    (listed,) = store.listed(10)
    assert listed["name"] == played.finished
    assert listed["rewards"] == played.payload()["over"]["rewards"]
    assert "mine" not in played.finished


def test_tables_and_finished_games_are_bounded(tmp_path):
    store = Store(tmp_path, most_tables=5, most_finished=3)
    for number in range(9):
        store.make_room({f"table{number}"})
        table_file(store, f"table{number}").write_text("{}\n")
        store.keep(b'{"game":"drako_v0","seats":{}}\n{"rewards":{},"ending":"x"}\n')
    assert len(list((tmp_path / "tables").iterdir())) == 5
    assert len(list((tmp_path / "finished").iterdir())) == 3
    assert len(store.listed(99)) == 3


def test_what_is_in_use_is_not_forgotten(tmp_path):
    store = Store(tmp_path, most_tables=2)
    for name in ("a", "b", "c"):
        table_file(store, name).write_text("{}\n")
    store.make_room({"a", "b"})
    assert {path.stem for path in (tmp_path / "tables").iterdir()} == {"a", "b"}


def test_a_full_disk_ends_no_game_but_is_said(tmp_path, monkeypatch):
    store = Store(tmp_path)
    played = kept(store, "mine", session("drako"))

    def full(path, line):
        raise OSError(28, "no room", str(path))

    monkeypatch.setattr("drako_env.web.store.append", full)
    assert played.payload()["kept"]
    play_on(played, random.Random(1), 3)
    assert played.number == 3
    assert not played.payload()["kept"]


def fill(folder, opponent):
    """As many tables and finished games as are kept; every one of them a whole game."""
    store = Store(folder)
    play_on(kept(store, "mine", session("drako", opponent=opponent)), random.Random(1))
    table, finished = table_file(store, "mine").read_bytes(), next((folder / "finished").iterdir())
    for number in range(199):
        table_file(store, f"table{number}").write_bytes(table)
    for number in range(1999):
        (folder / "finished" / f"20200101-000000-{number:04}{SUFFIX}").write_bytes(finished.read_bytes())


def test_the_server_starts_with_two_hundred_tables_and_two_thousand_finished_games(tmp_path):
    fill(tmp_path, "random")
    app = app_of(folder=tmp_path)
    client = client_at(app)
    assert len(app.state.sessions) == 0  # read when they are asked for
    assert client.get("/api/sessions/table7").status_code == 200
    assert len(client.get("/api/finished").json()["games"]) == 100
    new_session(client)
    assert len(list((tmp_path / "tables").iterdir())) == 200


def fetched(address, path):
    with urllib.request.urlopen(f"{address}{path}", timeout=HANGS) as answer:
        return answer.read()


def memory(process):
    """Of a process, in MB."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1000


@pytest.mark.slow
@pytest.mark.timing
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc")
def test_a_full_folder_costs_little_memory_disk_and_time(tmp_path):
    fill(tmp_path, "policy")
    disk = sum(path.stat().st_size for path in tmp_path.rglob(f"*{SUFFIX}")) / 1e6
    begun = time.perf_counter()
    with serving("--keep", str(tmp_path)) as (server, address):
        fetched(address, "api/finished")
        started, used = time.perf_counter() - begun, [memory(server)]
        for _ in range(2):
            for number in range(199):
                fetched(address, f"api/sessions/table{number}")
            used.append(memory(server))
    print(f"started in {started:.1f} s, {disk:.0f} MB on disk; MB of memory: {', '.join(f'{mb:.0f}' for mb in used)}")
    assert started < 5
    assert disk < 200
    assert used[1] - used[0] < 500
    assert used[2] - used[1] < 20, "a second look costs nothing"


def test_a_restarted_server_goes_on(tmp_path):
    client = client_at(app_of(folder=tmp_path))
    made = new_session(client)
    path = f"/api/sessions/{made['session']}"
    shown = client.post(f"{path}/play", json={"number": 0, "action": made["actions"][0]["id"]}).json()
    again = client_at(app_of(folder=tmp_path))
    assert again.get(path).json() == shown
    assert again.post(f"{path}/advance", json={"number": 1}).json()["number"] == 2


def test_memory_is_bounded_and_nothing_is_lost(tmp_path):
    app = app_of(folder=tmp_path, most_sessions=3)
    client = client_at(app)
    names = [new_session(client)["session"] for _ in range(3)]
    app.state.sessions.most = 2
    for name in names * 2:
        assert client.get(f"/api/sessions/{name}").status_code == 200
        assert len(app.state.sessions) <= 3
    assert client.post("/api/sessions", json=NEW).status_code == 201


def finished_game(client):
    """The name of a finished game of two agents, and how many decisions it has."""
    made = new_session(client, players=["heuristic", "heuristic"], table="tiny")
    shown, path = made, f"/api/sessions/{made['session']}"
    while not shown["over"]:
        shown = client.post(f"{path}/advance", json={"number": shown["number"]}).json()
    return shown["finished"], shown["number"], shown


def test_one_can_play_on_from_a_finished_game(tmp_path):
    client = client_at(app_of(folder=tmp_path))
    name, decisions, before = finished_game(client)
    made = client.post("/api/sessions/on", json={"study": name, "number": 7}).json()
    assert (made["number"], made["practice"]) == (7, True)
    assert [line["turn"] for line in made["log"]] == [line["turn"] for line in before["log"][:7]]
    assert sorted(made["players"].values()) == ["heuristic", "person"]
    assert made["players"][made["decider"]] == "person"
    for changes, status in (
        ({"number": decisions}, 422),
        ({"number": -1}, 422),
        ({"study": "nosuch"}, 404),
        ({"study": "../x"}, 404),
        ({"game": "icarius"}, 422),
    ):
        answer = client.post("/api/sessions/on", json={"study": name, "number": 7} | changes)
        assert answer.status_code == status, changes
