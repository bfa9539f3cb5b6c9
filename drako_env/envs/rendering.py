"""Render modes, the same for every adapter and every game."""

from typing import Any

from drako_env.engine.game import Game
from drako_env.render.raster import pixels
from drako_env.render.window import Window

RENDER_MODES = ["human", "ansi", "rgb_array", "svg"]
RENDER_FPS = 2


def check_render_mode(mode: str | None) -> None:
    """`ValueError` that names the render modes, unless this is one."""
    if mode not in (None, *RENDER_MODES):
        raise ValueError(f"render_mode = {mode!r}: allowed are None, {', '.join(map(repr, RENDER_MODES))}")


def render(game: Game, state: Any, seat: int | None, mode: str, window: Window) -> Any:
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
    window.show(picture)
    return None
