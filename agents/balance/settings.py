"""What an even game is worth, and how hard it is looked for: all in one place."""

from dataclasses import dataclass, field

from agents.league.config import Config

TRAINING = Config(learning_rate=7e-4, entropy=0.012, last_entropy=0.004, eval_every=10_000, snapshot_every=10_000)
"""As policies are trained, but with smaller steps and less entropy at the beginning: the networks have learnt nearly
the same game before. The network's shape is that of the policies to begin with."""

UNTRAINED = "untrained"
"""Policies that do not know a candidate yet: they screen it."""
LEVELS = ("heuristic", "learnt", "puct")
"""Who plays mirrors, from weak to strong."""
TAKEN_BACK = 0.5
"""How much of what a change does to policies that do not know it training takes back: a tenth to all of it for five
tables, about half on average."""


@dataclass(frozen=True)
class Weights:
    """The score of a table, the lower the better: the sum over all levels of play of the level's weight times the
    distance of the last seat's win rate from a half and the share of kills beyond what is wanted."""

    learnt: float = 1.0
    """Strong play comes first."""
    puct: float = 0.5
    """Stronger still, but 200 games are known to seven points to either side only, 2,000 to two: with more weight luck
    would decide."""
    heuristic: float = 0.1
    """Decides among tables that are equally even in strong play: ten points here weigh as one there."""
    kills: float = 1.0
    """A point of kills too many is as bad as a point away from even."""
    most_kills: float = 0.15
    """The share of games, at every level, in which all of a side may be killed: it is to be the rarer way to win."""


@dataclass(frozen=True)
class Settings:
    """How candidates are found and judged."""

    core_minutes: float = 2.0
    """CPU time of training a candidate's networks, all sides together; the round under way at the end is finished."""
    games: int = 200
    """Of the mirror of searches."""
    simulations: int = 200
    """Of the searches, a decision."""
    learnt_games: int = 2000
    heuristic_games: int = 2000
    proposals: int = 48
    """Changes a step that are screened, in a few seconds each."""
    judged: int = 2
    """Of them, how many strong play judges."""
    weights: Weights = field(default_factory=Weights)
    training: Config = TRAINING
