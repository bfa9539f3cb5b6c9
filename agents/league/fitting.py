"""Networks that have learnt under one table, made to fit another: other wound spaces are other entries of what is
observed."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from drako_env.engine.game import Game
from drako_env.engine.network import Tensors
from drako_env.players.policy import Floats, input_scale, load_policy, save_policy

KEPT = ("seat", "canonical")
"""What a policy's file says that stays true under another table."""


def refit(files: Mapping[str, Path], before: Game, after: Game, folder: Path) -> dict[str, Path]:
    """Write policies of `before` into a folder as policies of `after`, by side."""
    folder.mkdir(parents=True, exist_ok=True)
    refitted = {side: folder / file.name for side, file in files.items()}
    for side, file in files.items():
        policy = load_policy(file, before)
        info = {name: text for name, text in policy.info.items() if name in KEPT}
        save_policy(refitted[side], after, fitted(policy.tensors, before, after), info)
    return refitted


def fitted(tensors: Tensors, before: Game, after: Game) -> dict[str, Floats]:
    """The network for `after` that sees every field as it saw it in `before`; `ValueError` if not all that can be seen
    and done has the same name in both."""
    old, new, weight = before.observation_fields, after.observation_fields, tensors["0.weight"]
    if list(old) != list(new) or len(before.actions) != len(after.actions):
        raise ValueError(
            "networks go from one table to another only where players see and do the same things under both"
        )
    sizes = {name: field.stop - field.start for name, field in new.items()}
    columns = np.concatenate([resized(weight[:, old[name]], size) for name, size in sizes.items()], axis=1)
    scale = input_scale(after)
    for name, size in sizes.items():
        if size == old[name].stop - old[name].start:
            scale[new[name]] = tensors["scale"][old[name]]
    return dict(tensors) | {"0.weight": columns, "scale": scale}


def resized(columns: Floats, size: int) -> Floats:
    """The weights of a unary count that now ends elsewhere: nothing is still nothing, all is still all, and what is
    new between them says nothing yet."""
    before = columns.shape[1]
    if size > before:
        between = np.zeros((len(columns), size - before), np.float32)
        return np.concatenate([columns[:, :-1], between, columns[:, -1:]], axis=1)
    last = columns[:, size - 1 :].sum(axis=1, keepdims=True)
    return np.concatenate([columns[:, : size - 1], last], axis=1)
