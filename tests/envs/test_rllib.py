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
from drako_env.engine.rollout import new_rollout
from drako_env.envs.rllib import ILLEGAL, BatchEnvRunner, episodes, masked_module_spec, pieces
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


def played(side, network, games, steps):
    """A fragment: the rollout, and its episodes."""
    rollout = new_rollout(games.game, len(games.done), steps)
    games.collect(network.get_state(), rollout)
    return rollout, episodes(network, side, rollout, games)


@one_of_each_game
def test_episodes_are_the_games_as_they_were_played(module, options):
    """Put together again they are the rollouts, and what an episode sees last is what its game goes on with."""
    game = module.raw_env(**options).game
    side, count, steps = sides(game)[0], 12, 70
    games, network = SeatGames(game, count, side, "random", 5), modules_of(game)[side]
    for _ in range(3):
        rollout, found = played(side, network, games, steps)
        rows = [in_row(side, found, steps) for _ in range(count)]
        assert not found
        for name in ("observation", "action_mask", "action", "reward", "ended", "log_probability"):
            assert np.array_equal([row[name] for row in rows], getattr(rollout, name)), name
        assert np.array_equal([row["next"][:-1] for row in rows], rollout.observation[:, 1:])
        assert np.array_equal([row["next"][-1] for row in rows], games.batch.observation)


def in_row(side, found, steps):
    """One game's episodes, taken off the list."""
    parts = []
    while sum(len(part["action"]) for part in parts) < steps:
        episode = found.pop(0)
        assert episode.agent_id == episode.module_id == side
        assert not any(episode.get_infos())
        length, seen = len(episode), episode.get_observations()
        parts.append(
            {
                "observation": seen["observation"][:-1],
                "next": seen["observation"][1:],
                "action_mask": seen["action_mask"][:-1],
                "action": episode.get_actions(),
                "reward": episode.get_rewards(),
                "ended": np.arange(length) == (length - 1 if episode.is_terminated else length),
                "log_probability": episode.get_extra_model_outputs(Columns.ACTION_LOGP),
            }
        )
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def test_what_follows_an_end_is_not_taken_for_the_same_game():
    found = dragon_episodes(modules_of(make_game("drako"))["dragon_0"])
    assert sum(episode.is_terminated for episode in found) > 10
    for episode in found:
        assert (np.asarray(episode.get_rewards())[:-1] == 0).all()
        assert abs(episode.get_rewards(-1)) == episode.is_terminated


def dragon_episodes(network):
    games = SeatGames(make_game("drako"), 16, "dragon_0", "random", 1, True)
    return [episode for _ in range(3) for episode in played("dragon_0", network, games, 64)[1]]


def test_illegal_actions_have_no_chance_and_chances_are_those_that_were_used():
    """The kernels play the module that learns."""
    game = make_game("drako")
    network = modules_of(game)["dwarves_0"]
    torch.nn.init.normal_(network.policy.weight, std=30.0)  # logits of hundreds
    for episode in played("dwarves_0", network, SeatGames(game, 32, "dwarves_0", "random", 2, True), 20)[1]:
        length, seen = len(episode), episode.get_observations()
        logits = np.asarray(episode.get_extra_model_outputs(Columns.ACTION_DIST_INPUTS))
        legal = seen["action_mask"][:length].astype(bool)
        assert (logits[~legal] == ILLEGAL).all()
        assert np.where(legal, logits, -np.inf).max(axis=1) == pytest.approx(0)
        chosen = episode.get_actions()
        assert legal[np.arange(length), chosen].all()
        chances = torch.log_softmax(torch.from_numpy(logits), -1).numpy()[np.arange(length), chosen]
        assert episode.get_extra_model_outputs(Columns.ACTION_LOGP) == pytest.approx(chances, abs=1e-3)


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
    algorithm = ppo(make_game("drako")).build_algo()
    found = dragon_episodes(algorithm.get_module("dragon_0"))
    chosen = [episode for episode in found if episode.is_terminated == over]
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
    runner.set_opponents(met)
    dragon, dwarves = (runner.sides[side] for side in ("dragon_0", "dwarves_0"))
    name, player = dragon._opponents[-1]
    assert dwarves._opponents[-1] == (name, player)
    pool = list(dwarves._opponents)
    runner.set_opponents(dict(met))  # heard before
    assert dwarves._opponents == pool
    runner.set_opponents(met | {"dwarves_0": met["dragon_0"]})
    assert dwarves._opponents[-1][1] is player
    for _ in range(8):
        runner.sample()
    with pytest.raises(ValueError, match="num_episodes"):
        runner.sample(num_episodes=3)
    results = runner.take_results()
    assert set(results["dragon_0"]) == {"random", "last"}  # games under way kept whom they had met
    assert results["dragon_0"]["last"][0] > 0
    assert runner.take_results() == {"dragon_0": {}, "dwarves_0": {}}


