"""Golden Dragon: 2 to 5 players move each other's dragons with wind stones towards the golden volcano.

```python
from drako_env import golden_dragon_v0

env = golden_dragon_v0.env(num_players=3, render_mode="ansi")
env.reset(seed=0)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    action = None if termination else env.action_space(agent).sample(observation["action_mask"])
    env.step(action)
```

| what        | value                                                                                          |
|-------------|------------------------------------------------------------------------------------------------|
| agents      | `player_0` ... `player_{n-1}`                                                                  |
| actions     | `Discrete(A)`, one id for each action of `golden_dragon.actions`; masked                       |
| observation | `{"observation": int8 (D,), "action_mask": int8 (A,)}`; fields in `golden_dragon.observe`      |
| rewards     | +1 to the winner and -1 to all others at the end, 0 before and for a draw                      |
| arguments   | `render_mode`, `render_seat`, `normalized`, `num_players`, options of `golden_dragon/RULES.md` |

`board` is the name of a shipped board (`"classic10"`, the default, is the game's own for any number of players),
`"auto"` (for shorter games: smaller ones for four and five players), a path to a `.toml`, or a `Rules` object.
"""

from drako_env.envs.environments import Environments
from drako_env.games import GAMES
from drako_env.golden_dragon.rules import Rules

__all__ = ["Rules", "batch_env", "env", "gym_env", "gym_vector_env", "raw_env", "sb3_env"]

_environments = Environments(GAMES["golden_dragon"].make)
raw_env, env, batch_env = _environments.raw_env, _environments.env, _environments.batch_env
sb3_env, gym_env, gym_vector_env = _environments.sb3_env, _environments.gym_env, _environments.gym_vector_env
