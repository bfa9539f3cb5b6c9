"""Links: one secret for each person. A link shows and moves its seat only; whoever looks on sees no hand."""

import random

import numpy as np
import pytest

from drako_env.web.session import Session
from tests.web.running import app_of
from tests.web.test_server import client_at, new_session

TWO = {"players": ["person", "person"], "links": True}


@pytest.fixture
def client():
    return client_at(app_of())


def show(client, name, query=""):
    return client.get(f"/api/sessions/{name}{query}").json()


def test_by_default_there_is_one_link_for_all(client):
    made = new_session(client, players=["person", "person"])
    assert made["links"] == {}
    assert "." not in made["session"]


def test_each_link_sees_and_moves_its_own_seat(client):
    links = new_session(client, **TWO)["links"]
    dragon, dwarves = (show(client, links[seat]) for seat in ("dragon_0", "dwarves_0"))
    assert [dragon["viewer"], dwarves["viewer"]] == ["dragon_0", "dwarves_0"]
    assert [dragon["yours"], dwarves["yours"]] == [True, False]
    assert dwarves["actions"] == []
    body = {"number": 0, "action": dragon["actions"][0]["id"]}
    for what in ("play", "hint"):
        refused = client.post(
            f"/api/sessions/{links['dwarves_0']}/{what}", json=body if what == "play" else {"number": 0}
        )
        assert refused.status_code == 409
    assert client.post(f"/api/sessions/{links['dragon_0']}/play", json=body).status_code == 200
    assert show(client, links["dwarves_0"])["yours"]


def test_the_table_alone_and_wrong_secrets_open_nothing(client):
    table, _, secret = new_session(client, **TWO)["session"].partition(".")
    for name in (table, f"{table}.", f"{table}.{secret[:-1]}", f"{table}.{secret}x", f".{secret}", secret):
        assert client.get(f"/api/sessions/{name}").status_code == 404


def test_hands_are_closed_while_people_play(client):
    links = new_session(client, **TWO)["links"]
    assert client.get(f"/api/sessions/{links['dragon_0']}?view=dwarves_0").status_code == 409


def test_a_link_moves_with_its_person_when_sides_are_swapped(client):
    links = new_session(client, **TWO, table="micro")["links"]
    chance = random.Random(0)
    while not (shown := show(client, links["dragon_0"]))["over"]:
        name = links[shown["decider"]]
        shown = show(client, name)
        body = {"number": shown["number"], "action": chance.choice(shown["actions"])["id"]}
        client.post(f"/api/sessions/{name}/play", json=body)
    again = client.post(f"/api/sessions/{links['dragon_0']}/rematch", json={}).json()
    assert [again["viewer"], again["number"]] == ["dwarves_0", 0]
    assert show(client, links["dwarves_0"])["viewer"] == "dragon_0"


def test_whoever_watches_agents_may_open_a_hand(client):
    name = new_session(client, players=["random", "random"])["session"]
    closed, opened = show(client, name), show(client, name, "?view=dwarves_0")
    assert closed["viewer"] is None
    assert opened["viewer"] == "dwarves_0"
    assert not opened["yours"]
    assert opened["picture"] != closed["picture"]


def test_what_has_not_changed_is_not_sent_again(client):
    made = new_session(client)
    path = f"/api/sessions/{made['session']}"
    assert client.get(f"{path}?seen={made['version']}").status_code == 204
    client.post(f"{path}/play", json={"number": 0, "action": made["actions"][0]["id"]})
    assert client.get(f"{path}?seen={made['version']}").json()["number"] == 1


def secrets_agree(client, decisions, seed):
    """Re-deal what the person of a link may not know: nothing that the link gives changes by a byte."""
    chance, changed = random.Random(seed), 0
    made = new_session(client, **TWO)
    session = client.app.state.sessions.find(made["session"].partition(".")[0])
    for _ in range(decisions):
        shown = show(client, made["session"])
        if shown["over"]:
            break
        session.play(session.number, chance.choice(session._position.legal()))
        before, kept = (
            {seat: show(client, link) for seat, link in made["links"].items()},
            session._position.states.copy(),
        )
        for seat, name in enumerate(session.game.seats):
            session._position.states["rng"] = np.array([chance.getrandbits(63)] * 2, np.uint64)
            session._position.redeal(seat)
            session._position.update()
            changed += session.game.state_dict(session._position.state) != session.game.state_dict(kept[0])
            assert show(client, made["links"][name]) == before[name]
            session._position.states[:] = kept
            session._position.update()
    assert changed > decisions


def test_nothing_hidden_reaches_a_link(client):
    secrets_agree(client, 40, seed=0)


def test_a_planted_leak_is_caught(client, monkeypatch):
    honest = Session.payload
    leaky = lambda self, seat, shared: honest(self, None, True)  # noqa: E731  the eyes of whoever decides
    monkeypatch.setattr(Session, "payload", leaky)
    with pytest.raises(AssertionError):
        secrets_agree(client, 40, seed=1)
