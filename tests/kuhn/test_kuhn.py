"""A third game, outside of the package: whatever is written for all games works for it as it is."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from pettingzoo.test import api_test

from agents.league.config import Config, Pace
from agents.league.local import LocalLearners
from drako_env import games, replay
from drako_env.engine.position import Position
from drako_env.envs.aec import GameEnv, wrap
from drako_env.envs.batch import GameBatch
from drako_env.envs.gym import SeatEnv
from drako_env.envs.sb3 import SeatVecEnv
from drako_env.envs.seat import SeatGames
from drako_env.evaluation.match import play_game
from drako_env.evaluation.runner import play_pairings
from drako_env.exact import build_tree, exploitability, value
from drako_env.players import make_player
from drako_env.players.policy import load_policy
from tests.kuhn.game import BET, ENTRY, PASS, Kuhn, Rules

GAME = Kuhn.of(Rules())


def played(cards, *actions):
    return Position(GAME).load({"phase": "bet", "cards": list(cards), "moves": list(actions)})


@pytest.mark.parametrize(
    ("cards", "actions", "reward"),
    [
        ("KQ", ("pass", "pass"), 1),
        ("JQ", ("pass", "pass"), -1),
        ("KQ", ("bet", "bet"), 2),
        ("JQ", ("bet", "bet"), -2),
        ("JK", ("bet", "pass"), 1),
        ("KJ", ("pass", "bet", "pass"), -1),
        ("KJ", ("pass", "bet", "bet"), 2),
    ],
)
def test_who_wins_what(cards, actions, reward):
    position = played(cards, *actions)
    assert position.over
    assert position.rewards() == [reward, -reward]
    assert played(cards, *actions[:-1]).rewards() == [0, 0]


@pytest.mark.filterwarnings("ignore:Observation:UserWarning")  # the mask makes it a dictionary
def test_pettingzoo():
    env = wrap(GameEnv(GAME, render_mode="ansi"))
    api_test(env, num_cycles=100)
    env.reset(seed=3)
    assert env.render().startswith("cards ? ?")


def test_pictures_come_from_the_characters():
    env = GameEnv(GAME, render_mode="rgb_array", render_seat="player_0")
    env.reset(seed=3)
    assert env._repr_svg_().count("<text") == 2
    assert env.render().shape[2] == 3


def test_batch():
    batch = GameBatch(GAME, 600, seed=0)
    twin, total = GameBatch(GAME, 600, seed=1), np.zeros(2)
    for _ in range(20):
        batch.step(batch.sample())
        assert (batch.reward.sum(axis=1) == 0).all()
        total += batch.reward.sum(axis=0)
    assert total[0] > 0, "with random play the first seat wins more"
    twin.load(batch.save())
    assert twin.observation.tobytes() == batch.observation.tobytes()


def test_sb3_and_gymnasium():
    env = SeatVecEnv(SeatGames(GAME, 16, "player_0", "heuristic", 0))
    assert env.reset().shape == (16, 11)
    _, rewards, dones, _ = env.step(np.full(16, PASS))
    assert set(np.abs(rewards[dones])) <= {1, 2}
    alone = SeatEnv(SeatGames(GAME, 1, "player_1"))
    first, info = alone.reset(seed=1)
    assert alone.reset(seed=1)[0].tolist() == first.tolist()
    assert alone.step(int(info["action_mask"].argmax()))[1] in (-2, -1, 0, 1, 2)


@pytest.mark.parametrize("spec", ["heuristic", "ismcts:400"])
def test_players(spec):
    player = make_player(spec, GAME)
    player.reset(1)
    for cards, actions in (("KQ", ("bet",)), ("JK", ("pass", "bet"))):
        assert player.act(played(cards, *actions).view()) in (PASS, BET)


def test_search_knows_when_it_cannot_lose():
    player = make_player("ismcts:400", GAME)
    player.reset(1)
    assert player.act(played("QK", "bet").view()) == BET
    assert player.act(played("QJ", "bet").view()) == PASS


def test_non_interference():
    """A jack that faces a bet looks the same whatever the other holds."""
    views = [played(cards, "bet").view() for cards in ("QJ", "KJ")]
    assert views[0].known.tobytes() == views[1].known.tobytes()
    assert views[0].observation.tobytes() == views[1].observation.tobytes()
    seen = {views[0].determinize(seed)["card"][0].tolist()[0] for seed in range(20)}
    assert seen == {1, 2}


def test_evaluation_and_replay(tmp_path, monkeypatch):
    monkeypatch.setattr(games, "GAMES", dict(games.GAMES))
    games.register_game("kuhn", ENTRY)
    played = play_pairings(GAME, [("random", "heuristic")], 20, make_player)
    assert all(sum(game.result.rewards) == 0 for game in played)
    result = play_game(GAME, [make_player(name, GAME) for name in ("random", "ismcts:50")], seed=5)
    assert result.decisions <= 3
    record = replay.record(GAME, 5, ["a", "b"], [PASS, PASS])
    replay.save(tmp_path / "kuhn.jsonl", record)
    assert replay.verify(replay.load(tmp_path / "kuhn.jsonl"))
    assert games.make_game("kuhn") is GAME


def equilibrium(observation, mask):
    """One of Kuhn's: the first player never bets at first, the second bluffs and calls every third time."""
    bets = np.zeros(len(observation))
    for i, row in enumerate(observation):
        card, moves = row[:3].argmax(), row[5:].reshape(3, 2)
        if row[3]:  # the first seat: to open, or to answer a bet
            bets[i] = 0 if not moves.any() else (0, 1 / 3, 1)[card]
        else:
            bets[i] = (0, 1 / 3, 1)[card] if moves[0, BET] else (1 / 3, 0, 1)[card]
    return np.stack([1 - bets, bets], axis=1)


