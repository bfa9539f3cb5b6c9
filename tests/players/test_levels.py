"""Levels of play: eight in every game, from one file; and the players between random and the strongest."""

from collections import Counter

import numpy as np
import pytest

from drako_env.engine.position import Position
from drako_env.engine.view import SeatView
from drako_env.envs.seat import SeatGames
from drako_env.games import GAMES, make_game
from drako_env.players import has_policy, kernel_player, ladder, levels, make_player, player_files, resolved
from drako_env.players.levels import FILE, NAMES, Ladder, in_words, read_ladders
from drako_env.players.policy import PolicyAgent, load_policies
from drako_env.players.simple import ErringAgent
from tests.kuhn.game import Kuhn
from tests.kuhn.game import Rules as KuhnRules
from tests.players.test_players import views

COUNTS = [(name, n) for name, entry in GAMES.items() for n in entry.options.get("num_players", (None,))]
OTHER_RULES = [("drako", {"rules": "tiny"}), ("drako", {"edition": "2019"}), ("icarius", {"veto_scope": "others"})]
EVERY = [(name, {} if n is None else {"num_players": n}) for name, n in COUNTS] + OTHER_RULES


def decisions(game, player, seed, count):
    """How a player goes on from a deal, on all seats: every action must be legal."""
    position = Position(game).deal(seed)
    player.reset(seed)
    for _ in range(count):
        if position.over:
            return
        view = position.view()
        action = player.act(view)
        assert view.action_mask[action]
        assert position.play(action)


@pytest.mark.parametrize(("name", "options"), EVERY, ids=lambda value: str(value))
def test_every_level_of_every_game_plays_legally(name, options):
    game = make_game(name, **options)
    for level in NAMES:
        decisions(game, make_player(level, game), 5, 6)


def test_a_game_of_ones_own_has_levels_too():
    game = Kuhn.of(KuhnRules())
    assert [resolved(name, game) for name in NAMES] == list(read_ladders(FILE)[-1].levels)
    for level in NAMES:
        decisions(game, make_player(level, game), 1, 10)


def test_levels_need_no_policy_where_none_comes_with_the_rules():
    assert has_policy(make_game("drako"))
    for name, options in OTHER_RULES:
        game = make_game(name, **options)
        assert not has_policy(game)
        assert not any("policy" in in_words(spec) for spec in ladder(game))


@pytest.mark.parametrize("level", ["level:0", "level:9", "level:x", "level:", "level", "level:01", "level:1:2"])
def test_a_level_that_does_not_exist_is_one_line_with_those_that_do(level):
    with pytest.raises(ValueError, match=f"agent '{level}': there are level:1, level:2, .*, level:8$") as error:
        make_player(level, make_game("drako"))
    assert "\n" not in str(error.value)


def ladder_file(path, *tables):
    path.write_text("\n".join(f"[[ladder]]\n{table}" for table in tables))
    return path


EIGHT = [f"ismcts:{n}" for n in range(1, 9)]
PLAIN = f"levels = {EIGHT}"


def test_the_first_ladder_that_fits_counts(tmp_path, monkeypatch):
    others = [str(EIGHT).replace("ismcts:1'", f"ismcts:{n}'") for n in (100, 200, 300)]
    tables = [
        f'games = ["golden_dragon"]\nplayers = [4, 5]\nlevels = {others[0]}',
        f'games = ["drako", "golden_dragon"]\nlearnt = true\nlevels = {others[1]}',
        f'games = ["golden_dragon"]\nlevels = {others[2]}',
        PLAIN,
    ]
    monkeypatch.setattr(levels, "FILE", ladder_file(tmp_path / "levels.toml", *tables))
    two, four, other = (
        make_game(*case[:1], num_players=case[1])
        for case in (("golden_dragon", 2), ("golden_dragon", 4), ("icarius", 4))
    )
    for learnt, second in ((False, "ismcts:300"), (True, "ismcts:200")):
        lowest = [levels.ladder_of(game, learnt).levels[0] for game in (four, two, other)]
        assert lowest == ["ismcts:100", second, "ismcts:1"]


def test_what_was_measured_belongs_to_a_level_and_to_its_player():
    ladder = Ladder(tuple(EIGHT), elo=tuple(range(8)), milliseconds=(0.5,) * 8)
    assert ladder.measured("ismcts:3") == ladder.measured("level:3") == (2, 0.5)
    assert ladder.measured("random") is None
    assert Ladder(tuple(EIGHT)).measured("level:3") is None


def test_measured_ratings_rise():
    for one in read_ladders(FILE):
        assert list(one.elo) == sorted(set(one.elo))


