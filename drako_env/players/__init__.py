"""Players by short names, the same everywhere: `random`, `heuristic`, `ismcts:1000`, `ismcts:1s`, `policy`,
`policy:PATH`, `tempered:0.5`, `puct:200`, `knows:200`, `improve:12`, `mistakes:0.2:heuristic`, `level:1` to `level:8`,
and anybody's own: `module:Class`."""

import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.game import Game, role_of
from drako_env.engine.jit import never_compiled
from drako_env.engine.loops import HEURISTIC, RANDOM
from drako_env.engine.network import Networks, decide, pack
from drako_env.engine.position import Position
from drako_env.engine.view import Agent
from drako_env.players import levels
from drako_env.players.guided import GuidedSearchAgent, ImprovedPolicyAgent, KnowingSearchAgent, networks_of
from drako_env.players.policy import SUFFIX, Policy, PolicyAgent, is_canonical
from drako_env.players.search import Budget, SearchAgent
from drako_env.players.simple import ErringAgent, ErringBatchAgent, HeuristicAgent, RandomAgent

SHIPPED = Path(__file__).parent / "policies"

KNOWN = {
    "random": "any legal action",
    "heuristic": "rules of thumb",
    "ismcts:N": "information-set search with N simulations a decision, e.g. ismcts:1000",
    "ismcts:Ts": "the same with T seconds a decision, e.g. ismcts:0.5s",
    "policy": "the learnt policy that comes with the project",
    "policy:PATH": "a learnt policy: a .safetensors file, or a folder with one for each role",
    "tempered:T": "the learnt policy at temperature T, e.g. tempered:0.5; 0 plays what it thinks best",
    "tempered:T:PATH": "the same with the learnt policies of a folder",
    "puct:N": "a search guided by the learnt policy, with N simulations a decision, e.g. puct:200",
    "puct:Ts": "the same with T seconds a decision, e.g. puct:0.5s",
    "puct:N:PATH": "the same with the learnt policies of a folder",
    "knows:N": "the same search, taking for granted that all others play that policy, e.g. knows:200",
    "knows:N:PATH": "the same with the learnt policies of a folder",
    "improve:N": "the learnt policy, improved by playing on from N deals of what is hidden, e.g. improve:12",
    "level:L": "a level of play, from level:1 (random) to level:8 (the strongest below a second a decision)",
    "mistakes:S:PLAYER": "any player, a share S of whose decisions is random, e.g. mistakes:0.2:heuristic",
    "MODULE:CLASS": "a class of one's own with reset(seed) and act(view), called with the game, e.g. my_agents:Greedy",
}


def make_player(spec: str, game: Game) -> Agent:
    """The player that `spec` names; `ValueError` with the list of known ones if there is none."""
    name, _, argument = (spec := resolved(spec, game)).partition(":")
    if name == ERRING:
        return _erring(spec, game)
    if name not in MAKERS:
        return _own(spec, game)
    try:
        player = MAKERS[name](game, argument)
    except ValueError as error:
        raise ValueError(f"{error}; known agents are {', '.join(KNOWN)}") from None
    if never_compiled(*_kernels_of(name, game)):
        _warm_up(name, argument, game)
    return player


def resolved(spec: str, game: Game) -> str:
    """What a spec stands for: `level:3` for the player that is this level of the game, any other for itself."""
    if spec.partition(":")[0] != LEVEL:
        return spec
    if spec not in levels.NAMES:
        raise ValueError(f"agent {spec!r}: there are {', '.join(levels.NAMES)}")
    return ladder(game)[levels.NAMES.index(spec)]


def ladder(game: Game) -> tuple[str, ...]:
    """The players of the levels of a game, weakest first."""
    return levels.ladder_of(game, has_policy(game)).levels


def has_policy(game: Game) -> bool:
    """Whether policies for all seats come with the project, for the game under these rules."""
    try:
        networks_of(shipped_policy(game), game)
    except ValueError:
        return False
    return True


