"""A board as text for a terminal: aligned, and in colour where that is wanted.

It is the board text of `scorpion_env.notation`, so it reads back; colour has to be left out for
that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TextIO

from scorpion_env.cards import RED_SUITS, SUITS
from scorpion_env.notation import name_card, write_board
from scorpion_env.position import Position
from scorpion_env.rules import Rules


def wants_colour(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Say whether text that goes to a stream should be in colour; Python's own rule.

    Not with ``NO_COLOR``; else with ``FORCE_COLOR``; else on a terminal that is not ``TERM=dumb``.
    A variable that is set to nothing counts as not set.
    """
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return environment.get("TERM") != "dumb" and stream.isatty()


def write_text(rules: Rules, position: Position, reveal: bool = False, colour: bool = False) -> str:
    """Return a board whose cards stand one below the other.

    Parameters
    ----------
    rules : Rules
        The rules it is played by.
    position : Position
        Where every card lies.
    reveal : bool
        Name face-down cards, ``#7H``.
    colour : bool
        Write red suits in red and face-down cards dim, by ANSI escape sequences.
    """
    width = len(name_card(rules, rules.layout.cards - 1)) + reveal
    labels = len(str(len(rules.layout.columns)))
    lines = []
    for line in write_board(rules, position, reveal).splitlines():
        label, _, rest = line.partition(":")
        if label.isdecimal():
            label = label.rjust(labels)
            rest = "".join(f" {_beneath(card, reveal).ljust(width)}" for card in rest.split())
        rest = re.sub(r"\S+", _coloured, rest) if colour else rest
        lines.append(f"{label}:{rest}".rstrip())
    return "\n".join(lines)


def _beneath(card: str, reveal: bool) -> str:
    """Return a card's name with its rank where a face-down card that is named has its own."""
    return f" {card}" if reveal and not card.startswith("#") else card


def _coloured(word: re.Match[str]) -> str:
    text = word.group()
    codes = ["2"] * text.startswith("#") + ["31"] * any(SUITS[suit] in text for suit in RED_SUITS)
    return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if codes else text
