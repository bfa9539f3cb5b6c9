"""Golden games that a person can read: a change of the rules shows up as a change of these texts.

python -m tests.playthroughs        writes those of every game anew (or: make playthroughs)
"""

import random
from importlib import import_module
from pathlib import Path

from tests.play import legal, play, random_action

GAMES = ("drako", "golden_dragon")


def titled(title, lines):
    return "\n".join([title, "=" * len(title), *lines, ""])


def grouped(actions):
    """The legal actions, with the places that a figure may go to in one entry."""
    entries = {}
    for action in sorted(actions):
        words, _, place = action.partition(" (")
        entries.setdefault(words, []).append(f" ({place}" if place else "")
    return [words + "".join(places) for words, places in entries.items()]


def decision(game, action):
    """What could be played, and what is."""
    state = game.state_dict()
    stone = f" with {state['hand']}" if state.get("hand") else ""
    return [f"    {' | '.join(grouped(legal(game)))}", f"{state['agent']}{stone} > {action}"]


def scene_text(title, game, actions, picture):
    """A scripted scene with the picture before every decision."""
    lines = [""]
    for action in actions:
        lines += [*picture(game), *decision(game, action), ""]
        play(game, action)
    return titled(title, [*lines, *picture(game)])


def game_lines(game, seed, picture, turn_of):
    """A random game: the picture at the start of each turn, then its decisions. `turn_of(state)` is the turn that
    begins with a decision, or None."""
    chance, lines, turn = random.Random(seed), [], None
    game.reset(seed=seed)
    while not game.terminations[game.agent_selection]:
        action, begins = random_action(game, chance), turn_of(game.state_dict())
        if begins not in (None, turn):
            turn = begins
            lines += ["", *picture(game)]
        lines += decision(game, game.game.action_text(action))
        game.step(action)
    return [*lines, "", *picture(game)]


def folder(game):
    """Where the texts of a game lie."""
    return Path(__file__).parent / game / "playthroughs"


def texts(game):
    """Every playthrough of a game by name."""
    return import_module(f"tests.{game}.playthroughs").texts()


if __name__ == "__main__":
    for game in GAMES:
        folder(game).mkdir(exist_ok=True)
        for name, text in texts(game).items():
            (folder(game) / f"{name}.txt").write_text(text, encoding="utf-8")
            print(f"{game} {name}: {text.count(chr(10))} lines")
