"""The page for everybody: axe-core finds nothing serious on any of its parts, at a desk and on a phone."""

import random

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.web.browsing import CHROMIUM, QUICK, READY, decide, sit_down, wait_for, watch
from tests.web.running import WITH_POLICY, Running, app_of
from tests.web.test_server import client_at
from tests.web.test_store import finished_game

SERIOUS = ("serious", "critical")
SIZES = {"desk": (1280, 860), "portrait": (390, 844), "landscape": (844, 390), "twice as large": (640, 430)}

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no browser: apt-get install chromium")


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    return app_of(opponents=WITH_POLICY, folder=tmp_path_factory.mktemp("games"))


@pytest.fixture(scope="module")
def address(app):
    with Running(app) as running:
        yield f"{running.url}/{QUICK}"


@pytest.fixture(scope="module")
def finished(app):
    """The name of a game that is over."""
    return finished_game(client_at(app))[0]


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


def test_set_up_rules_and_guided_game(page, address):
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


@pytest.mark.parametrize("game", ["drako", "golden_dragon"])
@pytest.mark.parametrize("size", ["landscape", "twice as large"])
def test_low_screens_show_the_whole_board_and_the_hand_beside_the_choices(page, address, game, size):
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    sit_down(page, address, 0, game)
    parts = ["#board svg", "#choices button:first-child", "#leave"]
    boxes = [page.locator(part).bounding_box() for part in parts]
    assert [box for box in boxes if box["y"] < 0 or box["y"] + box["height"] > height] == []
    board, choice, _ = boxes
    assert board["x"] + board["width"] <= choice["x"]
    assert page.locator("#board [data-card]").count() or game != "drako"


@pytest.mark.parametrize("game", ["drako", "golden_dragon"])
def test_play_and_the_question_out_of_turn(page, address, game):
    chance = random.Random(5)
    sit_down(page, address, 0, game)
    page.click("#cards summary")
    check(page)
    while not page.evaluate("state.shown.out_of_turn"):
        decide(page, chance)
    check(page)


def test_watching_and_the_end(page, address):
    watch(page, address, 3)
    check(page)
    page.click("#pause")
    wait_for(page, READY)
    check(page)


def test_what_opens_during_a_game(page, address):
    sit_down(page, address, 0)
    page.click("#leave")
    page.wait_for_selector("#confirm[open]")
    check(page)
    page.click("#confirm-stay")
    page.click("#show-rules")
    page.wait_for_selector("#rules[open] details")
    check(page)
    page.click("#rules-close")
    page.click("#hint")
    page.wait_for_selector("#hints button")
    check(page)


def two_people(page, address):
    page.goto(address)
    page.wait_for_selector("select.player")
    for i in range(2):
        page.locator("select.player").nth(i).select_option("person")


def test_kept_games_and_links_for_each_person(page, address, finished):
    two_people(page, address)
    page.check("#use-links")
    assert page.locator("#use-analysis").is_visible()
    page.click("#start")
    page.wait_for_selector("#links[open]")
    check(page)
    page.click("#links-close")
    page.click("#leave")
    page.click("#confirm-leave")
    page.wait_for_selector("#mine-list a")
    page.click("#finished summary")
    page.wait_for_selector("#finished-list a")
    check(page)


def test_the_screen_is_passed_on(page, address):
    two_people(page, address)
    page.click("#start")
    page.wait_for_selector("#pass[open]")
    check(page)


def test_the_analysis_board(page, address, finished):
    root = address.removesuffix(QUICK)
    page.goto(f"{root}analysis")
    page.wait_for_selector("#open", state="visible")
    check(page)
    page.goto(f"{root}analysis/{finished}#3")
    page.wait_for_selector("#board svg")
    check(page)
    page.click("#setup summary")
    wait_for(page, "document.getElementById('by-hand').value.length > 9")
    page.fill("#by-hand", "{}")
    page.click("#load")
    page.wait_for_selector("#wrong", state="visible")
    check(page)


def test_the_analysis_board_of_a_game_under_way(page, address):
    sit_down(page, address, 0, "golden_dragon")
    page.click("#study")
    page.wait_for_selector("#practice", state="visible")
    check(page)
