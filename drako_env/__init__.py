"""Dragon board games with hidden information as reinforcement-learning environments."""

from contextlib import suppress

from drako_env.games import GAMES

__version__ = "0.2.0"

with suppress(ImportError):  # the rules by themselves do without Gymnasium
    from drako_env.envs.registration import register_all

    register_all(GAMES)
