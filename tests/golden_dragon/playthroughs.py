"""The scenes and games that `tests.playthroughs` writes for Golden Dragon and Icarius."""

from drako_env import golden_dragon_v0, icarius_v0
from tests.golden_dragon.positions import NO_STORM, NO_VETO, STORM, VETO, move, position
from tests.playthroughs import game_lines, scene_text, titled

SCENES = {
    "storm": (
        "A storm: five stones in their order, one of which fits nobody and passes through (G4, A13)",
        {"first": ["N", "S", "SE", "S", "SW"], "bolts": [2, 0, 0]},
        [STORM, move(0), move(0), move(0), move(1)],
    ),
    "veto_chain": (
        "Everybody else vetoes until only the own dragon is left (G5, V3)",
        {"first": ["S"], "under": ["W", "E", "E"]},
        [NO_STORM, move(1), VETO, move(2), VETO, move(0)],
    ),
    "any_opponent": (
        "Under any_opponent all the others are asked, clockwise; the first veto ends the poll (G5)",
        {"active": 2, "hand": "S", "num_players": 4, "veto_scope": "any_opponent", "bolts": [1, 2, 2, 0]},
        [move(2), NO_VETO, VETO, move(3), VETO, move(0), NO_VETO],
    ),
    "others": (
        "Under others all the others are asked, clockwise, but never about the mover's own dragon (G5)",
        {"active": 2, "hand": "S", "num_players": 4, "veto_scope": "others", "bolts": [1, 2, 2, 0]},
        [move(3), NO_VETO, VETO, move(0), VETO, move(1), VETO, move(2)],
    ),
    "pass_through": (
        "A stone that fits no dragon goes to the back; a veto makes another one pass (G4, A7, A11)",
        {"first": ["N", "E", "S"]},
        [NO_STORM, move(2), VETO, move(0)],
    ),
    "home_from_the_south": (
        "Only the active player's own dragon enters the golden volcano, and wins at once (G4, G7, A2)",
        {"active": 2, "first": ["W", "N"], "cells": [(8, 6), (7, 5), (9, 5)]},
        [NO_STORM, move(1), NO_VETO, move(2)],
    ),
}
# whole random games
GAMES = {
    "game_two_players": ("A random game of two", golden_dragon_v0, {"num_players": 2}),
    "game_icarius_five_players": (
        "A random game of Icarius: five players, any opponent may veto",
        icarius_v0,
        {"num_players": 5, "veto_scope": "any_opponent"},
    ),
    "game_icarius_two_rows": (
        "A random game of Icarius up to a draw: four players, starts in two rows, the others may veto",
        icarius_v0,
        {"num_players": 4, "board": "two_rows", "veto_scope": "others", "max_single_moves": 40},
    ),
}


def picture(game):
    """The public board with all stones below it."""
    shown = game.game.text(game.game.scene(game.position.state, None)).rstrip("\n").splitlines()
    holders = game.state_dict()["holders"]
    return shown + [f"player {seat} holds {' '.join(stones) or 'nothing'}" for seat, stones in enumerate(holders)]


def turn_of(state):
    return None if state["phase"].startswith("setup") else state["active"]


def texts():
    """Every playthrough by name."""
    scenes = {
        name: scene_text(title, position(**setting), actions, picture)
        for name, (title, setting, actions) in SCENES.items()
    }
    return scenes | {
        name: titled(title, game_lines(module.raw_env(**options), 0, picture, turn_of))
        for name, (title, module, options) in GAMES.items()
    }
