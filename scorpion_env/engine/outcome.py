"""How a game stands: its legal mask, and whether it is won or lost."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.compile import inlined, internal, kernel
from scorpion_env.engine.mask import legal_mask, reserve_is_gone
from scorpion_env.engine.state import (
    IN_RESERVE,
    LOST,
    PLAYING,
    SEQUENCES,
    STATUS,
    UNDOABLE,
    WON,
    State,
    card_at,
    continues_sequence,
)
from scorpion_env.rules import CompiledRules


@inlined
def is_won(rules: CompiledRules, state: State) -> bool:
    """Say whether every sequence is complete; changes nothing.

    Where sequences stay, each must fill a column of its own.
    """
    if state.counters[SEQUENCES] < rules.sequences:
        return False
    if rules.sequences_stay:
        for column in range(rules.columns):
            if state.height[column] != 0 and state.height[column] != rules.ranks:
                return False
    return True


@inlined
def completes_sequence(rules: CompiledRules, state: State, card: int, target: int) -> bool:
    """Say whether moving ``card``'s block onto ``target`` completes a sequence; changes nothing."""
    source = np.int64(state.column_of[card])
    start = np.int64(state.height_of[card])
    in_reserve = source == IN_RESERVE
    block = 1 if in_reserve else state.height[source] - start
    under = np.int64(state.height[target])
    if block + under - state.face_down[target] < rules.ranks:
        return False
    ace_suit = np.int64(-1)
    for rank in range(rules.ranks):
        if rank >= block:
            lies = card_at(state, target, under - 1 - (rank - block))
        elif in_reserve:
            lies = np.int64(card)
        else:
            lies = card_at(state, source, start + block - 1 - rank)
        if rank == 0:
            ace_suit = np.int64(rules.ids[lies, 1])
        if rules.ids[lies, 0] != rank:
            return False
        if not continues_sequence(rules, ace_suit, rules.ids[lies, 1], rank):
            return False
    # a whole sequence that moves stood on top of its own column already
    return rules.sequences_stay == 0 or block < rules.ranks


@internal
def has_helpful_move(rules: CompiledRules, state: State, mask: npt.NDArray[np.int8]) -> bool:
    """Say whether a legal move turns a card or completes a sequence at once; changes nothing."""
    for action in range(rules.deal_action):
        if mask[action]:
            card = action // rules.columns
            source = np.int64(state.column_of[card])
            if source >= 0:
                below = state.height_of[card]
                if below > 0 and below == state.face_down[source]:
                    return True
            if completes_sequence(rules, state, card, action % rules.columns):
                return True
    return False


@inlined
def is_lost(rules: CompiledRules, state: State, mask: npt.NDArray[np.int8], live: int) -> bool:
    """Say whether a game that is not won has ended, ``live`` legal moves not being idle; reads."""
    if state.counters[UNDOABLE] > 0 or mask[rules.deal_action]:
        return False
    if live == 0:
        return True
    return (
        rules.sheet_loss == 1
        and reserve_is_gone(rules, state)
        and not has_helpful_move(rules, state, mask)
    )


@inlined
def conclude(rules: CompiledRules, state: State, mask: npt.NDArray[np.int8], live: int) -> int:
    """Write the STATUS counter, ``live`` moves of ``mask`` not being idle; return the status.

    The mask of a game that has ended becomes all zero.
    """
    status = PLAYING
    if is_won(rules, state):
        status = WON
    elif is_lost(rules, state, mask, live):
        status = LOST
    if status != PLAYING:
        mask[:] = 0
    state.counters[STATUS] = status
    return status


@kernel
def settle(rules: CompiledRules, state: State, mask: npt.NDArray[np.int8]) -> int:
    """Write the legal mask (actions,) and the STATUS counter; return the status.

    The mask of a game that has ended is all zero.
    """
    return conclude(rules, state, mask, legal_mask(rules, state, mask))
