"""What a legal action does: one small function for each rule, then `finish_card` and `continue_turn` move play on."""

from typing import Any

from drako_env.drako.actions import ActionType
from drako_env.drako.deal import (
    begin_first_turn,
    clear_pending,
    draw_cards,
    exchange_hand,
    finish_exchange,
    lift,
    put,
)
from drako_env.drako.legal import may_declare_fury
from drako_env.drako.state import (
    ACTIONS_A_TURN,
    MAX_TURN,
    NOBODY,
    OFF_BOARD,
    Area,
    Figure,
    Phase,
    Seat,
    Symbol,
)
from drako_env.engine.jit import jit


@jit
def apply(t: Any, s: Any, action: int) -> None:
    """Play a legal action of the seat to decide."""
    kind = t["action_type"][action]
    what = t["action_what"][action, s["agent"]]
    where = t["action_where"][action]
    if kind == ActionType.PLAY:
        play_card(t, s, what, where)
    elif kind == ActionType.DRAW:
        draw(t, s)
    elif kind == ActionType.MOVE:
        move(t, s, what, where)
    elif kind == ActionType.STOP:
        stop(t, s)
    elif kind == ActionType.TAKE:
        answer_strike(t, s, 0)
    elif kind == ActionType.BLOCK:
        discard(s, what)
        answer_strike(t, s, 1)
    elif kind == ActionType.DISCARD:
        discard_by_choice(t, s, what)
    elif kind == ActionType.TARGET:
        add_strike(s, what)
        ask_defense(s)
    elif kind == ActionType.DIRECTION:
        breathe_fire(t, s, what)
    elif kind == ActionType.ATTACKERS:
        strike_dragon(s, what)
    elif kind == ActionType.WOUND:
        place_wound(t, s, what)
    elif kind == ActionType.FURY:
        declare_fury(t, s)
    elif kind == ActionType.ESCAPE_NET:
        s["netted"] = 0
        next_turn(s)
    elif kind == ActionType.PLACE:
        place_dwarf(s, what, where)
    else:
        answer_exchange(t, s, kind == ActionType.EXCHANGE)


@jit
def answer_exchange(t: Any, s: Any, exchanging: bool) -> None:
    """R4.2: the dragon is asked, then the dwarves."""
    if exchanging:
        exchange_hand(t, s, s["agent"])
    if s["agent"] == Seat.DRAGON:
        s["agent"] = Seat.DWARVES
    else:
        finish_exchange(t, s)


@jit
def place_dwarf(s: Any, figure: int, place: int) -> None:
    """R4.3: after the last dwarf the dragon begins."""
    put(s, figure, place)
    if figure == Figure.NET:
        begin_first_turn(s)


@jit
def draw(t: Any, s: Any) -> None:
    """R5.3: two cards (or what the table says), or the last ones; then down to the hand limit."""
    seat = s["agent"]
    spend_action(s)
    draw_cards(s, seat, min(t["cards_per_draw"], s["deck_size"][seat]))
    if s["hand_size"][seat] > t["hand_limit"]:
        s["phase"] = Phase.DISCARD
    else:
        continue_turn(t, s)


@jit
def discard_by_choice(t: Any, s: Any, kind: int) -> None:
    """R5.3: down to the hand limit after a draw; R5.6: or as an action of its own."""
    discard(s, kind)
    if s["phase"] == Phase.ACTION:
        spend_action(s)
        finish_card(t, s)
    elif s["hand_size"][s["agent"]] <= t["hand_limit"]:
        continue_turn(t, s)


@jit
def discard(s: Any, kind: int) -> None:
    """R3.3: a card leaves the hand of the seat to decide for good."""
    seat = s["agent"]
    s["hand"][seat, kind] -= 1
    s["hand_size"][seat] -= 1
    s["discards"][seat, kind] += 1


@jit
def spend_action(s: Any) -> None:
    """R5.1."""
    s["actions_left"] -= 1
    s["actions_spent"] += 1


