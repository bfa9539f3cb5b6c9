"""The games in OpenSpiel: importing this module makes them known to `pyspiel.load_game`.

```python
import pyspiel

from drako_env.openspiel import load_game

game = pyspiel.load_game("python_drako(rules=tiny,exchange=False)")
game = load_game("drako", rules="tiny", exchange=False)  # the same
game = pyspiel.load_game("python_golden_dragon", {"num_players": 4, "veto_scope": "any_opponent"})
```

Parameters are `rules`, the name of a table or a path to a `.toml`, and every option of the game's `RULES.md`. OpenSpiel
has no parameter that is yes, no, or as the table says: a game's own parameters are 1 and 0, and `pyspiel.load_game` is
taught here to read `True` and `False` so. See `drako_env.envs.openspiel` for strings and tensors.
"""

from typing import Any

try:
    import pyspiel

    from drako_env.envs.openspiel import SpielGame, booleans_as_numbers, refuse_states, register
except ImportError as error:
    raise ImportError("this needs OpenSpiel: pip install 'drako-env[openspiel]'") from error

from drako_env.games import GAMES

for _name, _entry in GAMES.items():
    register(f"python_{_name}", _entry.make, _entry.tables, _entry.options)
refuse_states(pyspiel.ISMCTSBot)
pyspiel.load_game = booleans_as_numbers(pyspiel.load_game, [f"python_{name}" for name in GAMES])


def load_game(name: str, **options: Any) -> SpielGame:
    """A game by the name that it has everywhere (`drako`), with its options as they are called everywhere."""
    known = name.removeprefix("python_").removesuffix("_v0")
    if known not in GAMES:
        raise ValueError(f"unknown game {name!r}; known are {', '.join(GAMES)}")
    game: SpielGame = pyspiel.load_game(f"python_{known}", options)
    return game
