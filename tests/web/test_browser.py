"""The page in a real browser: whole games are clicked through. `apt-get install chromium` brings the browser."""

import random
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from drako_env import replay

ROOT = Path(__file__).parent.parent.parent
SHOTS = ROOT / "runs" / "screenshots"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
READY = "state.shown && !state.busy && (state.shown.yours || state.shown.over)"

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no browser: apt-get install chromium")


@pytest.fixture(scope="module")
def address():
    """A server of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "scripts/play.py", "--web", "--port", str(port)]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert f"http://127.0.0.1:{port}/" in server.stdout.readline()
        for _ in range(200):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5)
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/?pause=0"
    finally:
        server.terminate()
        server.wait()


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield launched
        launched.close()


@pytest.fixture
def page(browser):
    opened = browser.new_page(viewport={"width": 1280, "height": 860})
    problems = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    yield opened
    opened.close()
    assert problems == []


def sit_down(page, address, seat, game="drako"):
    """Choose a game, one seat for oneself, the default opponent for the others."""
    page.goto(address)
    page.select_option("#game", game)
    for i in range(page.locator("select.player").count()):
        page.locator("select.player").nth(i).select_option(index=0 if i == seat else 1)
    page.click("text=Play")
    page.wait_for_function(READY)


def decide(page, chance):
    """One decision: something on the board that is lit, or a button. Returns whether it was asked out of turn."""
    asked = page.evaluate("state.shown.out_of_turn")
    number = page.evaluate("state.shown.number")
    lit = page.locator("#board .can")
    if not asked and lit.count() and chance.random() < 0.6:
        lit.nth(chance.randrange(lit.count())).dispatch_event("click")
    if page.evaluate(f"!state.busy && state.shown.number === {number}"):
        buttons = page.locator("#ask-choices button[data-action]" if asked else "#choices button[data-action]")
        buttons.nth(chance.randrange(buttons.count())).click()
    page.wait_for_function(f"state.shown.number > {number} && {READY}")
    return asked


@pytest.mark.parametrize("seat", [0, 1])
def test_a_whole_game_on_each_seat(page, address, seat, tmp_path):
    chance, asked = random.Random(seat), 0
    sit_down(page, address, seat)
    for number in range(1000):
        if page.evaluate("state.shown.over"):
            break
        asked += decide(page, chance)
        if number == 12:
            before = page.evaluate("[state.table, state.shown.number, state.shown.picture]")
            page.reload()
            page.wait_for_function(READY)
            assert page.evaluate("[state.table, state.shown.number, state.shown.picture]") == before
            page.screenshot(path=SHOTS / f"desktop-{seat}.png")
    assert asked > 0
    assert page.locator("#end").is_visible()
    page.screenshot(path=SHOTS / f"end-{seat}.png")
    with page.expect_download() as download:
        page.click("#replay")
    download.value.save_as(tmp_path / "game.jsonl")
    assert replay.verify(replay.load(tmp_path / "game.jsonl"))
    page.click("#rematch")
    page.wait_for_function(f"!state.shown.over && {READY}")


def test_a_phone_shows_everything_without_scrolling_sideways(browser, address):
    page = browser.new_page(viewport={"width": 390, "height": 844})
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
        page.wait_for_function(f"state.shown.number > {number} && {READY}")
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
    page.click("text=Play")
    page.wait_for_selector("#pass[open]")
    assert page.locator("#board svg").count() == 0
    page.click("#pass-go")
    page.wait_for_selector("#board svg")
    page.locator("#choices button[data-action]").first.click()
    page.wait_for_selector("#pass[open]")
    assert "dwarves" in page.inner_text("#pass-text")
    assert page.locator("#board svg").count() == 0
