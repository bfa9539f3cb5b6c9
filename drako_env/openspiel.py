"""The games in OpenSpiel: importing this module makes them known to `pyspiel.load_game`.

```python
import pyspiel

from drako_env.openspiel import load_game

game = load_game("drako", rules="tiny", exchange=False)
game = pyspiel.load_game("python_drako(rules=tiny,exchange=0)")  # the same
game = pyspiel.load_game("python_golden_dragon", {"num_players": 4, "veto_scope": "any_opponent"})
```

Parameters are `rules`, the name of a table or a path to a `.toml`, and every option of the game's `RULES.md`. OpenSpiel
has no parameter that is yes, no, or as the table says, so `pyspiel.load_game` takes 1 and 0 for these; `load_game` here
takes `True` and `False`. See `drako_env.envs.openspiel` for strings and tensors.
"""

from typing import Any

try:
    import pyspiel

    from drako_env.envs.openspiel import SpielGame, refuse_states, register
except ImportError as error:
    raise ImportError("this needs OpenSpiel: pip install 'drako-env[openspiel]'") from error

from drako_env.games import GAMES

for _name, _entry in GAMES.items():
    register(f"python_{_name}", _entry.make, _entry.tables, _entry.options)
refuse_states(pyspiel.ISMCTSBot)


def load_game(name: str, **options: Any) -> SpielGame:
    """A game by the name that it has everywhere (`drako`), with its options as they are called everywhere."""
    known = {key: int(value) if isinstance(value, bool) else value for key, value in options.items()}
    game: SpielGame = pyspiel.load_game(f"python_{name.removesuffix('_v0')}", known)
    return game
