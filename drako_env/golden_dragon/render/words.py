"""Golden Dragon and Icarius for people: what can be chosen, what happened and what lies where.

All of it is made of scenes, so a person is told no more than that seat may see. Names of cells: rows are letters from
the north, columns are numbers from the west."""

from collections.abc import Mapping
from typing import Any

from drako_env.golden_dragon.rules import MOVES_A_TURN
from drako_env.golden_dragon.state import STORM_MOVES

Scene = Mapping[str, Any]
Marks = list[tuple[str, str]]

WINDS = {
    "N": "north",
    "S": "south",
    "E": "east",
    "W": "west",
    "SE": "south-east",
    "SW": "south-west",
    "NE": "north-east",
    "NW": "north-west",
}
QUESTIONS = {
    "setup_stone": "which stone lies under your {figure}?",
    "setup_side": "start on the left or on the right?",
    "setup_order": "which stone comes next into your holder?",
    "storm": "play a {storm} card for two more moves?",
    "place": "which {figure} does the {hand} stone move? ({left} left)",
    "veto": "{active} moves {whose} {hand}. Forbid it with lightning?",
}


def question(scene: Scene) -> str:
    """What is to be decided, and by whom."""
    if scene["phase"] == "over":
        return "A draw" if scene["winner"] is None else f"{_capital(_player(scene['winner']))} won"
    said = dict(scene["terms"]) | {"hand": WINDS.get(scene["hand"] or "", ""), "left": _moves(scene["moves_left"])}
    said |= {"active": _player(scene["active"]), "whose": _whose(scene, scene["announced"])}
    words = QUESTIONS[scene["phase"]]
    if scene["viewer"] != scene["agent"]:
        words = words.replace("your", "the")
    return f"{_capital(_player(scene['agent']))}: {words.format(**said)}"


def choice(scene: Scene, action: Mapping[str, Any]) -> str:
    """An action as a person is offered it."""
    kind, terms = action["type"], scene["terms"]
    if kind == "stone":
        return f"The {WINDS[action['wind']]} stone"
    if kind == "side":
        return f"Start on the {action['side']}"
    if kind == "storm":
        return f"Play a {terms['storm']} card: two more moves" if action["use"] else "No card"
    if kind == "veto":
        return "Forbid it: play a lightning card" if action["use"] else "Let it happen"
    dragon = action["dragon"]
    whose = "Your" if dragon == scene["viewer"] else f"{_capital(_player(dragon))}'s"
    return f"{whose} {terms['figure']} to {_name(_target(scene, dragon))}"


def marks(scene: Scene, action: Mapping[str, Any]) -> Marks:
    """What of the picture an action is about: a click on it chooses the action, or narrows the choice down."""
    kind = action["type"]
    if kind == "place":
        return [("dragon", str(action["dragon"])), ("cell", _key(_target(scene, action["dragon"])))]
    return [(key, action[key]) for key in ("side", "wind") if key in action]


def told(before: Scene, action: Mapping[str, Any], after: Scene) -> tuple[str, Marks]:
    """What was done and what came of it, and the cells that it happened on. What others put into their holders is
    secret (G3): of such an action only that it was done is told."""
    moved = [d for d, cell in enumerate(after["positions"]) if before["positions"][d] not in (None, cell)]
    sentences = [_done(before, action, moved)]
    if moved and action["type"] != "place":
        sentences.append(_arrival(after, moved[0]))
    sentences += [f"the {WINDS[wind]} stone of {_player(p)} fits nobody" for p, wind in _passed(before, action, after)]
    if after["phase"] == "over":
        sentences.append(question(after).lower())
    places = [("cell", _key(scene["positions"][moved[0]])) for scene in (before, after)] if moved else []
    return "; ".join(sentences), places


def heading(before: Scene | None, after: Scene) -> str:
    """The turn that begins, if one does."""
    setting_up = after["phase"].startswith("setup") or after["phase"] == "over"
    same = before is not None and not before["phase"].startswith("setup") and before["active"] == after["active"]
    return "" if setting_up or same else f"Turn of {_player(after['active'])}"


def places(scene: Scene) -> dict[str, dict[str, str]]:
    """By cell: its name, and what is there."""
    board, terms = scene["board"], scene["terms"]
    holds = {_key(cell): terms["taboo"] for cell in board["taboo"]} | {_key(board["goal"]): terms["goal"]}
    for player, cell in enumerate(scene["positions"]):
        if cell is not None:
            stone = WINDS[scene["under"][player]]
            holds[_key(cell)] = f"{terms['figure']} of {_player(player)} on a {stone} stone"
    every = [*board["cells"], *board["taboo"]]
    return {
        "names": {f"cell:{_key(cell)}": _name(cell) for cell in every},
        "holds": {f"cell:{key}": what for key, what in holds.items()},
    }


