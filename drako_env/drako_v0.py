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
from typing import Any, ClassVar

from pettingzoo import AECEnv

from drako_env.drako.game import Drako
from drako_env.drako.rules import Rules
from drako_env.envs.aec import GameEnv, wrap

__all__ = ["Rules", "env", "raw_env"]


class raw_env(GameEnv):
    """Drako without PettingZoo's wrappers: an illegal action raises `ValueError` and changes nothing."""

    metadata: ClassVar[dict[str, Any]] = GameEnv.metadata | {"name": Drako.name}

    def __init__(
        self,
        render_mode: str | None = None,
        rules: str | Path | Rules = "reconstructed",
        render_seat: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(Drako.of(Rules.load(rules, **options)), render_mode, render_seat)


def env(
    render_mode: str | None = None,
    rules: str | Path | Rules = "reconstructed",
    render_seat: str | None = None,
    **options: Any,
) -> AECEnv[str, Any, Any]:
    """Drako in PettingZoo's standard wrappers."""
    return wrap(raw_env(render_mode, rules, render_seat, **options))
