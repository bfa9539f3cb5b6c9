"""The page in a real browser: whole games are clicked through. `apt-get install chromium` brings the browser."""

import copy
import random
import threading
import types

import pytest

from drako_env import replay
from drako_env.engine.position import Position
from drako_env.games import GAMES, make_game
from drako_env.players import make_player
from drako_env.web import setup
from drako_env.web.limits import Limits
from drako_env.web.setup import Preset
from tests.drako.positions import play, position
from tests.web.browsing import CHROMIUM, QUICK, READY, ROOT, decide, open_page, sit_down, wait_for, watch
from tests.web.running import HANGS, WITH_POLICY, Running, app_of
from tests.web.test_server import client_at
from tests.web.test_store import finished_game

SHOTS = ROOT / "runs" / "screenshots"
SEED = 10
"""With that the dragon's game below is short."""

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no browser: apt-get install chromium")


@pytest.fixture(autouse=True)
def seeded(monkeypatch):
    monkeypatch.setattr(setup, "secrets", types.SimpleNamespace(randbits=lambda bits: SEED))


@pytest.fixture(scope="module")
def served():
    with Running(app_of(opponents=WITH_POLICY)) as running:
        yield running
        assert running.problems == []


@pytest.fixture(scope="module")
def address(served):
    return f"{served.url}/{QUICK}"


LINE = {"dragon": (-2, 0), "net": (-1, 0), "archer": (0, 0), "fury": (2, 0)}
AIMING = (position(hands={"dragon": {"fire": 1}}, **LINE), ["play fire as fire"])
WALKING = (position(hands={"dragon": {"claw-walk": 1}}), ["play claw-walk as move"])
BITTEN = (
    position("dwarves", hands={"dwarves": {"axe-shield": 1}, "dragon": {"walk-scales": 1}}, fury=(1, 0)),
    ["play axe-shield as attack1"],
)


def set_position(page, served, wanted):
    """Let the page's game stand somewhere else."""
    game, actions = wanted
    game = copy.deepcopy(game)
    play(game, *actions)
    session = served.app.state.sessions.find(page.evaluate("state.session"))
    session._position = Position.of(session.game, game.position.state)
    page.reload()
    wait_for(page, READY)


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


def type_choice(page, chance):
    """One decision by the keys beside its choices."""
    number = page.evaluate("state.shown.number")
    keys = page.evaluate("[...document.querySelectorAll('[data-key]')].map((button) => button.dataset.key)")
    page.keyboard.type(chance.choice(keys))
    wait_for(page, f"state.shown.number > {number} && {READY}")


def test_a_whole_game_by_keyboard(page, address):
    chance = random.Random(1)
    page.goto(address)
    page.wait_for_selector("select.player")
    page.click("#variants summary")
    levels = page.locator("select.player").nth(0).locator('option[value="level:3"]')
    assert "rating" in levels.text_content()
    page.select_option('select[name="table"]', '"tiny"')
    assert levels.text_content() == "Level 3: rules of thumb, 35% slips"
    page.locator("select.player").nth(0).select_option("heuristic")
    page.locator("select.player").nth(1).select_option("person")
    page.focus("#start")
    page.keyboard.press("Enter")
    wait_for(page, READY)
    page.keyboard.press("h")
    page.wait_for_selector("#hints button")
    long = 0
    while not page.evaluate("state.shown.over"):
        assert page.evaluate("document.activeElement.closest('#choices, #ask') !== null")
        long += page.evaluate("state.shown.actions.length > 9")
        type_choice(page, chance)
    assert long > 0
    assert page.locator("#end").is_visible()


def test_enter_takes_no_wound_by_accident(page, address, served):
    sit_down(page, address, 0)
    set_position(page, served, BITTEN)
    page.wait_for_selector("#ask[open]")
    for _ in range(3):
        page.keyboard.press("Enter")
    assert page.evaluate("[state.shown.number, state.shown.out_of_turn, state.busy]") == [0, True, False]
    assert page.locator("#ask-choices button").first.inner_text().startswith("Block")
    assert page.locator("#question").inner_text() == ""  # it is asked once


