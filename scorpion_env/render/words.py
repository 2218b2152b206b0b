"""Moves in sentences, for people who listen or watch."""

from __future__ import annotations

from collections.abc import Iterator

from scorpion_env.cards import SUITS, rank_of, suit_of
from scorpion_env.position import Position
from scorpion_env.rules import Rules
from scorpion_env.solver.words import SUIT_NAMES

RANK_NAMES = ("ace", *map(str, range(2, 11)), "jack", "queen", "king")


def say_card(rules: Rules, card: int) -> str:
    """Return a card in words, such as "4 of hearts"."""
    layout = rules.layout
    rank = rank_of(card, layout.ranks)
    suit = SUITS[suit_of(card, layout.suits, layout.ranks)]
    return f"{RANK_NAMES[rank]} of {SUIT_NAMES[suit]}"


def say_move(rules: Rules, before: Position, action: int, after: Position) -> str:
    """Return what an action did, given the positions before and after it."""
    if action > rules.deal_action:
        return "The last action is taken back."
    if action == rules.deal_action:
        sentences = [_say_deal(rules, before)]
    else:
        card, target = divmod(action, len(rules.layout.columns))
        sentences = [_say_block(rules, before, card, target)]
    sentences += _say_turned(rules, before, after)
    sentences += [
        f"The sequence from the {say_card(rules, cards[0])} is complete."
        for cards in after.removed
        if cards not in before.removed
    ]
    if after.best > before.best:
        sentences.append("A sequence is complete.")
    points = after.score - before.score
    return " ".join([*sentences, f"{points} points."] if points else sentences)


def _say_deal(rules: Rules, before: Position) -> str:
    dealt = [
        f"{say_card(rules, card)} onto column {column + 1}"
        for card, column in zip(before.reserve, rules.layout.reserve_columns, strict=True)
        if card is not None
    ]
    return f"The reserve is dealt: {', '.join(dealt)}."


def _say_block(rules: Rules, before: Position, card: int, target: int) -> str:
    cards = before.columns[target]
    where = f"onto the {say_card(rules, cards[-1])} in" if cards else "to the empty"
    name = say_card(rules, card)
    for number, column in enumerate(before.columns):
        if card in column:
            riding = len(column) - column.index(card) - 1
            block = ("", " and the card on it", f" and the {riding} cards on it")[min(riding, 2)]
            verb = "go" if riding else "goes"
            start = f"column {number + 1}"
            return f"The {name}{block} {verb} from {start} {where} column {target + 1}."
    return f"The {name} goes from the reserve {where} column {target + 1}."


def _say_turned(rules: Rules, before: Position, after: Position) -> Iterator[str]:
    hidden = {
        card
        for column, down in zip(before.columns, before.face_down, strict=True)
        for card in column[:down]
    }
    for column, down in zip(after.columns, after.face_down, strict=True):
        for card in column[down:]:
            if card in hidden:
                yield f"The {say_card(rules, card)} is turned."
