"""Which actions are legal: one small function for each kind of decision, writing ones into a mask of zeros.

Conditions are joined with `&` and shifted into place rather than branched on: a processor cannot guess them.
"""

from typing import Any

from drako_env.drako.actions import ActionType
from drako_env.drako.state import OFF_BOARD, Area, Figure, Phase, Seat, Symbol
from drako_env.engine.jit import jit
from drako_env.engine.memory import copy_bytes


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
    """R5.2: draw or play, and beside them fury and escape_net; R5.6: a discard for a player who is stuck.
    R10.1: with no action left, fury or stop."""
    mask[ActionType.FURY] = may_declare_fury(t, s)
    if s["actions_left"] == 0:
        mask[ActionType.STOP] = 1
        return
    seat = s["agent"]
    usable = usable_symbols(t, s)
    first, playable = t["play_id"][seat], 0
    for i in range(t["num_plays"][seat]):
        held = s["hand"][seat, t["play_card"][seat, i]] > 0
        legal = (usable >> t["play_symbol"][seat, i]) & held
        mask[first + i] = legal
        playable |= legal
    stuck = s["deck_size"][seat] == 0 and playable == 0
    mask[ActionType.DRAW] = s["deck_size"][seat] > 0  # R5.3
    mask[ActionType.ESCAPE_NET] = may_escape_net(s)
    if stuck or t["discard_always"]:
        mark_discards(t, s, mask)


@jit
def usable_symbols(t: Any, s: Any) -> int:
    """R5.4: bit `symbol` is set when that symbol can have its effect now."""
    dragon = s["hex"][Figure.DRAGON]
    adjacent = (t["neighbours"][dragon] & s["occupied"]) != 0
    if s["agent"] == Seat.DWARVES:
        net = (s["hex"][Figure.NET] != OFF_BOARD) & (s["netted"] == 0)  # R8.1
        return (
            1 << Symbol.MOVE1  # R6.4: some dwarf lives, or the game would be over
            | 1 << Symbol.MOVE2
            | adjacent << Symbol.ATTACK1  # R7.1
            | adjacent << Symbol.ATTACK2
            | archer_sees_dragon(t, s) << Symbol.CROSSBOW
            | net << Symbol.NET
        )
    free = s["netted"] == 0  # R6.3, R8.2
    in_line = (t["star"][dragon] & s["occupied"]) != 0
    return (
        (free & has_ability(t, s, Area.MOVEMENT)) << Symbol.MOVE
        | (free & has_ability(t, s, Area.FLIGHT)) << Symbol.FLIGHT
        | adjacent << Symbol.ATTACK  # R7.3
        | (in_line & has_ability(t, s, Area.FIRE)) << Symbol.FIRE  # R7.4
    )


@jit
def has_ability(t: Any, s: Any, area: int) -> bool:
    """R9.3: an ability is lost for good when its area is full."""
    return s["dragon_wounds"][area] < t["dragon_spaces"][area]


@jit
def archer_sees_dragon(t: Any, s: Any) -> bool:
    """R7.2: a straight line between them with no figure in between."""
    archer, dragon = s["hex"][Figure.ARCHER], s["hex"][Figure.DRAGON]
    return (archer != OFF_BOARD) & ((t["between"][max(archer, 0), dragon] & s["occupied"]) == 0)


@jit
def may_declare_fury(t: Any, s: Any) -> bool:
    """R10.1, R10.2: once per game, before the turn's first action or at any time of it, and not if it kills."""
    available = (s["agent"] == Seat.DWARVES) & (s["fury_used"] == 0) & (s["hex"][Figure.FURY] != OFF_BOARD)
    in_time = ((s["actions_spent"] == 0) & (s["actions_left"] > 0)) | (t["fury_any_time"] == 1)
    free = t["dwarf_spaces"][Figure.FURY] - s["dwarf_wounds"][Figure.FURY]
    return available & in_time & ((free >= 2) | (t["fury_may_kill"] == 1))


@jit
def may_escape_net(s: Any) -> bool:
    """R8.3: as the first action of a turn of two."""
    first_of_two = (s["actions_spent"] == 0) & (s["actions_left"] == 2)
    return (s["agent"] == Seat.DRAGON) & (s["netted"] == 1) & first_of_two


@jit
def mark_discards(t: Any, s: Any, mask: Any) -> None:
    """Any held card (R5.3, R5.6)."""
    seat = s["agent"]
    for kind in range(t["num_kinds"][seat]):
        mask[t["discard_id"][seat, kind]] = s["hand"][seat, kind] > 0


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
            found |= t["neighbours"][place] & -((edge >> place) & 1)
        found &= empty
    return found


@jit
def mark_hexes(t: Any, mask: Any, first: int, hexes: int) -> None:
    """Ones from `first` on for every hex of a bit mask, eight hexes at a time.

    What spills over the last hex are zeros, in a place that stays zero or is written next."""
    for place in range(0, t["num_hexes"], 8):
        copy_bytes(mask, first + place, t["spread"], 8 * (hexes >> place & 255), 8)


@jit
def mark_places(t: Any, s: Any, mask: Any) -> None:
    """R4.3: an empty hex not adjacent to the dragon, for the next dwarf in order."""
    free = t["board"] & ~s["occupied"] & ~t["neighbours"][s["hex"][Figure.DRAGON]]
    mark_hexes(t, mask, t["first_id"][ActionType.PLACE] + (next_to_place(s) - 1) * t["num_hexes"], free)


@jit
def next_to_place(s: Any) -> int:
    """The first dwarf that is not on the board yet."""
    figure = 1
    while figure < Figure.NET and s["hex"][figure] != OFF_BOARD:
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
    for i in range(t["num_shields"][seat]):
        mask[t["block_id"][seat, i]] = s["hand"][seat, t["shield_card"][seat, i]] > 0


@jit
def mark_wounds(t: Any, s: Any, mask: Any) -> None:
    """R9.2: an ability area with a free space."""
    for area in range(Area.FLIGHT, Area.FIRE + 1):
        mask[t["first_id"][ActionType.WOUND] + area - 1] = has_ability(t, s, area)
