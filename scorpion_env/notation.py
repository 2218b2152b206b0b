"""Boards and moves as text, both ways.

A board is one line a column, bottom to top, then the reserve and what has been gained:

    1: #JD #5H #KH AS 4H TH 8D
    ...
    reserve: ## ## ##
    completed: S
    score: 135
    moves: 12

``#7H`` is a face-down 7 of hearts, ``##`` a face-down card that the writer does not name, ``--`` a
reserve card that is gone. In packs of several decks ``7H2`` is the 7 of hearts of the second deck.
A completed sequence is written as its suit, or card by card where suits are mixed. Where sequences
stay, ``best`` is the highest number of them that stood at once.

A move is ``4H>7`` (the block led by the 4 of hearts onto column 7), ``deal`` or ``undo``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from scorpion_env.cards import RANKS, RED_SUITS, SUITS, card_text, parse_card, rank_of, suit_of
from scorpion_env.engine.deal import shuffle
from scorpion_env.position import Position
from scorpion_env.rules import Rules, is_whole

HIDDEN, GONE = "##", "--"
MOST_COUNTED = 9_999_999


class NotationError(ValueError):
    """A text that is no board or move; the message names the line and the card."""


def name_card(rules: Rules, card: int) -> str:
    """Return a card as text; those of the second and later decks carry the deck's number."""
    layout = rules.layout
    deck = card // (layout.suits * layout.ranks)
    return card_text(card, layout.suits, layout.ranks) + (str(deck + 1) if deck else "")


def write_board(rules: Rules, position: Position, reveal: bool = False) -> str:
    """Return a position as text: the player's view, or with ``reveal`` every card by name."""

    def face_down(card: int) -> str:
        return f"#{name_card(rules, card)}" if reveal else HIDDEN

    lines = []
    for column, (cards, down) in enumerate(
        zip(position.columns, position.face_down, strict=True), start=1
    ):
        texts = [face_down(card) for card in cards[:down]]
        texts += [name_card(rules, card) for card in cards[down:]]
        lines.append(" ".join([f"{column}:", *texts]))
    show = (lambda card: name_card(rules, card)) if rules.reserve == "play" else face_down
    reserve = [GONE if card is None else show(card) for card in position.reserve]
    sequences = [_write_sequence(rules, cards) for cards in position.removed]
    lines.append(" ".join(["reserve:", *reserve]))
    lines.append(" ".join(["completed:", ", ".join(sequences)]).rstrip())
    counts = [f"{name}: {getattr(position, name)}" for name in _most_counted(rules)]
    return "\n".join([*lines, *counts])


def _most_counted(rules: Rules) -> dict[str, int]:
    """Return the counts that a board of these rules has, each with its highest value."""
    most = {"score": MOST_COUNTED, "moves": MOST_COUNTED}
    return {**most, "best": rules.layout.sequences} if rules.sequences == "stay" else most


def _write_sequence(rules: Rules, cards: tuple[int, ...]) -> str:
    if cards == _suit_sequence(rules, cards[0]) and rules.layout.decks == 1:
        return card_text(cards[0], rules.layout.suits, rules.layout.ranks)[1]
    return " ".join(name_card(rules, card) for card in cards)


def _suit_sequence(rules: Rules, king: int) -> tuple[int, ...]:
    return tuple(king - step for step in range(rules.layout.ranks))


def name_move(rules: Rules, action: int) -> str:
    """Return an action as text."""
    if action >= rules.deal_action:
        return ("deal", "undo")[action - rules.deal_action]
    card, column = divmod(action, len(rules.layout.columns))
    return f"{name_card(rules, card)}>{column + 1}"


def parse_move(rules: Rules, text: str) -> int:
    """Return the action that a text names; whether it is legal is not asked.

    Raises
    ------
    NotationError
        If the text is no move of these rules.
    """
    word = text.strip().lower()
    if word == "deal":
        return rules.deal_action
    if word == "undo" and rules.undo_limit != 0:
        return rules.deal_action + 1
    card, _, column = map(str.strip, text.partition(">"))
    columns = len(rules.layout.columns)
    if not re.fullmatch(r"\d{1,3}", column) or not 1 <= int(column) <= columns:
        undo = ", 'undo'" if rules.undo_limit != 0 else ""
        raise NotationError(
            f"{text!r} is no move: write a card and a column from 1 to {columns}, such as "
            f"'{name_card(rules, 0)}>1', or 'deal'{undo}"
        )
    return _card_id(rules, card, f"move {text!r}") * columns + int(column) - 1


