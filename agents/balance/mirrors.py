"""Games of equals: how often the last seat wins, and how often by killing."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.game import Game
from drako_env.envs.batch import GameBatch
from drako_env.evaluation.runner import Store, jobs_of, run
from drako_env.players import make_player

KILLS = "all dwarves are dead"
"""The ending that is to be rare."""


@dataclass(frozen=True)
class Mirror:
    """What games of equals came to."""

    games: int
    wins: int
    """Of the last seat."""
    kills: int

    @property
    def rate(self) -> float:
        """How often the last seat wins."""
        return self.wins / self.games

    @property
    def killed(self) -> float:
        """How often all of its figures are killed."""
        return self.kills / self.games

    def as_dict(self) -> dict[str, int]:
        """JSON-able."""
        return asdict(self)


def quick_mirror(game: Game, player: str, games: int, seed: int) -> Mirror:
    """Of the heuristic, or of a learnt policy: all games side by side, each of them once."""
    batch = GameBatch(game, games, seed)
    choose, ended = _chooser(batch, player, seed), np.zeros_like(batch.states)
    running, wins, kills = np.arange(games), 0, 0
    while len(running):
        batch.step(choose(running), running, ended)
        done = batch.done[running]
        over, running = running[done], running[~done]
        wins += int((batch.reward[over, -1] > 0).sum())
        kills += sum(game.outcome(state)[0] == KILLS for state in ended[over])
    return Mirror(games, wins, kills)


def _chooser(batch: GameBatch, player: str, seed: int) -> Callable[[NDArray[np.int64]], NDArray[np.int64]]:
    """What a player does in those of the games that it is asked for."""
    if player == "heuristic":
        return batch.best
    agent: Any = make_player(player, batch.game)
    agent.reset(seed)
    return lambda games: agent.act_batch(batch.agent[games], batch.observation[games], batch.action_mask[games])


def slow_mirror(game: Game, player: str, games: int, seed: int, path: Path, processes: int) -> Mirror:
    """Of any player, game by game; those that the results file holds are not played again."""
    make_player(player, game)  # compiles what the processes need
    store, jobs = Store(path, resume=True), jobs_of([(player,) * len(game.seats)], games, seed)
    todo = [job for job in jobs if job.key not in store.games]
    run(todo, game, make_player, processes, lambda job, played: store.add(played))
    results = [store.games[job.key].result for job in jobs]
    wins = sum(result.rewards[-1] > 0 for result in results)
    return Mirror(games, wins, sum(result.ending == KILLS for result in results))
