"""Which actions are legal: one small function for each kind of decision, writing ones into a mask of zeros."""

from typing import Any

from drako_env.drako.actions import ActionType
from drako_env.drako.state import OFF_BOARD, Area, Figure, Phase, Seat, Symbol
from drako_env.engine.jit import jit


@jit
def write_mask(t: Any, s: Any, mask: Any) -> None:
    """The legal actions of the seat to decide; all zeros when the game is over."""
    mask[:] = 0
    phase = s["phase"]
    if phase == Phase.ACTION:
        mark_actions(t, s, mask)
    elif phase == Phase.DEFENSE:
        mark_defense(t, s, mask)
    elif phase == Phase.MOVE:
        mark_moves(t, s, mask)
    elif phase == Phase.DISCARD:
        mark_discards(t, s, mask)
    elif phase == Phase.TARGET:
        mark_targets(t, s, mask)
    elif phase == Phase.DIRECTION:
        mark_directions(t, s, mask)
    elif phase == Phase.ATTACKERS:
        mask[t["first_id"][ActionType.ATTACKERS]] = 1
        mask[t["first_id"][ActionType.ATTACKERS] + 1] = 1
    elif phase == Phase.WOUND:
        mark_wounds(t, s, mask)
    elif phase == Phase.PLACEMENT:
        mark_places(t, s, mask)
    elif phase == Phase.EXCHANGE:
        mask[ActionType.KEEP] = 1
        mask[ActionType.EXCHANGE] = 1


@jit
def mark_actions(t: Any, s: Any, mask: Any) -> None:
    """R5.2: draw or play, and beside them fury and escape_net; R5.6: a discard for a player who is stuck."""
    seat = s["agent"]
    usable = usable_symbols(t, s)
    stuck = s["deck_size"][seat] == 0
    for kind in range(t["num_kinds"][seat]):
        if s["hand"][seat, kind] > 0:
            for option in range(2):
                symbol = t["symbol"][seat, kind, option]
                if symbol >= 0 and (usable >> symbol) & 1:
                    mask[t["play_id"][seat, kind, option]] = 1
                    stuck = False
    mask[ActionType.DRAW] = s["deck_size"][seat] > 0  # R5.3
    mask[ActionType.FURY] = may_declare_fury(t, s)
    mask[ActionType.ESCAPE_NET] = may_escape_net(s)
    if stuck or t["discard_always"]:
        mark_discards(t, s, mask)


@jit
def usable_symbols(t: Any, s: Any) -> int:
    """R5.4: bit `symbol` is set when that symbol can have its effect now."""
    dragon = s["hex"][Figure.DRAGON]
    adjacent = t["neighbours"][dragon] & s["occupied"] != 0
    usable = 0
    if s["agent"] == Seat.DWARVES:
        usable = 1 << Symbol.MOVE1 | 1 << Symbol.MOVE2  # R6.4: some dwarf lives, or the game would be over
        if adjacent:  # R7.1
            usable |= 1 << Symbol.ATTACK1 | 1 << Symbol.ATTACK2
        if archer_sees_dragon(t, s):
            usable |= 1 << Symbol.CROSSBOW
        if s["hex"][Figure.NET] != OFF_BOARD and not s["netted"]:  # R8.1
            usable |= 1 << Symbol.NET
        return usable
    if not s["netted"]:  # R6.3, R8.2
        if has_ability(t, s, Area.MOVEMENT):
            usable |= 1 << Symbol.MOVE
        if has_ability(t, s, Area.FLIGHT):
            usable |= 1 << Symbol.FLIGHT
    if adjacent:  # R7.3
        usable |= 1 << Symbol.ATTACK
    if t["star"][dragon] & s["occupied"] != 0 and has_ability(t, s, Area.FIRE):  # R7.4
        usable |= 1 << Symbol.FIRE
    return usable


@jit
def has_ability(t: Any, s: Any, area: int) -> bool:
    """R9.3: an ability is lost for good when its area is full."""
    return s["dragon_wounds"][area] < t["dragon_spaces"][area]


@jit
def archer_sees_dragon(t: Any, s: Any) -> bool:
    """R7.2: a straight line between them with no figure in between."""
    archer, dragon = s["hex"][Figure.ARCHER], s["hex"][Figure.DRAGON]
    if archer == OFF_BOARD:
        return False
    direction = t["direction"][archer, dragon]
    if direction < 0:
        return False
    beyond = t["rays"][dragon, direction] | 1 << dragon
    return t["rays"][archer, direction] & ~beyond & s["occupied"] == 0


