"""A card is a small integer: ``deck * suits * ranks + suit * ranks + rank``.

Suits are clubs, diamonds, hearts, spades; ranks run from ace (0) to king (12). In the usual 52-card
deck that is ``52 * deck + 13 * suit + rank``. Text is rank then suit: ``AC``, ``TD``, ``KS``.
"""

from __future__ import annotations

RANKS = "A23456789TJQK"
SUITS = "CDHS"
RED_SUITS = (1, 2)


def rank_of(card: int, ranks: int = 13) -> int:
    """Return the rank of a card, 0 (ace) to ``ranks - 1`` (king)."""
    return card % ranks


def suit_of(card: int, suits: int = 4, ranks: int = 13) -> int:
    """Return the suit of a card: 0 clubs, 1 diamonds, 2 hearts, 3 spades."""
    return card // ranks % suits


def card_text(card: int, suits: int = 4, ranks: int = 13) -> str:
    """Return a card as text, rank then suit, for example ``TD``.

    Twins of different decks share one text.
    """
    return RANKS[rank_of(card, ranks)] + SUITS[suit_of(card, suits, ranks)]


def parse_card(text: str, suits: int = 4, ranks: int = 13) -> int:
    """Return the id, in the first deck, of the card that ``text`` names.

    Parameters
    ----------
    text : str
        Rank then suit, in either case; ``10`` is read as ``T``.

    Raises
    ------
    ValueError
        If the text is no card of a deck with so many suits and ranks.
    """
    name = text.strip().upper().replace("10", "T")
    rank = RANKS[:ranks].find(name[:1]) if name else -1
    suit = SUITS[:suits].find(name[1:]) if len(name) == 2 else -1
    if rank < 0 or suit < 0:
        raise ValueError(
            f"{text!r} is not a card: write a rank of {RANKS[:ranks]} and a suit of "
            f"{SUITS[:suits]}, for example {RANKS[ranks - 1]}{SUITS[suits - 1]}"
        )
    return suit * ranks + rank
