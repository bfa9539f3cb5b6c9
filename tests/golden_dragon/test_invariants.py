"""G2: what holds after every single move of every game."""

import numpy as np
import pytest

from drako_env import golden_dragon_v0
from drako_env.golden_dragon.state import HOLDER_SIZE, NO_WIND, NOBODY, OFF_BOARD, Phase
from tests.golden_dragon.positions import SCOPES

HOLDING = (Phase.PLACE, Phase.VETO)
SETTING_UP = (Phase.SETUP_STONE, Phase.SETUP_SIDE, Phase.SETUP_ORDER)


def broken(states, rules, goal):
    """The names of the invariants that some of the games break."""
    n = rules.num_players
    s = {name: states[name][:, :n] for name in ("cell", "under", "storms", "bolts", "held", "unseen", "holder")}
    phase, seats = states["phase"], np.arange(n)
    over, playing = phase == Phase.OVER, ~np.isin(phase, SETTING_UP)
    holding = np.isin(phase, HOLDING)
    active = seats == states["active"][:, None]
    stones = [s["under"], s["holder"].reshape(len(states), n * HOLDER_SIZE), states["hand"][:, None]]
    everything = np.concatenate(stones, axis=1)
    copies = np.stack([(everything == wind).sum(axis=1) for wind in range(6)], axis=1)
    cells = np.sort(s["cell"], axis=1)
    standing = cells != OFF_BOARD
    shared = ((cells[:, 1:] == cells[:, :-1]) & standing[:, 1:]).any(axis=1)
    on_goal = s["cell"] == goal
    won = states["winner"] != NOBODY
    slots = np.arange(HOLDER_SIZE)
    filled = slots < s["held"][:, :, None]
    good = {
        "every holder has five stones, but for the one in hand": (
            s["held"][playing] == HOLDER_SIZE - (active & holding[:, None])[playing]
        ),
        "stones fill a holder from the front": (s["holder"] != NO_WIND) == filled,
        "each dragon stands on exactly one stone": ((s["under"] != NO_WIND) & (s["cell"] != OFF_BOARD))[playing],
        "there are n copies of each wind": copies[playing] == n,
        "nobody has a stone twice while setting up": copies[~playing] <= n,
        "dragons never share a cell": ~shared,
        "cells are cells": (s["cell"] >= OFF_BOARD) & (s["cell"] < len(rules.board.cells)),
        "the goal holds nobody but the winner": on_goal == (won[:, None] & (seats == states["winner"][:, None])),
        "only the active player wins": states["winner"][won] == states["active"][won],
        "cards do not come back from nowhere": (s["storms"] >= 0)
        & (s["storms"] <= 2)
        & (s["bolts"] >= 0)
        & (s["bolts"] <= 2),
        "a stone is in hand while it is placed or polled": (states["hand"] != NO_WIND) == holding,
        "only then are dragons barred": holding | (states["barred"] == 0),
        "a dragon is announced during a poll": (states["announced"] != NOBODY) == (phase == Phase.VETO),
        "the announced dragon is not barred": (
            (states["barred"] >> np.maximum(states["announced"], 0) & 1)[phase == Phase.VETO] == 0
        ),
        "only a seat with lightning is asked for a veto": (
            np.take_along_axis(s["bolts"], np.maximum(states["agent"], 0)[:, None].astype(int), axis=1)[
                phase == Phase.VETO
            ]
            > 0
        ),
        "the active player decides, but for vetoes": (
            (states["agent"] == states["active"])[np.isin(phase, (Phase.STORM, Phase.PLACE))]
        ),
        "the mover does not veto": (states["agent"] != states["active"])[phase == Phase.VETO],
        "the mover's own dragon is polled and barred only where any opponent may veto it": (
            (rules.veto_scope == "any_opponent")
            | ((states["announced"] != states["active"]) & (states["barred"] >> states["active"] & 1 == 0))
        ),
        "one to five moves are left": ((states["moves_left"] >= 1) & (states["moves_left"] <= 5))[~over],
        "the game ends with a win or at the limit": over == (won | (states["single_moves"] >= rules.max_single_moves)),
        "nobody decides when it is over": over == (states["agent"] == NOBODY),
    }
    return [name for name, holds in good.items() if not np.all(holds)]


def play_games(num_players, scope, games, side_by_side):
    """Random games with the invariants checked after every decision, those at the end too; the lengths of the games in
    single moves."""
    batch = golden_dragon_v0.batch_env(
        side_by_side, seed=num_players, observe=False, num_players=num_players, veto_scope=scope
    )
    rules, goal = batch.game.rules, int(batch.game.tables["goal"][0])
    lengths, ended = [], batch.states.copy()
    while len(lengths) < games:
        batch.step(batch.sample(), ended=ended)
        over = ended[batch.done]
        assert not (found := broken(np.concatenate([batch.states, over]), rules, goal)), found
        assert (over["phase"] == Phase.OVER).all()
        assert batch.action_mask.any(axis=1).all(), "whoever decides has a choice"
        lengths += over["single_moves"].tolist()
    return lengths


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_g2_invariants_after_every_decision(num_players, scope):
    play_games(num_players, scope, games=100, side_by_side=60)


@pytest.mark.slow
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_g2_invariants_over_ten_thousand_games(num_players, scope):
    lengths = play_games(num_players, scope, games=10_000, side_by_side=2000)
    low, median, high = np.percentile(lengths, [5, 50, 95])
    draws = sum(length >= 600 for length in lengths)
    print(
        f"{num_players} players, {scope}: {len(lengths):,} games, median {median:.0f} single moves "
        f"({low:.0f}-{high:.0f}), longest {max(lengths)}, at the limit {draws}"
    )


SPOILT = {
    "every holder has five stones, but for the one in hand": lambda s: s["held"].__setitem__((0, 0), 3),
    "there are n copies of each wind": lambda s: s["under"].__setitem__((0, 1), (s["under"][0, 1] + 1) % 6),
    "dragons never share a cell": lambda s: s["cell"].__setitem__((0, 1), s["cell"][0, 0]),
    "each dragon stands on exactly one stone": lambda s: s["under"].__setitem__((0, 1), NO_WIND),
    "the goal holds nobody but the winner": lambda s: s["winner"].__setitem__(0, 1),
    "only then are dragons barred": lambda s: s["barred"].__setitem__(0, 2),
    "the mover's own dragon is polled and barred only where any opponent may veto it": (
        lambda s: s["announced"].__setitem__(0, s["active"][0])
    ),
    "one to five moves are left": lambda s: s["moves_left"].__setitem__(0, 0),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_broken_invariant_is_seen(name):
    batch = golden_dragon_v0.batch_env(1, seed=0, num_players=3)
    while batch._states["phase"][0] != Phase.STORM:
        batch.step(batch.sample())
    states, goal = batch._states.copy(), int(batch.game.tables["goal"][0])
    assert broken(states, batch.game.rules, goal) == []
    SPOILT[name](states)
    assert name in broken(states, batch.game.rules, goal)
