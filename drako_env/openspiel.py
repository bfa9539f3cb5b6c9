"""The games in OpenSpiel: importing this module makes them known to `pyspiel.load_game`.

```python
import drako_env.openspiel
import pyspiel

game = pyspiel.load_game("python_drako(rules=tiny)")
game = pyspiel.load_game("python_golden_dragon", {"num_players": 4, "veto_scope": "any_opponent"})
```

Parameters are `rules`, the name of a table or a path to a `.toml`, and every option of the game's `RULES.md`; one that
is yes or no is given as 1 or 0. See `drako_env.envs.openspiel` for strings and tensors.
"""

from drako_env.envs.openspiel import register
from drako_env.games import GAMES

for _name, _entry in GAMES.items():
    register(f"python_{_name}", _entry.make, _entry.tables, _entry.options)
