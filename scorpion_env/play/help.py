"""What a person is told about the keys and the rules."""

from __future__ import annotations

from scorpion_env.describe import rules_sentences, title_of
from scorpion_env.play.session import Session

_KEYS = """\
Arrows       move the cursor
Enter        take the card there, with all that lies on it; put it down
Tab          next card that can move, or column marked for what is in hand
Escape       put back, cancel
u, r         take a move back, play it again
d            deal the reserve
h            hint: what still wins, with all cards known
f            fair hint: the same without looking at the hidden cards
b, n         begin this deal again, another game
e            write a record of the game to a file
Ctrl+P, Q    colours, quit
"""

_MOVING = (
    "With the mouse, click a card: it goes to the only column that it can go to, or the columns "
    "that it can go to are marked for a second click. Or drag it.",
    "A move can be typed: 5C>3 puts the 5 of clubs onto column 3, 10H is the 10 of hearts, a card "
    "alone goes to its only column. With several decks 7H2 is that of the second deck.",
    "Every move is saved: scorpion play offers the game again.",
)


def help_text(session: Session) -> str:
    """Return the keys and the rules of what is played."""
    rules = "\n".join(f"- {sentence}" for sentence in rules_sentences(session.rules))
    return "\n".join([_KEYS, *_MOVING, "", f"{title_of(session.name)}:", rules])
