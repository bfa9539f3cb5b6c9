"""Players that look ahead with learnt networks, in any game that has them."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.game import Game, new_masks, new_states, role_of
from drako_env.engine.network import Networks, pack
from drako_env.engine.view import SeatView, random_seed
from drako_env.players.policy import WeighingAgent, is_canonical, load_policies
from drako_env.players.search import Budget, SearchAgent


def networks_of(path: Path, game: Game) -> tuple[Networks, NDArray[np.int64]]:
    """The networks of a folder, and which of them plays each seat; `ValueError` if a role has none."""
    policies, roles = load_policies(path, game), [role_of(seat) for seat in game.seats]
    if missing := [role for role in dict.fromkeys(roles) if role not in policies]:
        raise ValueError(f"policy {path}: looking ahead needs a network for every role, and {missing[0]} has none")
    networks = [(policy.tensors, is_canonical(policy.info)) for policy in policies.values()]
    return pack(networks, game.symmetries), np.array([list(policies).index(role) for role in roles])


class GuidedSearchAgent(SearchAgent):
    """PUCT on the tree of an information-set search (see `drako_env.engine.tree`): the policies of all roles say what
    to look at, and what a position is worth."""

    EXPLORATION = 0.35
    NODES_A_SIMULATION = 40
    KNOWING = False
    """Whether it takes for granted that all others play these policies."""

    def __init__(self, game: Game, budget: Budget, path: Path) -> None:
        self._nets, self._players = networks_of(path, game)
        self._observation = np.zeros(len(game.observation_high), np.int8)
        super().__init__(game, budget)

    def _simulate(self, known: NDArray[np.void], count: int) -> None:
        self._nodes = self.game.kernels.guided_search_one(
            *self._search_arguments(known, count), self._nets, self._players, self._observation, self.KNOWING
        )
        self.simulations += count


class KnowingSearchAgent(GuidedSearchAgent):
    """The same search by somebody who knows the others' policies: what they do is drawn from their networks, as the
    cards that a simulation deals them tell them to, instead of what would be best for them. Against these policies it
    approximates a best response (ISMCTS-BR, Timbers et al. 2020); against any other it is mistaken.

    All deals that look the same to the seat stay equally likely: those in which the known policies would hardly have
    played as was seen are not made rarer, so that it leaves something unused of what it knows."""

    KNOWING = True


class ImprovedPolicyAgent(WeighingAgent):
    """The learnt policy, moved towards what looking ahead says: the probability of an action is multiplied with
    `exp(worth / STEP)`, its worth being what both sides' policies make of it on average over some deals of the hidden
    cards. Unlike a tree over the own information sets it never lets one seat know what only the other can (the
    update-equivalence search of Sokota et al. 2023)."""

    DEPTH = 8
    STEP = 0.1

    def __init__(self, game: Game, deals: int, path: Path) -> None:
        super().__init__(game, path)
        self._deals, (self._nets, self._players) = deals, networks_of(path, game)
        self._scratch, self._words = new_states(game, 2), new_masks(game, 1)
        self._reward, self._worth = np.zeros(len(game.seats), np.float32), np.zeros(len(game.actions))
        self._observation = np.zeros(len(game.observation_high), np.int8)

    def weigh(self, view: SeatView) -> tuple[int, float]:
        """An action, and what the seat may expect; writes the probabilities."""
        policy = self.policy(self._roles[view.seat])
        (shares,), (value,) = policy.judge(view.observation[None], view.action_mask[None])
        self._shares = shares
        if len(view.legal()) > 1:
            worth = self._look_ahead(view)
            improved = shares * np.exp((worth - worth[view.legal()].max()) / (self.STEP * view.game.max_reward))
            self._shares = (improved / improved.sum()).astype(np.float32)
            value = self._shares @ worth
        sums = self._shares.cumsum(dtype=float)
        return int(sums.searchsorted(self._chance.random() * sums[-1], side="right")), float(value)

    def _look_ahead(self, view: SeatView) -> NDArray[np.float64]:
        """What each legal action is worth."""
        game, known = view.game, view.seeded(random_seed(self._chance))
        mask, networks = self._words.view(np.int8)[0], (self._nets, self._players, self._observation)
        scratch = self._scratch, self._words[0], mask, view.action_mask
        budget = self._deals, self.DEPTH, self._reward
        game.kernels.look_ahead_one(game.tables, known, *scratch, *budget, *networks, self._worth)
        return self._worth
