"""Render modes, the same for every adapter and every game."""

from typing import Any

from drako_env.engine.game import Game
from drako_env.envs.seat import SeatGames
from drako_env.render.raster import pixels
from drako_env.render.window import Window

RENDER_MODES = ["human", "ansi", "rgb_array", "svg"]
MANY = [mode for mode in RENDER_MODES if mode != "human"]
"""Those of many games at once: nobody could look at so many windows."""
RENDER_FPS = 2


def check_render_mode(mode: str | None, allowed: list[str] = RENDER_MODES) -> None:
    """`ValueError` that names the render modes, unless this is one."""
    if mode not in (None, *allowed):
        raise ValueError(f"render_mode = {mode!r}: allowed are None, {', '.join(map(repr, allowed))}")


def render_game(games: SeatGames, i: int, over: bool, mode: str, window: Window | None = None) -> Any:
    """One of many games as the learner sees it, or `over` the one that has ended last in its place."""
    states, seats = (games.final_states, games.final_seat) if over else (games.batch.states, games.seat)
    return render(games.game, states[i], int(seats[i]), mode, window)


def render(game: Game, state: Any, seat: int | None, mode: str, window: Window | None) -> Any:
    """What `seat` may see: characters (`ansi`), SVG (`svg`) or bytes `(height, width, 3)` (`rgb_array`) to return, or a
    picture in the window (`human`)."""
    scene = game.scene(state, seat)
    if mode == "ansi":
        return game.text(scene)
    picture = game.picture(scene)
    if mode == "svg":
        return picture
    if mode == "rgb_array":
        return pixels(picture)
    assert window is not None
    window.show(picture)
    return None
