"""The games' Gymnasium ids, registered by `import drako_env` (or `gymnasium.make("drako_env:drako_env/Drako-v0")`)."""

from collections.abc import Iterable

from gymnasium import register


def gymnasium_id(game: str) -> str:
    """`golden_dragon` -> `drako_env/GoldenDragon-v0`."""
    return f"drako_env/{game.title().replace('_', '')}-v0"


def register_all(games: Iterable[str]) -> None:
    """Make games known to `gymnasium.make` and `gymnasium.make_vec`, through their modules `*_v0`."""
    for game in games:
        module = f"drako_env.{game}_v0"
        register(gymnasium_id(game), entry_point=f"{module}:gym_env", vector_entry_point=f"{module}:gym_vector_env")
