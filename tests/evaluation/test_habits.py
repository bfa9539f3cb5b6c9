"""What is said of how somebody plays agrees with a count by hand."""

import pytest

from drako_env import dataset
from drako_env.__main__ import main
from drako_env.engine.game import role_of
from drako_env.games import make_game
from drako_env.habits import counts, habits, kind_of, openings

GAMES = 6


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("habits")
    game = make_game("drako", rules="tiny")
    dataset.record(folder, dataset.header_of(game, ("heuristic", "random"), GAMES, 4, GAMES))
    return folder


@pytest.fixture(scope="module")
def data(folder):
    return dataset.load(folder)


def rows_with_a_choice(data, role):
    """As lists: what was legal, and what was done."""
    for mask, action, seat, game in zip(data.action_mask, data.action, data.seat, data.game, strict=True):
        if mask.sum() > 1 and role_of(data.rules.seats[seat]) == role:
            yield [a for a, legal in enumerate(mask) if legal], int(action), int(game)


@pytest.mark.parametrize("role", ["dragon", "dwarves"])
def test_counts_are_those_by_hand(data, role):
    kinds = [kind_of(action) for action in data.rules.actions]
    rows = (data.action_mask.sum(axis=1) > 1) & (data.seat == ["dragon", "dwarves"].index(role))
    for kind, (could, chosen) in counts(data, rows, kinds).items():
        by_hand = [
            (kind in {kinds[a] for a in legal}, kinds[action] == kind)
            for legal, action, _ in rows_with_a_choice(data, role)
        ]
        assert could == sum(one for one, _ in by_hand), kind
        assert chosen == sum(one for _, one in by_hand), kind


def test_every_decision_has_one_kind(data):
    rows = data.action_mask.sum(axis=1) > 1
    found = counts(data, rows, [kind_of(action) for action in data.rules.actions])
    assert sum(chosen for _, chosen in found.values()) == rows.sum() > 0
    assert all(chosen <= could for could, chosen in found.values())


def test_openings_are_the_first_decisions(data):
    kinds = [kind_of(action) for action in data.rules.actions]
    rows = (data.action_mask.sum(axis=1) > 1) & (data.seat == 0)
    first = {}
    for _, action, game in rows_with_a_choice(data, "dragon"):
        first.setdefault(game, []).append(kinds[action])
    expected = [", ".join(words[:5]) for words in first.values()]
    found = dict(openings(data, rows, kinds))
    assert found
    assert all(expected.count(words) == count for words, count in found.items())


def test_words():
    assert kind_of({"type": "play", "card": "bite", "symbol": "attack"}) == "play attack"
    assert kind_of({"type": "play", "card": "bite", "symbol": "attack"}, card=True) == "play bite"
    assert kind_of({"type": "move", "figure": "dragon", "hex": [0, 1]}) == "move"
    assert kind_of({"type": "storm", "use": True}) == "storm yes"


def test_games_without_cards_have_no_table_of_cards(tmp_path):
    game = make_game("golden_dragon", num_players=2)
    dataset.record(tmp_path, dataset.header_of(game, ("random", "random"), 2, 0, 2))
    text = habits(dataset.load(tmp_path))
    assert "storm yes" in text
    assert "discarded" not in text
    assert "**player**" in text


def test_the_command_says_who_played(folder, capsys):
    assert main(["habits", str(folder)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("drako_v0, 6 games: dragon_0 heuristic, dwarves_0 random\n")
    assert "| card " in said


def test_a_folder_without_games_is_refused(tmp_path, capsys):
    assert main(["habits", str(tmp_path)]) == 2
    assert "no data set" in capsys.readouterr().err
