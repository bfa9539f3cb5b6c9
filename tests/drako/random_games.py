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
    "radius": (2, 2, 3, 1),
    "hands": ((4, 6, 2), (4, 6, 2), (1, 1, 1), (2, 3, 1), (3, 3, 3), (1, 2, 4), (6, 8, 3)),
}
HANDS = ("start_hand", "hand_limit", "cards_per_draw")


def random_options(chance):
    """A random table and random options."""
    options = {"rules": chance.choice(TABLES)} | {name: chance.choice(values) for name, values in CHOICES.items()}
    options |= zip(HANDS, options.pop("hands"), strict=True)
    return options | ({"placement": "first_game"} if options["radius"] == 1 else {})  # R4.3


def random_positions(seed, games=None, every=1, **options):
    """Games at each decision of random play (every so many); a new table and options for each game unless given."""
    return random_play(lambda chance: drako_v0.raw_env(**(options or random_options(chance))), seed, games, every)
