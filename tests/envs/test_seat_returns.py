"""The checks of training loops: what is credited right passes, every known mistake is named."""

from contextlib import suppress

import gymnasium
import numpy as np
import pytest

from drako_env import drako_v0, golden_dragon_v0
from drako_env.testing import check_batch_returns, check_seat_env, check_seat_returns, gym_loop
from scripts.examples.reward_wiring import OneSeat, OneStream

LAST = "all got the outcome of whoever decided last"
SWAPPED = "the sign is swapped"
NOTHING = "they got nothing, as if the end of the game had not reached their seat"


def paid(outcome):
    """One seat that learns, paid for something of one's own at the end."""

    class Paid(OneSeat):
        def outcome(self):
            return outcome(self.aec.rewards, self.seat, self.actor)

    return gym_loop(Paid)


def test_whoever_acted_last_is_not_whoever_won():
    """In random play the last to decide has won few of the games, since attacks are answered."""
    with pytest.raises(AssertionError, match=LAST):
        check_seat_returns(gym_loop(OneStream))
    with pytest.raises(
        AssertionError, match=r"decision \d+ of \w+ in game 0: credited [+-]1, its seat ended with [+-]1"
    ):
        check_seat_returns(gym_loop(OneStream))


def test_one_seat_paid_for_its_own_outcome():
    checked = check_seat_returns(gym_loop(OneSeat), games=6)
    assert checked.games == 6
    assert sorted(checked.decisions) == ["dragon_0", "dwarves_0"], "another seat in each game"
    assert min(checked.decisions.values()) > 60
    with pytest.raises(AssertionError, match=LAST):
        check_seat_returns(gym_loop(lambda env: OneSeat(env, paid_as_last=True)))


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (lambda rewards, seat, actor: rewards[actor], LAST),
        (lambda rewards, seat, actor: -rewards[seat], SWAPPED),
        (lambda rewards, seat, actor: rewards[seat] if actor == seat else 0.0, NOTHING),
        (lambda rewards, seat, actor: rewards[seat] / 2, "they got something else"),
        (lambda rewards, seat, actor: float("nan"), "they got something else"),
    ],
)
def test_one_seat_paid_for_something_else(outcome, said):
    with pytest.raises(AssertionError, match=said):
        check_seat_returns(paid(outcome))


def test_a_wrapper_that_does_not_report_the_end():
    class Endless(OneSeat):
        def step(self, action):
            seen, reward, _, _, info = super().step(action)
            return seen, reward, False, False, info

    with pytest.raises(AssertionError, match="neither termination nor truncation"):
        check_seat_returns(gym_loop(Endless))


def aec_loop(credit, seed=0):
    """Random play of all seats; `credit(rewards by seat and decision, env)` after each decision."""

    def loop(env):
        chance = np.random.default_rng(seed)
        while True:
            env.reset(seed=int(chance.integers(1000)))
            rewards = {seat: [] for seat in env.possible_agents}
            while not env.terminations[env.agent_selection]:
                seat = env.agent_selection
                env.step(int(chance.choice(np.flatnonzero(env.observe(seat)["action_mask"]))))
                rewards[seat].append(0.0)
                credit(rewards, seat, env)
            yield {seat: np.cumsum(given[::-1])[::-1] for seat, given in rewards.items() if given}

    return loop


def to_every_seat(rewards, actor, env):
    for seat, given in rewards.items():
        with suppress(IndexError):
            given[-1] += env.rewards[seat]


def to_the_actor_alone(rewards, actor, env):
    rewards[actor][-1] += env.rewards[actor]


@pytest.mark.parametrize("make", [drako_v0.env, lambda: golden_dragon_v0.env(num_players=3)])
def test_a_loop_over_all_seats(make):
    env = make()
    checked = check_seat_returns(aec_loop(to_every_seat), env, games=5)
    assert sorted(checked.decisions) == env.possible_agents
    with pytest.raises(AssertionError, match=NOTHING):
        check_seat_returns(aec_loop(to_the_actor_alone), env, games=5)


def test_a_loop_that_leaves_something_out():
    def without(change):
        return lambda env: map(change, aec_loop(to_every_seat)(env))

    with pytest.raises(AssertionError, match=r"dragon_0 made .* decisions, .* were credited"):
        check_seat_returns(without(lambda given: {"dragon_0": given["dragon_0"][1:]}))
    with pytest.raises(AssertionError, match="no seat 'dragon'; there are dragon_0, dwarves_0"):
        check_seat_returns(without(lambda given: {"dragon": []}))
    with pytest.raises(AssertionError, match="names no seat"):
        check_seat_returns(without(lambda given: {}))
    with pytest.raises(AssertionError, match="credited 0 of 20 games"):
        check_seat_returns(lambda env: [])
    with pytest.raises(AssertionError, match="it is not over"):
        check_seat_returns(lambda env: [{"dragon_0": []}])


def test_environments_of_somebody_else():
    """Any PettingZoo game, with masks or without."""
    from pettingzoo.classic import rps_v2, tictactoe_v3

    class Unmasked(OneStream):
        def __init__(self, env):
            self.aec = env

        def _seen(self):
            return self.aec.observe(self.aec.agent_selection)

    with pytest.raises(AssertionError, match="were not credited"):
        check_seat_returns(gym_loop(OneStream), tictactoe_v3.env())
    with pytest.raises(AssertionError, match="neither termination nor truncation"):
        check_seat_returns(gym_loop(Unmasked), rps_v2.env(num_actions=3, max_cycles=3))


