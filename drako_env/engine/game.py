"""The `Game` protocol: what a game's folder offers, and all that the adapters, renderers and agents know of it."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.chance import Chance
from drako_env.engine.jit import load_kernels
from drako_env.engine.rng import one_seed, seed_words
from drako_env.engine.symmetry import Symmetries

ILLEGAL = -2
OVER = -1


@dataclass(frozen=True)
class Kernels:
    """A game's compiled entry points; `states` is an array of state records, `i` the game meant."""

    deal_one: Callable[..., int]
    """`(tables, states, i, mask)`: deal game `i` anew from its own random numbers; returns the seat to decide."""
    play_one: Callable[..., int]
    """`(tables, states, i, action, mask)`: returns the next seat to decide, OVER, or ILLEGAL with nothing changed.
    Here and in `deal_one`, `mask` is brought up to date."""
    mask_one: Callable[..., None]
    """`(tables, states, i, mask)`: writes the legal actions of the seat to decide."""
    observe_one: Callable[..., None]
    """`(tables, states, i, seat, observation)`: writes what the seat sees."""
    redeal_one: Callable[..., None]
    """`(tables, states, i, seat)`: replaces all that the seat may not know by another deal that looks the same."""
    reward_one: Callable[..., None]
    """`(states, i, reward)`: writes every seat's final reward, zeros before the end."""
    deal_games: Callable[..., None]
    """`(tables, states, observation, mask, agent)`: deal every game anew."""
    view_games: Callable[..., None]
    """`(tables, states, observation, mask, agent)`: write what the deciding seats see of every game."""
    step_games: Callable[..., int]
    """`(tables, states, games, actions, observation, mask, agent, reward, done, ended)`: play one action in each of
    `games` and deal finished ones anew; returns the first game whose action is illegal, with nothing changed, or -1.
    `ended`, unless empty, receives the last position of a finished game."""
    sample_games: Callable[..., None]
    """`(states, games, mask_words, actions)`: a uniformly random legal action in each of `games`."""
    hide_one: Callable[..., None]
    """`(tables, states, i, seat)`: reduce a position to what the seat knows; `redeal_one` makes a whole one of it."""
    best_one: Callable[..., int]
    """`(tables, states, i, mask)`: what the game's rules of thumb would play, chance deciding among equals."""
    best_games: Callable[..., None]
    """`(tables, states, games, mask, actions)`: the same for each of `games`."""
    search_one: Callable[..., int]
    """`(tables, hidden, scratch, mask_words, mask, tree, nodes, root, simulations, exploration, decisions)`: see
    `engine.tree`; returns the new number of nodes."""


def kernels_of(module: ModuleType) -> Kernels:
    """The entry points of a game's `kernels.py`, by their names."""
    return Kernels(**{field.name: getattr(module, field.name) for field in fields(Kernels)})


class Game(Protocol):
    """A game under one set of rules. It never changes; positions live in state records."""

    name: str
    rules_version: int
    """Raised when a clause of the rules or the meaning of an observation changes."""
    seats: tuple[str, ...]
    """PettingZoo's names of the seats, in order."""
    tables: NDArray[np.void]
    state_dtype: np.dtype[np.void]
    kernels: Kernels
    actions: tuple[Mapping[str, Any], ...]
    """Every action as a dictionary, in id order."""
    observation_fields: Mapping[str, slice]
    observation_high: NDArray[np.int8]
    chance: Chance
    max_decisions: int
    """No game takes more."""

    @property
    def symmetries(self) -> Symmetries:
        """The ways to turn the board that change nothing but names."""

    def action_text(self, action: int) -> str:
        """An action in plain words."""

    def heard(self, state: Any, action: int, seat: int | None) -> str:
        """An action in plain words, as far as `seat` (`None`: everybody) may know what the deciding seat does."""

    def state_dict(self, state: Any) -> dict[str, Any]:
        """The whole position, hidden cards included."""

    def load_state_dict(self, position: Mapping[str, Any]) -> np.void:
        """A state record of the position, without random numbers; `ValueError` if the position makes no sense."""

    def rules_table(self) -> dict[str, Any]:
        """The rules in full, JSON-able: what a replay needs to be played again."""

    def drawn(self, before: Any, action: int, after: Any) -> dict[str, Any]:
        """What chance brought between two positions, JSON-able: the cards drawn, by player; empty if none were."""

    def all_deals(self) -> tuple[NDArray[np.void], NDArray[np.float64]]:
        """Every deal as a state, and its probability; `ValueError` if the game is too large for exact play."""

    def phase(self, state: Any) -> str:
        """The kind of the decision to make."""

    def outcome(self, state: Any) -> tuple[str, tuple[int, ...]]:
        """How a finished game ended, in a few words, and every seat's points for breaking ties."""

    def scene(self, state: Any, seat: int | None) -> dict[str, Any]:
        """What `seat` may see (`None`: what everybody may), as data for the renderers."""

    def text(self, scene: Mapping[str, Any]) -> str:
        """A scene drawn in characters."""

    def picture(self, scene: Mapping[str, Any]) -> str:
        """A scene drawn as SVG."""


