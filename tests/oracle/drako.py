"""An independent reference of the Drako rules: slow, plain, and written from the rules text alone.

All functions are pure: they take and give the JSON-able dictionaries of `state_dict` and never change
their arguments. Clause numbers (`R7.5`) are those of drako_env/drako/RULES.md.

Where the texts are silent or ambiguous, this module reads:
 1. `first_game`: the dwarves stand on their hexes from the start, during the exchange, too (R4.3); on radius 3
    these are `(1, 2)`, `(-3, 1)`, `(2, -3)`, one of two such triples.
 2. `move2` asks for a second dwarf whenever another one lives, also when it has nowhere to go (R6.2, R7.5a). A `target`
    or a `direction` is asked for even if there is only one; `attackers` only with two or more adjacent (R7.1).
 3. Fury adds one to `actions_left` and nothing to `actions_spent`, also when it ends the game (R10.1, R10.2).
 4. The question after the last action comes when that action is fully resolved: defense, wounds and discards come
    first; the turn that a dragon without cards skips comes after. It is asked in every turn of the dwarves in which
    fury is still possible, whatever was answered in an earlier turn (R10.1).
 5. `exchanged` becomes true when the exchange is chosen, so the dwarves know of the dragon's (R4.2).
 6. A deck smaller than a starting hand: all of it is the starting hand (R4.1).
 7. A draw takes what the deck has if that is less than `cards_per_draw` (R5.3).
"""

import json
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

State = dict[str, Any]
Action = dict[str, Any]
Cards = dict[str, int]
Hex = tuple[int, int]

DRAGON, DWARVES = "dragon", "dwarves"
SIDES = (DRAGON, DWARVES)
OTHER = {DRAGON: DWARVES, DWARVES: DRAGON}
DWARF_NAMES = ("fury", "archer", "net")  # R1.3, and the order of placement in R4.3
ABILITIES = ("flight", "movement", "fire")  # R9.3
DIRECTIONS: tuple[Hex, ...] = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))  # R1.2
SYMBOLS = {  # R3.4
    DWARVES: {"move1", "move2", "attack1", "attack2", "crossbow", "net", "defense"},
    DRAGON: {"move", "flight", "attack", "fire", "defense"},
}
CHOICES: dict[str, tuple[Any, ...]] = {
    "exchange": (True, False),  # R4.2
    "placement": ("free", "first_game"),  # R4.3
    "discard_action": ("forced", "always"),  # R5.6
    "edition": ("2011", "2019"),  # R10.3
    "fury_timing": ("start", "any"),  # R10.1
    "fury_may_kill": (True, False),  # R10.2
}
EDITION_FURY_TIMING = {"2011": "start", "2019": "any"}  # R10.3
FIRST_TURN_ACTIONS, TURN_ACTIONS = 1, 2  # R5.1


@dataclass(frozen=True)
class OracleRules:
    """A card table (R3.2) with its wound spaces (R2) and the rule options."""

    symbols: dict[str, dict[str, dict[str, int]]]  # side -> card -> symbol -> value
    copies: dict[str, Cards]  # side -> card -> number of copies
    spaces: dict[str, dict[str, int]]  # "dragon" -> area -> spaces, "dwarves" -> dwarf -> spaces
    radius: int = 2
    exchange: bool = True
    placement: str = "free"
    discard_action: str = "forced"
    edition: str = "2011"
    fury_timing: str = "start"
    fury_may_kill: bool = False
    start_hand: int = 4  # R4.1
    hand_limit: int = 6  # R5.3
    cards_per_draw: int = 2  # R5.3

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> "OracleRules":
        """Read a table; an explicit `fury_timing` wins over the one of the edition (R10.3)."""
        table = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        given = table.get("options", {}) | {name: value for name, value in options.items() if value is not None}
        unknown = set(given) - {f.name for f in fields(cls)} | set(given) & {"symbols", "copies", "spaces"}
        if unknown:
            raise ValueError(f"unknown options: {sorted(unknown)}")
        for name, allowed in CHOICES.items():
            if name in given and given[name] not in allowed:
                raise ValueError(f"{name} must be one of {allowed}, not {given[name]!r}")
        given.setdefault("radius", table.get("board", {}).get("radius", 2))
        given.setdefault("fury_timing", EDITION_FURY_TIMING[given.get("edition", "2011")])
        decks = {side: table["deck"][side] for side in SIDES}
        return cls(
            symbols={side: {c["name"]: _read_symbols(side, c) for c in decks[side]} for side in SIDES},
            copies={side: {c["name"]: c["copies"] for c in decks[side] if c["copies"]} for side in SIDES},
            spaces={side: dict(table["wounds"][side]) for side in SIDES},
            **given,
        )


