"""The games in RLlib: batches of games become episodes without a mistake, masks hold, its own runner plays too."""

import copy
import logging

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

ray = pytest.importorskip("ray", reason="needs Ray: pip install 'drako-env[rllib]'")

import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env

from drako_env import drako_v0
from drako_env.engine.game import sides
from drako_env.envs.rllib import ILLEGAL, BatchEnvRunner, SideGames, masked_module_spec, pieces
from drako_env.envs.seat import SeatGames
from drako_env.games import make_game
from drako_env.players import make_player, shipped_policy
from drako_env.players.policy import load_policy
from tests.every_game import one_of_each_game


def modules_of(game, layers=(16,)):
    torch.manual_seed(0)
    return masked_module_spec(game, layers=layers).build()


@given(arrays.arrays(bool, st.tuples(st.integers(1, 4), st.integers(1, 12))))
def test_pieces_cut_every_game_where_it_ends_and_lose_nothing(done):
    covered = np.zeros(done.shape, int)
    for game, start, stop, over in pieces(done):
        covered[game, start:stop] += 1
        assert not done[game, start : stop - 1].any()
        assert done[game, stop - 1] == over
    assert (covered == 1).all()


@one_of_each_game
def test_episodes_are_the_games_as_they_were_played(module, options):
    """The actions of the episodes, played again game by game, show the same observations, masks and rewards."""
    game = module.raw_env(**options).game
    side, count, steps = sides(game)[0], 12, 70
    table, again = SideGames(game, side, count, False, 5), SeatGames(game, count, side, "random", 5)
    episodes = iter([e for _ in range(3) for e in _in_rows(table, modules_of(game)[side], steps, count)])
    for _ in range(3):
        rows = [next(episodes) for _ in range(count)]
        for t in range(steps):
            chosen = np.array([row["actions"][t] for row in rows])
            assert np.array_equal(again.batch.observation, [row["observation"][t] for row in rows])
            assert np.array_equal(again.batch.action_mask, [row["action_mask"][t] for row in rows])
            again.step(chosen)
            assert np.array_equal(again.reward, [row["rewards"][t] for row in rows])
            assert np.array_equal(again.done, [row["over"][t] for row in rows])


def _in_rows(table, network, steps, count):
    """A fragment's episodes put together again: a row for every game."""
    with torch.no_grad():
        episodes = table.sample(network, steps)
    rows, row = [], {}
    for episode in episodes:
        assert episode.agent_id == episode.module_id == table.side
        assert not any(episode.get_infos())
        length = len(episode)
        part = {key: values[:length] for key, values in episode.get_observations().items()}
        part |= {"actions": episode.get_actions(), "rewards": episode.get_rewards()}
        part["over"] = np.arange(length) == (length - 1 if episode.is_terminated else length)
        row = {key: np.concatenate([row[key], part[key]]) for key in part} if row else part
        if len(row["over"]) == steps:
            rows.append(row)
            row = {}
    assert len(rows) == count
    return rows


def test_what_follows_an_end_is_not_taken_for_the_same_game():
    table = SideGames(make_game("drako"), "dragon_0", 16, True, 1)
    with torch.no_grad():
        episodes = [e for _ in range(3) for e in table.sample(modules_of(table.games.game)["dragon_0"], 64)]
    ended = [episode for episode in episodes if episode.is_terminated]
    assert len(ended) > 10
    for episode in episodes:
        assert (np.asarray(episode.get_rewards())[:-1] == 0).all()
        assert abs(episode.get_rewards(-1)) == episode.is_terminated


