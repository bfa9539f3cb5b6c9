"""Players by short names, the same everywhere: `random`, `heuristic`, `ismcts:1000`, `ismcts:1s`, `policy`,
`policy:PATH`."""

import re
from collections.abc import Callable
from pathlib import Path

from agents.players import Budget, HeuristicAgent, RandomAgent, SearchAgent, prepare_players
from drako_env.engine.game import Game
from drako_env.engine.view import Agent

SHIPPED = Path(__file__).parent / "policies"

KNOWN = {
    "random": "any legal action",
    "heuristic": "rules of thumb",
    "ismcts:N": "information-set search with N simulations a decision, e.g. ismcts:1000",
    "ismcts:Ts": "the same with T seconds a decision, e.g. ismcts:0.5s",
    "policy": "the learnt policy that comes with the project",
    "policy:PATH": "a learnt policy: a .safetensors file, or a folder with one for each role",
}


def make_agent(spec: str, game: Game) -> Agent:
    """The player that `spec` names; `ValueError` with the list of known ones if there is none."""
    name, _, argument = spec.partition(":")
    makers: dict[str, Callable[[Game, str], Agent]] = {
        "random": _random,
        "heuristic": _heuristic,
        "ismcts": _ismcts,
        "policy": _policy,
    }
    if name not in makers:
        raise ValueError(f"unknown agent {spec!r}; known are {', '.join(KNOWN)}")
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
    from agents.policy import PolicyAgent

    return PolicyAgent(game, path)


def shipped_policy(game: Game) -> Path:
    """The folder of the policies that come with the project, whether there are any for this game or not."""
    return SHIPPED / game.name.rsplit("_", 1)[0]


def _no_argument(name: str, argument: str) -> None:
    if argument:
        raise ValueError(f"agent '{name}:{argument}': {name} takes nothing after the name")
