"""PPO at the speed of the kernels: what it collects is what was played, and what it learns is PPO."""

from functools import partial

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from agents.league.ppo import KernelPPO
from agents.league.update import Settings, learn, log_shares, logits_of
from drako_env.engine.network import judge, pack
from drako_env.engine.rollout import add_advantages, draw_decisions, new_rollout
from drako_env.envs.sb3 import SeatVecEnv
from drako_env.envs.seat import SeatGames
from drako_env.games import make_game
from drako_env.players import make_player
from tests.engine.test_network import tensors

OPPONENTS = {"random": (1.0, "random"), "heuristic": (1.0, "heuristic"), "learnt": (2.0, "policy")}


def seat_games(name="drako", seat="dragon_0", opponent="random", games=8, canonical=True, **options):
    return SeatGames(make_game(name, **options), games, seat, opponent, 1, canonical)


def rollout_of(games, places):
    return new_rollout(games.game, len(games.done), places)


@pytest.mark.parametrize("canonical", [False, True])
def test_every_noted_decision_is_the_networks(canonical):
    games = seat_games(opponent=OPPONENTS, canonical=canonical)
    network, rollout = tensors(games.game, 16, 16), rollout_of(games, 40)
    games.collect(network, rollout)
    seen, legal = rollout.observation.reshape(-1, 320), rollout.action_mask.reshape(-1, 222)
    shares, values = judge(pack([(network, False)], games.game.symmetries), 0, seen, legal)
    chosen = shares[np.arange(len(shares)), rollout.action.ravel()]
    assert (chosen > 0).all()
    np.testing.assert_allclose(np.log(chosen), rollout.log_probability.ravel(), atol=1e-4)
    np.testing.assert_allclose(values, rollout.value.ravel(), atol=1e-4)
    assert (legal.sum(axis=1) > 1).all(), "where nothing can be chosen nothing can be learnt"
    if canonical:
        assert (games.game.symmetries.canonical(seen) == 0).mean() > 0.9, "but for positions that are their own twins"


def test_rewards_belong_to_the_last_decision_before_the_end():
    games = seat_games(opponent=OPPONENTS, games=16)
    rollout = rollout_of(games, 200)
    games.collect(tensors(games.game, 8), rollout)
    assert rollout.ended.sum() > 16
    assert set(np.abs(rollout.reward[rollout.ended]).tolist()) == {1.0}
    assert not rollout.reward[~rollout.ended].any()
    results = games.take_results()
    assert results.keys() == OPPONENTS.keys()
    assert sum(count for count, _ in results.values()) >= rollout.ended.sum()
    assert games.length > 20
    assert games.take_results() == {}


def test_the_same_seed_collects_the_same():
    rollouts = []
    for _ in range(2):
        games = seat_games(opponent=OPPONENTS)
        rollouts.append(rollout_of(games, 30))
        games.collect(tensors(games.game, 8), rollouts[-1])
        games.collect(tensors(games.game, 8, seed=1), rollouts[-1])
    assert all(a.tobytes() == b.tobytes() for a, b in zip(*rollouts, strict=True))


def test_games_go_on_in_steps_where_collecting_stopped():
    games = seat_games(opponent=OPPONENTS)
    games.collect(tensors(games.game, 8), rollout_of(games, 10))
    assert (games.batch.agent == games.seat).all()
    for _ in range(100):
        games.step(np.array([mask.nonzero()[0][0] for mask in games.action_mask]))
    assert games.take_results()


def test_many_seats_of_a_role_take_turns():
    games = seat_games("golden_dragon", "player", {"heuristic": (1.0, "heuristic")}, num_players=3)
    rollout = rollout_of(games, 60)
    games.collect(tensors(games.game, 8), rollout)
    where = games.game.observation_fields["seat"]
    assert (rollout.observation[:, :, where].sum(axis=(0, 1)) > 0).all()


def test_an_opponent_that_no_kernel_knows_is_asked_step_by_step():
    asked = []

    def first(observation, mask):
        asked.append(len(mask))
        return mask.argmax(axis=1)

    games = seat_games(opponent={"mine": (1.0, first), "learnt": (1.0, "policy")})
    network, rollout = tensors(games.game, 16), rollout_of(games, 100)
    games.collect(network, rollout)
    assert asked
    seen, legal = rollout.observation.reshape(-1, 320), rollout.action_mask.reshape(-1, 222)
    shares, _ = judge(pack([(network, False)], games.game.symmetries), 0, seen, legal)
    chosen = shares[np.arange(len(shares)), rollout.action.ravel()]
    np.testing.assert_allclose(np.log(chosen), rollout.log_probability.ravel(), atol=1e-4)
    assert set(games.take_results()) <= {"mine", "learnt"}


