"""R3.2: rules tables are data, and bad data is refused with the file, the entry and what is allowed."""

import random
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from drako_env import drako_v0
from drako_env.drako.rules import DECKS, Card, Rules
from drako_env.engine.game import rules_digest
from drako_env.games import make_game
from tests.play import random_action

SHIPPED = (DECKS / "reconstructed.toml").read_text(encoding="utf-8")


def test_r3_1_the_default_table_has_38_cards_a_side():
    rules = Rules.load()
    assert [sum(card.copies for card in deck) for deck in rules.decks] == [38, 38]
    assert rules.name == "reconstructed"
    assert sum(rules.dragon_spaces) + sum(rules.dwarf_spaces) == 25


def test_every_option_of_the_file_is_read():
    table = tomllib.loads(SHIPPED)
    for side, deck in zip(("dragon", "dwarves"), Rules.load().decks, strict=True):
        read = [{"name": c.name, "copies": c.copies, "options": [list(o) for o in c.options]} for c in deck]
        assert read == table["deck"][side]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('name = "march"', 'nome = "march"', ["[[deck.dwarves]] number 1", "'nome'", "name, copies, options"]),
        ('["move1", 2], ["move2", 1]', '["fly", 2]', ["'march'", "'fly'", "move1, move2, attack1"]),
        ('["move1", 2], ["move2", 1]', '["fire", 2]', ["'march'", "'fire' is a symbol of the dragon"]),
        ('[["move", 2]]', '[["net", 0]]', ["'walk'", "'net' is a symbol of the dwarves"]),
        ("copies = 2", "copies = 0", ["'march'", "copies = 0", "from 1 to"]),
        ("copies = 2", "copies = -1", ["'march'", "copies = -1"]),
        ("copies = 2", "copies = true", ["copies = True"]),
        ("copies = 2", "copies = 1.5", ["copies = 1.5"]),
        ('[["crossbow", 2]]', '[["crossbow", 2], ["net", 0], ["defense", 0]]', ["'crossbow'", "one or two"]),
        ('[["crossbow", 2]]', "[]", ["'crossbow'", "one or two"]),
        ('[["crossbow", 2]]', '[["crossbow"]]', ["'crossbow'", "pair [symbol, value]"]),
        ('[["crossbow", 2]]', '[["crossbow", 0]]', ["value of 'crossbow' = 0", "from 1 to 9"]),
        ('[["crossbow", 2]]', '[["crossbow", 2], ["crossbow", 1]]', ["'crossbow'", "must differ"]),
        ("armor = 4", "armor = 0", ["[wounds.dragon]", "armor = 0", "from 1 to"]),
        ("archer = 3", "archer = -2", ["[wounds.dwarves]", "archer = -2"]),
        ("archer = 3", "mage = 3", ["[wounds.dwarves]", "'mage'", "fury, archer, net"]),
        ("archer = 3", "", ["[wounds.dwarves]", "'archer' is missing"]),
        ("[wounds.dwarves]", "[wounds.elves]\nking = 1\n[wounds.dwarves]", ["[wounds]", "unknown key 'elves'"]),
        ("[wounds.dwarves]", "[extra]", ["unknown key 'extra'; allowed are deck, wounds"]),
        ("[[deck.dwarves]]", "[[deck.elves]]", ["[deck]", "unknown key 'elves'; allowed are dragon, dwarves"]),
        ("radius = 2", "radius = 0", ["[board]", "radius = 0", "1, 2, 3, 4"]),
        ("radius = 2", "radius = 5", ["[board]", "radius = 5", "1, 2, 3, 4"]),
        ("radius = 2", "size = 2", ["[board]", "'size'", "radius"]),
        ('name = "axe-step"', 'name = "march"', ["[[deck.dwarves]]", "'march' stands twice"]),
        ("[board]", "[options]\nfury = 1\n[board]", ["[options]", "'fury'", "fury_timing"]),
        ("[board]", '[options]\nplacement = "mine"\n[board]', ["placement = 'mine'", "'free', 'first_game'"]),
        ("[board]", "[bored]", ["unknown key 'bored'"]),
        ("[board]", "[board", ["not valid TOML"]),
    ],
)
def test_a_bad_table_is_refused(tmp_path, old, new, says):
    assert old in SHIPPED
    path = tmp_path / "mine.toml"
    path.write_text(SHIPPED.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match="mine") as error:
        drako_v0.raw_env(rules=path)
    for words in [str(path), *says]:
        assert words in str(error.value)


@pytest.mark.parametrize("key", ["wounds", "deck"])
@pytest.mark.parametrize("side", ["dragon", "dwarves"])
def test_a_table_lacks_nothing_of_either_side(key, side):
    table = Rules.load().table()
    del table[key][side]
    with pytest.raises(ValueError, match=rf"rules: \[{key}\]: '{side}' is missing; expected are dragon, dwarves"):
        Rules.load(table)


