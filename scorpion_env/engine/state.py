"""The state of a batch of games: arrays whose leading axis is the game."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.compile import inlined, kernel
from scorpion_env.rules import RESERVE_PLAY, CompiledRules, Rules

NO_CARD = 255  # marks an empty place of the tableau and a reserve card that is gone
IN_RESERVE, OFF_TABLEAU = -1, -2  # values of State.column_of beside the column numbers

SCORE, MOVES, DOWN, SEQUENCES, STATUS, BEST, UNDOABLE, NEWEST, BUILDS = range(9)
COUNTERS = 9
PLAYING, WON, LOST = range(3)  # values of the STATUS counter

DONE_ACTION, DONE_SOURCE, DONE_FLIPS, DONE_REMOVALS, SCORE_BEFORE, BEST_BEFORE = range(6)
RECORD = 6


class State(NamedTuple):
    """Everything about N games, one row a game; or one game's row, without the leading axis.

    Kernels take rows: `row_of` gives them in Python, `game_row` inside kernels. A column holds at
    most the whole pack, so its ``cards`` places can never overflow.
    """

    tableau: npt.NDArray[np.uint8]  # (N, columns, cards) card ids bottom to top, NO_CARD above
    height: npt.NDArray[np.int16]  # (N, columns) cards in each column
    face_down: npt.NDArray[np.int16]  # (N, columns) face-down cards at each column's bottom
    column_of: npt.NDArray[np.int8]  # (N, cards) column, IN_RESERVE or OFF_TABLEAU
    height_of: npt.NDArray[np.uint8]  # (N, cards) place from the bottom, or place in the reserve
    reserve: npt.NDArray[np.uint8]  # (N, reserve cards) card ids, NO_CARD once gone
    removed: npt.NDArray[np.uint8]  # (N, sequences, ranks) sequences in the order removed
    completed: npt.NDArray[np.uint8]  # (N, sequences) 1 where the sequence of that king is complete
    counters: npt.NDArray[np.int32]  # (N, COUNTERS) SCORE ... BUILDS
    history: npt.NDArray[np.int32]  # (N, undo capacity, RECORD) a ring of undoable actions


def empty_state(rules: Rules, games: int, undoable: int | None = None) -> State:
    """Return a state of ``games`` games, nothing dealt yet.

    ``undoable`` is the number of actions each game's history holds; None takes what the rules ask
    for, where an episode's step limit is enough if undo has no limit.
    """
    layout = rules.layout
    columns, cards = len(layout.columns), layout.cards
    if undoable is None:
        undoable = rules.max_steps if rules.undo_limit is None else rules.undo_limit
    return State(
        tableau=np.full((games, columns, cards), NO_CARD, np.uint8),
        height=np.zeros((games, columns), np.int16),
        face_down=np.zeros((games, columns), np.int16),
        column_of=np.full((games, cards), OFF_TABLEAU, np.int8),
        height_of=np.zeros((games, cards), np.uint8),
        reserve=np.full((games, layout.reserve_cards), NO_CARD, np.uint8),
        removed=np.full((games, layout.sequences, layout.ranks), NO_CARD, np.uint8),
        completed=np.zeros((games, layout.sequences), np.uint8),
        counters=np.zeros((games, COUNTERS), np.int32),
        history=np.zeros((games, undoable, RECORD), np.int32),
    )


def row_of(state: State, game: int) -> State:
    """Return one game's row: views that share the memory of ``state``."""
    return State(
        state.tableau[game],
        state.height[game],
        state.face_down[game],
        state.column_of[game],
        state.height_of[game],
        state.reserve[game],
        state.removed[game],
        state.completed[game],
        state.counters[game],
        state.history[game],
    )


game_row = inlined(row_of)


def copy_state(state: State) -> State:
    """Return a copy that shares no memory with ``state``."""
    return State(*(array.copy() for array in state))


@inlined
def card_at(state: State, column: int, place: int) -> int:
    """Return the id of the card at ``place`` of ``column``; changes nothing."""
    # a uint8 left as it is turns signed arithmetic into floats (Numba) or overflows (NumPy)
    return np.int64(state.tableau[column, place])


@kernel
def can_lead(rules: CompiledRules, state: State, card: int) -> bool:
    """Say whether a card is face-up where it may lead a block; changes nothing."""
    # without branches: the answer is a coin toss to the processor
    column = np.int64(state.column_of[card])
    face_up = (column >= 0) & (state.height_of[card] >= state.face_down[column])
    return face_up | ((column == IN_RESERVE) & (rules.reserve == RESERVE_PLAY))


@inlined
def top_sequence(rules: CompiledRules, state: State, column: int) -> bool:
    """Say whether a face-up king-to-ace sequence lies on top of ``column``; changes nothing."""
    height = state.height[column]
    if height - state.face_down[column] < rules.ranks:
        return False
    card = card_at(state, column, height - 1)
    suit = np.int64(rules.ids[card, 1])
    for rank in range(rules.ranks):
        card = card_at(state, column, height - 1 - rank)
        if rules.ids[card, 0] != rank:
            return False
        if not continues_sequence(rules, suit, rules.ids[card, 1], rank):
            return False
    return True


@inlined
def continues_sequence(rules: CompiledRules, ace_suit: int, suit: int, rank: int) -> bool:
    """Say whether a sequence down to an ace of ``ace_suit`` may hold ``suit`` at ``rank``."""
    if rules.alternating_sequence:
        return ((suit == 1 or suit == 2) == (ace_suit == 1 or ace_suit == 2)) == (rank % 2 == 0)
    return suit == ace_suit
