"""Learnt policies as files: weights in `safetensors`, played with NumPy alone. Loading executes nothing.

A file holds one network for one role (the dragon; any player of a symmetric game): `scale`, then layers `0.weight`,
`0.bias`, ... with ReLU between them, then the heads `policy.weight`, `policy.bias`, `value.weight`, `value.bias`. Its
metadata (JSON, under `about`) say for which game and rules it was made.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from drako_env.engine.game import Game, role_of
from drako_env.engine.view import SeatView
from drako_env.runs import write

FORMAT = "drako-env policy 1"
SUFFIX = ".safetensors"
ILLEGAL = np.float32(-1e9)
CARDS_SCALE = 4.0

Floats = NDArray[np.float32]


def rules_digest(game: Game) -> str:
    """Tells rules tables apart, whatever their names: a policy plays only under the rules it was made for."""
    table = {key: value for key, value in game.rules_table().items() if key != "name"}
    return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Policy:
    """A network, and how to play with it: called with observations and masks it returns actions, so that it can be the
    opponent of `sb3_env`. It keeps its own random numbers."""

    game: Game
    tensors: dict[str, Floats]
    info: dict[str, str]
    """The file's metadata."""
    chance: np.random.Generator

    def __call__(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """One action for each row."""
        logits, ways = self._logits(observation, mask)
        chosen = (logits + self.chance.gumbel(size=logits.shape).astype(np.float32)).argmax(axis=1)
        return self.game.symmetries.turn_back(chosen, ways) if ways is not None else chosen

    def probabilities(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> Floats:
        """What it thinks of every action."""
        logits, ways = self._logits(observation, mask)
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares = odds / odds.sum(axis=1, keepdims=True)
        if ways is None:
            return np.asarray(shares)
        turned_back = np.empty_like(shares)
        np.put_along_axis(turned_back, self.game.symmetries.actions[ways], shares, axis=1)
        return turned_back

    def _logits(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> tuple[Floats, NDArray[np.int64] | None]:
        """Of every action of the game, turned into its canonical form if the network was trained on that."""
        ways = None
        if self.info.get("canonical") == "yes":
            ways = self.game.symmetries.canonical(observation)
            observation = self.game.symmetries.turn(observation, ways)
            mask = self.game.symmetries.turn_mask(mask, ways)
        x = observation.astype(np.float32) * self.tensors["scale"]
        for layer in range(int(self.info["layers"])):
            x = np.maximum(x @ self.tensors[f"{layer}.weight"].T + self.tensors[f"{layer}.bias"], 0)
        logits = x @ self.tensors["policy.weight"].T + self.tensors["policy.bias"]
        return np.where(mask.astype(bool), logits, ILLEGAL), ways


def input_scale(high: NDArray[np.int8]) -> Floats:
    """What every entry of an observation is multiplied with: counts above 2 are rarely above 4."""
    return np.where(high > 2, 1 / CARDS_SCALE, 1.0).astype(np.float32)


def save_policy(path: Path, game: Game, tensors: dict[str, Floats], info: dict[str, str]) -> None:
    """Write a policy; a file is never half written."""
    layers = sum(name.endswith(".weight") and name[0].isdigit() for name in tensors)
    about = {"format": FORMAT, "game": game.name, "rules": rules_digest(game), "rules_name": game.rules_table()["name"]}
    about |= {"layers": str(layers)} | info
    arrays = {name: np.ascontiguousarray(tensor, np.float32) for name, tensor in tensors.items()}
    write(path, save(arrays, {"about": json.dumps(about, sort_keys=True)}))


def load_policy(path: Path, game: Game, seed: int = 0) -> Policy:
    """Read a policy for a game; `ValueError` says what is wrong with the file."""
    try:
        tensors, info = _read(path, hashlib.sha256(path.read_bytes()).digest())
    except (SafetensorError, OSError, TypeError) as error:
        raise ValueError(f"policy {path}: cannot be read ({error})") from None
    _check_origin(path, game, info)
    _check(path, game, tensors, info)
    return Policy(game, tensors, info, np.random.default_rng(seed))


def load_network(path: Path, game: Game, like: Mapping[str, Any], layers: tuple[int, ...]) -> dict[str, Floats]:
    """The tensors of a policy for a learner whose own have the shapes of `like`; `ValueError` if they differ."""
    tensors = load_policy(path, game).tensors
    if {name: tensor.shape for name, tensor in tensors.items()} != {n: tuple(t.shape) for n, t in like.items()}:
        raise ValueError(f"policy {path}: a network of another shape than layers = {layers}")
    return tensors


@lru_cache(maxsize=64)
def _read(path: Path, digest: bytes) -> tuple[dict[str, Floats], dict[str, str]]:
    """A file with this content: many tables of a server share one copy."""
    with safe_open(path, "numpy") as file:
        info = _read_about((file.metadata() or {}).get("about", ""))
        return {name: file.get_tensor(name) for name in file.keys()}, info  # noqa: SIM118 (it is no dictionary)


def _read_about(text: str) -> dict[str, str]:
    """The metadata of a file of ours; nothing if it is another's."""
    try:
        about = json.loads(text)
    except ValueError:
        return {}
    return {str(key): str(value) for key, value in about.items()} if isinstance(about, dict) else {}


def _check_origin(path: Path, game: Game, info: dict[str, str]) -> None:
    """Made for this game under these rules."""
    if info.get("format") != FORMAT:
        raise ValueError(f"policy {path}: not a policy of this project (its format is {info.get('format')!r})")
    if info.get("game") != game.name:
        raise ValueError(f"policy {path}: made for the game {info.get('game')!r}, not {game.name!r}")
    if info.get("rules") != rules_digest(game):
        names = f"{info.get('rules_name')!r}, not {game.rules_table()['name']!r} as they are here"
        raise ValueError(f"policy {path}: made for other rules ({names}); options count too")


def _check(path: Path, game: Game, tensors: dict[str, Floats], info: dict[str, str]) -> None:
    """A network of the right shape."""
    try:
        width = len(game.observation_high)
        shapes = {"scale": (width,)}
        for layer in range(int(info["layers"])):
            size = tensors[f"{layer}.bias"].shape[0]
            shapes |= {f"{layer}.weight": (size, width), f"{layer}.bias": (size,)}
            width = size
        shapes |= {"policy.weight": (len(game.actions), width), "policy.bias": (len(game.actions),)}
        for name, shape in shapes.items():
            if tensors[name].shape != shape or tensors[name].dtype != np.float32:
                raise ValueError(f"policy {path}: {name} is {tensors[name].dtype} {tensors[name].shape}, not {shape}")
            if not np.isfinite(tensors[name]).all():
                raise ValueError(f"policy {path}: {name} holds values that are no numbers")
        if "seat" not in info:
            raise KeyError("seat")
    except (KeyError, IndexError) as error:
        raise ValueError(f"policy {path}: {error} is missing") from None


class PolicyAgent:
    """Plays each seat with the policy of its role from a folder, or with the one file that is given."""

    def __init__(self, game: Game, path: Path) -> None:
        roles = list(dict.fromkeys(role_of(seat) for seat in game.seats))
        files = [path / f"{role}{SUFFIX}" for role in roles] if path.is_dir() else [path]
        policies = [load_policy(file, game) for file in files if file.exists()]
        if not policies:
            raise ValueError(f"policy {path}: the folder holds none of {', '.join(file.name for file in files)}")
        self._path, self._policies = path, {role_of(policy.info["seat"]): policy for policy in policies}
        self._opinions: list[tuple[int, float]] = []

    def reset(self, seed: int) -> None:
        """A new game."""
        self._chance = np.random.default_rng(seed)

    def act(self, view: SeatView) -> int:
        """Choose a legal action."""
        role = role_of(view.game.seats[view.seat])
        if role not in self._policies:
            raise ValueError(f"policy {self._path}: plays {', '.join(self._policies)}, not {role}")
        shares = self._policies[role].probabilities(view.observation[None], view.action_mask[None])[0]
        legal = view.legal()
        self._opinions = sorted(((a, float(shares[a])) for a in legal), key=lambda pair: -pair[1])
        weights = shares[legal].astype(float)
        return int(self._chance.choice(legal, p=weights / weights.sum()))

    def opinions(self) -> list[tuple[int, float]]:
        """The probability of each action at the last decision, highest first."""
        return self._opinions