def kernel_player(player: Any, role: str, game: Game) -> int | Policy | None:
    """What the kernels play for a player on the seats of a role: a code of `engine.loops`, a network, or nothing."""
    if isinstance(player, str):
        if (player := resolved(player, game)) in KERNEL_CODES:
            return KERNEL_CODES[player]
        player = make_player(player, game)
    if isinstance(player, PolicyAgent) and player.temperature == 1:
        return player.policy(role)
    return player if isinstance(player, Policy) else None


def kernel_players(players: Sequence[Any], game: Game) -> tuple[NDArray[np.int64], Networks]:
    """The players of all seats as the kernels take them; `ValueError` for one that they cannot play."""
    codes = np.zeros(len(game.seats), np.int64)
    policies: list[Policy] = []
    for seat, (name, player) in enumerate(zip(game.seats, players, strict=True)):
        found = kernel_player(player, role_of(name), game)
        if found is None:
            raise ValueError(f"{name}: {player!r} does not play inside the kernels; random, heuristic and policy do")
        codes[seat] = found if isinstance(found, int) else len(policies)
        policies += [] if isinstance(found, int) else [found]
    return codes, pack([(policy.tensors, is_canonical(policy.info)) for policy in policies], game.symmetries)


def _kernels_of(name: str, game: Game) -> list[Callable[..., Any]]:
    """What a player decides with, beyond what everybody needs."""
    if name in ("policy", "tempered"):
        return [decide]
    return [getattr(game.kernels, KERNELS[name])] if name in KERNELS else []


def _warm_up(name: str, argument: str, game: Game) -> None:
    """Compile what a player needs before its clock runs, letting one of the kind think as little as possible."""
    _, colon, path = argument.partition(":")
    player = MAKERS[name](game, f"{LEAST[name]}{colon}{path}" if name in LEAST else argument)
    player.reset(0)
    with suppress(ValueError):  # a single file plays its own role alone
        player.act(Position(game).deal(0).view())


def _random(game: Game, argument: str) -> Agent:
    _no_argument("random", argument)
    return RandomAgent(game)


def _heuristic(game: Game, argument: str) -> Agent:
    _no_argument("heuristic", argument)
    return HeuristicAgent(game)


def _ismcts(game: Game, argument: str) -> Agent:
    return SearchAgent(game, _budget("ismcts", argument))


def _puct(game: Game, argument: str) -> Agent:
    return _guided(GuidedSearchAgent, "puct", game, argument)


def _knows(game: Game, argument: str) -> Agent:
    return _guided(KnowingSearchAgent, "knows", game, argument)


def _guided(search: type[GuidedSearchAgent], name: str, game: Game, argument: str) -> Agent:
    budget, _, path = argument.partition(":")
    return search(game, _budget(name, budget), _policy_path(f"{name}:{argument}", game, path))


def _improve(game: Game, argument: str) -> Agent:
    deals, _, path = argument.partition(":")
    if not re.fullmatch(r"[1-9]\d{0,4}", deals):
        raise ValueError(f"agent 'improve:{argument}': give how often the hidden cards are dealt (improve:12)")
    return ImprovedPolicyAgent(game, int(deals), _policy_path(f"improve:{argument}", game, path))


def _policy(game: Game, argument: str) -> Agent:
    return PolicyAgent(game, _policy_path(f"policy:{argument}", game, argument))


def _tempered(game: Game, argument: str) -> Agent:
    temperature, _, path = argument.partition(":")
    if not re.fullmatch(NUMBER, temperature):
        raise ValueError(f"agent 'tempered:{argument}': give a temperature from 0 (tempered:0.5)")
    return PolicyAgent(game, _policy_path(f"tempered:{argument}", game, path), float(temperature))


def _erring(spec: str, game: Game) -> Agent:
    _, _, argument = spec.partition(":")
    share, _, player = argument.partition(":")
    if not re.fullmatch(NUMBER, share) or float(share) > 1 or not player:
        raise ValueError(f"agent {spec!r}: give a share from 0 to 1 and a player (mistakes:0.2:heuristic)")
    made = make_player(player, game)
    kind = ErringBatchAgent if hasattr(made, "act_batch") else ErringAgent
    return kind(made, float(share))


