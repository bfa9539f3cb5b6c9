"""Replays: what was recorded can be read back, and whatever was changed is found, with its line."""

import json
import random
from itertools import islice

import pytest
from rich.console import Console

from drako_env import replay
from drako_env.cli.replay import show
from drako_env.engine.game import rules_digest
from drako_env.engine.loops import OVER
from drako_env.evaluation.match import play_game
from drako_env.games import make_game
from drako_env.players import make_player
from drako_env.web.replay_page import Page
from tests.drako.random_games import TABLES
from tests.every_game import every_game


@pytest.fixture(scope="module")
def recorded():
    game = make_game("drako", rules=TABLES[1], edition="2019")
    agents, actions = [make_player("ismcts:10", game), make_player("heuristic", game)], []
    opinions, values = [], []

    def watch(agent, action):
        actions.append(action)
        opinions.append(agent.opinions() if hasattr(agent, "opinions") else [])
        values.append(agent.value() if hasattr(agent, "value") else None)

    play_game(game, agents, 4, watch=watch)
    return replay.record(game, 4, ["ismcts:10", "heuristic"], actions, opinions, values)


@pytest.fixture
def file(recorded, tmp_path):
    path = tmp_path / "game.jsonl"
    replay.save(path, recorded)
    return path


def changed(file, number, change):
    """The file with one line (from 1) changed."""
    lines = file.read_text().splitlines()
    row = json.loads(lines[number - 1])
    change(row)
    lines[number - 1] = json.dumps(row)
    file.write_text("\n".join(lines) + "\n")
    return file


def line_of(file, what):
    """The first line (from 1) whose action is of this type."""
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    return 1 + next(i for i, row in enumerate(rows) if row.get("action", {}).get("type") == what)


def test_a_replay_comes_back_as_it_was(recorded, file):
    loaded = replay.load(file)
    assert loaded == recorded
    assert replay.verify(loaded)
    assert loaded.header.game == "drako_v0"
    assert loaded.header.rules["options"]["fury_timing"] == "any"
    assert loaded.header.seats == {"dragon_0": "ismcts:10", "dwarves_0": "heuristic"}
    assert sorted(loaded.result.rewards.values()) == [-1, 1]


def test_a_replay_can_be_read_by_a_person(file):
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert rows[0]["format"] == "drako-env replay 1"
    drawing = next(row for row in rows if row.get("action") == {"type": "draw"})
    assert sum(sum(cards.values()) for cards in drawing["drawn"].values()) == 2
    thinking = next(row for row in rows if "opinions" in row)
    assert thinking["opinions"][0].keys() == {"action", "weight"}
    assert thinking["opinions"][0]["weight"] >= thinking["opinions"][-1]["weight"]
    assert 0 <= thinking["value"] <= 1
    assert all("value" not in row for row in rows if row.get("agent") == "dwarves_0"), "the heuristic sees no chances"


def test_a_card_that_was_not_in_hand_is_found(recorded, file):
    number, game = line_of(file, "play"), recorded.make_game()
    before = next(islice(replay.positions(recorded, game), number - 2, None)).state
    side = recorded.decisions[number - 2].agent.removesuffix("_0")
    names = [card["name"] for card in recorded.header.rules["deck"][side]]
    missing = next(name for name in names if name not in game.state_dict(before)["hands"][side])
    changed(file, number, lambda row: row["action"].update(card=missing))
    with pytest.raises(replay.ReplayError, match=rf"^line {number}: .* is not legal for"):
        replay.verify(replay.load(file))


@pytest.mark.parametrize(
    ("line", "change", "says"),
    [
        (lambda f: line_of(f, "draw"), lambda row: row["drawn"].clear(), "drawn was"),
        (lambda f: 3, lambda row: row.update(agent="dragon_0"), "dragon_0 decides, but it is up to dwarves_0"),
        (lambda f: 1, lambda row: row.update(seed=5), r"line \d+: "),
        (lambda f: 1, lambda row: row["seats"].pop("dwarves_0"), "line 1: seats dragon_0"),
        (lambda f: 1, lambda row: row.update(game="chess"), "line 1: unknown game 'chess'"),
        (lambda f: 1, lambda row: row["rules"].pop("deck"), "line 1: .*'deck' is missing"),
        (lambda f: len(f.read_text().splitlines()), lambda row: row.update(ending="?"), "the result is"),
    ],
)
def test_what_was_changed_is_found(file, line, change, says):
    changed(file, line(file), change)
    with pytest.raises(replay.ReplayError, match=says):
        replay.verify(replay.load(file))


