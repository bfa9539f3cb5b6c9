"""Hand-set positions: say what matters, the rest is quiet (figures apart, no wounds, empty hands, full draw piles)."""

from drako_env import drako_v0
from tests.play import after, legal, legal_starting, play

__all__ = ["after", "legal", "legal_starting", "play", "position"]

# far apart, nobody next to anybody, no dwarf in a line with the dragon (R4.3, the first game)
HEXES = {"dragon": (0, 0), "fury": (1, 1), "archer": (-2, 1), "net": (1, -2)}


def position(
    agent="dragon",
    hands=None,
    decks=None,
    wounds=None,
    netted=False,
    fury_used=False,
    actions_left=2,
    actions_spent=0,
    rules="reconstructed",
    **options,
):
    """A game in which `agent` is about to act. `options` are hexes (`fury=(0, 1)`, `net=None`) and rules options."""
    hexes = HEXES | {name: options.pop(name) for name in list(options) if name in HEXES}
    wounds = wounds or {}
    game = drako_v0.raw_env(rules=rules, exchange=False, **options)
    game.reset(seed=0)
    state = game.state_dict()
    spaces = dict(zip(("fury", "archer", "net"), game.game.rules.dwarf_spaces, strict=True))
    state |= {
        "phase": "action",
        "agent": agent,
        "turn": 2 if agent == "dragon" else 1,
        "turn_agent": agent,
        "actions_left": actions_left,
        "actions_spent": actions_spent,
        "fury_used": fury_used,
        "hands": {"dragon": {}, "dwarves": {}} | (hands or {}),
        "decks": {"dragon": {"walk": 6}, "dwarves": {"march": 4}} | (decks or {}),
    }
    areas = {area: wounds.get(area, 0) for area in ("armor", "flight", "movement", "fire")}
    state["dragon"] = {"hex": list(hexes["dragon"]), "netted": netted, "wounds": areas}
    for dwarf in ("fury", "archer", "net"):
        place = hexes[dwarf]
        taken = wounds.get(f"{dwarf}_dwarf", 0) if place else spaces[dwarf]
        state["dwarves"][dwarf] = {"hex": place and list(place), "wounds": taken}
    game.load_state_dict(state)
    return game