def _read_symbols(side: str, card: dict[str, Any]) -> dict[str, int]:
    """One or two different symbols of the card's own side (R3.1, R3.4)."""
    symbols = dict(card["options"])
    if not 1 <= len(symbols) == len(card["options"]) <= 2 or not set(symbols) <= SYMBOLS[side]:
        raise ValueError(f"{side} card {card['name']!r} has bad symbols {card['options']}")
    return symbols


def _on_board(rules: OracleRules, place: Hex) -> bool:
    """R1.1."""
    q, r = place
    return max(abs(q), abs(r), abs(q + r)) <= rules.radius


def _board(rules: OracleRules) -> list[Hex]:
    """All hexes, row by row (R1.1)."""
    span = range(-rules.radius, rules.radius + 1)
    return [(q, r) for r in span for q in span if _on_board(rules, (q, r))]


def _neighbours(rules: OracleRules, place: Hex) -> list[Hex]:
    """R1.2."""
    around = [(place[0] + dq, place[1] + dr) for dq, dr in DIRECTIONS]
    return [near for near in around if _on_board(rules, near)]


def _ray(rules: OracleRules, origin: Hex, direction: int) -> list[Hex]:
    """The straight line from `origin` (not included) to the edge, nearest first (R7.2, R7.4)."""
    dq, dr = DIRECTIONS[direction]
    line: list[Hex] = []
    step = (origin[0] + dq, origin[1] + dr)
    while _on_board(rules, step):
        line.append(step)
        step = (step[0] + dq, step[1] + dr)
    return line


def _dragon_hex(state: State) -> Hex:
    q, r = state["dragon"]["hex"]
    return q, r


def _dwarf_hexes(state: State) -> dict[str, Hex]:
    """The dwarves on the board: living and placed (R1.3)."""
    places = {dwarf: state["dwarves"][dwarf]["hex"] for dwarf in DWARF_NAMES}
    return {dwarf: (place[0], place[1]) for dwarf, place in places.items() if place is not None}


def _occupied(state: State) -> set[Hex]:
    """At most one figure stands on a hex (R1.3)."""
    return {_dragon_hex(state), *_dwarf_hexes(state).values()}


def _reachable(rules: OracleRules, state: State, origin: Hex, steps: int) -> list[Hex]:
    """Hexes other than `origin` within `steps` steps through empty hexes (R6.1)."""
    blocked = _occupied(state)
    seen, frontier = {origin}, {origin}
    for _ in range(steps):
        around = {near for place in frontier for near in _neighbours(rules, place)}
        frontier = around - blocked - seen
        seen |= frontier
    return sorted(seen - {origin})


def _adjacent_dwarves(rules: OracleRules, state: State) -> list[str]:
    """Living dwarves next to the dragon (R7.1, R7.3)."""
    near = _neighbours(rules, _dragon_hex(state))
    return [dwarf for dwarf, place in _dwarf_hexes(state).items() if place in near]


def _dwarves_in_line(rules: OracleRules, state: State, direction: int) -> list[str]:
    """Living dwarves on the dragon's line in that direction, nearest first (R7.4, R7.5)."""
    standing = {place: dwarf for dwarf, place in _dwarf_hexes(state).items()}
    return [standing[place] for place in _ray(rules, _dragon_hex(state), direction) if place in standing]


