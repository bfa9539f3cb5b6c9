"""Notebooks show an environment as its picture."""

import pytest

from drako_env import drako_v0
from drako_env.render import OPEN


@pytest.mark.parametrize("seat", [None, "dragon_0", "dwarves_0", "all"])
@pytest.mark.parametrize("make", [drako_v0.env, drako_v0.raw_env])
def test_an_environment_is_shown_as_its_seat_sees_it(make, seat):
    env = make(render_seat=seat)
    assert env._repr_svg_() is None, "nothing is dealt yet"
    env.reset(seed=0)
    game = env.unwrapped
    viewer = {None: None, "all": OPEN, "dragon_0": 0, "dwarves_0": 1}[seat]
    assert env._repr_svg_() == game.game.picture(game.game.scene(game.position.state, viewer))
    assert ("data-card" in env._repr_svg_()) == (seat is not None)


def test_a_gymnasium_environment_is_shown_as_its_seat_sees_it():
    env = drako_v0.gym_env(seat="dwarves_0")
    assert env._repr_svg_() is None
    env.reset(seed=0)
    assert "Dwarves (you)" in env._repr_svg_()


def test_svg_is_a_render_mode_too():
    env = drako_v0.env(render_mode="svg", render_seat="dragon_0")
    env.reset(seed=0)
    assert env.render() == env._repr_svg_()
