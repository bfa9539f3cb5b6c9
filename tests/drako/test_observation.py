"""R12: the observation says what the position says, field by field."""

from itertools import pairwise, product, zip_longest

import numpy as np
import pytest

from drako_env import drako_v0
from drako_env.drako import observe
from drako_env.drako.rules import DECKS
from drako_env.drako.state import Phase, Symbol
from drako_env.engine.hexboard import hexes
from drako_env.engine.position import Position
from drako_env.envs.batch import GameBatch
from drako_env.games import make_game
from tests.drako.random_games import random_positions

FIGURES = ("dragon", "fury", "archer", "net")
SIDES = ("dragon", "dwarves")


def unary(count, size):
    return [1] * count + [0] * (size - count)


def one_hot(index, size):
    return [int(i == index) for i in range(size)]


def counts(cards, deck, size):
    row = [cards.get(card.name, 0) for card in deck]
    return row + [0] * (size - len(row))


def expected_fields(state, rules, seat, sizes):
    """Every field, worked out from the position's dictionary alone."""
    side, other = SIDES[seat], SIDES[1 - seat]
    agent = state["agent"]
    fields = {
        "seat": one_hot(seat, 2),
        "decider": [int(agent == side), int(agent == other)],
        "phase": one_hot(Phase[state["phase"].upper()], 11),
        "own_turn": [int(state["turn_agent"] == side)],
        "actions_left": one_hot(state["actions_left"], 4),
        "actions_spent": one_hot(state["actions_spent"], 4),
        "netted": [int(state["dragon"]["netted"])],
        "fury_used": [int(state["fury_used"])],
        "own_exchanged": [int(state["exchanged"][side])],
        "opponent_exchanged": [int(state["exchanged"][other])],
    }
    places = {"dragon": state["dragon"]["hex"]} | {d: mat["hex"] for d, mat in state["dwarves"].items()}
    for figure, place in places.items():
        fields[f"{figure}_hex"] = [int(list(cell) == place) for cell in hexes(rules.radius)]
    for area, wounds in state["dragon"]["wounds"].items():
        fields[f"{area}_wounds"] = unary(wounds, sizes[f"{area}_wounds"])
    fields["fire_wounds"] = unary(state["dragon"]["wounds"]["fire"], sizes["fire_wounds"])
    for dwarf, mat in state["dwarves"].items():
        fields[f"{dwarf}_wounds"] = unary(mat["wounds"], sizes[f"{dwarf}_wounds"])
    return fields | card_fields(state, rules, seat, sizes) | pending_fields(state["pending"], sizes)


def card_fields(state, rules, seat, sizes):
    side, other = SIDES[seat], SIDES[1 - seat]
    own, opponent, kinds = rules.decks[seat], rules.decks[1 - seat], sizes["own_hand"]
    unseen = {
        card.name: state["hands"][other].get(card.name, 0) + state["decks"][other].get(card.name, 0)
        for card in opponent
    }
    hand, deck = state["hands"], state["decks"]
    return {
        "own_hand": counts(hand[side], own, kinds),
        "own_deck": counts(deck[side], own, kinds),
        "own_discards": counts(state["discards"][side], own, kinds),
        "opponent_unseen": counts(unseen, opponent, kinds),
        "opponent_discards": counts(state["discards"][other], opponent, kinds),
        "own_hand_size": unary(sum(hand[side].values()), rules.hand_limit + rules.cards_per_draw),
        "opponent_hand_size": unary(sum(hand[other].values()), rules.hand_limit + rules.cards_per_draw),
        "own_deck_size": unary(sum(deck[side].values()), sizes["own_deck_size"]),
        "opponent_deck_size": unary(sum(deck[other].values()), sizes["own_deck_size"]),
    }


def pending_fields(pending, sizes):
    names = ("pending_symbol", "pending_value", "strike", "strikes_open", "strikes_taken", "moved", "wounds_to_place")
    if pending is None:
        return {name: [0] * sizes[name] for name in names}
    strikes, answered = pending["strikes"], len(pending["blocked"])
    taken = [figure for figure, blocked in zip(strikes, pending["blocked"], strict=False) if not blocked]
    return {
        "pending_symbol": one_hot(Symbol[pending["symbol"].upper()], 9),
        "pending_value": unary(pending["value"], sizes["pending_value"]),
        "strike": [int(strikes[answered : answered + 1] == [figure]) for figure in FIGURES],
        "strikes_open": [strikes[answered:].count(figure) for figure in FIGURES],
        "strikes_taken": [taken.count(figure) for figure in FIGURES],
        "moved": [int(dwarf in pending["moved"]) for dwarf in FIGURES[1:]],
        "wounds_to_place": unary(pending["wounds"], sizes["wounds_to_place"]),
    }


def test_every_field_says_what_the_position_says():
    for game in random_positions(seed=21, games=60, every=3):
        fields = game.observation_fields
        sizes = {name: part.stop - part.start for name, part in fields.items()}
        for seat, agent in enumerate(game.possible_agents):
            observation = game.observe(agent)["observation"]
            expected = expected_fields(game.state_dict(), game.game.rules, seat, sizes)
            assert set(expected) == set(fields)
            for name, values in expected.items():
                assert observation[fields[name]].tolist() == values, (name, game.state_dict())


