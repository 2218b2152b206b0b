"""What an action does: the legal mask, moves, the deal of the reserve, undo.

An action is ``card * columns + target column``; ``cards * columns`` deals the reserve and the next
number takes the last action back. Only this module translates between actions and moves. Kernels
that apply an action trust it to be legal.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.compile import inlined
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
    can_lead,
    card_at,
    top_sequence,
)
from scorpion_env.rules import (
    RESERVE_DEAL,
    RESERVE_DEAL_WHEN_IDLE,
    CompiledRules,
)

PLACEMENT_POINTS, FLIP_POINTS, SEQUENCE_POINTS = 5, 5, 100


@inlined
def is_idle(rules: CompiledRules, state: State, game: int, card: int) -> bool:
    """Say whether moving ``card``'s block to an empty column is an idle move; changes nothing.

    Idle: a whole column moves and no sequence is removed by it.
    """
    column = np.int64(state.column_of[game, card])
    if column < 0 or state.height_of[game, card] > 0:
        return False
    return rules.sequences_stay == 1 or not top_sequence(rules, state, game, column)


@inlined
def reserve_waits(rules: CompiledRules, state: State, game: int) -> bool:
    """Say whether a reserve is still to be dealt; changes nothing."""
    return rules.reserve_columns.shape[0] > 0 and state.reserve[game, 0] != NO_CARD


@inlined
def may_deal(rules: CompiledRules, state: State, game: int, live: int) -> bool:
    """Say whether the reserve may be dealt, ``live`` other legal moves not being idle; reads."""
    if not reserve_waits(rules, state, game):
        return False
    return rules.reserve == RESERVE_DEAL or (rules.reserve == RESERVE_DEAL_WHEN_IDLE and live == 0)


@inlined
def legal_mask(rules: CompiledRules, state: State, game: int, mask: npt.NDArray[np.int8]) -> int:
    """Write the legal actions into ``mask`` (actions,); return how many moves are not idle.

    The deal and undo are in the mask but not in the number.
    """
    mask[:] = 0
    live = np.int64(0)
    for target in range(rules.columns):
        height = state.height[game, target]
        if height == 0:
            for k in range(rules.leaders.shape[0]):
                card = np.int64(rules.leaders[k])
                if can_lead(rules, state, game, card):
                    mask[card * rules.columns + target] = 1
                    if not is_idle(rules, state, game, card):
                        live += 1
        else:
            top = card_at(state, game, target, height - 1)
            for k in range(rules.sources.shape[1]):
                card = np.int64(rules.sources[top, k])
                if card < 0:
                    break
                if state.column_of[game, card] != target and can_lead(rules, state, game, card):
                    mask[card * rules.columns + target] = 1
                    live += 1
    if may_deal(rules, state, game, live):
        mask[rules.deal_action] = 1
    if state.counters[game, UNDOABLE] > 0:
        mask[rules.deal_action + 1] = 1
    return live


@inlined
def put_card(state: State, game: int, card: int, column: int) -> None:
    """Put a card on top of ``column``; changes the tableau and the card's place."""
    place = state.height[game, column]
    state.tableau[game, column, place] = card
    state.column_of[game, card] = column
    state.height_of[game, card] = place
    state.height[game, column] = place + 1


@inlined
def move_block(state: State, game: int, source: int, start: int, target: int) -> None:
    """Move the cards of ``source`` from place ``start`` up onto ``target``, in their order."""
    for place in range(start, state.height[game, source]):
        put_card(state, game, card_at(state, game, source, place), target)
        state.tableau[game, source, place] = NO_CARD
    state.height[game, source] = start


@inlined
def turn_top(state: State, game: int, column: int) -> int:
    """Turn ``column``'s top card if it is face-down, for its points; return 1 if it was."""
    height = state.height[game, column]
    if height == 0 or state.face_down[game, column] < height:
        return 0
    state.face_down[game, column] = height - 1
    state.counters[game, DOWN] -= 1
    state.counters[game, SCORE] += FLIP_POINTS
    return 1


@inlined
def king_slot(rules: CompiledRules, king: int) -> int:
    """Return the index into State.completed of a king's sequence; changes nothing."""
    return king // rules.ranks


