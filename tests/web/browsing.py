"""A server and a browser for the tests of the page.

python -m tests.web.browsing        shoots the README's picture of the page anew (or: make pictures)
"""

import contextlib
import random
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PICTURE = Path(__file__).parent / "page.png"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
READY = "state.shown && !state.busy && (state.shown.yours || state.shown.over)"


@contextlib.contextmanager
def serving():
    """The address of a server of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "scripts/play.py", "--web", "--port", str(port)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert f"http://127.0.0.1:{port}/" in server.stdout.readline()
            for _ in range(200):
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).close()
                    break
                except OSError:
                    time.sleep(0.1)
            yield f"http://127.0.0.1:{port}/?pause=0"
        finally:
            server.terminate()


@contextlib.contextmanager
def browsing():
    """A browser without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield browser
        browser.close()


def wait_for(page, condition, seconds=30):
    """Until a condition holds in the page, whose security policy forbids Playwright's own waiting."""
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"{condition}: not within {seconds} s"
        page.wait_for_timeout(5)


def sit_down(page, address, seat, game="drako"):
    """Choose a game, one seat for oneself, the default opponent for the others."""
    page.goto(address)
    page.select_option("#game", game)
    for i in range(page.locator("select.player").count()):
        page.locator("select.player").nth(i).select_option(index=0 if i == seat else 1)
    page.click("#form button")
    wait_for(page, READY)


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
    wait_for(page, f"state.shown.number > {number} && {READY}")
    return asked


def main():
    """A game under way, the dwarves asked whether to block."""
    chance = random.Random(2)
    with serving() as address, browsing() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        sit_down(page, address, 1)
        while not page.evaluate("state.shown.out_of_turn && state.shown.number > 40 && state.shown.actions.length > 1"):
            decide(page, chance)
        page.screenshot(path=PICTURE)
    print(f"written: {PICTURE}")


if __name__ == "__main__":
    main()
