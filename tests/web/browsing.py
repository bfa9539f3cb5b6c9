"""A browser for the tests of the page, and the server as it is started by hand.

python -m tests.web.browsing        shoots the pictures of README and documentation anew (or: make pictures)
"""

import contextlib
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

from drako_env import replay
from drako_env.evaluation.runner import Job, play_job
from drako_env.games import make_game
from drako_env.players import make_player
from tests.web.running import HANGS

ROOT = Path(__file__).parent.parent.parent
HERE = Path(__file__).parent
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


def shoot(page, name):
    """A picture for the documentation, in few colours: small, and as clear."""
    page.wait_for_timeout(500)  # whatever moves has arrived
    path = HERE / f"{name}.png"
    page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(160).save(path, optimize=True)
    print(f"written: {path}")


def main():
    """Set-up, rules, a guided game, a game with the dwarves asked whether to block, watching, analysis, a phone both
    ways."""
    chance = random.Random(2)
    with tempfile.TemporaryDirectory() as folder, serving("--keep", folder) as (_, address), browsing() as browser:
        page = open_page(browser)
        page.goto(address)
        page.wait_for_selector("select.player")
        shoot(page, "pictures/setup")
        page.click("#setup-rules")
        page.wait_for_selector("#rules[open] details")
        shoot(page, "pictures/rules")
        page.click("#rules-close")
        page.click("#learn")
        page.wait_for_selector("#guide", state="visible")
        shoot(page, "pictures/guided")
        sit_down(page, f"{address}{QUICK}", 1)
        while not page.evaluate("state.shown.out_of_turn && state.shown.number > 40 && state.shown.actions.length > 1"):
            decide(page, chance)
        shoot(page, "page")
        for name, size in (("portrait", (390, 844)), ("landscape", (844, 390))):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            shoot(page, f"pictures/{name}")
        page.set_viewport_size({"width": 1280, "height": 860})
        watch(page, f"{address}{QUICK}&watching", 20)
        page.select_option("#hands", "all")
        shoot(page, "pictures/watching")
        page.set_viewport_size({"width": 1400, "height": 900})
        for name, number, picture in (("drako", 45, "analysis"), ("golden_dragon", 30, "pictures/golden_dragon")):
            analyse(page, address, recorded(name, Path(folder) / f"{name}.jsonl"), number)
            shoot(page, picture)
        sit_down(page, f"{address}{QUICK}", 0)
        for _ in range(6):
            decide(page, chance)
        page.click("#study")
        page.wait_for_selector("#practice", state="visible")
        wait_for(page, "![...document.querySelectorAll('#choices td')].some((cell) => cell.textContent === '…')")
        shoot(page, "pictures/practice")


def recorded(name, path):
    """A game of learnt policies, in a file."""
    game = make_game(name)
    names = ("policy", "policy")
    played = play_job(game, [make_player(one, game) for one in names], Job(names, 0, 3, record=True))
    replay.save(path, replay.record(game, 3, names, played.actions, played.opinions, played.values))
    return path


def analyse(page, address, file, number):
    """The analysis board with the game of a file, when all of it has been searched."""
    page.goto(f"{address}analysis")
    page.set_input_files("#file", file)
    page.wait_for_url("**/analysis/file-*")
    page.wait_for_selector("#board svg")
    asked = "performance.getEntriesByType('resource').filter((one) => one.name.includes('/search/')).length"
    wait_for(page, f"{asked} === {len(replay.load(file).decisions)}")
    page.locator("#moves button").nth(number).click()


def watch(page, address, decisions):
    """Two agents play, and are stopped on the way."""
    page.goto(address)
    page.wait_for_selector("select.player")
    for i in range(2):
        page.locator("select.player").nth(i).select_option("heuristic")
    page.click("#start")
    wait_for(page, f"window.state && state.shown && state.shown.number > {decisions}")
    page.click("#pause")
    wait_for(page, "!state.busy")


if __name__ == "__main__":
    main()