def test_fire_is_aimed_by_clicking_the_line(page, address, served):
    sit_down(page, address, 0)
    set_position(page, served, AIMING)
    lit = page.evaluate("[...document.querySelectorAll('#board polygon.can')].map((hex) => hex.dataset.place)")
    assert lit == ["C2", "C3", "C4", "C5"]
    page.locator("#choices button").first.hover()
    assert page.locator("#board polygon.glow").count() == 4
    page.locator("#board polygon[data-place=C4]").click()
    wait_for(page, "state.shown.number > 0")
    assert "breathes fire to the east" in page.inner_text("#log")


def test_the_log_points_at_hexes_and_the_last_move_is_marked(page, address, served):
    sit_down(page, address, 0)
    set_position(page, served, WALKING)
    page.locator("#board polygon[data-place=B2]").click()
    wait_for(page, "state.shown.number > 0")
    assert "walks from C3 to B2" in page.inner_text("#log")
    line = page.locator("#log li", has_text="from C3 to B2")
    line.hover()
    assert sorted(page.evaluate("[...document.querySelectorAll('#board .glow')].map((one) => one.dataset.place)")) == [
        "B2",
        "C3",
    ]


def test_places_are_reached_and_spoken(page, address):
    sit_down(page, address, 0)
    page.locator("#board [data-place]").first.focus()
    said = []
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
        said.append(page.evaluate("document.activeElement.getAttribute('aria-label')"))
    assert said[0].startswith("B")
    assert any(words.startswith("C3: the dragon, 0 of 11 wounds") for words in said)


def test_the_guided_game_alone_teaches_the_game(page, address):
    for game in ("drako", "golden_dragon", "icarius"):
        page.goto(address)
        page.wait_for_selector("select.player")
        page.select_option("#game", game)
        page.click("#learn")
        page.wait_for_selector("#guide", state="visible")
        while page.locator("#guide").is_visible():
            wrong = page.locator("#board .can, #choices button[data-action], #ask-choices button[data-action]")
            assert wrong.count() > 0
            right = page.evaluate("state.shown.actions.map(({ id }) => id)")
            title = page.inner_text("#guide-title")
            for action in right:
                if page.locator("#guide-next").is_visible():
                    break
                page.locator(f"[data-action='{action}']").first.click()
            assert page.locator("#guide-next").is_visible(), title
            page.keyboard.press("Enter")
        assert page.locator("#setup").is_visible()


def test_watching_with_pause_step_and_open_hands(page, address):
    watch(page, address.replace("pause=0", "watching"), 2)
    number = page.evaluate("state.shown.number")
    page.click("#step")
    wait_for(page, f"!state.busy && state.shown.number === {number + 1}")
    assert "Your hand" not in page.locator("#cards-list").inner_text()
    page.select_option("#hands", "dwarves_0")
    wait_for(page, "state.shown.viewer === 'dwarves_0'")
    assert page.evaluate("state.shown.number") == number + 1
    assert "of the dragon" in page.inner_text("#hands")
    closed = page.locator("#board [data-card]").count()
    page.select_option("#hands", "all")
    wait_for(page, "state.shown.viewer === null && !state.busy")
    assert page.locator("#board [data-card]").count() > closed
    page.screenshot(path=SHOTS / "watching.png")
    page.select_option("#speed", "0")
    page.click("#pause")
    wait_for(page, "state.shown.over")


