"""The standard field: levels against their neighbours, as a table between marks; and how long everybody thinks."""

import json

import pytest

from drako_env.cli.balance import BEGIN, END, around_section, write_section
from drako_env.cli.ladder import neighbours
from drako_env.evaluation import runner
from drako_env.evaluation.match import play_game
from drako_env.evaluation.runner import Job, Played, Store, milliseconds, play_job
from drako_env.games import make_game
from drako_env.players import levels, make_player
from tests.programs import call

CHEAP = ["random", "heuristic", *(f"mistakes:0.{n}:heuristic" for n in range(1, 7))]
MARK = "<!-- written by scripts/tournament.py, {} -->\n"


@pytest.fixture
def cheap(tmp_path, monkeypatch):
    """Levels that play at once."""
    path = tmp_path / "levels.toml"
    path.write_text(f"[[ladder]]\nlevels = {CHEAP}\n")
    monkeypatch.setattr(levels, "FILE", path)
    return tmp_path


def rows(text):
    """The cells of a Markdown table, without its heading."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.strip().splitlines()][2:]


def test_neighbours_meet_on_every_seat():
    assert neighbours(["a", "b", "c"], 2) == [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")]
    assert neighbours(["a", "b"], 4) == [
        ("a", "a", "a", "b"),
        ("a", "a", "b", "a"),
        ("a", "b", "a", "a"),
        ("b", "a", "a", "a"),
    ]


@pytest.mark.parametrize(
    ("words", "part", "won"),
    [
        (("--set", "rules=tiny"), "drako", 2),
        (("--game", "golden_dragon", "--players", "4"), "golden_dragon 4", 1),
    ],
)
def test_the_table_of_a_game_is_written_between_its_marks(cheap, words, part, won):
    page, other = cheap / "page.md", MARK.format("another 3")
    page.write_text(f"before\n{other}kept\n{END}\n{MARK.format(part)}old\n{END}\nafter\n")
    options = ("--standard", "--games", 3, "--processes", 1, "--out", cheap / "out", "--write", page, *words)
    done = call("tournament", *options)
    assert done.returncode == 0, done.stderr
    before, after = f"before\n{other}kept\n{END}\n{MARK.format(part)}", f"\n{END}\nafter\n"
    text = page.read_text()
    assert text.startswith(before)
    assert text.endswith(after)
    lines, games = text[len(before) : -len(after)].split("\n\n")
    assert games == "3 games for every seating."
    lines = rows(lines)
    assert [line[:2] for line in lines] == [[str(n + 1), f"`{spec}`"] for n, spec in enumerate(CHEAP)]
    assert lines[0][3] == "0"
    assert all(line[4 : 4 + won] != [""] * won for line in lines[1:])
    assert all(float(line[-1]) >= 0 for line in lines)
    report = json.loads((cheap / "out" / "report.json").read_text())
    seats = len(report["pairings"][0]["agents"])
    assert report["games"] == 7 * seats * 3
    assert {pairing["games"] for pairing in report["pairings"]} == {3}


def test_what_the_table_says_is_what_was_played(cheap):
    out, page = cheap / "out", cheap / "page.md"
    page.write_text(f"{MARK.format('drako')}{END}\n")
    field, rules = ("--standard", "random", "heuristic"), ("--set", "rules=tiny")
    words = (*field, *rules, "--games", 8, "--processes", 1, "--out", out)
    assert call("tournament", *words).returncode == 0
    assert call("tournament", *words, "--resume", "--write", page).returncode == 0
    games = [json.loads(line) for line in (out / "games.jsonl").read_text().splitlines()]
    (line,) = (line for line in page.read_text().splitlines() if "`heuristic`" in line)
    for seat, agents in enumerate((["heuristic", "random"], ["random", "heuristic"])):
        wins = sum(game["rewards"][seat] > 0 for game in games if game["agents"] == agents)
        assert f"{wins / 8:.1%} (" in line.split("|")[5 + seat]


def test_a_changed_level_costs_only_its_own_games(cheap, monkeypatch):
    words = ("--standard", "--games", 2, "--processes", 1, "--out", cheap / "out", "--set", "rules=tiny")
    assert call("tournament", *words).returncode == 0
    (cheap / "new.toml").write_text(f"[[ladder]]\nlevels = {['random', 'mistakes:0.9:heuristic', *CHEAP[2:]]}\n")
    monkeypatch.setattr(levels, "FILE", cheap / "new.toml")
    played, add = [], Store.add
    monkeypatch.setattr(Store, "add", lambda store, game: (played.append(game.pairing), add(store, game)))
    assert call("tournament", *words, "--resume").returncode == 0
    assert len(played) == 2 * 4
    assert all("mistakes:0.9:heuristic" in pairing for pairing in played)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--standard", "random"), "give two or more different agents, or none for the levels of the game"),
        (("--standard", "random", "level:1"), "give two or more different agents"),
        (("--standard", "random", "level:9"), "there are level:1, level:2"),
        (("--standard", "--write", "{page}"), "the marks '<!-- written by scripts/tournament.py, drako -->'"),
        (("random", "heuristic", "--write", "{page}"), "--write is for --standard"),
        ((), "give two or more different agents"),
    ],
)
def test_bad_words_are_one_clear_line_before_anything_is_played(cheap, words, says):
    (cheap / "page.md").write_text("nothing")
    out = cheap / "out"
    done = call("tournament", *(word.format(page=cheap / "page.md") for word in words), "--out", out)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert not out.exists()


def test_sections_of_one_script_are_told_apart(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"{BEGIN.format('x')}a\n{END}\n{MARK.format('drako').replace('tournament', 'x')}b\n{END}\n")
    write_section(page, "x", "new", "drako")
    assert page.read_text().splitlines()[1::3] == ["a", "new"]
    with pytest.raises(ValueError, match="the marks"):
        around_section(page, "x", "icarius")


class Clock:
    """Goes on by itself only when an agent thinks."""

    def __init__(self):
        self.now = 0.0

    def process_time(self):
        return self.now


class Slow:
    def __init__(self, agent, clock, seconds):
        self.agent, self.clock, self.seconds = agent, clock, seconds
        self.asked = 0

    def reset(self, seed):
        self.clock.now += 100  # no decision
        self.agent.reset(seed)

    def act(self, view):
        self.clock.now += self.seconds
        self.asked += 1
        return self.agent.act(view)

    def opinions(self):
        return [(0, self.seconds)]


@pytest.mark.parametrize("record", [False, True])
def test_every_seats_time_is_taken(monkeypatch, record):
    clock, game = Clock(), make_game("drako", rules="tiny")
    monkeypatch.setattr(runner, "time", clock)
    agents = [Slow(make_player("random", game), clock, seconds) for seconds in (0.5, 0.25)]
    played = play_job(game, agents, Job(("a", "b"), 0, 5, record))
    assert played.spent == tuple((agent.asked, pytest.approx(agent.asked * agent.seconds)) for agent in agents)
    assert played.result == play_game(game, [agent.agent for agent in agents], 5)
    assert len(played.actions) == len(played.opinions) == (played.result.decisions if record else 0)
    assert {shares[0][1] for shares in played.opinions} == ({0.5, 0.25} if record else set())


def test_times_are_kept_apart_from_results_and_add_up(tmp_path):
    game = make_game("drako", rules="tiny")
    results = [play_game(game, [make_player("random", game)] * 2, seed, seed) for seed in range(3)]
    path = tmp_path / "games.jsonl"
    for number, result in enumerate(results):
        store = Store(path, resume=number > 0)
        store.add(Played(("a", "b"), result, spent=((10, 0.1), (5, 0.5 * number))))
        store.finish()
    assert milliseconds(path) == pytest.approx({"a": 10.0, "b": 100.0})
    assert "0.1" not in path.read_text()
    (tmp_path / "games.times.json").write_text("{")
    with pytest.raises(ValueError, match=r"games.times.json: damaged .*; remove it: only times are lost"):
        Store(path, resume=True)
    (tmp_path / "games.times.json").unlink()
    assert len(Store(path, resume=True).games) == 3
    assert milliseconds(path) == {}
