"""From a 64-bit deal state to a deck, and from a deck to a dealt game.

The generator is SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number
generators"): the state advances by 0x9E3779B97F4A7C15 and each output is a mix of it. The shuffle
is Fisher-Yates from the last card to the second; the bounded draw takes the upper 32 bits of an
output, multiplies them by the bound and rejects the few values that would favour a card (Lemire
2019, "Fast random integer generation in an interval"). Numbers and decks are fixed for ever:
``tests/test_deal.py`` holds values of them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.compile import kernel
from scorpion_env.engine.moves import mark_standing
from scorpion_env.engine.state import (
    BEST,
    COUNTERS,
    DOWN,
    IN_RESERVE,
    NO_CARD,
    State,
)
from scorpion_env.rules import CompiledRules

# Deal states below this bound are skipped: as deal numbers they mean PySolFC's deals.
FIRST_DEAL = 2**33
# A deal without a first move is passed over; rules that have so many in a row cannot be played.
MAX_DEALS_PASSED = 10_000

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_LOW_32 = np.uint64(0xFFFFFFFF)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_FIRST = np.uint64(FIRST_DEAL)


@kernel
def mix(state: np.uint64) -> np.uint64:
    """Return SplitMix64's output for a state; changes nothing."""
    z = (state ^ (state >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@kernel
def first_deal(state: np.uint64) -> np.uint64:
    """Return the first deal number from ``state`` on: the state itself unless it is below 2**33."""
    while state < _FIRST:
        state = state + _GAMMA
    return state


@kernel
def shuffle(deck: npt.NDArray[np.uint8], deal: np.uint64) -> np.uint64:
    """Fill ``deck`` with the deck of deal number ``deal``; return the next deal's state."""
    state = np.uint64(deal)
    for card in range(deck.shape[0]):
        deck[card] = card
    for last in range(deck.shape[0] - 1, 0, -1):
        bound = np.uint64(last + 1)
        state = state + _GAMMA
        product = (mix(state) >> _S32) * bound
        if (product & _LOW_32) < bound:
            unfair = (_LOW_32 + np.uint64(1)) % bound
            while (product & _LOW_32) < unfair:
                state = state + _GAMMA
                product = (mix(state) >> _S32) * bound
        chosen = np.int64(product >> _S32)
        held = deck[last]
        deck[last] = deck[chosen]
        deck[chosen] = held
    return first_deal(state)


@kernel
def deal(rules: CompiledRules, state: State, deck: npt.NDArray[np.uint8]) -> None:
    """Deal ``deck`` as a new game: row by row, left to right, the reserve last; fills its row."""
    state.tableau[:] = NO_CARD
    state.removed[:] = NO_CARD
    state.completed[:] = 0
    for counter in range(COUNTERS):
        state.counters[counter] = 0
    for column in range(rules.columns):
        state.height[column] = rules.column_cards[column]
        state.face_down[column] = rules.face_down[column]
        state.counters[DOWN] += rules.face_down[column]
    dealt = 0
    row = 0
    while dealt < rules.cards - rules.reserve_cards:
        for column in range(rules.columns):
            if row < rules.column_cards[column]:
                card = np.int64(deck[dealt])
                state.tableau[column, row] = card
                state.column_of[card] = column
                state.height_of[card] = row
                dealt += 1
        row += 1
    for place in range(rules.reserve_cards):
        card = np.int64(deck[dealt + place])
        state.reserve[place] = card
        state.column_of[card] = IN_RESERVE
        state.height_of[card] = place
    if rules.sequences_stay:
        state.counters[BEST] = mark_standing(rules, state)