def test_illegal_actions_have_no_chance_and_chances_are_those_that_were_used():
    game = make_game("drako")
    network, table = modules_of(game)["dwarves_0"], SideGames(game, "dwarves_0", 32, True, 2)
    with torch.no_grad():
        torch.nn.init.normal_(network.policy.weight, std=30.0)  # logits of hundreds
        for episode in table.sample(network, 20):
            length, seen = len(episode), episode.get_observations()
            logits = np.asarray(episode.get_extra_model_outputs(Columns.ACTION_DIST_INPUTS))
            legal = seen["action_mask"][:length].astype(bool)
            assert (logits[~legal] == ILLEGAL).all()
            assert np.where(legal, logits, -np.inf).max(axis=1) == pytest.approx(0)
            chosen = episode.get_actions()
            assert legal[np.arange(length), chosen].all()
            chances = torch.log_softmax(torch.from_numpy(logits), -1).numpy()[np.arange(length), chosen]
            assert episode.get_extra_model_outputs(Columns.ACTION_LOGP) == pytest.approx(chances, abs=1e-4)


def test_runners_need_no_value():
    game = make_game("drako")
    spec = masked_module_spec(game)
    spec.inference_only = True
    player, learner = spec.build()["dragon_0"], masked_module_spec(game).build()["dragon_0"]
    assert not hasattr(player, "value")
    assert set(player.get_state()) == set(learner.get_state(inference_only=True))
    assert set(learner.get_state()) - set(player.get_state()) == {"value.weight", "value.bias"}


@pytest.fixture(scope="module")
def cluster():
    ray.init("local", num_cpus=2, include_dashboard=False, logging_level=logging.CRITICAL, log_to_driver=False)
    logging.getLogger("ray.rllib").setLevel(logging.CRITICAL)
    yield
    ray.shutdown()


def ppo(game):
    return (
        PPOConfig()
        .environment(env_config={"game": game}, disable_env_checking=True)
        .env_runners(
            env_runner_cls=BatchEnvRunner, num_env_runners=1, num_envs_per_env_runner=32, rollout_fragment_length=32
        )
        .multi_agent(policies=sides(game), policy_mapping_fn=lambda agent, episode, **_: agent)
        .rl_module(rl_module_spec=masked_module_spec(game, layers=(32,)))
        .training(train_batch_size_per_learner=1024, minibatch_size=256, num_epochs=2)
    )


@one_of_each_game
def test_ppo_learns_on_every_game_and_goes_on_from_a_checkpoint(module, options, cluster, tmp_path):
    game = module.raw_env(**options).game
    algorithm = ppo(game).build_algo()
    before = algorithm.learner_group.get_weights()
    for _ in range(2):
        result = algorithm.train()
    assert result["env_runners"]["num_env_steps_sampled_lifetime"] == 2048
    after = algorithm.learner_group.get_weights()
    for side in sides(game):
        assert not np.array_equal(before[side]["policy.weight"], after[side]["policy.weight"])
        assert np.array_equal(before[side]["scale"], after[side]["scale"])
    played = algorithm.env_runner_group.foreach_env_runner(
        lambda runner: runner.module.get_state(), local_env_runner=False
    )
    assert np.array_equal(played[0][sides(game)[0]]["policy.weight"], after[sides(game)[0]]["policy.weight"])
    algorithm.save_to_path(str(tmp_path))
    algorithm.train()
    algorithm.restore_from_path(str(tmp_path))
    restored = algorithm.learner_group.get_weights()
    for side in sides(game):
        assert all(np.array_equal(after[side][name], tensor) for name, tensor in restored[side].items())
    algorithm.stop()


@pytest.mark.parametrize("over", [True, False], ids=["a game's end", "a cut"])
def test_only_a_cut_is_valued_by_what_follows(over, cluster):
    """After an end the next game is seen: no target may depend on it. After a cut the same game goes on."""
    game = make_game("drako")
    algorithm, table = ppo(game).build_algo(), SideGames(game, "dragon_0", 16, True, 1)
    with torch.no_grad():
        episodes = [e for _ in range(3) for e in table.sample(algorithm.get_module("dragon_0"), 64)]
    chosen = [episode for episode in episodes if episode.is_terminated == over]
    assert len(chosen) > 10
    changed = copy.deepcopy(chosen)
    for episode in changed:
        episode.observations.data["observation"][-1] = 1
    before, after = (targets(algorithm.learner_group._learner, some) for some in (chosen, changed))
    assert np.array_equal(before, after) == over
    algorithm.stop()