def _card_id(rules: Rules, text: str, place: str) -> int:
    """Return the id of a card that names its deck, or is of the first one."""
    layout = rules.layout
    face, deck = _split_deck(text)
    if deck is not None and not 1 <= deck <= layout.decks:
        raise NotationError(f"{place}: {text} names deck {deck}, the rules have {layout.decks}")
    try:
        card = parse_card(face, layout.suits, layout.ranks)
    except ValueError as error:
        raise NotationError(f"{place}: {error}") from error
    return card + ((deck or 1) - 1) * layout.suits * layout.ranks


def _split_deck(text: str) -> tuple[str, int | None]:
    match = re.fullmatch(rf"((?:[{RANKS}]|10)[{SUITS}])([1-9]\d?)?", text, re.IGNORECASE)
    if match is None:
        return text, None
    return match[1], int(match[2]) if match[2] else None


@dataclass
class _Reader:
    """Reads cards one by one, telling twins apart and noting what is still to be filled in."""

    rules: Rules
    places: dict[int, str] = field(default_factory=dict)

    def card(self, text: str, place: str) -> int:
        """Return the id of a card; an unmarked twin takes the first deck that is free."""
        layout = self.rules.layout
        card = _card_id(self.rules, text, place)
        pack = layout.suits * layout.ranks
        if _split_deck(text)[1] is None:
            twins = range(card % pack, layout.cards, pack)
            card = next((twin for twin in twins if twin not in self.places), card)
        if card in self.places:
            raise NotationError(f"{place}: {text} was already named: {self.places[card]}")
        self.places[card] = place
        return card

    def cards(self, texts: list[str], place: str) -> list[int | None]:
        """Return the ids of face-down or face-up cards, None for ``##``."""
        return [
            None if text == HIDDEN else self.card(text.removeprefix("#"), place) for text in texts
        ]


def parse_deck(rules: Rules, texts: Sequence[Any]) -> list[int]:
    """Return the ids of the cards of a whole deal, in the order dealt, the reserve last.

    Raises
    ------
    NotationError
        If a text is no card, a card comes too often, or the number of cards is wrong.
    """
    if len(texts) != rules.layout.cards:
        raise NotationError(f"a deal needs {rules.layout.cards} cards, got {len(texts)}")
    reader = _Reader(rules)
    cards = []
    for number, text in enumerate(texts, start=1):
        place = f"card {number} of the deal"
        if not isinstance(text, str):
            raise NotationError(f"{place} is of type {type(text).__name__}: give text, such as KS")
        cards.append(reader.card(text.strip(), place))
    return cards


def parse_board(rules: Rules, text: str, seed: int | None = None) -> Position:
    """Return the position that a board text describes.

    Parameters
    ----------
    rules : Rules
        The game it is a board of.
    text : str
        As `write_board` writes it; the lines after the columns may be left out.
    seed : int, optional
        Draws which of the missing cards lie where ``##`` stands; needed if any does.

    Raises
    ------
    NotationError
        If a line, card or count is wrong; the message names the line and the card.
    """
    lines = _split_lines(rules, text)
    reader = _Reader(rules)
    number_of_columns = len(rules.layout.columns)
    columns, face_down = [], []
    for number in range(1, number_of_columns + 1):
        place, texts = lines[str(number)]
        columns.append(reader.cards(texts, place))
        face_down.append(_count_face_down(rules, texts, place))
    removed = _read_removed(rules, reader, *lines.get("completed", ("", [])))
    hidden = sum(card is None for cards in columns for card in cards)
    place, texts = lines.get("reserve", ("the reserve", _reserve_left(rules, reader, hidden)))
    reserve_texts = [item for item in texts if item != GONE]
    _check_reserve(rules, texts, place)
    reserve = iter(reader.cards(reserve_texts, place))
    slots = [None if item == GONE else next(reserve) for item in texts]
    hidden += sum(item == HIDDEN for item in texts)
    missing = _draw_missing(rules, reader, hidden, seed)
    filled = tuple(tuple(missing.pop() if c is None else c for c in cards) for cards in columns)
    counts = {
        name: _read_count(name, most, *lines.get(name, ("", ["0"])))
        for name, most in _most_counted(rules).items()
    }
    return Position(
        columns=filled,
        face_down=tuple(face_down),
        reserve=tuple(
            missing.pop() if item == HIDDEN else card
            for item, card in zip(texts, slots, strict=True)
        ),
        removed=removed,
        **counts,
    )


