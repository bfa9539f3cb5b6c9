"""Hostile data: mutated positions and files of every game. Each is refused with the documented exception and changes
nothing, or it is a game like any other: then it is played on at random to the end, with all bounds checked.

python scripts/fuzz.py --positions 100000 --files 10000 --seed 0
python scripts/fuzz.py --replay runs/fuzz/case.json    # again the case that the process died of, or a failure-*.json

Every case is written to a file before it is tried, so that not even a crash of the interpreter loses it.
"""

import argparse
import base64
import faulthandler
import hashlib
import json
import os
import random
import struct
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

os.environ["NUMBA_BOUNDSCHECK"] = "1"  # read when numba is imported
sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from drako_env import replay as replays
from drako_env.cli.options import fail
from drako_env.engine.game import Game, role_of
from drako_env.engine.position import Position
from drako_env.envs.aec import GameEnv
from drako_env.envs.batch import GameBatch
from drako_env.games import make_game
from drako_env.players.policy import load_policy, save_policy
from drako_env.web.replay_page import html

Case = dict[str, Any]
"""JSON-able: what to try, on which game."""
Mutation = Callable[[Any, random.Random], Any]

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("drako", {}),
    ("drako", {"placement": "first_game", "edition": "2019", "discard_action": "always"}),
    ("drako", {"rules": "tiny", "fury_may_kill": True, "radius": 3}),
    *(("golden_dragon", {"num_players": players}) for players in (2, 3, 5)),
    ("icarius", {"num_players": 3, "veto_scope": "any_opponent"}),
]
KINDS = ("table", "replay", "policy", "batch")
SHIPPED = {"drako": "drako/decks", "golden_dragon": "golden_dragon/boards", "icarius": "golden_dragon/boards"}
NASTY: list[Any] = [
    None,
    True,
    False,
    -1,
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    38,
    126,
    127,
    128,
    255,
    10_000,
    32767,
    2**31,
    2**63,
]
NASTY += [2**64, -(2**63), 0.5, 1e308, "", "dragon", "0", "\x00", "\ud800", "x" * 300, [], {}, [[]], [0, 0], {"": 0}]
WORDS = ("name", "options", "rules", "digest", "moved", "walk", "radius")
HIDDEN = {"@deep": None, "@nan": float("nan"), "@inf": float("inf"), "@huge": 10**5000}
"""Values that JSON does not hold, and what stands for them in a case."""
DEPTH, LONGEST_MESSAGE = 100_000, 2000
SECONDS = 60
CARDS = {"own_hand", "own_deck", "own_discards", "opponent_unseen", "opponent_discards"}
MAX_CARDS = 127
NETWORK = (12, 8)


class FailureError(Exception):
    """A case that is neither refused as it should be nor a game like any other."""


# --- mutations


