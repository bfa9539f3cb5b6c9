"""R1, R2, R4: board, mats, set-up."""

import pytest

from drako_env import drako_v0
from drako_env.engine.hexboard import hexes
from tests.drako.positions import after, legal, legal_starting, play


def new(**options):
    game = drako_v0.raw_env(**options)
    game.reset(seed=3)
    return game


def test_r4_1_dragon_on_the_centre_and_four_cards_each():
    state = new().state_dict()
    assert state["dragon"]["hex"] == [0, 0]
    for side in ("dragon", "dwarves"):
        assert sum(state["hands"][side].values()) == 4
        assert sum(state["decks"][side].values()) == 34
        assert state["discards"][side] == {}
    assert (state["turn"], state["turn_agent"], state["actions_left"]) == (0, "dragon", 1)


def test_r4_2_dragon_then_dwarves_may_exchange():
    game = new()
    before = game.state_dict()
    assert (before["phase"], before["agent"]) == ("exchange", "dragon")
    assert set(legal(game)) == {"keep the hand", "exchange the hand"}
    state = after(game, "exchange the hand")
    assert (state["phase"], state["agent"]) == ("exchange", "dwarves")
    assert state["hands"]["dragon"] != before["hands"]["dragon"]
    assert sum(state["hands"]["dragon"].values()) == 4
    assert state["hands"]["dwarves"] == before["hands"]["dwarves"]
    assert after(game, "keep the hand")["hands"] == state["hands"]
    assert game.state_dict()["phase"] == "placement"


@pytest.mark.parametrize("dragon", ["keep the hand", "exchange the hand"])
@pytest.mark.parametrize("dwarves", ["keep the hand", "exchange the hand"])
def test_r4_2_who_exchanged_stays_known_to_both(dragon, dwarves):
    game = new(placement="first_game")
    fields = game.observation_fields
    play(game, dragon, dwarves, "draw", "draw", "draw")
    expected = {"dragon": dragon == "exchange the hand", "dwarves": dwarves == "exchange the hand"}
    assert game.state_dict()["exchanged"] == expected
    for seat, own, other in (("dragon_0", "dragon", "dwarves"), ("dwarves_0", "dwarves", "dragon")):
        seen = game.observe(seat)["observation"]
        assert bool(seen[fields["own_exchanged"]][0]) == expected[own]
        assert bool(seen[fields["opponent_exchanged"]][0]) == expected[other]
    for line in game.game.text(game.game.scene(game.position.state, None)).splitlines():
        if side := next((side for side in expected if line.startswith(side)), None):
            assert ("hand exchanged" in line) == expected[side]


@pytest.mark.parametrize(
    ("options", "played", "exchanged"),
    [
        ({"exchange": False}, [], {"dragon": True, "dwarves": False}),
        ({}, [], {"dragon": True, "dwarves": False}),
        ({}, [], {"dragon": False, "dwarves": True}),
        ({}, ["keep the hand"], {"dragon": False, "dwarves": True}),
    ],
)
def test_r4_2_nobody_has_exchanged_before_being_asked(options, played, exchanged):
    game = new(**options)
    play(game, *played)
    before = game.state_dict()
    with pytest.raises(ValueError, match="cannot have exchanged"):
        game.load_state_dict(before | {"exchanged": exchanged})
    assert game.state_dict() == before


def test_r4_2_a_dealt_game_forgets_who_exchanged():
    game = new()
    play(game, "exchange the hand", "exchange the hand")
    game.reset(seed=4)
    assert game.state_dict()["exchanged"] == {"dragon": False, "dwarves": False}


def test_r4_2_an_exchanged_hand_may_come_back():
    """The hand is shuffled back before the new one is drawn: every card of the deck can be drawn again."""
    game = drako_v0.raw_env()
    returned = 0
    for seed in range(200):
        game.reset(seed=seed)
        hand = game.state_dict()["hands"]["dragon"]
        rare = {card for card in hand if card in ("maul", "bite-scales", "fire")}
        again = after(game, "exchange the hand")["hands"]["dragon"]
        returned += bool(rare & set(again))
    assert returned > 0


