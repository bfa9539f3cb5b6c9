"""The command `drako-env`: all that plays, from one place, and every mistake as one clear line."""

import json
import random
import re
import subprocess
import sys
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

import pytest

from drako_env import __version__, replay
from drako_env.__main__ import COMMANDS, main
from drako_env.cli import play, terminal, train
from drako_env.cli.options import INTERRUPTED
from drako_env.games import make_game

ROOT = Path(__file__).parents[2]
OWN = """
import random

class First:
    def __init__(self, game):
        self.game = game

    def reset(self, seed):
        pass

    def act(self, view):
        return int(view.action_mask.nonzero()[0][0])

class Illegal(First):
    def act(self, view):
        return int((view.action_mask == 0).nonzero()[0][0])

class WithoutGame:
    pass

class WithoutAct:
    def __init__(self, game):
        pass
"""


@pytest.fixture
def called(capsys):
    """What `drako-env WORDS` returns and says."""

    def call(*words):
        try:
            code = main(list(map(str, words)))
        except SystemExit as end:  # argparse
            code = end.code
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A file with players of one's own in the current folder; Python forgets afterwards where it lies."""
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setitem(sys.modules, "own_players", None)
    del sys.modules["own_players"]
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "own_players.py"
    path.write_text(OWN)
    return path


@pytest.fixture
def typed(monkeypatch):
    """Answer what is asked in the terminal; the end of the answers is the end of the file."""

    def answer(*lines):
        monkeypatch.setattr(sys, "stdin", StringIO("".join(f"{line}\n" for line in lines)))

    return answer


def test_alone_it_lists_its_commands_a_line_each(called):
    code, out, _ = called()
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    for name, (what, _) in COMMANDS.items():
        assert [name, *what.split()] in lines
    assert called("--version")[1] == f"drako-env {__version__}\n"
    code, _, err = called("dance")
    assert code == 2
    assert "invalid choice: 'dance' (choose from 'play'" in err


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "train"])
def test_every_command_says_how_it_is_used(called, name):
    code, out, _ = called(name, "--help")
    assert code == 0
    assert out.startswith(f"usage: drako-env {name} ")
    assert f"\ndrako-env {name}" in out, "an example"


