"""How many games a policy wins on a seat."""

from typing import Any

import numpy as np

from drako_env.engine.game import Game
from drako_env.envs.seat import SeatGames


def count_wins(game: Game, seat: str, policy: Any, opponent: Any, games: int, seed: int) -> int:
    """How many of `games` games `policy` wins on a seat. All are played side by side and each slot counts once, so that
    short games are not counted more often."""
    table = SeatGames(game, games, seat, opponent, seed)
    wins, open_games = 0, np.ones(games, bool)
    while open_games.any():
        table.step(policy(table.observation, table.action_mask))
        ended = table.done & open_games
        wins += int((table.reward[ended] > 0).sum())
        open_games &= ~ended
    return wins


def random_policy(seed: int) -> Any:
    """Any legal action with equal chances, as a batched policy."""
    chance = np.random.default_rng(seed)
    return lambda observation, mask: (chance.random(mask.shape) * mask).argmax(axis=1)