@one_of_each_game
def test_what_runners_collect_was_played_by_the_modules(module, options, cluster):
    """Whether all sides meet each other or each of them somebody else."""
    game = module.raw_env(**options).game
    runner = BatchEnvRunner(config=ppo(game).debugging(seed=3), worker_index=1)
    against = {side: {"rules": (1.0, "heuristic")} for side in sides(game)}
    for opponents, names in (({}, {"itself"}), (against, {"random", "rules"})):
        fragments = [runner.collect(opponents) for _ in range(6)]
        for side in sides(game):
            batch = {name: torch.from_numpy(array) for name, array in fragments[-1][side].batch.items()}
            with torch.no_grad():
                logits = runner.module[side].judge(batch["observation"])[0]
            chances = logits.masked_fill(batch["action_mask"] == 0, -torch.inf).log_softmax(1)
            assert torch.allclose(
                chances.gather(1, batch["action"][:, None])[:, 0], batch["log_probability"], atol=1e-4
            )
            assert (batch["action_mask"].sum(1) > 1).all()
            assert {name for found in fragments for name in found[side].results} == names


def collected_with(*words):
    """By runners with the same games and networks."""
    game, found = make_game("drako"), []
    for word in words:
        torch.manual_seed(0)
        config = ppo(game).environment(env_config={"game": game} | word).debugging(seed=3)
        found.append(BatchEnvRunner(config=config, worker_index=1).collect())
    return found


def test_a_runner_hands_over_a_share_of_the_decisions(cluster):
    every, some = collected_with({}, {"kept": 0.25})
    for side, found in every.items():
        assert len(found.batch["action"]) == found.decisions == some[side].decisions
        assert 0.15 < len(some[side].batch["action"]) / found.decisions < 0.35
        surprise, kept = (np.abs(who[side].batch["advantage"]).mean() for who in (every, some))
        assert kept > surprise


def test_a_side_alone_meets_random_play_until_it_is_told_otherwise(cluster):
    game = make_game("drako")
    spec = masked_module_spec(game, ["dwarves_0"], (32,))
    config = ppo(game).multi_agent(policies=["dwarves_0"]).rl_module(rl_module_spec=spec).debugging(seed=3)
    runner = BatchEnvRunner(config=config, worker_index=1)
    fragments = [runner.collect() for _ in range(4)]
    assert [set(found) for found in fragments] == [{"dwarves_0"}] * 4
    assert {name for found in fragments for name in found["dwarves_0"].results} == {"random"}
    runner.set_opponents({"dwarves_0": {"rules": (1.0, "heuristic")}})
    assert "rules" in {name for _ in range(6) for name in runner.collect()["dwarves_0"].results}


def test_values_have_a_decay_of_their_own_or_that_of_advantages(cluster):
    default, same, other = (
        found["dragon_0"].batch for found in collected_with({}, {"value_lambda": 1.0}, {"value_lambda": 0.0})
    )
    assert np.array_equal(default["target"], same["target"])
    assert np.array_equal(default["advantage"], other["advantage"])
    assert np.abs(default["target"] - other["target"]).max() > 0.1


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
