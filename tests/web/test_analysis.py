"""The analysis board: its words are true, what somebody brings is checked, and a seat sees nothing that it may not."""

import json
import random
from types import SimpleNamespace

import pytest

from drako_env import golden_dragon_v0, replay
from drako_env.evaluation.analysis import Analyst
from drako_env.evaluation.runner import Job, play_job
from drako_env.games import make_game
from drako_env.players import make_player
from drako_env.render import OPEN
from drako_env.web import analysis
from drako_env.web.analysis_study import Study, judges_of
from tests.drako.positions import play, position
from tests.drako.random_games import random_positions
from tests.drako.test_r12_information import redealt
from tests.golden_dragon.test_g06_information import early_positions
from tests.golden_dragon.test_g06_information import redealt as stones_redealt
from tests.web.running import app_of
from tests.web.test_server import client_at

BLOCK = {"type": "block", "card": "claw-scales"}


@pytest.fixture(scope="module")
def recorded():
    game = make_game("drako", rules="tiny")
    names = ("ismcts:10", "heuristic")
    played = play_job(game, [make_player(name, game) for name in names], Job(names, 0, 5, record=True))
    return replay.record(game, 5, names, played.actions, played.opinions, played.values)


@pytest.fixture(scope="module")
def study(recorded):
    return Study.of_replay(recorded)


@pytest.fixture(scope="module")
def analyst(study):
    return Analyst(study.game, make_player("ismcts:20", study.game), make_player("ismcts:100", study.game), deals=2)


@pytest.fixture(scope="module")
def data(study, analyst):
    return study.data(analyst)


@pytest.fixture
def client(recorded, tmp_path):
    app = app_of(folder=tmp_path)
    replay.save(tmp_path / "finished" / "finished.jsonl", recorded)
    with client_at(app) as opened:
        yield opened


# What it says


def test_every_decision_is_judged_by_the_seat_that_made_it(recorded, study, data):
    assert len(data["decisions"]) == len(recorded.decisions) + 1
    assert data["decisions"][-1] == {}
    for decision, judged in zip(recorded.decisions, data["decisions"], strict=False):
        assert study.game.actions[judged["chosen"]] == decision.action
        assert judged["chosen"] in judged["legal"]
        assert len(judged["policy"]) == len(judged["legal"])
        assert sum(judged["policy"]) == pytest.approx(1, abs=0.01)
        assert ("recorded" in judged) == bool(decision.opinions)
        assert judged.get("recorded_chance") == (decision.value and round(decision.value, 4))
    assert [data["seats"][seat] for seat in data["deciders"][:-1]] == [d.agent for d in recorded.decisions]


def test_chances_end_with_the_result(recorded, data):
    for seat, reward in recorded.result.rewards.items():
        chances = data["chances"][seat]
        assert len(chances) == len(recorded.decisions) + 1
        assert all(0 <= chance <= 1 for chance in chances)
        assert chances[-1] == (reward + 1) / 2


def test_what_the_search_would_do_costs_nothing_and_other_choices_something(study, data, analyst):
    losses = []
    for number, action in enumerate(study.actions):
        judged, legal = study.search(number, analyst), data["decisions"][number]["legal"]
        shares = dict(zip(legal, judged["search"], strict=True))
        assert sum(shares.values()) == pytest.approx(1, abs=0.01)
        assert judged["loss"] == 0 or shares[action] < max(shares.values())
        losses.append(judged["loss"])
    assert max(losses) > 0.05, "a heuristic errs"


def test_to_die_instead_of_blocking_is_a_blunder():
    env = position(
        agent="dwarves",
        hands={"dwarves": {"great-axe-shield": 1}, "dragon": {"claw-scales": 1}},
        fury=(1, 0),
        wounds={"armor": 4, "flight": 3, "movement": 1, "fire": 2},
    )
    play(env, "play great-axe-shield as attack1")
    analyst = Analyst(env.game, make_player("ismcts:50", env.game), make_player("ismcts:200", env.game), deals=4)
    view, (take, block) = env.view(), (env.action_id(a) for a in ({"type": "take"}, BLOCK))
    assert analyst.opinion(analyst.search, view).best == block
    assert analyst.loss(view, take, block) > 0.1
    assert analyst.loss(view, block, take) == 0, "never below"


def test_judges_are_the_learnt_policy_where_there_is_one():
    assert judges_of(make_game("drako")) == ("policy", "puct:200")
    assert judges_of(make_game("drako", rules="tiny")) == ("ismcts:20", "ismcts:500")


# Nothing hidden


