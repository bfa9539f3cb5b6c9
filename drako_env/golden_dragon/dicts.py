"""The semantic view: a state record as a JSON-able dictionary, and back."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from drako_env.engine.checks import count, listed, one_of, shown
from drako_env.golden_dragon.rules import MAX_PLAYERS, MOVES_A_TURN, Rules
from drako_env.golden_dragon.state import (
    BOLTS_EACH,
    HOLDER_SIZE,
    NO_WIND,
    NOBODY,
    OFF_BOARD,
    STATE,
    STORM_MOVES,
    STORMS_EACH,
    Phase,
)

SETTING_UP = (Phase.SETUP_STONE, Phase.SETUP_SIDE, Phase.SETUP_ORDER)
STONE_IN_HAND = (Phase.PLACE, Phase.VETO)


def state_dict(rules: Rules, s: Any) -> dict[str, Any]:
    """The whole position, hidden stones included."""
    seats = range(rules.num_players)
    cells = [list(cell) for cell in rules.board.cells]
    winds = wind_names(rules)

    def wind(number: int) -> str | None:
        return None if number == NO_WIND else winds[number]

    return {
        "phase": Phase(s["phase"]).name.lower(),
        "agent": _seat(s["agent"]),
        "active": int(s["active"]),
        "moves_left": int(s["moves_left"]),
        "positions": [None if s["cell"][k] == OFF_BOARD else cells[s["cell"][k]] for k in seats],
        "under": [wind(s["under"][k]) for k in seats],
        "holders": [[winds[stone] for stone in s["holder"][p, : s["held"][p]]] for p in seats],
        "storms": [int(s["storms"][p]) for p in seats],
        "bolts": [int(s["bolts"][p]) for p in seats],
        "hand": wind(s["hand"]),
        "barred": [k for k in seats if s["barred"] >> k & 1],
        "announced": _seat(s["announced"]),
        "single_moves": int(s["single_moves"]),
        "winner": _seat(s["winner"]),
    }


def wind_names(rules: Rules) -> list[str]:
    """The winds in the order of their numbers."""
    return [name for name, _, _ in rules.board.winds]


def _seat(number: int) -> int | None:
    return None if number == NOBODY else int(number)


def load_state_dict(rules: Rules, position: Mapping[str, Any]) -> np.void:
    """A record of the position, without random numbers; `ValueError` if the position makes no sense.

    Stones need not add up to whole sets: a puzzle may be set with any stones."""
    new: np.void = np.zeros(1, STATE)[0]
    for field in ("cell", "under", "holder"):
        new[field] = NO_WIND
    try:
        _load_turn(rules, new, position)
        _load_dragons(rules, new, position)
        _load_holders(rules, new, position)
    except KeyError as error:
        raise ValueError(f"the position lacks the key {error}") from None
    except (TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"the position is malformed: {error}") from None
    _check_decision(rules, new)
    new["unseen"][: rules.num_players] = _unseen(rules, new)
    return new


def _load_turn(rules: Rules, s: Any, position: Mapping[str, Any]) -> None:
    last_seat, phases = rules.num_players - 1, [phase.name.lower() for phase in Phase]
    s["phase"] = phase = Phase[one_of(position["phase"], phases, "phase").upper()]
    for key in ("agent", "announced", "winner"):
        value = position[key]
        s[key] = NOBODY if value is None else count(value, last_seat, key)
    if (s["agent"] == NOBODY) != (phase == Phase.OVER) or (s["winner"] != NOBODY and phase != Phase.OVER):
        raise ValueError(
            f"agent {position['agent']!r} and winner {position['winner']!r} in phase {position['phase']!r}"
        )
    s["active"] = count(position["active"], last_seat, "active")
    s["moves_left"] = count(position["moves_left"], STORM_MOVES, "moves_left")
    s["single_moves"] = count(position["single_moves"], rules.max_single_moves, "single_moves")
    s["hand"] = _wind(rules, position["hand"], "hand")
    for dragon in listed(position["barred"], "barred"):
        s["barred"] |= 1 << count(dragon, last_seat, "barred")
    for key, most in (("storms", STORMS_EACH), ("bolts", BOLTS_EACH)):
        _one_each(rules, position, key)
        s[key][: rules.num_players] = [count(number, most, key) for number in position[key]]


def _load_dragons(rules: Rules, s: Any, position: Mapping[str, Any]) -> None:
    index = {cell: i for i, cell in enumerate(rules.board.cells)}
    for dragon, place in enumerate(_one_each(rules, position, "positions")):
        if place is not None:
            whole = all(type(part) is int for part in listed(place, f"cell of dragon {dragon}"))
            if not whole or tuple(place) not in index:
                raise ValueError(f"dragon {dragon}: {shown(place)} is no cell that can be entered")
            if index[tuple(place)] in s["cell"]:
                raise ValueError(f"dragon {dragon}: {place!r} holds another dragon already")
            s["cell"][dragon] = index[tuple(place)]
    for dragon, wind in enumerate(_one_each(rules, position, "under")):
        s["under"][dragon] = _wind(rules, wind, f"stone under dragon {dragon}")


def _load_holders(rules: Rules, s: Any, position: Mapping[str, Any]) -> None:
    for seat, stones in enumerate(_one_each(rules, position, "holders")):
        s["held"][seat] = count(len(listed(stones, f"holder {seat}")), HOLDER_SIZE, f"stones in holder {seat}")
        for i, wind in enumerate(stones):
            s["holder"][seat, i] = wind_names(rules).index(one_of(wind, wind_names(rules), f"stone in holder {seat}"))


def _one_each(rules: Rules, position: Mapping[str, Any], key: str) -> Any:
    entries = listed(position[key], key)
    if len(entries) != rules.num_players:
        raise ValueError(f"{key}: {len(entries)} entries for {rules.num_players} players")
    return entries


def _wind(rules: Rules, wind: Any, what: str) -> int:
    names = wind_names(rules)
    return NO_WIND if wind is None else names.index(one_of(wind, names, what))


def _check_decision(rules: Rules, s: Any) -> None:
    """What is asked can be answered, and everything is where the phase has it."""
    phase = Phase(s["phase"])
    if (phase == Phase.VETO) != (s["announced"] != NOBODY):
        raise ValueError(f"announced does not fit phase {phase.name.lower()!r}")
    if phase in SETTING_UP:
        _check_setup(rules, s)
        return
    if any(s["cell"][k] == OFF_BOARD or s["under"][k] == NO_WIND for k in range(rules.num_players)):
        raise ValueError("after the set-up every dragon stands on a cell and a stone")
    taken = phase in STONE_IN_HAND
    if (s["hand"] != NO_WIND) != taken or (not taken and s["barred"]):
        raise ValueError(f"hand and barred do not fit phase {phase.name.lower()!r}")
    for seat in range(rules.num_players):
        expected = HOLDER_SIZE - (taken and seat == s["active"])
        if s["held"][seat] != expected:
            raise ValueError(f"holder {seat} has {s['held'][seat]} stones; expected {expected}")
    if s["moves_left"] > _moves_of_turn(rules, s) and s["storms"][s["active"]] == STORMS_EACH:
        raise ValueError(f"moves_left {s['moves_left']}, but the active seat has played no storm")
    _check_end(rules, s, phase)
    if phase != Phase.OVER:
        _check_decider(rules, s, phase)


def _moves_of_turn(rules: Rules, s: Any) -> int:
    """G4: without a storm."""
    return MOVES_A_TURN if s["single_moves"] else rules.first_turn


def _check_end(rules: Rules, s: Any, phase: Phase) -> None:
    """G7: the game is over when the active player's own dragon stands on the goal, or no move is left."""
    arrived = [k for k in range(rules.num_players) if rules.board.cells[s["cell"][k]] == rules.board.goal]
    won, at_limit = s["winner"] != NOBODY, s["single_moves"] >= rules.max_single_moves
    if arrived != ([s["winner"]] if won else []) or (won and s["winner"] != s["active"]):
        raise ValueError(f"dragons {arrived} stand on the goal, seat {s['active']} is active, winner {s['winner']}")
    if (phase == Phase.OVER) != (won or at_limit) or (phase != Phase.OVER and s["moves_left"] == 0):
        left = f"moves_left {s['moves_left']}, single_moves {s['single_moves']}"
        raise ValueError(f"phase {phase.name.lower()!r} with {left}, winner {s['winner']}")