@jit
def may_declare_fury(t: Any, s: Any) -> bool:
    """R10.1, R10.2: once per game, before the turn's first action, and not if it kills."""
    if s["agent"] != Seat.DWARVES or s["fury_used"] or s["hex"][Figure.FURY] == OFF_BOARD:
        return False
    if s["actions_spent"] > 0 and not t["fury_any_time"]:
        return False
    free = t["dwarf_spaces"][Figure.FURY] - s["dwarf_wounds"][Figure.FURY]
    return free >= 2 or t["fury_may_kill"] == 1


@jit
def may_escape_net(s: Any) -> bool:
    """R8.3: as the first action of a turn of two."""
    first_of_two = s["actions_spent"] == 0 and s["actions_left"] == 2
    return s["agent"] == Seat.DRAGON and s["netted"] == 1 and first_of_two


@jit
def mark_discards(t: Any, s: Any, mask: Any) -> None:
    """Any held card (R5.3, R5.6)."""
    seat = s["agent"]
    for kind in range(t["num_kinds"][seat]):
        if s["hand"][seat, kind] > 0:
            mask[t["discard_id"][seat, kind]] = 1


@jit
def mark_moves(t: Any, s: Any, mask: Any) -> None:
    """R6.1-R6.3: a hex for a figure that may move, or stop."""
    mask[ActionType.STOP] = 1
    if s["turn_agent"] == Seat.DRAGON:
        flying = s["symbol"] == Symbol.FLIGHT
        goals = t["board"] & ~s["occupied"] if flying else reach(t, s, Figure.DRAGON)
        mark_hexes(t, mask, t["first_id"][ActionType.MOVE], goals)
        return
    for figure in range(Figure.FURY, Figure.NET + 1):
        if s["hex"][figure] != OFF_BOARD and not (s["moved"] >> figure) & 1:
            mark_hexes(t, mask, t["first_id"][ActionType.MOVE] + figure * t["num_hexes"], reach(t, s, figure))


@jit
def reach(t: Any, s: Any, figure: int) -> int:
    """R6.1: the empty hexes that a figure can walk to with the pending card, its own hex not among them."""
    empty = t["board"] & ~s["occupied"]
    found = t["neighbours"][s["hex"][figure]] & empty
    for _ in range(s["value"] - 1):
        edge = found
        for place in range(t["num_hexes"]):
            if (edge >> place) & 1:
                found |= t["neighbours"][place] & empty
    return found


@jit
def mark_hexes(t: Any, mask: Any, first: int, hexes: int) -> None:
    """Ones from `first` on for every hex of a bit mask."""
    for place in range(t["num_hexes"]):
        mask[first + place] = (hexes >> place) & 1


@jit
def mark_places(t: Any, s: Any, mask: Any) -> None:
    """R4.3: an empty hex not adjacent to the dragon, for the next dwarf in order."""
    free = t["board"] & ~s["occupied"] & ~t["neighbours"][s["hex"][Figure.DRAGON]]
    mark_hexes(t, mask, t["first_id"][ActionType.PLACE] + (next_to_place(s) - 1) * t["num_hexes"], free)


@jit
def next_to_place(s: Any) -> int:
    """The first dwarf that is not on the board yet."""
    figure = 1
    while s["hex"][figure] != OFF_BOARD:
        figure += 1
    return figure


@jit
def mark_targets(t: Any, s: Any, mask: Any) -> None:
    """R7.3: a living dwarf adjacent to the dragon."""
    around = t["neighbours"][s["hex"][Figure.DRAGON]]
    for figure in range(Figure.FURY, Figure.NET + 1):
        place = s["hex"][figure]
        if place != OFF_BOARD and (around >> place) & 1:
            mask[t["first_id"][ActionType.TARGET] + figure - 1] = 1


@jit
def mark_directions(t: Any, s: Any, mask: Any) -> None:
    """R7.4: a direction with a dwarf somewhere on its line."""
    for direction in range(6):
        if t["rays"][s["hex"][Figure.DRAGON], direction] & s["occupied"] != 0:
            mask[t["first_id"][ActionType.DIRECTION] + direction] = 1


@jit
def mark_defense(t: Any, s: Any, mask: Any) -> None:
    """R7.5: block with a held card that has a defense symbol, or take the strike."""
    mask[ActionType.TAKE] = 1
    seat = s["agent"]
    for kind in range(t["num_kinds"][seat]):
        if s["hand"][seat, kind] > 0 and t["block_id"][seat, kind] >= 0:
            mask[t["block_id"][seat, kind]] = 1


@jit
def mark_wounds(t: Any, s: Any, mask: Any) -> None:
    """R9.2: an ability area with a free space."""
    for area in range(Area.FLIGHT, Area.FIRE + 1):
        mask[t["first_id"][ActionType.WOUND] + area - 1] = has_ability(t, s, area)