def cards(scene: Scene) -> list[dict[str, Any]]:
    """What everybody has left, the next stone out first."""
    storm = f"{scene['terms']['storm']} card"
    return [
        {
            "title": _capital(_player(player)),
            "cards": [
                _pile(_counted(scene["storms"][player], storm), "two more moves in a turn"),
                _pile(_counted(scene["bolts"][player], "lightning card"), "forbids a move of the own figure"),
                _pile("holder", ", ".join(WINDS.get(wind, "not seen yet") for wind in stones)),
            ],
        }
        for player, stones in enumerate(scene["holders"])
    ]


def _pile(name: str, text: str) -> dict[str, Any]:
    return {"name": name, "count": 1, "text": text}


def symbols(scene: Scene) -> list[tuple[str, str]]:
    """What stones and cards mean."""
    terms = scene["terms"]
    figure, storm = terms["figure"], terms["storm"]
    return [
        (
            "wind stone",
            f"Moves any {figure} one cell its way. The stone that it leaves goes to the back of your holder.",
        ),
        ("next", "The holder: the stone nearest to the word comes out first."),
        (f"{storm} card", "Played before the first move: two more moves in this turn."),
        ("lightning card", f"Played out of turn: forbids one move of your own {figure}."),
        (terms["goal"], f"Bring your own {figure} here in your turn, and you have won."),
        (terms["taboo"], "Nobody may enter it."),
    ]


def _done(before: Scene, action: Mapping[str, Any], moved: list[int]) -> str:
    kind, terms = action["type"], before["terms"]
    if before["phase"] == "setup_order":
        hidden = before["viewer"] != before["agent"]
        return "puts a stone into the holder" if hidden else f"puts the {WINDS[action['wind']]} stone into the holder"
    if kind == "stone":
        return f"lays the {WINDS[action['wind']]} stone under the {terms['figure']}"
    if kind == "side":
        return f"starts on the {action['side']}"
    if kind == "storm":
        return f"plays a {terms['storm']} card: two more moves" if action["use"] else f"plays no {terms['storm']} card"
    if kind == "veto":
        return "forbids it with lightning" if action["use"] else "lets it happen"
    own = action["dragon"] == before["agent"]
    whose = f"their own {terms['figure']}" if own else f"the {terms['figure']} of {_player(action['dragon'])}"
    verb = "moves" if moved else "wants to move"
    return f"{verb} {whose} {WINDS[before['hand']]} to {_name(_target(before, action['dragon']))}"


def _arrival(after: Scene, dragon: int) -> str:
    return f"the {after['terms']['figure']} of {_player(dragon)} goes to {_name(after['positions'][dragon])}"


def _passed(before: Scene, action: Mapping[str, Any], after: Scene) -> list[tuple[int, str]]:
    """G4: the stones that no figure could be moved by, and whose they were: they lie last in their holders."""
    if before["phase"] not in ("storm", "place", "veto"):
        return []
    count = after["single_moves"] - before["single_moves"]
    completed = int(count > 0 and before["phase"] != "storm")  # the move itself
    storm = before["phase"] == "storm" and action["use"]
    extra = STORM_MOVES - MOVES_A_TURN if storm else 0
    player, room = before["active"], before["moves_left"] + extra - completed
    count, found = count - completed, []
    while count > 0:
        here = min(count, room)
        found += [(player, wind) for wind in (after["holders"][player][-here:] if here else [])]
        count, player, room = count - here, (player + 1) % len(after["holders"]), MOVES_A_TURN
    return found


def _whose(scene: Scene, dragon: int | None) -> str:
    own = dragon is not None and dragon == scene["viewer"]
    return f"your {scene['terms']['figure']}" if own else f"the {scene['terms']['figure']} of {_player(dragon)}"


def _target(scene: Scene, dragon: int) -> list[int]:
    """Where the stone in hand leads a figure."""
    down, right = scene["board"]["winds"][scene["hand"]]
    row, column = scene["positions"][dragon]
    return [row + down, column + right]


def _name(cell: Any) -> str:
    """`C4`: the row from the north, the column from the west."""
    return f"{chr(ord('A') + cell[0])}{cell[1] + 1}"


def _key(cell: Any) -> str:
    return ",".join(map(str, cell))


def _player(player: int | None) -> str:
    return "nobody" if player is None else f"player {player}"


def _moves(count: int) -> str:
    return _counted(count, "move")


def _counted(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}" if count < 2 else f"{count} {noun}s"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
