"""The golden games are as they were; `make playthroughs` writes them anew after a change that is meant."""

from functools import cache

import pytest

from tests.playthroughs import GAMES, folder, texts

texts = cache(texts)
WRITTEN = [(game, path.stem) for game in GAMES for path in sorted(folder(game).iterdir())]


@pytest.mark.parametrize(("game", "name"), WRITTEN)
def test_playthrough(game, name):
    assert name in texts(game), "it is left over"
    assert texts(game)[name] == (folder(game) / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("game", GAMES)
def test_every_playthrough_is_written(game):
    assert {name for written, name in WRITTEN if written == game} == set(texts(game))