def test_a_game_cut_short_and_one_that_goes_on_are_found(file):
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:-2] + lines[-1:]))
    with pytest.raises(replay.ReplayError, match=f"line {len(lines) - 1}: a result, but the game is not over"):
        replay.verify(replay.load(file))
    file.write_text("".join([*lines[:-1], lines[1], lines[-1]]))
    with pytest.raises(replay.ReplayError, match=f"line {len(lines)}: the game was over before"):
        replay.verify(replay.load(file))


@pytest.mark.parametrize(
    ("line", "text", "says"),
    [
        (3, "{nonsense", "line 3: not the decision of a replay"),
        (3, "[1, 2]", "line 3: not the decision of a replay: Expected `object`"),
        (4, '{"agent": 7, "action": {}}', r"line 4: .*Expected `str`, got `int` - at `\$.agent`"),
        (4, '{"agent": "dragon_0", "action": {}, "cheat": 1}', "line 4: .*unknown field `cheat`"),
        (1, '{"format": "x", "game": "a", "rules": {}, "seed": 1, "seats": {}}', "line 1: format 'x'; this version"),
        (1, '{"rules": {"a": ' + "[" * 30_000 + "]" * 30_000 + "}}", "line 1: not the header of a replay: nested too"),
        (3, "[" * 100_000, "line 3: not the decision of a replay"),
        (4, '{"agent": "' + "x" * 9999 + '", "action": []}', "line 4: not the decision"),
        (1, '{"format": "' + "x" * 70_000 + '"}', "line 1: a header of more than 65536 bytes"),
    ],
    ids=range(9),
)
def test_a_broken_file_names_the_line(file, line, text, says):
    lines = file.read_text().splitlines()
    lines[line - 1] = text
    file.write_text("\n".join(lines) + "\n")
    with pytest.raises(replay.ReplayError, match=says) as error:
        replay.load(file)
    assert str(file) in str(error.value)
    assert len(str(error.value)) < 1000


def test_bytes_that_are_no_text_are_found(file):
    file.write_bytes(file.read_bytes().replace(b'"seats":{"dragon_0', b'"seats":{"drag\xff\xfen_0'))
    with pytest.raises(replay.ReplayError, match="line 1: not the header of a replay"):
        replay.load(file)


def test_a_file_of_the_first_versions_says_why_it_is_refused(file):
    """They have no digest, and the rules have changed since."""
    changed(file, 1, lambda row: row.pop("digest"))
    with pytest.raises(replay.ReplayError, match=r"line 1: recorded under other rules: .* none.*; play it with"):
        replay.load(file)


@pytest.mark.parametrize(
    ("opinion", "says"),
    [
        ({"action": {"type": "dance"}, "weight": 1.0}, "{'type': 'dance'} with weight 1.0"),
        ({"action": {"type": "keep"}, "weight": -1.0}, "with weight -1.0"),
        ({"action": {"type": "keep"}, "weight": 1e308}, "with weight 1e.308"),
    ],
)
def test_opinions_on_nothing_or_without_measure_are_found(file, opinion, says):
    changed(file, 2, lambda row: row.update(opinions=[opinion] * 2))
    with pytest.raises(replay.ReplayError, match=f"^line 2: an opinion on .*{says}"):
        replay.verify(replay.load(file))


@pytest.mark.parametrize("value", [-0.1, 1.01, 1e300])
def test_a_value_that_is_no_winning_chance_is_found(file, value):
    changed(file, 2, lambda row: row.update(value=value))
    with pytest.raises(replay.ReplayError, match=r"^line 2: a value of .*: expected a winning chance from 0 to 1"):
        replay.verify(replay.load(file))


def test_a_file_without_values_is_a_replay_too(recorded, file):
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    file.write_text("\n".join(json.dumps({k: v for k, v in line.items() if k != "value"}) for line in lines) + "\n")
    loaded = replay.load(file)
    assert replay.verify(loaded)
    assert {decision.value for decision in loaded.decisions} == {None}
    assert [d.opinions for d in loaded.decisions] == [d.opinions for d in recorded.decisions]