@pytest.mark.parametrize(
    ("tables", "says"),
    [
        ([], "'ladder'"),
        ([f"levels = {EIGHT[:7]}"], "expected 8 different players"),
        ([f"levels = {EIGHT[:7] + EIGHT[:1]}"], "expected 8 different players"),
        (["levels = [1, 2, 3, 4, 5, 6, 7, 8]"], "expected 8 different players"),
        (["levels = 8"], "object of type 'int'"),
        (['games = ["drako"]'], "'levels'"),
        ([f'games = "drako"\n{PLAIN}'], "games = drako: expected names"),
        ([f"elo = [0, 1]\n{PLAIN}"], "elo and milliseconds: expected 8 numbers each"),
        ([f"elo = {[*range(8)]}\n{PLAIN}"], "elo and milliseconds: expected 8 numbers each"),
        ([f"levels = {[*EIGHT[:7], 'level:1']}"], "level 'level:1': a level cannot be made of another"),
        ([f"levels = {[*EIGHT[:7], 'mistakes:0.5:level:1']}"], "a level cannot be made of another"),
        ([f"{PLAIN}\nplayer = 3"], "a ladder has no 'player'"),
        ([f'{PLAIN}\nplayers = ["3"]'], "players = .*: expected numbers"),
        ([PLAIN, f'games = ["drako"]\n{PLAIN}'], "the last ladder has to be for every game"),
        (["levels = ["], "Invalid value"),
    ],
)
def test_what_is_wrong_with_the_file_is_said(tmp_path, tables, says):
    path = ladder_file(tmp_path / "levels.toml", *tables)
    with pytest.raises(ValueError, match=says) as error:
        read_ladders(path)
    assert str(error.value).startswith(str(path))


def test_levels_are_the_ordinary_players():
    """Inside the kernels and in the digests of series as well."""
    game = make_game("drako")
    for level, spec in zip(NAMES, ladder(game), strict=True):
        assert player_files(level, game) == [FILE, *player_files(spec, game)]
        here, there = (kernel_player(name, "dragon", game) for name in (level, spec))
        assert here == there or here.tensors is there.tensors
    assert kernel_player("level:1", "dragon", game) == kernel_player("random", "dragon", game) is not None


def test_learners_meet_levels():
    for level in ("level:1", "level:3", "level:6"):
        games = SeatGames(make_game("drako"), 6, "dragon_0", {"them": (1.0, level)}, seed=1)
        for _ in range(20):
            games.step(games.batch.sample())
        assert (games.batch.agent == games.seat).all()
    single = SeatGames(make_game("icarius"), 2, opponent=[(1, "level:2"), (1, "level:5")], seed=1)
    single.step(single.batch.sample())


class Fixed:
    """Always the last legal action, and it counts how often it began anew."""

    def __init__(self):
        self.resets = 0

    def reset(self, seed):
        self.resets += 1

    def act(self, view):
        return view.legal()[-1]


def test_a_share_of_the_decisions_is_random():
    _, view = next((game, view) for game, view in views(1, 60) if len(view.legal()) >= 8)
    legal = view.legal()
    for share in (0.0, 0.3, 1.0):
        player = ErringAgent(Fixed(), share)
        player.reset(7)
        begun = player.player.resets
        chosen = Counter(player.act(view) for _ in range(4000))
        mistakes = player.player.resets - begun
        assert mistakes / 4000 == pytest.approx(share, abs=0.03)
        assert chosen[legal[-1]] == pytest.approx(4000 - mistakes + mistakes / len(legal), abs=120)
        for action in legal[:-1]:
            assert chosen[action] == pytest.approx(mistakes / len(legal), abs=100)


def test_a_share_of_many_decisions_at_once_is_random():
    game = make_game("drako")
    batch = SeatGames(game, 2000, seed=3).batch
    seen = batch.agent, batch.observation, batch.action_mask
    for share in (0.0, 0.4, 1.0):
        player = make_player(f"mistakes:{share}:tempered:0", game)
        player.reset(1)
        actions = player.act_batch(*seen)
        assert batch.action_mask[np.arange(2000), actions].all()
        player.player.reset(1)
        wrong = (actions != player.player.act_batch(*seen)).mean()
        choices = batch.action_mask.sum(axis=1)
        assert wrong == pytest.approx(share * (1 - 1 / choices).mean(), abs=0.05)


def test_a_search_forgets_what_it_kept_for_an_action_that_was_not_played():
    """Half of the decisions are not its own: what it sees must be the position as it is."""
    game = make_game("drako")
    player, position = make_player("mistakes:0.5:ismcts:60", game), Position(game).deal(3)
    player.reset(3)
    for _ in range(60):
        view = position.view()
        action = player.act(view)
        root = player.player._tree[player.player._root]["action"]
        assert root in (action, -1)
        assert position.play(action)


