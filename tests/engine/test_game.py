"""What all games share: records, masks, roles."""

from dataclasses import replace

import numpy as np
import pytest

from drako_env.engine import position as engine
from drako_env.engine.game import new_masks, new_states, role_of, sides
from drako_env.engine.position import prepare
from drako_env.engine.tree import NODE
from drako_env.games import make_game
from tests.every_game import every_game, one_of_each_game


@pytest.mark.parametrize(("seat", "role"), [("dragon_0", "dragon"), ("player_12", "player"), ("lone", "lone")])
def test_the_role_of_a_seat(seat, role):
    assert role_of(seat) == role
    assert role_of("player_x") == "player_x", "only a number is one"


def test_a_seat_with_a_role_of_its_own_is_a_side_and_so_is_a_shared_role():
    drako, golden_dragon = make_game("drako"), make_game("golden_dragon", num_players=3)
    assert sides(drako) == ["dragon_0", "dwarves_0"]
    assert sides(golden_dragon) == ["player"]


@every_game
def test_masks_are_whole_groups_of_words_with_eight_spare_bytes(module, options):
    game = module.raw_env(**options).game
    masks = new_masks(game, 3)
    assert masks.shape[0] == 3
    assert masks.shape[1] % 4 == 0
    assert 8 <= 8 * masks.shape[1] - len(game.actions) < 8 + 32


@one_of_each_game
def test_a_record_has_no_gaps_between_its_fields(module, options):
    """Else copies of equal positions could differ in bytes that no field owns."""
    record = module.raw_env(**options).game.state_dtype
    assert sum(field[0].itemsize for field in record.fields.values()) == record.itemsize


@one_of_each_game
def test_records_are_aligned(module, options):
    """So that the compiler may read and write every field in one go."""
    game = module.raw_env(**options).game
    assert all(record.isalignedstruct for record in (game.state_dtype, game.tables.dtype, NODE))


@every_game
def test_a_deal_leaves_nothing_of_the_last_game(module, options):
    """Into a new record or one that was used for anything: the same random numbers deal the same game."""
    game = module.raw_env(**options).game
    fresh, used = new_states(game, 1), new_states(game, 1)
    for name in set(game.state_dtype.names) - {"spare"}:
        used[name] = 1
    for cards in {"hand", "deck", "discards"} & {name for name in used.dtype.names if used[name].ndim == 3}:
        used[cards] = fresh[cards]
        used[cards][..., 0] = 5
    masks = [new_masks(game, 1).view(np.int8)[0] for _ in range(2)]
    fresh["rng"] = used["rng"] = 11
    seats = [game.kernels.deal_one(game.tables, s, 0, m) for s, m in zip((fresh, used), masks, strict=True)]
    assert seats[0] == seats[1]
    assert used.tobytes() == fresh.tobytes()
    assert masks[0].tobytes() == masks[1].tobytes()


@one_of_each_game
def test_preparing_calls_what_a_single_game_needs_on_the_one_record_there_is(module, options, monkeypatch):
    """Machine code does not look at bounds."""
    game, called = module.raw_env(**options).game, []

    def watched(name, kernel):
        def call(*arguments):
            states, i = arguments[0:2] if name == "reward_one" else arguments[1:3]
            assert 0 <= i < len(states), name
            called.append(name)
            return kernel(*arguments)

        return call

    watching = type(game)(game.rules)
    watching.kernels = replace(game.kernels, **{name: watched(name, k) for name, k in vars(game.kernels).items()})
    monkeypatch.setattr(engine, "never_compiled", lambda *kernels: True)
    prepare(watching)
    assert sorted(called) == ["deal_one", "observe_one", "play_one", "reward_one"]
    monkeypatch.setattr(engine, "never_compiled", lambda *kernels: False)
    called.clear()
    prepare(watching)
    assert called == ["deal_one"], "a warm start opens no more than it needs"
