"""PPO's update of a network from decisions that the kernels have noted, for any library's optimiser; no work is done
twice."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional

ILLEGAL = 80.0
"""How far below the others the logit of an illegal action lies: its chance is below 1e-34, and nothing underflows."""
FIGURES = ("policy_loss", "value_loss", "entropy", "kl", "clipped")

Judge = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]
"""A network: observations in, logits of all actions and values out."""
Batch = Mapping[str, torch.Tensor]
"""Decisions in random order, see `engine.rollout.draw_decisions`."""


class Settings(NamedTuple):
    """Of an update."""

    epochs: int
    minibatch: int
    clip: float
    entropy: float
    """The weights of entropy and value loss."""
    value: float = 0.5
    norm: float = 0.5
    """Gradients are shortened to this length."""
    magnet: float = 0.0
    """The weight of the distance to the policy that holds this one back."""


@contextmanager
def tiny_is_zero() -> Iterator[None]:
    """In this thread numbers too small for all their digits are zero. What an action or an input that has become rare
    leaves in Adam's moments shrinks to such numbers, and with them Intel's processors take several times as long."""
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


@tiny_is_zero()
def learn(
    judge: Judge, optimizer: torch.optim.Optimizer, batch: Batch, settings: Settings, magnet: Batch | None = None
) -> dict[str, float]:
    """Go through all minibatches; returns their FIGURES on average. `magnet` is the network of the policy that holds
    this one back."""
    figures = []
    if magnet and settings.magnet:
        with torch.no_grad():
            batch = {**batch, "magnet": log_shares(logits_of(magnet, batch["observation"]), batch["action_mask"])}
    for _ in range(settings.epochs):
        for first in range(0, len(batch["action"]), settings.minibatch):
            part = {name: tensor[first : first + settings.minibatch] for name, tensor in batch.items()}
            figures.append(_step(judge, optimizer, part, settings))
    return dict(zip(FIGURES, np.mean(figures, axis=0).tolist(), strict=True))


def _step(judge: Judge, optimizer: torch.optim.Optimizer, part: Batch, settings: Settings) -> list[float]:
    """One step of the optimiser; returns the figures of the minibatch."""
    logits, values = judge(part["observation"])
    shares = log_shares(logits, part["action_mask"])
    change = shares.gather(1, part["action"][:, None])[:, 0] - part["log_probability"]
    ratio, advantage, clip, weight = change.exp(), part["advantage"], settings.clip, part["weight"]
    policy_loss = -(weight * torch.min(advantage * ratio, advantage * ratio.clamp(1 - clip, 1 + clip))).mean()
    value_loss = (weight * (values - part["target"]) ** 2).mean()
    entropy = -(weight * (shares.exp() * shares).sum(1)).mean()
    loss = policy_loss + settings.value * value_loss - settings.entropy * entropy
    if "magnet" in part:
        loss = loss + settings.magnet * (weight * (shares.exp() * (shares - part["magnet"])).sum(1)).mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], settings.norm)
    optimizer.step()
    with torch.no_grad():
        kl = (ratio - 1 - change).mean()
        clipped = ((ratio - 1).abs() > clip).float().mean()
    return [float(figure.detach()) for figure in (policy_loss, value_loss, entropy, kl, clipped)]


def log_shares(logits: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The logarithms of the actions' chances."""
    return functional.log_softmax(logits + ILLEGAL * (mask.float() - 1), dim=1)


def logits_of(network: Batch, observation: torch.Tensor) -> torch.Tensor:
    """What a network given by its tensors says of all actions."""
    x = observation.float() * network["scale"]
    for number in range(sum(name.endswith(".weight") for name in network) - 2):
        x = torch.relu(functional.linear(x, network[f"{number}.weight"], network[f"{number}.bias"]))
    return functional.linear(x, network["policy.weight"], network["policy.bias"])


def follow(average: Mapping[str, torch.Tensor], network: Batch, updates: float, kept: float) -> None:
    """Move an average of networks towards the network as it is after so many updates, so that it keeps a share of what
    it was; in the beginning quickly, since there is little to average."""
    share = max(1 - kept, 9 / (9 + updates))
    with torch.no_grad():
        for name, tensor in network.items():
            average[name].lerp_(tensor, share)
