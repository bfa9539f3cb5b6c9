"""The page for everybody: axe-core finds nothing serious on any of its parts, at a desk and on a phone."""

import random

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.web.browsing import CHROMIUM, QUICK, READY, browsing, decide, open_page, sit_down, wait_for, watch
from tests.web.running import WITH_POLICY, Running, app_of

SERIOUS = ("serious", "critical")
SIZES = {"desk": (1280, 860), "portrait": (390, 844), "landscape": (844, 390), "twice as large": (640, 430)}

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no browser: apt-get install chromium")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with Running(app_of(opponents=WITH_POLICY, folder=tmp_path_factory.mktemp("games"))) as running:
        yield f"{running.url}/{QUICK}"


@pytest.fixture(scope="module")
def browser():
    with browsing() as found:
        yield found


def problems(page):
    found = Axe().run(page).response["violations"]
    return [(one["id"], [node["html"][:120] for node in one["nodes"]][:3]) for one in found if one["impact"] in SERIOUS]


def small_targets(page):
    """What is to be clicked on and is smaller than 24 by 24 pixels; the board's parts have buttons that do the same."""
    return page.evaluate("""() => [...document.querySelectorAll("button, select, input, summary, a")].filter((one) => {
        const { width, height } = (one.closest("label.check") ?? one).getBoundingClientRect();
        return one.checkVisibility() && (width < 24 || height < 24);
    }).map((one) => one.outerHTML.slice(0, 100))""")


def check(page):
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        assert problems(page) == []
        assert small_targets(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_set_up_rules_and_guided_game(browser, address):
    page = open_page(browser)
    page.goto(address)
    page.wait_for_selector("select.player")
    page.click("#variants summary")
    check(page)
    page.click("#setup-rules")
    page.wait_for_selector("#rules[open] details")
    page.evaluate("for (const one of document.querySelectorAll('#rules details')) one.open = true")
    check(page)
    page.click("#rules-close")
    page.click("#learn")
    page.wait_for_selector("#guide", state="visible")
    check(page)
    page.close()


@pytest.mark.parametrize("game", ["drako", "golden_dragon"])
def test_play_and_the_question_out_of_turn(browser, address, game):
    page, chance = open_page(browser), random.Random(5)
    sit_down(page, address, 0, game)
    page.click("#cards summary")
    check(page)
    while not page.evaluate("state.shown.out_of_turn"):
        decide(page, chance)
    check(page)
    page.close()


def test_watching_and_the_end(browser, address):
    page = open_page(browser)
    watch(page, address, 3)
    check(page)
    page.click("#pause")
    wait_for(page, READY)
    check(page)
    page.close()