@inlined
def remove_sequence(rules: CompiledRules, state: State, game: int, column: int) -> int:
    """Remove the complete sequence on top of ``column``, for its points; return 1 if there is one.

    Changes the tableau, ``removed``, ``completed`` and the counters.
    """
    if rules.sequences_stay == 1 or not top_sequence(rules, state, game, column):
        return 0
    start = state.height[game, column] - rules.ranks
    slot = state.counters[game, SEQUENCES]
    for k in range(rules.ranks):
        card = card_at(state, game, column, start + k)
        state.removed[game, slot, k] = card
        state.column_of[game, card] = OFF_TABLEAU
        state.tableau[game, column, start + k] = NO_CARD
    state.height[game, column] = start
    state.completed[game, king_slot(rules, np.int64(state.removed[game, slot, 0]))] = 1
    state.counters[game, SEQUENCES] = slot + 1
    state.counters[game, SCORE] += SEQUENCE_POINTS
    return 1


@inlined
def mark_standing(rules: CompiledRules, state: State, game: int) -> int:
    """Set ``completed`` to the sequences standing on top of their columns; return their number."""
    state.completed[game] = 0
    standing = 0
    for column in range(rules.columns):
        if top_sequence(rules, state, game, column):
            king = card_at(state, game, column, state.height[game, column] - rules.ranks)
            state.completed[game, king_slot(rules, king)] = 1
            standing += 1
    state.counters[game, SEQUENCES] = standing
    return standing