@jit
def play_card(t: Any, s: Any, kind: int, option: int) -> None:
    """R5.4: the card is discarded and its action spent at once; what its symbol asks comes next."""
    seat = s["agent"]
    discard(s, kind)
    spend_action(s)
    symbol = t["symbol"][seat, kind, option]
    s["card"] = kind
    s["symbol"] = symbol
    s["value"] = t["value"][seat, kind, option]
    if symbol == Symbol.ATTACK:
        s["phase"] = Phase.TARGET
    elif symbol == Symbol.FIRE:
        s["phase"] = Phase.DIRECTION
    elif symbol == Symbol.ATTACK2 and adjacent_dwarves(t, s) >= 2:  # R7.1
        s["phase"] = Phase.ATTACKERS
    elif symbol == Symbol.ATTACK1 or symbol == Symbol.ATTACK2 or symbol == Symbol.CROSSBOW:
        strike_dragon(s, 1)
    elif symbol == Symbol.NET:  # R8.1
        s["netted"] = 1
        finish_card(t, s)
    else:
        s["phase"] = Phase.MOVE


@jit
def adjacent_dwarves(t: Any, s: Any) -> int:
    """How many living dwarves stand next to the dragon."""
    around = t["neighbours"][s["hex"][Figure.DRAGON]]
    count = 0
    for figure in range(Figure.FURY, Figure.NET + 1):
        place = s["hex"][figure]
        if place != OFF_BOARD:
            count += (around >> place) & 1
    return count


@jit
def move(t: Any, s: Any, figure: int, place: int) -> None:
    """R6.1; R6.2: a move2 goes on while there is another living dwarf to ask about."""
    put(s, figure, place)
    alone = dwarves_alive(s) == 1
    if s["symbol"] == Symbol.MOVE2 and s["moved"] == 0 and not alone:
        s["moved"] = 1 << figure
    else:
        finish_card(t, s)


@jit
def stop(t: Any, s: Any) -> None:
    """R6.1: no further move; R10.1: no late fury."""
    if s["phase"] == Phase.MOVE:
        finish_card(t, s)
    else:
        next_turn(s)


@jit
def strike_dragon(s: Any, count: int) -> None:
    """R7.1, R7.2."""
    for _ in range(count):
        add_strike(s, Figure.DRAGON)
    ask_defense(s)


@jit
def breathe_fire(t: Any, s: Any, direction: int) -> None:
    """R7.4: every dwarf on the line, R7.5: the nearest first."""
    line = t["rays"][s["hex"][Figure.DRAGON], direction]
    hit = line & s["occupied"]
    while hit != 0:
        for figure in range(Figure.FURY, Figure.NET + 1):
            place = s["hex"][figure]
            if place != OFF_BOARD and (hit >> place) & 1 and hit & ~t["rays"][place, direction] == 1 << place:
                add_strike(s, figure)
                hit &= ~(1 << place)
    ask_defense(s)


@jit
def add_strike(s: Any, figure: int) -> None:
    """One more strike of the pending card."""
    s["strikes"][s["num_strikes"]] = figure
    s["num_strikes"] += 1


@jit
def ask_defense(s: Any) -> None:
    """R7.5: the defender answers each strike, out of turn."""
    s["phase"] = Phase.DEFENSE
    s["agent"] = 1 - s["turn_agent"]


@jit
def answer_strike(t: Any, s: Any, blocked: int) -> None:
    """R7.5; R7.6: wounds are dealt when every strike is answered."""
    s["blocked"][s["answered"]] = blocked
    s["answered"] += 1
    if s["answered"] < s["num_strikes"]:
        return
    if s["turn_agent"] == Seat.DWARVES:
        wound_dragon(t, s)
        return
    for i in range(s["num_strikes"]):
        if not s["blocked"][i]:
            wound_dwarf(t, s, s["strikes"][i], s["value"])
    finish_card(t, s)


