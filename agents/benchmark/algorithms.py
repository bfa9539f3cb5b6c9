"""The algorithms that are compared, each written down as what it does in between two looks at it.

An algorithm is a generator: it is given the game as a tree, a seed, and a function that tells how much of its time is
over; after every piece of work it yields a `Learnt`. Somebody's own is compared in the same way, as `module:function`.
"""

from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from agents.benchmark.mccfr import Mccfr
from agents.league.config import Config
from agents.league.league import Learners
from agents.league.local import LocalLearners
from drako_env.engine.game import Game, role_of, sides
from drako_env.engine.view import SeatView
from drako_env.envs.sb3 import SeatVecEnv
from drako_env.envs.seat import SeatGames
from drako_env.exact import Probabilities, Solver, Strategy, Tree
from drako_env.players import make_player
from drako_env.players.policy import SUFFIX, load_policies

Strategies = tuple[Strategy, Strategy]
Progress = Callable[[], float]


class Learnt(NamedTuple):
    """What an algorithm has come to."""

    decisions: int
    """That it has learnt from: of players in games, or positions that a table of regrets was worked out for."""
    strategies: Callable[[], Strategies]
    """Of both seats, as they would be played now."""


Algorithm = Callable[[Tree, int, Progress], Generator[Learnt]]


def _game(tree: Tree) -> Game:
    if tree.game is None:
        raise ValueError("a tree without a game can be solved, but nobody can learn by playing it")
    return tree.game


# ------------------------------------------------------------------------------------------- self-play of this project

MAGNET = 0.3
"""What `Config.magnet` is to be in games as small as these, where mixing decides."""


def self_play(
    tree: Tree, seed: int, progress: Progress, learners: Learners | None = None, **settings: Any
) -> Generator[Learnt]:
    """The recipe that ships (`agents.league`), or with other settings of `Config`."""
    game, config = _game(tree), Config.load(None, **{"rollouts": 1} | settings)
    learners = learners or LocalLearners(1)
    learners.start(game, {side: 2 * seed + i for i, side in enumerate(sides(game))}, config)
    try:
        while True:
            found = learners.train({}, config.pace(progress()))
            yield Learnt(sum(side["decisions"] for side in found.values()), partial(_exported, learners, game))
    finally:
        learners.close()


def _export(learners: Learners, game: Game, folder: str) -> None:
    learners.export({side: Path(folder) / f"{role_of(side)}{SUFFIX}" for side in sides(game)}, {})


def _exported(learners: Learners, game: Game) -> Strategies:
    with TemporaryDirectory() as folder:
        _export(learners, game, folder)
        policies = load_policies(Path(folder), game)
    first, second = (policies[role_of(seat)].probabilities for seat in game.seats)
    return first, second


def rllib(tree: Tree, seed: int, progress: Progress) -> Generator[Learnt]:
    """The same recipe with Ray RLlib, one runner."""
    import ray

    from agents.league.cluster import ClusterLearners

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        yield from self_play(tree, seed, progress, ClusterLearners(1))
    finally:
        ray.shutdown()


# ---------------------------------------------------------------------------------------------------- Stable-Baselines3


def maskable_ppo(tree: Tree, seed: int, progress: Progress) -> Generator[Learnt]:
    """sb3-contrib's MaskablePPO as it comes, a model for each seat, in turn against the other as it is."""
    from sb3_contrib import MaskablePPO

    game, torch_threads = _game(tree), torch.get_num_threads()
    torch.set_num_threads(1)
    models: list[Any] = []
    for number, seat in enumerate(game.seats):
        env = SeatVecEnv(SeatGames(game, 64, seat, "random", seed + 1000 * number))
        models.append(MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=512, seed=seed + number, device="cpu"))
    try:
        while True:
            for model, other in (models, models[::-1]):
                model.env.set_opponent(partial(_played, other))
                model.learn(2048, reset_num_timesteps=False)
            yield Learnt(sum(m.num_timesteps for m in models), lambda: (_weighed(models[0]), _weighed(models[1])))
    finally:
        torch.set_num_threads(torch_threads)


def _played(model: Any, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.int64]:
    return np.asarray(model.predict(observation, action_masks=mask)[0])


def _weighed(model: Any) -> Probabilities:
    def probabilities(observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.floating]:
        with torch.no_grad():
            distribution = model.policy.get_distribution(torch.as_tensor(observation).float(), mask)
        return np.asarray(distribution.distribution.probs)

    return probabilities


# ------------------------------------------------------------------------------------------------------------ OpenSpiel


