"""How somebody plays: of the times an action could be chosen, how often it was; openings; which cards are kept."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drako_env.dataset import Dataset
from drako_env.engine.game import role_of
from drako_env.evaluation.report import share, table

PLACES = ("hex", "figure", "dwarf", "direction", "dragon")
"""What an action's kind leaves out: where, and whose."""
OPENING, OPENINGS = 5, 5
"""How many decisions with a choice make an opening, and how many openings are shown."""
RARE = 0.005
"""Of a side's decisions: what can be chosen less often is left out."""
CARD_COLUMNS = ("play", "block", "discard")
"""What can be done with a card."""

Counts = Mapping[str, tuple[int, int]]
"""Kind -> how often it could be chosen, and how often it was."""


def kind_of(action: Mapping[str, Any], card: bool = False) -> str:
    """An action without its place, and without its card or with nothing but that."""
    words = [str(value) for key, value in action.items() if key not in (*PLACES, "card", "symbol" if card else "")]
    return " ".join([*words, action["card"]] if card else words).replace("True", "yes").replace("False", "no")


def counts(data: Dataset, rows: NDArray[np.bool_], kinds: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Among those rows in which there is a choice; `kinds` names that of every action, nothing what does not count."""
    mask, action = data.action_mask[rows], data.action[rows]
    found = {}
    for kind in dict.fromkeys(filter(None, kinds)):
        members = np.array([other == kind for other in kinds])
        could = mask[:, members].any(axis=1)
        found[kind] = int(could.sum()), int(members[action].sum())
    return found


def openings(data: Dataset, rows: NDArray[np.bool_], kinds: Sequence[str]) -> list[tuple[str, int]]:
    """The kinds of the first decisions of a side in every game, most frequent first."""
    numbers = np.flatnonzero(rows)
    games = np.split(numbers, np.flatnonzero(np.diff(data.game[numbers])) + 1)
    firsts = (", ".join(kinds[data.action[row]] for row in game[:OPENING]) for game in games)
    return Counter(firsts).most_common(OPENINGS)


def habits(data: Dataset) -> str:
    """Tables for every side, as Markdown."""
    seats, actions, choice = data.rules.seats, data.rules.actions, data.action_mask.sum(axis=1) > 1
    roles = np.array([role_of(seat) for seat in seats])[data.seat]
    kinds, parts = [kind_of(action) for action in actions], []
    for role in dict.fromkeys(roles.tolist()):
        rows = choice & (roles == role)
        parts += [f"**{role}**", kinds_table(counts(data, rows, kinds), int(rows.sum()))]
        cards = [kind_of(action, card=True) if "card" in action else "" for action in actions]
        parts += [cards_table(counts(data, rows, cards))] if any(cards) else []
        first = [[words, share(count / data.header["games"])] for words, count in openings(data, rows, kinds)]
        parts.append(table(("first decisions", "games"), first))
    return "\n\n".join(parts) + "\n"


def kinds_table(found: Counts, decisions: int) -> str:
    """What is chosen, most wanted first."""
    common = {kind: pair for kind, pair in found.items() if pair[0] > RARE * decisions}
    order = sorted(common, key=lambda kind: -common[kind][1] / common[kind][0])
    rows = [[kind, share(common[kind][0] / decisions), share(common[kind][1] / common[kind][0])] for kind in order]
    return table(("action", "could be chosen in", "was then chosen in"), rows)


def cards_table(found: Counts) -> str:
    """What becomes of a card that is held; those that are given up last come first."""
    names = dict.fromkeys(kind.partition(" ")[2] for kind, (could, _) in found.items() if could)
    shares = {kind: chosen / could for kind, (could, chosen) in found.items() if could}
    order = sorted(names, key=lambda name: shares.get(f"discard {name}", 0.0))
    cells = [[shares.get(f"{what} {name}") for what in CARD_COLUMNS] for name in order]
    rows = [
        [name, *("" if cell is None else share(cell) for cell in row)] for name, row in zip(order, cells, strict=True)
    ]
    return table(("card", "played", "blocks with it", "discarded"), rows)