def seen_by(seat, game, state, judge):
    """All that a study of a game under way sends to a seat, as bytes."""
    study = Study(game, [state], [], ["person"] * len(game.seats), (seat,))
    found = study.data(judge)
    if found["decisions"][0]:
        found["search"] = study.search(0, judge)
    return json.dumps(found).encode()


@pytest.mark.parametrize("judges", ["policy", "ismcts:10"])
def test_r12_3_the_study_of_a_game_under_way_shows_a_seat_nothing_hidden(judges):
    chance, changed, count = random.Random(0), 0, 0
    for env in random_positions(seed=12, games=3, every=11, rules="reconstructed"):
        if env.position.over:
            continue
        game, count = env.game, count + 1
        judge = Analyst(game, make_player(judges, game), make_player("ismcts:20", game), deals=2)
        for seat, name in enumerate(game.seats):
            twin = redealt(env, name, chance)
            states = env.position.state.copy(), twin.position.state.copy()
            first, second = (seen_by(seat, game, state, judge) for state in states)
            assert first == second, f"hidden cards reach {name} through its analysis"
            with_all_hands = [Study(game, [state], [], "ab", (OPEN,)).data(None) for state in states]
            changed += with_all_hands[0] != with_all_hands[1]
    assert count > 10
    assert changed > count / 2, "with all hands open the difference shows"


def test_g6_the_study_of_a_game_under_way_shows_a_seat_no_hidden_stone():
    chance = random.Random(0)
    for count, env in enumerate(early_positions(seed=12)):
        if count == 20:
            break
        game = env.game
        judge = Analyst(game, make_player("ismcts:10", game), deals=2)
        for seat, name in enumerate(game.seats):
            twin = stones_redealt(env, name, chance)
            states = env.position.state.copy(), twin.position.state.copy()
            assert len({seen_by(seat, game, state, judge) for state in states}) == 1, name


def test_the_thoughts_of_others_are_not_for_a_seat(study, analyst):
    own = Study(study.game, study.states[:9], study.actions[:8], study.players, (0,), study.recorded, study.drawn)
    found = own.data(analyst)
    assert list(found["views"]) == list(found["chances"]) == ["dragon_0"]
    for number, decision in enumerate(found["decisions"]):
        assert bool(decision) == (int(own.states[number]["agent"]) == 0)
    number = next(n for n, state in enumerate(own.states) if int(state["agent"]) == 1)
    with pytest.raises(ValueError, match=f"decision {number} is not that of a seat that looks on"):
        own.search(number, analyst)


def test_drawn_cards_are_told_to_who_drew_them_and_with_all_hands_open(recorded, data):
    draws = [number for number, decision in enumerate(recorded.decisions) if decision.drawn]
    assert draws
    for number in draws:
        own, (other,) = recorded.decisions[number].agent, set(data["seats"]) - {recorded.decisions[number].agent}
        told = {view: data["views"][view]["moves"][number] for view in ("all", own, other)}
        assert ":" not in told[other]
        assert told["all"] == told[own] == f"{told[other]}: {told[own].partition(': ')[2]}"


def test_g6_the_order_of_stones_is_told_to_their_owner_only():
    env = golden_dragon_v0.raw_env()
    env.reset(seed=1)
    states, actions = [env.position.state.copy()], []
    while env.state_dict()["phase"] != "storm":
        actions.append(env.position.legal()[-1])
        env.step(actions[-1])
        states.append(env.position.state.copy())
    views = Study(env.game, states, actions, ["a", "b"], (OPEN, 0, 1)).data(None)["views"]
    ordered = [n for n, state in enumerate(states[:-1]) if env.game.phase(state) == "setup_order"]
    assert len(ordered) > 3
    for number in ordered:
        owner = int(states[number]["agent"])
        told = [views[name]["moves"][number] for name in ("all", *env.game.seats)]
        assert told[0] == told[1 + owner] != told[2 - owner]


# On the server


def bring(client, data):
    return client.post("/api/analysis", content=data, headers={"content-type": "application/jsonl"})


def test_a_finished_game_is_analysed(client, recorded):
    found = client.get("/api/analysis/finished").json()
    assert found["game"] == "drako_v0"
    assert list(found["views"]) == ["all", "dragon_0", "dwarves_0"]
    assert found["judges"] == ["ismcts:20", "ismcts:500"]
    searched = client.get("/api/analysis/finished/search/0").json()
    assert len(searched["search"]) == len(found["decisions"][0]["legal"])
    assert client.get("/api/analysis/finished/replay").content == replay.encode(recorded)
    assert client.get("/analysis/finished").text == client.get("/analysis").text
    last = len(recorded.decisions)
    assert client.get(f"/api/analysis/finished/position/{last}").json()["position"]["phase"] == "over"
    for wrong in (f"search/{last}", f"position/{last + 1}", "search/-1", "position/x", "search/" + "9" * 30):
        answer = client.get(f"/api/analysis/finished/{wrong}")
        assert (answer.status_code, answer.json()["error"][:10]) == (404, "decision: ")


