"""What a good beginner thinks of an action: rules of thumb from what the deciding seat may know.

`score` is the whole of it. The heuristic player takes the action with the highest score; the search plays its games to
the end with the better of two random actions. Numbers are in "wounds": about 2 for a wound dealt or avoided.
"""

from typing import Any

from drako_env.drako.actions import ActionType
from drako_env.drako.apply import adjacent_dwarves, dwarves_alive
from drako_env.drako.legal import archer_sees_dragon, has_ability
from drako_env.drako.state import OFF_BOARD, Area, Figure, Phase, Seat, Symbol
from drako_env.engine.jit import jit

NEVER = -20.0
WOUND = 2.0
KILL = 5.0


@jit
def score(t: Any, s: Any, action: int) -> float:
    """How good a legal action of the seat to decide looks: the higher, the better."""
    kind = t["action_type"][action]
    what, where = t["action_what"][action, s["agent"]], t["action_where"][action]
    value = 0.0  # keep, stop, take: nothing happens
    if kind == ActionType.PLAY:
        value = score_play(t, s, what, t["symbol"][s["agent"], what, where], t["value"][s["agent"], what, where])
    elif kind == ActionType.DRAW:
        value = score_draw(s)
    elif kind == ActionType.MOVE:
        value = score_move(t, s, what, where)
    elif kind == ActionType.BLOCK:
        value = score_block(t, s, what)
    elif kind == ActionType.DISCARD:
        value = -keep_value(t, s, what) + (NEVER if s["phase"] == Phase.ACTION else 0.0)
    elif kind == ActionType.TARGET:
        value = score_hit(t, s, what)
    elif kind == ActionType.DIRECTION:
        value = score_fire(t, s, what, s["value"])
    elif kind == ActionType.ATTACKERS:
        value = float(what)
    elif kind == ActionType.WOUND:
        value = score_wound(t, s, what)
    elif kind == ActionType.FURY:
        value = score_fury(t, s)
    elif kind == ActionType.ESCAPE_NET:
        value = 3.0 + 3.0 * adjacent_dwarves(t, s)
    elif kind == ActionType.PLACE:
        value = score_start(t, s, what, where)
    elif kind == ActionType.EXCHANGE:
        value = 1.0 if attack_cards(t, s) == 0 else -1.0
    return value


@jit
def score_play(t: Any, s: Any, card: int, symbol: int, v: int) -> float:
    """A card by its symbol, less what else it could have been kept for."""
    near = adjacent_dwarves(t, s)
    value = 0.0
    if symbol == Symbol.ATTACK1 or symbol == Symbol.CROSSBOW:
        value = 5.0 + WOUND * v
    elif symbol == Symbol.ATTACK2:
        value = 5.0 + WOUND * v * min(near, 2)
    elif symbol == Symbol.NET:
        value = score_net(t, s, near)
    elif symbol == Symbol.MOVE1 or symbol == Symbol.MOVE2:
        value = (6.5 if near == 0 else 4.0 if near < dwarves_alive(s) else 0.5) + 0.4 * v
    elif symbol == Symbol.ATTACK:
        value = 3.5 + best_hit(t, s, v)
    elif symbol == Symbol.FIRE:
        value = 3.5 + best_fire(t, s, v)
    elif symbol == Symbol.MOVE:
        value = 2.5 * near + (1.5 if archer_sees_dragon(t, s) else 0.0) + 0.3 * v
    elif symbol == Symbol.FLIGHT:
        value = 2.5 * near + (1.5 if archer_sees_dragon(t, s) else 0.0) + 0.4 * near
    return value - 0.5 * keep_value(t, s, card)


@jit
def score_net(t: Any, s: Any, near: int) -> float:
    """A net is worth most when somebody stands by to use it, and nothing on a dragon that cannot move anyway."""
    if not has_ability(t, s, Area.MOVEMENT) and not has_ability(t, s, Area.FLIGHT):
        return NEVER
    return 8.0 + near if near > 0 else 3.0


