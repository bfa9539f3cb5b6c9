"""A search guided by learnt networks as a player of any game that has them."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.game import Game, role_of
from drako_env.engine.network import pack
from drako_env.players.policy import is_canonical, load_policies
from drako_env.players.search import Budget, SearchAgent


class GuidedSearchAgent(SearchAgent):
    """PUCT on the tree of an information-set search (see `drako_env.engine.tree`): the policies of all roles say what
    to look at, and what a position is worth."""

    EXPLORATION = 0.35
    NODES_A_SIMULATION = 40

    def __init__(self, game: Game, budget: Budget, path: Path) -> None:
        policies = load_policies(path, game)
        roles = [role_of(seat) for seat in game.seats]
        if missing := [role for role in dict.fromkeys(roles) if role not in policies]:
            raise ValueError(f"policy {path}: a guided search needs one for every role, and {missing[0]} has none")
        networks = [(policy.tensors, is_canonical(policy.info)) for policy in policies.values()]
        self._nets = pack(networks, game.symmetries)
        self._players = np.array([list(policies).index(role) for role in roles])
        self._observation = np.zeros(len(game.observation_high), np.int8)
        super().__init__(game, budget)

    def _simulate(self, known: NDArray[np.void], count: int) -> None:
        self._nodes = self.game.kernels.guided_search_one(
            *self._search_arguments(known, count), self._nets, self._players, self._observation
        )
        self.simulations += count
