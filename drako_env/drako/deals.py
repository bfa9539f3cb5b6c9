"""All deals of a table that is small enough: where exact play begins."""

from itertools import product
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from drako_env.drako.rules import Card, Rules
from drako_env.drako.state import CARDS_PER_DRAW, START_HAND


def all_deals(rules: Rules, dealt: NDArray[np.void]) -> tuple[NDArray[np.void], NDArray[np.float64]]:
    """Every pair of starting hands, put into a position just dealt, and its probability. `ValueError` if chance would
    go on deciding after that."""
    most = START_HAND + CARDS_PER_DRAW  # a draw takes all that is left
    if rules.exchange or any(sum(card.copies for card in deck) > most for deck in rules.decks):
        raise ValueError(f"rules {rules.name!r}: exact play needs exchange = false and at most {most} cards a deck")
    hands = [list(_hands(deck)) for deck in rules.decks]
    states, chances = np.repeat(dealt, len(hands[0]) * len(hands[1])), []
    for state, pair in zip(states, product(*hands), strict=True):
        chances.append(1.0)
        for seat, ((hand, chance), deck) in enumerate(zip(pair, rules.decks, strict=True)):
            left = [card.copies - held for card, held in zip(deck, hand, strict=True)]
            state["hand"][seat, : len(hand)] = hand
            state["deck"][seat, : len(left)] = left
            state["deck_size"][seat] = sum(left)
            chances[-1] *= chance
    return states, np.array(chances)


def _hands(deck: tuple[Card, ...]) -> list[tuple[tuple[int, ...], float]]:
    """Every starting hand, as copies by kind, with its probability."""
    copies = [card.copies for card in deck]
    ways = comb(sum(copies), START_HAND)
    counts = product(*(range(n + 1) for n in copies))
    return [
        (hand, prod(comb(n, held) for n, held in zip(copies, hand, strict=True)) / ways)
        for hand in counts
        if sum(hand) == START_HAND
    ]