def _split_lines(rules: Rules, text: str) -> dict[str, tuple[str, list[str]]]:
    """Return each line's place for messages and its words, by the name before its colon."""
    columns = [str(n) for n in range(1, len(rules.layout.columns) + 1)]
    allowed = [*columns, "reserve", "completed", *_most_counted(rules)]
    lines: dict[str, tuple[str, list[str]]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, colon, rest = line.partition(":")
        name = name.strip().lower()
        if not colon or name not in allowed:
            others = ", ".join(f"{word}:" for word in allowed[len(columns) :])
            raise NotationError(
                f"line {number} begins with {name[:20]!r}: a column from 1: to {columns[-1]}:, or "
                f"one of {others} was expected"
            )
        if name in lines:
            raise NotationError(f"line {number}: {name}: was already given on {lines[name][0]}")
        lines[name] = (f"line {number} ({name}:)", rest.replace(",", " , ").split())
    for name in columns:
        if name not in lines:
            raise NotationError(f"column {name}: is missing: the rules have {len(columns)} columns")
    return lines


def _count_face_down(rules: Rules, texts: list[str], place: str) -> int:
    down = [item.startswith("#") for item in texts]
    count = sum(down)
    if any(down[count:]):
        wrong = texts[count + down[count:].index(True)]
        raise NotationError(f"{place}: {wrong} is face-down but lies on a face-up card")
    if texts and count == len(texts):
        raise NotationError(f"{place}: {texts[-1]} is face-down but nothing covers it")
    most = max(rules.layout.face_down)
    if count > most:
        raise NotationError(f"{place}: {count} cards are face-down, the rules deal at most {most}")
    return count


def _check_reserve(rules: Rules, texts: list[str], place: str) -> None:
    expected = rules.layout.reserve_cards
    if len(texts) != expected:
        raise NotationError(f"{place}: {len(texts)} cards, the rules have {expected} in reserve")
    gone = texts.count(GONE)
    if rules.reserve != "play" and gone not in (0, expected):
        raise NotationError(f"{place}: this reserve is dealt as a whole, write all cards or all --")
    for item in texts:
        if item != GONE and item.startswith("#") == (rules.reserve == "play"):
            lies = "face-up" if rules.reserve == "play" else "face-down (# before its name)"
            raise NotationError(f"{place}: {item}: the cards of this reserve lie {lies}")


def _read_removed(
    rules: Rules, reader: _Reader, place: str, words: list[str]
) -> tuple[tuple[int, ...], ...]:
    layout = rules.layout
    groups = [group.split() for group in " ".join(words).split(",") if group.strip()]
    if groups and rules.sequences == "stay":
        raise NotationError(f"{place}: sequences stay in place under these rules")
    removed = []
    for group in groups:
        if len(group) == 1 and len(group[0]) == 1:
            group = [rank + group[0] for rank in reversed(RANKS[: layout.ranks])]
        cards = [reader.card(item, place) for item in group]
        if not _is_sequence(rules, cards):
            raise NotationError(f"{place}: {' '.join(group)} is no sequence from king to ace")
        removed.append(tuple(cards))
    return tuple(removed)


def _is_sequence(rules: Rules, cards: list[int]) -> bool:
    layout = rules.layout
    if [rank_of(card, layout.ranks) for card in cards] != list(reversed(range(layout.ranks))):
        return False
    suits = [suit_of(card, layout.suits, layout.ranks) for card in cards]
    if rules.pattern == "same_suit":
        return len(set(suits)) == 1
    return all((a in RED_SUITS) != (b in RED_SUITS) for a, b in pairwise(suits))


def _reserve_left(rules: Rules, reader: _Reader, hidden: int) -> list[str]:
    """Return the reserve of a board that writes none: undealt if just its cards are left over."""
    reserve = rules.layout.reserve_cards
    waits = rules.layout.cards - len(reader.places) - hidden == reserve
    return [HIDDEN if waits and rules.reserve != "play" else GONE] * reserve


def _draw_missing(rules: Rules, reader: _Reader, hidden: int, seed: int | None) -> list[int]:
    missing = [card for card in range(rules.layout.cards) if card not in reader.places]
    if len(missing) > hidden:
        names = ", ".join(name_card(rules, card) for card in missing[:8])
        raise NotationError(
            f"{len(missing)} cards are not on the board and {hidden} places are marked ##; "
            f"not on the board: {names}{' ...' if len(missing) > 8 else ''}"
        )
    if len(missing) < hidden:
        raise NotationError(f"{hidden} places are marked ##, only {len(missing)} cards are missing")
    if not missing:
        return []
    if seed is None:
        raise NotationError("the board has ## places: give a seed to draw the cards that lie there")
    if not is_whole(seed) or seed < 0:
        raise NotationError(f"seed={seed!r} must be a whole number from 0 up")
    order = np.empty(len(missing), np.uint8)
    shuffle(order, np.uint64(np.random.PCG64(int(seed)).random_raw()))
    return [missing[k] for k in order]


def _read_count(name: str, most: int, place: str, words: list[str]) -> int:
    if len(words) != 1 or not re.fullmatch(r"\d{1,7}", words[0]) or int(words[0]) > most:
        raise NotationError(f"{place}: {name} must be one whole number from 0 to {most}")
    return int(words[0])
