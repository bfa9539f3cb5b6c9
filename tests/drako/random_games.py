"""Random play, for tests that look at many positions."""

from pathlib import Path

from drako_env import drako_v0
from tests.play import random_action, random_play

__all__ = ["TABLES", "random_action", "random_options", "random_positions"]

TABLES = ("reconstructed", Path(__file__).parent / "skirmish.toml")
CHOICES = {
    "exchange": (True, False),
    "placement": ("free", "first_game"),
    "discard_action": ("forced", "always"),
    "edition": ("2011", "2019"),
    "fury_may_kill": (False, True),
    "radius": (2, 2, 3),
}


def random_options(chance):
    """A random table and random options."""
    return {"rules": chance.choice(TABLES)} | {name: chance.choice(values) for name, values in CHOICES.items()}


def random_positions(seed, games=None, every=1, **options):
    """Games at each decision of random play (every so many); a new table and options for each game unless given."""
    return random_play(lambda chance: drako_v0.raw_env(**(options or random_options(chance))), seed, games, every)
