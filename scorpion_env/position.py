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


def read_position(state: State) -> Position:
    """Return the position of a game, given its row of a state."""
    heights = state.height.tolist()
    columns = tuple(
        tuple(state.tableau[column, :height].tolist()) for column, height in enumerate(heights)
    )
    removed = tuple(tuple(cards.tolist()) for cards in state.removed if cards[0] != NO_CARD)
    return Position(
        columns=columns,
        face_down=tuple(state.face_down.tolist()),
        reserve=tuple(None if card == NO_CARD else int(card) for card in state.reserve),
        removed=removed,
        score=int(state.counters[SCORE]),
        moves=int(state.counters[MOVES]),
        best=int(state.counters[BEST]),
    )


def write_position(rules: Rules, state: State, position: Position) -> None:
    """Overwrite a game's row of a state with a position; nothing can be undone in it.

    The caller settles the game afterwards.
    """
    for array in state:
        array[:] = 0
    for array in (state.tableau, state.reserve, state.removed):
        array[:] = NO_CARD
    state.column_of[:] = OFF_TABLEAU
    for column, cards in enumerate(position.columns):
        state.tableau[column, : len(cards)] = cards
        state.height[column] = len(cards)
        state.column_of[list(cards)] = column
        state.height_of[list(cards)] = np.arange(len(cards))
    state.face_down[:] = position.face_down
    for place, card in enumerate(position.reserve):
        if card is not None:
            state.reserve[place] = card
            state.column_of[card] = IN_RESERVE
            state.height_of[card] = place
    for slot, sequence in enumerate(position.removed):
        state.removed[slot] = sequence
        state.completed[sequence[0] // rules.layout.ranks] = 1
    counters = state.counters
    counters[SCORE], counters[MOVES] = position.score, position.moves
    counters[DOWN], counters[BEST] = sum(position.face_down), position.best
    counters[SEQUENCES] = len(position.removed)
    if rules.sequences == "stay":
        counters[BEST] = max(position.best, mark_standing(rules.compiled, state))
