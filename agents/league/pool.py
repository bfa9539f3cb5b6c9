"""Whom a learner meets: prioritised fictitious self-play as a pure function of the pay-offs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agents.league.config import Config

Opponents = Mapping[str, tuple[float, str]]
"""Name -> weight, and the player as `drako_env.players` calls it."""

LATEST, HEURISTIC, RANDOM = "latest", "heuristic", "random"
MEMORY = 0.9
"""How much of what was known of a win rate is kept when twenty games bring news."""


def priorities(win_rates: Sequence[float], power: float) -> list[float]:
    """How often to meet each opponent: those that still win, more often. They sum to one; opponents that are always
    beaten keep a little."""
    weights = [max(1e-3, 1.0 - rate) ** power for rate in win_rates]
    total = sum(weights)
    return [weight / total for weight in weights]


@dataclass
class Pool:
    """What one learner knows of its opponents."""

    snapshots: list[str] = field(default_factory=list)
    """Files of the other side's past policies, oldest first."""
    win_rates: dict[str, float] = field(default_factory=dict)
    """The learner's, against each opponent by name; one half until a game is played."""
    games: dict[str, int] = field(default_factory=dict)

    def opponents(self, config: Config) -> dict[str, float]:
        """Whom to meet in the next round, with weights. Without a past its share goes to the latest."""
        past = self.hardest(config.max_past)
        shares = {LATEST: config.latest_share, HEURISTIC: config.heuristic_share, RANDOM: config.random_share}
        shares[config.search] = config.search_share
        if not past:
            shares[LATEST] += config.past_share
        rates = [self.win_rates.get(name, 0.5) for name in past]
        chosen = dict(zip(past, priorities(rates, config.pfsp_power), strict=True)) if past else {}
        shares |= {name: config.past_share * weight for name, weight in chosen.items()}
        return {name: share for name, share in shares.items() if share > 0}

    def hardest(self, count: int) -> list[str]:
        """The snapshots that the learner wins least against, oldest first."""
        order = sorted(self.snapshots, key=lambda name: self.win_rates.get(name, 0.5))[:count]
        return [name for name in self.snapshots if name in set(order)]

    def learn(self, results: Mapping[str, tuple[int, float]]) -> None:
        """Take in a round's results: opponent -> (games, wins)."""
        for name, (games, wins) in results.items():
            weight = MEMORY ** (games / 20) if name in self.win_rates else 0.0
            self.win_rates[name] = weight * self.win_rates.get(name, 0.5) + (1 - weight) * wins / games
            self.games[name] = self.games.get(name, 0) + games