def nfsp(tree: Tree, seed: int, progress: Progress, games: int = 64) -> Generator[Learnt]:
    """OpenSpiel's Neural Fictitious Self-Play, on observations."""
    from open_spiel.python import rl_environment
    from open_spiel.python.pytorch import nfsp as spiel

    from drako_env.envs.openspiel import SpielGame

    game = _game(tree)
    kind = rl_environment.ObservationType.OBSERVATION
    env = rl_environment.Environment(SpielGame(f"python_{game.name}", game, {}), observation_type=kind)
    env.seed(seed)
    size, actions = len(game.observation_high), len(game.actions)
    agents = [
        spiel.NFSP(i, size, actions, [128], int(2e5), 0.1, seed=seed + i, epsilon_decay_duration=int(2e6))
        for i in range(2)
    ]
    decisions = 0
    while True:
        for _ in range(games):
            step = env.reset()
            while not step.last():
                step = env.step([agents[step.observations["current_player"]].step(step).action])
                decisions += 1
            for agent in agents:
                agent.step(step)
        yield Learnt(decisions, lambda: (_averaged(agents[0]), _averaged(agents[1])))


def _averaged(agent: Any) -> Probabilities:
    def probabilities(observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.floating]:
        with torch.no_grad():
            logits = agent._avg_network(torch.as_tensor(observation).float())
            logits = logits.masked_fill(torch.as_tensor(mask) == 0, -torch.inf)
        return np.asarray(functional.softmax(logits, dim=-1))

    return probabilities


# -------------------------------------------------------------------------------------------------- tables and searches


def cfr_plus(tree: Tree, seed: int, progress: Progress) -> Generator[Learnt]:
    """CFR+ over all of the tree: what can be had without any generalising."""
    solver = Solver(tree)
    while True:
        solver.iterate(1)
        yield Learnt(solver.iteration * tree.size, solver.average)


def mccfr(tree: Tree, seed: int, progress: Progress) -> Generator[Learnt]:
    """Outcome-sampling MCCFR: a table again, but learnt from games that are played."""
    learner = Mccfr(tree, _game(tree), seed)
    while True:
        learner.iterate()
        yield Learnt(learner.decisions, lambda: _told(learner.average()))


def search(tree: Tree, seed: int, progress: Progress, spec: str, tries: int = 4) -> Generator[Learnt]:
    """A player that learns nothing: how often it chooses each action in a few tries. It is looked at once."""
    game = _game(tree)
    player, shares = make_player(spec, game), np.zeros(tree.masks.shape)
    for i in range(len(tree.examples)):
        view = SeatView.of(game, tree.examples, i)
        for number in range(tries):
            player.reset((seed * tries + number) * len(tree.examples) + i)
            shares[i, player.act(view)] += 1 / tries
    yield Learnt(len(tree.examples) * tries, lambda: _told(shares))


def _told(shares: NDArray[np.float64]) -> Strategies:
    """What both seats do in each view of a tree."""

    def probabilities(observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.floating]:
        return shares

    return probabilities, probabilities


def guided_search(
    tree: Tree, seed: int, progress: Progress, simulations: int = 64, training: float = 0.5, tries: int = 4
) -> Generator[Learnt]:
    """Self-play for a part of the time, then a search that is guided by what it has learnt. It is looked at once."""
    game, learners = _game(tree), LocalLearners(1)
    work = self_play(tree, seed, lambda: min(1.0, progress() / training), learners, magnet=MAGNET)
    with TemporaryDirectory() as folder:
        learnt = next(work)
        while progress() < training:
            learnt = next(work)
        _export(learners, game, folder)
        work.close()
        (found,) = search(tree, seed, progress, f"puct:{simulations}:{folder}", tries)
    yield Learnt(learnt.decisions + found.decisions, found.strategies)


PLAIN = {"entropy": 0.0, "last_entropy": 0.0, "average": 0.0, "sparring": 0.0, "kept": 1.0}
"""Self-play of the newest networks alone, without regularisation."""

ALGORITHMS: dict[str, Algorithm] = {
    "self-play": self_play,
    "self-play, entropy 0.2": partial(self_play, entropy=0.2, last_entropy=0.05),
    "self-play, entropy 0.01": partial(self_play, entropy=0.01, last_entropy=0.002),
    "self-play, magnet 0.3": partial(self_play, magnet=MAGNET),
    "plain self-play": partial(self_play, **PLAIN),
    "MaskablePPO": maskable_ppo,
    "RLlib": rllib,
    "NFSP": nfsp,
    "CFR+": cfr_plus,
    "MCCFR": mccfr,
    "ismcts:200": partial(search, spec="ismcts:200"),
    "puct:64": guided_search,
}
