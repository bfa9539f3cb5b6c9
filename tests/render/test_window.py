"""The window of `render_mode="human"`: opened when needed, closed with the environment, a clear word without screen."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import gymnasium
import numpy as np
import pygame
import pytest

from drako_env import drako_v0
from drako_env.envs.aec import GameEnv
from drako_env.render import raster
from drako_env.render.window import Window

ROOT = Path(__file__).parents[2]
PLAY = "from drako_env import drako_v0; drako_v0.raw_env(render_mode='human').reset(seed=0)"
CHECK = """
import gymnasium, drako_env
from gymnasium.utils.env_checker import check_env
check_env(gymnasium.make("drako_env/Drako-v0", illegal="random"))
"""


@pytest.fixture
def screen(monkeypatch):
    """A screen that nobody sees."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(GameEnv.metadata, "render_fps", 1000)
    yield
    pygame.display.quit()


def shown(game):
    """What the window of a game shows, as `(height, width, 3)`."""
    return pygame.surfarray.array3d(game._window._window.get_surface()).swapaxes(0, 1)


def expected(game):
    picture = game.game.picture(game.game.scene(game.position.state, None))
    return raster.pixels(picture, shown(game).shape[1])


def test_the_window_shows_the_position_after_every_step(screen):
    game = drako_v0.raw_env(render_mode="human")
    assert game._window._window is None
    game.reset(seed=0)
    first = shown(game)
    assert np.array_equal(first, expected(game))
    game.step(0)
    assert np.array_equal(shown(game), expected(game))
    assert not np.array_equal(shown(game), first)
    assert game.render() is None
    game.close()
    assert game._window._window is None


def test_a_closed_environment_may_show_again(screen):
    game = drako_v0.raw_env(render_mode="human")
    game.close()
    game.reset(seed=0)
    game.close()
    game.render()
    assert game._window._window is not None
    game.close()


def test_copies_have_windows_of_their_own(screen):
    game = drako_v0.raw_env(render_mode="human")
    game.reset(seed=0)
    for twin in (copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert twin._window._window is None
        twin.step(0)
        assert twin._window._window is not game._window._window
        assert not np.array_equal(shown(twin), shown(game))
        twin.close()
    game.close()


def test_who_closes_the_window_is_not_shown_another(screen):
    game, other = drako_v0.raw_env(render_mode="human"), drako_v0.raw_env(render_mode="human")
    game.reset(seed=0)
    other.reset(seed=0)
    pygame.event.post(pygame.event.Event(pygame.WINDOWCLOSE, window=game._window._window))
    other.step(0)
    game.step(0)
    assert game._window._window is None
    game.step(0)
    assert game._window._window is None
    assert other._window._window is not None
    game.close()
    game.reset(seed=0)
    assert game._window._window is not None
    game.close()
    other.close()


def test_the_same_picture_is_drawn_once(screen, monkeypatch):
    game, drawn = drako_v0.raw_env(render_mode="human"), []
    monkeypatch.setattr(Window, "_draw", lambda self, svg: drawn.append(svg) or setattr(self, "_shown", svg))
    game.reset(seed=0)
    game.render()
    game.step(0)
    game.render()
    assert len(drawn) == 2


def test_a_picture_stays_for_a_while(screen, monkeypatch):
    ticks = []
    monkeypatch.setitem(GameEnv.metadata, "render_fps", 2)
    monkeypatch.setattr(pygame.time, "Clock", lambda: SimpleNamespace(tick=ticks.append))
    game = drako_v0.raw_env(render_mode="human")
    game.reset(seed=0)
    game.step(0)
    game.close()
    assert ticks == [2, 2]


def test_a_low_screen_gets_a_smaller_window(screen, monkeypatch):
    monkeypatch.setattr(pygame.display, "get_desktop_sizes", lambda: [(800, 600)])
    game = drako_v0.raw_env(render_mode="human")
    game.reset(seed=0)
    height, width, _ = shown(game).shape
    assert height <= 520
    assert width == pytest.approx(height * 720 / 784, abs=1)
    game.close()


def test_the_window_takes_the_size_of_its_picture(screen):
    window, svg = Window("sizes", 1000), '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 {}"/>'
    for height in (60, 30, 45):
        window.show(svg.format(height))
        assert window._window.get_surface().get_size() == (720, height * 8)
    window.close()


def test_gymnasium_shows_the_seat_in_a_window(screen):
    env = gymnasium.make("drako_env/Drako-v0", render_mode="human")
    _, info = env.reset(seed=0)
    game = env.unwrapped
    first = shown(game)
    env.step(int(info["action_mask"].argmax()))
    assert not np.array_equal(shown(game), first)
    env.close()
    assert game._window._window is None


@pytest.mark.parametrize("display", [{}, {"DISPLAY": ":97"}], ids=["no display", "unreachable display"])
@pytest.mark.parametrize("code", [PLAY, CHECK], ids=["play", "check_env"])
def test_without_a_screen_one_line_says_what_to_do(code, display):
    """And everything goes on: Gymnasium's and PettingZoo's tests try every render mode wherever they run."""
    machine = {k: v for k, v in os.environ.items() if k not in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY")}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=machine | display, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("UserWarning: render_mode='human' opens a window, but there is no display here") == 1
    assert "use render_mode='ansi' for text" in done.stderr


def test_without_pygame_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    game = drako_v0.raw_env(render_mode="human")
    with pytest.raises(ImportError, match=r"needs pygame-ce: pip install 'drako-env\[pictures\]'; or use render_mode="):
        game.reset(seed=0)


def test_pygame_without_its_community_edition_is_not_enough(screen, monkeypatch):
    monkeypatch.delattr(pygame, "Window")
    with pytest.raises(ImportError, match="needs pygame-ce"):
        drako_v0.raw_env(render_mode="human").reset(seed=0)
