"""Drako's picture: as it was drawn, complete, legible, and marked for whoever wants to click on it."""

import itertools
from collections import Counter
from xml.etree import ElementTree

import pytest
from PIL import ImageFont

from drako_env import drako_v0
from drako_env.drako.rules import Rules
from drako_env.engine.hexboard import hexes
from drako_env.render import OPEN, raster
from drako_env.render.svg import sheet
from tests.drako.positions import legal_starting, play, position
from tests.drako.random_games import random_positions
from tests.render.pictures import DRAGON, DWARVES, FOLDER, PICTURES, drawn, fire, golden, netted, over, placement

SVG = "{http://www.w3.org/2000/svg}"
SEATS = (DRAGON, DWARVES, None)
LONGEST = 'a name - longer than any card has room for & <full> of "signs"'


@pytest.fixture(scope="module")
def pictures():
    return golden()


@pytest.mark.parametrize("name", PICTURES)
def test_golden_picture(name, pictures):
    """`make pictures` writes them anew after a change that is meant."""
    assert pictures[name] == (FOLDER / f"{name}.svg").read_text(encoding="utf-8")


def test_no_golden_picture_is_left_over():
    assert {path.stem for path in FOLDER.iterdir()} == set(PICTURES)


def parsed(game, seat):
    return ElementTree.fromstring(drawn(game, seat))


def marked(root, attribute):
    return [element.get(attribute) for element in root.iter() if element.get(attribute) is not None]


def words(root):
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


def font(element, parent_weight):
    bold = element.get("font-weight", parent_weight) == "bold"
    return ImageFont.truetype(str(raster.FONTS / f"DejaVuSans{'-Bold' if bold else ''}.ttf"), 100)


def width(element, size, weight=None):
    """How wide the bundled fonts set a text with its parts."""
    size = float(element.get("font-size", size))
    own = font(element, weight).getlength(element.text or "") * size / 100
    for part in element:
        own += width(part, size, weight) + font(element, weight).getlength(part.tail or "") * size / 100
    return own


def text_box(element):
    """Left, top, right, bottom of a line of text."""
    size, x, y = (float(element.get(name)) for name in ("font-size", "x", "y"))
    span = width(element, size)
    left = x - {"middle": span / 2, "end": span}.get(element.get("text-anchor"), 0)
    return left, y - 0.73 * size, left + span, y


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def check(game):
    """Every seat's picture is well-formed and complete, and no text is cut or covered by another."""
    scene = game.game.scene(game.position.state, None)
    for seat in (*SEATS, OPEN):
        root = parsed(game, seat)
        assert root.get("role") == "img"
        assert root[0].tag == f"{SVG}title"
        assert scene["question"][1:] in root[0].text
        cells = [f"{q},{r}" for q, r in hexes(scene["radius"])]
        assert marked(root, "data-hex") == cells
        standing = [name for name, dwarf in scene["dwarves"].items() if dwarf["hex"] is not None]
        assert marked(root, "data-figure") == ["dragon", *standing]
        hands = game.game.scene(game.position.state, seat)["hands"].values()
        assert Counter(marked(root, "data-card")) == sum((Counter(hand) for hand in hands if hand), Counter())
        check_texts(root)


def check_texts(root):
    texts = [element for element in root.iter(f"{SVG}text") if "".join(element.itertext())]
    boxes = [text_box(element) for element in texts]
    for element, (left, top, right, bottom) in zip(texts, boxes, strict=True):
        assert left >= 12, element.text
        assert right <= 708, "".join(element.itertext())
        assert top >= 12, element.text
        assert bottom <= 772, element.text
    for (a, first), (b, second) in itertools.combinations(zip(texts, boxes, strict=True), 2):
        assert not overlap(first, second), ("".join(a.itertext()), "".join(b.itertext()))


def test_every_position_of_random_games_is_drawn():
    phases = Counter()
    for game in random_positions(seed=7, games=6, every=4):
        check(game)
        phases[game.state_dict()["phase"]] += 1
    assert len(phases) >= 9, phases


def odd_table():
    """The longest names, the highest values and the most wound spaces that a table may have."""
    table = Rules.load().table()
    table["wounds"] = {
        "dragon": {"armor": 32, "flight": 12, "movement": 1, "fire": 9},
        "dwarves": {"fury": 32, "archer": 15, "net": 1},
    }
    table["deck"]["dwarves"] = [
        {"name": LONGEST, "copies": 4, "options": [["attack2", 9], ["crossbow", 9]]},
        {"name": "W" * 60, "copies": 60, "options": [["move2", 9], ["defense", 0]]},
        {"name": "Żółw", "copies": 60, "options": [["net", 0], ["attack1", 1]]},
    ]
    return Rules.load(table)


