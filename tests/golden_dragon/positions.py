"""Hand-set positions: say what matters, the rest is quiet (dragons on their starts, all stones and cards there)."""

from drako_env import golden_dragon_v0
from drako_env.golden_dragon.rules import BOARDS, OPTIONS
from tests.oracle import golden_dragon as oracle
from tests.play import after, legal, play, random_play

__all__ = ["after", "legal", "movable", "move", "play", "position", "random_positions", "turn"]

SCOPES = OPTIONS["veto_scope"]
SHIPPED = sorted(path.stem for path in BOARDS.glob("*.toml"))
BOARD_NAMES = [name for name in SHIPPED if not name.startswith("icarius_")]
"""In both games: Icarius has its own mirror image of each."""
VETO, NO_VETO = "play a lightning card", "play no lightning card"
STORM, NO_STORM = "play a storm card", "play no storm card"


def position(active=0, hand=None, first=(), cells=None, num_players=3, **given):
    """A game in which `active` is to place the stone in `hand`, or else is asked about a storm.

    `first` are the next stones of its holder (after `hand`), then come the others of a whole set; `cells` are the
    dragons'. Of `given`, keys of `state_dict` change the position as they say, the rest are options."""
    keys = {key: given.pop(key) for key in list(given) if key in KEYS}
    game = golden_dragon_v0.raw_env(num_players=num_players, **given)
    game.reset(seed=0)
    winds, starts = [name for name, _, _ in game.game.rules.board.winds], game.game.rules.board.starts
    under = keys.get("under", [winds[2]] * num_players)
    holders = [[wind for wind in winds if wind != under[seat]] for seat in range(num_players)]
    taken = [hand, *first] if hand else list(first)
    rest = [wind for wind in winds if wind not in (*taken, under[active])]
    holders[active] = (taken + rest)[:5][1 if hand else 0 :]
    state = game.state_dict() | {
        "phase": "place" if hand else "storm",
        "agent": active,
        "active": active,
        "positions": [list(cell) for cell in cells or starts[:num_players]],
        "under": under,
        "holders": holders,
        "hand": hand,
    }
    game.load_state_dict(state | keys)
    return game


KEYS = ("phase", "agent", "moves_left", "under", "holders", "storms", "bolts", "barred", "announced", "single_moves")


def turn(active=0, *, first, **setting):
    """A turn without a storm, its first stones given."""
    game = position(active, first=first, **setting)
    play(game, NO_STORM)
    return game


def move(dragon):
    """The words for moving a dragon."""
    return f"move the dragon of player {dragon}"


def movable(game):
    """The dragons that the stone in hand may move."""
    ids = [game.action_dict(i) for i in legal(game).values()]
    return [action["dragon"] for action in ids if action["type"] == "place"]


def random_options(chance):
    """Any number of players, veto scope and shipped board."""
    return {
        "num_players": chance.randint(2, 5),
        "veto_scope": chance.choice(SCOPES),
        "board": chance.choice(("auto", *BOARD_NAMES)),
        "first_turn": chance.choice((3, 3, 2, 1)),
    }


def random_positions(seed, games=None, every=1, **options):
    """Games at each decision of random play (every so many); new options for each game unless given."""
    return random_play(
        lambda chance: golden_dragon_v0.raw_env(**(options or random_options(chance))), seed, games, every
    )


def oracle_rules(rules):
    """The same rules for the independent reference, whatever the board."""
    return oracle.OracleRules(
        **oracle.read_board(rules.board.rows),
        dirs={name: (down, right) for name, down, right in rules.board.winds},
        n_players=rules.num_players,
        veto_scope=rules.veto_scope,
        max_single_moves=rules.max_single_moves,
        first_turn=rules.first_turn,
    )