@jit
def score_draw(s: Any) -> float:
    """Fill the hand: more eagerly the emptier it is."""
    return 7.5 - 1.1 * s["hand_size"][s["agent"]]


@jit
def score_fury(t: Any, s: Any) -> float:
    """One more action pays when all that are then left can be attacks."""
    return 12.0 if adjacent_dwarves(t, s) > 0 and attack_cards(t, s) > s["actions_left"] else NEVER


@jit
def score_move(t: Any, s: Any, figure: int, place: int) -> float:
    """How much better the new hex is than the old one."""
    return place_value(t, s, figure, place) - place_value(t, s, figure, s["hex"][figure])


@jit
def place_value(t: Any, s: Any, figure: int, place: int) -> float:
    """What a hex is worth to a figure, everybody else standing where they are."""
    if figure == Figure.DRAGON:
        return dragon_place_value(t, s, place)
    distance = t["distance"][place, s["hex"][Figure.DRAGON]]
    value = -1.5 * distance + (2.0 if distance == 1 else 0.0)
    if figure == Figure.ARCHER:  # he shoots from afar, and dies first
        others = s["occupied"] & ~(1 << s["hex"][figure])
        clear = t["between"][place, s["hex"][Figure.DRAGON]] & others == 0
        value = (1.5 if clear else -1.0) - 0.5 * distance
    return value - 0.6 * dwarves_in_line(t, s, figure, place)


@jit
def dragon_place_value(t: Any, s: Any, place: int) -> float:
    """Far from axes, out of the crossbow's line, with room to flee."""
    value = 0.0
    for figure in range(Figure.FURY, Figure.NET + 1):
        if s["hex"][figure] != OFF_BOARD:
            distance = t["distance"][place, s["hex"][figure]]
            value += 0.8 * min(distance, 3) - (2.0 if distance == 1 else 0.0)
    archer = s["hex"][Figure.ARCHER]
    if archer != OFF_BOARD and t["between"][archer, place] & s["occupied"] == 0:
        value -= 1.5
    return value - 0.25 * t["distance"][place, t["centre"]]


@jit
def dwarves_in_line(t: Any, s: Any, figure: int, place: int) -> int:
    """Comrades whom the dragon's fire would hit together with a dwarf on `place`."""
    dragon, count = s["hex"][Figure.DRAGON], 0
    for direction in range(6):
        line = t["rays"][dragon, direction]
        if (line >> place) & 1:
            for other in range(Figure.FURY, Figure.NET + 1):
                if other != figure and s["hex"][other] != OFF_BOARD:
                    count += (line >> s["hex"][other]) & 1
    return count


@jit
def score_start(t: Any, s: Any, figure: int, place: int) -> float:
    """A first hex: near, out of the fire's lines (the archer: in line), apart from the others."""
    in_line = (t["star"][s["hex"][Figure.DRAGON]] >> place) & 1
    value = -1.0 * t["distance"][place, t["centre"]] + (in_line if figure == Figure.ARCHER else -in_line)
    for other in range(Figure.FURY, figure):
        value += 0.3 * min(t["distance"][place, s["hex"][other]], 3)
    return value


@jit
def score_block(t: Any, s: Any, card: int) -> float:
    """What the strike would cost, less the card: the dragon can afford to block more than the dwarves."""
    v, figure = s["value"], s["strikes"][s["answered"]]
    if figure == Figure.DRAGON:
        saved = WOUND * v + (KILL if v >= dragon_free(t, s) else 0.0)
        return saved - 0.6 * keep_value(t, s, card)
    free = t["dwarf_spaces"][figure] - s["dwarf_wounds"][figure]
    return 1.3 * v + (KILL if v >= free else 0.0) - 0.8 * keep_value(t, s, card)


