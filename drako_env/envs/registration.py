"""The games' ids in Gymnasium and PettingZoo, registered by `import drako_env`.

`gymnasium.make("drako_env/Drako-v0")` (or `"drako_env:drako_env/Drako-v0"`, which imports it),
`pettingzoo.make("aec", "drako_env/drako-v0")`, which takes Gymnasium's ids as well.
"""

from collections.abc import Iterable

import gymnasium
import pettingzoo


def gymnasium_id(game: str) -> str:
    """`golden_dragon` -> `drako_env/GoldenDragon-v0`."""
    return f"drako_env/{game.title().replace('_', '')}-v0"


def register_all(games: Iterable[str]) -> None:
    """Make games known to `gymnasium.make`, `gymnasium.make_vec` and `pettingzoo.make`, through their modules `*_v0`.

    Gymnasium makes them without its own wrappers, which hide `action_masks()`: the environments check by themselves
    what these would. Old versions of PettingZoo have no registry."""
    for game in games:
        module = f"drako_env.{game}_v0"
        gymnasium.register(
            gymnasium_id(game),
            entry_point=f"{module}:gym_env",
            vector_entry_point=f"{module}:gym_vector_env",
            order_enforce=False,
            disable_env_checker=True,
        )
        if hasattr(pettingzoo, "register"):
            for name in (f"drako_env/{game}-v0", gymnasium_id(game)):
                pettingzoo.register("aec", name, entry_point=f"{module}:env")
