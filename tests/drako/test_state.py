"""The state record."""

import pytest

from tests.drako.positions import position


def loads(game, **changes):
    """Whether a position is accepted with these changes, given as they stand in `state_dict`."""
    try:
        game.load_state_dict(game.state_dict() | changes)
    except ValueError:
        return False
    return True


DISCARDING = {"actions_left": 0, "phase": "discard", "hands": {"dragon": {}, "dwarves": {"march": 7}}}


@pytest.mark.parametrize(
    ("key", "most", "setting"),
    [
        ("turn", 10_000, {}),
        ("actions_left", 2, {}),
        ("actions_left", 3, {"fury_used": True}),
        ("actions_spent", 0, {}),
        ("actions_spent", 1, {"fury_used": True}),
        ("actions_spent", 2, DISCARDING),
        ("actions_spent", 3, DISCARDING | {"fury_used": True}),
    ],
)
def test_a_counter_has_its_limit(key, most, setting):
    game = position(agent="dwarves")
    assert loads(game, **setting, **{key: most})
    assert not loads(game, **setting, **{key: most + 1})
    assert not loads(game, **setting, **{key: -1})


@pytest.mark.parametrize(
    ("pile", "most", "setting"),
    [
        ("hands", 6, {}),
        ("hands", 8, {"phase": "discard", "actions_left": 0}),
        ("decks", 38, {}),
        ("discards", 127, {"decks": {"dragon": {"bite": 1}, "dwarves": {"shield": 1}}}),
    ],
)
def test_a_pile_of_cards_has_its_limit(pile, most, setting):
    for side, card in (("dragon", "walk"), ("dwarves", "march")):
        game = position(agent=side)
        cards = game.state_dict()[pile]
        assert loads(game, **setting, **{pile: cards | {side: {card: most}}})
        assert not loads(game, **setting, **{pile: cards | {side: {card: most + 1}}})
