"""What is seen and what can be done, the same for every door and every seat of a game."""

from typing import Any

import numpy as np
from gymnasium import spaces

from drako_env.engine.game import Game


def observation_space(game: Game, normalized: bool = False) -> spaces.Box:
    """`high` is what can occur in games that are dealt (a position set by hand may have more cards than the decks);
    with `normalized` everything is from 0 to 1."""
    if normalized:
        return spaces.Box(0, 1, game.observation_high.shape, np.float32)
    return spaces.Box(0, game.observation_high, dtype=np.int8)


def action_space(game: Game) -> spaces.Space[np.int64]:
    """One id for every action of the game."""
    return spaces.Discrete(len(game.actions))


def masked_space(game: Game, normalized: bool = False) -> spaces.Dict:
    """An observation with the mask of the legal actions."""
    mask: spaces.Space[Any] = spaces.Box(0, 1, (len(game.actions),), np.int8)
    return spaces.Dict({"observation": observation_space(game, normalized), "action_mask": mask})


def state_space(game: Game, normalized: bool = False) -> spaces.Box:
    """What all seats see together: everything that any of them knows."""
    high = np.tile(observation_space(game, normalized).high, len(game.seats))
    return spaces.Box(0, high, dtype=np.float32 if normalized else np.int8)
