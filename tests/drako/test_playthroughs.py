"""The golden games are as they were; `make playthroughs` writes them anew after a change that is meant."""

import pytest

from tests.drako.playthroughs import FOLDER, GAMES, SCENES, texts


@pytest.fixture(scope="module")
def played():
    return texts()


@pytest.mark.parametrize("name", [*SCENES, *GAMES])
def test_playthrough(name, played):
    assert played[name] == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_no_playthrough_is_left_over():
    assert {path.stem for path in FOLDER.iterdir()} == {*SCENES, *GAMES}
