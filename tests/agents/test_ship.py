"""Policies of a run become part of the package: half as long, and playing as they did."""

import numpy as np

from agents.league.config import Config
from agents.league.local import LocalLearners
from agents.league.run import Budget, Run
from drako_env.envs.batch import GameBatch
from drako_env.games import make_game
from drako_env.players.policy import load_policy
from scripts import ship


def finished_run(folder, game, side):
    """A run of one side whose policy was never trained."""
    config = Config.load(layers=[16], num_envs=4, steps=8, minibatch=16)
    Run(folder, game, [side], config, 0, Budget(rounds=1)).save(["train.py"])
    learners = LocalLearners(1)
    learners.start(game, {side: 0}, config)
    (folder / "policies").mkdir()
    path = folder / "policies" / f"{side}.safetensors"
    learners.export({side: path}, {"round": "1"})
    return path


def test_a_policy_is_shipped_for_its_game_and_the_mirror_image(tmp_path, monkeypatch, capsys):
    game, twin = (make_game(name, num_players=3) for name in ("golden_dragon", "icarius"))
    trained = finished_run(tmp_path, game, "player")
    monkeypatch.setattr("drako_env.players.SHIPPED", tmp_path / "shipped")
    monkeypatch.setattr("sys.argv", ["ship.py", str(tmp_path), "--twin", "icarius"])
    assert ship.main() == 0
    assert "probabilities change by at most 0.0" in capsys.readouterr().out
    files = [tmp_path / "shipped" / name / "3_players" / "player.safetensors" for name in ("golden_dragon", "icarius")]
    assert files[0].stat().st_size < 0.6 * trained.stat().st_size
    policies = [load_policy(file, made) for file, made in zip(files, (game, twin), strict=True)]
    batches = [GameBatch(made, 20, seed=1) for made in (game, twin)]
    _, actions = ship.twin_orders(game, twin)
    for _ in range(60):
        ours, theirs = (p.probabilities(b.observation, b.action_mask) for p, b in zip(policies, batches, strict=True))
        np.testing.assert_allclose(theirs, ours[:, actions], atol=1e-5)
        chosen = batches[0].sample()
        batches[0].step(chosen)
        batches[1].step(np.argsort(actions)[chosen])


def test_a_folder_without_a_run_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["ship.py", str(tmp_path / "nowhere")])
    assert ship.main() == 2
    assert "nowhere" in capsys.readouterr().err