def test_r4_3_placement_in_order_away_from_the_dragon():
    game = new(exchange=False)
    rim = {f"({q},{r})" for q, r in hexes(2) if max(abs(q), abs(r), abs(q + r)) == 2}
    assert game.state_dict()["agent"] == "dwarves"
    assert legal_starting(game, "place fury on") == rim == {text.split()[-1] for text in legal(game)}
    play(game, "place fury on (2,0)")
    assert legal_starting(game, "place archer on") == rim - {"(2,0)"} == {text.split()[-1] for text in legal(game)}
    play(game, "place archer on (0,2)", "place net on (-2,0)")
    state = game.state_dict()
    assert (state["phase"], state["agent"], state["actions_left"]) == ("action", "dragon", 1)
    assert [state["dwarves"][d]["hex"] for d in ("fury", "archer", "net")] == [[2, 0], [0, 2], [-2, 0]]


def test_r4_3_first_game_hexes():
    assert new(placement="first_game").state_dict()["dwarves"]["fury"]["hex"] == [1, 1], "they stand from the start"
    state = new(exchange=False, placement="first_game").state_dict()
    assert [state["dwarves"][d]["hex"] for d in ("fury", "archer", "net")] == [[1, 1], [-2, 1], [1, -2]]
    assert (state["phase"], state["agent"]) == ("action", "dragon")


@pytest.mark.parametrize("radius", [2, 3, 4])
def test_r4_3_first_game_is_out_of_reach_on_any_radius(radius):
    game = new(exchange=False, placement="first_game", radius=radius)
    state = game.state_dict()
    cells = [tuple(state["dwarves"][d]["hex"]) for d in ("fury", "archer", "net")]
    assert all(max(abs(q), abs(r), abs(q + r)) == radius for q, r in cells)
    assert all(0 not in (q, r, q + r) for q, r in cells), "no dwarf stands in a line with the dragon"
    assert not {text for text in legal(game) if "as attack" in text or "as fire" in text}


@pytest.mark.parametrize("radius", [3, 4])
def test_r1_1_larger_boards(radius):
    game = new(exchange=False, radius=radius)
    cells = 3 * radius * (radius + 1) + 1
    assert len(legal_starting(game, "place fury on")) == cells - 7


def test_r2_every_area_starts_without_wounds():
    state = new().state_dict()
    assert state["dragon"]["wounds"] == {"armor": 0, "flight": 0, "movement": 0, "fire": 0}
    assert [dwarf["wounds"] for dwarf in state["dwarves"].values()] == [0, 0, 0]
    assert new().game.rules.dragon_spaces == (4, 3, 2, 2)
    assert new().game.rules.dwarf_spaces == (6, 3, 5)


def test_r4_1_a_table_says_how_many_cards_are_dealt():
    game = drako_v0.raw_env(rules="tiny", start_hand=2)
    game.reset(seed=0)
    state = game.state_dict()
    assert [sum(state["hands"][side].values()) for side in ("dragon", "dwarves")] == [2, 2]
    assert [sum(state["decks"][side].values()) for side in ("dragon", "dwarves")] == [3, 3]


def test_r4_3_on_a_board_of_radius_one_the_dwarves_stand_around_the_dragon():
    game = drako_v0.raw_env(radius=1, placement="first_game")
    game.reset(seed=0)
    places = {dwarf: mat["hex"] for dwarf, mat in game.state_dict()["dwarves"].items()}
    assert places == {"fury": [0, 1], "archer": [-1, 0], "net": [1, -1]}
    with pytest.raises(ValueError, match="every hex of a board of radius 1 is adjacent to the dragon"):
        drako_v0.raw_env(radius=1)
