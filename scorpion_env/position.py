"""A position as a plain value, and its way into and out of the engine's arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scorpion_env.engine.moves import mark_standing
from scorpion_env.engine.state import (
    BEST,
    DOWN,
    IN_RESERVE,
    MOVES,
    NO_CARD,
    OFF_TABLEAU,
    SCORE,
    SEQUENCES,
    State,
)
from scorpion_env.rules import Rules


@dataclass(frozen=True)
class Position:
    """Where every card lies, by card id, and the counts that go with it."""

    columns: tuple[tuple[int, ...], ...]  # bottom to top
    face_down: tuple[int, ...]  # face-down cards at each column's bottom
    reserve: tuple[int | None, ...]  # None where the card is gone
    removed: tuple[tuple[int, ...], ...] = ()  # removed sequences, king first
    score: int = 0
    moves: int = 0
    best: int = 0  # highest number of sequences that stood at once, where sequences stay


def read_position(state: State, game: int) -> Position:
    """Return the position of one game of a state."""
    heights = state.height[game].tolist()
    columns = tuple(
        tuple(state.tableau[game, column, :height].tolist())
        for column, height in enumerate(heights)
    )
    removed = tuple(tuple(cards.tolist()) for cards in state.removed[game] if cards[0] != NO_CARD)
    return Position(
        columns=columns,
        face_down=tuple(state.face_down[game].tolist()),
        reserve=tuple(None if card == NO_CARD else int(card) for card in state.reserve[game]),
        removed=removed,
        score=int(state.counters[game, SCORE]),
        moves=int(state.counters[game, MOVES]),
        best=int(state.counters[game, BEST]),
    )


def write_position(rules: Rules, state: State, game: int, position: Position) -> None:
    """Overwrite one game of a state with a position; nothing can be undone in it.

    The caller settles the game afterwards.
    """
    for array in state:
        array[game] = 0
    for array in (state.tableau, state.reserve, state.removed):
        array[game] = NO_CARD
    state.column_of[game] = OFF_TABLEAU
    for column, cards in enumerate(position.columns):
        state.tableau[game, column, : len(cards)] = cards
        state.height[game, column] = len(cards)
        state.column_of[game, list(cards)] = column
        state.height_of[game, list(cards)] = np.arange(len(cards))
    state.face_down[game] = position.face_down
    for place, card in enumerate(position.reserve):
        if card is not None:
            state.reserve[game, place] = card
            state.column_of[game, card] = IN_RESERVE
            state.height_of[game, card] = place
    for slot, sequence in enumerate(position.removed):
        state.removed[game, slot] = sequence
        state.completed[game, sequence[0] // rules.layout.ranks] = 1
    counters = state.counters[game]
    counters[SCORE], counters[MOVES] = position.score, position.moves
    counters[DOWN], counters[BEST] = sum(position.face_down), position.best
    counters[SEQUENCES] = len(position.removed)
    if rules.sequences == "stay":
        counters[BEST] = max(position.best, mark_standing(rules.compiled, state, game))