def _budget(name: str, argument: str) -> Budget:
    if re.fullmatch(r"[1-9]\d{0,6}", argument):
        return Budget(simulations=int(argument))
    if re.fullmatch(r"\d+(\.\d+)?s", argument) and float(argument[:-1]) > 0:
        return Budget(seconds=float(argument[:-1]))
    raise ValueError(f"agent '{name}:{argument}': give simulations ({name}:1000) or seconds ({name}:0.5s)")


MAKERS: dict[str, Callable[[Game, str], Agent]] = {
    "random": _random,
    "heuristic": _heuristic,
    "ismcts": _ismcts,
    "policy": _policy,
    "tempered": _tempered,
    "puct": _puct,
    "knows": _knows,
    "improve": _improve,
}


KERNEL_CODES = {"random": RANDOM, "heuristic": HEURISTIC}
"""What a batch of games plays by itself."""

LEARNT = ("policy", "tempered", "puct", "knows", "improve")
"""Those that learnt weights are needed for."""

KERNELS = {
    "heuristic": "best_one",
    "ismcts": "search_one",
    "puct": "guided_search_one",
    "knows": "guided_search_one",
    "improve": "look_ahead_one",
}
LEAST = {"ismcts": 2, "puct": 2, "knows": 2, "improve": 1}
"""The smallest budgets."""

LEVEL, ERRING = "level", "mistakes"
"""Those that stand for others."""

NUMBER = r"\d{1,3}(\.\d{1,6})?"


def _own(spec: str, game: Game) -> Agent:
    """An object of a class that somebody else wrote, found where Python looks or in the current folder."""
    module, _, name = spec.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), name)):
        raise ValueError(f"unknown agent {spec!r}; known are {', '.join(KNOWN)}")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)  # not "": worker processes, too, are to find it
    try:
        found = import_module(module)
    except ImportError as error:
        raise ValueError(f"agent {spec!r}: {error}; looked for in {here} and in what is installed") from None
    made, file = getattr(found, name, None), getattr(found, "__file__", module)
    if not callable(made):
        raise ValueError(f"agent {spec!r}: {file} has no class {name}")
    try:
        signature(made).bind(game)
    except TypeError as error:
        raise ValueError(f"agent {spec!r}: {error}; it is called with the game: def __init__(self, game)") from None
    agent: Agent = made(game)
    if not callable(getattr(agent, "act", None)) or not callable(getattr(agent, "reset", None)):
        raise ValueError(f"agent {spec!r}: a player needs reset(seed) and act(view)")
    return agent


def player_files(spec: str, game: Game) -> list[Path]:
    """The files that a player is made of, beyond what is the same for all: learnt weights, somebody's own module."""
    name, _, argument = spec.partition(":")
    if name == LEVEL:
        return [levels.FILE, *player_files(resolved(spec, game), game)]
    if name == ERRING:
        return player_files(argument.partition(":")[2], game)
    if name not in MAKERS:
        return [Path(file)] if (file := getattr(sys.modules.get(name), "__file__", None)) else []
    if name not in LEARNT:
        return []
    path = _policy_path(spec, game, argument if name == "policy" else argument.partition(":")[2])
    return sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]


def _policy_path(spec: str, game: Game, given: str) -> Path:
    """Where the learnt weights of a player are."""
    path = Path(given) if given else shipped_policy(game)
    if not path.exists():
        missing = "there is no such file or folder" if given else f"none comes with {game.name}"
        raise ValueError(f"agent {spec.rstrip(':')!r}: {missing}")
    return path


def shipped_policy(game: Game) -> Path:
    """The folder of the policies that come with the project, whether there are any for this game or not: one for each
    number of players where seats share a role."""
    folder, shared = SHIPPED / levels.short_name(game), len({role_of(seat) for seat in game.seats}) < len(game.seats)
    return folder / f"{len(game.seats)}_players" if shared else folder


def _no_argument(name: str, argument: str) -> None:
    if argument:
        raise ValueError(f"agent '{name}:{argument}': {name} takes nothing after the name")