def _fire_directions(rules: OracleRules, state: State) -> list[int]:
    """Directions in which at least one dwarf stands (R7.4)."""
    return [direction for direction in range(6) if _dwarves_in_line(rules, state, direction)]


def _add(pile: Cards, card: str, count: int = 1) -> None:
    """Change a pile in place, keeping it free of zeros."""
    total = pile.get(card, 0) + count
    if total < 0:
        raise ValueError(f"not enough cards {card!r}")
    pile.pop(card, None)
    if total:
        pile[card] = total


def _take_from_deck(state: State, side: str, drawn: Cards) -> None:
    for card, count in drawn.items():
        if count < 0:
            raise ValueError(f"negative count of {card!r}")
        _add(state["decks"][side], card, -count)
        _add(state["hands"][side], card, count)


def _discard(state: State, side: str, card: str) -> None:
    """The card leaves the game for good, face up (R3.3, R7.7)."""
    _add(state["hands"][side], card, -1)
    _add(state["discards"][side], card)


def _out_of_cards(state: State, side: str) -> bool:
    """Neither hand nor deck (R5.5, R5.7)."""
    return not state["hands"][side] and not state["decks"][side]


def _free_spaces(rules: OracleRules, state: State, areas: tuple[str, ...] = ABILITIES) -> dict[str, int]:
    """Free spaces of the dragon's areas, only those that have one (R9.2)."""
    free = {area: rules.spaces[DRAGON][area] - state["dragon"]["wounds"][area] for area in areas}
    return {area: count for area, count in free.items() if count > 0}


def _has_ability(rules: OracleRules, state: State, area: str) -> bool:
    """An ability is lost when its area is full (R9.3)."""
    return bool(_free_spaces(rules, state, (area,)))


def _wound_dwarf(rules: OracleRules, state: State, dwarf: str, wounds: int) -> None:
    """Wounds beyond the spaces are lost; a full dwarf leaves the board (R2.3, R9.1)."""
    mat = state["dwarves"][dwarf]
    mat["wounds"] = min(mat["wounds"] + wounds, rules.spaces[DWARVES][dwarf])
    if mat["wounds"] == rules.spaces[DWARVES][dwarf]:
        mat["hex"] = None


def _first_game_hexes(radius: int) -> dict[str, Hex]:
    """Three alternate rim hexes, turned by 120 degrees each (R4.3)."""
    q, r = radius // 2, radius - radius // 2
    return {"fury": (q, r), "archer": (-q - r, q), "net": (r, -q - r)}


def start(rules: OracleRules, hands: dict[str, Cards]) -> State:
    """The first position, given both starting hands (R4.1)."""
    fixed = _first_game_hexes(rules.radius) if rules.placement == "first_game" else {}
    places = {dwarf: list(fixed[dwarf]) if dwarf in fixed else None for dwarf in DWARF_NAMES}
    state: State = {
        "phase": "exchange",
        "agent": DRAGON,
        "turn": 0,
        "turn_agent": DRAGON,
        "actions_left": FIRST_TURN_ACTIONS,
        "actions_spent": 0,
        "dragon": {"hex": [0, 0], "netted": False, "wounds": dict.fromkeys(("armor", *ABILITIES), 0)},
        "dwarves": {dwarf: {"hex": places[dwarf], "wounds": 0} for dwarf in DWARF_NAMES},
        "fury_used": False,
        "exchanged": dict.fromkeys(SIDES, False),
        "hands": {side: {} for side in SIDES},
        "decks": {side: dict(rules.copies[side]) for side in SIDES},
        "discards": {side: {} for side in SIDES},
        "pending": None,
        "winner": None,
    }
    _deal_hands(rules, state, hands)
    if not rules.exchange:
        _after_exchange(state)
    return state


def _deal_hands(rules: OracleRules, state: State, hands: dict[str, Cards]) -> None:
    """Each player draws a starting hand (R4.1)."""
    for side in SIDES:
        _check_size(hands[side], min(rules.start_hand, sum(state["decks"][side].values())))
        _take_from_deck(state, side, hands[side])