def test_a_game_that_was_left_is_read_only_where_it_may_be(recorded, tmp_path):
    game, path = recorded.make_game(), tmp_path / "left.jsonl"
    actions = [game.actions.index(decision.action) for decision in recorded.decisions]
    replay.save(path, replay.record(game, 4, ["a", "b"], actions[:5], unfinished=True))
    left = replay.load(path, unfinished=True)
    assert left.result is None
    assert [decision.action for decision in left.decisions] == [d.action for d in recorded.decisions[:5]]
    with pytest.raises(replay.ReplayError, match=r"left.jsonl, line 6: not the result of a replay"):
        replay.load(path)
    with pytest.raises(replay.ReplayError, match=r"^line 7: the result is missing: the game is not over"):
        replay.verify(left)
    replay.save(path, replay.record(game, 4, ["a", "b"], actions, unfinished=True))
    assert replay.verify(replay.load(path, unfinished=True))


def test_more_lines_than_a_game_has_decisions_are_found(recorded, file):
    lines = file.read_text().splitlines(keepends=True)
    most = recorded.make_game().max_decisions
    longest = [lines[0], *[lines[1]] * most, lines[-1]]
    file.write_text("".join(longest))
    assert len(replay.load(file).decisions) == most
    file.write_text("".join([*longest[:-1], *longest[-2:]]))
    with pytest.raises(replay.ReplayError, match=f"line {most + 3}: no game has more than {most} decisions"):
        replay.load(file)


def test_a_file_may_be_as_large_as_it_may_and_no_larger(recorded, file, monkeypatch):
    size = file.stat().st_size
    monkeypatch.setattr(replay, "MAX_BYTES", size)
    assert replay.load(file) == recorded
    monkeypatch.setattr(replay, "MAX_BYTES", size - 1)
    with pytest.raises(replay.ReplayError, match=f"line 1: a file of more than {size - 1} bytes is no replay"):
        replay.load(file)


def test_a_replay_without_a_decision_is_one_that_is_not_over(file):
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([lines[0], lines[-1]]))
    loaded = replay.load(file)
    assert loaded.decisions == []
    with pytest.raises(replay.ReplayError, match="line 2: a result, but the game is not over"):
        replay.verify(loaded)
    file.write_text(lines[0])
    with pytest.raises(replay.ReplayError, match="line 2: a replay has a header, decisions and a result"):
        replay.load(file)


def test_positions_are_one_before_every_decision_and_one_at_the_end(recorded):
    game = recorded.make_game()
    found = [(position.agent, game.phase(position.state)) for position in replay.positions(recorded, game)]
    assert [game.seats[seat] for seat, _ in found[:-1]] == [decision.agent for decision in recorded.decisions]
    assert found[-1] == (OVER, "over")


def test_opinions_may_end_before_the_game(recorded):
    game = recorded.make_game()
    actions = [game.actions.index(decision.action) for decision in recorded.decisions]
    shorter = replay.record(game, 4, ["ismcts:10", "heuristic"], actions, [[(actions[0], 1.0)]])
    thoughts = [len(decision.opinions) for decision in shorter.decisions]
    assert thoughts == [1] + [0] * (len(actions) - 1)
    assert replay.verify(shorter)


def test_a_line_leaves_out_what_there_is_nothing_of(recorded):
    """No cards drawn, no opinions: most lines are short."""
    lines = [json.loads(line) for line in replay.encode(recorded).splitlines()]
    for decision, line in zip(recorded.decisions, lines[1:-1], strict=True):
        assert ("drawn" in line) == bool(decision.drawn)
        assert ("opinions" in line) == bool(decision.opinions)


def test_a_replay_cannot_be_changed(recorded):
    for part, name in ((recorded, "result"), (recorded.header, "seed"), (recorded.decisions[0], "agent")):
        with pytest.raises(AttributeError, match="immutable"):
            setattr(part, name, getattr(part, name))


@pytest.mark.parametrize(
    "rules", [{"options": 3}, {"options": [1]}, {"rows": {}}, {"winds": 1}, {"deck": {"dragon": 1}}]
)
@pytest.mark.parametrize("game", ["drako", "golden_dragon"])
def test_rules_of_no_game_are_found(file, game, rules):
    changed(file, 1, lambda row: row.update(game=game, rules=rules))
    with pytest.raises(replay.ReplayError, match=r"game.jsonl, line 1: "):
        replay.load(file)