def places(tree: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value in a tree of lists and dictionaries."""
    yield way
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in pairs:
        yield from places(value, (*way, key))


def found(tree: Any, way: tuple[Any, ...]) -> Any:
    """The value at the end of a way."""
    for key in way:
        tree = tree[key]
    return tree


def mutated(tree: Any, chance: random.Random) -> Any:
    """A copy of a tree in which one to three values were replaced, changed a little, left out, doubled, levelled or
    swapped."""
    tree = json.loads(json.dumps(tree))
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        ways = [way for way in places(tree) if way]
        if ways:
            *way, last = chance.choice(ways)
            other = found(tree, chance.choice(ways))
            chance.choice(CHANGES)(found(tree, tuple(way)), last, other, chance)
    return tree


def _replace(parent: Any, key: Any, other: Any, chance: random.Random) -> None:
    parent[key] = chance.choice([*NASTY, *HIDDEN])


def _nudge(parent: Any, key: Any, other: Any, chance: random.Random) -> None:
    """Change a counter; of another kind of value, the type."""
    value = parent[key]
    if isinstance(value, (bool, float)) or not isinstance(value, int):
        parent[key] = chance.choice([[value], {"a": value}, str(value)])
    else:
        parent[key] = value + chance.choice((-2, -1, 1, 2, 4, 100)) if chance.random() < 0.8 else -value


def _leave_out(parent: Any, key: Any, other: Any, chance: random.Random) -> None:
    del parent[key]


def _double(parent: Any, key: Any, other: Any, chance: random.Random) -> None:
    if isinstance(parent, list):
        parent[key:key] = [parent[key]] * chance.choice((1, 1, 2, 40))
    else:
        parent[chance.choice((f"{key}2", *WORDS))] = parent[key]


def _level(parent: Any, key: Any, other: Any, chance: random.Random) -> None:
    """All counters within a value become the same, or there are none left."""
    level = chance.choice((0, 1, 2, 60, 126, 127))
    for way in places(parent[key]):
        if way and isinstance(number := found(parent[key], way), int) and not isinstance(number, bool):
            found(parent[key], way[:-1])[way[-1]] = level


def _swap(parent: Any, key: Any, other: Any, chance: random.Random) -> None:
    parent[key] = json.loads(json.dumps(other))


CHANGES = (_replace, _replace, _nudge, _nudge, _nudge, _leave_out, _double, _level, _level, _swap, _swap)


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The same at the level of bytes."""
    for _ in range(chance.choice((1, 1, 2, 8))):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice((1, 1, 4, 64)))
        piece = chance.choice(
            (b"", chance.randbytes(end - start), data[start:end] * 2, b"[" * 1000, b".a" * 500, b"\n")
        )
        data = data[:start] + piece + data[end:] if chance.random() < 0.95 else data[:start]
    return data


