"""What a seat may see, as data: the position with everything hidden replaced by its size. Hiding happens here, once."""

from typing import Any

from drako_env.drako.dicts import SIDES, state_dict
from drako_env.drako.rules import AREAS, DWARVES, Rules
from drako_env.render import OPEN

NAMES = {"dragon": "the dragon", "fury": "Brald (fury)", "archer": "Morin (archer)", "net": "Urpen (net)"}
MARKS = {"dragon": "D", "fury": "F", "archer": "A", "net": "N"}

QUESTIONS = {
    "exchange": "{agent}: keep the starting hand or exchange it?",
    "placement": "{agent}: where does the next dwarf start?",
    "action": "{agent}: draw or play, {left} left in this turn",
    "late_fury": "{agent}: declare fury for one more action, or end the turn?",
    "move": "{agent}: {card} as {symbol} {value}: who moves where?",
    "attackers": "{agent}: {card} as {symbol} {value}: one strike or two?",
    "target": "{agent}: {card} as {symbol} {value}: at which dwarf?",
    "direction": "{agent}: {card} as {symbol} {value}: in which direction?",
    "defense": "{agent}: {card} strikes {target} for {value}, strike {number} of {strikes}: block or take it?",
    "wound": "{agent}: {wounds} to place on the dragon",
    "discard": "{agent}: discard down to six cards",
    "over": "the {winner} won: {reason}",
}


def scene(rules: Rules, s: Any, seat: int | None) -> dict[str, Any]:
    """The position as `seat` may see it (`None`: as everybody may; `OPEN`: with both hands): hands of others and all
    decks only by size."""
    position = state_dict(rules, s)
    hands, decks = position.pop("hands"), position.pop("decks")
    viewer = None if seat in (None, OPEN) else SIDES[seat]
    return position | {
        "radius": rules.radius,
        "cards": {
            side: {card.name: [list(option) for option in card.options] for card in deck}
            for side, deck in zip(SIDES, rules.decks, strict=True)
        },
        "spaces": {
            "dragon": dict(zip(AREAS, rules.dragon_spaces, strict=True)),
            "dwarves": dict(zip(DWARVES, rules.dwarf_spaces, strict=True)),
        },
        "viewer": viewer,
        "hand": None if viewer is None else hands[viewer],
        "hands": {side: hands[side] if seat == OPEN or side == viewer else None for side in SIDES},
        "hand_sizes": {side: sum(hands[side].values()) for side in SIDES},
        "deck_sizes": {side: sum(decks[side].values()) for side in SIDES},
        "out_of_turn": position["phase"] == "defense",
        "question": question(position),
    }


def question(position: dict[str, Any]) -> str:
    """What is to be decided, in plain words; it uses public facts alone."""
    pending = position["pending"] or {}
    answered = len(pending.get("blocked", []))
    words = pending | {
        "agent": position["agent"],
        "left": _plural(position["actions_left"], "action"),
        "wounds": _plural(pending.get("wounds", 0), "wound"),
        "winner": position["winner"],
        "reason": ending(position),
    }
    if position["phase"] == "defense":
        words |= {
            "target": NAMES[pending["strikes"][answered]],
            "number": answered + 1,
            "strikes": len(pending["strikes"]),
        }
    late = position["phase"] == "action" and position["actions_left"] == 0  # R10.1
    return QUESTIONS["late_fury" if late else position["phase"]].format(**words)


def ending(position: dict[str, Any]) -> str:
    """Why the game ended (R11.1)."""
    if position["winner"] == "dwarves":
        return "the dragon is dead"
    if all(dwarf["hex"] is None for dwarf in position["dwarves"].values()):
        return "all dwarves are dead"
    return "the dwarves are out of cards"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
