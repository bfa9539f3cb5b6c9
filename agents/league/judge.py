"""How many games a policy wins on a seat."""

import numpy as np

from drako_env.engine.game import Game, role_of
from drako_env.envs.batch import GameBatch
from drako_env.envs.seat import SeatGames
from drako_env.players import kernel_player
from drako_env.players.policy import Policy


def count_wins(game: Game, side: str, policy: Policy | str, opponent: str, games: int, seed: int) -> int:
    """How many of `games` games `policy` wins on the seats of a side in turn, `opponent` on all others. All are played
    side by side and each counts once, so that short games are not counted more often."""
    seats = [i for i, seat in enumerate(game.seats) if side in (seat, role_of(seat))]
    wins = 0
    for number, seat in enumerate(seats):
        part = len(range(number, games, len(seats)))
        if not part:
            break  # fewer games than seats
        players = [policy if i == seat else opponent for i in range(len(game.seats))]
        seated = zip(players, map(role_of, game.seats), strict=True)
        if all(kernel_player(player, role, game) is not None for player, role in seated):
            wins += int((GameBatch(game, part, seed + number, observe=False).play(players)[:, seat] > 0).sum())
        else:
            wins += _step_by_step(game, game.seats[seat], policy, opponent, part, seed + number)
    return wins


def _step_by_step(game: Game, seat: str, policy: Policy | str, opponent: str, games: int, seed: int) -> int:
    """The same for an opponent that does not play inside the kernels."""
    table = SeatGames(game, games, seat, opponent, seed)
    wins, open_games = 0, np.ones(games, bool)
    while open_games.any():
        table.step(policy(table.observation, table.action_mask))
        ended = table.done & open_games
        wins += int((table.reward[ended] > 0).sum())
        open_games &= ~ended
    return wins