def expanded(tree: Any) -> Any:
    """A tree with the values that its words stand for."""
    if isinstance(tree, dict):
        return {key: expanded(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [expanded(value) for value in tree]
    if tree == "@deep":
        deep: list[Any] = []
        for _ in range(DEPTH):
            deep = [deep]
        return deep
    return HIDDEN.get(tree, tree) if isinstance(tree, str) else tree


# --- cases


@cache
def started(setting: int) -> tuple[GameEnv, dict[str, list[dict[str, Any]]]]:
    """An environment, and positions of some games played at random in it, by phase."""
    name, options = SETTINGS[setting]
    env, chance = GameEnv(make_game(name, **options)), random.Random(setting)
    positions: dict[str, list[dict[str, Any]]] = {}
    for seed in range(5):
        env.reset(seed=seed)
        while not env.terminations[env.agent_selection]:
            position = env.state_dict()
            positions.setdefault(position["phase"], []).append(position)
            env.step(int(chance.choice(np.flatnonzero(env.position.mask))))
        positions.setdefault("over", []).append(env.state_dict())
    return env, positions


def position_case(chance: random.Random) -> Case:
    """A position of a game at random, and what became of it."""
    setting = chance.randrange(len(SETTINGS))
    start, other = (chance.choice(like) for like in chance.choices(list(started(setting)[1].values()), k=2))
    position = start | {key: other[key] for key in chance.sample(list(other), chance.choice((0, 0, 1, 2, 4)))}
    if position == start or chance.random() < 0.3:
        position = mutated(position, chance)
    return {"kind": "position", "setting": setting, "start": start, "position": position}


def file_case(chance: random.Random) -> Case:
    """A file of some kind, as bytes."""
    setting, kind = chance.randrange(len(SETTINGS)), chance.choice(KINDS)
    data = MAKERS[kind](setting, chance)
    if chance.random() < 0.3:
        data = damaged(data, chance)
    return {"kind": kind, "setting": setting, "data": base64.b64encode(data).decode()}


def table_file(setting: int, chance: random.Random) -> bytes:
    """A rules table: one of those that come with the project with a piece of it written anew, or left to be damaged."""
    folder = Path(make_game.__globals__["__file__"]).parent / SHIPPED[SETTINGS[setting][0]]
    data = chance.choice(sorted(folder.glob("*.toml"))).read_bytes()
    if chance.random() < 0.1:
        return data
    table = mutated(tomllib.loads(data.decode()), chance)
    return "".join(f"{json.dumps(str(key))} = {toml(value)}\n" for key, value in table.items()).encode()


def toml(value: Any) -> str:
    """A value in TOML, on one line; what it cannot say is a text."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {toml(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[\n" + ",\n".join(map(toml, value)) + "]"
    return "'null'" if value is None else json.dumps(value)


@cache
def recorded(setting: int) -> list[Any]:
    """The lines of a replay of random play."""
    env, chance = started(setting)[0], random.Random(setting)
    env.reset(seed=setting)
    actions: list[int] = []
    while not env.terminations[env.agent_selection]:
        actions.append(int(chance.choice(np.flatnonzero(env.position.mask))))
        env.step(actions[-1])
    names = [f"player {seat}" for seat in range(len(env.game.seats))]
    thoughts = [[(action, 0.5), (0, 0.5)] for action in actions]
    lines = replays.encode(replays.record(env.game, setting, names, actions, thoughts)).splitlines()
    return [json.loads(line) for line in lines]


def replay_file(setting: int, chance: random.Random) -> bytes:
    """A replay with a line or two changed; the header now and then."""
    rows = list(recorded(setting))
    for _ in range(chance.choice((0, 1, 1, 2))):
        number = chance.choice((0, 0, chance.randrange(len(rows)), len(rows) - 1))
        rows[number] = mutated(rows[number], chance)
    if chance.random() < 0.1:
        rows = chance.choice((rows[:-1], rows[1:], rows + rows[-2:]))
    return "\n".join(json.dumps(row) for row in rows).encode()


@cache
def policy_bytes(setting: int) -> bytes:
    """A network of random weights, as a file."""
    game, chance = started(setting)[0].game, np.random.default_rng(setting)
    width = len(game.observation_high)
    tensors = {"scale": np.ones(width, np.float32)}
    sizes = [(str(layer), size) for layer, size in enumerate(NETWORK)]
    for name, size in [*sizes, ("policy", len(game.actions)), ("value", 1)]:
        tensors[f"{name}.weight"] = chance.normal(size=(size, width)).astype(np.float32)
        tensors[f"{name}.bias"] = chance.normal(size=size).astype(np.float32)
        width = size if name.isdecimal() else width
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.safetensors"
        save_policy(path, game, tensors, {"seat": game.seats[0], "canonical": "yes"})
        return path.read_bytes()


def policy_file(setting: int, chance: random.Random) -> bytes:
    """A policy with another header, other metadata, or other weights."""
    data = policy_bytes(setting)
    (length,) = struct.unpack("<Q", data[:8])
    header, weights = json.loads(data[8 : 8 + length]), bytearray(data[8 + length :])
    about = json.loads(header["__metadata__"]["about"])
    choice = chance.randrange(4)
    if choice == 0:
        header = mutated(header, chance)
    elif choice == 1:
        header["__metadata__"]["about"] = json.dumps(mutated(about, chance))
    elif choice == 2:
        header["__metadata__"]["about"] = chance.choice(("[" * DEPTH, "{}", "7", "1" * 5000, ""))
    else:
        start = 4 * chance.randrange(len(weights) // 4)
        weights[start : start + 4] = struct.pack("<f", chance.choice((np.nan, np.inf, 3e38, -3e38, 1e20, 0.0)))
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(weights)


@cache
def batch_of(setting: int) -> GameBatch:
    """Some games in the middle."""
    batch = GameBatch(started(setting)[0].game, 4, seed=setting)
    for _ in range(60):
        batch.step(batch.sample())
    return batch


def batch_file(setting: int, chance: random.Random) -> bytes:
    """A saved batch with some entries of its records changed, and a header that owns up to nothing."""
    batch = batch_of(setting)
    text, _, body = batch.save().partition(b"\n")
    header, states = json.loads(text), batch._states.copy()
    for _ in range(chance.choice((1, 1, 2, 5))):
        field = states[chance.choice(states.dtype.names)].reshape(-1)
        info, place = np.iinfo(field.dtype), chance.randrange(len(field))
        value = chance.choice((-1, 0, 1, 2, 3, 5, 7, 10, 100, int(info.max), int(info.min), int(chance.choice(field))))
        field[place] = max(value, int(info.min))
    body = states.tobytes() + body[states.nbytes :]
    if chance.random() < 0.2:
        body = damaged(body, chance)
    header["digest"] = hashlib.sha256(body).hexdigest()
    if chance.random() < 0.1:
        header = mutated(header, chance)
    return json.dumps(header).encode() + b"\n" + body


MAKERS: dict[str, Callable[[int, random.Random], bytes]] = {
    "table": table_file,
    "replay": replay_file,
    "policy": policy_file,
    "batch": batch_file,
}


# --- trials: True if the case was accepted


def try_position(case: Case) -> bool:
    """Load it; if it is accepted, play on."""
    env, _ = started(case["setting"])
    env.load_state_dict(case["start"])
    before = snapshot(env)
    try:
        env.load_state_dict(expanded(case["position"]))
    except ValueError as error:
        check(before == snapshot(env), "a refused position changed the game")
        check_message(error)
        return False
    play_on(env, random.Random(json.dumps(case["position"])))
    return True


def most_seen(env: GameEnv) -> NDArray[np.int8]:
    """By entry of the observation: a position set by hand may have more cards than the decks, as many as a record
    holds."""
    most = env.game.observation_high.copy()
    for name in CARDS & env.observation_fields.keys():
        most[env.observation_fields[name]] = MAX_CARDS
    return most


def play_on(env: GameEnv, chance: random.Random) -> None:
    """At random to the end: whatever can be seen is within its space, and every position can be loaded again."""
    most, decisions = most_seen(env), 0
    while True:
        for seat in env.possible_agents:
            seen = env.observe(seat)["observation"]
            check(bool(((seen >= 0) & (seen <= most)).all()), f"an observation of {seat} outside its space")
        again = env.game.load_state_dict(env.state_dict())
        check(env.game.state_dict(again) == env.state_dict(), "a position that does not come back")
        if env.terminations[env.agent_selection]:
            return
        if chance.random() < 0.1:
            env.view().determinize(0)
        env.step(int(chance.choice(np.flatnonzero(env.position.mask))))
        decisions += 1
        check(decisions <= 2 * env.game.max_decisions, "a game without end")


def try_table(case: Case, path: Path) -> bool:
    """Read it; if it is accepted, play a game."""
    try:
        game = make_game(SETTINGS[case["setting"]][0], rules=path)
    except ValueError as error:
        check_message(error)
        return False
    play_out(game)
    return True


def snapshot(env: Any) -> tuple[Any, ...]:
    """All that a game holds."""
    bits = env.position.states.tobytes(), env.position.mask.tobytes()
    return *bits, env.state_dict(), env.agent_selection, env.rewards


def play_out(game: Game) -> None:
    """A game at random."""
    position, chance, decisions = Position(game).deal(0), random.Random(0), 0
    while not position.over:
        check(bool(position.legal()), "nobody can move")
        position.play(chance.choice(position.legal()))
        decisions += 1
    check(decisions <= game.max_decisions, f"{decisions} decisions, at most {game.max_decisions} were promised")


def try_replay(case: Case, path: Path) -> bool:
    """Read and verify it; if it is accepted, make a page of it."""
    try:
        replay = replays.load(path)
        replays.verify(replay)
    except replays.ReplayError as error:
        check_message(error, "line ")
        return False
    html(replay).encode()
    return True


def try_policy(case: Case, path: Path) -> bool:
    """Read it; if it is accepted, let it think."""
    batch = batch_of(case["setting"])
    try:
        policy = load_policy(path, batch.game)
    except ValueError as error:
        check_message(error, str(path))
        return False
    shares = policy.probabilities(batch.observation, batch.action_mask)
    check(
        bool(np.isfinite(shares).all()) and not shares[batch.action_mask == 0].any(), "an illegal action or no number"
    )
    check(role_of(policy.info["seat"]) in map(role_of, batch.game.seats), "a policy of no seat")
    return True


def try_batch(case: Case, path: Path) -> bool:
    """Load it; if it is accepted, play on."""
    batch = batch_of(case["setting"])
    before = batch.save()
    try:
        batch.load(path.read_bytes())
    except ValueError as error:
        check(batch.save() == before, "a refused save changed the games")
        check_message(error)
        return False
    for _ in range(30):
        batch.step(batch.sample())
    batch.load(before)
    return True


TRIALS = {"table": try_table, "replay": try_replay, "policy": try_policy, "batch": try_batch}


def check(holds: bool, otherwise: str) -> None:
    """Or the case has failed."""
    if not holds:
        raise FailureError(otherwise)


def check_message(error: Exception, says: str = "") -> None:
    """One line that can be read, and that says where."""
    text = str(error)
    check(0 < len(text) <= LONGEST_MESSAGE and "\n" not in text and says in text, f"an unclear message: {text[:200]!r}")


def attempt(case: Case, folder: Path) -> str:
    """Try a case; returns whether it was accepted, or what is wrong."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    try:
        if case["kind"] == "position":
            accepted = try_position(case)
        else:
            path = folder / f"case.{'safetensors' if case['kind'] == 'policy' else 'toml'}"
            path.write_bytes(base64.b64decode(case["data"]))
            accepted = TRIALS[case["kind"]](case, path)
        return "accepted" if accepted else "refused"
    except Exception as error:  # whatever is not documented is what we look for
        return f"{type(error).__name__}: {str(error)[:300]}"
    finally:
        faulthandler.cancel_dump_traceback_later()


def fuzz(positions: int, files: int, seed: int, folder: Path, console: Console) -> Counter[str]:
    """So many cases of each; returns what became of them."""
    folder.mkdir(parents=True, exist_ok=True)
    outcomes: Counter[str] = Counter()
    todo = [(position_case, i) for i in range(positions)] + [(file_case, i) for i in range(files)]
    for make, number in track(todo, "trying", console=console):
        case = make(random.Random(f"{seed} {make.__name__} {number}"))
        text = json.dumps(case)
        (folder / "case.json").write_text(text, encoding="utf-8")
        outcome = attempt(case, folder)
        if outcome not in ("accepted", "refused"):
            file = folder / f"failure-{case['kind']}-{seed}-{number}.json"
            file.write_text(text, encoding="utf-8")
            console.print(f"{file}: {outcome}", markup=False, highlight=False)
            outcome = "failed"
        outcomes[f"{case['kind']} {outcome}"] += 1
    return outcomes


def main() -> int:
    """Try, count; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/fuzz"), help="folder for cases (default: runs/fuzz)")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="try one case again")
    options, console = parser.parse_args(), Console(width=120)
    faulthandler.enable()
    if options.replay:
        try:
            case = json.loads(options.replay.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            return fail("fuzz", error)
        outcome = attempt(case, options.replay.parent)
        console.print(outcome, markup=False)
        return int(outcome not in ("accepted", "refused"))
    outcomes = fuzz(options.positions, options.files, options.seed, options.out, console)
    for words, number in sorted(outcomes.items()):
        console.print(f"{words:20} {number}", highlight=False)
    return int(any(words.endswith("failed") for words in outcomes))


if __name__ == "__main__":
    sys.exit(main())
