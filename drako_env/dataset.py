"""Games of players as data to learn from: what seats saw when they decided, what they did, and what came of it.

A data set is a folder. `dataset.json` says which game it is, under which rules, who played and from which seed. The
decisions stand in `part_0000.npz` and so on, a row each, those of a game in their order:

| array         | dtype, shape     | meaning                                                                           |
|---------------|------------------|-----------------------------------------------------------------------------------|
| `observation` | int8 (n, D)      | what the seat to decide saw                                                       |
| `action_mask` | uint8 (n, A / 8) | its legal actions, eight to a byte (`numpy.packbits`); `load` unpacks them        |
| `action`      | int16 (n,)       | what it did                                                                       |
| `seat`        | int8 (n,)        | its index in the game's seats                                                     |
| `value`       | float32 (n,)     | the winning chance that the player gave itself; NaN from those that do not judge  |
| `outcome`     | float32 (n,)     | its reward at the end of the game                                                 |
| `game`        | int32 (n,)       | the number of the game                                                            |

Nothing is kept of what the deciding seat did not know. Loading executes nothing.
"""

import hashlib
import json
import multiprocessing
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from drako_env import __version__
from drako_env.engine.checks import shown
from drako_env.engine.game import Game, rules_digest
from drako_env.engine.rng import seed_words
from drako_env.engine.view import Agent, SeatView
from drako_env.envs.batch import GameBatch
from drako_env.evaluation.match import agent_seed, game_seeds, play_game
from drako_env.games import make_game
from drako_env.players import make_player, player_files
from drako_env.runs import claimed, obey_parent, read, write

FORMAT = "drako-env data set 1"
HEADER = "dataset.json"
PART = 100
"""Games in a file."""
MAX_BYTES = 2**30
"""Of a part, unpacked; more is none of ours."""

Arrays = dict[str, NDArray[Any]]
KINDS: dict[str, Any] = {"observation": np.int8, "action_mask": np.uint8, "action": np.int16, "seat": np.int8}
KINDS |= {"value": np.float32, "outcome": np.float32, "game": np.int32}


@dataclass(frozen=True)
class Dataset:
    """All decisions of a data set, a row each (see the module). `action_mask` is unpacked: int8 (n, A)."""

    header: Mapping[str, Any]
    rules: Game
    """The game under the rules that it was played by."""
    observation: NDArray[np.int8]
    action_mask: NDArray[np.int8]
    action: NDArray[np.int16]
    seat: NDArray[np.int8]
    value: NDArray[np.float32]
    outcome: NDArray[np.float32]
    game: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.action)


# ---------------------------------------------------------------------------------------------------------------- load


def load(path: Path | str, game: Game | None = None) -> Dataset:
    """A whole data set, checked; `ValueError` says in a line what is wrong with it, or that it is for other rules than
    those of `game`."""
    folder = Path(path)
    header = read_header(folder)
    made = make_game(header["game"], rules=header["rules"])
    wanted = rules_digest(game or made)
    if header["digest"] != wanted:
        raise ValueError(f"{folder}: made for rules {shown(header['digest'])}, here they are {wanted!r}; make it anew")
    files = [part_path(folder, part) for part in range(parts_of(header))]
    if missing := [file.name for file in files if not file.exists()]:
        raise ValueError(
            f"{folder}: {len(missing)} of {len(files)} parts are missing; the command that made it goes on"
        )
    parts = [_read_part(file, made, games_of(part, header)) for part, file in enumerate(files)]
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in KINDS}
    arrays["action_mask"] = np.unpackbits(arrays["action_mask"], axis=1, count=len(made.actions)).view(np.int8)
    return Dataset(header, made, **arrays)


def read_header(folder: Path) -> dict[str, Any]:
    """What a data set says of itself."""
    if not (path := folder / HEADER).is_file():
        raise ValueError(f"{folder}: no data set (there is no {HEADER})")
    keys = ("format", "game", "rules", "digest", "players", "seed", "games", "part")
    header = read(path, keys, "make the data set anew")
    if header["format"] != FORMAT:
        raise ValueError(f"{path}: its format is {shown(header['format'])}, not {FORMAT!r}")
    for key in ("games", "part"):
        if not isinstance(header[key], int) or not 1 <= header[key] <= np.iinfo(np.int32).max:
            raise ValueError(f"{path}: {key}: {shown(header[key])} is no number of games")
    return header