def _after_exchange(state: State) -> None:
    """Placement follows the exchange, if the dwarves do not stand already (R4.3)."""
    if len(_dwarf_hexes(state)) < len(DWARF_NAMES):
        state["phase"], state["agent"] = "placement", DWARVES
    else:
        state["phase"], state["agent"] = "action", DRAGON  # R5.1


def legal_actions(rules: OracleRules, state: State) -> list[Action]:
    """Every legal action of `state["agent"]`, each once; none when the game is over."""
    match state["phase"]:
        case "exchange":
            return [{"type": "keep"}, {"type": "exchange"}]  # R4.2
        case "placement":
            return _legal_placement(rules, state)
        case "action":
            return _legal_action(rules, state)
        case "move":
            return _legal_move(rules, state)
        case "attackers":  # asked only with two or more adjacent dwarves (R7.1)
            return [{"type": "attackers", "count": count} for count in (1, 2)]
        case "target":
            return [{"type": "target", "dwarf": dwarf} for dwarf in _adjacent_dwarves(rules, state)]  # R7.3
        case "direction":
            return [{"type": "direction", "direction": d} for d in _fire_directions(rules, state)]  # R7.4
        case "defense":
            return _legal_defense(rules, state)
        case "wound":
            return [{"type": "wound", "area": area} for area in _free_spaces(rules, state)]  # R9.2
        case "discard":
            return _discards(state)  # R5.3
    return []


def _legal_placement(rules: OracleRules, state: State) -> list[Action]:
    """The next dwarf, on an empty hex not adjacent to the dragon (R4.3)."""
    dwarf = next(name for name in DWARF_NAMES if name not in _dwarf_hexes(state))
    barred = _occupied(state) | set(_neighbours(rules, _dragon_hex(state)))
    return [{"type": "place", "dwarf": dwarf, "hex": list(p)} for p in _board(rules) if p not in barred]


def _legal_action(rules: OracleRules, state: State) -> list[Action]:
    """Draw or play (R5.2-R5.4), discard when stuck (R5.6), fury (R10), escape (R8.3)."""
    if state["actions_left"] == 0:
        return [{"type": "fury"}, {"type": "stop"}]  # R10.1: asked once more, and for nothing else
    side = state["agent"]
    hand, deck = state["hands"][side], state["decks"][side]
    plays: list[Action] = [
        {"type": "play", "card": card, "symbol": symbol}
        for card in hand
        for symbol in rules.symbols[side][card]
        if _usable(rules, state, symbol)
    ]
    actions = plays + ([{"type": "draw"}] if deck else [])
    if rules.discard_action == "always" or not actions:
        actions += _discards(state)
    if side == DWARVES and _may_declare_fury(rules, state):
        actions.append({"type": "fury"})
    if side == DRAGON and _may_escape(state):
        actions.append({"type": "escape_net"})
    return actions


def _discards(state: State) -> list[Action]:
    """Any one held card (R5.3, R5.6)."""
    return [{"type": "discard", "card": card} for card in state["hands"][state["agent"]]]


def _usable(rules: OracleRules, state: State, symbol: str) -> bool:
    """Whether the symbol can have its effect now (R5.4)."""
    walks_free = not state["dragon"]["netted"]  # R8.2
    match symbol:
        case "move1" | "move2":
            return bool(_dwarf_hexes(state))  # R6.4
        case "move":
            return walks_free and _has_ability(rules, state, "movement")  # R6.3
        case "flight":
            return walks_free and _has_ability(rules, state, "flight")  # R6.3
        case "attack1" | "attack2" | "attack":
            return bool(_adjacent_dwarves(rules, state))  # R7.1, R7.3
        case "crossbow":
            return _archer_sees_dragon(rules, state)
        case "fire":
            return _has_ability(rules, state, "fire") and bool(_fire_directions(rules, state))  # R7.4
        case "net":
            return "net" in _dwarf_hexes(state) and not state["dragon"]["netted"]  # R8.1
    return False  # `defense` is never an action (R5.4)


