"""Drako: one dragon against three dwarves.

```python
from drako_env import drako_v0

env = drako_v0.env(render_mode="ansi")
env.reset(seed=0)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    action = None if termination else env.action_space(agent).sample(observation["action_mask"])
    env.step(action)
```

| what              | value                                                                             |
|-------------------|-----------------------------------------------------------------------------------|
| agents            | `dragon_0`, `dwarves_0`                                                           |
| actions           | `Discrete(A)`, one id for each action of `drako.actions`; masked                  |
| observation       | `{"observation": int8 (D,), "action_mask": int8 (A,)}`; fields in `drako.observe` |
| rewards           | +1 to the winner and -1 to the loser at the end, 0 before                         |
| arguments         | `render_mode`, `render_seat`, `rules` and every option of `drako/RULES.md`        |
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pettingzoo import AECEnv

from drako_env.drako.game import Drako
from drako_env.drako.rules import Rules
from drako_env.envs.aec import GameEnv, wrap
from drako_env.envs.batch import GameBatch

if TYPE_CHECKING:
    from drako_env.envs.gym import SeatEnv, SeatVectorEnv
    from drako_env.envs.sb3 import SeatVecEnv
    from drako_env.envs.seat import Opponent

__all__ = ["Rules", "batch_env", "env", "gym_env", "gym_vector_env", "raw_env", "sb3_env"]

Table = str | Path | Rules


class raw_env(GameEnv):
    """Drako without PettingZoo's wrappers: an illegal action raises `ValueError` and changes nothing."""

    metadata: ClassVar[dict[str, Any]] = GameEnv.metadata | {"name": Drako.name}

    def __init__(
        self,
        render_mode: str | None = None,
        rules: Table = "reconstructed",
        render_seat: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(Drako.of(Rules.load(rules, **options)), render_mode, render_seat)


def batch_env(
    num_games: int,
    seed: int | None = None,
    rules: Table = "reconstructed",
    observe: bool = True,
    **options: Any,
) -> GameBatch:
    """Many games at once, as arrays."""
    return GameBatch(Drako.of(Rules.load(rules, **options)), num_games, seed, observe)


def env(
    render_mode: str | None = None,
    rules: Table = "reconstructed",
    render_seat: str | None = None,
    **options: Any,
) -> AECEnv[str, Any, Any]:
    """Drako in PettingZoo's standard wrappers."""
    return wrap(raw_env(render_mode, rules, render_seat, **options))


def sb3_env(
    num_envs: int,
    seat: str = "dragon_0",
    opponent: "Opponent" = "random",
    seed: int | None = 0,
    rules: Table = "reconstructed",
    **options: Any,
) -> "SeatVecEnv":
    """One seat in many games as a Stable-Baselines3 `VecEnv`. `opponent`: `"random"`, `"heuristic"`, a batched
    policy `(observation (n, D), action_mask (n, A)) -> actions (n,)`, or a list of `(weight, policy)`."""
    try:
        from drako_env.envs.sb3 import SeatVecEnv
    except ImportError as error:
        raise ImportError("sb3_env needs Stable-Baselines3: pip install 'drako-env[train]'") from error
    return SeatVecEnv(Drako.of(Rules.load(rules, **options)), num_envs, seat, opponent, seed)


def gym_env(
    seat: str = "dragon_0",
    opponent: "Opponent" = "random",
    render_mode: str | None = None,
    rules: Table = "reconstructed",
    **options: Any,
) -> "SeatEnv":
    """One seat against an opponent as a Gymnasium environment: `gymnasium.make("drako_env/Drako-v0", seat=...)`."""
    from drako_env.envs.gym import SeatEnv

    return SeatEnv(Drako.of(Rules.load(rules, **options)), seat, opponent, render_mode)


def gym_vector_env(
    num_envs: int,
    seat: str = "dragon_0",
    opponent: "Opponent" = "random",
    rules: Table = "reconstructed",
    **options: Any,
) -> "SeatVectorEnv":
    """One seat in many games as a Gymnasium `VectorEnv`: `gymnasium.make_vec("drako_env/Drako-v0", num_envs=...)`."""
    from drako_env.envs.gym import SeatVectorEnv

    return SeatVectorEnv(Drako.of(Rules.load(rules, **options)), num_envs, seat, opponent)
