"""What an action does: moves, the deal of the reserve, undo.

An action is ``card * columns + target column``; ``cards * columns`` deals the reserve and the next
number takes the last action back. Only this module and `mask` know these numbers. Kernels
that apply an action trust it to be legal.
"""

from __future__ import annotations

import numpy as np

from scorpion_env.engine.compile import inlined, internal, kernel
from scorpion_env.engine.state import (
    BEST,
    BEST_BEFORE,
    DONE_ACTION,
    DONE_FLIPS,
    DONE_REMOVALS,
    DONE_SOURCE,
    DOWN,
    IN_RESERVE,
    MOVES,
    NEWEST,
    NO_CARD,
    OFF_TABLEAU,
    PLAYING,
    SCORE,
    SCORE_BEFORE,
    SEQUENCES,
    STATUS,
    UNDOABLE,
    State,
    card_at,
    top_sequence,
)
from scorpion_env.rules import CompiledRules

PLACEMENT_POINTS, FLIP_POINTS, SEQUENCE_POINTS = 5, 5, 100


@inlined
def put_card(state: State, card: int, column: int) -> None:
    """Put a card on top of ``column``; changes the tableau and the card's place."""
    place = state.height[column]
    state.tableau[column, place] = card
    state.column_of[card] = column
    state.height_of[card] = place
    state.height[column] = place + 1


@inlined
def move_block(state: State, source: int, start: int, target: int) -> None:
    """Move the cards of ``source`` from place ``start`` up onto ``target``, in their order."""
    top = np.int64(state.height[target])
    block = np.int64(state.height[source]) - start
    for k in range(block):
        card = card_at(state, source, start + k)
        state.tableau[source, start + k] = NO_CARD
        state.tableau[target, top + k] = card
        state.column_of[card] = target
        state.height_of[card] = top + k
    state.height[source] = start
    state.height[target] = top + block


@inlined
def turn_top(state: State, column: int) -> int:
    """Turn ``column``'s top card if it is face-down, for its points; return 1 if it was."""
    height = state.height[column]
    if height == 0 or state.face_down[column] < height:
        return 0
    state.face_down[column] = height - 1
    state.counters[DOWN] -= 1
    state.counters[SCORE] += FLIP_POINTS
    return 1


@inlined
def king_slot(rules: CompiledRules, king: int) -> int:
    """Return the index into State.completed of a king's sequence; changes nothing."""
    return king // rules.ranks


@inlined
def remove_sequence(rules: CompiledRules, state: State, column: int) -> int:
    """Remove the complete sequence on top of ``column``, for its points; return 1 if there is one.

    Changes the tableau, ``removed``, ``completed`` and the counters.
    """
    if rules.sequences_stay == 1 or not top_sequence(rules, state, column):
        return 0
    start = state.height[column] - rules.ranks
    slot = state.counters[SEQUENCES]
    for k in range(rules.ranks):
        card = card_at(state, column, start + k)
        state.removed[slot, k] = card
        state.column_of[card] = OFF_TABLEAU
        state.tableau[column, start + k] = NO_CARD
    state.height[column] = start
    state.completed[king_slot(rules, np.int64(state.removed[slot, 0]))] = 1
    state.counters[SEQUENCES] = slot + 1
    state.counters[SCORE] += SEQUENCE_POINTS
    return 1


@kernel
def mark_standing(rules: CompiledRules, state: State) -> int:
    """Set ``completed`` to the sequences standing on top of their columns; return their number."""
    state.completed[:] = 0
    standing = 0
    for column in range(rules.columns):
        if top_sequence(rules, state, column):
            king = card_at(state, column, state.height[column] - rules.ranks)
            state.completed[king_slot(rules, king)] = 1
            standing += 1
    state.counters[SEQUENCES] = standing
    return standing


