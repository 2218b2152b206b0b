"""From what a person or a program gives as a deal to a deck."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_env.cards import parse_deck
from scorpion_env.engine.deal import FIRST_DEAL, shuffle
from scorpion_env.rules import Rules

# Seeds below this bound are for evaluation and suites; training draws its seeds from here up.
FIRST_TRAINING_SEED = 10_000_000


def deal_state(generator: np.random.Generator) -> int:
    """Return the 64-bit deal state that a freshly seeded generator gives a game."""
    raw = generator.bit_generator.random_raw()
    assert isinstance(raw, int)
    return raw


def deck_of_number(number: int, rules: Rules) -> npt.NDArray[np.uint8]:
    """Return the deck (cards,) of a deal number, as ``info["deal"]`` gives it.

    Raises
    ------
    ValueError
        If the number is not between 2**33 and 2**64 - 1.
    """
    if not FIRST_DEAL <= number < 2**64:
        raise ValueError(
            f"deal number {number} is out of range: use a number from info['deal'], "
            f"{FIRST_DEAL} to {2**64 - 1}"
        )
    deck = np.empty(rules.layout.cards, np.uint8)
    shuffle(deck, np.uint64(number))
    return deck


def read_deal(deal: Any, rules: Rules) -> tuple[int, npt.NDArray[np.uint8]]:
    """Return the number (0 where it has none) and the deck (cards,) that ``deal`` asks for.

    Parameters
    ----------
    deal : int or sequence of str
        A deal number, or the cards as text in the order dealt, the reserve last.

    Raises
    ------
    ValueError
        If it is no deal of these rules; the message says what is wrong with it.
    """
    if isinstance(deal, int | np.integer) and not isinstance(deal, bool):
        return int(deal), deck_of_number(int(deal), rules)
    if isinstance(deal, Sequence | np.ndarray) and not isinstance(deal, str | bytes):
        layout = rules.layout
        cards = parse_deck(list(deal), layout.decks, layout.suits, layout.ranks)
        return 0, np.array(cards, np.uint8)
    raise ValueError(f"{deal!r} is no deal: give a deal number or a list of cards as text")
