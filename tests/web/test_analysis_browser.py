"""The analysis board in a real browser: a finished game, a file, a position set up by hand."""

import json
import random

import pytest

from drako_env import replay
from drako_env.evaluation.runner import Job, play_job
from drako_env.games import make_game
from drako_env.players import make_player
from drako_env.web.analysis_study import make_analyst
from drako_env.web.replay_page import html
from tests.web.browsing import CHROMIUM, QUICK, READY, ROOT, decide, open_page, sit_down, wait_for
from tests.web.running import Running, app_of

SHOTS = ROOT / "runs" / "screenshots"
SEARCHED = "![...document.querySelectorAll('#choices td')].some((cell) => cell.textContent === '…')"

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no browser: apt-get install chromium")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    game, names = make_game("drako", rules="tiny"), ("ismcts:10", "heuristic")
    played = play_job(game, [make_player(name, game) for name in names], Job(names, 0, 5, record=True))
    folder = tmp_path_factory.mktemp("games") / "finished"
    folder.mkdir()
    path = folder / "game.jsonl"
    replay.save(path, replay.record(game, 5, names, played.actions, played.opinions, played.values))
    return path


@pytest.fixture(scope="module")
def address(file):
    with Running(app_of(folder=file.parents[1])) as running:
        yield running.url
        assert running.problems == []


def open_study(page, url):
    page.goto(url)
    page.wait_for_selector("#board svg")
    wait_for(page, SEARCHED)


def shares(page, judge):
    """Of the choices that are listed, in their order."""
    return [int(word.rstrip("%")) for word in page.locator(f"#choices .{judge}").all_inner_texts()]


def check_a_finished_game(page, recorded):
    """What holds on the server and in a file alike."""
    count = len(recorded.decisions)
    assert page.locator("#moves button").count() == count + 1
    assert page.locator("#graph polyline.network").count() == 2
    assert page.locator("#graph polyline.network").first.get_attribute("points").count(",") == count + 1
    pictures = set()
    for number in (0, 4, count):
        page.locator("#moves button").nth(number).click()
        assert page.inner_text("#where") == f"{number + 1} of {count + 1}"
        assert page.locator("#moves [aria-current]").inner_text().startswith(str(number + 1))
        pictures.add(page.locator("#board").inner_html())
    assert len(pictures) == 3
    assert page.locator("#choices").is_hidden(), "at the end there is nothing to choose"
    page.keyboard.press("Home")
    assert page.inner_text("#where") == f"1 of {count + 1}", "the keyboard leads through the moves"
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#where") == f"2 of {count + 1}"


HEXES = [f"{row}{i + 1}" for row, length in zip("ABCDE", (3, 4, 5, 4, 3), strict=True) for i in range(length)]


def test_a_finished_game_is_analysed(page, address, file):
    recorded = replay.load(file)
    open_study(page, f"{address}/analysis/game")
    check_a_finished_game(page, recorded)
    wait_for(page, SEARCHED)
    listed = shares(page, "search")
    assert listed == sorted(listed, reverse=True)
    assert page.locator("#choices tr[data-best=true]").count() == 1
    assert page.locator("#choices tbody tr").first.get_attribute("data-best") == "true"
    assert page.locator("#choices tr[data-likeliest=true] .policy").all_inner_texts() == [
        f"{max(shares(page, 'policy'))}%"
    ]
    assert "☆" in page.inner_text("#choices tr[data-likeliest=true] th")
    assert "✓" in page.inner_text("#choices tr.chosen")
    assert page.locator("#board .overlay").count() == 1
    assert sorted(page.locator("#board .place").all_text_contents()) == HEXES
    assert page.locator("#board [data-part=question]").count() == 0, "it is asked once, beside the picture"
    box = page.locator("#graph svg").bounding_box()
    page.mouse.click(box["x"] + box["width"] - 5, box["y"] + 20)
    assert page.inner_text("#where") == f"{len(recorded.decisions) + 1} of {len(recorded.decisions) + 1}"
    page.screenshot(path=SHOTS / "analysis.png")


def test_a_seat_is_shown_its_own_choices_only(page, address, file):
    recorded = replay.load(file)
    open_study(page, f"{address}/analysis/game")
    page.select_option("#view", "dwarves_0")
    assert page.locator("#graph polyline.network").count() == 1
    for number in range(8):
        page.locator("#moves button").nth(number).click()
        assert page.locator("#choices").is_visible() == (recorded.decisions[number].agent == "dwarves_0")
        assert page.locator("#board [data-card]").count() in range(1, 9)


def test_mistakes_are_marked(page, address, file):
    open_study(page, f"{address}/analysis/game")
    asked = "performance.getEntriesByType('resource').filter((e) => e.name.includes('/search/')).length"
    wait_for(page, f"{asked} >= {len(replay.load(file).decisions)}")
    marks = page.locator("#moves .mark:not(:empty)")
    assert marks.count() > 0, "a heuristic errs"
    page.click("#worse")
    assert "lost" in page.inner_text("#decided")
    assert page.locator("#graph .mistake").count() == marks.count()


