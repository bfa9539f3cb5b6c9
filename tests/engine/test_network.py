"""Networks inside the kernels: the same numbers as NumPy's and torch's, whatever their size."""

from itertools import pairwise

import numpy as np
import pytest

from drako_env import drako_v0
from drako_env.engine.network import MAX_WIDTH, choose, judge, own_memory, pack
from drako_env.games import make_game
from tests.every_game import one_of_each_game


def tensors(game, *widths, seed=0):
    """A random network."""
    chance, found = np.random.default_rng(seed), {}
    sizes = [len(game.observation_high), *widths]
    shapes = {f"{i}": (b, a) for i, (a, b) in enumerate(pairwise(sizes))}
    shapes |= {"policy": (len(game.actions), sizes[-1]), "value": (1, sizes[-1])}
    for name, shape in shapes.items():
        found[f"{name}.weight"] = chance.normal(0, shape[1] ** -0.5, shape).astype(np.float32)
        found[f"{name}.bias"] = chance.normal(0, 0.1, shape[0]).astype(np.float32)
    return found | {"scale": chance.random(sizes[0]).astype(np.float32)}


def reference(game, network, canonical, observation, mask):
    """The same by NumPy: the logits of the game as it stands, and the values."""
    ways = game.symmetries.canonical(observation) if canonical else np.zeros(len(observation), np.int64)
    x = game.symmetries.turn(observation, ways).astype(np.float32) * network["scale"]
    for layer in range(len(network) // 2 - 2):
        x = np.maximum(x @ network[f"{layer}.weight"].T + network[f"{layer}.bias"], 0)
    logits, values = (x @ network[f"{head}.weight"].T + network[f"{head}.bias"] for head in ("policy", "value"))
    turned_back = np.empty_like(logits)
    np.put_along_axis(turned_back, game.symmetries.actions[ways], logits, axis=1)
    odds = np.exp(turned_back - turned_back.max(axis=1, keepdims=True)) * mask
    return odds / odds.sum(axis=1, keepdims=True), values[:, 0]


def positions(module, options, games, steps):
    batch = module.batch_env(games, seed=1, **options)
    for _ in range(steps):
        batch.step(batch.sample())
        yield batch.observation, batch.action_mask


@one_of_each_game
@pytest.mark.parametrize("widths", [(5,), (33, 16), (32, 7, 64)])
@pytest.mark.parametrize("canonical", [False, True])
def test_equal_to_numpy(module, options, widths, canonical):
    game = module.raw_env(**options).game
    network = tensors(game, *widths)
    nets = pack([(tensors(game, 3, seed=1), False), (network, canonical)], game.symmetries)
    for observation, mask in positions(module, options, 40, 20):
        shares, values = judge(nets, 1, observation, mask)
        expected, expected_values = reference(game, network, canonical, observation, mask)
        np.testing.assert_allclose(shares, expected, atol=1e-5)
        np.testing.assert_allclose(values, expected_values, atol=1e-5)


def test_equal_to_torch_on_ten_thousand_positions():
    torch = pytest.importorskip("torch")
    game = make_game("drako")
    network = tensors(game, 256, 256)
    nets = pack([(network, False)], game.symmetries)
    weights = {name: torch.as_tensor(tensor) for name, tensor in network.items()}
    seen = 0
    for observation, mask in positions(drako_v0, {}, 500, 20):
        x = torch.as_tensor(observation).float() * weights["scale"]
        for layer in range(2):
            x = torch.relu(torch.nn.functional.linear(x, weights[f"{layer}.weight"], weights[f"{layer}.bias"]))
        logits = torch.nn.functional.linear(x, weights["policy.weight"], weights["policy.bias"])
        legal = torch.as_tensor(mask).bool()
        expected = logits.masked_fill(~legal, -torch.inf).softmax(1).numpy()
        values = torch.nn.functional.linear(x, weights["value.weight"], weights["value.bias"])[:, 0].numpy()
        shares, found = judge(nets, 0, observation, mask)
        assert np.abs(shares - expected).max() < 1e-4
        assert np.abs(found - values).max() < 1e-4
        seen += len(mask)
    assert seen == 10_000


def test_actions_come_as_often_as_their_probabilities_say():
    game = make_game("drako")
    nets = pack([(tensors(game, 16, 16), True)], game.symmetries)
    *_, (observation, mask) = positions(drako_v0, {}, 30, 9)
    i = int(mask.sum(axis=1).argmax())
    rows, legal = np.repeat(observation[i : i + 1], 4000, axis=0), np.repeat(mask[i : i + 1], 4000, axis=0)
    shares, _ = judge(nets, 0, rows[:1], legal[:1])
    chosen = np.bincount(choose(nets, 0, rows, legal, 1.0, np.random.default_rng(0).random(4000)), minlength=222) / 4000
    assert np.abs(chosen - shares[0]).max() < 0.04
    best = choose(nets, 0, rows[:5], legal[:5], 0.0, np.full(5, 0.999))
    assert set(best.tolist()) == {int(shares[0].argmax())}
    cooler = np.bincount(choose(nets, 0, rows, legal, 0.3, np.random.default_rng(0).random(4000)), minlength=222)
    assert cooler.max() / 4000 > chosen.max()


def test_networks_share_weights_but_not_the_memory_to_compute_in():
    game = make_game("drako")
    nets = pack([(tensors(game, 4), True)], game.symmetries)
    other = own_memory(nets)
    assert other.weights is nets.weights
    assert not any(np.shares_memory(getattr(nets, name), getattr(other, name)) for name in ("units", "logits", "seen"))


@pytest.mark.parametrize("widths", [(MAX_WIDTH + 1,), (8, 8, 8, 8)])
def test_what_is_too_large_is_refused(widths):
    game = make_game("drako")
    with pytest.raises(ValueError, match="can be played"):
        pack([(tensors(game, *widths), False)], game.symmetries)
