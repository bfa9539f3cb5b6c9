"""The analysis board of a game under way shows a seat nothing that its own page would not; one plays on from positions
that were set up by hand."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from drako_env import replay
from drako_env.engine.position import Position
from drako_env.render import OPEN
from drako_env.web import analysis
from drako_env.web.analysis_study import make_analyst
from drako_env.web.server import Chair
from drako_env.web.setup import Preset
from tests.web.running import app_of
from tests.web.test_links import TWO, show
from tests.web.test_server import client_at, new_session

ALONE = {"drako": "person heuristic", "golden_dragon": "random person random", "icarius": "person random"}


@pytest.fixture
def client(tmp_path, monkeypatch):
    monkeypatch.setattr(analysis, "make_analyst", lambda game: make_analyst(game, deals=2))
    monkeypatch.setattr(analysis, "MOST_STUDIES", 0)  # nothing is remembered that could hide a difference
    return client_at(app_of(folder=tmp_path, preset=Preset(seed=7)))  # in some games nobody would hold a card


def sit_alone(client, game):
    players = ALONE[game].split()
    return new_session(client, game=game, players=players, options={"num_players": 3} if len(players) == 3 else {})


def session_of(client, name):
    return client.app.state.sessions.find(name.partition(".")[0])


def go_on(client, name, decisions, chance):
    """Random decisions of whoever is asked."""
    session = session_of(client, name)
    for _ in range(decisions):
        if not session.over:
            session._decide(chance.choice(session._position.legal()))
    return session


def study(client, name):
    """All that the analysis board is sent about a game under way."""
    answer = client.get(f"/api/analysis/table-{name}")
    assert answer.status_code == 200, answer.text
    found = answer.json()
    asked = [number for number, decision in enumerate(found["decisions"]) if decision][-2:]
    return found, [client.get(f"/api/analysis/table-{name}/search/{number}").json() for number in asked]


# Nothing hidden


def redeal(session, seat, chance):
    """Let everything be different that a seat does not know, now and at every decision so far."""
    for number, state in enumerate([*session._before, session._position.state]):
        twin = Position.of(session.game, state)
        twin.states["rng"] = np.array([chance.getrandbits(63)] * 2, np.uint64)
        twin.redeal(seat)
        twin.update()
        if number == len(session._before):
            session._position = twin
        else:
            session._before[number] = twin.state
            redeal_decision(session, number, seat, twin, chance)


def redeal_decision(session, number, seat, twin, chance):
    """What another seat drew, and which stone it put where nobody looks."""
    event = session._events[number]
    if event.seat == seat:
        return
    session._events[number] = replace(event, drawn={"dragon": {"secret": 1}, "dwarves": {"secret": 1}})
    if session.game.phase(twin.state) == "setup_order":
        session._actions[number] = chance.choice(twin.legal())


def studies_agree(client, names, rounds, seed):
    """Re-deal what each seat may not know: its analysis does not change by a byte. `names` are its chairs."""
    chance, changed = random.Random(seed), 0
    for _ in range(rounds):
        session = go_on(client, next(iter(names.values())), 7, chance)
        if session.over:
            break
        for seat, name in names.items():
            kept = [list(session._before), list(session._events), list(session._actions), session._position]
            before, states = study(client, name), [session.game.state_dict(one) for one in session._before]
            redeal(session, session.game.seats.index(seat), chance)
            changed += states != [session.game.state_dict(one) for one in session._before]
            after = study(client, name)
            session._before, session._events, session._actions, session._position = kept
            assert json.dumps(after) == json.dumps(before), f"what {seat} may not know reaches its analysis"
    assert changed > rounds // 2


@pytest.mark.parametrize("game", ALONE)
def test_nothing_hidden_reaches_whoever_plays_against_agents(client, game):
    made = sit_alone(client, game)
    studies_agree(client, {made["viewer"]: made["session"]}, rounds=5, seed=0)


def test_nothing_hidden_reaches_either_of_two_people(client):
    studies_agree(client, new_session(client, **TWO, analysis=True)["links"], rounds=4, seed=0)


@pytest.mark.parametrize("game", ["drako", "golden_dragon"])
def test_a_planted_leak_is_caught(client, game, monkeypatch):
    monkeypatch.setattr(Chair, "eyes", OPEN)
    made = sit_alone(client, game)
    with pytest.raises(AssertionError, match="may not know"):
        studies_agree(client, {made["viewer"]: made["session"]}, rounds=5, seed=0)


def test_only_what_a_seat_itself_decided_is_judged(client):
    made = sit_alone(client, "drako")
    session = go_on(client, made["session"], 30, random.Random(1))
    found, searched = study(client, made["session"])
    assert found["practice"]
    assert list(found["views"]) == list(found["chances"]) == ["dragon_0"]
    assert [bool(one) for one in found["decisions"]] == [seat == 0 for seat in found["deciders"]]
    assert searched[-1]["search"]
    other = found["deciders"].index(1)
    for what, status in ((f"search/{other}", 422), (f"position/{other}", 409), ("replay", 404)):
        assert client.get(f"/api/analysis/table-{made['session']}/{what}").status_code == status
    refused = play_on(client, f"table-{made['session']}", 3)
    assert (refused.status_code, refused.json()["error"]) == (409, analysis.PRACTICE)
    assert session.number == 30


# Where it is open


def may_study(client, name):
    """Whether the page offers the board; what the server does agrees."""
    offered, status = show(client, name)["analysis"], client.get(f"/api/analysis/table-{name}").status_code
    assert status == (200 if offered else 409)
    return offered


def test_it_is_closed_where_others_play_unless_they_chose_it(client):
    links = new_session(client, **TWO)["links"]
    assert not any(may_study(client, name) for name in links.values())
    links = new_session(client, **TWO, analysis=True)["links"]
    assert all(may_study(client, name) for name in links.values())
    for seat, name in links.items():
        assert list(study(client, name)[0]["views"]) == [seat]
    table = links["dragon_0"].partition(".")[0]
    for name in (table, f"{table}.x", "nosuch"):
        assert client.get(f"/api/analysis/table-{name}").status_code == 404


@pytest.mark.parametrize("chosen", [False, True])
def test_it_is_closed_where_people_pass_the_screen(client, chosen):
    assert not may_study(client, new_session(client, players=["person", "person"], analysis=chosen)["session"])


def test_what_was_chosen_is_there_again_after_a_restart(client, tmp_path):
    links = new_session(client, **TWO, analysis=True)["links"]
    again = client_at(app_of(folder=tmp_path))
    assert all(may_study(again, name) for name in links.values())


def test_all_hands_are_open_where_nobody_plays_or_the_game_is_over(client):
    watched = new_session(client, players=["random", "random"])["session"]
    over = new_session(client, table="micro")["session"]
    for name, decisions in ((watched, 20), (over, 500)):
        go_on(client, name, decisions, random.Random(2))
        found, _ = study(client, name)
        assert list(found["views"]) == ["all", "dragon_0", "dwarves_0"]
        assert not found["practice"]
    assert client.get(f"/api/analysis/table-{watched}/position/5").status_code == 200


# Watching with all hands open


def test_whoever_watches_agents_may_open_all_hands(client):
    name = new_session(client, players=["random", "random"])["session"]
    session = go_on(client, name, 40, random.Random(0))
    opened, closed = show(client, name, "?view=all"), show(client, name)
    hands = session.game.state_dict(session._position.state)["hands"]
    held = {card for hand in hands.values() for card in hand}
    assert held
    for card in held:
        assert f'data-card="{card}"' in opened["picture"]
    assert "data-card" not in closed["picture"]
    drawn = [line["text"] for line in opened["log"] if line["text"].startswith("draws") and ":" in line["text"]]
    assert drawn
    assert not [line for line in closed["log"] if line["text"] in drawn]
    assert (opened["viewer"], opened["yours"], opened["actions"]) == (None, False, [])


def test_hands_stay_closed_where_a_person_plays(client):
    alone, links = sit_alone(client, "drako")["session"], new_session(client, **TWO)["links"]
    for name in (alone, links["dragon_0"]):
        before = show(client, name)
        assert client.get(f"/api/sessions/{name}?view=all").status_code == 409
        assert client.post(f"/api/sessions/{name}/undo?view=all", json={}).status_code == 409
        assert show(client, name) == before


# Play on from a position that was set up by hand


def set_up(client, position, game="drako"):
    return client.post("/api/analysis/position", json={"game": game, "position": position})


def play_on(client, name, number=0):
    return client.post("/api/sessions/on", json={"study": name, "number": number})


@pytest.fixture
def remembering(tmp_path):
    return client_at(app_of(folder=tmp_path))


@pytest.mark.parametrize("game", ALONE)
def test_one_plays_on_from_a_position_to_the_end_and_again(remembering, game, tmp_path):
    client, chance = remembering, random.Random(3)
    made = new_session(client, game=game, players=["person", "random"])
    session = go_on(client, made["session"], 25, chance)
    position = session.game.state_dict(session._position.state)
    name = set_up(client, position, game).json()["study"]
    begun = play_on(client, name).json()
    assert begun["practice"]
    assert begun["players"][begun["decider"]] == "person"
    played = session_of(client, begun["session"])
    assert played.game.state_dict(played._position.state) == position
    again = session_of(client_at(app_of(folder=tmp_path)), begun["session"])
    assert again.payload() == played.payload(), "it survives a restart"
    while not played.over:
        go_on(client, begun["session"], 1, chance)
    assert replay.verify(found := replay.decode(played.replay()))
    assert found.header.position == position
    once_more = play_on(client, played.finished, 3).json()
    assert once_more["number"] == 3
    assert client.get(f"/api/analysis/{played.finished}").status_code == 200
    client.post(f"/api/sessions/{begun['session']}/rematch", json={})
    assert played.game.state_dict(played._position.state) == position, "a rematch begins there, too"


def test_a_position_in_which_the_game_is_over_is_looked_at_only(remembering):
    made = new_session(remembering, table="micro")
    session = go_on(remembering, made["session"], 500, random.Random(1))
    position = session.game.state_dict(session._position.state)
    wanted = {"study": f"table-{made['session']}", "position": position}
    name = remembering.post("/api/analysis/position", json=wanted).json()["study"]
    assert play_on(remembering, name).json() == {
        "error": "number: there is no such decision, or the game is over there"
    }


def test_nobody_plays_on_where_nothing_is_kept():
    answer = play_on(client_at(app_of()), "position-0")
    assert answer.status_code == 404


MISTAKES = [
    (lambda p: p.pop("hands"), "the position lacks the key 'hands'"),
    (lambda p: p.update(turn=-3), "turn: -3 is not a whole number from 0 to"),
    (lambda p: p.update(phase="dance"), "phase: 'dance' is not one of"),
    (lambda p: p["dragon"].update(hex=[9, 9]), "9"),
    (lambda p: p["dragon"].update(hex=p["dwarves"]["net"]["hex"]), "] holds another figure already"),
    (lambda p: p["hands"]["dragon"].update(nosuch=1), "nosuch"),
    (lambda p: p["dragon"].update(wounds=3), "wounds: 3, but expected { } with armor, flight, movement, fire"),
    (lambda p: p.update(hands=7), "hands: 7, but expected { } with dragon, dwarves"),
    (lambda p: p.update(dwarves=None), "dwarves: None, but expected { } with fury, archer, net"),
]


@pytest.mark.parametrize(("change", "says"), MISTAKES, ids=[says for _, says in MISTAKES])
def test_what_is_wrong_with_a_position_is_said_in_plain_words(remembering, change, says):
    session = go_on(remembering, new_session(remembering)["session"], 12, random.Random(1))
    position = session.game.state_dict(session._position.state)
    change(position)
    answer = set_up(remembering, position)
    assert answer.status_code == 422
    assert says in answer.json()["error"]
    assert "object" not in answer.json()["error"]
