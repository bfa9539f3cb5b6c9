"""Guided first games, and what can be chosen before a game."""

import re
from pathlib import Path

import pytest

from drako_env.__main__ import run
from drako_env.games import GAMES, make_game
from drako_env.players import ladder
from drako_env.web.lessons import lesson_of
from drako_env.web.setup import OWN, Preset, described, offered_options
from tests.web.running import app_of
from tests.web.test_server import client_at

LEVELS = Path(__file__).parent.parent.parent / "notebooks" / "docs" / "guides" / "evaluation.md"


@pytest.mark.parametrize("name", GAMES)
def test_every_step_can_be_done_and_names_what_it_asks_for(name):
    steps = lesson_of(name)["steps"]
    assert 5 <= len(steps) <= 10
    for step in steps:
        offered = {action["id"] for action in step["before"]["actions"]}
        assert set(step["right"]) <= offered
        assert step["right"]
        assert len(offered) > 0
        assert step["text"]
        assert step["before"]["viewer"] == step["seat"]


@pytest.mark.parametrize("name", GAMES)
def test_a_step_shows_its_seat_no_hidden_card(name):
    for step in lesson_of(name)["steps"]:
        hands = [pile["title"] for pile in step["before"]["cards"] if pile["title"] == "Your hand"]
        assert len(hands) <= 1
        assert "hands" not in step["before"]


def test_there_is_no_lesson_of_another_game():
    assert lesson_of("chess") is None


MEASURED = [("drako", "", "drako")] + [("golden_dragon", n, f"golden_dragon {n}") for n in "2345"]


@pytest.mark.parametrize(("name", "count", "part"), MEASURED, ids=lambda value: value)
def test_ratings_are_those_that_were_measured(name, count, part):
    text = (
        LEVELS.read_text().partition(f"<!-- written by scripts/tournament.py, {part} -->")[2].partition("<!-- end")[0]
    )
    rows = re.findall(r"^\| (\d) +\| `(.*?)` .*?\| (\d+)(?: \([^)]*\))? +\|.*?\| ([\d.]+) +\|$", text, re.MULTILINE)
    assert [player for _, player, _, _ in rows] == list(ladder(make_game(name, **options_of(count))))
    opponents = described(name, [f"level:{number}" for number, *_ in rows], Preset())["opponents"][count]
    for (_, _, rating, ms), shown in zip(rows, opponents, strict=True):
        assert f"(rating {rating}, thinks {float(ms):g} ms)" in shown["label"]


def options_of(count):
    return {"num_players": int(count)} if count else {}


def test_the_twin_has_the_ratings_of_golden_dragon():
    levels = [f"level:{number}" for number in range(1, 9)]
    one, other = (described(name, levels, Preset())["opponents"] for name in ("golden_dragon", "icarius"))
    assert one == other
    assert all("(rating " in shown["label"] for shown in one["5"])


def test_a_player_that_is_a_level_has_the_rating_of_that_level():
    number = ladder(make_game("drako")).index("policy") + 1
    policy, level = described("drako", ["policy", f"level:{number}"], Preset())["opponents"][""]
    assert "(rating " in policy["label"]
    assert policy["label"].partition("(")[2] == level["label"].partition("(")[2]


def test_variants_have_levels_without_ratings():
    (three,) = described("drako", ["level:3"], Preset())["opponents"][""]
    assert three["label"].startswith("Level 3: plays well, 49% slips (rating ")
    assert three["varied"] == "Level 3: rules of thumb, 35% slips"


def test_other_rules_have_levels_without_ratings():
    table = Preset("golden_dragon", make_game("golden_dragon", num_players=3, board="auto", veto_scope="others"))
    shown = described("golden_dragon", ["level:1", "level:3", "level:8"], table)["opponents"]
    assert [one["label"] for one in shown[OWN]] == [
        "Level 1: does anything that is allowed",
        "Level 3: rules of thumb, 35% slips",
        "Level 8: strongest, looks ahead, 30,000 tries a decision",
    ]


@pytest.mark.parametrize("name", GAMES)
def test_every_option_table_and_opponent_is_explained(name):
    shown = described(name, ["policy", "level:1", "level:8", "heuristic", "ismcts:200", "random"], Preset())
    offered = set(offered_options(GAMES[name])) - {"num_players"}
    assert {option["name"] for option in shown["options"]} == offered
    for option in shown["options"]:
        assert option["help"]
        assert option["label"] != option["name"]
    assert all(table["label"] != table["value"] for table in shown["tables"])
    assert all(one["label"] != one["value"] for opponents in shown["opponents"].values() for one in opponents)
    assert shown["opponents"].keys() == shown["seats"].keys()
    assert shown["about"]
    assert shown["lesson"]


def preset_of(monkeypatch, *options):
    """What the page offers first when the command is started with these options; its exit code if it refuses."""
    from drako_env.cli import play
    from drako_env.web import listen, server

    made = []
    monkeypatch.setattr(listen, "serve", lambda *what: what[1].close())
    monkeypatch.setattr(play, "opponents_of", lambda *games: ["heuristic"])
    monkeypatch.setattr(server, "make_app", lambda *a, **k: made.append((a, k)))
    code = run("play", ["--web", "--keep", "", "--port", "0", *options])
    return made[0][1]["preset"] if made else code, made[0][0][1] if made else None


def test_the_command_line_chooses_first(monkeypatch):
    options = (
        "--game",
        "golden_dragon",
        "--players",
        "3",
        "--seat",
        "player_1",
        "--opponent",
        "ismcts:3",
        "--seed",
        "7",
    )
    preset, opponents = preset_of(monkeypatch, *options)
    assert preset.players == ("ismcts:3", "person", "ismcts:3")
    assert (preset.name, len(preset.game.seats), next(preset.seeds())) == ("golden_dragon", 3, 7)
    assert opponents["golden_dragon"] == ["heuristic", "ismcts:3"]
    assert opponents["drako"] == ["heuristic"]


@pytest.mark.parametrize(
    "options",
    [
        ["--game", "chess"],
        ["--seat", "king"],
        ["--opponent", "nobody"],
        ["--agent", "policy:/nosuch"],
        ["--set", "radius=9"],
        ["--set", "nosuch=1"],
    ],
)
def test_what_does_not_exist_is_refused(monkeypatch, capsys, options):
    assert preset_of(monkeypatch, *options)[0] == 2
    assert capsys.readouterr().err.startswith("play: ")


def test_own_rules_can_be_played_on_the_page():
    from drako_env.games import make_game

    preset = Preset("drako", make_game("drako", radius=3), ("person", "heuristic"), 7)
    client = client_at(app_of(preset=preset))
    choices = client.get("/api/games").json()
    assert choices["preset"] == {"game": "drako", "table": OWN, "players": ["person", "heuristic"]}
    assert choices["games"]["drako"]["tables"][0]["value"] == OWN
    made = client.post("/api/sessions", json={"game": "drako", "players": ["person", "heuristic"], "table": OWN}).json()
    assert made["picture"].count("data-hex") == 37
    refused = client.post("/api/sessions", json={"game": "icarius", "players": ["person", "random"], "table": OWN})
    assert refused.status_code == 422