def test_it_is_a_module_too():
    done = subprocess.run([sys.executable, "-m", "drako_env", "--version"], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == f"drako-env {__version__}\n"


WITHOUT = """
import sys
from drako_env.__main__ import main
for name in sys.argv[1].split():
    sys.modules[name] = None
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("missing", "words", "says"),
    [
        ("rich", "play", "play: rich is not installed: pip install 'drako-env[web]'"),
        ("rich", "watch random random", "watch: rich is not installed: pip install 'drako-env[replay]'"),
        ("rich", "tournament random", "tournament: rich is not installed: pip install 'drako-env[evaluation]'"),
        (
            "scipy scipy.optimize",
            "evaluate random",
            "evaluate: ratings need SciPy: pip install 'drako-env[evaluation]'",
        ),
        ("starlette", "play --web", "play: the page needs Starlette and uvicorn: pip install 'drako-env[web]'"),
        ("msgspec", "replay game.jsonl", "replay: replays need msgspec: pip install 'drako-env[replay]'"),
    ],
)
def test_what_is_not_installed_is_named_with_its_extra(missing, words, says):
    command = [sys.executable, "-c", WITHOUT, missing, *words.split()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, f"{says}\n")


def test_training_is_the_clones(called, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["drako-env"])
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr(train, "find_spec", lambda name: None)
    assert called("train")[::2] == (2, "train: sb3_contrib is not installed: pip install 'drako-env[train]'\n")
    monkeypatch.setattr(train, "CLONE", tmp_path)
    code, _, err = called("train")
    assert code == 2
    assert err.startswith(
        "train: training is not part of the installed package: clone the project and run `make train`"
    )
    assert err.count("\n") == 1


@pytest.mark.skipif(find_spec("sb3_contrib") is None, reason="sb3-contrib is missing: make setup installs it")
def test_training_in_a_clone_is_the_script(called, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["drako-env"])
    monkeypatch.setattr(sys, "path", sys.path.copy())
    code, _, err = called("train", "--rounds", "0")
    assert (code, err) == (2, "train: --minutes or --rounds must be above 0, and --seed not below\n")
    assert sys.argv == [str(ROOT / "scripts" / "train.py"), "--rounds", "0"]


@pytest.mark.parametrize("processes", [1, 2])
def test_a_class_of_ones_own_is_evaluated_from_the_current_folder(called, own, processes):
    words = ["evaluate", "own_players:First", "random", "--games", 2, "--replays", 1, "--processes", processes]
    code, out, err = called(*words)
    assert (code, err) == (0, "")
    assert "own_players:First" in out
    folder = own.parent / "runs" / "evaluate" / "own_players_First-random"
    report = json.loads((folder / "report.json").read_text())
    assert report["agents"] == ["own_players:First", "random"]
    assert len(report["matches"][0]["interval"]) == 2
    recorded = replay.load(folder / "replays" / "own_players_First-random-1.jsonl")
    assert recorded.header.seats["dragon_0"] == "own_players:First"
    assert called(*words, "--resume")[0] == 0
    own.write_text(f"{OWN}\n# better")
    code, _, err = called(*words, "--resume")
    assert code == 2
    assert "own_players:First has changed since its games were played; choose another --out" in err


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("nowhere:First", "No module named 'nowhere'; looked for in {here} and in what is installed"),
        ("own_players:Second", "{here}/own_players.py has no class Second"),
        ("own_players:random", "{here}/own_players.py has no class random"),
        ("own_players:WithoutGame", "too many positional arguments; it is called with the game"),
        ("own_players:WithoutAct", "a player needs reset(seed) and act(view)"),
        ("own_players", "unknown agent 'own_players'; known are random, heuristic"),
        ("own_players:Illegal", "dragon_0 chose {any}, which is illegal"),
    ],
)
def test_what_is_wrong_with_a_class_is_one_clear_line(called, own, spec, says):
    code, _, err = called("evaluate", spec, "random", "--games", 1, "--processes", 1)
    assert code == 2
    before, _, after = says.format(here=own.parent, any="|").partition("|")
    assert before in err
    assert after in err
    assert err.startswith("evaluate: ")
    assert err.count("\n") == 1


def test_a_game_is_watched_and_kept(called, typed, tmp_path):
    kept = tmp_path / "game.jsonl"
    typed("", "9", "b", "q")
    code, out, err = called("watch", "ismcts:5", "heuristic", "--set", "rules=tiny", "--seed", 4, "--keep", kept)
    assert (code, err) == (0, "")
    recorded = replay.load(kept)
    assert replay.verify(recorded)
    assert recorded.header.seed == 4
    assert re.findall(r"─ (\d+) of", out) == ["1", "2", "9", "8"]
    assert "%" in out, "what the search thought"
    typed("q")
    assert called("replay", kept)[0] == 0
    code, _, err = called("watch", "random")
    assert (code, err) == (2, "watch: 1 players for 2 seats (dragon_0, dwarves_0)\n")


def test_a_game_is_played_in_the_terminal(called, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(play.secrets, "randbits", lambda bits: 5)
    typed("hint", "nonsense", *["1"] * 200)
    code, out, _ = called("play", "--set", "rules=tiny", "--opponent", "random", "--seat", "dwarves")
    assert code == 0
    assert "dragon draws 1 card" in out
    (kept,) = (tmp_path / "runs" / "play").iterdir()
    recorded = replay.load(kept)
    assert replay.verify(recorded)
    assert recorded.header.seats == {"dragon_0": "random", "dwarves_0": "person"}
    code, _, err = called("play", "--seat", "elf")
    assert (code, err) == (2, "play: --seat elf: expected one of dragon_0, dwarves_0\n")


def test_wrong_answers_are_answered(called, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    typed("nonsense", "0", "99999", "u", "h", "q")
    code, out, _ = called("play", "--set", "rules=tiny", "--opponent", "random", "--seat", "dragon", "--seed", 5)
    assert code == 0
    for word in ("nonsense", "0", "99999"):
        assert re.search(rf"'{word}' is no answer here: type 1 to \d+, \(h\)int, \(q\)uit", out)
    assert "moves are taken back with --practice only" in out
    assert re.search(r"\d+%   1 keep|\d+%   \d ", out), "the hint names the number to type"
    assert not (tmp_path / "runs").exists(), "nothing was decided"


@pytest.mark.parametrize("leaves", ["q", "ctrl-c", "the end of the file"])
def test_a_game_that_is_left_goes_on(called, typed, tmp_path, monkeypatch, leaves):
    monkeypatch.chdir(tmp_path)
    words = ["--set", "rules=tiny", "--opponent", "random", "--seat", "dwarves"]
    typed("1", "1", "1", *(["q"] if leaves == "q" else []))
    if leaves == "ctrl-c":
        ask = terminal.Prompt.ask

        def interrupted(*arguments, **options):
            try:
                return ask(*arguments, **options)
            except EOFError:
                raise KeyboardInterrupt from None

        monkeypatch.setattr(terminal.Prompt, "ask", interrupted)
    code, out, _ = called("play", *words, "--seed", 5)
    assert code == (INTERRUPTED if leaves == "ctrl-c" else 0)
    (kept,) = (tmp_path / "runs" / "play").iterdir()
    assert f"drako-env play --resume {kept.relative_to(tmp_path)}" in out
    before = replay.load(kept, unfinished=True)
    assert before.result is None
    typed(*["1"] * 200)
    called("play", "--resume", kept)
    after = replay.load(kept)
    assert replay.verify(after)
    assert after.decisions[: len(before.decisions)] == before.decisions
    assert after.header == before.header
    code, _, err = called("play", "--resume", kept)
    assert code == 2
    assert "the game is over; drako-env replay" in err


def test_a_move_is_taken_back_in_practice(called, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    typed("1", "1", "u", "q")
    called("play", "--set", "rules=tiny", "--opponent", "random", "--seat", "dwarves", "--seed", 5, "--practice")
    (kept,) = (tmp_path / "runs" / "play").iterdir()
    left = replay.load(kept, unfinished=True)
    assert [decision.agent for decision in left.decisions].count("dwarves_0") == 1


@pytest.mark.parametrize(("game", "options"), [("drako", {"radius": 4}), ("golden_dragon", {"num_players": 5})])
def test_the_terminal_needs_eighty_columns(game, options, tmp_path):
    made = make_game(game, **options)
    names = [terminal.PERSON, *["random"] * (len(made.seats) - 1)]
    table = terminal.Table(made, names, 3, tmp_path / "game.jsonl")
    chance = random.Random(1)
    for _ in range(60):
        shown = terminal.position_text(table)
        assert max(map(len, shown.splitlines())) <= 80, shown
        table.play(chance.choice(table.position.legal()))
    assert replay.load(table.path, unfinished=True).result is None


def test_the_terminal_says_what_cards_do(tmp_path):
    table = terminal.Table(make_game("drako"), [terminal.PERSON, "random"], 3, tmp_path / "game.jsonl")
    hand = table.game.state_dict(table.position.state)["hands"]["dragon"]
    shown = terminal.position_text(table).splitlines()
    for name in hand:
        (line,) = (line for line in shown if line.startswith(f"  {name}: "))
        assert line.partition(": ")[2].startswith(("walk", "fly", "bite", "breathe", "block"))


@pytest.mark.parametrize(
    ("name", "options", "default"),
    [("drako", {}, "policy"), ("drako", {"rules": "tiny"}, "heuristic"), ("icarius", {}, "policy")],
)
def test_levels_are_offered_in_every_game(name, options, default):
    offered = play.opponents_of(make_game(name, **options))
    assert offered[:9] == [default, *(f"level:{n}" for n in range(1, 9))]
    assert len(set(offered)) == len(offered)


def test_the_page_offers_whom_every_number_of_players_has():
    assert [len(game.seats) for game in play.page_games("icarius")] == [2, 3, 4, 5]
    for name in ("drako", "icarius"):
        assert play.opponents_of(*play.page_games(name))[0] == "policy"
    without = make_game("icarius", num_players=3, board="two_rows")
    assert play.opponents_of(*play.page_games("icarius"), without)[0] == "heuristic", "no policy for this board"


def test_a_level_is_played_against_and_kept_by_its_name(called, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(play.secrets, "randbits", lambda bits: 5)
    typed(*["1"] * 200)
    code, _, _ = called("play", "--set", "rules=tiny", "--opponent", "level:3", "--seat", "dwarves")
    assert code == 0
    (kept,) = (tmp_path / "runs" / "play").iterdir()
    assert replay.load(kept).header.seats == {"dragon_0": "level:3", "dwarves_0": "person"}
    code, _, err = called("watch", "level:0", "level:1")
    assert code == 2
    assert err.startswith("watch: agent 'level:0': there are level:1, level:2, ")
    assert err.count("\n") == 1
