"""Places of cards, and where a cursor goes: over face-up cards, empty columns and a reserve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scorpion_env.position import Position
from scorpion_env.rules import Rules

RESERVE = -1  # as a column


class Spot(NamedTuple):
    """A place where a card lies or could lie."""

    column: int  # from 0, or RESERVE
    place: int  # from the bottom of the column, or in the reserve


def card_at(position: Position, spot: Spot) -> int | None:
    """Return the card at a spot, hidden or not, None where there is none."""
    cards = position.reserve if spot.column == RESERVE else position.columns[spot.column]
    return cards[spot.place] if spot.place < len(cards) else None


def is_shown(rules: Rules, position: Position, spot: Spot) -> bool:
    """Say whether a card lies face-up at a spot."""
    if card_at(position, spot) is None:
        return False
    if spot.column == RESERVE:
        return rules.reserve == "play"
    return spot.place >= position.face_down[spot.column]


def shown_spots(rules: Rules, position: Position) -> list[Spot]:
    """Return the spots of all face-up cards, the reserve first, then column by column."""
    spots = [Spot(RESERVE, place) for place in range(len(position.reserve))]
    spots += [
        Spot(column, place)
        for column, cards in enumerate(position.columns)
        for place in range(len(cards))
    ]
    return [spot for spot in spots if is_shown(rules, position, spot)]


def block_of(position: Position, card: int) -> tuple[int, ...]:
    """Return the cards that move with a card, itself the first."""
    for cards in position.columns:
        if card in cards:
            return cards[cards.index(card) :]
    return (card,)


def free_place(position: Position, column: int) -> Spot:
    """Return the place on a column's last card."""
    return Spot(column, len(position.columns[column]))


def standing(position: Position, spot: Spot) -> Spot:
    """Return where a cursor stands that is to be at a spot of the tableau: on a face-up card."""
    column = min(max(spot.column, 0), len(position.columns) - 1)
    last = len(position.columns[column]) - 1
    lowest = position.face_down[column]
    return Spot(column, max(0, min(max(spot.place, lowest), last)))


def sideways(rules: Rules, position: Position, spot: Spot, by: int) -> Spot:
    """Return the spot to the left (-1) or right (1)."""
    if spot.column != RESERVE:
        return standing(position, Spot(spot.column + by, spot.place))
    beside = [s for s in shown_spots(rules, position) if (s.place - spot.place) * by > 0]
    reserve = [s for s in beside if s.column == RESERVE]
    return min(reserve, key=lambda s: abs(s.place - spot.place), default=spot)


def up_or_down(rules: Rules, position: Position, spot: Spot, by: int) -> Spot:
    """Return the spot above (-1), in the end the nearest reserve card, or below (1)."""
    if spot.column == RESERVE:
        return standing(position, Spot(spot.place, 0)) if by > 0 else spot
    moved = standing(position, Spot(spot.column, spot.place + by))
    if by > 0 or moved != spot:
        return moved
    reserve = [s for s in shown_spots(rules, position) if s.column == RESERVE]
    return min(reserve, key=lambda s: abs(s.place - spot.column), default=spot)


def following(spots: Sequence[Spot], spot: Spot) -> Spot:
    """Return the first of some spots in order after a spot, from the start again at the end."""
    return next((s for s in spots if s > spot), spots[0] if spots else spot)
