"""The semantic view: a state record as a JSON-able dictionary, and back."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from drako_env.drako.rules import AREAS, DWARVES, MAX_COPIES, Rules
from drako_env.drako.state import (
    ACTIONS_A_TURN,
    MAX_ACTIONS_A_TURN,
    MAX_STRIKES,
    MAX_TURN,
    NO_CARD,
    NOBODY,
    OFF_BOARD,
    STATE,
    Figure,
    Phase,
    Seat,
    Symbol,
)
from drako_env.engine.checks import count, listed, one_of, shown, truth
from drako_env.engine.hexboard import hex_index, hexes

SIDES = ("dragon", "dwarves")
FIGURES = ("dragon", *DWARVES)
PENDING_SYMBOLS = {
    Phase.MOVE: ("move1", "move2", "move", "flight"),
    Phase.ATTACKERS: ("attack2",),
    Phase.TARGET: ("attack",),
    Phase.DIRECTION: ("fire",),
    Phase.DEFENSE: ("attack1", "attack2", "crossbow", "attack", "fire"),
    Phase.WOUND: ("attack1", "attack2", "crossbow"),
}
SETTING_UP = (Phase.EXCHANGE, Phase.PLACEMENT)
MOST_STRIKES = {"attack2": 2, "fire": 3}
"""Of the symbols that can strike more than once (R7.1, R7.4)."""
TURN_COUNTERS = ("turn", "actions_left", "actions_spent")


def state_dict(rules: Rules, s: Any) -> dict[str, Any]:
    """The whole position, hidden cards included."""
    cells = [list(cell) for cell in hexes(rules.radius)]
    place = [None if h == OFF_BOARD else cells[h] for h in s["hex"]]
    wounds = {area: int(n) for area, n in zip(AREAS, s["dragon_wounds"], strict=True)}
    dwarf_wounds = {dwarf: int(s["dwarf_wounds"][i + 1]) for i, dwarf in enumerate(DWARVES)}
    return {
        "phase": Phase(s["phase"]).name.lower(),
        "agent": _side(s["agent"]),
        "turn": int(s["turn"]),
        "turn_agent": _side(s["turn_agent"]),
        "actions_left": int(s["actions_left"]),
        "actions_spent": int(s["actions_spent"]),
        "dragon": {"hex": place[Figure.DRAGON], "netted": bool(s["netted"]), "wounds": wounds},
        "dwarves": {d: {"hex": place[i + 1], "wounds": dwarf_wounds[d]} for i, d in enumerate(DWARVES)},
        "fury_used": bool(s["fury_used"]),
        "exchanged": {side: bool(done) for side, done in zip(SIDES, s["exchanged"], strict=True)},
        "hands": hands(rules, s["hand"]),
        "decks": hands(rules, s["deck"]),
        "discards": hands(rules, s["discards"]),
        "pending": None if s["card"] == NO_CARD else _pending(rules, s),
        "winner": _side(s["winner"]),
    }


def _side(seat: int) -> str | None:
    return None if seat == NOBODY else SIDES[seat]


def hands(rules: Rules, counts: Any) -> dict[str, dict[str, int]]:
    """Cards by player and name, from copies by seat and kind."""
    pairs = [zip(deck, counts[seat].tolist(), strict=False) for seat, deck in enumerate(rules.decks)]
    return {side: {card.name: n for card, n in pairs[seat] if n} for seat, side in enumerate(SIDES)}


def _pending(rules: Rules, s: Any) -> dict[str, Any]:
    return {
        "card": rules.decks[s["turn_agent"]][s["card"]].name,
        "symbol": Symbol(s["symbol"]).name.lower(),
        "value": int(s["value"]),
        "strikes": [FIGURES[figure] for figure in s["strikes"][: s["num_strikes"]]],
        "blocked": [bool(blocked) for blocked in s["blocked"][: s["answered"]]],
        "moved": [FIGURES[figure] for figure in Figure if s["moved"] >> figure & 1],
        "wounds": int(s["wounds"]),
    }


def load_state_dict(rules: Rules, position: Mapping[str, Any]) -> np.void:
    """A record of the position, without random numbers; `ValueError` if the position makes no sense.

    Cards need not add up to whole decks: a puzzle may be set with any cards of the table, up to 127 copies of each in
    hand, deck and discards together."""
    new: np.void = np.zeros(1, STATE)[0]
    try:
        _load_turn(new, position)
        _load_figures(rules, new, position)
        for field, key in (("hand", "hands"), ("deck", "decks"), ("discards", "discards")):
            _loadhands(rules, new[field], position[key], key)
        _counthands(rules, new)
        _load_pending(rules, new, position["pending"])
    except KeyError as error:
        raise ValueError(f"the position lacks the key {error}") from None
    except (TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"the position is malformed: {error}") from None
    _check_figures(rules, new)
    _check_decision(rules, new)
    _check_exchange(rules, new)
    _check_cards(rules, new)
    if new["phase"] in SETTING_UP:
        _check_setup(rules, new)
    if new["phase"] in PENDING_SYMBOLS:
        _check_pending(new)
    return new


def _load_turn(s: Any, position: Mapping[str, Any]) -> None:
    s["phase"] = phase = Phase[one_of(position["phase"], [p.name.lower() for p in Phase], "phase").upper()]
    s["turn_agent"] = SIDES.index(one_of(position["turn_agent"], SIDES, "turn_agent"))
    agent, winner = position["agent"], position["winner"]
    over = phase == Phase.OVER
    s["agent"] = NOBODY if over else SIDES.index(one_of(agent, SIDES, "agent"))
    s["winner"] = SIDES.index(one_of(winner, SIDES, "winner")) if over else NOBODY
    expected = _decider(phase, s["turn_agent"])
    if (expected is not None and s["agent"] != expected) or (over and agent is not None):
        raise ValueError(f"agent {shown(agent)} cannot decide in phase {position['phase']!r} of this turn")
    if not over and winner is not None:
        raise ValueError(f"winner {shown(winner)} in phase {position['phase']!r}: only a game that is over has one")
    for key, highest in zip(TURN_COUNTERS, (MAX_TURN, 3, 3), strict=True):
        s[key] = count(position[key], highest, key)
    s["fury_used"] = truth(position["fury_used"], "fury_used")
    s["exchanged"] = [truth(position["exchanged"][side], f"exchanged of the {side}") for side in SIDES]


def _decider(phase: Phase, turn_agent: int) -> int | None:
    """The seat that decides in a phase (R7.5, R9.2); either in `exchange`, nobody when over."""
    if phase in (Phase.EXCHANGE, Phase.OVER):
        return None
    if phase in (Phase.PLACEMENT, Phase.WOUND):
        return Seat.DWARVES
    return 1 - turn_agent if phase == Phase.DEFENSE else turn_agent


def _load_figures(rules: Rules, s: Any, position: Mapping[str, Any]) -> None:
    dragon, dwarves = position["dragon"], position["dwarves"]
    s["netted"] = truth(dragon["netted"], "netted")
    for i, (area, spaces) in enumerate(zip(AREAS, rules.dragon_spaces, strict=True)):
        s["dragon_wounds"][i] = count(dragon["wounds"][area], spaces, f"dragon wounds on {area}")
    for i, (dwarf, spaces) in enumerate(zip(DWARVES, rules.dwarf_spaces, strict=True), start=1):
        s["dwarf_wounds"][i] = count(dwarves[dwarf]["wounds"], spaces, f"wounds of {dwarf}")
    index = hex_index(rules.radius)
    for i, place in enumerate([dragon["hex"], *(dwarves[dwarf]["hex"] for dwarf in DWARVES)]):
        if place is None and i != Figure.DRAGON:
            s["hex"][i] = OFF_BOARD
            continue
        whole = all(isinstance(part, (int, np.integer)) for part in listed(place, f"hex of {FIGURES[i]}"))
        if not whole or tuple(place) not in index:
            raise ValueError(f"{FIGURES[i]}: {shown(place)} is no hex of a board of radius {rules.radius}")
        bit = 1 << index[tuple(place)]
        if s["occupied"] & bit:
            raise ValueError(f"{FIGURES[i]}: {place!r} holds another figure already")
        s["hex"][i] = index[tuple(place)]
        s["occupied"] |= bit


def _loadhands(rules: Rules, counts: Any, cards: Mapping[str, Mapping[str, int]], key: str) -> None:
    for seat, side in enumerate(SIDES):
        kinds = {card.name: kind for kind, card in enumerate(rules.decks[seat])}
        for name, number in cards[side].items():
            kind = kinds[one_of(name, list(kinds), f"card in {key} of the {side}")]
            counts[seat, kind] = count(number, MAX_COPIES, f"{name!r} in {key} of the {side}")


def _load_pending(rules: Rules, s: Any, pending: Mapping[str, Any] | None) -> None:
    phase = Phase(s["phase"])
    s["card"] = NO_CARD
    if (pending is not None) != (phase in PENDING_SYMBOLS):
        raise ValueError(f"pending is {shown(pending)} in phase {phase.name.lower()!r}")
    if pending is None:
        return
    deck = rules.decks[s["turn_agent"]]
    names = [card.name for card in deck]
    s["card"] = names.index(one_of(pending["card"], names, "pending card"))
    symbols = dict(deck[s["card"]].options)
    symbol = one_of(pending["symbol"], list(symbols), "symbol of the pending card")
    s["symbol"], s["value"] = Symbol[symbol.upper()], symbols[symbol]
    if symbol not in PENDING_SYMBOLS[phase]:
        raise ValueError(f"symbol {symbol!r} in phase {phase.name.lower()!r}: {' or '.join(PENDING_SYMBOLS[phase])}")
    if pending["value"] != symbols[symbol]:
        raise ValueError(f"value {shown(pending['value'])} of the pending card: its {symbol!r} is {symbols[symbol]}")
    strikes, blocked, moved = (listed(pending[key], key) for key in ("strikes", "blocked", "moved"))
    s["num_strikes"] = count(len(strikes), MAX_STRIKES, "number of strikes")
    s["answered"] = count(len(blocked), len(strikes), "number of answered strikes")
    for i, figure in enumerate(strikes):
        s["strikes"][i] = FIGURES.index(one_of(figure, FIGURES, "strike"))
    s["blocked"][: len(blocked)] = [truth(b, "blocked") for b in blocked]
    count(len(moved), 1, "number of dwarves moved")  # R6.2: with the second one the card is done
    for dwarf in moved:
        s["moved"] |= 1 << FIGURES.index(one_of(dwarf, DWARVES, "moved"))
    s["wounds"] = count(pending["wounds"], sum(rules.dragon_spaces[1:]), "wounds to place")


def _counthands(rules: Rules, s: Any) -> None:
    """The sizes of hands and decks, if they are within what the record and the observation hold."""
    largest = max(sum(card.copies for card in deck) for deck in rules.decks)
    copies = sum(s[field].astype(int) for field in ("hand", "deck", "discards"))
    for seat, side in enumerate(SIDES):
        discarding = s["phase"] == Phase.DISCARD and s["agent"] == seat
        hand, deck = int(s["hand"][seat].sum(dtype=int)), int(s["deck"][seat].sum(dtype=int))
        most = rules.hand_limit + discarding * rules.cards_per_draw
        s["hand_size"][seat] = count(hand, most, f"cards in the hand of the {side}")
        s["deck_size"][seat] = count(deck, largest, f"cards in the deck of the {side}")
        for card, number in zip(rules.decks[seat], copies[seat].tolist(), strict=False):
            count(number, MAX_COPIES, f"{card.name!r} in hand, deck and discards of the {side}")


def _check_figures(rules: Rules, s: Any) -> None:
    """Whoever stands on the board lives, and in play somebody of each side does."""
    if s["phase"] == Phase.OVER:
        return
    if s["dragon_wounds"].tolist() == list(rules.dragon_spaces):
        raise ValueError("the dragon has no free space left, but the game is not over")
    for i, (dwarf, spaces) in enumerate(zip(DWARVES, rules.dwarf_spaces, strict=True), start=1):
        if s["hex"][i] != OFF_BOARD and s["dwarf_wounds"][i] == spaces:
            raise ValueError(f"{dwarf} has no free space left, but stands on the board")
    placed = [bool(place != OFF_BOARD) for place in s["hex"][1:]]
    if s["phase"] == Phase.PLACEMENT and placed not in ([False] * 3, [True, False, False], [True, True, False]):
        raise ValueError("in phase 'placement' the dwarves stand in the order fury, archer, net, and not all of them")
    if s["phase"] not in (Phase.EXCHANGE, Phase.PLACEMENT) and not any(placed):
        raise ValueError("no dwarf stands on the board, but the game is not over")


def _check_cards(rules: Rules, s: Any) -> None:
    """Whoever is to act has cards to act with (R5.5, R5.7); what is discarded is more than the hand limit (R5.3)."""
    phase, cards = s["phase"], s["hand_size"] + s["deck_size"]
    needs = [phase == Phase.PLACEMENT or (phase == Phase.ACTION and s["agent"] == Seat.DRAGON)]
    needs.append(phase not in PENDING_SYMBOLS and phase != Phase.OVER)
    for seat, side in enumerate(SIDES):
        if needs[seat] and cards[seat] == 0:
            raise ValueError(f"nobody can move: hand and deck of the {side} are empty")
    if phase == Phase.DISCARD and (held := s["hand_size"][s["agent"]]) <= rules.hand_limit:
        raise ValueError(f"phase 'discard' with {held} cards in hand; {rules.hand_limit} may be kept")


def _check_setup(rules: Rules, s: Any) -> None:
    """R4, R5.1: nobody has had a turn yet."""
    if (s["turn"], s["turn_agent"], s["actions_left"], s["actions_spent"]) != (0, Seat.DRAGON, 1, 0):
        raise ValueError("during the set-up it is turn 0 of the dragon, with 1 action left and 0 spent")
    for i, (dwarf, spaces) in enumerate(zip(DWARVES, rules.dwarf_spaces, strict=True), start=1):
        if s["dwarf_wounds"][i] == spaces:
            raise ValueError(f"{dwarf} has no free space left, but is still to be placed")
    if s["phase"] == Phase.PLACEMENT:
        return
    for seat, side in enumerate(SIDES):
        if s["hand_size"][seat] != rules.start_hand:
            held = f"{s['hand_size'][seat]} cards in the hand of the {side}"
            raise ValueError(f"phase 'exchange' with {held}: expected a starting hand of {rules.start_hand}")
    standing = [dwarf for dwarf, place in zip(DWARVES, s["hex"][1:], strict=True) if place != OFF_BOARD]
    if bool(standing) == (rules.placement == "free"):  # R4.3
        raise ValueError(f"phase 'exchange' with {standing} on the board and placement = {rules.placement!r}")


def _check_pending(s: Any) -> None:
    """R6.2, R7: only so many strikes and moves as the phase and the symbol can have led to."""
    phase, symbol = Phase(s["phase"]), Symbol(s["symbol"]).name.lower()
    where = f"of {symbol!r} in phase {phase.name.lower()!r}"
    strikes = s["strikes"][: s["num_strikes"]].tolist()
    most = MOST_STRIKES.get(symbol, 1) if phase in (Phase.DEFENSE, Phase.WOUND) else 0
    if len(strikes) > most or (symbol == "fire" and len(set(strikes)) < len(strikes)):
        raise ValueError(f"strikes at {[FIGURES[figure] for figure in strikes]} {where}: at most {most}")
    if phase == Phase.WOUND and s["answered"] < len(strikes):
        raise ValueError("phase 'wound' before every strike is answered")
    moved = [figure for figure in Figure if s["moved"] >> figure & 1]
    most = 1 if phase == Phase.MOVE and symbol == "move2" else 0
    if len(moved) > most or any(s["hex"][figure] == OFF_BOARD for figure in moved):
        raise ValueError(f"moved {[FIGURES[figure] for figure in moved]} {where}: at most {most}, and alive")


def _check_decision(rules: Rules, s: Any) -> None:
    """What is asked can be answered."""
    left, spent, phase = int(s["actions_left"]), int(s["actions_spent"]), Phase(s["phase"])
    fury = s["fury_used"] and s["turn_agent"] == Seat.DWARVES  # R10.1
    unasked = phase == Phase.ACTION and left == 0 and not _late_fury(rules, s)
    if left + spent > (MAX_ACTIONS_A_TURN if fury else ACTIONS_A_TURN) or unasked:
        raise ValueError(f"actions_left {left} and actions_spent {spent} in phase {phase.name.lower()!r}")
    if phase == Phase.DEFENSE and s["answered"] >= s["num_strikes"]:
        raise ValueError("phase 'defense' without a strike to answer")
    for figure in s["strikes"][: s["num_strikes"]]:
        hit_dragon = figure == Figure.DRAGON
        if hit_dragon != (s["turn_agent"] == Seat.DWARVES) or s["hex"][figure] == OFF_BOARD:
            raise ValueError(f"a strike at {FIGURES[figure]} in the turn of the {SIDES[s['turn_agent']]}")
    free = sum(rules.dragon_spaces[1:]) - int(s["dragon_wounds"][1:].sum())
    if (phase == Phase.WOUND) != (s["wounds"] > 0) or s["wounds"] >= max(free, 1):  # R9.4
        raise ValueError(f"{s['wounds']} wounds to place in phase {phase.name.lower()!r}, with {free} free spaces")


def _late_fury(rules: Rules, s: Any) -> bool:
    """R10.1: no action is left, and the dwarf player is asked for fury."""
    free = rules.dwarf_spaces[0] - int(s["dwarf_wounds"][Figure.FURY])
    possible = s["hex"][Figure.FURY] != OFF_BOARD and (free >= 2 or rules.fury_may_kill) and not s["fury_used"]
    return bool(rules.fury_timing == "any" and s["turn_agent"] == Seat.DWARVES and possible)


def _check_exchange(rules: Rules, s: Any) -> None:
    """R4.2: only by the option, and not before one is asked."""
    for seat, side in enumerate(SIDES):
        asked = rules.exchange and (s["phase"] != Phase.EXCHANGE or seat < s["agent"])
        if s["exchanged"][seat] and not asked:
            raise ValueError(f"exchanged: the {side} cannot have exchanged the starting hand yet (option `exchange`)")