def test_fields_tile_the_observation():
    for game in random_positions(seed=22, games=3, every=50):
        parts = list(game.observation_fields.values())
        assert parts[0].start == 0
        assert all(before.stop == after.start for before, after in pairwise(parts))
        assert parts[-1].stop == game.observation_space("dragon_0")["observation"].shape[0]
        assert game.observe("dragon_0")["observation"].dtype == np.int8


def test_every_byte_is_written_whatever_the_decks_look_like(tmp_path):
    """Many kinds on one side and few on the other, at every radius: nothing of an old buffer shines through."""
    card = '[[deck.{}]]\nname = "{}"\ncopies = {}\noptions = [["{}", 9], ["defense", 0]]\n'
    dragon = "".join(card.format("dragon", f"d{i}", 4, "attack") for i in range(32))
    dwarves = card.format("dwarves", "axe", 5, "attack1")
    head = (DECKS / "reconstructed.toml").read_text(encoding="utf-8").split("[[deck")[0]
    path = tmp_path / "lopsided.toml"
    path.write_text(head + dragon + dwarves, encoding="utf-8")
    for radius in (2, 3, 4):
        for game in random_positions(seed=radius, games=2, every=5, rules=path, radius=radius):
            size = len(game.game.observation_high)
            for seat in range(2):
                pages = [np.full(size, filling, np.int8) for filling in (0, 77)]
                for page in pages:
                    game.game.kernels.observe_one(game.game.tables, game.position.states, 0, seat, page)
                assert np.array_equal(*pages)


def test_the_docstring_lists_every_field_with_its_size():
    game = next(random_positions(seed=1, rules="reconstructed"))
    rows = [line.split("|")[1:3] for line in observe.__doc__.splitlines() if line.startswith("| `")]
    listed = {name.strip(" `"): int("".join(c for c in size.split("(")[-1] if c.isdigit())) for name, size in rows}
    assert listed == {name: part.stop - part.start for name, part in game.observation_fields.items()}


def test_no_entry_is_higher_than_the_bounds_say():
    """Copies of a card, strikes (two at most hit the same figure), else zeros and ones."""
    game = drako_v0.raw_env().game
    counted = {"own_hand", "own_deck", "own_discards", "opponent_unseen", "opponent_discards"}
    dragon, dwarves = ([card.copies for card in deck] for deck in game.rules.decks)
    copies = [max(pair) for pair in zip_longest(dragon, dwarves, fillvalue=0)]
    for name, place in game.observation_fields.items():
        high = copies if name in counted else 2 if name in ("strikes_open", "strikes_taken") else 1
        most = np.minimum(high, 8) if name == "own_hand" else high
        assert (game.observation_high[place] == most).all(), name
    assert len(game.observation_high) == max(place.stop for place in game.observation_fields.values())


@pytest.mark.parametrize("table", ["tiny", "micro", "reconstructed"])
def test_the_bounds_of_cards_are_what_occurs(table):
    """At the first decision everything of the opponent's is unseen."""
    batch = GameBatch(game := make_game("drako", rules=table), 300, seed=0)
    seen = np.zeros_like(game.observation_high)
    for _ in range(40):
        seen = np.maximum(seen, batch.observation.max(axis=0))
        batch.step(batch.sample())
    assert (seen <= game.observation_high).all()
    field = game.observation_fields["opponent_unseen"]
    assert np.array_equal(seen[field], game.observation_high[field])


@pytest.mark.parametrize("radius", [1, 2])
@pytest.mark.parametrize("table", ["tiny", "reconstructed"])
def test_observing_writes_nothing_beyond_the_observation(table, radius):
    """Counts and cards are copied in pieces that are wider than their fields, on small boards too."""
    game = make_game("drako", rules=table, radius=radius, placement="first_game", exchange=False)
    batch = GameBatch(game, 3, seed=0)
    width, margin = len(game.observation_high), 256
    for _ in range(60):
        for game_number, seat in product(range(3), range(2)):
            around = np.full(width + 2 * margin, 77, np.int8)
            inner = around[margin : margin + width]
            game.kernels.observe_one(game.tables, batch.states, game_number, seat, inner)
            assert (np.delete(around, np.s_[margin : margin + width]) == 77).all()
            assert (inner <= game.observation_high).all()
            if seat == batch.agent[game_number]:
                assert (inner == batch.observation[game_number]).all()
        batch.step(batch.sample())


def test_a_small_board_is_observed_as_a_large_one_is():
    """The same position, but for the hexes: fields that do not tell hexes are the same."""
    games = [make_game("drako", rules="tiny", radius=radius) for radius in (1, 4)]
    for seed, seat in product(range(5), range(2)):
        small, large = (Position(game).deal(seed) for game in games)
        for name in games[0].observation_fields:
            if not name.endswith("_hex"):
                seen = [p.observation(seat)[p.game.observation_fields[name]] for p in (small, large)]
                assert np.trim_zeros(seen[0], "b").tolist() == np.trim_zeros(seen[1], "b").tolist(), name