def test_the_server_is_restarted_in_mid_game(browser, tmp_path):
    page, chance = open_page(browser), random.Random(4)
    with Running(app_of(folder=tmp_path)) as running:
        sit_down(page, f"{running.url}/{QUICK}", 0)
        for _ in range(4):
            decide(page, chance)
        port, before = running.address[1], page.evaluate("[state.session, state.shown.number, state.shown.picture]")
    page.locator("#choices button:visible, #ask-choices button:visible").first.click()
    page.wait_for_selector("#error", state="visible")
    assert "server does not answer" in page.inner_text("#error")
    with Running(app_of(folder=tmp_path), port):
        page.reload()
        wait_for(page, READY)
        assert page.evaluate("[state.session, state.shown.number, state.shown.picture]") == before
        for _ in range(3):
            decide(page, chance)
        page.click("#leave")
        page.click("#confirm-stay")
        assert page.locator("#session").is_visible()
        page.go_back()
        page.wait_for_selector("#setup", state="visible")
        page.click("#mine-list a")
        wait_for(page, READY)
        assert page.evaluate("state.session") == before[0]
    page.close()


def test_a_finished_game_is_played_on(page, tmp_path):
    app = app_of(folder=tmp_path)
    name, _, before = finished_game(client_at(app))
    with Running(app) as running:
        page.goto(f"{running.url}/{QUICK}#on-{name}-9")
        wait_for(page, READY)
        assert page.evaluate("[state.shown.number, state.shown.viewer]") == [9, before["log"][9]["seat"]]
        page.keyboard.press("1")
        wait_for(page, f"state.shown.number > 9 && {READY}")


def test_two_browsers_on_two_seats(browser, address):
    first, second = (open_page(browser) for _ in range(2))  # each in a context of its own
    first.goto(address)
    first.wait_for_selector("select.player")
    for i in range(2):
        first.locator("select.player").nth(i).select_option("person")
    first.check("#use-links")
    first.click("#start")
    first.wait_for_selector("#links[open]")
    links = [field.input_value() for field in first.locator("#links-list input").all()]
    first.click("#links-close")
    second.goto(links[1])
    wait_for(second, "window.state && state.shown && state.shown.viewer === 'dwarves_0' && !state.shown.yours")
    assert second.locator("#choices button[data-action]").count() == 0
    first.locator("#choices button[data-action]").first.click()
    wait_for(second, READY)
    assert second.locator("#pass").is_hidden()
    second.locator("#choices button[data-action]").first.click()
    wait_for(first, "state.shown.number === 2")
    assert first.evaluate("state.shown.viewer") == "dragon_0"
    for page in (first, second):
        page.close()


def test_a_second_tab_agrees(page, browser, address):
    sit_down(page, address, 0)
    tab = open_page(browser)
    tab.goto(page.url)
    wait_for(tab, READY)
    page.keyboard.press("1")
    wait_for(page, f"state.shown.number > 0 && {READY}")
    tab.evaluate("dispatchEvent(new Event('focus'))")
    wait_for(tab, f"state.shown.number > 0 && {READY}")
    shown = "[state.shown.version, state.shown.picture]"
    assert tab.evaluate(shown) == page.evaluate(shown)
    tab.close()


def test_discards_are_opened_by_touch(page, address):
    sit_down(page, address, 0)
    assert not page.locator("#cards-list").is_visible()
    page.locator("#board [data-part=discards]").first.click()
    assert "Discards of the dwarves" in page.locator("#cards-list").inner_text()
    assert "What the symbols mean" in page.locator("#cards-list").inner_text()


def test_movement_can_be_switched_off(page, address, served):
    for wanted in (True, False):
        sit_down(page, address, 0)
        page.locator("#motion").set_checked(wanted)
        set_position(page, served, WALKING)
        page.evaluate(
            "() => { window.moved = 0; const animate = Element.prototype.animate;"
            " Element.prototype.animate = function (...how) { window.moved += 1; return animate.apply(this, how); }; }"
        )
        page.locator("#board polygon[data-place=B2]").click()
        wait_for(page, "state.shown.number > 0")
        assert bool(page.evaluate("window.moved")) == wanted