@jit
def wound_dragon(t: Any, s: Any) -> None:
    """R9.2: armor first, then the dwarf player places the rest; R9.4: unless the rest is enough to kill."""
    wounds = 0
    for i in range(s["num_strikes"]):
        wounds += s["value"] * (1 - s["blocked"][i])
    on_armor = min(wounds, t["dragon_spaces"][Area.ARMOR] - s["dragon_wounds"][Area.ARMOR])
    s["dragon_wounds"][Area.ARMOR] += on_armor
    wounds -= on_armor
    free = 0
    for area in range(Area.FLIGHT, Area.FIRE + 1):
        free += t["dragon_spaces"][area] - s["dragon_wounds"][area]
    if s["dragon_wounds"][Area.ARMOR] == t["dragon_spaces"][Area.ARMOR] and wounds >= free:
        for area in range(Area.FLIGHT, Area.FIRE + 1):
            s["dragon_wounds"][area] = t["dragon_spaces"][area]
        end_game(s, Seat.DWARVES)  # R11.1
    elif wounds == 0:
        finish_card(t, s)
    else:
        s["wounds"] = wounds
        s["phase"] = Phase.WOUND
        s["agent"] = Seat.DWARVES


@jit
def place_wound(t: Any, s: Any, area: int) -> None:
    """R9.2: one by one."""
    s["dragon_wounds"][area] += 1
    s["wounds"] -= 1
    if s["wounds"] == 0:
        finish_card(t, s)


@jit
def wound_dwarf(t: Any, s: Any, figure: int, wounds: int) -> None:
    """R9.1; R2.3: wounds beyond the free spaces are lost."""
    spaces = t["dwarf_spaces"][figure]
    s["dwarf_wounds"][figure] = min(spaces, s["dwarf_wounds"][figure] + wounds)
    if s["dwarf_wounds"][figure] == spaces:
        lift(s, figure)


@jit
def declare_fury(t: Any, s: Any) -> None:
    """R10.1: one wound for one more action; with `fury_may_kill` it may be the last dwarf's last (R11.1)."""
    s["fury_used"] = 1
    s["actions_left"] += 1
    wound_dwarf(t, s, Figure.FURY, 1)
    if dwarves_alive(s) == 0:
        end_game(s, Seat.DRAGON)


@jit
def dwarves_alive(s: Any) -> int:
    """How many dwarves stand on the board."""
    count = 0
    for figure in range(Figure.FURY, Figure.NET + 1):
        count += s["hex"][figure] != OFF_BOARD
    return count


@jit
def finish_card(t: Any, s: Any) -> None:
    """A card is fully resolved: the game may be over (R5.7, R11.1), else the turn goes on."""
    out_of_cards = s["hand_size"][Seat.DWARVES] == 0 and s["deck_size"][Seat.DWARVES] == 0
    if out_of_cards or dwarves_alive(s) == 0:
        end_game(s, Seat.DRAGON)
    else:
        clear_pending(s)
        continue_turn(t, s)


@jit
def continue_turn(t: Any, s: Any) -> None:
    """The next action of the turn, or the next turn; R5.5: a dragon without cards loses the rest of its turn.
    R10.1: after the last action the dwarf player may still be asked for fury."""
    s["phase"] = Phase.ACTION
    s["agent"] = s["turn_agent"]
    if s["turn_agent"] == Seat.DRAGON:
        over = s["actions_left"] == 0 or dragon_without_cards(s)
    else:
        over = s["actions_left"] == 0 and not may_declare_fury(t, s)
    if over:
        next_turn(s)


@jit
def next_turn(s: Any) -> None:
    """R5.1; R5.5, R8.4: a dragon without cards skips its turn, and thereby escapes a net."""
    turns = 1
    s["turn_agent"] = 1 - s["turn_agent"]
    if s["turn_agent"] == Seat.DRAGON and dragon_without_cards(s):
        s["netted"] = 0
        turns = 2
        s["turn_agent"] = Seat.DWARVES
    s["turn"] = min(s["turn"] + turns, MAX_TURN)
    s["actions_left"] = ACTIONS_A_TURN
    s["actions_spent"] = 0
    s["phase"] = Phase.ACTION
    s["agent"] = s["turn_agent"]


@jit
def dragon_without_cards(s: Any) -> bool:
    """Neither hand nor deck."""
    return s["hand_size"][Seat.DRAGON] == 0 and s["deck_size"][Seat.DRAGON] == 0


@jit
def end_game(s: Any, winner: int) -> None:
    """R11.1."""
    clear_pending(s)
    s["winner"] = winner
    s["phase"] = Phase.OVER
    s["agent"] = NOBODY
