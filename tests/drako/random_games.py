"""Random play, for tests that look at many positions."""

import random
from pathlib import Path

from drako_env import drako_v0

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


def random_action(game, chance):
    """Any legal action, with equal chances."""
    return chance.choice(game.observe(game.agent_selection)["action_mask"].nonzero()[0].tolist())


def random_positions(seed, games=None, every=1, **options):
    """Games at each decision of random play (every so many); a new table and options for each game unless given."""
    chance = random.Random(seed)
    played = 0
    while games is None or played < games:
        game = drako_v0.raw_env(**(options or random_options(chance)))
        game.reset(seed=chance.getrandbits(64))
        countdown = chance.randrange(every)
        while not game.terminations[game.agent_selection]:
            if countdown == 0:
                yield game
                countdown = every
            countdown -= 1
            game.step(random_action(game, chance))
        yield game
        played += 1