def _check_decider(rules: Rules, s: Any, phase: Phase) -> None:
    """The seat that is asked can be asked, and has something to answer."""
    if phase != Phase.VETO and s["agent"] != s["active"]:
        raise ValueError(f"agent {s['agent']} cannot decide in phase {phase.name.lower()!r} of another's turn")
    if phase == Phase.STORM:
        if s["storms"][s["active"]] == 0 or s["moves_left"] != _moves_of_turn(rules, s):
            raise ValueError(f"a storm is asked with {s['storms'][s['active']]} cards and {s['moves_left']} moves left")
        return
    _check_barred(rules, s)
    movable = _movable(rules, s)
    if not movable:
        raise ValueError(f"the stone in hand, {wind_names(rules)[s['hand']]!r}, can move no dragon")
    if phase == Phase.VETO:
        if not rules.may_veto(s["agent"], s["active"], s["announced"]) or s["bolts"][s["agent"]] == 0:
            scope = f"bolts {s['bolts'][s['agent']]}, veto_scope {rules.veto_scope!r}"
            raise ValueError(f"agent {s['agent']} cannot veto the move of dragon {s['announced']} ({scope})")
        if s["announced"] not in movable:
            raise ValueError(f"the announced move of dragon {s['announced']} is not legal")


def _check_barred(rules: Rules, s: Any) -> None:
    """G5: only what somebody may veto is barred."""
    for dragon in range(rules.num_players):
        may_bar = any(rules.may_veto(seat, s["active"], dragon) for seat in range(rules.num_players))
        if s["barred"] >> dragon & 1 and not may_bar:
            raise ValueError(f"dragon {dragon} is barred, but nobody could veto its move ({rules.veto_scope!r})")


