"""Which actions are legal, written anew or brought up to date after a move.

Actions are numbered as in `scorpion_env.engine.moves`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.compile import inlined
from scorpion_env.engine.state import (
    BUILDS,
    NO_CARD,
    UNDOABLE,
    State,
    can_lead,
    card_at,
    top_sequence,
)
from scorpion_env.rules import RESERVE_DEAL, RESERVE_DEAL_WHEN_IDLE, CompiledRules


@inlined
def is_idle(rules: CompiledRules, state: State, card: int) -> bool:
    """Say whether moving ``card``'s block to an empty column is an idle move; changes nothing.

    Idle: a whole column moves and no sequence is removed by it.
    """
    column = np.int64(state.column_of[card])
    if column < 0 or state.height_of[card] > 0:
        return False
    return rules.sequences_stay == 1 or not top_sequence(rules, state, column)


@inlined
def reserve_waits(rules: CompiledRules, state: State) -> bool:
    """Say whether a reserve is still to be dealt; changes nothing."""
    return rules.reserve_columns.shape[0] > 0 and state.reserve[0] != NO_CARD


@inlined
def reserve_is_gone(rules: CompiledRules, state: State) -> bool:
    """Say whether no reserve card is left to deal or play; changes nothing."""
    for place in range(rules.reserve_cards):
        if state.reserve[place] != NO_CARD:
            return False
    return True


@inlined
def may_deal(rules: CompiledRules, state: State, live: int) -> bool:
    """Say whether the reserve may be dealt, ``live`` other legal moves not being idle; reads."""
    if not reserve_waits(rules, state):
        return False
    return rules.reserve == RESERVE_DEAL or (rules.reserve == RESERVE_DEAL_WHEN_IDLE and live == 0)


@inlined
def write_builds(
    rules: CompiledRules, state: State, mask: npt.NDArray[np.int8], column: int
) -> int:
    """Add the moves onto ``column``, which is not empty, to ``mask``; return how many there are."""
    top = card_at(state, column, state.height[column] - 1)
    builds = np.int64(0)
    for k in range(rules.sources.shape[1]):
        source = np.int64(rules.sources[top, k])
        card = source if source >= 0 else np.int64(0)
        legal = (source >= 0) & can_lead(rules, state, card)
        legal &= state.column_of[card] != column
        mask[card * rules.columns + column] |= legal
        builds += legal
    return builds


@inlined
def write_all_builds(rules: CompiledRules, state: State, mask: npt.NDArray[np.int8]) -> int:
    """Add the moves onto all columns that are not empty; return how many there are."""
    builds = np.int64(0)
    for column in range(rules.columns):
        if state.height[column] > 0:
            builds += write_builds(rules, state, mask, column)
    return builds


@inlined
def clear_builds(rules: CompiledRules, mask: npt.NDArray[np.int8], top: int, column: int) -> int:
    """Take the moves onto the card ``top`` of ``column`` out of ``mask``; return their number."""
    builds = np.int64(0)
    for k in range(rules.sources.shape[1]):
        source = np.int64(rules.sources[top, k])
        card = source if source >= 0 else np.int64(0)
        action = card * rules.columns + column
        legal = mask[action] & (source >= 0)
        mask[action] -= legal
        builds += legal
    return builds


@inlined
def complete_mask(
    rules: CompiledRules, state: State, mask: npt.NDArray[np.int8], builds: int
) -> int:
    """Write all but the moves onto cards, of which there are ``builds``; count as `legal_mask`."""
    state.counters[BUILDS] = builds
    live = np.int64(builds)
    for column in range(rules.columns):
        if state.height[column] == 0:
            for k in range(rules.leaders.shape[0]):
                card = np.int64(rules.leaders[k])
                legal = can_lead(rules, state, card)
                mask[card * rules.columns + column] = legal
                live += legal and not is_idle(rules, state, card)
    mask[rules.deal_action] = may_deal(rules, state, live)
    if state.counters[UNDOABLE] > 0:
        mask[rules.deal_action + 1] = 1
    return live


@inlined
def legal_mask(rules: CompiledRules, state: State, mask: npt.NDArray[np.int8]) -> int:
    """Write the legal actions into ``mask`` (actions,); return how many moves are not idle.

    The deal and undo are in the mask but not in the number. Notes the BUILDS counter.
    """
    mask[:] = 0
    return complete_mask(rules, state, mask, write_all_builds(rules, state, mask))


@inlined
def update_mask(
    rules: CompiledRules,
    state: State,
    mask: npt.NDArray[np.int8],
    card: int,
    source: int,
    turned: bool,
    anew: bool,
) -> int:
    """Bring ``mask`` up to date after ``card``'s block has left the column ``source``.

    The mask and the BUILDS counter were those before the move; with ``turned`` it turned a card.
    With ``anew``, after a deal, a removal, an undo or a card played from the reserve, the mask is
    written as by `legal_mask`. Returns what that does.
    """
    target = builds = np.int64(0)
    if anew:
        mask[:] = 0
    else:
        target, below = np.int64(state.column_of[card]), np.int64(state.height_of[card])
        builds += state.counters[BUILDS]
        if below > 0:
            builds -= clear_builds(rules, mask, card_at(state, target, below - 1), target)
        else:
            for k in range(rules.leaders.shape[0]):
                mask[np.int64(rules.leaders[k]) * rules.columns + target] = 0
        top = card_at(state, target, state.height[target] - 1)
        builds -= clear_builds(rules, mask, top, source)
    everywhere = anew or turned
    if everywhere:
        builds = np.int64(0)
    # one loop, for `write_builds` is long to compile
    for k in range(rules.columns if everywhere else 2):
        column = k
        if not everywhere:
            column = target if k == 0 else source
        if state.height[column] > 0:
            builds += write_builds(rules, state, mask, column)
    return complete_mask(rules, state, mask, builds)