@inlined
def placement_points(rules: CompiledRules, state: State, action: int) -> int:
    """Return the points for where the action's block lands: a card of its suit or not; reads."""
    if action >= rules.deal_action:
        return 0
    target = action % rules.columns
    height = state.height[target]
    if height == 0:
        return 0
    below = card_at(state, target, height - 1)
    return PLACEMENT_POINTS * (rules.ids[below, 1] == rules.ids[action // rules.columns, 1])


@inlined
def last_action(state: State) -> int:
    """Return the action that undo would take back; changes nothing."""
    return np.int64(state.history[state.counters[NEWEST], DONE_ACTION])


@inlined
def play_move(rules: CompiledRules, state: State, card: int, target: int) -> tuple[int, int, int]:
    """Move ``card``'s block onto ``target``; return its source and the columns turned, removed.

    The source is a column, or ``-1 - place`` of the reserve; the other two have a bit a column.
    Changes the tableau, the card index, the reserve and the counters.
    """
    source = np.int64(state.column_of[card])
    start = np.int64(state.height_of[card])
    flips = 0
    if source == IN_RESERVE:
        state.reserve[start] = NO_CARD
        put_card(state, card, target)
        source = -1 - start
    else:
        move_block(state, source, start, target)
        flips |= turn_top(state, source) << source
    removals = remove_sequence(rules, state, target) << target
    if removals:
        flips |= turn_top(state, target) << target
    return source, flips, removals


@internal
def deal_reserve(rules: CompiledRules, state: State) -> tuple[int, int]:
    """Deal the reserve onto its columns; return the columns turned and removed, a bit a column.

    Changes the tableau, the card index, the reserve and the counters.
    """
    for place in range(rules.reserve_columns.shape[0]):
        card = np.int64(state.reserve[place])
        put_card(state, card, np.int64(rules.reserve_columns[place]))
        state.reserve[place] = NO_CARD
    flips = 0
    removals = 0
    for place in range(rules.reserve_columns.shape[0]):
        column = np.int64(rules.reserve_columns[place])
        if remove_sequence(rules, state, column):
            removals |= 1 << column
            flips |= turn_top(state, column) << column
    return flips, removals


@kernel
def apply(rules: CompiledRules, state: State, action: int) -> int:
    """Play a legal action: changes the game's row, its counters and its undo history.

    Return the column that cards have left if no other but the target's has changed, else -1.
    """
    if action > rules.deal_action:
        undo(rules, state)
        return -1
    score = state.counters[SCORE]
    best = state.counters[BEST]
    state.counters[SCORE] += placement_points(rules, state, action)
    source = -1
    if action == rules.deal_action:
        flips, removals = deal_reserve(rules, state)
    else:
        card = action // rules.columns
        source, flips, removals = play_move(rules, state, card, action % rules.columns)
    state.counters[MOVES] += 1
    if rules.sequences_stay:
        gained = mark_standing(rules, state) - best
        if gained > 0:
            state.counters[BEST] = best + gained
            state.counters[SCORE] += SEQUENCE_POINTS * gained
    capacity = state.history.shape[0]
    if capacity > 0:
        newest = (state.counters[NEWEST] + 1) % capacity
        state.counters[NEWEST] = newest
        state.counters[UNDOABLE] = min(state.counters[UNDOABLE] + 1, capacity)
        record = state.history[newest]
        record[DONE_ACTION] = action
        record[DONE_SOURCE] = source
        record[DONE_FLIPS] = flips
        record[DONE_REMOVALS] = removals
        record[SCORE_BEFORE] = score
        record[BEST_BEFORE] = best
    return max(source, -1)


@inlined
def restore_column(
    rules: CompiledRules, state: State, column: int, flips: int, removals: int
) -> None:
    """Turn ``column``'s card back and return its removed sequence where the bits say so."""
    if flips >> column & 1:
        state.face_down[column] += 1
        state.counters[DOWN] += 1
    if removals >> column & 1:
        slot = state.counters[SEQUENCES] - 1
        state.counters[SEQUENCES] = slot
        state.completed[king_slot(rules, np.int64(state.removed[slot, 0]))] = 0
        for k in range(rules.ranks):
            put_card(state, np.int64(state.removed[slot, k]), column)
            state.removed[slot, k] = NO_CARD


@inlined
def take_back_deal(rules: CompiledRules, state: State, flips: int, removals: int) -> None:
    """Return the dealt cards to the reserve; changes the tableau, the index and the reserve."""
    for place in range(rules.reserve_columns.shape[0] - 1, -1, -1):
        column = np.int64(rules.reserve_columns[place])
        restore_column(rules, state, column, flips, removals)
        return_to_reserve(state, column, place)


@inlined
def return_to_reserve(state: State, column: int, place: int) -> None:
    """Move ``column``'s top card to ``place`` of the reserve."""
    top = state.height[column] - 1
    card = card_at(state, column, top)
    state.tableau[column, top] = NO_CARD
    state.height[column] = top
    state.reserve[place] = card
    state.column_of[card] = IN_RESERVE
    state.height_of[card] = place


@internal
def undo(rules: CompiledRules, state: State) -> None:
    """Take the last action back: restores the game's row, flips, score and counters exactly."""
    capacity = state.history.shape[0]
    record = state.history[state.counters[NEWEST]]
    action = last_action(state)
    flips = np.int64(record[DONE_FLIPS])
    removals = np.int64(record[DONE_REMOVALS])
    if action == rules.deal_action:
        take_back_deal(rules, state, flips, removals)
    else:
        source = np.int64(record[DONE_SOURCE])
        target = action % rules.columns
        restore_column(rules, state, target, flips, removals)
        if source < 0:
            return_to_reserve(state, target, -1 - source)
        else:
            restore_column(rules, state, source, flips, np.int64(0))
            start = np.int64(state.height_of[action // rules.columns])
            move_block(state, target, start, source)
    state.counters[SCORE] = record[SCORE_BEFORE]
    state.counters[BEST] = record[BEST_BEFORE]
    state.counters[MOVES] -= 1
    state.counters[STATUS] = PLAYING
    state.counters[UNDOABLE] -= 1
    state.counters[NEWEST] = (state.counters[NEWEST] - 1 + capacity) % capacity
    if rules.sequences_stay:
        mark_standing(rules, state)
