"""Learnt policies as files: weights in `safetensors`, played without torch. Loading executes nothing.

A file holds one network for one role (the dragon; any player of a symmetric game): `scale`, then layers `0.weight`,
`0.bias`, ... with ReLU between them, then the heads `policy.weight`, `policy.bias`, `value.weight`, `value.bias`. Its
metadata (JSON, under `about`) say for which game and rules it was made.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from drako_env.engine.checks import shown
from drako_env.engine.game import Game, role_of, rules_digest
from drako_env.engine.network import Networks, Tensors, choose, decide, judge, own_memory, pack
from drako_env.engine.view import SeatView
from drako_env.runs import write

FORMAT = "drako-env policy 1"
SUFFIX = ".safetensors"
LARGEST_OUTPUT = 1e30  # far from what makes 32-bit floats overflow
MAX_BYTES = 2**28
MAX_LAYERS = 100
CARDS_SCALE = 4.0

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Policy:
    """A network, and how to play with it: called with observations and masks it returns actions, so that it can be the
    opponent of `sb3_env`. It keeps its own random numbers."""

    game: Game
    tensors: Tensors
    info: dict[str, str]
    """The file's metadata."""
    chance: np.random.Generator
    nets: Networks
    """The network as the kernels take it."""

    @property
    def layers(self) -> tuple[int, ...]:
        """How many units each hidden layer has."""
        return tuple(len(self.tensors[f"{layer}.bias"]) for layer in range(len(self.tensors) // 2 - 2))

    @classmethod
    def of(cls, game: Game, tensors: Tensors, info: dict[str, str], seed: int) -> "Policy":
        """From the tensors of a network."""
        return _policy(game, tensors, info, np.random.default_rng(seed))

    def __reduce__(self) -> tuple[Any, ...]:
        return _policy, (self.game, dict(self.tensors), self.info, self.chance)  # each copy computes in its own memory

    def __call__(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """One action for each row."""
        return self.sample(observation, mask, self.chance)

    def sample(
        self,
        observation: NDArray[np.int8],
        mask: NDArray[np.int8],
        chance: np.random.Generator,
        temperature: float = 1.0,
    ) -> NDArray[np.int64]:
        """The same with somebody else's random numbers."""
        actions: NDArray[np.int64] = choose(self.nets, 0, observation, mask, temperature, chance.random(len(mask)))
        return actions

    def probabilities(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> Floats:
        """What it thinks of every action."""
        return self.judge(observation, mask)[0]

    def judge(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> tuple[Floats, Floats]:
        """The probability of every action `(n, A)`, and what the deciding seats may expect `(n,)`."""
        shares, values = judge(self.nets, 0, observation, mask)
        return shares, values


def _policy(game: Game, tensors: Tensors, info: dict[str, str], chance: np.random.Generator) -> Policy:
    return Policy(game, tensors, info, chance, pack([(tensors, is_canonical(info))], game.symmetries))


def is_canonical(info: Mapping[str, str]) -> bool:
    """Whether a network was trained on positions turned into their canonical form."""
    return info.get("canonical") == "yes"


def input_scale(game: Game) -> Floats:
    """What a network multiplies every entry of an observation with: counts above 2 are rarely above 4."""
    scale = np.ones(len(game.observation_high), np.float32)
    for field in game.observation_fields.values():
        if game.observation_high[field].max(initial=0) > 2:
            scale[field] = 1 / CARDS_SCALE
    return scale


def save_policy(path: Path, game: Game, tensors: Tensors, info: dict[str, str], kind: Any = np.float32) -> None:
    """Write a policy, as 32-bit or, half as long, 16-bit floats; a file is never half written."""
    layers = sum(name.endswith(".weight") and name[0].isdigit() for name in tensors)
    about = {"format": FORMAT, "game": game.name, "rules": rules_digest(game), "rules_name": game.rules_table()["name"]}
    about |= {"rules_version": str(game.rules_version), "layers": str(layers)} | info
    arrays = {name: np.ascontiguousarray(tensor, kind) for name, tensor in tensors.items()}
    write(path, save(arrays, {"about": json.dumps(about, sort_keys=True)}))


def load_policy(path: Path, game: Game, seed: int = 0) -> Policy:
    """Read a policy for a game; `ValueError` says what is wrong with the file, which may be anybody's."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ValueError(f"policy {path}: a file of more than {MAX_BYTES} bytes is none of this project")
        digest = hashlib.sha256(path.read_bytes()).digest()
        tensors, info = _read(path, digest)
    except (SafetensorError, OSError, TypeError) as error:
        raise ValueError(f"policy {path}: cannot be read ({error})") from None
    _check_origin(path, game, info)
    _check_shapes(path, game, tensors, info)
    _check_size(path, game, tensors, int(info["layers"]))
    nets = own_memory(_packed(path, digest, game))
    return Policy(game, tensors, info, np.random.default_rng(seed), nets)


@lru_cache(maxsize=64)
def _packed(path: Path, digest: bytes, game: Game) -> Networks:
    """The network of a file with this content: many tables of a server share one copy."""
    tensors, info = _read(path, digest)
    try:
        return pack([(tensors, is_canonical(info))], game.symmetries)
    except ValueError as error:
        raise ValueError(f"policy {path}: {error}") from None


def load_policies(path: Path, game: Game) -> dict[str, Policy]:
    """The policies of a folder, or the one of a file, by role."""
    roles = list(dict.fromkeys(role_of(seat) for seat in game.seats))
    files = [path / f"{role}{SUFFIX}" for role in roles] if path.is_dir() else [path]
    policies = [load_policy(file, game) for file in files if file.exists()]
    if not policies:
        raise ValueError(f"policy {path}: the folder holds none of {', '.join(file.name for file in files)}")
    return {role_of(policy.info["seat"]): policy for policy in policies}


def load_network(path: Path, game: Game, like: Mapping[str, Any], layers: tuple[int, ...]) -> Tensors:
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
        names = list(file.keys())
        if odd := [name for name in names if file.get_slice(name).get_dtype() not in ("F32", "F16")]:
            raise TypeError(f"{shown(odd[0])} holds neither 32-bit nor 16-bit floats")
        return {name: file.get_tensor(name).astype(np.float32) for name in names}, info


def _read_about(text: str) -> dict[str, str]:
    """The metadata of a file of ours; nothing if it is another's."""
    try:
        about = json.loads(text)
        return {str(key): str(value) for key, value in about.items()} if isinstance(about, dict) else {}
    except (ValueError, RecursionError):
        return {}


def _check_origin(path: Path, game: Game, info: dict[str, str]) -> None:
    """Made for this game under these rules."""
    if info.get("format") != FORMAT:
        raise ValueError(f"policy {path}: not a policy of this project (its format is {shown(info.get('format'))})")
    if info.get("game") != game.name:
        raise ValueError(f"policy {path}: made for the game {shown(info.get('game'))}, not {game.name!r}")
    if info.get("rules") != (here := rules_digest(game)):
        name, version, digest = (shown(info.get(key, "?")) for key in ("rules_name", "rules_version", "rules"))
        made = f"{name}, version {version}, digest {digest}"
        now = f"{game.rules_table()['name']!r}, version '{game.rules_version}', digest {here!r}"
        advice = "options count too; train anew, or play it with the rules and the version that it was made for"
        raise ValueError(f"policy {path}: made for other rules ({made}) than there are here ({now}); {advice}")


def _check_shapes(path: Path, game: Game, tensors: dict[str, Floats], info: dict[str, str]) -> None:
    """A network of the right shape, for a seat of the game."""
    layers = info.get("layers", "")
    if not re.fullmatch("[0-9]{1,3}", layers) or int(layers) > MAX_LAYERS:
        raise ValueError(
            f"policy {path}: layers: invalid literal {shown(layers)}, expected a number up to {MAX_LAYERS}"
        )
    width = len(game.observation_high)
    shapes: dict[str, tuple[int, ...]] = {"scale": (width,)}
    for layer in range(int(layers)):
        size = len(_tensor(path, tensors, f"{layer}.bias"))
        shapes |= {f"{layer}.weight": (size, width), f"{layer}.bias": (size,)}
        width = size
    for head, outputs in (("policy", len(game.actions)), ("value", 1)):
        shapes |= {f"{head}.weight": (outputs, width), f"{head}.bias": (outputs,)}
    for name, shape in shapes.items():
        tensor = _tensor(path, tensors, name)
        if tensor.shape != shape:
            raise ValueError(f"policy {path}: {name} is {tensor.dtype} {tensor.shape}, not {shape}")
        if not np.isfinite(tensor).all():
            raise ValueError(f"policy {path}: {name} holds values that are no numbers")
    if (seat := info.get("seat")) is None or role_of(seat) not in map(role_of, game.seats):
        raise ValueError(f"policy {path}: its seat is {shown(seat)}; expected one of {', '.join(game.seats)}")


def _tensor(path: Path, tensors: dict[str, Floats], name: str) -> Floats:
    if name not in tensors:
        raise ValueError(f"policy {path}: {name!r} is missing")
    if tensors[name].size == 0 or tensors[name].ndim == 0:
        raise ValueError(f"policy {path}: {name} is empty")
    return tensors[name]


def _check_size(path: Path, game: Game, tensors: dict[str, Floats], layers: int) -> None:
    """Weights that no observation can drive out of the numbers: every entry as large as it gets, nothing cancelling."""
    with np.errstate(all="ignore"):
        sizes = [np.abs(tensors["scale"]) * game.observation_high.astype(float)]
        for layer in range(layers):
            sizes.append(_largest(tensors, str(layer), sizes[-1]))
        largest = np.concatenate([*sizes, *(_largest(tensors, head, sizes[-1]) for head in ("policy", "value"))]).max()
    if not largest <= LARGEST_OUTPUT:
        reach = f"a layer's outputs could reach {largest:.0e}, and only up to {LARGEST_OUTPUT:.0e} they are safe"
        raise ValueError(f"policy {path}: its weights are too large: {reach}; train anew")


def _largest(tensors: dict[str, Floats], layer: str, inputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """How large the outputs of a layer can get in size."""
    weight, bias = np.abs(tensors[f"{layer}.weight"]).astype(float), np.abs(tensors[f"{layer}.bias"])
    return np.asarray(weight @ inputs + bias)


class WeighingAgent:
    """Gives every action a probability and draws one."""

    def __init__(self, game: Game, path: Path) -> None:
        self._path, self._policies = path, load_policies(path, game)
        self._roles = [role_of(seat) for seat in game.seats]
        self._legal: NDArray[np.int8] = np.zeros(len(game.actions), np.int8)
        self._shares: Floats = np.zeros(len(game.actions), np.float32)
        self._value = 0.5

    def reset(self, seed: int) -> None:
        """A new game."""
        self._chance = np.random.default_rng(seed)

    def act(self, view: SeatView) -> int:
        """Choose a legal action."""
        self._legal = view.action_mask
        action, value = self.weigh(view)
        self._value = min(1.0, max(0.0, 0.5 + 0.5 * value / view.game.max_reward))
        return action

    def weigh(self, view: SeatView) -> tuple[int, float]:
        """An action, and what the seat may expect; writes the probabilities."""
        raise NotImplementedError

    def policy(self, role: str) -> Policy:
        """That of a role; `ValueError` if it has none."""
        if role not in self._policies:
            raise ValueError(f"policy {self._path}: plays {', '.join(self._policies)}, not {role}")
        return self._policies[role]

    def opinions(self) -> list[tuple[int, float]]:
        """The probability of each action at the last decision, highest first."""
        legal = np.flatnonzero(self._legal).tolist()
        return sorted(((action, float(self._shares[action])) for action in legal), key=lambda pair: -pair[1])

    def value(self) -> float:
        """The winning chance that it gave its own seat at the last decision."""
        return self._value


class PolicyAgent(WeighingAgent):
    """Plays each seat with the policy of its role from a folder, or with the one file that is given. Temperature 0:
    what the policy thinks best; above 1: ever more random."""

    def __init__(self, game: Game, path: Path, temperature: float = 1.0) -> None:
        super().__init__(game, path)
        self.temperature = temperature

    def weigh(self, view: SeatView) -> tuple[int, float]:
        """An action, and what the seat may expect; writes the probabilities."""
        nets, seen = self.policy(self._roles[view.seat]).nets, (view.observation, view.action_mask)
        return decide(nets, 0, *seen, self.temperature, self._chance.random(), self._shares)

    def act_batch(
        self, seats: NDArray[np.int64], observation: NDArray[np.int8], mask: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Choose a legal action in each of many games, in which `seats` are to decide."""
        actions, roles = np.empty(len(seats), np.int64), np.array(self._roles)[seats]
        for role in np.unique(roles):
            rows = roles == role
            seen = observation[rows], mask[rows]
            actions[rows] = self.policy(role).sample(*seen, self._chance, self.temperature)
        return actions

    def value_batch(
        self, seats: NDArray[np.int64], observation: NDArray[np.int8], mask: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """The winning chances that it gives `seats` in many games."""
        values, roles = np.empty(len(seats)), np.array(self._roles)[seats]
        for role in np.unique(roles):
            rows = roles == role
            policy = self.policy(role)
            values[rows] = policy.judge(observation[rows], mask[rows])[1] / policy.game.max_reward
        return np.clip(0.5 + 0.5 * values, 0.0, 1.0)
