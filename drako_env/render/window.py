"""A window that shows pictures, through pygame-ce."""

import os
import sys
import warnings
from typing import Any

from drako_env.render.raster import WIDTH, pixels

INSTEAD = "use render_mode='ansi' for text, 'svg' or 'rgb_array' for pictures"
NEEDED = f"render_mode='human' needs pygame-ce: pip install 'drako-env[pictures]'; or {INSTEAD}"
UNSHOWN = f"render_mode='human' opens a window, but there is no display here, so nothing is shown: {INSTEAD}"
UNSEEN = ("dummy", "offscreen")
"""SDL's video drivers that show nothing. SDL falls back to them in silence, so they count only if asked for."""


class Window:
    """Opens with its first picture. Once a person has closed it, it stays closed until `close` is called; where there
    is no display, one warning says so and nothing is shown, so that checkers and long runs go on."""

    def __init__(self, title: str, fps: float) -> None:
        self.title, self.fps = title, fps
        self._window: Any = None
        self._shown = ""
        self._dismissed = False

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy of an environment opens a window of its own."""
        return Window, (self.title, self.fps)

    def show(self, svg: str) -> None:
        """Show a picture, `fps` new ones a second at most."""
        if self._window is None and not self._dismissed and not _display(_pygame()):
            warnings.warn(UNSHOWN, stacklevel=2)
            self._dismissed = True
        if self._dismissed:
            return
        if svg != self._shown:
            self._draw(svg)
        self._notice_closing()

    def close(self) -> None:
        """Close the window, if it is open."""
        if self._window is not None:
            self._window.destroy()
        self._window, self._shown, self._dismissed = None, "", False

    def _draw(self, svg: str) -> None:
        pygame = _pygame()
        if self._window is None:
            self._width = _width(pygame, svg)
        image = pixels(svg, self._width).swapaxes(0, 1)
        if self._window is None:
            self._window = pygame.Window(self.title, image.shape[:2])
            self._clock = pygame.time.Clock()
        elif self._window.size != image.shape[:2]:
            self._window.size = image.shape[:2]
        pygame.surfarray.blit_array(self._window.get_surface(), image)
        self._window.flip()
        self._shown = svg
        self._clock.tick(self.fps)

    def _notice_closing(self) -> None:
        pygame = _pygame()
        for event in pygame.event.get(pygame.WINDOWCLOSE):
            if event.window is self._window:
                self.close()
                self._dismissed = True
            else:
                pygame.event.post(event)


def _pygame() -> Any:
    """The module, or an error that says what to do."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        raise ImportError(NEEDED) from error
    if not hasattr(pygame, "Window"):  # pygame, which goes by the same name
        raise ImportError(NEEDED)
    return pygame


def _display(pygame: Any) -> bool:
    """Whether there is one, ready to draw on."""
    if pygame.display.get_init():
        return True
    asked = os.environ.get("SDL_VIDEODRIVER")
    served = sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    try:
        if asked or served:
            pygame.display.init()
    except pygame.error:
        pass
    if not pygame.display.get_init() or (pygame.display.get_driver() in UNSEEN and not asked):
        pygame.display.quit()
        return False
    return True


def _width(pygame: Any, svg: str) -> int:
    """The usual width, or what the screen has room for."""
    height, width = pixels(svg).shape[:2]
    room = 0.85 * pygame.display.get_desktop_sizes()[0][1]
    return width if height <= room else int(WIDTH * room / height)
