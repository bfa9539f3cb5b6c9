"""G12: Icarius is Golden Dragon upside down, so what one sees and does is what the other sees and does elsewhere."""

import numpy as np
import pytest

from drako_env.envs.batch import GameBatch
from drako_env.games import make_game
from drako_env.golden_dragon.twin import twin_orders


@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_g12_a_game_and_its_mirror_image_go_the_same_way(num_players):
    """The same decisions in both: at every step the twin's observation and mask are the game's, reordered."""
    game, twin = (make_game(name, num_players=num_players) for name in ("golden_dragon", "icarius"))
    seen, actions = twin_orders(game, twin)
    assert sorted(seen) == list(range(len(game.observation_high)))
    assert sorted(actions) == list(range(len(game.actions)))
    assert not np.array_equal(seen, np.arange(len(seen)))
    mine, theirs = GameBatch(game, 50, seed=1), GameBatch(twin, 50, seed=2)
    back = np.argsort(actions)
    for _ in range(150):
        assert np.array_equal(theirs.observation, mine.observation[:, seen])
        assert np.array_equal(theirs.action_mask, mine.action_mask[:, actions])
        chosen = mine.sample()
        mine.step(chosen)
        theirs.step(back[chosen])


def test_g12_other_boards_are_no_mirror_images():
    game, twin = make_game("golden_dragon"), make_game("icarius", board="compact8")
    with pytest.raises(ValueError, match="no mirror images"):
        twin_orders(game, twin)