def test_temperature():
    game = make_game("drako")
    policy, best, cold, itself, hot = (
        make_player(spec, game) for spec in ("policy", "tempered:0", "tempered:0.5", "tempered:1", "tempered:4")
    )
    for other, view in views(2, 40, rules="reconstructed"):
        assert other.game is game
        shares, chosen = shares_of(policy, view)
        found, action = shares_of(best, view)
        assert action == shares.argmax()
        assert found[action] == 1
        assert shares_of(itself, view)[0] == pytest.approx(shares, abs=1e-6)
        assert shares_of(cold, view)[0] == pytest.approx(shares**2 / (shares**2).sum(), abs=1e-5)
        weights, _ = shares_of(hot, view)
        assert hot.value() == policy.value()
        assert weights.sum() == pytest.approx(1)
        legal = view.legal()
        assert chosen in legal
        if len(legal) > 1:
            assert shares[legal].std() >= weights[legal].std()


def shares_of(player, view):
    """The probabilities of all actions at a decision, and the one chosen."""
    player.reset(1)
    action, shares = player.act(view), np.zeros(len(view.action_mask))
    for number, share in player.opinions():
        shares[number] = share
    return shares, action


def test_many_games_at_once_are_played_at_the_temperature_too():
    game = make_game("drako")
    batch = SeatGames(game, 300, seed=3).batch
    best, hot = make_player("tempered:0", game), make_player("tempered:3", game)
    for player in (best, hot):
        player.reset(1)
    roles = [role.removesuffix("_0") for role in game.seats]
    policies = load_policies(levels.FILE.parent / "policies" / "drako", game)
    actions = best.act_batch(batch.agent, batch.observation, batch.action_mask)
    for i in range(300):
        policy = policies[roles[batch.agent[i]]]
        shares = policy.probabilities(batch.observation[i : i + 1], batch.action_mask[i : i + 1])[0]
        assert shares[actions[i]] == shares.max()
    view, seen = batch.view(0), [np.repeat(a[:1], 4000, 0) for a in (batch.agent, batch.observation, batch.action_mask)]
    counts = np.bincount(hot.act_batch(*seen), minlength=len(game.actions))
    assert counts / 4000 == pytest.approx(shares_of(hot, view)[0], abs=0.04)


def test_r12_levels_do_not_see_what_is_hidden():
    game = make_game("drako")
    players = [make_player(spec, game) for spec in (*NAMES[:7], "puct:20", "mistakes:0.5:ismcts:30")]
    changed = 0
    for _, view in views(4, 40, rules="reconstructed"):
        for player in players:
            player.reset(7)
            action = player.act(view)
            for deal in range(2):
                state = view.determinize(deal)
                changed += bool(deal and (state["hand"] != view.determinize(0)["hand"]).any())
                player.reset(7)
                assert player.act(SeatView.of(game, state)) == action
    assert changed > 100


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("tempered", "give a temperature from 0"),
        ("tempered:-1", "give a temperature from 0"),
        ("tempered:x", "give a temperature from 0"),
        ("tempered:nan", "give a temperature from 0"),
        ("tempered:1:nowhere", "agent 'tempered:1:nowhere': there is no such file or folder"),
        ("mistakes", "give a share from 0 to 1 and a player"),
        ("mistakes:0.5", "give a share from 0 to 1 and a player"),
        ("mistakes:1.5:random", "give a share from 0 to 1 and a player"),
        ("mistakes:x:random", "give a share from 0 to 1 and a player"),
        ("mistakes:0.5:nosuch", "unknown agent 'nosuch'"),
        ("mistakes:0.5:ismcts", "give simulations"),
        ("mistakes:0.5:level:9", "there are level:1"),
    ],
)
def test_bad_specs_are_named(spec, says):
    with pytest.raises(ValueError, match=says) as error:
        make_player(spec, make_game("drako"))
    assert str(error.value).count("; known") <= 1, "the list is there once"


def test_a_folder_may_be_given(tmp_path):
    game = make_game("drako")
    folder = levels.FILE.parent / "policies" / "drako"
    player = make_player(f"tempered:0.5:{folder}", game)
    assert isinstance(player, PolicyAgent)
    assert player.temperature == 0.5
    assert player_files(f"mistakes:0.1:tempered:0.5:{folder}", game) == sorted(folder.glob("*.safetensors"))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("random", "any legal action"),
        ("mistakes:0.25:policy", "the learnt policy with 25% random decisions"),
        ("mistakes:0.1:tempered:2", "the learnt policy at temperature 2 with 10% random decisions"),
        ("puct:64", "a search guided by the learnt policy, 64 simulations a decision"),
        ("ismcts:0.5s", "a search, 0.5 s a decision"),
        ("mine:Bold", "mine:Bold"),
    ],
)
def test_in_words(spec, words):
    assert in_words(spec) == words


def test_every_level_has_words():
    for one in read_ladders(FILE):
        assert isinstance(one, Ladder)
        assert not {in_words(spec) for spec in one.levels} & set(one.levels)