def test_a_table_of_extremes_is_drawn_too():
    game = position(
        agent="dwarves",
        rules=odd_table(),
        hands={"dwarves": {LONGEST: 2, "W" * 60: 2, "Żółw": 2}},
        decks={"dwarves": {"W" * 60: 58, "Żółw": 52}},
        fury=(1, 0),
        archer=(0, 1),
        wounds={"armor": 17, "fury_dwarf": 31},
    )
    state = game.state_dict()
    state["discards"]["dwarves"] = {"W" * 60: 60, LONGEST: 59}
    game.load_state_dict(state | {"turn": 9999})
    cards = legal_starting(game, "play")
    play(game, *(f"play {card}" for card in cards if card.endswith("attack2")), "strike twice")
    for seat in SEATS:
        root = parsed(game, seat)
        check_texts(root)
    assert "Żółw" in words(parsed(game, DWARVES))
    assert "120 discarded" in words(parsed(game, None))


def test_each_number_of_cards_fits():
    for count in range(7):
        check(position(agent="dwarves", hands={"dwarves": {"great-axe-shield": count} if count else {}}))


def test_hands_are_face_down_unless_they_are_the_viewers():
    game = fire()
    assert not marked(parsed(game, None), "data-card")
    assert set(marked(parsed(game, DRAGON), "data-card")) == {"claw-walk", "maul"}
    for seat in SEATS:
        shown = words(parsed(game, seat))
        assert "3 in hand" in shown
        assert "6 in hand" in shown


def test_all_hands_can_be_open():
    game = fire()
    hands = game.state_dict()["hands"]
    assert Counter(marked(parsed(game, OPEN), "data-card")) == Counter(hands["dragon"]) + Counter(hands["dwarves"])
    assert "(you)" not in " ".join(words(parsed(game, OPEN)))
    assert game.game.text(game.game.scene(game.position.state, OPEN)).splitlines()[-2:] == [
        "hand of the dragon: 2 claw-walk, maul",
        "hand of the dwarves: march, great-axe-shield, twin-axes, crossbow-step, net, shield",
    ]


def test_where_the_dragon_can_breathe_is_marked_on_the_board():
    game = position(hands={"dragon": {"fire": 1}}, dragon=(-2, 0), net=(-1, 0), archer=(1, 0), fury=(1, 1))
    assert not marked(parsed(game, DRAGON), "data-direction")
    play(game, "play fire as fire")
    aimed = {e.get("data-hex"): e.get("data-direction") for e in parsed(game, None).iter() if e.get("data-direction")}
    assert {hex for hex, direction in aimed.items() if direction == "0"} == {"-1,0", "0,0", "1,0", "2,0"}
    assert "-2,0" not in aimed


def test_cards_show_every_symbol_with_its_value():
    root = parsed(fire(), DWARVES)
    (card,) = (element for element in root.iter() if element.get("data-card") == "crossbow-step")
    assert [word for word in words(card) if word] == ["crossbow-", "step", "1", "crossbow", "1", "move"]


def test_the_attack_is_shown_with_what_became_of_each_strike():
    shown = words(parsed(fire(), None))
    assert [word for word in shown if word in ("taken", "blocked", "block?", "next")] == ["taken", "block?"]
    burning = [element.get("data-hex") for element in parsed(fire(), None).iter(f"{SVG}polygon") if is_burning(element)]
    assert burning == ["-1,0", "0,0", "1,0", "2,0"]


def is_burning(element):
    plain_hex = next(parsed(placement(), None).iter(f"{SVG}polygon"))
    return element.get("data-hex") is not None and element.get("fill") != plain_hex.get("fill")


def test_conditions_are_told_in_words():
    assert {"in the net", "has raged", "dead"} <= set(words(parsed(netted(), None)))
    assert {"next to place", "not placed"} <= set(words(parsed(placement(), None)))
    assert {"The dwarves won: the dragon is dead", "dead", "no cards"} <= set(words(parsed(over(), DWARVES)))


def test_the_fonts_come_with_their_licence():
    assert "Bitstream Vera" in (raster.FONTS / "LICENSE_DEJAVU").read_text(encoding="utf-8")


@pytest.mark.parametrize("radius", [2, 3, 4])
def test_every_board_fits_its_panel(radius):
    game = drako_v0.raw_env(radius=radius)
    game.reset(seed=0)
    corners = [
        tuple(map(float, corner.split(",")))
        for element in parsed(game, None).iter(f"{SVG}polygon")
        for corner in element.get("points").split()
    ]
    assert max(abs(x) for x, _ in corners) <= 196
    assert max(abs(y) for _, y in corners) <= 206


def test_a_sheet_holds_its_pictures_row_by_row():
    sides = [drawn(fire(), seat) for seat in SEATS]
    root = ElementTree.fromstring(sheet(sides, ["one", "two <&>", "three"], columns=2))
    inside = root.findall(f"{SVG}svg")
    for part, side in zip(inside, sides, strict=True):
        alone = ElementTree.fromstring(side.replace("\n", ""))
        assert [*map(ElementTree.tostring, part)] == [*map(ElementTree.tostring, alone)]
    places = [(float(e.get("x")), float(e.get("y"))) for e in inside]
    assert places[0][1] == places[1][1] < places[2][1]
    assert places[0][0] == places[2][0] < places[1][0]
    assert [e.text for e in root.findall(f"{SVG}text")] == ["one", "two <&>", "three"]
    assert raster.pixels(sheet(sides), 300).shape[1] == 300


def test_a_sheet_is_made_of_pictures():
    with pytest.raises(ValueError, match="made of documents"):
        sheet(["no picture"])