@inlined
def placement_points(rules: CompiledRules, state: State, game: int, action: int) -> int:
    """Return the points for where the action's block lands: a card of its suit or not; reads."""
    if action >= rules.deal_action:
        return 0
    target = action % rules.columns
    height = state.height[game, target]
    if height == 0:
        return 0
    below = card_at(state, game, target, height - 1)
    return PLACEMENT_POINTS * (rules.ids[below, 1] == rules.ids[action // rules.columns, 1])


@inlined
def last_action(state: State, game: int) -> int:
    """Return the action that undo would take back; changes nothing."""
    return np.int64(state.history[game, state.counters[game, NEWEST], DONE_ACTION])


@inlined
def play_move(
    rules: CompiledRules, state: State, game: int, card: int, target: int
) -> tuple[int, int, int]:
    """Move ``card``'s block onto ``target``; return its source and the columns turned, removed.

    The source is a column, or ``-1 - place`` of the reserve; the other two have a bit a column.
    Changes the tableau, the card index, the reserve and the counters.
    """
    source = np.int64(state.column_of[game, card])
    start = np.int64(state.height_of[game, card])
    flips = 0
    if source == IN_RESERVE:
        state.reserve[game, start] = NO_CARD
        put_card(state, game, card, target)
        source = -1 - start
    else:
        move_block(state, game, source, start, target)
        flips |= turn_top(state, game, source) << source
    removals = remove_sequence(rules, state, game, target) << target
    if removals:
        flips |= turn_top(state, game, target) << target
    return source, flips, removals


@inlined
def deal_reserve(rules: CompiledRules, state: State, game: int) -> tuple[int, int]:
    """Deal the reserve onto its columns; return the columns turned and removed, a bit a column.

    Changes the tableau, the card index, the reserve and the counters.
    """
    for place in range(rules.reserve_columns.shape[0]):
        card = np.int64(state.reserve[game, place])
        put_card(state, game, card, np.int64(rules.reserve_columns[place]))
        state.reserve[game, place] = NO_CARD
    flips = 0
    removals = 0
    for place in range(rules.reserve_columns.shape[0]):
        column = np.int64(rules.reserve_columns[place])
        if remove_sequence(rules, state, game, column):
            removals |= 1 << column
            flips |= turn_top(state, game, column) << column
    return flips, removals


@inlined
def apply(rules: CompiledRules, state: State, game: int, action: int) -> None:
    """Play a legal action: changes the game's row, its counters and its undo history."""
    if action > rules.deal_action:
        undo(rules, state, game)
        return
    score = state.counters[game, SCORE]
    best = state.counters[game, BEST]
    state.counters[game, SCORE] += placement_points(rules, state, game, action)
    source = 0
    if action == rules.deal_action:
        flips, removals = deal_reserve(rules, state, game)
    else:
        card = action // rules.columns
        source, flips, removals = play_move(rules, state, game, card, action % rules.columns)
    state.counters[game, MOVES] += 1
    if rules.sequences_stay:
        gained = mark_standing(rules, state, game) - best
        if gained > 0:
            state.counters[game, BEST] = best + gained
            state.counters[game, SCORE] += SEQUENCE_POINTS * gained
    capacity = state.history.shape[1]
    if capacity > 0:
        newest = (state.counters[game, NEWEST] + 1) % capacity
        state.counters[game, NEWEST] = newest
        state.counters[game, UNDOABLE] = min(state.counters[game, UNDOABLE] + 1, capacity)
        record = state.history[game, newest]
        record[DONE_ACTION] = action
        record[DONE_SOURCE] = source
        record[DONE_FLIPS] = flips
        record[DONE_REMOVALS] = removals
        record[SCORE_BEFORE] = score
        record[BEST_BEFORE] = best


@inlined
def restore_column(
    rules: CompiledRules, state: State, game: int, column: int, flips: int, removals: int
) -> None:
    """Turn ``column``'s card back and return its removed sequence where the bits say so."""
    if flips >> column & 1:
        state.face_down[game, column] += 1
        state.counters[game, DOWN] += 1
    if removals >> column & 1:
        slot = state.counters[game, SEQUENCES] - 1
        state.counters[game, SEQUENCES] = slot
        state.completed[game, king_slot(rules, np.int64(state.removed[game, slot, 0]))] = 0
        for k in range(rules.ranks):
            put_card(state, game, np.int64(state.removed[game, slot, k]), column)
            state.removed[game, slot, k] = NO_CARD


@inlined
def take_back_deal(
    rules: CompiledRules, state: State, game: int, flips: int, removals: int
) -> None:
    """Return the dealt cards to the reserve; changes the tableau, the index and the reserve."""
    for place in range(rules.reserve_columns.shape[0] - 1, -1, -1):
        column = np.int64(rules.reserve_columns[place])
        restore_column(rules, state, game, column, flips, removals)
        return_to_reserve(state, game, column, place)


@inlined
def return_to_reserve(state: State, game: int, column: int, place: int) -> None:
    """Move ``column``'s top card to ``place`` of the reserve."""
    top = state.height[game, column] - 1
    card = card_at(state, game, column, top)
    state.tableau[game, column, top] = NO_CARD
    state.height[game, column] = top
    state.reserve[game, place] = card
    state.column_of[game, card] = IN_RESERVE
    state.height_of[game, card] = place


@inlined
def undo(rules: CompiledRules, state: State, game: int) -> None:
    """Take the last action back: restores the game's row, flips, score and counters exactly."""
    capacity = state.history.shape[1]
    record = state.history[game, state.counters[game, NEWEST]]
    action = last_action(state, game)
    flips = np.int64(record[DONE_FLIPS])
    removals = np.int64(record[DONE_REMOVALS])
    if action == rules.deal_action:
        take_back_deal(rules, state, game, flips, removals)
    else:
        source = np.int64(record[DONE_SOURCE])
        target = action % rules.columns
        restore_column(rules, state, game, target, flips, removals)
        if source < 0:
            return_to_reserve(state, game, target, -1 - source)
        else:
            restore_column(rules, state, game, source, flips, np.int64(0))
            start = np.int64(state.height_of[game, action // rules.columns])
            move_block(state, game, target, start, source)
    state.counters[game, SCORE] = record[SCORE_BEFORE]
    state.counters[game, BEST] = record[BEST_BEFORE]
    state.counters[game, MOVES] -= 1
    state.counters[game, STATUS] = PLAYING
    state.counters[game, UNDOABLE] -= 1
    state.counters[game, NEWEST] = (state.counters[game, NEWEST] - 1 + capacity) % capacity
    if rules.sequences_stay:
        mark_standing(rules, state, game)