def parts_of(header: Mapping[str, Any]) -> int:
    """How many files its games are kept in."""
    return -(-int(header["games"]) // int(header["part"]))


def part_path(folder: Path, part: int) -> Path:
    """Where a part is kept."""
    return folder / f"part_{part:04}.npz"


def games_of(part: int, header: Mapping[str, Any]) -> range:
    """The numbers of the games of a part."""
    return range(part * header["part"], min(header["games"], (part + 1) * header["part"]))


def _read_part(path: Path, game: Game, numbers: range) -> Arrays:
    try:
        with ZipFile(path) as packed:
            if sum(member.file_size for member in packed.infolist()) > MAX_BYTES:
                raise ValueError(f"more than {MAX_BYTES} bytes")
        with np.load(path, allow_pickle=False) as content:
            arrays = {name: content[name] for name in KINDS}
        _check_part(arrays, game, numbers)
    except (KeyError, ValueError, OSError, EOFError, BadZipFile, NotImplementedError) as error:
        raise ValueError(f"{path}: no part of this data set ({error}); remove it and make it anew") from None
    return arrays


def _check_part(arrays: Arrays, game: Game, numbers: range) -> None:
    """What a part of this game must look like; whoever learns from it may rely on that."""
    rows, width, actions = len(arrays["action"]), len(game.observation_high), len(game.actions)
    widths = {"observation": (width,), "action_mask": (-(-actions // 8),)}
    for name, kind in KINDS.items():
        shape = (rows, *widths.get(name, ()))
        if arrays[name].dtype != kind or arrays[name].shape != shape:
            raise ValueError(f"{name} is {arrays[name].dtype} {arrays[name].shape}, not {np.dtype(kind)} {shape}")
    mask = np.unpackbits(arrays["action_mask"], axis=1)
    action, seat, number = (arrays[name].astype(np.int64) for name in ("action", "seat", "game"))
    known = (action >= 0) & (action < actions) & ~mask[:, actions:].any(axis=1)
    if not (known & (mask[np.arange(rows), np.where(known, action, 0)] == 1)).all():
        raise ValueError("an action is not legal")
    if not ((seat >= 0) & (seat < len(game.seats))).all():
        raise ValueError("a seat is none of the game's")
    if not ((arrays["observation"] >= 0) & (arrays["observation"] <= game.observation_high)).all():
        raise ValueError("an observation is beyond what there is to see")
    if not (np.isnan(arrays["value"]) | ((arrays["value"] >= 0) & (arrays["value"] <= 1))).all():
        raise ValueError("a value is no chance")
    if not (np.abs(arrays["outcome"]) <= game.max_reward).all():
        raise ValueError("an outcome is no reward")
    if not (np.diff(number) >= 0).all() or not np.array_equal(np.unique(number), numbers):
        raise ValueError(f"its games are not {numbers.start} to {numbers.stop - 1}")


# -------------------------------------------------------------------------------------------------------------- record


def record(
    folder: Path, header: Mapping[str, Any], processes: int = 1, done: Callable[[int], object] = lambda games: None
) -> None:
    """Make a data set, or what is missing of one; the same whatever the number of processes. `done` hears of every part
    how many games it has. `ValueError` if the folder holds another data set."""
    with claimed(folder):
        if (folder / HEADER).exists():
            _check_same(folder, read_header(folder), header)
        write(folder / HEADER, json.dumps(header, indent=1) + "\n")
        waiting = missing_parts(folder, header)
        if processes <= 1:
            for part in waiting:
                record_part(folder, header, part)
                done(len(games_of(part, header)))
            return
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(processes, context, initializer=obey_parent) as pool:
            running = {pool.submit(record_part, folder, dict(header), part): part for part in waiting}
            try:
                for future in as_completed(running):
                    future.result()
                    done(len(games_of(running[future], header)))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def header_of(game: Game, players: Sequence[str], games: int, seed: int = 0, part: int = PART) -> dict[str, Any]:
    """The header of a data set to be made; one player for each seat, `part` games in a file."""
    if min(games, part) < 1 or seed < 0:
        raise ValueError("there must be at least one game, and the seed must not be negative")
    files = {player: player_files(player, game) for player in sorted(set(players))}
    digests = {p: hashlib.sha256(b"".join(f.read_bytes() for f in paths)).hexdigest() for p, paths in files.items()}
    return {
        "format": FORMAT,
        "game": game.name,
        "rules": game.rules_table(),
        "digest": rules_digest(game),
        "players": dict(zip(game.seats, players, strict=True)),
        "files": {player: digest for player, digest in digests.items() if files[player]},
        "seed": seed,
        "games": games,
        "part": part,
        "version": __version__,
    }


def missing_parts(folder: Path, header: Mapping[str, Any]) -> list[int]:
    """Those that have not been played yet."""
    return [part for part in range(parts_of(header)) if not part_path(folder, part).exists()]


def _check_same(folder: Path, before: Mapping[str, Any], header: Mapping[str, Any]) -> None:
    for key, value in header.items():
        if before.get(key) != value:
            raise ValueError(f"{folder}: a data set with another {key} is there; choose another --out")


def record_part(folder: Path, header: Mapping[str, Any], part: int) -> None:
    """Play the games of a part, and keep them."""
    game = make_game(header["game"], rules=header["rules"])
    players = [make_player(spec, game) for spec in header["players"].values()]
    numbers = games_of(part, header)
    seeds = game_seeds(header["seed"], numbers.stop)[numbers.start :]
    play = _play_together if all(hasattr(player, "act_batch") for player in players) else _play_in_turn
    arrays = play(game, players, seeds)
    arrays["game"] += numbers.start
    arrays["action_mask"] = np.packbits(arrays["action_mask"].view(np.uint8), axis=1)
    content = BytesIO()
    np.savez_compressed(content, allow_pickle=False, **{n: arrays[n].astype(kind) for n, kind in KINDS.items()})
    write(part_path(folder, part), content.getvalue())


class _Noting:
    """A player whose decisions are noted."""

    def __init__(self, player: Agent, noted: list[tuple[Any, ...]]) -> None:
        self.player, self.noted = player, noted

    def reset(self, seed: int) -> None:
        self.player.reset(seed)

    def act(self, view: SeatView) -> int:
        action = self.player.act(view)
        value = self.player.value() if hasattr(self.player, "value") else np.nan
        self.noted.append((view.observation, view.action_mask, action, view.seat, value))
        return action


def _play_in_turn(game: Game, players: Sequence[Agent], seeds: Sequence[int]) -> Arrays:
    """One game after the other."""
    noted: list[tuple[Any, ...]] = []
    rewards, ends = [], [0]
    for seed in seeds:
        rewards.append(play_game(game, [_Noting(player, noted) for player in players], seed).rewards)
        ends.append(len(noted))
    observation, mask, action, seat, value = (np.array(column) for column in zip(*noted, strict=True))
    number = np.repeat(np.arange(len(seeds)), np.diff(ends))
    arrays = {"observation": observation, "action_mask": mask, "action": action, "seat": seat, "value": value}
    return arrays | {"outcome": np.array(rewards)[number, seat], "game": number}


def _play_together(game: Game, players: Sequence[Any], seeds: Sequence[int]) -> Arrays:
    """All games side by side, for players that decide in many at once."""
    batch = GameBatch(game, len(seeds), 0)
    batch._states["rng"] = seed_words(np.array(seeds, np.uint64))
    batch.reset()
    for seat, player in enumerate(players):
        player.reset(agent_seed(seeds[0], seat))
    rewards, going = np.zeros_like(batch.reward), np.arange(len(seeds))
    noted: list[tuple[Any, ...]] = []
    while len(going):
        seats, seen = batch.agent[going], (batch.observation[going], batch.action_mask[going])
        action, value = _decide(players, seats, *seen)
        noted.append((*seen, action, seats, value, going))
        batch.step(action, going)
        ended = batch.done[going]
        rewards[going[ended]] = batch.reward[going[ended]]
        going = going[~ended]
    columns = [np.concatenate(column) for column in zip(*noted, strict=True)]
    order = np.argsort(columns[-1], kind="stable")
    arrays = dict(zip(("observation", "action_mask", "action", "seat", "value", "game"), columns, strict=True))
    arrays = {name: column[order] for name, column in arrays.items()}
    return arrays | {"outcome": rewards[arrays["game"], arrays["seat"]]}


def _decide(
    players: Sequence[Any], seats: NDArray[np.int64], observation: NDArray[np.int8], mask: NDArray[np.int8]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The actions of many games, and the winning chances that the players give themselves."""
    action, value = np.empty(len(seats), np.int64), np.full(len(seats), np.nan, np.float32)
    for seat, player in enumerate(players):
        if not len(rows := np.flatnonzero(seats == seat)):
            continue
        seen = seats[rows], observation[rows], mask[rows]
        action[rows] = player.act_batch(*seen)
        if hasattr(player, "value_batch"):
            value[rows] = player.value_batch(*seen)
    return action, value
