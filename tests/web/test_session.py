"""A session: people and agents take turns, and what leaves it is what the person who looks may know."""

import queue
import random
import threading

import numpy as np
import pytest

from drako_env import replay
from drako_env.drako.game import Drako
from drako_env.games import make_game
from drako_env.players import make_player
from drako_env.web.session import PERSON, RefusedError, Session
from tests.web.running import HANGS

GAMES = {"drako": {}, "golden_dragon": {"num_players": 3}, "icarius": {}}


def session(name="drako", person=0, opponent="random", seed=1, practice=False):
    game = make_game(name, **GAMES[name])
    players = [PERSON if seat == person else opponent for seat in range(len(game.seats))]
    return Session(game, players, make_player, seed, practice)


def play_on(session, chance, decisions=10**6):
    """Random decisions of the person, and those of the agents."""
    for _ in range(decisions):
        shown = session.payload()
        if shown["over"]:
            return
        if shown["yours"]:
            session.play(shown["number"], chance.choice(shown["actions"])["id"])
        else:
            session.advance(shown["number"])


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_and_its_replay(name, tmp_path):
    played = session(name)
    with pytest.raises(RefusedError, match="not over"):
        played.replay()
    play_on(played, random.Random(0))
    path = tmp_path / "game.jsonl"
    path.write_bytes(played.replay())
    assert replay.verify(replay.load(path))
    assert sum(played.payload()["over"]["rewards"].values()) <= 0
    played.rematch(2)
    assert played.number == 0
    assert not played.over


def test_what_cannot_be_done_is_refused_and_changes_nothing():
    played = session("drako")
    before = played.payload()
    illegal = next(i for i in range(222) if i not in [choice["id"] for choice in before["actions"]])
    for attempt in (
        lambda: played.play(0, illegal),
        lambda: played.play(0, -1),
        lambda: played.play(0, 10**6),
        lambda: played.play(5, before["actions"][0]["id"]),
        lambda: played.advance(0),
        lambda: played.undo(),
        lambda: played.rematch(1),
    ):
        with pytest.raises(RefusedError):
            attempt()
    assert played.payload() == before


def test_a_decision_sent_twice_is_played_once():
    played = session("drako")
    first = played.payload()["actions"][0]["id"]
    played.play(0, first)
    with pytest.raises(RefusedError, match="at decision 1, not 0"):
        played.play(0, first)


def test_undo_goes_back_to_the_last_own_decision():
    played, chance = session("drako", practice=True), random.Random(1)
    with pytest.raises(RefusedError, match="nothing to take back"):
        played.undo()
    play_on(played, chance, 30)
    while not played.payload()["yours"]:
        played.advance(played.number)
    before = played.payload()
    played.play(before["number"], before["actions"][0]["id"])
    while not played.over and not played.payload()["yours"]:
        played.advance(played.number)
    played.undo()
    assert played.payload() | {"version": before["version"]} == before


def test_hints_are_legal_and_shares():
    played = session("drako")
    legal = {choice["id"] for choice in played.payload()["actions"]}
    hints = played.hint(0, "ismcts:50")
    assert {hint["action"] for hint in hints} <= legal
    assert 0 < sum(hint["share"] for hint in hints) <= 1.001


def test_several_people_see_their_own_side_only_when_they_decide():
    game = make_game("drako")
    played = Session(game, [PERSON, PERSON], make_player, 3, False)
    assert played.payload()["viewer"] == "dragon_0"
    played.play(0, played.payload()["actions"][0]["id"])
    assert played.payload()["viewer"] == "dwarves_0"


def test_stones_put_into_a_holder_are_heard_by_their_owner_only():
    played = session("golden_dragon", person=0, opponent="random")
    while played.game.phase(played._position.state) != "storm":
        shown = played.payload()
        if shown["yours"]:
            played.play(shown["number"], shown["actions"][0]["id"])
        else:
            played.advance(shown["number"])
    lines = played.payload()["log"]
    others = [line["text"] for line in lines if line["seat"] != "player_0"][2:]
    assert set(others) == {"puts a stone into the holder"}
    own = [line["text"] for line in lines if line["seat"] == "player_0"]
    assert "puts the south stone into the holder" in own


