"""Games of networks against each other, in one call: for learning from, and for counting who wins."""

import numpy as np
import pytest

from drako_env.engine.network import judge, pack
from drako_env.envs.batch import GameBatch
from drako_env.envs.selfplay import SelfPlay
from drako_env.games import make_game
from drako_env.players import make_player
from tests.engine.test_network import tensors

GAMES = [("drako", {}), ("golden_dragon", {"num_players": 2}), ("icarius", {"num_players": 4})]


def made(name, options, games=8, steps=20, **settings):
    game = make_game(name, **options)
    played = SelfPlay(game, games, steps, seed=3, **settings)
    return played, [tensors(game, 16, 8, seed=number) for number in range(len(played.sides))]


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_every_decision_is_noted_for_the_network_that_made_it(name, options):
    played, networks = made(name, options)
    played.collect(networks)
    rollout, game = played.rollout, played.game
    assert set(np.unique(rollout.learner)) == set(range(len(networks)))
    assert set(np.unique(rollout.seat)) == set(range(len(game.seats)))
    for number, network in enumerate(networks):
        own = rollout.learner == number
        seen, legal = rollout.observation[own], rollout.action_mask[own]
        shares, values = judge(pack([(network, False)], game.symmetries), 0, seen, legal)
        chosen = shares[np.arange(len(shares)), rollout.action[own]]
        np.testing.assert_allclose(np.log(chosen), rollout.log_probability[own], atol=1e-4)
        np.testing.assert_allclose(values, rollout.value[own], atol=1e-4)
        assert (legal.sum(axis=1) > 1).all(), "where nothing can be chosen nothing can be learnt"


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_each_seats_last_decision_has_its_own_reward(name, options):
    """The credit that the most copied recipe gets wrong: the winner's last decision is not the game's last."""
    played, networks = made(name, options, games=4, steps=600)
    played.collect(networks)
    rollout = played.rollout
    assert not rollout.reward[~rollout.ended].any()
    finished = 0
    for i in range(4):
        ends = [k for k in range(rollout.action.shape[1]) if rollout.ended[i, k]]
        while len(ends) >= len(played.game.seats):
            of_one_game, ends = ends[: len(played.game.seats)], ends[len(played.game.seats) :]
            assert sorted(rollout.seat[i, of_one_game]) == list(range(len(played.game.seats)))
            rewards = sorted(rollout.reward[i, of_one_game].tolist())
            assert rewards in ([-1.0] * (len(rewards) - 1) + [1.0], [0.0] * len(rewards))
            finished += 1
    assert finished > 4
    count, _ = played.take_results()[played.sides[0]]["itself"]
    assert count >= finished


def test_threads_change_nothing():
    found = []
    for threads in (1, 3):
        played, networks = made("drako", {})
        for _ in range(2):
            played.collect(networks, threads, sparring=0.5)
        found.append((played.rollout, played.take_results(), played.lengths))
    for name in (
        "observation",
        "action_mask",
        "action",
        "log_probability",
        "value",
        "learner",
        "seat",
        "reward",
        "ended",
    ):
        assert getattr(found[0][0], name).tobytes() == getattr(found[1][0], name).tobytes(), name
    assert found[0][1:] == found[1][1:]


def test_the_next_rollout_goes_on_where_the_last_one_stopped():
    """In one go or in two, the same games are played (the networks do not change between)."""
    whole, networks = made("drako", {}, steps=40)
    whole.collect(networks)
    halves, _ = made("drako", {}, steps=20)
    actions = []
    for _ in range(2):
        halves.collect(networks)
        actions.append(halves.rollout.action.copy())
    assert np.array_equal(np.hstack(actions), whole.rollout.action)


def test_a_batch_plays_itself_to_the_end():
    game = make_game("drako")
    batch = GameBatch(game, 200, seed=0)
    rewards = batch.play(["random", "heuristic"])
    assert (rewards.sum(axis=1) == 0).all()
    assert (np.abs(rewards) == 1).all()
    assert (rewards[:, 1] > 0).mean() > 0.9
    learnt = make_player("policy", game)
    assert (batch.play(["random", learnt.policy("dwarves")])[:, 1] > 0).mean() > 0.95
    assert (batch.play(["policy", "random"])[:, 0] > 0).mean() > 0.95
    assert batch.action_mask.any(axis=1).all(), "dealt anew"
    batch.step(batch.sample())


def test_temperature_zero_plays_the_best_action():
    """As the policy's first choices played step by step, where nothing else is random: the same winners."""
    game = make_game("drako")
    policies = [make_player("policy", game).policy(role) for role in ("dragon", "dwarves")]
    batch, again = (GameBatch(game, 64, seed=5) for _ in range(2))
    rewards = batch.play(policies, temperature=0.0)
    found, open_games = np.zeros_like(rewards), np.ones(64, bool)
    while open_games.any():
        shares = np.stack([policy.probabilities(again.observation, again.action_mask) for policy in policies])
        again.step(shares[again.agent, np.arange(64)].argmax(axis=1))
        ended = again.done & open_games
        found[ended] = again.reward[ended]
        open_games &= ~ended
    assert (found == rewards).mean() > 0.95, "but for equal chances of two actions"


@pytest.mark.parametrize(
    ("players", "temperature", "says"),
    [
        (["random"], 1.0, "1 players for 2 seats"),
        (["random", "ismcts:5"], 1.0, "'ismcts:5' does not play inside the kernels"),
        ("improve:2", 1.0, "does not play inside the kernels"),
        ("random", -1.0, "temperature = -1.0"),
        ("elf", 1.0, "unknown agent 'elf'"),
    ],
)
def test_what_cannot_be_played_is_named(players, temperature, says):
    batch = GameBatch(make_game("drako"), 2, seed=0)
    with pytest.raises(ValueError, match=says):
        batch.play(players, temperature)


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_sparring_seats_one_network_among_the_rules_of_thumb(name, options):
    """Its decisions alone are noted, and once it always wins there is no more of it."""
    played, networks = made(name, options, games=16, steps=200)
    for _ in range(3):
        played.collect(networks, sparring=1.0)
    one = played._lineup > 0
    assert one.mean() > 0.6
    for i in np.flatnonzero(one):
        seat = played._lineup[i] - 1
        end = np.flatnonzero(played.rollout.ended[i])[-1]
        assert (played.rollout.seat[i, end + 1 :] == seat).all()
    results = played.take_results()
    for side in played.sides:
        games, total = results[side]["sparring"]
        assert total / games < -0.5, "random networks lose"
    assert (played._lost > 0.8).all()
    for _ in range(4):
        played._lost[:] = 0
        played.collect(networks, sparring=1.0)
    assert not played._lineup.any()


def test_without_sparring_all_seats_learn():
    played, networks = made("drako", {}, games=16, steps=200)
    played.collect(networks)
    assert not played._lineup.any()
    assert set(played.take_results()["dragon_0"]) == {"itself"}
