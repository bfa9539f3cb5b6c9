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
| arguments         | `render_mode`, `render_seat`, `normalized`, `rules`, options of `drako/RULES.md`  |

`rules` is the name of a shipped table (`"reconstructed"`, the default, `"reconstructed_1"`, or `"micro"`, `"tiny"`,
`"small"`, `"medium"`, which can be solved), a path to a `.toml`, or a `Rules` object. In Gymnasium:
`gymnasium.make("drako_env/Drako-v0", seat="dwarves_0")`, and `make_vec` for many games.
"""

from drako_env.drako.rules import Rules
from drako_env.envs.environments import Environments
from drako_env.games import GAMES

__all__ = ["Rules", "batch_env", "env", "gym_env", "gym_vector_env", "raw_env", "sb3_env"]

_environments = Environments(GAMES["drako"].make)
raw_env, env, batch_env = _environments.raw_env, _environments.env, _environments.batch_env
sb3_env, gym_env, gym_vector_env = _environments.sb3_env, _environments.gym_env, _environments.gym_vector_env
