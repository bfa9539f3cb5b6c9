"""Many games on all cores: interruptible, resumable, and the same whatever the number of processes."""

import json
import multiprocessing
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drako_env.engine.game import Game
from drako_env.engine.view import Agent, SeatView
from drako_env.evaluation.match import GameResult, game_seeds, play_game
from drako_env.runs import append, obey_parent, read, write

AgentMaker = Callable[[str, Game], Agent]
Pairing = tuple[str, ...]
"""The agents' names, by seat."""
Done = Callable[["Job", "Played"], None]


@dataclass(frozen=True)
class Job:
    """One game to play."""

    pairing: Pairing
    number: int
    seed: int
    record: bool = False
    """Whether the actions are wanted, for a replay."""

    @property
    def key(self) -> tuple[Pairing, int]:
        """What makes the game unique."""
        return self.pairing, self.number


@dataclass(frozen=True)
class Played:
    """One game that was played."""

    pairing: Pairing
    result: GameResult
    actions: tuple[int, ...] = ()
    """The ids, if they were wanted; not kept in the results file."""
    opinions: tuple[Any, ...] = ()
    """What the agents thought, decision by decision (`[]` from those that do not say)."""
    values: tuple[float | None, ...] = ()
    """The winning chances that they saw for themselves (`None` from those that do not say)."""
    spent: "tuple[tuple[int, float], ...]" = field(default=(), compare=False)
    """By seat: how many decisions, and how many seconds of the processor they took. Kept apart from the results, which
    are the same on every machine."""

    def line(self) -> str:
        """As a line of the results file."""
        return json.dumps({"agents": list(self.pairing)} | self.result.as_dict()) + "\n"

    @property
    def key(self) -> tuple[Pairing, int]:
        """What makes the game unique."""
        return self.pairing, self.result.number


class Store:
    """The games played so far, one JSON line each, so that nothing is lost when a run is interrupted."""

    def __init__(self, path: Path, resume: bool) -> None:
        if path.exists() and not resume:
            raise FileExistsError(f"{path} exists: add --resume to go on, or choose another --out")
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.games = {played.key: played for played in _read(path)} if path.exists() else {}
        self._times = _read_times(path) if self.games else {}
        self._write_sorted()

    def add(self, played: Played) -> None:
        """Keep a game."""
        self.games[played.key] = played
        for agent, (decisions, seconds) in zip(played.pairing, played.spent, strict=bool(played.spent)):
            before = self._times.get(agent, (0, 0.0))
            self._times[agent] = [before[0] + decisions, before[1] + seconds]
        append(self.path, played.line())

    def finish(self) -> list[Played]:
        """All games in order; the file then no longer depends on who finished first."""
        self._write_sorted()
        write(_times_path(self.path), json.dumps(self._times, sort_keys=True) + "\n")
        return [self.games[key] for key in sorted(self.games)]

    def _write_sorted(self) -> None:
        write(self.path, "".join(self.games[key].line() for key in sorted(self.games)))


def _read(path: Path) -> Iterator[Played]:
    """The games of a results file; a last line cut off by an interruption is left out, any other damage is named."""
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines[:-1], start=1):
        try:
            row: dict[str, Any] = json.loads(line)
            pairing = tuple(row.pop("agents"))
            row["rewards"], row["points"] = tuple(row["rewards"]), tuple(row["points"])
            yield Played(pairing, GameResult(**row))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{path}, line {number}: not the result of a game ({error})") from None


def milliseconds(path: Path) -> dict[str, float]:
    """How long each agent took for a decision in the games of a results file, in time of the processor."""
    return {agent: 1000 * seconds / max(1, decisions) for agent, (decisions, seconds) in _read_times(path).items()}


def _times_path(path: Path) -> Path:
    return path.with_name(f"{path.stem}.times.json")


def _read_times(path: Path) -> dict[str, Any]:
    """Agent -> [decisions, seconds], of a results file."""
    times = _times_path(path)
    return read(times, (), "remove it: only times are lost") if times.exists() else {}


_worker_game: Game
_worker_maker: AgentMaker
_worker_agents: dict[str, Agent]


def _start_worker(game: Game, maker: AgentMaker, alone: bool = False) -> None:
    if not alone:
        obey_parent()
    global _worker_game, _worker_maker, _worker_agents
    _worker_game, _worker_maker, _worker_agents = game, maker, {}


def _work(job: Job) -> Played:
    """One game; a seat's agent is made once and used again."""
    agents = []
    for seat, spec in enumerate(job.pairing):
        key = f"{seat} {spec}"
        if key not in _worker_agents:
            _worker_agents[key] = _worker_maker(spec, _worker_game)
        agents.append(_worker_agents[key])
    return play_job(_worker_game, agents, job)


