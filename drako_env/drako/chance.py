"""What chance decides (R4.1, R4.2, R5.3): the cards that a player draws at a time, as copies by kind.

While chance is to decide, the cards lie in the deck still, but both sizes are those after the draw: a hand that holds
fewer cards than its size waits for the others.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Any

import numpy as np

from drako_env.drako.actions import ActionType
from drako_env.drako.dicts import hands
from drako_env.drako.rules import Rules
from drako_env.engine.chance import CHANCE, Chance, Event

Cards = tuple[int, ...]
"""Card kinds, ascending."""


class CardChance(Chance):
    """The draws of a game under one set of rules."""

    def __init__(self, rules: Rules, tables: Any) -> None:
        self.rules = rules
        self._action_type = [ActionType(kind) for kind in tables["action_type"][0][: tables["num_actions"][0]]]
        self.kinds = max(len(deck) for deck in rules.decks)
        self._sizes = sorted({*range(1, rules.cards_per_draw + 1), rules.start_hand})
        self.max_outcomes = sum(comb(self.kinds + size - 1, size) for size in self._sizes)
        cards = [sum(card.copies for card in deck) for deck in rules.decks]
        self.max_events = 4 + sum(draws(rules, number) for number in cards)
        most = rules.start_hand + rules.cards_per_draw  # then a draw takes all that is left
        self.only_deals = not rules.exchange and max(cards) <= most

    @cached_property
    def draws(self) -> list[Cards]:
        """What can be drawn at a time, by the numbers of the outcomes: so many as a draw takes, or a starting hand."""
        return [cards for size in self._sizes for cards in combinations_with_replacement(range(self.kinds), size)]

    @cached_property
    def numbers(self) -> dict[Cards, int]:
        """The number of every outcome."""
        return {cards: number for number, cards in enumerate(self.draws)}

    def take_back(self, before: Any, action: int, after: Any) -> None:
        """Put what was drawn back into the deck."""
        if before is None:
            _take_back(after, 0, 0)
            _take_back(after, 1, 0)
        elif self._action_type[action] == ActionType.EXCHANGE:
            _take_back(after, before["agent"], 0)
        elif self._action_type[action] == ActionType.DRAW:
            _take_back(after, before["agent"], before["hand"][before["agent"]])

    def outcomes(self, state: Any) -> Sequence[tuple[int, float]]:
        """What can be drawn now, and the probabilities; empty if nobody draws."""
        seat, count = _draw(state)
        return self._outcomes(tuple(state["deck"][seat].tolist()), count) if count else ()

    @lru_cache(maxsize=4096)  # noqa: B019 (there are few games, and they live long)
    def _outcomes(self, deck: tuple[int, ...], count: int) -> tuple[tuple[int, float], ...]:
        """Every draw of `count` cards from a deck given as copies by kind."""
        kinds, ways = [kind for kind, copies in enumerate(deck) if copies], comb(sum(deck), count)
        found = []
        for cards in combinations_with_replacement(kinds, count):
            chances = prod(comb(deck[kind], cards.count(kind)) for kind in set(cards))
            if chances:
                found.append((self.numbers[cards], chances / ways))
        return tuple(found)

    def lay_out(self, state: Any, outcome: int) -> None:
        """Draw these cards."""
        seat, _ = _draw(state)
        for kind in self.draws[outcome]:
            state["deck"][seat, kind] -= 1
            state["hand"][seat, kind] += 1

    def outcome_text(self, state: Any, outcome: int, seat: int | None) -> str:
        """R12.2: only who draws sees the cards."""
        drawer, _ = _draw(state)
        cards, deck = self.draws[outcome], self.rules.decks[drawer]
        side = ("dragon", "dwarves")[drawer]
        if seat not in (None, drawer):
            return f"the {side} draw{'s' * (drawer == 0)} {len(cards)}"
        return f"the {side} draw{'s' * (drawer == 0)} {', '.join(deck[kind].name for kind in cards)}"

    def drawn(self, before: Any, action: int, after: Any) -> dict[str, Any]:
        """The cards drawn, by player: by drawing (R5.3), or a whole hand by exchanging it (R4.2)."""
        without = after.copy()
        self.take_back(before, action, without)
        cards = hands(self.rules, after["hand"] - without["hand"])
        return {side: drawn for side, drawn in cards.items() if drawn}

    def resampled(self, events: Sequence[Event], state: Any, seat: int) -> list[int]:
        """The same with other cards in the opponent's hand: of those it drew, the ones it spent stay."""
        other = 1 - seat
        returned, drawn = self._draws_of(events, other)
        spent, random = state["discards"][other].tolist(), np.random.default_rng(int(state["rng"][0]))
        unseen = random.permutation(np.repeat(np.arange(len(spent)), state["hand"][other])).tolist()
        resampled = [number for _, number in events]
        for event in drawn:
            resampled[event] = self.numbers[_swapped(self.draws[resampled[event]], spent, unseen)]
        for event in returned:
            deck = tuple(card.copies for card in self.rules.decks[other])
            numbers, chances = zip(*self._outcomes(deck, self.rules.start_hand), strict=True)
            resampled[event] = int(random.choice(numbers, p=chances))
        return resampled

    def _draws_of(self, events: Sequence[Event], seat: int) -> tuple[list[int], list[int]]:
        """The places of a seat's draws among the events: those returned by an exchange (R4.2), and the others."""
        returned: list[int] = []
        drawn: list[int] = []
        drawer = CHANCE
        for place, (player, number) in enumerate(events):
            if player != CHANCE:
                drawer = player
                if player == seat and self._action_type[number] == ActionType.EXCHANGE:
                    returned, drawn = drawn, []
            elif (place if drawer == CHANCE else drawer) == seat:  # the dragon is dealt its hand first
                drawn.append(place)
        return returned, drawn


def draws(rules: Rules, cards: int) -> int:
    """How often one can draw from a deck of so many cards after the deal."""
    return -(-(cards - rules.start_hand) // rules.cards_per_draw)


def _draw(state: Any) -> tuple[int, int]:
    """Who draws now, and how many cards."""
    waiting = state["hand_size"] - state["hand"].sum(axis=1)
    seat = 0 if waiting[0] else 1
    return seat, int(waiting[seat])


def _take_back(state: Any, seat: int, kept: Any) -> None:
    state["deck"][seat] += state["hand"][seat] - kept
    state["hand"][seat] = kept


def _swapped(cards: Cards, spent: list[int], unseen: list[int]) -> Cards:
    """The cards of a draw that were spent later, and for each of the others one of `unseen`."""
    new = []
    for kind in cards:
        if spent[kind]:
            spent[kind] -= 1
            new.append(kind)
        else:
            new.append(unseen.pop())
    return tuple(sorted(new))