def test_a_broken_replay_is_refused_with_its_line(page, address, file, tmp_path):
    lines = file.read_text().splitlines()
    lines[7] = json.dumps(json.loads(lines[7]) | {"action": {"type": "fly away"}})
    broken = tmp_path / "broken.jsonl"
    broken.write_text("\n".join(lines) + "\n")
    page.goto(f"{address}/analysis")
    page.set_input_files("#file", broken)
    page.wait_for_selector("#error", state="visible")
    assert "line 8" in page.inner_text("#error")
    page.set_input_files("#file", file)
    page.wait_for_url("**/analysis/file-*")
    page.wait_for_selector("#board svg")
    assert page.locator("#error").is_hidden()
    with page.expect_download() as download:
        page.click("#download")
    assert replay.load(download.value.path()) == replay.load(file)


def test_a_position_is_set_up_by_hand(page, address):
    open_study(page, f"{address}/analysis/game#6")
    assert page.inner_text("#where").startswith("7 of")
    page.click("#setup summary")
    wait_for(page, "document.getElementById('by-hand').value.length > 9")
    position = json.loads(page.input_value("#by-hand"))
    page.fill("#by-hand", json.dumps(position | {"turn": -3}))
    page.click("#load")
    page.wait_for_selector("#wrong", state="visible")
    assert "turn" in page.inner_text("#wrong")
    page.fill("#by-hand", json.dumps(position | {"turn": position["turn"] + 2}))
    page.click("#load")
    page.wait_for_url("**/analysis/position-*")
    page.wait_for_selector("#board svg")
    assert page.inner_text("#where") == "1 of 1"
    wait_for(page, SEARCHED)
    assert page.locator("#choices tbody tr").count() > 0
    assert page.locator("#download").count() == 0, "it is no game"
    question = page.inner_text("#question")
    page.click("#play-on")
    wait_for(page, READY)
    assert page.evaluate("[state.shown.number, state.shown.practice]") == [0, True]
    assert page.inner_text("#question") == question
    page.locator("#choices button[data-action], #ask-choices button[data-action]").first.click()
    wait_for(page, f"state.shown.number > 0 && {READY}")


def test_what_somebody_typed_stays_when_they_step_on(page, address):
    open_study(page, f"{address}/analysis/game#6")
    page.click("#setup summary")
    wait_for(page, "document.getElementById('by-hand').value.length > 9")
    first = page.input_value("#by-hand")
    page.click("#on")
    wait_for(page, f"document.getElementById('by-hand').value !== {json.dumps(first)}")
    page.fill("#by-hand", '{"turn": 3}')
    with page.expect_response("**/position/8"):
        page.click("#on")
    page.evaluate("fetch('/api/analysis/game/position/8').then((answer) => answer.json())")  # after the page's own
    assert page.input_value("#by-hand") == '{"turn": 3}'


@pytest.mark.parametrize(
    ("text", "says"), [("{", "A bracket, a comma"), ("7", "begins with {"), ("{}", "lacks the key")]
)
def test_what_is_no_position_is_said_in_plain_words(page, address, text, says):
    open_study(page, f"{address}/analysis/game#6")
    page.click("#setup summary")
    wait_for(page, "document.getElementById('by-hand').value.length > 9")
    page.fill("#by-hand", text)
    page.click("#load")
    page.wait_for_selector("#wrong", state="visible")
    assert says in page.inner_text("#wrong")


def test_one_plays_on_from_there(page, address, file):
    open_study(page, f"{address}/analysis/game#6")
    page.click("#play-on")
    wait_for(page, READY)
    assert page.evaluate("[state.shown.number, state.shown.viewer]") == [6, replay.load(file).decisions[6].agent]


def test_a_game_under_way_is_analysed_for_practice_and_goes_on(page, address):
    chance = random.Random(2)
    sit_down(page, f"{address}/{QUICK}", 0)
    for _ in range(3):
        decide(page, chance)
    session, number = page.evaluate("[state.session, state.shown.number]")
    page.click("#study")
    page.wait_for_selector("#board svg")
    wait_for(page, SEARCHED)
    assert page.locator("#practice").is_visible()
    assert "Practice" in page.inner_text("#practice")
    assert page.locator("#view option").all_inner_texts() == ["dragon"]
    assert page.inner_text("#where") == f"{number + 1} of {number + 1}"
    assert page.locator("#choices tr[data-best=true]").count() == 1
    for hidden in ("#setup", "#play-on", "#download"):
        assert not page.locator(hidden).is_visible()
    page.locator("#moves button").first.click()
    assert page.inner_text("#where").startswith("1 of")
    page.screenshot(path=SHOTS / "practice.png")
    page.click("#to-game")
    wait_for(page, READY)
    assert page.evaluate("[state.session, state.shown.number]") == [session, number]
    decide(page, chance)


def test_one_file_is_the_same_board(page, file, tmp_path):
    recorded = replay.load(file)
    whole = tmp_path / "game.html"
    whole.write_text(html(recorded, None, make_analyst(recorded.make_game(), deals=2)), encoding="utf-8")
    assert whole.stat().st_size < 1_000_000
    open_study(page, whole.as_uri())
    check_a_finished_game(page, recorded)
    assert page.locator("#play-on").count() == 0, "there is no server to play on"
    with page.expect_download() as download:
        page.click("#download")
    assert replay.load(download.value.path()) == recorded


def test_a_phone_shows_it_without_scrolling_sideways(browser, address):
    page = open_page(browser, 390, 844)
    open_study(page, f"{address}/analysis/game")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.evaluate("document.documentElement.scrollHeight < 4000")
    page.screenshot(path=SHOTS / "analysis-phone.png", full_page=True)
    page.close()