class Timed:
    """An agent whose time is taken."""

    def __init__(self, agent: Agent) -> None:
        self.agent, self.decisions, self.seconds = agent, 0, 0.0

    def reset(self, seed: int) -> None:
        """A new game."""
        self.agent.reset(seed)

    def act(self, view: SeatView) -> int:
        """Let it choose an action."""
        start = time.process_time()
        action = self.agent.act(view)
        self.seconds += time.process_time() - start
        self.decisions += 1
        return action


def play_job(game: Game, agents: Sequence[Agent], job: Job) -> Played:
    """One game, with its actions and what the agents thought if the job asks for them."""
    actions: list[int] = []
    opinions: list[Any] = []
    values: list[float | None] = []

    def watch(timed: Any, action: int) -> None:
        actions.append(action)
        opinions.append(timed.agent.opinions() if hasattr(timed.agent, "opinions") else [])
        values.append(timed.agent.value() if hasattr(timed.agent, "value") else None)

    seated = [Timed(agent) for agent in agents]
    result = play_game(game, seated, job.seed, job.number, watch if job.record else None)
    spent = tuple((one.decisions, one.seconds) for one in seated)
    return Played(job.pairing, result, tuple(actions), tuple(opinions), tuple(values), spent)


def run(jobs: Iterable[Job], game: Game, maker: AgentMaker, processes: int, done: Done) -> None:
    """Play `jobs`, calling `done` in this process for each game as it finishes. Interrupting loses only what is
    under way."""
    if processes <= 1:
        _start_worker(game, maker, alone=True)
        for job in jobs:
            done(job, _work(job))
        return
    for library in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(library, "1")  # every core has its own process already
    context = multiprocessing.get_context("spawn")  # forking a process with compiled code and threads is not safe
    pool = ProcessPoolExecutor(processes, context, initializer=_start_worker, initargs=(game, maker))
    try:
        waiting: dict[Future[Played], Job] = {}
        for job in jobs:
            waiting[pool.submit(_work, job)] = job
            if len(waiting) >= 4 * processes:
                _collect(waiting, done)
        while waiting:
            _collect(waiting, done)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def run_on_ray(jobs: Iterable[Job], game: Game, maker: AgentMaker, done: Done) -> None:
    """The same on the Ray cluster that this process is connected to. A game whose node is lost is played again."""
    import ray

    shared = ray.put((game, maker))
    task = ray.remote(_work_on_ray).options(max_retries=-1, scheduling_strategy="SPREAD")
    places = 4 * int(ray.cluster_resources()["CPU"])  # type: ignore[no-untyped-call]
    waiting: dict[Any, Job] = {}
    for job in jobs:
        waiting[task.remote(shared, job)] = job
        if len(waiting) >= places:
            _collect_from_ray(waiting, done)
    while waiting:
        _collect_from_ray(waiting, done)


def _work_on_ray(shared: tuple[Game, AgentMaker], job: Job) -> Played:
    """One game, in a process that may have played others, of other games, before."""
    game, maker = shared
    known = "_worker_game" in globals() and _worker_game.name == game.name
    if not known or _worker_game.rules_table() != game.rules_table():
        _start_worker(game, maker, alone=True)
    return _work(job)


def _collect_from_ray(waiting: dict[Any, Job], done: Done) -> None:
    """Wait until a game is finished, and hand over what is."""
    import ray

    ready, _ = ray.wait(list(waiting), num_returns=1)
    for reference in ready:
        done(waiting.pop(reference), ray.get(reference))


def jobs_of(pairings: Sequence[Pairing], deals: int, seed: int, recorded: Collection[int] = ()) -> list[Job]:
    """So many games of each pairing, on the same deals for all of them."""
    seeds = enumerate(game_seeds(seed, deals))
    return [Job(pairing, number, one, number in recorded) for number, one in seeds for pairing in pairings]


def play_pairings(
    game: Game, pairings: Sequence[Pairing], deals: int, maker: AgentMaker, seed: int = 0, processes: int = 1
) -> list[Played]:
    """So many games of each pairing, on the same deals for all of them; the same whatever the number of processes."""
    played: list[Played] = []
    run(jobs_of(pairings, deals, seed), game, maker, processes, lambda job, result: played.append(result))
    return sorted(played, key=lambda one: one.key)


def _collect(waiting: "dict[Future[Played], Job]", done: Done) -> None:
    """Wait until a game is finished, and hand over what is."""
    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
        done(waiting.pop(future), future.result())
