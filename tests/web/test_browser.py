"""The page in a real browser: whole games are clicked through. `apt-get install chromium` brings the browser."""

import random
import types

import pytest

from drako_env import replay
from drako_env.web import server
from drako_env.web.limits import Limits
from tests.web.browsing import CHROMIUM, QUICK, READY, ROOT, browsing, decide, open_page, sit_down, wait_for
from tests.web.running import WITH_POLICY, Running, app_of

SHOTS = ROOT / "runs" / "screenshots"
SEED = 10
"""With that the dragon's game below is short."""

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no browser: apt-get install chromium")


@pytest.fixture(autouse=True)
def seeded(monkeypatch):
    monkeypatch.setattr(server, "secrets", types.SimpleNamespace(randbits=lambda bits: SEED))


@pytest.fixture(scope="module")
def address():
    with Running(app_of(opponents=WITH_POLICY)) as running:
        yield f"{running.url}/{QUICK}"
        assert running.problems == []


@pytest.fixture(scope="module")
def browser():
    with browsing() as found:
        yield found


@pytest.fixture
def page(browser):
    opened = open_page(browser)
    problems = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    yield opened
    opened.close()
    assert problems == []


@pytest.mark.parametrize(("seat", "table"), [(0, None), (1, "tiny")])
def test_a_whole_game_on_each_seat(page, address, seat, table, tmp_path):
    chance, asked, decisions = random.Random(0), 0, 0
    sit_down(page, address, seat, table=table)
    while not page.evaluate("state.shown.over"):
        asked += decide(page, chance)
        decisions += 1
        if decisions == 5:
            before = page.evaluate("[state.session, state.shown.number, state.shown.picture]")
            page.reload()
            wait_for(page, READY)
            assert page.evaluate("[state.session, state.shown.number, state.shown.picture]") == before
            page.screenshot(path=SHOTS / f"desktop-{seat}.png")
    assert asked > 0
    assert page.locator("#end").is_visible()
    page.screenshot(path=SHOTS / f"end-{seat}.png")
    with page.expect_download() as download:
        page.click("#replay")
    download.value.save_as(tmp_path / "game.jsonl")
    assert replay.verify(replay.load(tmp_path / "game.jsonl"))
    page.click("#rematch")
    wait_for(page, f"!state.shown.over && {READY}")


def test_a_phone_shows_everything_without_scrolling_sideways(browser, address):
    page = open_page(browser, 390, 844)
    page.goto(address)
    page.wait_for_selector("select.player")
    page.screenshot(path=SHOTS / "phone-choose.png", full_page=True)
    sit_down(page, address, 1)
    chance = random.Random(5)
    for _ in range(14):
        decide(page, chance)
    page.screenshot(path=SHOTS / "phone.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.close()


def test_the_keyboard_is_enough(page, address):
    sit_down(page, address, 0)
    for _ in range(5):
        number = page.evaluate("state.shown.number")
        page.keyboard.press("1")
        wait_for(page, f"state.shown.number > {number} && {READY}")
    page.keyboard.press("h")
    page.wait_for_selector("#hints button")
    assert page.locator("#hints button").count() >= 1


def test_golden_dragon_is_clicked_too(page, address):
    chance = random.Random(3)
    sit_down(page, address, 0, "golden_dragon")
    for _ in range(25):
        if page.evaluate("state.shown.over"):
            break
        decide(page, chance)
    page.screenshot(path=SHOTS / "golden_dragon.png")


def test_two_people_pass_the_screen(page, address):
    page.goto(address)
    page.wait_for_selector("select.player")
    for i in range(2):
        page.locator("select.player").nth(i).select_option(index=0)
    page.click("#form button")
    page.wait_for_selector("#pass[open]")
    assert page.locator("#board svg").count() == 0
    page.click("#pass-go")
    page.wait_for_selector("#board svg")
    page.locator("#choices button[data-action]").first.click()
    page.wait_for_selector("#pass[open]")
    assert "dwarves" in page.inner_text("#pass-text")
    assert page.locator("#board svg").count() == 0
    page.evaluate("() => { window.fetch = () => { window.asked = true; }; }")
    for key in ("Escape", "Escape", "Escape", "1", "h"):
        page.keyboard.press(key)
    page.wait_for_selector("#pass[open]")
    assert page.locator("#choices button, #ask-choices button, #hints button, #board svg, #log li").count() == 0
    assert page.evaluate("[state.shown.number, window.asked]") == [1, None]


def test_new_game_while_the_machine_thinks(page, address):
    sit_down(page, address, 0)
    kept_back = []
    page.route("**/play", lambda route: kept_back.append(route))
    page.locator("#choices button[data-action]").first.click()
    while not kept_back:
        page.wait_for_timeout(2)
    page.click("#leave")
    page.wait_for_selector("#setup", state="visible")
    kept_back[0].continue_()
    wait_for(page, "!state.busy")
    assert page.locator("#setup").is_visible()
    assert not page.locator("#error").is_visible()


def test_what_a_client_may_not_is_shown(page):
    with Running(app_of(limits=Limits(sessions=1, hints=1))) as running:
        sit_down(page, f"{running.url}/{QUICK}", 0)
        page.keyboard.press("h")
        page.wait_for_selector("#hints button")
        assert not page.locator("#error").is_visible()
        page.keyboard.press("h")
        page.wait_for_selector("#error", state="visible")
        assert "your address had 1 hints in a minute" in page.inner_text("#error")
        page.click("#leave")
        page.click("#start")
        wait_for(page, "byId('error').textContent.includes('your address has 1 games')")
        assert page.locator("#error").is_visible()
        assert page.locator("#setup").is_visible()


def test_changed_rules_are_not_for_the_learnt_policy(page, address):
    page.goto(address)
    page.wait_for_selector("select.player")
    assert page.locator("select.player").nth(1).input_value() == "policy"
    page.click("summary")
    page.select_option('select[name="radius"]', "3")
    assert page.locator("select.player").nth(1).input_value() == "heuristic"
    page.click("#start")
    wait_for(page, READY)
    assert page.locator("#board [data-hex]").count() == 37
