"""Golden pictures: a change of the drawing shows up as a change of these files, which any browser opens.

python -m tests.render.pictures        writes them anew (or: make pictures)
"""

from pathlib import Path

from drako_env import drako_v0
from tests.drako.positions import play, position

FOLDER = Path(__file__).parent / "pictures"
DRAGON, DWARVES = 0, 1


def placement():
    game = drako_v0.raw_env(exchange=False)
    game.reset(seed=1)
    play(game, "place fury on (-2,0)")
    return game


def fire():
    hands = {
        "dragon": {"fire": 1, "claw-walk": 2, "maul": 1},
        "dwarves": {"great-axe-shield": 1, "twin-axes": 1, "crossbow-step": 1, "net": 1, "shield": 1, "march": 1},
    }
    game = position(
        hands=hands, dragon=(-2, 0), net=(-1, 0), archer=(1, 0), wounds={"armor": 3, "fury_dwarf": 2}, fury=(1, 1)
    )
    play(game, "play fire as fire", "breathe in direction 0", "take the strike")
    return game


def netted():
    game = position(
        agent="dwarves",
        hands={"dwarves": {"crossbow": 2, "march": 1}, "dragon": {"walk-scales": 3, "flight-scales": 1}},
        fury=(1, 0),
        archer=(-2, 0),
        net=None,
        netted=True,
        fury_used=True,
        wounds={"armor": 4, "flight": 1, "movement": 2},
    )
    play(game, "play crossbow as crossbow")
    return game


def eight_cards():
    game = position(hands={"dragon": {"fire": 1, "claw-walk": 2, "flight-scales": 1, "walk": 1, "maul": 1}}, radius=3)
    play(game, "draw")
    return game


def two_strikes():
    game = position(
        agent="dwarves",
        hands={"dwarves": {"twin-axes": 1}, "dragon": {"bite": 1}},
        fury=(1, 0),
        net=(0, 1),
        radius=4,
    )
    play(game, "play twin-axes as attack2", "strike twice", "take the strike")
    return game


def over():
    game = position(
        agent="dwarves",
        hands={"dwarves": {"great-axe-shield": 1}, "dragon": {"claw-scales": 1}},
        fury=(1, 0),
        wounds={"armor": 4, "flight": 3, "movement": 1, "fire": 2},
    )
    play(game, "play great-axe-shield as attack1", "take the strike")
    return game


# name -> (position, who looks on)
PICTURES = {
    "placement": (placement, DWARVES),
    "fire": (fire, DWARVES),
    "netted": (netted, DRAGON),
    "eight_cards": (eight_cards, DRAGON),
    "two_strikes": (two_strikes, None),
    "over": (over, DWARVES),
}


def drawn(game, seat):
    """The picture of a game as a seat sees it."""
    return game.game.picture(game.game.scene(game.position.state, seat))


def normalised(svg):
    """One element a line, so that a difference can be read."""
    return svg.replace("><", ">\n<")


def golden():
    """Every golden picture by name."""
    return {name: normalised(drawn(make(), seat)) for name, (make, seat) in PICTURES.items()}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, svg in golden().items():
        (FOLDER / f"{name}.svg").write_text(svg, encoding="utf-8")
        print(f"{name}: {len(svg):,} characters")
