"""Pixels: the position is in them, and no font of the machine."""

import hashlib
import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from PIL import Image

from drako_env import drako_v0
from drako_env.render import OPEN, raster
from drako_env.render.svg import text_picture
from tests.drako.positions import play, position
from tests.render.pictures import DWARVES, drawn, fire, netted, over, placement

ROOT = Path(__file__).parents[2]
DIGEST = """
import hashlib, sys
from drako_env.render.raster import pixels
print(hashlib.sha256(pixels(open(sys.argv[1], encoding="utf-8").read()).tobytes()).hexdigest())
"""


def test_pixels_have_the_width_asked_for():
    image = raster.pixels(drawn(fire(), DWARVES), 400)
    assert image.dtype == np.uint8
    assert image.shape == (436, 400, 3)
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 100


def test_text_is_drawn():
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 20"><text y="15" font-family="{}">{}</text></svg>'
    unknown = "Comic Sans, sans-serif"
    empty, letters, other = (raster.pixels(svg.format(unknown, words), 90) for words in ("", "Drako", "Dwarf"))
    assert (empty == 255).all()
    assert (letters != empty).any()
    assert (letters != other).any()
    assert (raster.pixels(svg.format("DejaVu Sans", "Drako"), 90) == letters).all(), "other fonts are not looked for"


@pytest.mark.parametrize("width", [720, 333])
@pytest.mark.parametrize("seat", [DWARVES, OPEN])
def test_parts_drawn_one_by_one_make_the_same_picture(seat, width):
    svg = drawn(fire(), seat)
    with Image.open(BytesIO(raster.png(svg, width))) as image:
        whole = np.array(image.convert("RGB")).astype(int)
    parts = raster.pixels(svg, width)
    assert parts.shape == whole.shape
    assert np.abs(whole - parts).mean() < 0.5
    assert (raster.pixels(svg, width) == parts).all()


def test_what_stays_the_same_is_drawn_once(monkeypatch):
    drawings = []
    honest = raster.png
    monkeypatch.setattr(raster, "png", lambda *arguments: drawings.append(1) or honest(*arguments))
    raster._sprite.cache_clear()
    game = position(hands={"dragon": {"claw-walk": 3}})
    raster.pixels(drawn(game, None))
    first = len(drawings)
    play(game, "draw")
    raster.pixels(drawn(game, None))
    assert first > 10
    assert 0 < len(drawings) - first < first / 2


def test_a_picture_of_no_parts_is_drawn_as_a_whole():
    svg = text_picture("cards ? ?")
    with Image.open(BytesIO(raster.png(svg, 200))) as image:
        assert (raster.pixels(svg, 200) == np.array(image.convert("RGB"))).all()


def test_positions_look_different():
    positions = [placement(), fire(), netted(), over()]
    images = {raster.pixels(drawn(game, None), 200).tobytes() for game in positions}
    assert len(images) == len(positions)


def test_rgb_array_follows_the_game():
    env = drako_v0.env(render_mode="rgb_array")
    env.reset(seed=0)
    before = env.render()
    env.step(0)
    after = env.render()
    assert before.shape == after.shape == (784, 720, 3)
    assert (before != after).any()
    env.reset(seed=0)
    assert (env.render() == before).all()


def impostor(folder):
    """Another font that pretends to be the bundled one, where a system would keep fonts."""
    font = TTFont(raster.FONTS / "DejaVuSans.ttf")
    glyphs = font["hmtx"].metrics
    font["hmtx"].metrics = {name: (advance + 300, side) for name, (advance, side) in glyphs.items()}
    folder.mkdir(parents=True)
    font.save(folder / "DejaVuSans.ttf")


def fontconfig(folder):
    file = folder / "fonts.conf"
    file.write_text(f'<?xml version="1.0"?><fontconfig><dir>{folder / "fonts"}</dir></fontconfig>', encoding="utf-8")
    return file


@pytest.mark.parametrize("fonts", ["none", "others"])
def test_pixels_are_the_same_whatever_fonts_are_installed(fonts, tmp_path):
    picture = tmp_path / "picture.svg"
    picture.write_text(drawn(fire(), DWARVES), encoding="utf-8")
    if fonts == "others":
        impostor(tmp_path / "fonts")
        impostor(tmp_path / ".fonts")
        impostor(tmp_path / ".local" / "share" / "fonts")
    machine = {
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / ".local" / "share"),
        "FONTCONFIG_FILE": str(fontconfig(tmp_path)),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-c", DIGEST, str(picture)]
    done = subprocess.run(command, env=machine, capture_output=True, text=True, check=True)
    here = hashlib.sha256(raster.pixels(picture.read_text(encoding="utf-8")).tobytes()).hexdigest()
    assert done.stdout.strip() == here


@pytest.mark.parametrize("missing", ["resvg_py", "PIL"])
def test_without_the_library_the_error_names_the_extra(missing, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=r"pip install 'drako-env\[pictures\]'"):
        raster.pixels(drawn(placement(), None), 100)