@jit
def keep_value(t: Any, s: Any, card: int) -> float:
    """What a card is worth in the hand: its defense, its attack, its movement."""
    seat, value = s["agent"], 0.0
    for option in range(2):
        symbol = t["symbol"][seat, card, option]
        if symbol == Symbol.DEFENSE:
            value += 2.0 if seat == Seat.DRAGON else 1.2
        elif symbol == Symbol.ATTACK or symbol == Symbol.ATTACK1 or symbol == Symbol.ATTACK2:
            value += 0.8 * t["value"][seat, card, option]
        elif symbol == Symbol.CROSSBOW:
            value += 0.7 * t["value"][seat, card, option] if s["hex"][Figure.ARCHER] != OFF_BOARD else 0.0
        elif symbol == Symbol.FLIGHT:
            value += 1.2 if has_ability(t, s, Area.FLIGHT) else 0.0
        elif symbol == Symbol.MOVE:
            value += 0.5 * t["value"][seat, card, option] if has_ability(t, s, Area.MOVEMENT) else 0.0
        elif symbol == Symbol.FIRE:
            value += 0.8 * t["value"][seat, card, option] if has_ability(t, s, Area.FIRE) else 0.0
        elif symbol == Symbol.NET:
            value += 1.5 if s["hex"][Figure.NET] != OFF_BOARD else 0.0
        elif symbol >= 0:
            value += 0.3 * t["value"][seat, card, option]
    return value


@jit
def score_hit(t: Any, s: Any, figure: int) -> float:
    """A dwarf as the dragon's target: the nearer to death the better."""
    return hit_value(t, s, figure, s["value"])


@jit
def hit_value(t: Any, s: Any, figure: int, v: int) -> float:
    """What a strike on a dwarf is worth."""
    free = t["dwarf_spaces"][figure] - s["dwarf_wounds"][figure]
    return KILL if v >= free else WOUND * v * (0.7 + 0.6 / free)


@jit
def best_hit(t: Any, s: Any, v: int) -> float:
    """The best target for an attack."""
    around, best = t["neighbours"][s["hex"][Figure.DRAGON]], 0.0
    for figure in range(Figure.FURY, Figure.NET + 1):
        place = s["hex"][figure]
        if place != OFF_BOARD and (around >> place) & 1:
            best = max(best, hit_value(t, s, figure, v))
    return best


@jit
def score_fire(t: Any, s: Any, direction: int, v: int) -> float:
    """Every dwarf on the line counts."""
    line, value = t["rays"][s["hex"][Figure.DRAGON], direction], 0.0
    for figure in range(Figure.FURY, Figure.NET + 1):
        place = s["hex"][figure]
        if place != OFF_BOARD and (line >> place) & 1:
            value += hit_value(t, s, figure, v)
    return value


@jit
def best_fire(t: Any, s: Any, v: int) -> float:
    """The best direction for fire."""
    best = 0.0
    for direction in range(6):
        best = max(best, score_fire(t, s, direction, v))
    return best


@jit
def score_wound(t: Any, s: Any, area: int) -> float:
    """Cripple what is nearly lost; legs first, then wings."""
    free = t["dragon_spaces"][area] - s["dragon_wounds"][area]
    return 2.0 / free + (1.0 if area == Area.MOVEMENT else 0.5 if area == Area.FLIGHT else 0.0)


@jit
def dragon_free(t: Any, s: Any) -> int:
    """How many more wounds the dragon can bear."""
    free = 0
    for area in range(4):
        free += t["dragon_spaces"][area] - s["dragon_wounds"][area]
    return free


@jit
def attack_cards(t: Any, s: Any) -> int:
    """Held cards that can be played as an attack of some kind."""
    seat, count = s["agent"], 0
    for card in range(t["num_kinds"][seat]):
        for option in range(2):
            symbol = t["symbol"][seat, card, option]
            striking = Symbol.ATTACK1 <= symbol <= Symbol.CROSSBOW or Symbol.ATTACK <= symbol <= Symbol.FIRE
            if striking:
                count += s["hand"][seat, card]
                break
    return count