def test_names_that_look_like_markup_are_shown_as_they_are(capsys):
    """Rich would take them for its own words, and stop at one that closes nothing."""
    page = Page("dragon_0", "play [/red] as move", [("discard [/] [bold", 0.5)], "", "[/x]")
    show(page, "1 of 1", Console())
    shown = capsys.readouterr().out
    assert all(words in shown for words in ("play [/red] as move", "discard [/] [bold", "[/x]"))


def test_an_empty_file_is_no_replay(tmp_path):
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(replay.ReplayError, match=r"empty.jsonl, line 1: a replay has a header"):
        replay.load(tmp_path / "empty.jsonl")


def test_only_whole_games_are_recorded():
    game = make_game("drako")
    with pytest.raises(replay.ReplayError, match="not over after 0 decisions"):
        replay.record(game, 1, ["a", "b"], [])
    with pytest.raises(replay.ReplayError, match=r"decision 1: .* is illegal for dragon_0"):
        replay.record(game, 1, ["a", "b"], [100])


@every_game
def test_games_of_every_kind_are_recorded_and_verified(module, options, tmp_path):
    game, actions = module.raw_env(**options).game, []
    names = ["random", *["heuristic"] * (len(game.seats) - 1)]
    play_game(game, [make_player(name, game) for name in names], 3, watch=lambda agent, action: actions.append(action))
    path = tmp_path / "game.jsonl"
    replay.save(path, replay.record(game, 3, names, actions))
    loaded = replay.load(path)
    assert replay.verify(loaded)
    assert list(loaded.header.seats.values()) == names
    assert loaded.make_game().rules == game.rules
    number = len(actions)  # the line of the last decision but one
    changed(path, number, lambda row: row.update(action={"type": "dance"}))
    with pytest.raises(replay.ReplayError, match=rf"^line {number}: .* is not legal for"):
        replay.verify(replay.load(path))


def test_a_game_that_began_in_a_position_says_so_in_its_first_line(recorded, tmp_path):
    game = recorded.make_game()
    *_, position = islice(replay.positions(recorded, game), 9)
    given, actions, chance = game.state_dict(position.state), [], random.Random(1)
    begun = replay.begun(game, 4, given)
    while not begun.over:
        actions.append(chance.choice(begun.legal()))
        begun.play(actions[-1])
    path = tmp_path / "begun.jsonl"
    replay.save(path, replay.record(game, 4, ["a", "b"], actions, position=given))
    assert replay.verify(replay.load(path))
    with pytest.raises(replay.ReplayError, match="line 1: position: turn: -1 is not a whole number"):
        replay.verify(replay.load(changed(path, 1, lambda header: header["position"].update(turn=-1))))
    with pytest.raises(replay.ReplayError, match="line 2: "):
        replay.verify(replay.load(changed(path, 1, lambda header: header.pop("position"))))


def test_golden_dragon_under_other_rules_is_another_game(tmp_path):
    """The veto scope decides who is asked; a game that met no veto breaks where the first one is due."""
    game, actions = make_game("golden_dragon", num_players=3), []
    agents = [make_player("random", game) for _ in range(3)]
    play_game(game, agents, 1, watch=lambda agent, action: actions.append(action))
    path = tmp_path / "game.jsonl"
    replay.save(path, replay.record(game, 1, ["a", "b", "c"], actions))
    changed(path, 1, lambda row: row["rules"]["options"].update(veto_scope="any_opponent"))
    with pytest.raises(replay.ReplayError, match=r"game.jsonl, line 1: recorded under other rules: .* here it is"):
        replay.load(path)
    other = rules_digest(make_game("golden_dragon", num_players=3, veto_scope="any_opponent"))
    changed(path, 1, lambda row: row.update(digest=other))
    with pytest.raises(replay.ReplayError, match=r"^line \d+: player_\d decides, but it is up to player_\d"):
        replay.verify(replay.load(path))
    changed(path, 1, lambda row: row["rules"]["options"].update(num_players=4))
    with pytest.raises(replay.ReplayError, match="line 1: seats player_0, player_1, player_2; the game has"):
        replay.verify(replay.load(path))
