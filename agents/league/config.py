"""All that shapes a training run, with the reasons; read from TOML, overridden on the command line."""

import tomllib
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

LAST_RATE = 0.1
"""Of the learning rate at the end of a run."""


class Pace(NamedTuple):
    """What changes as a run goes on."""

    rate: float
    """The learning rate."""
    entropy: float
    """The weight of entropy."""
    sparring: float = 0.0
    """The share of games that self-play gives to sparring partners."""


@dataclass(frozen=True)
class Config:
    """A training run. Every field can be given in a TOML file or as `--train NAME=VALUE`."""

    layers: tuple[int, ...] = (256, 256)
    """Hidden layers shared by policy and value. 128 learns as fast per decision early on and stops lower. Weights that
    the hexes share (a convolution over each hex and its neighbours, in front of these layers) were tried: after 655,000
    decisions a side they won 61% (dragon) and 58% (dwarves) against the heuristic, this 67% and 74%, in less time."""
    canonical: bool = True
    """Turn every position into one of its up to twelve turned twins before the network sees it. Without it, the same
    run won 52% and 54%."""
    num_envs: int = 256
    """Games side by side, shared among the cores: in self-play all sides learn from the same ones."""
    steps: int = 16
    """Decisions per game, side and update: 4,096 of every side. In self-play on average: whoever decides more often has
    more."""
    minibatch: int = 512
    epochs: int = 1
    """Passes over each batch: new games are cheaper than learning the same ones again."""
    kept: float = 0.5
    """Of every batch only about this share is learnt from, surprising decisions most likely and weighed so that nothing
    changes on average."""
    learning_rate: float = 2e-3
    """At the start; it falls in a straight line to a tenth at the end of the run."""
    gamma: float = 1.0
    """Only the end is rewarded, and it counts as much from the first decision on."""
    gae_lambda: float = 0.9
    """How far advantages look ahead: low, since the dice of hidden cards make far results noisy."""
    value_lambda: float = 0.95
    """The same for what values are trained towards."""
    entropy: float = 0.05
    """Keeps policies mixed: hands are hidden, and a player who always bluffs the same way is read. At the start; it
    falls in equal proportions."""
    last_entropy: float = 0.006
    """At the end of the run: then the best actions are to be played."""
    magnet: float = 0.0
    """The weight of the distance (KL divergence) to the average of the networks so far, which holds the newest one
    back. In small games where mixing decides, learners without it run after each other in circles that grow as entropy
    falls: 0.3 there. In whole games it costs more than it brings: with 0.1, three minutes of Drako won 17% of the games
    against as much without."""
    sparring: float = 0.5
    """Of the first games of self-play, the share in which one seat learns against the rules of thumb, as far as it
    loses to them. It falls in a straight line to nothing at the end of the run, since what is learnt against a
    player who does not learn can be exploited."""
    clip: float = 0.2
    average: float = 0.997
    """What is exported is the average of the networks so far: with every update it keeps this share of what it was."""
    rollouts: int = 32
    """Updates a round."""
    snapshot_every: int = 5
    """Rounds between two policies that are kept for good."""
    # evaluation on the way
    eval_every: int = 5
    """Rounds between two evaluations."""
    eval_games: int = 256
    """Games against each anchor, at each of them."""

    @classmethod
    def load(cls, path: Path | None = None, /, **overrides: Any) -> "Config":
        """From a file and overrides, which win; `ValueError` names what is unknown or of the wrong type."""
        values: dict[str, Any] = {}
        if path is not None:
            try:
                values = tomllib.loads(path.read_text(encoding="utf-8"))
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
                raise ValueError(f"{path}: not valid TOML: {error}") from None
        config = replace(cls(), **_checked(values | overrides, cls()))
        if config.num_envs * config.steps % config.minibatch:
            raise ValueError(f"num_envs * steps = {config.num_envs * config.steps} is no multiple of minibatch")
        return config

    def games_each(self, runners: int) -> int:
        """How many games of each side one of several runners plays; `ValueError` if they cannot be split evenly."""
        games, left = divmod(self.num_envs, runners)
        if left:
            raise ValueError(f"num_envs = {self.num_envs} games cannot be split among {runners} runners")
        return games

    def pace(self, progress: float) -> Pace:
        """At some point of a run, from 0 to 1."""
        falling = self.last_entropy / self.entropy if self.entropy else 0.0
        return Pace(
            self.learning_rate * (1 - (1 - LAST_RATE) * progress),
            self.entropy * falling**progress,
            self.sparring * (1 - progress),
        )

    def network(self) -> dict[str, str]:
        """What a policy's file says of its network."""
        return {"canonical": "yes" if self.canonical else "no"}

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return asdict(self)


SHARES = ("gamma", "gae_lambda", "value_lambda", "kept", "average", "sparring")
"""What lies between 0 and 1."""


def _checked(values: dict[str, Any], default: Config) -> dict[str, Any]:
    known = {field.name: getattr(default, field.name) for field in fields(Config)}
    checked = {}
    for name, value in values.items():
        if name not in known:
            raise ValueError(f"unknown training option {name!r}; known are {', '.join(known)}")
        if isinstance(known[name], tuple):
            good = isinstance(value, (list, tuple)) and value and all(type(v) is int and v > 0 for v in value)
            value = tuple(value) if good else value
        elif isinstance(known[name], str):
            good = isinstance(value, str)
        elif isinstance(known[name], bool):
            good = isinstance(value, bool)
        elif isinstance(known[name], int):
            good = type(value) is int and value > 0
        else:
            good = type(value) in (int, float) and 0 <= value <= (1.0 if name in SHARES else 100.0)
        if not good:
            raise ValueError(f"{name} = {value!r}: expected something like {known[name]!r}")
        checked[name] = value
    return checked