def test_a_learnt_opponent_plays_as_ever():
    """Against the shipped dwarves, random play wins as often in the kernels as step by step."""
    game, shares = make_game("drako"), []
    silent = {name: 0 * tensor for name, tensor in tensors(game, 8).items()}
    learnt = make_player("policy", game)
    for player in ("policy", learnt.policy("dwarves"), learnt.policy("dwarves").sample):
        if not isinstance(player, str) and not hasattr(player, "nets"):
            player = partial(player, chance=np.random.default_rng(0))
        games = seat_games(opponent={"x": (1.0, player)}, games=64)
        games.collect(silent, rollout_of(games, 150))
        count, total = games.take_results()["x"]
        shares.append(total / count)
    assert max(shares) < -0.9


def test_advantages_by_hand():
    """Two games of one seat: the second one goes on after its last decision, which stands for what comes then."""
    rollout = new_rollout(make_game("drako"), 1, 5)
    rollout.value[0] = [0.5, 0.25, -0.5, 0.75, 0.125]
    rollout.reward[0, 1], rollout.ended[0, 1] = 1.0, True
    add_advantages(rollout, 0.9, 0.5, 1.0)
    surprise = [0.9 * 0.25 - 0.5, 1 - 0.25, 0.9 * 0.75 + 0.5, 0.9 * 0.125 - 0.75]
    expected = [surprise[0] + 0.45 * surprise[1], surprise[1], surprise[2] + 0.45 * surprise[3], surprise[3], 0]
    assert rollout.advantage[0].tolist() == pytest.approx(expected)
    errors = [surprise[0] + 0.9 * surprise[1], surprise[1], surprise[2] + 0.9 * surprise[3], surprise[3], 0]
    assert (rollout.target - rollout.value)[0].tolist() == pytest.approx(errors)
    assert rollout.learner[0].tolist() == [0, 0, 0, 0, -1]


def test_every_seat_has_advantages_of_its_own():
    """Decisions of two seats in turn, as if each had been alone."""
    both, alone = new_rollout(make_game("drako"), 1, 6), [new_rollout(make_game("drako"), 1, 3) for _ in range(2)]
    both.value[0] = [0.1, -0.2, 0.3, -0.4, 0.5, -0.6]
    both.seat[0] = both.learner[0] = [0, 1, 0, 1, 0, 1]
    both.reward[0, 4:], both.ended[0, 4:] = [1, -1], True
    both.ended[0, 2] = True
    add_advantages(both, 0.9, 0.8, 0.7)
    for seat, rollout in enumerate(alone):
        rollout.seat[:] = rollout.learner[:] = seat
        for name in ("value", "reward", "ended"):
            getattr(rollout, name)[0] = getattr(both, name)[0, seat::2]
        add_advantages(rollout, 0.9, 0.8, 0.7)
        for name in ("advantage", "target", "learner"):
            assert getattr(both, name)[0, seat::2].tolist() == getattr(rollout, name)[0].tolist(), name


SETTINGS = {"n_steps": 32, "batch_size": 128, "n_epochs": 1, "gamma": 1.0, "device": "cpu", "seed": 0}


def model(**settings):
    env = SeatVecEnv(seat_games(games=16, rules="tiny"))
    made = KernelPPO("MlpPolicy", env, layers=(16,), **SETTINGS | settings)
    made.set_logger(Logger(None, []))
    return made


@pytest.mark.parametrize("magnet", [0.0, 2.0])
def test_one_minibatch_changes_the_network_as_maskable_ppo_would(magnet):
    """The same loss, so the same gradient, on all decisions at once; the distance to a magnet is torch's own."""
    ours = model(kept=1.0, batch_size=512, ent_coef=0.03)
    ours.learn(512)
    before = {name: tensor.clone() for name, tensor in ours.policy.state_dict().items()}
    ours.collect_rollouts(ours.env, BaseCallbackStub(), None, 32)
    ours.policy.optimizer = torch.optim.SGD(ours.policy.parameters(), lr=0.1)
    ours.lr_schedule = lambda _: 0.1
    part = ours._chosen()
    held_by = {name: torch.from_numpy(array) for name, array in tensors(ours.env.games.game, 16, seed=3).items()}
    learn(ours._judge, ours.policy.optimizer, part, Settings(1, 512, 0.2, 0.03, magnet=magnet), held_by)
    changed = {name: tensor.clone() for name, tensor in ours.policy.state_dict().items()}
    ours.policy.load_state_dict(before)
    values, log_probabilities, entropy = ours.policy.evaluate_actions(
        part["observation"], part["action"], action_masks=part["action_mask"].numpy()
    )
    ratio = torch.exp(log_probabilities - part["log_probability"])
    gain = torch.min(part["advantage"] * ratio, part["advantage"] * ratio.clamp(0.8, 1.2)).mean()
    loss = torch.nn.functional.mse_loss(values[:, 0], part["target"]) * ours.vf_coef - gain - 0.03 * entropy.mean()
    illegal = part["action_mask"] == 0
    own, other = (
        torch.distributions.Categorical(logits=logits.masked_fill(illegal, -1e8))
        for logits in (ours._judge(part["observation"])[0], logits_of(held_by, part["observation"]))
    )
    loss = loss + magnet * torch.distributions.kl_divergence(own, other).mean()
    ours.policy.optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(ours.policy.parameters(), ours.max_grad_norm)
    ours.policy.optimizer.step()
    for name, tensor in ours.policy.state_dict().items():
        assert torch.allclose(tensor, changed[name], atol=1e-6), name
    assert not torch.allclose(before["action_net.weight"], changed["action_net.weight"], atol=1e-5)


