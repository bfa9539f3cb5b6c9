"""The scenes and games that `tests.playthroughs` writes for Drako."""

from drako_env import drako_v0
from tests.drako.positions import position
from tests.playthroughs import game_lines, scene_text, titled

SCENES = {
    "fire_along_a_line": (
        "Fire hits every dwarf on the line, nearest first; one is blocked (R7.4-R7.6)",
        {
            "hands": {"dragon": {"fire": 1}, "dwarves": {"shield": 1, "march": 1}},
            "dragon": (-2, 0),
            "net": (-1, 0),
            "archer": (0, 0),
            "fury": (2, 0),
        },
        ["play fire as fire", "breathe in direction 0", "take the strike", "block with shield", "take the strike"],
    ),
    "net_and_escape": (
        "The net is thrown, the dragon bites, escapes, and is netted again (R8)",
        {
            "agent": "dwarves",
            "hands": {"dwarves": {"net": 2, "march": 1}, "dragon": {"bite": 1, "walk": 1}},
            "net": (1, 0),
        },
        [
            "play net as net",
            "draw",
            "play bite as attack",
            "attack net",
            "take the strike",
            "draw",
            "play march as move1",
            "stop",
            "draw",
            "escape the net",
            "play net as net",
        ],
    ),
    "fury_and_twin_axes": (
        "A fury turn: three actions, two strikes, the rest placed as wounds (R7.1, R9.2, R10)",
        {
            "agent": "dwarves",
            "hands": {"dwarves": {"twin-axes": 2, "great-axe-step": 1}, "dragon": {"flight-scales": 1}},
            "fury": (1, 0),
            "net": (0, 1),
            "wounds": {"armor": 2},
        },
        [
            "declare fury",
            "play twin-axes as attack2",
            "strike twice",
            "take the strike",
            "block with flight-scales",
            "play great-axe-step as attack1",
            "take the strike",
            "wound movement",
            "play twin-axes as attack2",
            "strike twice",
            "take the strike",
            "take the strike",
            "wound movement",
            "wound flight",
        ],
    ),
    "late_fury": (
        "2019: the attack was blocked, so the dwarves declare fury after their last action (R10.1, R10.3)",
        {
            "agent": "dwarves",
            "hands": {"dwarves": {"axe-shield": 2, "great-axe-step": 1}, "dragon": {"claw-scales": 1}},
            "fury": (1, 0),
            "edition": "2019",
        },
        [
            "play axe-shield as attack1",
            "take the strike",
            "play axe-shield as attack1",
            "block with claw-scales",
            "declare fury",
            "play great-axe-step as attack1",
            "take the strike",
        ],
    ),
    "no_late_fury": (
        "2019: asked after its last action, the dwarf player keeps fury for later (R10.1, R10.3)",
        {"agent": "dwarves", "hands": {"dwarves": {"march": 1}}, "edition": "2019"},
        ["draw", "draw", "stop", "draw"],
    ),
    "crossbow_and_march": (
        "The archer steps into line and shoots; two dwarves march (R6.2, R7.2)",
        {"agent": "dwarves", "hands": {"dwarves": {"crossbow-step": 1, "crossbow": 1, "march": 2}}, "archer": (-2, 1)},
        [
            "play march as move2",
            "move archer to (-2,0)",
            "move fury to (1,0)",
            "play crossbow as crossbow",
            "take the strike",
        ],
    ),
    "out_of_cards": (
        "A stuck dragon discards, then sits its turns out until the dwarves' last card (R5.5-R5.7)",
        {
            "hands": {"dragon": {"maul": 2}, "dwarves": {"march": 2}},
            "decks": {"dragon": {}, "dwarves": {"march": 1}},
        },
        [
            "discard maul",
            "discard maul",
            "draw",
            "play march as move1",
            "move net to (1,-1)",
            "play march as move2",
            "stop",
            "play march as move1",
            "stop",
        ],
    ),
    "the_last_wound": (
        "Wounds enough to fill every space kill at once (R9.4, R11.1)",
        {
            "agent": "dwarves",
            "hands": {"dwarves": {"great-axe-shield": 1}, "dragon": {"claw-scales": 1}},
            "fury": (1, 0),
            "wounds": {"armor": 4, "flight": 3, "movement": 1, "fire": 2},
        },
        ["play great-axe-shield as attack1", "take the strike"],
    ),
}
# whole random games: one for each way to end (R11.1)
GAMES = {
    "game_dragon_dead": "the dragon is dead",
    "game_dwarves_dead": "all dwarves are dead",
    "game_dwarves_out_of_cards": "the dwarves are out of cards",
}


def picture(game):
    """The public board with both hands below it."""
    shown = game.game.text(game.game.scene(game.position.state, None)).rstrip("\n").splitlines()
    hands = game.state_dict()["hands"]
    return shown + [
        f"{side:<8} holds {', '.join(f'{n} {c}' for c, n in sorted(hands[side].items())) or 'nothing'}"
        for side in hands
    ]


def exchange_text():
    """The start of a game in which one side exchanges its hand."""
    game = drako_v0.raw_env(placement="first_game")
    game.reset(seed=0)
    title = "The dragon exchanges its starting hand; the dwarves do not see it, but that it was done (R4.2, R12.1)"
    return scene_text(title, game, ["exchange the hand", "keep the hand", "draw"], seen_exchange)


def seen_exchange(game):
    """The picture, and what both seats observe of the exchange."""
    lines, fields = picture(game), game.observation_fields
    for seat in game.possible_agents:
        seen = game.observe(seat)["observation"]
        entries = [f"{name} {seen[fields[name]][0]}" for name in ("own_exchanged", "opponent_exchanged")]
        lines.append(f"{seat} observes {', '.join(entries)}")
    return lines


def turn_of(state):
    return state["turn"] if state["phase"] == "action" else None


def game_text(reason):
    """The first seed whose random game ends in this way."""
    for seed in range(1000):
        game = drako_v0.raw_env()
        lines = game_lines(game, seed, picture, turn_of)
        if reason in picture(game)[0]:
            return titled(f"A random game, seed {seed}: {reason}", lines)
    raise AssertionError(f"no random game ends with {reason!r}")


def texts():
    """Every playthrough by name."""
    scenes = {
        name: scene_text(title, position(**setting), actions, picture)
        for name, (title, setting, actions) in SCENES.items()
    }
    scenes["exchange"] = exchange_text()
    return scenes | {name: game_text(reason) for name, reason in GAMES.items()}
