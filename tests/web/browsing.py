"""A browser for the tests of the page, and the server as it is started by hand.

python -m tests.web.browsing        shoots the README's picture of the page anew (or: make pictures)
"""

import contextlib
import json
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.web.running import HANGS

ROOT = Path(__file__).parent.parent.parent
PICTURE = Path(__file__).parent / "page.png"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
QUICK = "?pause=0"
READY = "window.state && state.shown && !state.busy && (state.shown.yours || state.shown.over)"


@contextlib.contextmanager
def serving(*options):
    """The command that serves the page, and its address."""
    command = [sys.executable, "scripts/play.py", "--web", "--port", "0", "--keep", "", *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, **pipes) as server:
        try:
            yield server, re.search(r"http://\S+", server.stdout.readline())[0]
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


def open_page(browser, width=1280, height=860):
    """A page of a desktop's size."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.set_default_timeout(1000 * HANGS)
    return page


def wait_for(page, condition):
    """Until a condition holds in the page, whose security policy forbids Playwright's own waiting."""
    holds = f"""async (end) => {{
        while (!({condition}) && Date.now() < end) await new Promise((go) => setTimeout(go, 1));
        return Boolean({condition});
    }}"""
    assert page.evaluate(holds, 1000 * (time.time() + HANGS)), f"{condition}: does not happen"


def sit_down(page, address, seat, game="drako", table=None):
    """Choose a game, one seat for oneself, the default opponent for the others."""
    page.goto(address)
    page.wait_for_selector("select.player")
    page.select_option("#game", game)
    if table:
        page.click("#variants summary")
        page.select_option('select[name="table"]', json.dumps(table))
    for i in range(page.locator("select.player").count()):
        page.locator("select.player").nth(i).select_option(index=0 if i == seat else 1)
    page.click("#start")
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
    with serving() as (_, address), browsing() as browser:
        page = open_page(browser)
        sit_down(page, f"{address}{QUICK}", 1)
        while not page.evaluate("state.shown.out_of_turn && state.shown.number > 40 && state.shown.actions.length > 1"):
            decide(page, chance)
        page.screenshot(path=PICTURE)
    print(f"written: {PICTURE}")


if __name__ == "__main__":
    main()
