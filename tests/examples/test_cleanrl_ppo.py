"""One file of masked PPO: it learns, never breaks a rule, and credits every reward to the seat it belongs to."""

import ast
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is missing: make setup installs it")

from drako_env import drako_v0
from drako_env.evaluation.statistics import wilson
from scripts.examples import cleanrl_ppo as ppo

SOURCE = Path(ppo.__file__).read_text(encoding="utf-8")
DRAGON, DWARVES = 0, 1


@pytest.fixture(autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def untrained(seed=0):
    torch.manual_seed(seed)
    batch = drako_v0.batch_env(16, seed=seed)
    return ppo.Network(ppo.input_scale(batch.game), batch.action_mask.shape[1]), batch


def rollout(agent, reward, done, value):
    """Of one game, without what does not matter for advantages."""
    columns = [np.array(column)[:, None] for column in (agent, reward, done, value)]
    return ppo.Rollout(None, None, columns[0], None, None, columns[3].astype(np.float32), columns[1], columns[2])


def test_the_file_is_short_and_needs_torch_alone():
    nodes = list(ast.walk(ast.parse(SOURCE)))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
    assert {name.split(".")[0] for name in names} - set(sys.stdlib_module_names) == {"torch", "numpy", "drako_env"}
    assert len(SOURCE.splitlines()) < 250


def test_a_game_lost_on_the_opponents_move_is_lost():
    nothing, end = [0.0, 0.0], [-1.0, 1.0]
    played = rollout([0, 1, 0, 1], [nothing, nothing, nothing, end], [False, False, False, True], [0.0] * 4)
    advantage, known = ppo.advantages(played, np.array([0]), np.zeros(1, np.float32), gamma=1.0, decay=1.0)
    assert advantage[:, 0].tolist() == [-1.0, 1.0, -1.0, 1.0]
    assert known.all()


def test_what_follows_is_the_seats_own_next_decision():
    played = rollout([0, 1, 1, 0], [[0.0, 0.0]] * 4, [False] * 4, [0.1, 0.2, 0.4, 0.8])
    advantage, known = ppo.advantages(played, np.array([1]), np.array([0.5], np.float32), gamma=1.0, decay=0.0)
    assert known[:, 0].tolist() == [True, True, True, False], "the dragon's next position is not known yet"
    assert advantage[:3, 0] == pytest.approx([0.8 - 0.1, 0.4 - 0.2, 0.5 - 0.4])


def one_by_one(played, game, last_agent, last_value, gamma, decay):
    """Advantages of a game in the plainest way: from each decision on, look for the same seat's next one."""
    steps, found = len(played.agent), {}
    for t in reversed(range(steps)):
        seat, gained, then = played.agent[t, game], 0.0, t
        while True:
            gained += played.reward[then, game, seat]
            then += 1
            if played.done[then - 1, game]:
                following, later = 0.0, 0.0
                break
            if then == steps:
                following, later = (last_value[game], 0.0) if last_agent[game] == seat else (None, None)
                break
            if played.agent[then, game] == seat:
                following, later = played.value[then, game], found.get(then, 0.0)
                break
        if following is not None:
            found[t] = gained + gamma * following - played.value[t, game] + gamma * decay * later
    return found


def test_advantages_in_real_games():
    network, batch = untrained()
    played = ppo.collect(network, batch, 400)
    assert played.done.sum() > 20
    chance = np.random.default_rng(0)
    played.value[:] = chance.random(played.value.shape)
    last = chance.random(16).astype(np.float32)
    advantage, known = ppo.advantages(played, batch.agent, last, gamma=0.9, decay=0.8)
    for game in range(16):
        expected = one_by_one(played, game, batch.agent, last, 0.9, 0.8)
        assert np.flatnonzero(known[:, game]).tolist() == sorted(expected)
        assert advantage[sorted(expected), game] == pytest.approx([expected[t] for t in sorted(expected)], abs=1e-5)
    assert 0 < (~known).sum() <= 16


def test_an_illegal_action_has_no_probability_however_good_it_looks():
    network, batch = untrained()
    with torch.no_grad():
        network.policy.bias[:] = torch.linspace(0, 1000, len(network.policy.bias))
    for _ in range(50):
        action, log_probability, _ = ppo.decide(network, batch)
        assert batch.action_mask[np.arange(16), action].all()
        assert np.isfinite(log_probability).all()
        batch.step(action)


def test_wins_are_counted_for_the_seat_that_plays(monkeypatch):
    """An untrained network plays about like random play, which under this table wins 70% as the dragon and 30% as the
    dwarves."""
    monkeypatch.setattr(drako_v0, "batch_env", partial(drako_v0.batch_env, rules="reconstructed_1"))
    network, _ = untrained()
    dragon, dwarves = (ppo.count_wins(network, seat, ppo.OPPONENTS["random"], 120, 1) for seat in (DRAGON, DWARVES))
    assert wilson(dragon, 120)[0] > 0.52
    assert wilson(dwarves, 120)[1] < 0.48
    assert ppo.count_wins(network, DRAGON, ppo.OPPONENTS["heuristic"], 120, 1) < 30


def test_it_learns_both_seats(capsys, monkeypatch):
    monkeypatch.setattr(ppo, "EVALUATION_GAMES", 8)
    network = ppo.train(66_000, seed=0, games=64, steps=128, minibatch=1024)
    dragon, dwarves = (ppo.count_wins(network, seat, ppo.OPPONENTS["random"], 256, 9) for seat in (DRAGON, DWARVES))
    print(dragon, dwarves)
    assert wilson(dragon, 256)[0] > 0.75
    assert wilson(dwarves, 256)[0] > 0.42
    said = capsys.readouterr().out
    assert "decisions," in said
    assert "against random: dragon_0" in said


def test_the_script_runs(capsys, monkeypatch, tmp_path):
    weights = tmp_path / "deep" / "ppo.pt"
    arguments = ["cleanrl_ppo.py", "--decisions", "1", "--games", "8", "--save", str(weights)]
    monkeypatch.setattr(sys, "argv", arguments)
    monkeypatch.setattr(ppo, "EVALUATION_GAMES", 8)
    ppo.main()
    said = capsys.readouterr().out
    assert "against heuristic: dragon_0" in said
    untrained()[0].load_state_dict(torch.load(weights, weights_only=True))