def test_exact_value():
    tree = build_tree(GAME)
    assert tree.size == 6 * 4
    assert exploitability(tree, equilibrium, equilibrium) == pytest.approx(0, abs=1e-12)
    assert value(tree, equilibrium, equilibrium) == pytest.approx(-1 / 18)


def test_it_is_cached_apart_and_pickled_by_name(tmp_path):
    """In another process it is the same game, and plays the same without the compiler."""
    code = "import pickle, sys; game = pickle.loads(sys.stdin.buffer.read()); print(type(game).__name__, game.name)"
    code += "\nfrom drako_env.engine.position import Position\np = Position(game).deal(7); p.play(1); print(p.state)"
    position = Position(GAME).deal(7)
    position.play(BET)
    for variables in ({}, {"NUMBA_DISABLE_JIT": "1"}):
        done = subprocess.run(
            [sys.executable, "-c", code], input=pickle.dumps(GAME), capture_output=True, env=os.environ | variables
        )
        assert done.stdout.decode().splitlines() == ["Kuhn kuhn_v0", str(position.state)], done.stderr.decode()


def test_self_play_learns_it(tmp_path):
    """Collected, learnt and exported as any game's: what comes of it is far harder to exploit than random play."""
    shape = {"layers": [32], "num_envs": 64, "steps": 32, "minibatch": 256}
    config = Config.load(**shape, entropy=0.1, last_entropy=0.02, magnet=0.3)
    learners = LocalLearners(2)
    learners.start(GAME, {"player": 0}, config)
    for number in range(40):
        figures = learners.train({}, Pace(3e-3, 0.1 * 0.2 ** (number / 40)))
    assert figures["player"]["results"]["itself"][1] == 0, "what one wins the other loses"
    learners.export({"player": tmp_path / "player.safetensors"}, {})
    tree, policy = build_tree(GAME), load_policy(tmp_path / "player.safetensors", GAME)
    uniform = exploitability(tree, *[lambda _, mask: mask / mask.sum(axis=1, keepdims=True)] * 2)
    assert exploitability(tree, policy.probabilities, policy.probabilities) < uniform / 4
    assert (GameBatch(GAME, 50, seed=0).play([policy, "random"]).sum(axis=1) == 0).all()
    rewards = play_game(GAME, [make_player(f"puct:20:{tmp_path}", GAME), make_player("random", GAME)], 0).rewards
    assert sum(rewards) == 0