def test_a_deck_smaller_than_a_starting_hand_is_refused(tmp_path):
    table = (
        SHIPPED.split("[[deck.dragon]]")[0] + '[[deck.dragon]]\nname = "walk"\ncopies = 3\noptions = [["move", 2]]\n'
    )
    (tmp_path / "small.toml").write_text(table, encoding="utf-8")
    with pytest.raises(ValueError, match=r"\[\[deck.dragon\]\]: 3 cards in all.*at least 4"):
        Rules.load(tmp_path / "small.toml")


def test_more_kinds_than_the_record_holds_are_refused(tmp_path):
    card = '[[deck.dragon]]\nname = "walk{}"\ncopies = 1\noptions = [["move", 2]]\n'
    table = SHIPPED.split("[[deck.dragon]]")[0] + "".join(card.format(i) for i in range(33))
    (tmp_path / "many.toml").write_text(table, encoding="utf-8")
    with pytest.raises(ValueError, match="33 different cards; at most 32"):
        Rules.load(tmp_path / "many.toml")


@pytest.mark.parametrize("source", ["nosuch", "no/such.toml", "nosuch.toml", Path("nosuch")])
def test_a_table_that_does_not_exist(source):
    with pytest.raises(FileNotFoundError, match=r"nosuch|no/such") as error:
        drako_v0.env(rules=source)
    assert "reconstructed" in str(error.value)


def test_keyword_options_are_checked():
    with pytest.raises(ValueError, match="unknown option 'exchnge'; known are exchange"):
        drako_v0.env(exchnge=False)
    with pytest.raises(ValueError, match="exchange = 1: allowed are True, False"):
        drako_v0.env(exchange=1)
    with pytest.raises(ValueError, match="radius = 5"):
        drako_v0.env(radius=5)


def test_options_stand_in_the_file_and_keywords_win(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(SHIPPED + '\n[options]\nexchange = false\nedition = "2019"\nradius = 3\n', encoding="utf-8")
    rules = Rules.load(str(path))
    assert (rules.exchange, rules.fury_timing, rules.radius) == (False, "any", 3)
    rules = Rules.load(str(path), exchange=True, radius=4)
    assert (rules.exchange, rules.fury_timing, rules.radius) == (True, "any", 4)
    assert Rules.load(rules, placement="first_game").radius == 4


def test_a_name_in_both_decks_means_each_sides_own_card(tmp_path):
    path = tmp_path / "shared_names.toml"
    path.write_text(SHIPPED.replace('"claw-scales"', '"shield"'), encoding="utf-8")
    game = drako_v0.raw_env(rules=path)
    game.reset(seed=0)
    assert sum(a == {"type": "block", "card": "shield"} for a in game.game.actions) == 1
    what = game.game.tables["action_what"][0, game.action_id({"type": "block", "card": "shield"})]
    names = [deck[kind].name for deck, kind in zip(game.game.rules.decks, what, strict=True)]
    assert names == ["shield", "shield"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"dragon_deck": ()}, "0 cards in all"),
        ({"dragon_deck": (Card("walk", 4, (("net", 0),)),)}, "'net' is a symbol of the dwarves"),
        ({"radius": 1}, "adjacent to the dragon; choose placement = 'first_game'"),
        ({"start_hand": 39}, "start_hand = 39: allowed are 1, 2, 3, 4, 5, 6, 7, 8, 9, 10"),
        ({"start_hand": 7}, "start_hand = 7: hand_limit allows 6"),
        ({"hand_limit": 0}, "hand_limit = 0"),
        ({"cards_per_draw": 5}, "cards_per_draw = 5: allowed are 1, 2, 3, 4"),
        ({"dwarf_spaces": (0, 3, 5)}, "fury = 0"),
        ({"dwarf_spaces": (100, 3, 5)}, "fury = 100"),
        ({"dragon_spaces": (4, 3)}, "expected wound spaces for armor, flight, movement, fire"),
        ({"placement": "fre"}, "placement = 'fre'"),
        ({"fury_timing": "x"}, "fury_timing = 'x'"),
    ],
)
def test_a_rules_object_is_always_valid(change, says):
    with pytest.raises(ValueError, match=says):
        replace(Rules.load(), **change)


@pytest.mark.parametrize("symbols", [("move", "move1"), ("defense", "defense")])
def test_tables_of_one_symbol_a_side_work(tmp_path, symbols):
    """No defense card at all, or nothing but: neither is a good game, both are games."""
    decks = [
        f'[[deck.{side}]]\nname = "only"\ncopies = 6\noptions = [["{symbol}", {int(symbol != "defense")}]]\n'
        for side, symbol in zip(("dragon", "dwarves"), symbols, strict=True)
    ]
    path = tmp_path / "bare.toml"
    path.write_text(SHIPPED.split("[[deck.dwarves]]")[0] + "".join(decks), encoding="utf-8")
    batch = drako_v0.batch_env(20, seed=0, rules=path)
    ends = 0
    for _ in range(150):
        batch.step(batch.sample())
        ends += batch.done.sum()
    assert ends > 20


