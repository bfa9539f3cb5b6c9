"""Drako for people: what can be chosen, what happened and what lies where, in the words of the rules and of the cards.

All of it is made of scenes, so a person is told no more than that seat may see. Names of hexes: rows are letters from
the top, hexes count from the left, so the centre of the usual board is C3."""

from collections.abc import Mapping
from typing import Any

from drako_env.drako.rules import VALUELESS
from drako_env.engine.hexboard import hexes, ray

Scene = Mapping[str, Any]
Marks = list[tuple[str, str]]

FIGURES = {"dragon": "the dragon", "fury": "Brald", "archer": "Morin", "net": "Urpen"}
SIDES = {"dragon": "the dragon", "dwarves": "the dwarves"}
COMPASS = ("east", "north-east", "north-west", "west", "south-west", "south-east")
SYMBOLS = {
    "move": "walk up to {}",
    "flight": "fly to any empty hex",
    "attack": "bite for {}",
    "fire": "breathe fire for {}",
    "move1": "move one dwarf up to {}",
    "move2": "move two dwarves up to {} each",
    "attack1": "strike for {}",
    "attack2": "strike with two dwarves for {} each",
    "crossbow": "shoot for {}",
    "net": "throw the net",
    "defense": "block a strike",
}
HELP = {
    "move": "The dragon walks so many hexes at most. Nobody crosses an occupied hex.",
    "flight": "The dragon flies to any empty hex of the board.",
    "attack": "The dragon bites one dwarf beside it.",
    "fire": "The dragon breathes along a straight line to the edge: every dwarf on it is struck.",
    "defense": "Played in the other's turn: stops one strike on one figure completely, and costs no action.",
    "move1": "One dwarf walks so many hexes at most.",
    "move2": "One or two dwarves walk so many hexes at most, one after the other.",
    "attack1": "A dwarf beside the dragon strikes it.",
    "attack2": "One or two dwarves beside the dragon strike it, so much each.",
    "crossbow": "Morin shoots along a straight line, if nobody stands between him and the dragon.",
    "net": "Urpen throws the net from anywhere, and no card stops it. Netted, the dragon can neither walk nor fly"
    " until it gives up a whole turn.",
}
"""What the symbols of the cards do (R3.4, R6 to R8)."""
LOST = {"flight": "fly", "movement": "walk", "fire": "breathe fire"}
QUESTIONS = {
    "exchange": "keep this hand, or exchange all of it?",
    "placement": "where does {next} start?",
    "action": "draw cards or play one ({left} left in this turn)",
    "late_fury": "let Brald rage for one more action, or end the turn?",
    "move": "{card}, {symbol}: who goes where?",
    "attackers": "{card}, {symbol}: one strike or two?",
    "target": "{card}, {symbol}: which dwarf?",
    "direction": "{card}, {symbol}: along which line?",
    "defense": "{card} strikes {target} for {value}{which}. Block it?",
    "wound": "where is the dragon hurt? ({wounds} to place)",
    "discard": "too many cards: which one goes?",
}
CHOICES = {
    "keep": "Keep this hand",
    "exchange": "Exchange the whole hand",
    "draw": "Draw cards",
    "escape_net": "Get out of the net: the whole turn",
    "place": "{dwarf} to {hex}",
    "move": "{figure} to {hex}",
    "target": "Bite {dwarf}",
    "wound": "Wound on its {area}",
    "discard": "Discard {card}",
    "block": "Block with {card}",
}
DONE = {
    "keep": "keeps the hand",
    "exchange": "exchanges the hand",
    "fury": "lets Brald rage",
    "escape_net": "gives up the turn to get out of the net",
    "place": "places {dwarf} on {hex}",
    "target": "bites {dwarf}",
    "wound": "wounds its {area}",
    "discard": "discards {card}",
}


def question(scene: Scene) -> str:
    """What is to be decided, and by whom."""
    phase, pending = scene["phase"], scene["pending"] or {}
    if phase == "over":
        return f"{_capital(SIDES[scene['winner']])} won"
    late = phase == "action" and scene["actions_left"] == 0  # R10.1
    said = {"left": _plural(scene["actions_left"], "action"), "wounds": _plural(pending.get("wounds", 0), "wound")}
    said |= {"next": next((FIGURES[n] for n, d in scene["dwarves"].items() if d["hex"] is None), "")}
    if pending:
        said |= {"card": pending["card"], "value": pending["value"], "symbol": _symbol(pending)}
    if phase == "defense":
        struck, answered = pending["strikes"], len(pending["blocked"])
        which = f" ({answered + 1} of {len(struck)})" if len(struck) > 1 else ""
        said |= {"target": FIGURES[struck[answered]], "which": which}
    words = QUESTIONS["late_fury" if late else phase].format(**said)
    return f"{_capital(SIDES[scene['agent']])}: {words}"


