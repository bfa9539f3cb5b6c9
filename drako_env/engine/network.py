"""Learnt networks inside the kernels: an observation in, a value and the logits of the legal actions out.

A network is what `players.policy` keeps in a file: layers with ReLU between them, a head for the policy and one for the
value. Sizes are data, so that one machine code serves all networks of a game. The first layer adds the weights of what
is there (observations are mostly zeros, and runs of ones are the difference of two sums), the others skip units that
are silent, and only legal actions get a logit: some ten microseconds for two layers of 256.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.jit import cache_dir, fast_jit, jit, kernel
from drako_env.engine.symmetry import Symmetries

MAX_LAYERS = 3
MAX_WIDTH = 512
CANONICAL, LAYERS, WIDTHS, FIRST = 0, 1, 2, 2 + MAX_LAYERS
"""Of a row of `Networks.layout`: whether positions are turned, how many layers, their widths, and where they begin."""
POLICY, VALUE, END = FIRST + MAX_LAYERS, FIRST + MAX_LAYERS + 1, FIRST + MAX_LAYERS + 2
SHORTEST_RUN = 3
"""Ones in a row from which on the difference of two sums is quicker."""

Tensors = Mapping[str, NDArray[np.float32]]
"""`scale`, `0.weight`, `0.bias`, ..., `policy.weight`, `policy.bias`, `value.weight`, `value.bias`."""


class Networks(NamedTuple):
    """Some networks of one game, as the kernels take them, with memory to compute in: one thread at a time."""

    layout: NDArray[np.int64]
    """A row for each network."""
    weights: NDArray[np.float32]
    turned: NDArray[np.int64]
    """By way to turn the board: which entry of an observation comes where."""
    back: NDArray[np.int64]
    """By way: what an action of the game as it stands is in the turned one."""
    moved: NDArray[np.int64]
    """The entries of an observation that turning moves."""
    keys: NDArray[np.int64]
    """By these and way: the way with the lowest sum is the canonical one."""
    sums: NDArray[np.int64]
    way: NDArray[np.int64]
    """How the position judged last was turned."""
    value: NDArray[np.float32]
    """What it is worth."""
    seen: NDArray[np.int8]
    units: NDArray[np.float32]
    logits: NDArray[np.float32]


def pack(networks: Sequence[tuple[Tensors, bool]], symmetries: Symmetries) -> Networks:
    """Networks with whether each was trained on canonical positions; `ValueError` if one is too large."""
    layout, parts, size = np.zeros((len(networks), END), np.int64), [], 0
    for row, (tensors, canonical) in zip(layout, networks, strict=True):
        widths = [len(tensors[f"{layer}.bias"]) for layer in range(len(tensors) // 2 - 2)]
        if len(widths) > MAX_LAYERS or max(widths, default=MAX_WIDTH + 1) > MAX_WIDTH:
            raise ValueError(f"layers = {widths}: one to {MAX_LAYERS} of at most {MAX_WIDTH} units can be played")
        row[CANONICAL], row[LAYERS], row[WIDTHS : WIDTHS + len(widths)] = canonical, len(widths), widths
        for place, part in zip(_places(len(widths)), _parts(tensors, len(widths)), strict=True):
            row[place] = size
            parts.append(part)
            size += part.size
    ways, width = symmetries.observations.shape
    back = np.argsort(symmetries.actions, axis=1)
    return Networks(
        layout,
        np.concatenate([np.zeros(0, np.float32), *parts]),
        np.ascontiguousarray(symmetries.observations),
        back,
        moved := np.flatnonzero(symmetries.keys.any(axis=1)),
        symmetries.keys[moved],
        np.zeros(ways, np.int64),
        np.zeros(1, np.int64),
        np.zeros(1, np.float32),
        np.zeros(width, np.int8),
        np.zeros((2, MAX_WIDTH), np.float32),
        np.zeros(back.shape[1], np.float32),
    )


def replace(nets: Networks, number: int, tensors: Tensors) -> None:
    """Put other weights into a network, which keeps its layers."""
    row = nets.layout[number]
    for place, part in zip(_places(row[LAYERS]), _parts(tensors, row[LAYERS]), strict=True):
        nets.weights[row[place] : row[place] + part.size] = part


def own_memory(nets: Networks) -> Networks:
    """The same networks, with memory of their own to compute in."""
    scratch = ("sums", "way", "value", "seen", "units", "logits")
    return nets._replace(**{name: np.zeros_like(getattr(nets, name)) for name in scratch})


def _places(layers: int) -> list[int]:
    return [*range(FIRST, FIRST + layers), POLICY, VALUE]


def _parts(tensors: Tensors, layers: int) -> list[NDArray[np.float32]]:
    """A layer: its bias, then a row for every input; the first one: sums of the rows up to each input before them. A
    head: for each output its weights, then its bias."""
    parts = []
    for layer in range(layers):
        rows = tensors[f"{layer}.weight"].T.astype(float)
        bias = tensors[f"{layer}.bias"][None]
        if layer == 0:
            rows = rows * tensors["scale"][:, None]
            sums = np.cumsum(np.vstack([np.zeros_like(bias), rows]), axis=0)
            parts.append(np.vstack([bias, sums, rows]))
        else:
            parts.append(np.vstack([bias, rows]))
    for head in ("policy", "value"):
        parts.append(np.hstack([tensors[f"{head}.weight"], tensors[f"{head}.bias"][:, None]]))
    return [np.ascontiguousarray(part, np.float32).ravel() for part in parts]


@jit
def evaluate(nets: Any, network: int, observation: Any, mask: Any) -> float:
    """The value of a position for the seat whose observation it is, which stays in `nets.value`. The logits of the
    actions of `mask` are left in `nets.logits`."""
    units, row = forward(nets, network, observation), nets.layout[network]
    for action in range(len(nets.logits)):
        if mask[action]:
            weights = row_of(nets.weights, row[POLICY], nets.back[nets.way[0], action], len(units) + 1)
            nets.logits[action] = product(weights, units)
    nets.value[0] = product(row_of(nets.weights, row[VALUE], 0, len(units) + 1), units)
    return nets.value[0]


@jit
def value_of(nets: Any, network: int, observation: Any) -> float:
    """The value alone."""
    units, row = forward(nets, network, observation), nets.layout[network]
    return product(row_of(nets.weights, row[VALUE], 0, len(units) + 1), units)


@jit
def forward(nets: Any, network: int, observation: Any) -> Any:
    """The units of the last hidden layer."""
    row = nets.layout[network]
    way = canonical_way(nets, observation) if row[CANONICAL] else 0
    nets.way[0] = way
    seen = observation
    if way:
        seen = nets.seen
        for i in range(len(seen)):
            seen[i] = observation[nets.turned[way, i]]
    width = row[WIDTHS]
    units, others = nets.units[0, :width], nets.units[1]
    first_layer(nets.weights, row[FIRST], width, seen, units)
    for layer in range(1, row[LAYERS]):
        width = row[WIDTHS + layer]
        following = others[:width]
        next_layer(nets.weights, row[FIRST + layer], units, following)
        others = nets.units[1 - layer % 2]
        units = following
    for u in range(width):
        units[u] = max(units[u], np.float32(0))
    return units


@jit
def canonical_way(nets: Any, observation: Any) -> int:
    """See `Symmetries.canonical`."""
    nets.sums[:] = 0
    for k in range(len(nets.moved)):
        count = observation[nets.moved[k]]
        if count:
            for way in range(len(nets.sums)):
                nets.sums[way] += count * nets.keys[k, way]
    return nets.sums.argmin()


@fast_jit
def first_layer(weights: Any, start: int, width: int, seen: Any, units: Any) -> None:
    """The sum of the rows of what is there."""
    sums, rows = start + width, start + width * (len(seen) + 2)
    units[:] = weights[start : start + width]
    i = 0
    while i < len(seen):
        if seen[i] == 0:
            i += 1
            continue
        end = i
        while end < len(seen) and seen[end] == 1:
            end += 1
        if end - i >= SHORTEST_RUN:
            low, high = row_of(weights, sums, i, width), row_of(weights, sums, end, width)
            for u in range(width):
                units[u] += high[u] - low[u]
            i = end
        else:
            count, row = np.float32(seen[i]), row_of(weights, rows, i, width)
            for u in range(width):
                units[u] += count * row[u]
            i += 1


@fast_jit
def next_layer(weights: Any, start: int, before: Any, units: Any) -> None:
    """The sum of the rows of the units that are not silent, four at a time."""
    width = len(units)
    units[:] = weights[start : start + width]
    first = start + width
    a = b = c = -1
    for d in range(len(before)):
        if before[d] > 0:
            if a < 0:
                a = d
            elif b < 0:
                b = d
            elif c < 0:
                c = d
            else:
                w, x, y, z = before[a], before[b], before[c], before[d]
                p, q = row_of(weights, first, a, width), row_of(weights, first, b, width)
                r, s = row_of(weights, first, c, width), row_of(weights, first, d, width)
                for u in range(width):
                    units[u] += (w * p[u] + x * q[u]) + (y * r[u] + z * s[u])
                a = b = c = -1
    for i in (a, b, c):
        if i >= 0:
            x, row = before[i], row_of(weights, first, i, width)
            for u in range(width):
                units[u] += x * row[u]


@fast_jit
def product(row: Any, units: Any) -> float:
    """Of the units and a row of weights, with the bias that follows it."""
    total = row[len(units)]
    for u in range(len(units)):
        total += units[u] * row[u]
    return total


@jit
def row_of(weights: Any, start: int, number: int, width: int) -> Any:
    """A row of a matrix that begins at `start`."""
    place = start + number * width
    return weights[place : place + width]


@jit
def to_probabilities(logits: Any, mask: Any, temperature: float) -> None:
    """Logits of legal actions into their probabilities, all others into zeros. Temperature 0: the best alone."""
    best = -np.inf
    for action in range(len(logits)):
        if mask[action] and logits[action] > best:
            best = logits[action]
    total = 0.0
    for action in range(len(logits)):
        share = 0.0
        if mask[action]:
            away = logits[action] - best
            share = np.exp(away / temperature) if temperature > 0 else 1.0 if away == 0 else 0.0
        logits[action] = share
        total += share
    for action in range(len(logits)):
        logits[action] /= total


@jit
def draw(probabilities: Any, chance: float) -> int:
    """An action by its probability; `chance` is a random number from 0 to 1."""
    chosen = -1
    for action in range(len(probabilities)):
        if probabilities[action] > 0:
            chosen = action
            chance -= probabilities[action]
            if chance < 0:
                break
    return chosen


def _judge_rows(nets: Any, network: int, observation: Any, mask: Any, shares: Any, values: Any) -> None:
    for i in range(len(observation)):
        values[i] = evaluate(nets, network, observation[i], mask[i])
        to_probabilities(nets.logits, mask[i], 1.0)
        shares[i] = nets.logits


def _choose_rows(
    nets: Any, network: int, observation: Any, mask: Any, temperature: float, chance: Any, actions: Any
) -> None:
    for i in range(len(observation)):
        evaluate(nets, network, observation[i], mask[i])
        to_probabilities(nets.logits, mask[i], temperature)
        actions[i] = draw(nets.logits, chance[i])


def _decide_row(
    nets: Any, network: int, observation: Any, mask: Any, temperature: float, chance: float, shares: Any
) -> tuple[int, float]:
    value = evaluate(nets, network, observation, mask)
    to_probabilities(nets.logits, mask, temperature)
    shares[:] = nets.logits
    return draw(nets.logits, chance), value


CACHE = cache_dir(Path(__file__).parent)
judge_rows, choose_rows = kernel(_judge_rows, CACHE), kernel(_choose_rows, CACHE)
decide = kernel(_decide_row, CACHE)
"""`(nets, network, observation, mask, temperature, chance, shares)`: the same for one position, without anything around
it: an action, and the value; `shares` become the probabilities."""


def judge(nets: Networks, network: int, observation: Any, mask: Any) -> tuple[Any, Any]:
    """The probabilities `(n, A)` and the values `(n,)` of positions, given as observations `(n, D)` and masks."""
    shares, values = np.empty(mask.shape, np.float32), np.empty(len(mask), np.float32)
    judge_rows(nets, network, np.ascontiguousarray(observation), np.ascontiguousarray(mask), shares, values)
    return shares, values


def choose(nets: Networks, network: int, observation: Any, mask: Any, temperature: float, chance: Any) -> Any:
    """An action for each position; `chance` are random numbers from 0 to 1. Temperature 0: the best one."""
    actions, legal = np.empty(len(mask), np.int64), np.ascontiguousarray(mask)
    choose_rows(nets, network, np.ascontiguousarray(observation), legal, temperature, chance, actions)
    return actions
