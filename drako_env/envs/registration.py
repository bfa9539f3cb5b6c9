"""The games' Gymnasium ids, registered by `import drako_env` (or `gymnasium.make("drako_env:drako_env/Drako-v0")`)."""

from gymnasium import register

GYMNASIUM_IDS = {
    "drako_env/Drako-v0": "drako_env.drako_v0",
    "drako_env/GoldenDragon-v0": "drako_env.golden_dragon_v0",
    "drako_env/Icarius-v0": "drako_env.icarius_v0",
}


def register_all() -> None:
    """Make the games known to `gymnasium.make` and `gymnasium.make_vec`."""
    for name, module in GYMNASIUM_IDS.items():
        register(name, entry_point=f"{module}:gym_env", vector_entry_point=f"{module}:gym_vector_env")