class Thinker:
    """An agent that waits to be told."""

    def __init__(self):
        self.asked, self.told = threading.Event(), threading.Event()

    def reset(self, seed):
        pass

    def act(self, view):
        self.asked.set()
        assert self.told.wait(HANGS)
        return view.legal()[0]


@pytest.fixture
def thinking():
    """A session whose agent thinks in another thread, all agents made so far, and what became of the thought."""
    made, outcome = [], queue.Queue()

    def make(spec, game):
        made.append(Thinker())
        return made[-1]

    played = Session(make_game("drako"), ["thinker", PERSON], make, 1, True)

    def think():
        try:
            played.advance(0)
            outcome.put("played")
        except RefusedError as error:
            outcome.put(str(error))

    thread = threading.Thread(target=think)
    thread.start()
    assert made[0].asked.wait(HANGS)
    yield played, made, outcome
    for agent in made:
        agent.told.set()
    thread.join()


def test_a_session_can_be_looked_at_while_an_agent_thinks(thinking):
    played, made, outcome = thinking
    assert played.payload()["number"] == 0
    assert not played.idle
    with pytest.raises(RefusedError, match="thinking already"):
        played.advance(0)
    made[0].told.set()
    assert outcome.get(timeout=HANGS) == "played"
    assert played.number == 1
    assert played.idle


def test_a_thought_that_was_cancelled_is_lost(thinking):
    played, made, outcome = thinking
    played.cancel()
    with pytest.raises(RefusedError, match="nobody is thinking"):
        played.cancel()
    made[1].told.set()
    played.advance(0)  # another one of its kind
    assert played.number == 1
    made[0].told.set()
    assert outcome.get(timeout=HANGS) == "the game has changed meanwhile"
    assert played.number == 1
    assert played.idle


def test_an_agent_that_fails_does_not_jam_the_session():
    class Broken:
        def reset(self, seed):
            pass

        def act(self, view):
            raise ZeroDivisionError

    played = Session(make_game("drako"), ["broken", PERSON], lambda spec, game: Broken(), 1, False)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            played.advance(0)
    assert played.idle


def test_a_match_is_two_games_with_sides_swapped():
    played = session("drako", person=0)
    results = [[True, False], [False, True]]
    for won, points, expected in (
        (results, ([5, 3], [2, 4]), {"winner": None, "by_points": True}),
        (results, ([5, 3], [2, 3]), {"winner": "dragon_0", "by_points": True}),
        (results[1:] * 2, ([9, 0], [9, 0]), {"winner": "dwarves_0", "by_points": False}),
    ):
        played.games = [{"won": w, "points": p} for w, p in zip(won, points, strict=True)]
        assert played.payload()["score"]["match"] == expected
    played.games.append({"won": [True, False], "points": [0, 0]})
    assert played.payload()["score"]["match"] is None
    assert played.payload()["score"]["seats"]["dragon_0"]["won"] == 1


def payloads_agree(name, positions, seed):
    """Re-deal what the viewer may not know: the payload stays the same, byte for byte."""
    chance, checked, changed = random.Random(seed), 0, 0
    while checked < positions:
        seats = len(make_game(name, **GAMES[name]).seats)
        played = session(name, person=chance.randrange(seats), seed=chance.getrandbits(60))
        for _ in range(chance.randrange(1, 40)):
            play_on(played, chance, 1)
        before, states = played.payload(), played._position.states.copy()
        played._position.states["rng"] = np.array([chance.getrandbits(63), chance.getrandbits(63)], np.uint64)
        played._position.redeal(played.people[0])
        assert played.payload() == before
        changed += played.game.state_dict(played._position.state) != played.game.state_dict(states[0])
        checked += 1
    assert changed > positions // 10


@pytest.mark.parametrize("name", GAMES)
def test_nothing_hidden_is_in_the_payload(name):
    payloads_agree(name, 25, seed=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_nothing_hidden_is_in_the_payload_of_a_thousand_positions(name):
    payloads_agree(name, 1000, seed=1)


def test_a_planted_leak_is_caught(monkeypatch):
    honest = Drako.scene
    monkeypatch.setattr(Drako, "scene", lambda self, state, seat: honest(self, state, 0))
    with pytest.raises(AssertionError):
        payloads_agree("drako", 60, seed=0)