def choice(scene: Scene, action: Mapping[str, Any]) -> str:
    """An action as a person is offered it."""
    kind, pending = action["type"], scene["pending"] or {}
    if kind == "play":
        return f"{action['card']}: {_symbol({'symbol': action['symbol'], 'value': _value(scene, action)})}"
    if kind == "direction":
        hit = [FIGURES[name] for name in _on_line(scene, action["direction"])]
        return f"{_capital(COMPASS[action['direction']])}: {' and '.join(hit)}"
    if kind == "take":
        target = FIGURES[pending["strikes"][len(pending["blocked"])]]
        return f"Take it: {_plural(pending['value'], 'wound')} for {target}"
    if kind == "attackers":
        return ("One strike", "Two strikes")[action["count"] - 1]
    if kind == "fury":
        return "Brald rages: one wound for him, one more action"
    if kind == "stop":
        moving = scene["phase"] == "move"
        return ("Nobody else moves" if pending["moved"] else "Stay here") if moving else "End the turn"
    return _capital(CHOICES[kind].format(**_named(scene, action)))


def marks(scene: Scene, action: Mapping[str, Any]) -> Marks:
    """What of the picture an action is about: a click on it chooses the action, or narrows the choice down."""
    kind = action["type"]
    if kind == "direction":
        cells, start = hexes(scene["radius"]), tuple(scene["dragon"]["hex"])
        line = [cells[i] for i in ray(scene["radius"], start, action["direction"])]
        struck = [("figure", name) for name in _on_line(scene, action["direction"])]
        return [*(("hex", _key(cell)) for cell in line), *struck]
    if kind == "target":
        return [("figure", action["dwarf"]), ("hex", _key(scene["dwarves"][action["dwarf"]]["hex"]))]
    keys = {"card": "card", "figure": "figure", "area": "area", "hex": "hex"}
    found = [(keys[name], value) for name, value in action.items() if name in keys]
    return [(name, value if isinstance(value, str) else _key(value)) for name, value in found]


def told(before: Scene, action: Mapping[str, Any], after: Scene) -> tuple[str, Marks]:
    """What was done and what came of it, and the hexes that it happened on."""
    done = _done(before, action, after)
    verb, _, rest = done.partition(" ")  # the dragon plays, the dwarves play
    done = f"{verb.removesuffix('s')} {rest}" if before["agent"] == "dwarves" else done
    sentences = [done, *_wounds(before, after), *_net(before, after)]
    if after["phase"] == "over":
        sentences.append(f"{SIDES[after['winner']]} won")
    places = [mark for mark in marks(before, action) if mark[0] == "hex"]
    if action["type"] == "move":
        places.insert(0, ("hex", _key(_hex(before, action["figure"]))))
    if action["type"] in ("take", "block"):
        places = [("hex", _key(_hex(before, _struck(before))))]
    return "; ".join(sentences), places


def heading(before: Scene | None, after: Scene) -> str:
    """The turn that begins, if one does."""
    setting_up = after["phase"] in ("exchange", "placement")
    begun = before is None or before["turn"] != after["turn"] or before["phase"] in ("exchange", "placement")
    if setting_up or not begun or after["phase"] == "over":
        return ""
    skipped = before is not None and after["turn"] - before["turn"] > 1
    note = f" ({SIDES[_other(after['turn_agent'])]} had no cards and lost a turn)" if skipped else ""
    return f"Turn {after['turn']}: {SIDES[after['turn_agent']]}{note}"


def places(scene: Scene) -> dict[str, dict[str, str]]:
    """By hex: its name, and who stands there."""
    holds = {_key(scene["dragon"]["hex"]): _dragon(scene)}
    for name, dwarf in scene["dwarves"].items():
        if dwarf["hex"] is not None:
            spaces = scene["spaces"]["dwarves"][name]
            holds[_key(dwarf["hex"])] = f"{FIGURES[name]}, {dwarf['wounds']} of {spaces} wounds"
    names = {_key(cell): hex_name(scene["radius"], cell) for cell in hexes(scene["radius"])}
    return {
        "names": {f"hex:{key}": name for key, name in names.items()},
        "holds": {f"hex:{k}": v for k, v in holds.items()},
    }


def cards(scene: Scene) -> list[dict[str, Any]]:
    """The cards that a viewer may look at, in piles: the own hand, then what everybody has discarded."""
    piles = [] if scene["hand"] is None else [("Your hand", scene["viewer"], scene["hand"])]
    piles += [(f"Discards of {SIDES[side]}", side, scene["discards"][side]) for side in scene["discards"]]
    return [
        {"title": title, "cards": [{"name": n, "count": c, "text": _card(scene, side, n)} for n, c in held.items()]}
        for title, side, held in piles
    ]


def symbols(scene: Scene) -> list[tuple[str, str]]:
    """What each symbol on the viewer's cards means."""
    sides = [scene["viewer"]] if scene["viewer"] else list(scene["cards"])
    used = dict.fromkeys(s for side in sides for card in scene["cards"][side].values() for s, _ in card)
    return [(SYMBOLS[symbol].format("n"), HELP[symbol]) for symbol in used]


