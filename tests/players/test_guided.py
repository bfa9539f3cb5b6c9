"""A search guided by networks: legal, reproducible, blind to what is hidden, and it uses what it is told."""

import copy
import random
from pathlib import Path

import numpy as np
import pytest

from drako_env import golden_dragon_v0
from drako_env.engine.game import role_of, rules_digest
from drako_env.engine.position import Position
from drako_env.engine.tree import ROOT
from drako_env.engine.view import SeatView, random_seed
from drako_env.players import make_player
from drako_env.players.guided import GuidedSearchAgent, KnowingSearchAgent
from drako_env.players.policy import load_policy, save_policy
from drako_env.players.search import Budget
from tests.drako.test_r12_information import redealt
from tests.engine.test_network import tensors
from tests.kuhn.game import BET, CARDS, PASS, Kuhn, Rules
from tests.players.test_players import views


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Of policies with random networks (or with silent ones), for any game under any rules."""
    made = {}

    def make(game, silent=False):
        key = rules_digest(game), silent
        if key not in made:
            made[key] = tmp_path_factory.mktemp("policies")
            for seed, seat in enumerate(dict.fromkeys(map(role_of, game.seats))):
                network = {name: tensor * (not silent) for name, tensor in tensors(game, 16, seed=seed).items()}
                save_policy(made[key] / f"{seat}.safetensors", game, network, {"seat": f"{seat}_0", "canonical": "yes"})
        return made[key]

    return make


def players(game, folder):
    specs = ("puct:16:", "policy:", "improve:2:", "knows:16:", "tempered:2:")
    return [make_player(f"{spec}{folder(game)}", game) for spec in specs]


def test_every_choice_is_legal_and_the_same_for_a_seed(folder):
    for game, view in views(1, 60):
        for player in players(game.game, folder):
            choices = []
            for _ in range(2):
                player.reset(3)
                choices.append(player.act(view))
            assert choices[0] == choices[1]
            assert view.action_mask[choices[0]]
            assert 0 <= player.value() <= 1
            weights = [weight for _, weight in player.opinions()]
            assert weights == sorted(weights, reverse=True)
            assert sorted(action for action, _ in player.opinions()) == view.legal()


@pytest.mark.parametrize("search", ["puct", "knows"])
@pytest.mark.parametrize("num_players", [2, 4])
def test_more_than_two_players(num_players, search, folder):
    game = golden_dragon_v0.raw_env(num_players=num_players).game
    player = make_player(f"{search}:30:{folder(game)}", game)
    position = Position(game).deal(1)
    player.reset(1)
    for _ in range(60):
        assert position.play(player.act(position.view()))


def check_re_dealing(count, folder, players=players):
    """Equal choices, whatever the hidden cards are."""
    chance, changed = random.Random(0), 0
    for game, view in views(3, count):
        twin = redealt(game, game.agent_selection, chance)
        changed += twin.state_dict()["hands"] != game.state_dict()["hands"]
        for player in players(game.game, folder):
            choices = []
            for seen in (view, twin.view()):
                player.reset(9)
                choices.append((player.act(seen), player.value()))
            assert choices[0] == choices[1]
    assert changed > count / 3


def test_choices_do_not_depend_on_what_is_hidden(folder):
    check_re_dealing(60, folder)


@pytest.mark.slow
def test_choices_do_not_depend_on_what_is_hidden_in_five_hundred_positions(folder):
    check_re_dealing(500, folder)


class LeakySearch(GuidedSearchAgent):
    """Whatever is hidden decides where its random numbers start."""

    def _simulate(self, known, count):
        known["rng"] += np.uint64(int((known["hand"].astype(int) * np.arange(known["hand"][0, 0].size)).sum()))
        super()._simulate(known, count)


def test_planted_use_of_the_true_state_is_caught(folder, monkeypatch):
    honest = SeatView.of.__func__

    def with_true_cards(cls, game, states, i=0):
        view = honest(cls, game, states, i)
        view.known["hand"] = states["hand"]
        return view

    monkeypatch.setattr(SeatView, "of", classmethod(with_true_cards))
    with pytest.raises(AssertionError):
        check_re_dealing(60, folder, lambda game, folder: [LeakySearch(game, Budget(simulations=16), folder(game))])


def test_it_sees_what_wins_without_being_told(folder):
    """Kuhn poker by networks that know nothing: a king calls, a jack folds."""
    game = Kuhn.of(Rules())
    player = make_player(f"puct:200:{folder(game, silent=True)}", game)
    for cards, wanted in (("QK", BET), ("QJ", PASS)):
        player.reset(1)
        view = Position(game).load({"phase": "bet", "cards": list(cards), "moves": ["bet"]}).view()
        assert player.act(view) == wanted
        assert (player.value() > 0.5) == (wanted == BET)


def test_priors_say_what_to_look_at_first(folder):
    for game, view in views(5, 20):
        policy, guided = (
            players(game.game, folder)[1],
            GuidedSearchAgent(game.game, Budget(simulations=1), folder(game.game)),
        )
        policy.reset(0)
        guided.reset(0)
        policy.act(view)
        if len(view.legal()) > 1:
            assert guided.act(view) == policy.opinions()[0][0], "nothing else is known after one look at the position"


def test_a_role_without_a_network_is_missed(folder, tmp_path):
    game = Kuhn.of(Rules())
    with pytest.raises(ValueError, match="there is no such file or folder"):
        make_player(f"puct:5:{tmp_path / 'nowhere'}", game)
    for wrong in ("puct", "puct:0", "puct:x", f"puct::{folder(game)}", "knows", "knows:0s"):
        with pytest.raises(ValueError, match="give simulations"):
            make_player(wrong, game)
    game = next(views(1, 1))[0].game
    with pytest.raises(ValueError, match="needs a network for every role"):
        GuidedSearchAgent(game, Budget(simulations=5), Path(folder(game)) / "dragon.safetensors")


def test_reuse_of_the_tree_counts_its_simulations(folder):
    """Where the same seat goes on at once, what it has seen below its choice is kept."""
    for game, view in views(7, 60, rules="reconstructed"):
        player = GuidedSearchAgent(game.game, Budget(simulations=60), folder(game.game))
        player.reset(1)
        action = player.act(view)
        game.step(action)
        if player._root != 0:
            before = player.simulations
            player.act(game.view())
            assert player.simulations - before < 60
            return
    raise AssertionError("no seat went on at once")


def test_evaluations_are_counted(folder):
    game, view = next((game, view) for game, view in views(2, 30) if len(view.legal()) > 3)
    player = GuidedSearchAgent(game.game, Budget(simulations=50), folder(game.game))
    player.reset(0)
    player.act(view)
    assert 40 <= player.decisions[1] <= 150
    assert np.isclose(sum(visits for _, visits in player.opinions()), 49), "the first one only looks at the position"


def one_action(game, action, folder):
    """Policies that play one action 95 times of 100, and expect nothing."""
    network = {name: tensor * 0 for name, tensor in tensors(game, 16, seed=0).items()}
    network["policy.bias"][action] = np.log(19)
    for role in dict.fromkeys(map(role_of, game.seats)):
        save_policy(folder / f"{role}.safetensors", game, network, {"seat": f"{role}_0", "canonical": "no"})
    return folder


@pytest.mark.parametrize(("habit", "answer", "worth"), [(PASS, BET, 0.85), (BET, PASS, -1.0)])
def test_who_knows_the_policy_uses_its_habit(habit, answer, worth, tmp_path):
    """Kuhn poker: a jack is bet against somebody who folds, and never against somebody who calls."""
    game = Kuhn.of(Rules())
    player = make_player(f"knows:1000:{one_action(game, habit, tmp_path)}", game)
    player.reset(1)
    assert player.act(Position(game).load({"phase": "bet", "cards": ["J", "Q"], "moves": []}).view()) == answer
    assert player.value() == pytest.approx(0.5 + 0.5 * worth / game.max_reward, abs=0.03)


def test_others_decisions_are_drawn_and_own_ones_searched(tmp_path):
    """Kuhn poker with a king against somebody who mostly folds: calls are as rare as they are, and the own bet is
    looked at most, though the own policy plays it as rarely."""
    game = Kuhn.of(Rules())
    player = KnowingSearchAgent(game, Budget(simulations=2000), one_action(game, PASS, tmp_path))
    player.reset(1)
    player.act(Position(game).load({"phase": "bet", "cards": ["K", "Q"], "moves": []}).view())
    visits = dict(player.opinions())
    assert sum(visits.values()) == 1999, "the first simulation ends at the root"
    assert visits[BET] > visits[PASS]
    tree = player._tree[1:20]
    (bet,) = [node for node in range(1, 20) if player._tree[node]["parent"] == ROOT and player._tree[node]["action"]]
    answers = {int(node["action"]): int(node["visits"]) for node in tree if node["parent"] == bet}
    assert answers[BET] / visits[BET] == pytest.approx(0.05, abs=0.02)


def test_what_is_drawn_depends_on_the_cards_of_the_deal(tmp_path):
    """Kuhn poker against somebody who bets and calls with a king, and with nothing else: a queen that checks wins 1
    from a jack and gives up 1 to a king; one that bets loses 2 to the king, and had calls nothing to do with cards,
    it would win by betting."""
    game = Kuhn.of(Rules())
    network = {name: tensor * 0 for name, tensor in tensors(game, 16, seed=0).items()}
    network["scale"][:] = 1
    network["0.weight"][0, CARDS.index("K")] = 1
    network["policy.weight"][BET, 0] = 12
    network["policy.bias"][BET] = -6
    save_policy(tmp_path / "player.safetensors", game, network, {"seat": "player_0", "canonical": "no"})
    player = make_player(f"knows:2000:{tmp_path}", game)
    player.reset(1)
    assert player.act(Position(game).load({"phase": "bet", "cards": ["Q", "J"], "moves": []}).view()) == PASS
    assert player.value() == pytest.approx(0.5, abs=0.02)


def test_among_many_everybodys_network_says_what_it_expects(folder):
    """Not only whoever decides: shifted alike, so that the sum is that of rewards."""
    game = golden_dragon_v0.raw_env(num_players=4).game
    player = make_player(f"improve:1:{folder(game)}", game)
    player.DEPTH, policy = 0, load_policy(folder(game) / "player.safetensors", game)
    chance, checked = random.Random(0), 0
    position = Position(game).deal(1)
    while checked < 20:
        view = position.view()
        if len(view.legal()) > 1:
            player.reset(checked)
            deal = view.seeded(random_seed(copy.deepcopy(player._chance)))
            game.kernels.redeal_one(game.tables, deal, 0, view.seat)
            worth = player._look_ahead(view)
            for action in view.legal():
                expected = expectation(game, deal.copy(), action, policy)
                assert worth[action] == pytest.approx(expected[view.seat], abs=1e-5)
                checked += 1
        position.play(chance.choice(view.legal()))


def expectation(game, states, action, policy):
    """What every seat expects after an action, and after what has to follow it."""
    mask = np.zeros((1, len(game.actions)), np.int8)
    game.kernels.mask_one(game.tables, states, 0, mask[0])
    game.kernels.play_one(game.tables, states, 0, action, mask[0])
    while mask.sum() == 1:
        game.kernels.play_one(game.tables, states, 0, int(mask.argmax()), mask[0])
    seen = np.zeros((len(game.seats), len(game.observation_high)), np.int8)
    for seat, row in enumerate(seen):
        game.kernels.observe_one(game.tables, states, 0, seat, row)
    _, values = policy.judge(seen, np.ones((len(seen), len(game.actions)), np.int8))
    return values + (2 - len(values) - values.sum()) / len(values)
