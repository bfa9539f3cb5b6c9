"""Players by short names, the same everywhere: `random`, `heuristic`, `ismcts:1000`, `ismcts:1s`, `policy`,
`policy:PATH`, and anybody's own: `module:Class`."""

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from drako_env.engine.game import Game
from drako_env.engine.jit import load_kernels
from drako_env.engine.position import Position
from drako_env.engine.view import Agent
from drako_env.players.policy import PolicyAgent
from drako_env.players.search import Budget, SearchAgent
from drako_env.players.simple import HeuristicAgent, RandomAgent

SHIPPED = Path(__file__).parent / "policies"

KNOWN = {
    "random": "any legal action",
    "heuristic": "rules of thumb",
    "ismcts:N": "information-set search with N simulations a decision, e.g. ismcts:1000",
    "ismcts:Ts": "the same with T seconds a decision, e.g. ismcts:0.5s",
    "policy": "the learnt policy that comes with the project",
    "policy:PATH": "a learnt policy: a .safetensors file, or a folder with one for each role",
    "MODULE:CLASS": "a class of one's own with reset(seed) and act(view), called with the game, e.g. my_agents:Greedy",
}


def make_player(spec: str, game: Game) -> Agent:
    """The player that `spec` names; `ValueError` with the list of known ones if there is none."""
    name, _, argument = spec.partition(":")
    makers: dict[str, Callable[[Game, str], Agent]] = {
        "random": _random,
        "heuristic": _heuristic,
        "ismcts": _ismcts,
        "policy": _policy,
    }
    if name not in makers:
        return _own(spec, game)
    prepare_players(game)
    try:
        return makers[name](game, argument)
    except ValueError as error:
        raise ValueError(f"{error}; known agents are {', '.join(KNOWN)}") from None


def _random(game: Game, argument: str) -> Agent:
    _no_argument("random", argument)
    return RandomAgent(game)


def _heuristic(game: Game, argument: str) -> Agent:
    _no_argument("heuristic", argument)
    return HeuristicAgent(game)


def _ismcts(game: Game, argument: str) -> Agent:
    if re.fullmatch(r"[1-9]\d{0,6}", argument):
        return SearchAgent(game, Budget(simulations=int(argument)))
    if re.fullmatch(r"\d+(\.\d+)?s", argument) and float(argument[:-1]) > 0:
        return SearchAgent(game, Budget(seconds=float(argument[:-1])))
    raise ValueError(f"agent 'ismcts:{argument}': give simulations (ismcts:1000) or seconds (ismcts:0.5s)")


def _policy(game: Game, argument: str) -> Agent:
    path = Path(argument) if argument else shipped_policy(game)
    if not path.exists():
        missing = "there is no such file or folder" if argument else f"none comes with {game.name}"
        raise ValueError(f"agent 'policy{':' * bool(argument)}{argument}': {missing}")
    return PolicyAgent(game, path)


def _own(spec: str, game: Game) -> Agent:
    """An object of a class that somebody else wrote, found from here or from the current folder."""
    module, _, name = spec.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), name)):
        raise ValueError(f"unknown agent {spec!r}; known are {', '.join(KNOWN)}")
    if "" not in sys.path:
        sys.path.append("")  # who starts a console command expects the current folder as with `python -m`
    try:
        agent: Agent = getattr(import_module(module), name)(game)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"agent {spec!r}: {error}; known agents are {', '.join(KNOWN)}") from None
    if not callable(getattr(agent, "act", None)) or not callable(getattr(agent, "reset", None)):
        raise ValueError(f"agent {spec!r}: a player needs reset(seed) and act(view)")
    return agent


def shipped_policy(game: Game) -> Path:
    """The folder of the policies that come with the project, whether there are any for this game or not."""
    return SHIPPED / game.name.rsplit("_", 1)[0]


def _no_argument(name: str, argument: str) -> None:
    if argument:
        raise ValueError(f"agent '{name}:{argument}': {name} takes nothing after the name")


def prepare_players(game: Game) -> None:
    """Load what the players need, or compile it if that was never done."""

    def play() -> None:
        view = Position(game).deal(0).view()
        HeuristicAgent(game).act(view)
        SearchAgent(game, Budget(simulations=2)).act(view)

    load_kernels(f"{game.name} players", game.kernels.cache, play, lambda: None)
