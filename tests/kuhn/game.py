"""Kuhn poker as a third game: everything that the package needs to know of a game, in one file.

Three cards, J < Q < K; both players pay 1 and get a card. The first may bet 1 or check; a bet is called or folded.
After two checks, or a call, the higher card takes the pot; a check and a bet leave the last word to the first player.
"""

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from drako_env.engine.chance import Chance
from drako_env.engine.checks import one_of
from drako_env.engine.game import Game
from drako_env.engine.jit import jit
from drako_env.engine.kernels import compile_kernels
from drako_env.engine.rng import Stream, random_below
from drako_env.games import Entry
from drako_env.render import OPEN

PASS, BET, NONE = 0, 1, -1
CARDS = "JQK"
DEALS = list(permutations(range(3), 2))
WORDS = ("check or fold", "bet or call")
STATE = np.dtype(
    [("rng", "u8", 2), ("agent", "i1"), ("card", "i1", 2), ("length", "i1"), ("moves", "i1", 3), ("spare", "i1")]
)


@dataclass(frozen=True)
class Rules:
    """There is nothing to choose."""

    name: str = "kuhn"

    def table(self):
        return {"name": self.name}


@jit
def deal(t, s):
    s["card"][0] = random_below(s, Stream.DEAL, 3)
    s["card"][1] = (s["card"][0] + 1 + random_below(s, Stream.DEAL, 2)) % 3
    s["moves"][:] = NONE
    s["length"] = 0
    s["agent"] = 0


@jit
def write_mask(t, s, mask):
    mask[:] = 0
    mask[:2] = s["agent"] != NONE


@jit
def apply(t, s, action):
    s["moves"][s["length"]] = action
    s["length"] += 1
    answered = s["length"] > 1 and s["moves"][s["length"] - 2] == BET
    checked = s["length"] == 2 and action == PASS
    s["agent"] = NONE if answered or checked else s["length"] % 2


@jit
def write_reward(s, reward):
    reward[:] = 0
    if s["agent"] == NONE:
        bets = s["moves"][s["length"] - 2] + s["moves"][s["length"] - 1]
        winner = 0 if s["card"][0] > s["card"][1] else 1
        if bets == 1:  # a bet that was folded to
            winner = s["length"] % 2
        stake = 2 if bets == 2 else 1
        reward[winner] = stake
        reward[1 - winner] = -stake


@jit
def observe(t, s, seat, observation):
    observation[:] = 0
    observation[s["card"][seat]] = 1
    observation[3 + seat] = 1
    for i in range(s["length"]):
        observation[5 + 2 * i + s["moves"][i]] = 1


@jit
def hide(t, s, seat):
    s["card"][1 - seat] = NONE
    s["rng"][:] = 0


@jit
def redeal(t, s, seat):
    s["card"][1 - seat] = (s["card"][seat] + 1 + random_below(s, Stream.DEAL, 2)) % 3


class CardDeal(Chance):
    """Two of three cards."""

    max_outcomes = len(DEALS)
    max_events = 1

    def take_back(self, before, action, after):
        if before is None:
            after["card"] = NONE

    def outcomes(self, state):
        return [(i, 1 / len(DEALS)) for i in range(len(DEALS))] if state["card"][0] == NONE else ()

    def lay_out(self, state, outcome):
        state["card"] = DEALS[outcome]

    def outcome_text(self, state, outcome, seat):
        names = [CARDS[card] for card in DEALS[outcome]]
        return " ".join(names) if seat is None else f"player {seat} is dealt {names[seat]}"

    def resampled(self, events, state, seat):
        return [DEALS.index(tuple(state["card"].tolist())), *(action for _, action in events[1:])]


class Kuhn(Game):
    """Kuhn poker."""

    name = "kuhn_v0"
    seats = ("player_0", "player_1")
    state_dtype = STATE
    chance = CardDeal()
    max_decisions = 3
    max_reward = 2.0
    kernels = compile_kernels(
        deal=deal,
        apply=apply,
        write_mask=write_mask,
        observe=observe,
        hide=hide,
        redeal=redeal,
        write_reward=write_reward,
    )

    def __init__(self, rules):
        tables, actions = np.zeros(1, [("unused", "i1")]), [{"type": "pass"}, {"type": "bet"}]
        super().__init__(rules, tables, actions, {"card": 3, "seat": 2, "moves": 6}, {})

    def action_text(self, action):
        return WORDS[action]

    def phase(self, state):
        return "over" if state["agent"] == NONE else "bet"

    def state_dict(self, state):
        moves = [self.actions[move]["type"] for move in state["moves"][: state["length"]]]
        return {"phase": self.phase(state), "cards": [CARDS[card] for card in state["card"]], "moves": moves}

    def load_state_dict(self, position):
        state, types = np.zeros(1, STATE)[0], ["pass", "bet"]
        state["card"] = [CARDS.index(one_of(card, CARDS, "cards")) for card in position["cards"]]
        state["moves"] = NONE
        for move in position["moves"]:
            if state["agent"] == NONE:
                raise ValueError("moves: the game was over before")
            getattr(apply, "py_func", apply)(None, state, types.index(one_of(move, types, "moves")))
        return state

    def outcome(self, state):
        return "the cards are compared" if state["moves"][state["length"] - 1] == BET else "a fold or checks", (0, 0)

    def scene(self, state, seat):
        position = self.state_dict(state)
        cards = [card if seat in (i, OPEN) else "?" for i, card in enumerate(position.pop("cards"))]
        return position | {"cards": cards, "question": " or ".join(WORDS), "out_of_turn": False}

    def text(self, scene):
        return f"cards {' '.join(scene['cards'])}\nmoves {' '.join(scene['moves'])}\n"


def make(rules=None, **options):
    """For `games.make_game`."""
    return Kuhn.of(Rules(**options))


ENTRY = Entry(make, ("kuhn",), {})
"""For `games.register_game`."""