def _archer_sees_dragon(rules: OracleRules, state: State) -> bool:
    """In a straight line, no figure between: the archer is the nearest dwarf on some line (R7.2)."""
    lines = [_dwarves_in_line(rules, state, direction) for direction in range(6)]
    return any(line[:1] == ["archer"] for line in lines)


def _may_declare_fury(rules: OracleRules, state: State) -> bool:
    """R10.1, R10.2."""
    if state["fury_used"] or "fury" not in _dwarf_hexes(state):
        return False
    if rules.fury_timing == "start" and state["actions_spent"] > 0:
        return False
    free = rules.spaces[DWARVES]["fury"] - state["dwarves"]["fury"]["wounds"]
    return free >= (1 if rules.fury_may_kill else 2)


def _may_escape(state: State) -> bool:
    """Only as the first action of a 2-action turn (R8.3)."""
    untouched = state["actions_spent"] == 0 and state["actions_left"] == TURN_ACTIONS
    return state["dragon"]["netted"] and untouched


def _legal_move(rules: OracleRules, state: State) -> list[Action]:
    """Every other hex a figure may go to, or stop (R6.1-R6.3)."""
    pending = state["pending"]
    goals: dict[str, list[Hex]] = {}
    if pending["symbol"] == "flight":
        goals[DRAGON] = [place for place in _board(rules) if place not in _occupied(state)]
    elif pending["symbol"] == "move":
        goals[DRAGON] = _reachable(rules, state, _dragon_hex(state), pending["value"])
    else:
        for dwarf, place in _dwarf_hexes(state).items():
            if dwarf not in pending["moved"]:
                goals[dwarf] = _reachable(rules, state, place, pending["value"])
    moves = [{"type": "move", "figure": f, "hex": list(p)} for f, places in goals.items() for p in places]
    return [*moves, {"type": "stop"}]


def _legal_defense(rules: OracleRules, state: State) -> list[Action]:
    """Take the strike, or block it with any held defense card (R7.5)."""
    side = state["agent"]
    shields = [card for card in state["hands"][side] if "defense" in rules.symbols[side][card]]
    return [{"type": "take"}, *({"type": "block", "card": card} for card in shields)]


def chance(rules: OracleRules, state: State, action: Action) -> tuple[str, int] | None:
    """Which side draws how many cards when this action is played (R4.2, R5.3)."""
    side = state["agent"]
    if action["type"] == "draw":
        return side, min(rules.cards_per_draw, sum(state["decks"][side].values()))
    if action["type"] == "exchange":
        return side, min(rules.start_hand, sum(rules.copies[side].values()))
    return None


def _check_size(drawn: Cards | None, size: int) -> None:
    if (drawn is None and size) or sum((drawn or {}).values()) != size:
        raise ValueError(f"expected {size} drawn cards, not {drawn}")


def successor(rules: OracleRules, state: State, action: Action, drawn: Cards | None = None) -> State:
    """The position after `action`; `drawn` are the cards that came from the deck."""
    if action not in legal_actions(rules, state):
        raise ValueError(f"illegal in phase {state['phase']!r}: {action}")
    draws = chance(rules, state, action)
    _check_size(drawn, draws[1] if draws else 0)
    after: State = json.loads(json.dumps(state))  # a deep copy of a JSON-able state
    match action["type"]:
        case "keep" | "exchange":
            _do_exchange(after, action, drawn or {})
        case "place":
            after["dwarves"][action["dwarf"]]["hex"] = list(action["hex"])  # R4.3
            _after_exchange(after)
        case "wound":
            after["dragon"]["wounds"][action["area"]] += 1  # R9.2
            _place_wounds(rules, after, after["pending"]["wounds"] - 1)
        case "block" | "take":
            _do_defend(rules, after, action)
        case "stop" if after["phase"] == "action":
            _next_turn(after)  # R10.1
        case "move" | "stop":
            _do_move(rules, after, action)
        case "attackers" | "target" | "direction":
            _do_aim(rules, after, action)
        case _:
            _do_turn_action(rules, after, action, drawn or {})
    return after