@pytest.mark.parametrize("name", ["unknown", "file-0", "..%2Fgame", "position"])
def test_what_is_not_there_is_not_found(client, name):
    answer = client.get(f"/api/analysis/{name}")
    assert answer.status_code == 404
    assert answer.json()["error"].startswith("no such game") or answer.json()["error"] == "Not Found"


def test_a_replay_is_brought(client, recorded):
    answer = bring(client, replay.encode(recorded))
    assert answer.status_code == 201
    name = answer.json()["study"]
    assert client.get(f"/api/analysis/{name}").json()["players"] == ["ismcts:10", "heuristic"]
    assert client.get(f"/api/analysis/{name}/replay").content == replay.encode(recorded)


def play_on(client, study, number=0):
    return client.post("/api/sessions/on", json={"study": study, "number": number})


def test_one_plays_on_from_finished_games_and_from_those_that_are_brought(client, recorded):
    name = bring(client, replay.encode(recorded)).json()["study"]
    made = [play_on(client, study, 6).json() for study in ("finished", name)]
    assert made[0]["number"] == 6
    assert made[0]["picture"] == made[1]["picture"], "the same cards"
    assert made[0]["decider"] == recorded.decisions[6].agent
    assert made[0]["players"][made[0]["decider"]] == "person"
    assert play_on(client, name, len(recorded.decisions)).status_code == 422


@pytest.mark.parametrize(
    ("line", "text", "says"),
    [
        (4, "{nonsense", "line 4: not the decision of a replay"),
        (7, '{"agent": "dragon_0", "action": {"type": "fly away"}}', "line 7: "),
        (1, '{"format": "chess"}', "line 1: not the header of a replay"),
    ],
)
def test_a_broken_replay_is_refused_with_its_line(client, recorded, line, text, says):
    lines = replay.encode(recorded).decode().splitlines()
    lines[line - 1] = text
    answer = bring(client, "\n".join(lines).encode())
    assert answer.status_code == 422
    assert answer.json()["error"].startswith(says)
    assert bring(client, b"").json() == {"error": "line 1: a replay has a header, decisions and a result"}


def test_what_is_too_large_or_of_another_kind_is_refused(client):
    assert bring(client, b"x" * (analysis.LARGEST_REPLAY + 1)).status_code == 413
    assert client.post("/api/analysis", content=b"{}", headers={"content-type": "text/plain"}).status_code == 415


def test_a_position_is_set_up_by_hand(client):
    position = client.get("/api/analysis/finished/position/6").json()["position"]
    answer = client.post("/api/analysis/position", json={"study": "finished", "position": position})
    assert answer.status_code == 201
    found = client.get(f"/api/analysis/{answer.json()['study']}").json()
    assert len(found["deciders"]) == 1
    assert found["decisions"][0]["legal"]
    assert client.get(f"/api/analysis/{answer.json()['study']}/replay").status_code == 404
    position["phase"] = "dance"
    answer = client.post("/api/analysis/position", json={"study": "finished", "position": position})
    assert answer.status_code == 422
    assert "dance" in answer.json()["error"]
    for wrong in ({"game": "chess", "position": {}}, {"position": 3}, {"position": {}, "cheat": 1}):
        assert client.post("/api/analysis/position", json=wrong).status_code == 422


def test_memory_is_bounded(recorded, monkeypatch):
    monkeypatch.setattr(analysis, "MOST_STUDIES", 3)
    studies = analysis.Studies(SimpleNamespace(replay=lambda name: None), None)
    game = recorded.make_game()
    for state in Study.of_replay(recorded).states[:6]:
        brought = studies.bring(replay.encode(recorded))
        studies.set_up(analysis.WantedPosition(game.state_dict(state), brought), "me")
    assert len(studies._kept) == 3


def test_golden_dragon_is_studied_too():
    env = golden_dragon_v0.raw_env(num_players=3)
    env.reset(seed=1)
    study = Study(env.game, [env.position.state.copy()], [], ["a", "b", "c"], (OPEN, 0, 1, 2))
    found = study.data(Analyst(env.game, make_player("ismcts:10", env.game), deals=1))
    assert list(found["chances"]) == ["player_0", "player_1", "player_2"]
