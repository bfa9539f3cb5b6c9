"""Replays to leaf through."""

import json
import re
import sys

import msgspec
import numpy as np
import pytest
from PIL import Image

from drako_env import replay
from drako_env.evaluation.runner import Job, play_job
from drako_env.games import make_game
from drako_env.players import make_player
from drako_env.web import replay_page
from drako_env.web.replay_page import film, html, pages
from scripts import replay as command


@pytest.fixture(scope="module", params=[("drako", "tiny"), ("golden_dragon", "compact8")], ids=lambda game: game[0])
def recorded(request):
    name, rules = request.param
    game = make_game(name, rules=rules)
    names = ("ismcts:10", "heuristic")
    played = play_job(game, [make_player(name, game) for name in names], Job(names, 0, 5, record=True))
    return replay.record(game, 5, names, played.actions, played.opinions)


def test_pages_show_every_position_and_what_was_thought(recorded):
    every = list(pages(recorded))
    assert len(every) == len(recorded.decisions) + 1
    assert every[-1].seat == ""
    assert every[-1].decision == recorded.result.ending
    assert all(page.picture.startswith("<svg") for page in every)
    thought = [page.opinions for page in every if page.seat == recorded.decisions[0].agent and page.opinions]
    assert thought
    assert all(sum(share for _, share in opinions) <= 1.001 for opinions in thought)


def test_one_page_that_needs_nothing_else(recorded):
    page = html(recorded)
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "src=" not in page
    assert not re.search("^(import|export) ", page, re.MULTILINE)
    assert 'href="/' not in page.replace('<a href="/', ""), "but for the links of the server"
    data = json.loads(page.split('<script id="data" type="application/json">')[1].split("</script>")[0])
    assert replay.verify(replay.decode(data["replay"].encode()))
    lines = ["".join(data["elements"][element] for element in line) for line in data["lines"]]
    for seat, view in data["views"].items():
        shown = ["\n".join(map(lines.__getitem__, picture)) + "\n" for picture in view["pictures"]]
        assert shown == [page.picture for page in pages(recorded, seat)]


def test_a_page_opens_with_the_seat_that_is_asked_for(recorded):
    for seat in (recorded.decisions[0].agent, "all"):
        assert f'"views":{{"{seat}":' in html(recorded, seat)
    with pytest.raises(ValueError, match=r"seat 'elf': expected one of .*, all"):
        html(recorded, "elf")


def test_drawings_are_shared(recorded):
    """A page with three or more views is smaller than the pictures of one."""
    assert len(html(recorded)) < sum(len(page.picture) for page in pages(recorded))


@pytest.mark.parametrize(("missing", "name"), [("resvg_py", "gif"), ("PIL", "gif"), ("imageio_ffmpeg", "mp4")])
def test_what_a_film_needs_is_asked_for_before_it_is_drawn(recorded, tmp_path, monkeypatch, missing, name):
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.setattr(replay_page, "pages", lambda *arguments: pytest.fail("drawn"))
    with pytest.raises(ImportError, match=r"pip install 'drako-env\[film\]'"):
        film(recorded, tmp_path / f"game.{name}")


@pytest.mark.parametrize("name", ["game.avi", "nowhere/game.gif"])
def test_a_film_that_cannot_be_written_is_not_drawn(recorded, tmp_path, monkeypatch, name):
    monkeypatch.setattr(replay_page, "pages", lambda *arguments: pytest.fail("drawn"))
    with pytest.raises((ValueError, OSError), match=r"ends in .gif or .mp4|there is no folder"):
        film(recorded, tmp_path / name)


def test_a_page_cannot_be_broken_out_of(recorded):
    evil = "</script><script>alert(1)</script>"
    header = msgspec.structs.replace(recorded.header, seats=dict.fromkeys(recorded.header.seats, evil))
    assert evil not in html(replay.Replay(header, recorded.decisions, recorded.result))


def test_a_film_has_a_frame_for_every_position(recorded, tmp_path):
    short = tmp_path / "game.gif"
    film(recorded, short, width=120)
    with Image.open(short) as found:
        assert found.n_frames > len(recorded.decisions) * 0.5  # equal neighbours are merged
        assert np.asarray(found.convert("RGB")).std() > 10


def test_the_command_refuses_an_edited_game_with_its_line(recorded, tmp_path, monkeypatch, capsys):
    path = tmp_path / "game.jsonl"
    replay.save(path, recorded)
    lines = path.read_text().splitlines()
    lines[7] = json.dumps(json.loads(lines[7]) | {"action": {"type": "fly away"}})
    path.write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(sys, "argv", ["replay.py", str(path), "--html", str(tmp_path / "page.html")])
    assert command.main() == 2
    assert "line 8" in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()