def _movable(rules: Rules, s: Any) -> list[int]:
    """G4: the dragons that the stone in hand can move."""
    cells = [rules.board.cells[cell] for cell in s["cell"][: rules.num_players]]
    targets = {k: rules.board.step(cell, s["hand"]) for k, cell in enumerate(cells) if not s["barred"] >> k & 1}
    blocked = [None, *cells]
    return [k for k, to in targets.items() if to not in blocked and (to != rules.board.goal or k == s["active"])]


def _check_setup(rules: Rules, s: Any) -> None:
    """G3: seat by seat, first the stone and the cell, then the holder."""
    phase, agent, starts = Phase(s["phase"]), int(s["agent"]), rules.board.starts
    players = slice(rules.num_players)
    spent = (s["storms"][players] < STORMS_EACH).any() or (s["bolts"][players] < BOLTS_EACH).any()
    counters = s["active"], s["moves_left"], s["single_moves"], s["barred"], s["hand"]
    if counters != (0, rules.first_turn, 0, 0, NO_WIND) or spent:
        raise ValueError("active, moves_left, single_moves, barred, hand and cards do not change during the set-up")
    for seat in range(rules.num_players):
        laid = phase == Phase.SETUP_ORDER or seat < agent or (phase == Phase.SETUP_SIDE and seat == agent)
        placed = laid and not (phase == Phase.SETUP_SIDE and seat == agent)
        full = phase == Phase.SETUP_ORDER and seat < agent
        if (s["under"][seat] != NO_WIND) != laid or (s["cell"][seat] != OFF_BOARD) != placed:
            raise ValueError(f"dragon {seat} and its stone do not fit phase {phase.name.lower()!r} of seat {agent}")
        own_starts = starts[seat : seat + 1] if seat < MAX_PLAYERS - 1 else starts[seat:]
        if placed and rules.board.cells[s["cell"][seat]] not in own_starts:
            raise ValueError(f"dragon {seat} does not stand on its start")
        filling = phase == Phase.SETUP_ORDER and seat == agent
        if s["held"][seat] > HOLDER_SIZE - 2 if filling else s["held"][seat] != HOLDER_SIZE * full:
            raise ValueError(
                f"holder {seat} has {s['held'][seat]} stones in phase {phase.name.lower()!r} of seat {agent}"
            )
        own = [int(s["under"][seat]), *map(int, s["holder"][seat, : s["held"][seat]])]
        if len(set(own)) < len(own):
            raise ValueError(f"seat {seat} has laid the same stone twice")
    if phase == Phase.SETUP_SIDE and agent != len(rules.board.starts) - 2:
        raise ValueError(f"seat {agent} has no side to choose")


def _unseen(rules: Rules, s: Any) -> list[int]:
    """G6: how many stones of each holder only its owner has seen: five, less the stones that he has taken out. These
    follow from the counters: a turn has three moves, and every storm has added two. What the first turn was short of
    counts as moves without stones."""
    players, active = rules.num_players, int(s["active"])
    if Phase(s["phase"]) in SETTING_UP:
        return [HOLDER_SIZE] * players
    used = STORMS_EACH - s["storms"][:players].astype(int)
    done = MOVES_A_TURN - int(s["moves_left"])
    short = MOVES_A_TURN - rules.first_turn
    turns = max(0, (int(s["single_moves"]) + short - 2 * int(used.sum()) - done) // MOVES_A_TURN)
    taken = [MOVES_A_TURN * ((turns - seat + players - 1) // players) + 2 * used[seat] for seat in range(players)]
    taken[0] -= short
    taken[active] += done + (s["hand"] != NO_WIND)
    return [int(np.clip(HOLDER_SIZE - number, 0, s["held"][seat])) for seat, number in enumerate(taken)]