def test_a_magnet_is_judged_as_the_kernels_judge():
    game = make_game("drako", rules="tiny")
    network, games = tensors(game, 16, 12), seat_games(rules="tiny")
    logits = logits_of(
        {name: torch.from_numpy(array) for name, array in network.items()}, torch.from_numpy(games.observation)
    )
    shares, _ = judge(pack([(network, False)], game.symmetries), 0, games.observation, games.action_mask)
    expected = log_shares(logits, torch.from_numpy(games.action_mask)).exp()
    np.testing.assert_allclose(shares, expected, atol=1e-5)


class BaseCallbackStub:
    def on_rollout_start(self):
        pass

    def on_step(self):
        return True

    def on_rollout_end(self):
        pass

    def update_locals(self, names):
        pass


def test_a_share_of_the_decisions_teaches_what_all_of_them_do():
    """Weighed by how likely each was drawn, sums over what is drawn are on average sums over everything."""
    rollout, chance = new_rollout(make_game("drako"), 4, 100), np.random.default_rng(0)
    rollout.advantage[:] = chance.exponential(size=(4, 100)) * chance.choice([-1, 3], size=(4, 100), p=[0.75, 0.25])
    rollout.learner[3] = 1
    own = rollout.advantage[:3]
    drawn = [draw_decisions(rollout, 0, 0.4, chance) for _ in range(400)]
    counts = np.array([len(found["action"]) for found in drawn])
    assert 100 < counts.mean() < 121
    for power in (0, 1, 2):
        sums = [(found["weight"] * found["advantage"] ** power).sum() / (0.4 * own.size) for found in drawn]
        assert np.mean(sums) == pytest.approx((own**power).mean(), rel=0.1)
    surprise = np.mean([np.abs(found["advantage"]).mean() for found in drawn])
    assert surprise > 1.3 * np.abs(own).mean(), "surprising ones are drawn most likely"
    everything = draw_decisions(rollout, 1, 1.0, chance)
    assert sorted(everything["advantage"].tolist()) == sorted(rollout.advantage[3].tolist())
    assert (everything["weight"] == 1).all()


class Counting(BaseCallback):
    def _on_step(self):
        self.model.seen = getattr(self.model, "seen", 0) + 1
        return self.model.seen < 3


def test_it_saves_loads_and_calls_back_like_any_algorithm(tmp_path):
    ours = model()
    ours.learn(32 * 16 * 9, callback=Counting())
    assert ours.num_timesteps == 32 * 16 * 3, "the third rollout was the last"
    ours.save(tmp_path / "model")
    again = KernelPPO.load(tmp_path / "model", env=ours.env)
    assert isinstance(again, MaskablePPO)
    for name, tensor in ours.tensors().items():
        assert np.array_equal(again.tensors()[name], tensor)
    again.set_logger(Logger(None, []))
    again.learn(512, reset_num_timesteps=False)
    observation = ours.env.reset()
    actions, _ = again.predict(observation, action_masks=ours.env.action_masks())
    assert ours.env.action_masks()[np.arange(16), actions].all()


def test_numbers_too_small_for_all_their_digits_are_zero():
    """They would make updates several times as slow on some processors; outside of updates they are left alone."""
    ours = model(kept=1.0, batch_size=64)
    ours.learn(20_000)
    smallest = torch.finfo(torch.float32).tiny
    moments = [state[name] for state in ours.policy.optimizer.state.values() for name in ("exp_avg", "exp_avg_sq")]
    assert any((moment == 0).any() for moment in moments)
    assert not any(((moment != 0) & (moment.abs() < smallest)).any() for moment in moments)
    assert torch.full((2,), smallest / 2).mul(1.0).bool().all()


def test_it_learns():
    """The tiny table's dragon against random dwarves."""
    ours = model(learning_rate=3e-3, ent_coef=0.01, kept=1.0)
    ours.learn(512)
    ours.env.games.take_results()
    ours.learn(40_000, reset_num_timesteps=False)
    ours.env.games.take_results()
    ours.learn(5_000, reset_num_timesteps=False)
    games, total = ours.env.games.take_results()["random"]
    assert total / games > 0.5
