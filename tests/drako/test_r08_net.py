"""R8: the net."""

from tests.drako.positions import after, legal, legal_starting, play, position


def test_r8_1_the_net_works_from_anywhere_and_is_not_blocked():
    hands = {"dwarves": {"net": 1}, "dragon": {"claw-scales": 1}}
    state = after(position(agent="dwarves", hands=hands), "play net as net")
    assert state["dragon"]["netted"]
    assert (state["phase"], state["agent"], state["pending"]) == ("action", "dwarves", None)


def test_r8_1_not_twice_and_not_without_the_net_dwarf():
    hands = {"dwarves": {"net": 1}}
    assert legal_starting(position(agent="dwarves", hands=hands, netted=True), "play") == {"net as move1"}
    assert legal_starting(position(agent="dwarves", hands=hands, net=None), "play") == {"net as move1"}


def test_r8_2_a_netted_dragon_fights_but_does_not_move():
    hands = {"dragon": {"bite": 1, "fire-walk": 1, "walk-flight": 1}}
    game = position(hands=hands, netted=True, fury=(1, 0))
    assert set(legal(game)) == {"draw", "escape the net", "play bite as attack", "play fire-walk as fire"}


def test_r8_3_escaping_takes_both_actions_of_a_turn():
    game = position(netted=True)
    state = after(game, "escape the net")
    assert (state["dragon"]["netted"], state["turn"], state["agent"], state["actions_left"]) == (False, 3, "dwarves", 2)
    game = position(netted=True)
    play(game, "draw")
    assert "escape the net" not in legal(game)
    assert "escape the net" not in legal(position(netted=True, actions_left=1))
    assert "escape the net" not in legal(position())


def test_r8_3_the_marker_may_be_used_again():
    game = position(netted=True, hands={"dwarves": {"net": 1}})
    play(game, "escape the net", "play net as net")
    assert game.state_dict()["dragon"]["netted"]


def test_r8_4_the_net_stays_when_the_net_dwarf_dies():
    hands = {"dragon": {"maul": 1}}
    game = position(hands=hands, netted=True, net=(1, 0), wounds={"net_dwarf": 3})
    state = after(game, "play maul as attack", "attack net", "take the strike")
    assert state["dwarves"]["net"] == {"hex": None, "wounds": 5}
    assert state["dragon"]["netted"]
    assert "escape the net" not in legal(game)


def test_r8_4_a_skipped_turn_counts_as_an_escape():
    game = position(agent="dwarves", actions_left=1, netted=True, decks={"dragon": {}})
    state = after(game, "draw")
    assert (state["turn"], state["agent"], state["dragon"]["netted"]) == (3, "dwarves", False)


def test_r8_4_losing_the_rest_of_a_turn_does_not():
    game = position(netted=True, hands={"dragon": {"bite": 1}}, decks={"dragon": {}}, fury=(1, 0))
    state = after(game, "play bite as attack", "attack fury", "take the strike")
    assert (state["turn"], state["agent"], state["dragon"]["netted"]) == (3, "dwarves", True)