def test_a_keyword_wins_over_the_file_and_an_option_over_the_edition(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(SHIPPED + '\n[options]\nfury_timing = "start"\nedition = "2019"\n', encoding="utf-8")
    assert Rules.load(path).fury_timing == "start"
    assert Rules.load(path, edition="2019").fury_timing == "any"


def at_the_limit(copies=(4, 127, 1), value=9, spaces=32, kinds=3):
    """Rules that are just allowed: a deck of 128 cards with 127 of a kind, another of four; the largest value; mats of
    one space and of 32."""
    options = (("move", value), ("defense", 0))
    small = tuple(Card(f"march{i}", 1, (("move1", 1),)) for i in range(kinds))
    first, second, third = copies
    return Rules(
        name="limit",
        dragon_deck=(Card("walk", second, options), Card("flight", third, (("flight", 0),))),
        dwarves_deck=(*small, Card("net", first - kinds, (("net", 0),))),
        dragon_spaces=(1, 1, 1, spaces),
        dwarf_spaces=(1, spaces, 1),
    )


def test_what_is_just_allowed_is_played():
    batch = drako_v0.batch_env(3, seed=0, rules=at_the_limit())
    for _ in range(40):
        batch.step(batch.sample())
    assert sum(card.copies for card in at_the_limit().dragon_deck) == 128
    assert len(at_the_limit(copies=(32, 127, 1), kinds=31).dwarves_deck) == 32


@pytest.mark.parametrize("second", [("move", "move1"), ("defense", "defense")])
def test_the_largest_table_is_played_on_the_largest_board(second):
    """32 kinds of cards a side, each with two symbols to play, or with one and a shield: three actions each."""
    first = ("attack", "attack1")
    decks = [
        tuple(Card(f"{one}-{i}", 1, ((one, 1), (two, int(two != "defense")))) for i in range(32))
        for one, two in zip(first, second, strict=True)
    ]
    rules = replace(Rules.load(radius=4), dragon_deck=decks[0], dwarves_deck=decks[1])
    game, chance = drako_v0.raw_env(rules=rules), random.Random(0)
    game.reset(seed=0)
    assert len(game.game.actions) == 21 + 7 * 61 + 2 * 32 * 3
    while not game.terminations[game.agent_selection]:
        game.step(random_action(game, chance))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"copies": (3, 127, 1), "kinds": 2}, "3 cards in all; a starting hand needs at least 4"),
        ({"copies": (4, 127, 2)}, "129 cards in all; at most 128 are allowed"),
        ({"copies": (4, 128, 1)}, "copies = 128: expected a whole number from 1 to 127"),
        ({"copies": (33, 127, 1), "kinds": 32}, "33 different cards; at most 32 are allowed"),
        ({"value": 10}, "value of 'move' = 10: expected a whole number from 1 to 9"),
        ({"spaces": 33}, "fire = 33: expected a whole number from 1 to 32"),
    ],
)
def test_what_is_just_not_allowed_is_refused(change, says):
    with pytest.raises(ValueError, match=says):
        at_the_limit(**change)


def test_what_has_no_value_has_the_value_zero(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(SHIPPED.replace('["net", 0]', '["net", 1]', 1), encoding="utf-8")
    with pytest.raises(ValueError, match=r"value of 'net' = 1: expected 0$"):
        Rules.load(path)


def test_a_table_may_leave_its_name_and_board_out(tmp_path):
    table = tomllib.loads(SHIPPED)
    assert Rules.load({"deck": table["deck"], "wounds": table["wounds"]}).radius == 2
    path = tmp_path / "mine.toml"
    path.write_text(SHIPPED.replace('name = "reconstructed"', "", 1), encoding="utf-8")
    assert Rules.load(path).name == "mine"
    with pytest.raises(ValueError, match="name = 3: expected a text"):
        Rules.load(table | {"name": 3})


def test_sizes_of_hands_stand_in_a_table_only_where_they_differ():
    """So that the digest of every older table is what it was: policies and replays carry it."""
    assert rules_digest(make_game("drako", rules="reconstructed_1")) == "c065ca0c2db975a8"
    assert rules_digest(make_game("drako", rules="tiny")) == "5e8899b917643d1e"
    assert {"start_hand", "hand_limit", "cards_per_draw"}.isdisjoint(Rules.load().table()["options"])
    small = Rules.load("tiny", start_hand=1, hand_limit=2, cards_per_draw=1)
    assert Rules.load(small.table()) == small
    assert Rules.load(small.table() | {"name": "x"}, start_hand=2).start_hand == 2


def test_a_keyword_may_make_a_small_deck_large_enough():
    table = Rules.load("tiny", start_hand=1).table()
    table["deck"]["dragon"] = [{"name": "claw", "copies": 2, "options": [["attack", 1]]}]
    del table["options"]["start_hand"]
    with pytest.raises(ValueError, match="2 cards in all; a starting hand needs at least 4"):
        Rules.load(table)
    assert Rules.load(table, start_hand=2).start_hand == 2
