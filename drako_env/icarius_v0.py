"""Icarius: Golden Dragon by other names (G12). 2 to 5 players move each other's flyers up to the sun, between clouds.

Everything is as in `golden_dragon_v0`, with the winds N, S, E, W, NE and NW and every board turned upside down: these
are readings, since only a text without pictures is known. `board="two_rows"` has the starts in two rows, another one.
"""

from drako_env.envs.environments import Environments
from drako_env.games import GAMES
from drako_env.golden_dragon.rules import Rules

__all__ = ["Rules", "batch_env", "env", "gym_env", "gym_vector_env", "raw_env", "sb3_env"]

_environments = Environments(GAMES["icarius"].make)
raw_env, env, batch_env = _environments.raw_env, _environments.env, _environments.batch_env
sb3_env, gym_env, gym_vector_env = _environments.sb3_env, _environments.gym_env, _environments.gym_vector_env
