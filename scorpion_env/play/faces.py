"""Cards as they are shown: ranks with suit symbols."""

from __future__ import annotations

import re

from scorpion_env.cards import RANKS, SUITS, card_text
from scorpion_env.rules import Rules

SYMBOLS = dict(zip(SUITS, "♣♦♥♠", strict=True))
_CARD = re.compile(rf"\b([{RANKS}])([{SUITS}])(?=[1-9]?\b)")


def face_of(rules: Rules, card: int) -> str:
    """Return a card's face, for example ``10♦``; twins look the same."""
    return with_symbols(card_text(card, rules.layout.suits, rules.layout.ranks))


def with_symbols(text: str) -> str:
    """Return a text with the cards in it, such as TD, as faces."""
    return _CARD.sub(lambda card: card[1].replace("T", "10") + SYMBOLS[card[2]], text)
