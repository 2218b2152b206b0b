"""Rules in words: a few for tables, sentences for people who play."""

from __future__ import annotations

from scorpion_env.rules import Layout, Rules

_CLASSIC = Rules()
_WORDS = {
    ("build", "any_suit"): "any suit",
    ("build", "alternate_colour"): "alternate colour",
    ("empty_column", "any"): "any card to an empty column",
    ("reserve", "deal_when_idle"): "reserve dealt when all else is idle",
    ("reserve", "play"): "reserve cards played",
    ("sequences", "stay"): "sequences stay",
    ("pattern", "alternate_colour"): "sequences of alternate colour",
    ("undo_limit", None): "unlimited undo",
}
_DIFFERENCES = ("build", "empty_column", "reserve", "sequences", "pattern", "loss", "undo_limit")
_TITLES = {"ii": "II", "pysol": "PySolFC's", "farmers": "Farmer's"}


def title_of(name: str) -> str:
    """Return a variant's name for people, for example ``Three Blind Mice``."""
    return " ".join(_TITLES.get(word, word.capitalize()) for word in name.split("_"))


def layout_text(layout: Layout) -> str:
    """Return a layout in a few words, for example ``7 x 7, 3 down in 1-4, reserve 3``."""
    parts = [f"{len(layout.columns)} x {layout.columns[0]}"]
    down = [number for number, count in enumerate(layout.face_down, start=1) if count]
    if down:
        parts.append(f"{layout.face_down[down[0] - 1]} down in {down[0]}-{down[-1]}")
    parts.append(f"reserve {layout.reserve_cards}" if layout.reserve_cards else "no reserve")
    return ", ".join(parts)


def rules_text(rules: Rules) -> str:
    """Return in what the options differ from Classic's."""
    changed = [
        _WORDS[name, getattr(rules, name)]
        for name in _DIFFERENCES
        if getattr(rules, name) != getattr(_CLASSIC, name)
    ]
    return ", ".join(changed) or "as Classic"


def rules_sentences(rules: Rules) -> list[str]:
    """Return the rules of a game in sentences."""
    layout = rules.layout
    build = {
        "same_suit": "of the same suit",
        "any_suit": "of any suit",
        "alternate_colour": "of the other colour",
    }[rules.build]
    king = "A king" if rules.empty_column == "king" else "Any card"
    pattern = "one suit" if rules.pattern == "same_suit" else "alternating colours"
    ending = (
        "is removed from the column that has just received cards"
        if rules.sequences == "removed"
        else "stays where it is; at the end each must have a column of its own"
    )
    return [
        "Any face-up card moves, together with all cards that lie on it.",
        f"It goes onto the last card of another column if that is one rank higher and {build}.",
        f"{king}, alone or with all that lies on it, may go to an empty column.",
        "A face-down card is turned when nothing lies on it any more.",
        *_reserve_sentences(rules),
        f"A sequence from king to ace of {pattern} {ending}.",
        f"The game is won with all {layout.sequences} sequences.",
        "Points: 5 for landing on a card of one's suit, 5 for a turned card, 100 for a sequence.",
    ]


def _reserve_sentences(rules: Rules) -> list[str]:
    cards = rules.layout.reserve_cards
    if not cards:
        return []
    if rules.reserve == "play":
        return [f"The {cards} reserve cards may be played at any time."]
    when = (
        "at any time"
        if rules.reserve == "deal"
        else "once all else that moves is a whole column to an empty one"
    )
    return [f"The {cards} reserve cards are dealt together, once, {when}, one to a column."]