def played_steps(batch, steps=400):
    """Random play: who decided, what everybody got, whether the game ended."""
    rows = []
    for _ in range(steps):
        agent = batch.agent.copy()
        batch.step(batch.sample())
        rows.append((agent, batch.reward.copy(), batch.done.copy()))
    return rows


def seat_returns(batch):
    """From the last step back, what every seat will still get in its game."""
    ahead, found = np.zeros_like(batch.reward), []
    for agent, reward, done in reversed(played_steps(batch)):
        ahead[done] = 0
        ahead += reward
        found.append(ahead[np.arange(len(agent)), agent].copy())
    return np.array(found[::-1])


def stream_returns(batch):
    """The mistake: one stream of all seats' decisions, each paid what its actor got for it."""
    ahead, found = np.zeros(batch.num_games), []
    for agent, reward, done in reversed(played_steps(batch)):
        ahead = np.where(done, 0, ahead) + reward[np.arange(len(agent)), agent]
        found.append(ahead)
    return np.array(found[::-1])


def test_a_loop_over_a_batch():
    checked = check_batch_returns(seat_returns)
    assert checked.games > 16
    assert sorted(checked.decisions) == ["dragon_0", "dwarves_0"]
    assert sorted(check_batch_returns(seat_returns, golden_dragon_v0.batch_env(8)).decisions) == [
        "player_0",
        "player_1",
    ]
    with pytest.raises(AssertionError, match=LAST):
        check_batch_returns(stream_returns)
    with pytest.raises(AssertionError, match=SWAPPED):
        check_batch_returns(lambda batch: -seat_returns(batch))


def test_a_loop_over_a_batch_that_says_too_little():
    with pytest.raises(AssertionError, match="no game has ended within 3 steps"):
        check_batch_returns(lambda batch: np.zeros((len(played_steps(batch, 3)), 16)))
    with pytest.raises(AssertionError, match=r"returns of shape \(2, 16\) for 400 steps of 16 games"):
        check_batch_returns(lambda batch: seat_returns(batch)[:2])
    with pytest.raises(ValueError, match="steps of all games only"):
        check_batch_returns(lambda batch: batch.step(np.zeros(1, np.int64), np.array([3])))


class Negated(gymnasium.RewardWrapper):
    def reward(self, reward):
        return -reward


class Silent(gymnasium.RewardWrapper):
    def reward(self, reward):
        return 0.0


def test_the_doors_of_one_seat():
    for seat in ("dragon_0", "dwarves_0"):
        for env in (
            drako_v0.gym_env(seat=seat),
            gymnasium.make("drako_env/Drako-v0", seat=seat),
            drako_v0.gym_vector_env(4, seat=seat),
        ):
            checked = check_seat_env(env, games=6)
            assert checked.games >= 6
            assert list(checked.decisions) == [seat]
    shared = check_seat_env(golden_dragon_v0.gym_vector_env(4, seat="player", num_players=3), games=12)
    assert sorted(shared.decisions) == ["player_0", "player_1", "player_2"]


def test_doors_in_wrappers():
    with pytest.raises(AssertionError, match=SWAPPED):
        check_seat_env(Negated(drako_v0.gym_env()), games=5)
    with pytest.raises(AssertionError, match=NOTHING):
        check_seat_env(Silent(drako_v0.gym_env()), games=5)
    with pytest.raises(ValueError, match="not made by gym_env"):
        check_seat_env(gymnasium.make("CartPole-v1"))


def test_the_loop_of_the_example_in_one_file():
    ppo = pytest.importorskip("scripts.examples.cleanrl_ppo", reason="PyTorch is missing: make setup installs it")
    batch = drako_v0.batch_env(8, seed=0)
    network = ppo.Network(ppo.input_scale(batch.game), batch.action_mask.shape[1])

    def loop(batch):
        rollout = ppo.collect(network, batch, 400)
        rollout.value[:] = 0  # then advantages are returns
        return ppo.advantages(rollout, batch.agent, np.zeros(8, np.float32), gamma=1.0, decay=1.0)[0]

    assert len(check_batch_returns(loop, batch).decisions) == 2


def test_the_adapter_of_tianshou():
    """Its list of rewards has everybody's: what is right depends on the index that a learner takes."""
    tianshou = pytest.importorskip("tianshou.env", reason="Tianshou is missing: make setup installs it")

    def learner(taken):
        def loop(env):
            wrapped, chance = tianshou.PettingZooEnv(env), np.random.default_rng(0)
            while True:
                seen, _ = wrapped.reset(seed=int(chance.integers(1000)))
                seats, over = [], False
                while not over:
                    seats.append(seen["agent_id"])
                    seen, rewards, over, _, _ = wrapped.step(int(chance.choice(np.flatnonzero(seen["mask"]))))
                yield {seat: [rewards[taken(wrapped, seat)]] * seats.count(seat) for seat in set(seats)}

        return loop

    assert check_seat_returns(learner(lambda env, seat: env.agent_idx[seat]), games=5).games == 5
    with pytest.raises(AssertionError, match="were not credited"):
        check_seat_returns(learner(lambda env, seat: 0), games=5)


def test_the_door_for_stable_baselines3():
    vec_env = pytest.importorskip("stable_baselines3.common.vec_env")
    env = drako_v0.sb3_env(4, seat="dwarves_0")
    assert check_seat_env(vec_env.VecMonitor(env)).games >= 20
    assert check_seat_env(env).decisions["dwarves_0"] > 20

    class Negating(vec_env.VecEnvWrapper):
        def reset(self):
            return self.venv.reset()

        def step_wait(self):
            seen, rewards, dones, infos = self.venv.step_wait()
            return seen, -rewards, dones, infos

    with pytest.raises(AssertionError, match=SWAPPED):
        check_seat_env(Negating(env))
