"""TorchRL's wrapper: legal actions, returns of the right seat, and the limits that the example names."""

import sys

import pytest

pytest.importorskip("torchrl", reason="TorchRL is missing: make setup installs it")

import torch
from torchrl.envs import SerialEnv
from torchrl.envs.utils import check_env_specs

from scripts.examples import torchrl_rollouts as example


def played(policy=True, seed=0):
    torch.manual_seed(seed)
    env = example.make_env(seed)
    return example.play(env, example.make_policy(env) if policy else None)


def all_legal(game, seat):
    chosen, legal, _ = example.decisions(game, seat)
    return bool(legal.gather(1, chosen[:, None]).all())


@pytest.mark.parametrize("policy", [True, False])
def test_a_game(policy):
    """Somebody decides in every row, what is chosen is legal, and each decision is credited with its seat's result."""
    game = played(policy)
    deciding = torch.stack([game[seat, "mask"].squeeze(1) for seat in example.SEATS])
    assert (deciding.sum(0) == 1).all()
    results = []
    for seat in example.SEATS:
        assert all_legal(game, seat)
        returns = example.decisions(game, seat)[2]
        assert len(returns) > 20
        assert (returns == game["next", seat, "reward"].sum()).all()
        results.append(returns[0].item())
    assert sorted(results) == [-1.0, 1.0]


def test_an_illegal_choice_would_be_seen():
    game, seat = played(), "dragon_0"
    game[seat, "action"] = (game[seat, "action"] + 1) % 222
    assert not all_legal(game, seat)


def test_the_specifications_hold():
    check_env_specs(example.make_env(0))


def test_the_same_seed_gives_the_same_game():
    first, second, other = played(seed=3), played(seed=3), played(seed=4)
    key = ("dwarves_0", "observation", "observation")
    assert torch.equal(first[key], second[key])
    assert not torch.equal(first[key][0], other[key][0])


def test_the_waiting_seat_is_shown_a_mask_of_ones():
    game = played()
    waiting = ~game["dwarves_0", "mask"].squeeze(1)
    assert game["dwarves_0", "action_mask"].squeeze(1)[waiting].all()


@pytest.mark.parametrize("policy", [True, False])
def test_several_games_need_a_policy_that_reads_the_mask(policy, caplog):
    torch.manual_seed(0)
    envs = SerialEnv(2, lambda: example.make_env(0))
    reading = example.make_policy(example.make_env(0)) if policy else None
    games = envs.rollout(20, reading, break_when_any_done=False)
    assert all(all_legal(games[i], seat) for i in range(2) for seat in example.SEATS) == policy
    envs.close()
    assert ("Illegal move" in caplog.text) != policy


def test_the_script_runs(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["torchrl_rollouts.py", "--games", "2"])
    example.main()
    assert "2 games of untrained networks" in capsys.readouterr().out