def _do_turn_action(rules: OracleRules, state: State, action: Action, drawn: Cards) -> None:
    """The actions of a turn (R5.2), fury, and the discards after a draw."""
    match action["type"]:
        case "fury":
            _do_fury(rules, state)
        case "escape_net":
            state["dragon"]["netted"] = False
            _next_turn(state)  # R8.3: costs the whole turn
        case "draw":
            _spend_action(state)
            _take_from_deck(state, state["agent"], drawn)
            _trim_hand_or_go_on(rules, state)
        case "discard":
            _discard(state, state["agent"], action["card"])
            if state["phase"] == "action":
                _spend_action(state)  # R5.6
                _go_on(rules, state)
            else:
                _trim_hand_or_go_on(rules, state)
        case "play":
            _do_play(rules, state, action)


def _do_exchange(state: State, action: Action, drawn: Cards) -> None:
    """The dragon, then the dwarves, keep or exchange the whole hand (R4.2)."""
    side = state["agent"]
    if action["type"] == "exchange":
        state["exchanged"][side] = True
        for card, count in state["hands"][side].items():
            _add(state["decks"][side], card, count)
        state["hands"][side] = {}
        _take_from_deck(state, side, drawn)
    if side == DRAGON:
        state["agent"] = DWARVES
    else:
        _after_exchange(state)


def _spend_action(state: State) -> None:
    """An action counts as spent when it is chosen."""
    state["actions_left"] -= 1
    state["actions_spent"] += 1


def _trim_hand_or_go_on(rules: OracleRules, state: State) -> None:
    """Discard down to the hand limit, card by card (R5.3)."""
    if sum(state["hands"][state["agent"]].values()) > rules.hand_limit:
        state["phase"] = "discard"
    else:
        _go_on(rules, state)


def _do_fury(rules: OracleRules, state: State) -> None:
    """One wound for one more action in this turn (R10.1)."""
    state["fury_used"] = True
    state["actions_left"] += 1
    _wound_dwarf(rules, state, "fury", 1)
    _go_on(rules, state)


def _do_play(rules: OracleRules, state: State, action: Action) -> None:
    """Spend the card and put the first question that its symbol calls for (R5.4, R7.5a)."""
    side, card, symbol = state["agent"], action["card"], action["symbol"]
    _spend_action(state)
    _discard(state, side, card)
    value = rules.symbols[side][card][symbol]
    lists: dict[str, list[Any]] = {"strikes": [], "blocked": [], "moved": []}
    state["pending"] = {"card": card, "symbol": symbol, "value": value, **lists, "wounds": 0}
    match symbol:
        case "move1" | "move2" | "move" | "flight":
            state["phase"] = "move"
        case "attack":
            state["phase"] = "target"
        case "fire":
            state["phase"] = "direction"
        case "attack2" if len(_adjacent_dwarves(rules, state)) >= 2:
            state["phase"] = "attackers"  # R7.1
        case "attack1" | "attack2" | "crossbow":
            _strike(state, [DRAGON])
        case "net":
            state["dragon"]["netted"] = True  # R8.1: cannot be blocked
            _go_on(rules, state)


def _do_move(rules: OracleRules, state: State, action: Action) -> None:
    """`move2` asks again while another living dwarf could be the second; stopping is free (R6.1, R6.2)."""
    pending = state["pending"]
    if action["type"] == "move" and action["figure"] == DRAGON:
        state["dragon"]["hex"] = list(action["hex"])
    elif action["type"] == "move":
        state["dwarves"][action["figure"]]["hex"] = list(action["hex"])
        pending["moved"].append(action["figure"])
        if pending["symbol"] == "move2" and len(pending["moved"]) == 1 and len(_dwarf_hexes(state)) > 1:
            return
    _go_on(rules, state)


def _do_aim(rules: OracleRules, state: State, action: Action) -> None:
    """The attacker's choice fixes the strikes and their order (R7.1, R7.3, R7.4, R7.5)."""
    if action["type"] == "attackers":
        _strike(state, [DRAGON] * action["count"])
    elif action["type"] == "target":
        _strike(state, [action["dwarf"]])
    else:
        _strike(state, _dwarves_in_line(rules, state, action["direction"]))