def targets(learner, episodes):
    """The values that a learner would learn from these."""
    words = {"batch": {}, "episodes": episodes, "shared_data": {}, "metrics": learner.metrics}
    batch = learner._learner_connector(rl_module=learner.module, **words)["dragon_0"]
    return batch["value_targets"][batch["loss_mask"]].numpy()


def test_opponents_are_fetched_once_and_results_named(cluster):
    game = make_game("drako")
    runner = BatchEnvRunner(config=ppo(game), worker_index=1)
    last = ray.put(LastLegal())
    met = {"dragon_0": {"last": (1.0, last)}, "dwarves_0": {"random": (0.5, "random"), "last": (0.5, last)}}
    runner.set_opponents(met, 1)
    dragon, dwarves = (runner.sides[side].games for side in ("dragon_0", "dwarves_0"))
    name, player = dragon._opponents[-1]
    assert dwarves._opponents[-1] == (name, player)
    pool = list(dwarves._opponents)
    runner.set_opponents(met, 1)  # heard before
    assert dwarves._opponents == pool
    runner.set_opponents(met, 2)
    assert dragon._opponents[-1][1] is player
    for _ in range(8):
        runner.sample()
    with pytest.raises(ValueError, match="num_episodes"):
        runner.sample(num_episodes=3)
    results = runner.take_results()
    assert set(results["dragon_0"]) == {"random", "last"}  # games under way kept whom they had met
    assert results["dragon_0"]["last"][0] > 0
    assert runner.take_results() == {"dragon_0": {}, "dwarves_0": {}}


def test_a_policy_and_a_name_are_opponents_too(cluster):
    """Neither has to be in Ray's store."""
    game = make_game("drako")
    runner = BatchEnvRunner(config=ppo(game), worker_index=1)
    dwarves = load_policy(shipped_policy(game) / "dwarves.safetensors", game)
    runner.set_opponents({"dragon_0": {"mine": (1.0, dwarves)}, "dwarves_0": {"shipped": (1.0, "policy")}})
    for _ in range(12):
        runner.sample()
    assert {name: set(results) for name, results in runner.take_results().items()} == {
        "dragon_0": {"random", "mine"},
        "dwarves_0": {"random", "shipped"},
    }


@pytest.mark.parametrize("spec", ["policy", "ismcts:2"])
def test_players_from_the_store_have_memory_to_write_to(spec, cluster):
    """Ray's own is read-only; networks and searches write."""
    game = make_game("drako")
    runner = BatchEnvRunner(config=ppo(game), worker_index=1)
    player = ray.put(make_player(spec, game))
    runner.set_opponents({side: {spec: (1.0, player)} for side in sides(game)})
    for _ in range(8):
        runner.sample()
    assert all(results[spec][0] > 0 for results in runner.take_results().values())


class LastLegal:
    """Plays the legal action with the highest number."""

    def __call__(self, observation, mask):
        return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)


def test_an_odd_number_of_games_is_refused(cluster):
    config = ppo(make_game("drako")).env_runners(num_envs_per_env_runner=31)
    with pytest.raises(ValueError, match="multiple of 2"):
        BatchEnvRunner(config=config, worker_index=1)


def test_rllibs_own_runner_plays_the_pettingzoo_environment(cluster):
    register_env("drako", lambda _: PettingZooEnv(drako_v0.env()))
    config = ppo(make_game("drako")).environment("drako", env_config={})
    config = config.env_runners(env_runner_cls=None, num_env_runners=0, num_envs_per_env_runner=1)
    algorithm = config.training(train_batch_size_per_learner=256, minibatch_size=64).build_algo()
    result = algorithm.train()
    assert result["env_runners"]["num_env_steps_sampled_lifetime"] >= 256
    algorithm.stop()