def test_the_command_line_is_what_the_page_offers_first(page):
    preset = Preset("golden_dragon", make_game("golden_dragon", num_players=3), ("random", "person", "random"), 7)
    with Running(app_of(preset=preset)) as running:
        page.goto(f"{running.url}/{QUICK}")
        page.wait_for_selector("select.player")
        players = page.evaluate("[...document.querySelectorAll('select.player')].map((one) => one.value)")
        assert players == ["random", "person", "random"]
        page.click("#start")
        wait_for(page, READY)
        assert page.evaluate("[state.shown.game, state.shown.viewer]") == ["golden_dragon_v0", "player_1"]


def test_a_wrong_link_says_so(page, address):
    page.goto(f"{address}#nosuch")
    page.wait_for_selector("#notice", state="visible")
    assert "no such game" in page.inner_text("#notice")


def test_a_hint_says_that_it_is_thought_about(page, address):
    sit_down(page, address, 0)
    asked = []
    page.route("**/hint", lambda route: asked.append(route))
    page.click("#hint")
    wait_for(page, "document.getElementById('hints').textContent === 'The adviser thinks …'")
    while not asked:
        page.wait_for_timeout(10)
    asked[0].continue_()
    page.wait_for_selector("#hints button")
    assert "thinks" not in page.inner_text("#hints")


def test_games_are_listed_with_their_players_as_they_were_offered(page, address):
    sit_down(page, address, 0)
    page.click("#leave")
    page.click("#confirm-leave")
    page.wait_for_selector("#mine-list a")
    assert page.inner_text("#mine-list li") == "Drako the dragon: you or a friend, the dwarves: strong"


class Thinker:
    """An agent that thinks until it is told to stop."""

    asked, stop = threading.Event(), threading.Event()

    def __init__(self, game):
        pass

    def reset(self, seed):
        pass

    def act(self, view):
        Thinker.asked.set()
        Thinker.stop.wait(HANGS)
        return view.legal()[0]


@pytest.fixture
def thinking():
    Thinker.asked.clear()
    Thinker.stop.clear()
    make = lambda spec, game: Thinker(game) if spec == "thinker" else make_player(spec, game)  # noqa: E731
    opponents = {name: ["thinker", "heuristic"] for name in GAMES}
    with Running(app_of(make, opponents)) as running:
        yield f"{running.url}/{QUICK}"
        Thinker.stop.set()


def face_a_thinker(page, address):
    page.goto(address)
    page.wait_for_selector("select.player")
    page.locator("select.player").nth(0).select_option("thinker")
    page.locator("select.player").nth(1).select_option("person")
    page.click("#start")


def test_leaving_an_agent_that_thinks_does_not_jam_the_next_game(page, thinking):
    face_a_thinker(page, thinking)
    assert Thinker.asked.wait(HANGS)
    page.click("#leave")
    page.click("#confirm-leave")
    sit_down(page, thinking, 0)
    page.keyboard.press("1")
    wait_for(page, "state.shown.number === 1")


def test_thinking_can_be_stopped(page, thinking):
    face_a_thinker(page, thinking)
    page.click("text=Stop it thinking")
    page.wait_for_selector("text=Let it think again")
    assert page.evaluate("[state.busy, state.shown.number]") == [False, 0]
    Thinker.stop.set()
    page.click("text=Let it think again")
    wait_for(page, READY)


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
    page.click("#start")
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
    page.click("#confirm-leave")
    page.wait_for_selector("#setup", state="visible")
    assert page.evaluate("state.busy") is False
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
        page.click("#confirm-leave")
        page.click("#start")
        wait_for(page, "document.getElementById('error').textContent.includes('your address has 1 games')")
        assert page.locator("#error").is_visible()
        assert page.locator("#setup").is_visible()


def test_changed_rules_are_not_for_the_learnt_policy(page, address):
    page.goto(address)
    page.wait_for_selector("select.player")
    assert page.locator("select.player").nth(1).input_value() == "policy"
    page.click("#variants summary")
    page.select_option('select[name="radius"]', "3")
    assert page.locator("select.player").nth(1).input_value() == "heuristic"
    page.click("#start")
    wait_for(page, READY)
    assert page.locator("#board [data-hex]").count() == 37