def hex_name(radius: int, cell: Any) -> str:
    """`C3`: the row from the top, the hex from the left."""
    row = [other for other in hexes(radius) if other[1] == cell[1]]
    return f"{chr(ord('A') + cell[1] + radius)}{row.index(tuple(cell)) + 1}"


def _done(before: Scene, action: Mapping[str, Any], after: Scene) -> str:
    kind, pending = action["type"], before["pending"] or {}
    if kind == "play":
        return f"plays {choice(before, action)}"
    if kind == "draw":
        side = before["agent"]
        return f"draws {_plural(before['deck_sizes'][side] - after['deck_sizes'][side], 'card')}"
    if kind == "move":
        start, end = (hex_name(before["radius"], cell) for cell in (_hex(before, action["figure"]), action["hex"]))
        return f"{_moving(action['figure'], pending)} from {start} to {end}"
    if kind == "direction":
        return f"breathes fire to the {COMPASS[action['direction']]}"
    if kind == "attackers":
        return ("strikes once", "strikes twice")[action["count"] - 1]
    if kind == "stop":
        return "moves no further" if before["phase"] == "move" else "ends the turn"
    if kind in ("take", "block"):
        struck = _struck(before)
        strike = f"the strike{'' if struck == 'dragon' else f' at {FIGURES[struck]}'} ({pending['value']})"
        return f"takes {strike}" if kind == "take" else f"blocks {strike} with {action['card']}"
    return DONE[kind].format(**_named(before, action))


def _moving(figure: str, pending: Mapping[str, Any]) -> str:
    if figure == "dragon":
        return "flies" if pending.get("symbol") == "flight" else "walks"
    return f"moves {FIGURES[figure]}"


def _wounds(before: Scene, after: Scene) -> list[str]:
    """Who was wounded, where, and what is lost by it."""
    said = []
    for name, dwarf in after["dwarves"].items():
        new, spaces = dwarf["wounds"] - before["dwarves"][name]["wounds"], after["spaces"]["dwarves"][name]
        if new:
            said.append(f"{FIGURES[name]} has {_plural(new, 'wound')} more ({dwarf['wounds']} of {spaces})")
        if new and dwarf["wounds"] == spaces:
            said.append(f"{FIGURES[name]} is dead")
    for area, wounds in after["dragon"]["wounds"].items():
        new, spaces = wounds - before["dragon"]["wounds"][area], after["spaces"]["dragon"][area]
        if new:
            said.append(f"the dragon has {_plural(new, 'wound')} more on its {area} ({wounds} of {spaces})")
        if new and wounds == spaces and area in LOST:
            said.append(f"it can {LOST[area]} no more")
    if after["dragon"]["wounds"] == after["spaces"]["dragon"] != before["dragon"]["wounds"]:
        said.append("the dragon is dead")
    return said


def _net(before: Scene, after: Scene) -> list[str]:
    netted = after["dragon"]["netted"]
    if netted == before["dragon"]["netted"]:
        return []
    return ["the dragon is in the net" if netted else "the dragon is free"]


def _dragon(scene: Scene) -> str:
    wounds, spaces = scene["dragon"]["wounds"], scene["spaces"]["dragon"]
    net = ", in the net" if scene["dragon"]["netted"] else ""
    return f"the dragon, {sum(wounds.values())} of {sum(spaces.values())} wounds{net}"


def _named(scene: Scene, action: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of an action by the names that people know."""
    named = dict(action)
    for key in ("dwarf", "figure"):
        if key in named:
            named[key] = FIGURES[named[key]]
    if "hex" in named:
        named["hex"] = hex_name(scene["radius"], named["hex"])
    return named


def _on_line(scene: Scene, direction: int) -> list[str]:
    """The dwarves on a line from the dragon, nearest first."""
    cells, start = hexes(scene["radius"]), tuple(scene["dragon"]["hex"])
    standing = {tuple(dwarf["hex"]): name for name, dwarf in scene["dwarves"].items() if dwarf["hex"] is not None}
    return [standing[cells[i]] for i in ray(scene["radius"], start, direction) if cells[i] in standing]


def _value(scene: Scene, action: Mapping[str, Any]) -> int:
    return int(dict(scene["cards"][scene["agent"]][action["card"]])[action["symbol"]])


def _symbol(option: Mapping[str, Any]) -> str:
    return SYMBOLS[option["symbol"]].format("" if option["symbol"] in VALUELESS else option["value"])


def _card(scene: Scene, side: str, name: str) -> str:
    options = [_symbol({"symbol": symbol, "value": value}) for symbol, value in scene["cards"][side][name]]
    return " or ".join(options)


def _hex(scene: Scene, figure: str) -> Any:
    return scene["dragon"]["hex"] if figure == "dragon" else scene["dwarves"][figure]["hex"]


def _struck(scene: Scene) -> str:
    pending = scene["pending"]
    return str(pending["strikes"][len(pending["blocked"])])


def _other(side: str) -> str:
    return "dwarves" if side == "dragon" else "dragon"


def _key(cell: Any) -> str:
    return ",".join(map(str, cell))


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
