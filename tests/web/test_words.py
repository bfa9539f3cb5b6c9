"""Words for people: one language for every choice and every event, and nobody is told what that seat may not know."""

import random
import re

import pytest

from drako_env.engine.position import Position
from drako_env.games import make_game
from drako_env.web.words import Words
from tests.kuhn.game import Kuhn

GAMES = {
    "drako": {"fury_timing": "any", "discard_action": "always"},
    "golden_dragon": {"num_players": 3, "veto_scope": "others"},
    "icarius": {"num_players": 5, "board": "compact8"},
}
FOREIGN = re.compile(r"move[12]|attack[12]|\bfury\b|\barcher\b|direction \d|\(-?\d,-?\d\)|None|[{}]")
"""What the rules call things, and people do not."""


def decisions(game, games, seed):
    """Random games: the position before a decision, the action, the position after it."""
    chance = random.Random(seed)
    for _ in range(games):
        position = Position(game).deal(chance.getrandbits(60))
        while not position.over:
            before, agent, legal = position.state.copy(), position.agent, position.legal()
            action = chance.choice(legal)
            position.play(action)
            yield before, agent, legal, action, position


@pytest.mark.parametrize("name", GAMES)
def test_every_choice_and_event_is_said_in_one_language(name):
    game = make_game(name, **GAMES[name])
    words, said = Words(game), set()
    for before, agent, legal, action, position in decisions(game, 3, seed=1):
        scene = game.scene(before, agent)
        texts = [words.choice(scene, one)["text"] for one in legal]
        assert len(set(texts)) == len(texts), texts
        lines = [words.told(before, action, position.state, seat) for seat in (*range(len(game.seats)), None)]
        said |= {words.question(scene), *texts, *(line["text"] for line in lines), *(line["turn"] for line in lines)}
    assert [text for text in said if FOREIGN.search(text)] == []


@pytest.mark.parametrize("name", GAMES)
def test_marks_are_parts_of_the_picture(name):
    game = make_game(name, **GAMES[name])
    words, kinds = Words(game), set()
    for before, agent, legal, _, _ in list(decisions(game, 1, seed=2))[:60]:
        scene = game.scene(before, agent)
        picture = game.picture(scene)
        for action in legal:
            for key, value in words.choice(scene, action)["marks"]:
                kinds.add(key)
                assert f'data-{key}="{value}"' in picture, (game.actions[action], key, value)
    assert kinds >= ({"hex", "card"} if name == "drako" else {"dragon", "cell", "wind"})


def twins(game, before, legal, action, seat):
    """The same action after another deal of what a seat may not know, and other actions: records before and after."""
    redealt = Position.of(game, before)
    redealt.redeal(seat)
    redealt.update()
    for start, other in ((redealt.state.copy(), action), *((before, one) for one in legal if one != action)):
        twin = Position.of(game, start)
        if twin.play(other):
            yield start, other, twin.state


def told_agree(game, games, seed):
    """Whatever looks the same to a seat before and after it, the seat is told the same of."""
    words, changed = Words(game), 0
    for before, _, legal, action, position in decisions(game, games, seed):
        for seat in range(len(game.seats)):
            seen, honest = game.scene(position.state, seat), words.told(before, action, position.state, seat)
            for start, other, after in twins(game, before, legal, action, seat):
                if game.scene(after, seat) == seen:
                    changed += (start.tobytes(), other) != (before.tobytes(), action)
                    assert words.told(start, other, after, seat) == honest, (seat, game.actions[other])
    assert changed > 20


@pytest.mark.parametrize("name", GAMES)
def test_nobody_is_told_what_that_seat_may_not_know(name):
    told_agree(make_game(name, **GAMES[name]), 2, seed=3)


def test_a_stone_that_fits_nobody_is_told():
    game = make_game("golden_dragon", num_players=2)
    words, passed = Words(game), 0
    for before, _, _, action, position in decisions(game, 8, seed=4):
        line = words.told(before, action, position.state, None)["text"]
        count = line.count("fits nobody")
        moved = any((before["cell"] != position.state["cell"])[: len(game.seats)])
        setting_up = game.phase(before).startswith("setup")
        expected = 0 if setting_up else int(position.state["single_moves"]) - int(before["single_moves"])
        forbidden = "forbids" in line and expected > 0
        assert count == max(expected - int(moved) - int(forbidden), 0), line
        passed += count
    assert passed > 0


@pytest.mark.parametrize("scope", ["owner_only", "any_opponent"])
def test_whoever_is_asked_about_lightning_is_told_whose_figure_it_is(scope):
    game = make_game("golden_dragon", num_players=3, veto_scope=scope)
    asked = set()
    for before, agent, _, _, _ in decisions(game, 3, seed=6):
        if game.phase(before) != "veto":
            continue
        for viewer in range(3):
            scene = game.scene(before, viewer)
            question, own = Words(game).question(scene), scene["announced"] == viewer
            asked.add((agent == viewer, own))
            assert ("your dragon" in question) == own
            assert (f"the dragon of player {scene['announced']}" in question) != own
    assert len(asked) == (2 if scope == "owner_only" else 4)


def test_what_everybody_has_left_is_counted_in_words():
    game = make_game("icarius", num_players=2)
    scene = game.scene(Position(game).deal(1).state, 0) | {"storms": [2, 0], "bolts": [1, 2]}
    names = [[card["name"] for card in pile["cards"]] for pile in Words(game).around(scene)["cards"]]
    assert names == [["2 sun cards", "1 lightning card", "holder"], ["no sun card", "2 lightning cards", "holder"]]


def test_a_flying_dragon_flies_and_a_strike_at_it_needs_no_name():
    game, said = make_game("drako"), set()
    for before, _, _, action, position in decisions(game, 5, seed=8):
        said.add(Words(game).told(before, action, position.state, None)["text"])
    assert [text for text in said if "the dragon from" in text or "strike at the dragon" in text] == []
    for words in ("walks from", "flies from", "moves Brald from", "takes the strike (", "takes the strike at Morin ("):
        assert [text for text in said if text.startswith((words, words.replace("s ", " ", 1)))], words


def test_deaths_wounds_turns_and_the_end_are_told():
    game, said = make_game("drako"), []
    for before, _, _, action, position in decisions(game, 30, seed=5):
        line = Words(game).told(before, action, position.state, None)
        said += [line["text"], line["turn"]]
    every = "\n".join(said)
    for words in ("is dead", "of 6)", "on its armor", "in the net", "Turn 1: the dwarves", "won", "can walk no more"):
        assert words in every, words


def test_a_game_without_words_speaks_plainly():
    game = Kuhn.of(None) if hasattr(Kuhn, "of") else Kuhn()
    words, position = Words(game), Position(game).deal(1)
    scene = game.scene(position.state, position.agent)
    action = position.legal()[0]
    assert words.question(scene) == scene["question"]
    assert words.choice(scene, action) == {"id": action, "text": game.action_text(action), "marks": []}
    before = position.state.copy()
    position.play(action)
    assert words.told(before, action, position.state, None)["text"] == game.event_text(before, action, None)
    assert words.around(scene)["cards"] == []