def role_of(seat: str) -> str:
    """`dragon_0` -> `dragon`: what a seat plays; all seats of a symmetric game have the same role."""
    name, _, number = seat.rpartition("_")
    return name if number.isdecimal() else seat


def sides(game: Game) -> list[str]:
    """What can be learnt in a game: a seat that has a role of its own, or a role that several seats share."""
    roles = [role_of(seat) for seat in game.seats]
    return list(dict.fromkeys(s if roles.count(r) == 1 else r for s, r in zip(game.seats, roles, strict=True)))


def rivals(game: Game, side: str) -> list[str]:
    """Whom a side plays against: the other sides, and itself if it has several seats."""
    return [other for other in sides(game) if other != side or side not in game.seats]


def rules_digest(game: Game) -> str:
    """Tells apart what a game is played by, whatever its rules table is called: the table and its options, the version
    of the rules, what is observed and which actions there are. Saved games, replays and policies go with one digest."""
    table = {key: value for key, value in game.rules_table().items() if key != "name"}
    fields = [(name, field.start, field.stop) for name, field in game.observation_fields.items()]
    parts = (game.name, game.rules_version, table, fields, [dict(action) for action in game.actions])
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def record_problem(game: Game, state: Any) -> str:
    """Why no game can have come to a state record, or nothing: kernels trust their records, but bytes from outside may
    hold anything. A sound record is what its own description leads to."""
    try:
        again = game.load_state_dict(game.state_dict(state))
    except IndexError:
        return "an entry is beyond what there is"
    except ValueError as error:
        return str(error)
    again["rng"] = state["rng"]
    if not state["rng"].all():
        return "its random numbers stand still"
    return "" if again.tobytes() == state.tobytes() else "its entries contradict each other"


def new_states(game: Game, count: int) -> NDArray[np.void]:
    """Zeroed state records."""
    return np.zeros(count, game.state_dtype)


def prepare(game: Game) -> None:
    """Load the kernels of a single game, or compile them if that was never done."""
    kernels, states, mask = game.kernels, new_states(game, 1), new_masks(game, 1).view(np.int8)[0]
    states["rng"] = seed_words(one_seed(0))

    def others() -> None:
        kernels.mask_one(game.tables, states, 0, mask)
        kernels.play_one(game.tables, states, 0, int(mask.argmax()), mask)
        kernels.observe_one(game.tables, states, 0, 0, np.zeros(len(game.observation_high), np.int8))
        kernels.redeal_one(game.tables, states, 0, 0)
        kernels.reward_one(states, 0, np.zeros(len(game.seats), np.float32))

    load_kernels(game.name, lambda: kernels.deal_one(game.tables, states, 0, mask), others)


def new_masks(game: Game, count: int) -> NDArray[np.int64]:
    """Zeroed action masks as words of eight actions, in whole groups of four words (see `engine.sampling`) and with
    at least eight spare bytes for what kernels spill over."""
    return np.zeros((count, (len(game.actions) + 8) // 32 * 4 + 4), np.int64)