def _strike(state: State, strikes: list[str]) -> None:
    """The defender is asked about every strike, whatever it holds (R7.5)."""
    state["pending"]["strikes"] = strikes
    state["phase"], state["agent"] = "defense", OTHER[state["turn_agent"]]


def _do_defend(rules: OracleRules, state: State, action: Action) -> None:
    """One card stops one strike; wounds wait until every strike is answered (R7.5, R7.6)."""
    pending = state["pending"]
    pending["blocked"].append(action["type"] == "block")
    if action["type"] == "block":
        _discard(state, state["agent"], action["card"])  # R7.7
    if len(pending["blocked"]) == len(pending["strikes"]):
        _deal_wounds(rules, state)


def _deal_wounds(rules: OracleRules, state: State) -> None:
    """Every strike that was not blocked wounds its figure (R9.1, R9.2)."""
    pending = state["pending"]
    hits = [f for f, blocked in zip(pending["strikes"], pending["blocked"], strict=True) if not blocked]
    if state["turn_agent"] == DWARVES:
        _wound_dragon(rules, state, pending["value"] * len(hits))
        return
    for dwarf in hits:
        _wound_dwarf(rules, state, dwarf, pending["value"])
    _go_on(rules, state)


def _wound_dragon(rules: OracleRules, state: State, wounds: int) -> None:
    """Armor first; then the dwarf player places, unless everything is filled (R9.2, R9.4)."""
    mat = state["dragon"]["wounds"]
    on_armor = min(wounds, _free_spaces(rules, state, ("armor",)).get("armor", 0))
    mat["armor"] += on_armor
    rest = wounds - on_armor
    free = _free_spaces(rules, state)
    if rest >= sum(free.values()):
        mat.update({area: mat[area] + count for area, count in free.items()})
        rest = 0
    _place_wounds(rules, state, rest)


def _place_wounds(rules: OracleRules, state: State, rest: int) -> None:
    """One by one, by the dwarf player (R9.2)."""
    if rest == 0:
        _go_on(rules, state)
    else:
        state["pending"]["wounds"] = rest
        state["phase"], state["agent"] = "wound", DWARVES


def _winner(rules: OracleRules, state: State) -> str | None:
    """R11.1; a dead dragon loses even if that took the dwarves' last card (R5.7)."""
    if not _free_spaces(rules, state, ("armor", *ABILITIES)):
        return DWARVES  # R9.4
    if not _dwarf_hexes(state) or _out_of_cards(state, DWARVES):
        return DRAGON
    return None


def _go_on(rules: OracleRules, state: State) -> None:
    """After something is fully resolved: the end (R5.7, R11.1), the next turn, or the next action."""
    state["pending"] = None
    state["winner"] = _winner(rules, state)
    if state["winner"] is not None:
        state["phase"], state["agent"] = "over", None
    elif _turn_goes_on(rules, state):
        state["phase"], state["agent"] = "action", state["turn_agent"]
    else:
        _next_turn(state)


def _turn_goes_on(rules: OracleRules, state: State) -> bool:
    """With actions left and cards to spend them on; without actions, while fury can still be declared (R10.1)."""
    side = state["turn_agent"]
    if state["actions_left"] == 0:
        return side == DWARVES and _may_declare_fury(rules, state)  # never with "start": an action was spent
    return not _out_of_cards(state, side)  # R5.5: the rest of the turn is lost, and the net stays (R8.4)


def _next_turn(state: State) -> None:
    """Strictly alternating (R5.1); a dragon without cards skips its turn and loses the net (R5.5, R8.4)."""
    side = OTHER[state["turn_agent"]]
    state["turn"] += 1
    state["turn_agent"] = state["agent"] = side
    state["actions_left"], state["actions_spent"] = TURN_ACTIONS, 0
    state["phase"] = "action"
    if side == DRAGON and _out_of_cards(state, DRAGON):
        state["dragon"]["netted"] = False
        _next_turn(state)
