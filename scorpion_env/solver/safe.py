"""Links that can be made at once: if the position can be won, it can be won after them.

Theorem. One deck, same-suit building, kings alone in empty columns, no reserve left to deal, and a
game lost only when it is stuck. Let card c be free to go onto its next-higher card d. If

1. c cannot be reached from d in the graph where each card points at the card it lies on and, while
   it does not lie on it yet, at its next-higher card (a king at nothing else), and
2. where sequences are removed, the ace of c's suit is uncovered and no king lies above c,

then c may go onto d now and no other move need be tried.

Proof. Take a line that wins. Somewhere in it c goes onto d, for only there can c ever go and it
must. Make that move first and leave the rest of the line as it was. Until the place where the move
was, columns differ only in that c's block lies on d instead of on the card under c. So every card
that was uncovered still is, except d, which takes nobody but c; no column that was empty holds
cards, for d's was not empty. A later move x onto y is thus still legal unless y now lies in x's own
block: then x lies under d or is d, y lies above c, and x going onto y would put d above c, which 1
excludes, for what lies under d at any later time can be reached from d now. Removals: by 2 the ace
of the suit stays uncovered (nothing goes onto an ace), so the suit's sequence is removed in the new
line no later than in the old one, which only frees what it lay on; a sequence of another suit that
the old move itself would have removed has its king above c, which 2 excludes (kings reach only
empty columns, so none comes there later); all others are completed by the same move as before.
Moves that are idle in the new line are left out of it, so it is never stuck. Under the sheet's loss
it may be: there a link that turns a card, left for later, keeps the game going.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.compile import inlined
from scorpion_env.engine.mask import reserve_waits
from scorpion_env.engine.state import State, card_at
from scorpion_env.rules import CompiledRules
from scorpion_env.solver.relations import Relations
from scorpion_env.solver.relaxation import lies_on


@inlined
def links_may_be_safe(rules: CompiledRules, relations: Relations, state: State) -> bool:
    """Say whether the theorem speaks of a position; changes nothing."""
    return relations.is_final == 1 and rules.sheet_loss == 0 and not reserve_waits(rules, state)


@inlined
def ace_is_uncovered(rules: CompiledRules, state: State, card: int) -> bool:
    """Say whether the ace of a card's suit lies on top of a column; changes nothing."""
    ace = card - card % rules.ranks
    column = np.int64(state.column_of[ace])
    return column >= 0 and state.height_of[ace] == state.height[column] - 1


@inlined
def king_lies_above(rules: CompiledRules, state: State, card: int) -> bool:
    """Say whether a king lies above a card in its column; changes nothing."""
    column = np.int64(state.column_of[card])
    if column < 0:
        return False
    for place in range(np.int64(state.height_of[card]) + 1, np.int64(state.height[column])):
        above = card_at(state, column, place)
        if rules.ids[above, 0] == rules.ranks - 1:
            return True
    return False


@inlined
def reaches(
    rules: CompiledRules,
    relations: Relations,
    state: State,
    start: int,
    goal: int,
    seen: npt.NDArray[np.uint8],
    stack: npt.NDArray[np.int16],
) -> bool:
    """Say whether ``goal`` can be reached from ``start`` in the graph of the theorem.

    Changes the scratch arrays ``seen`` and ``stack`` (cards,).
    """
    seen[:] = 0
    seen[start] = 1
    stack[0] = start
    left = 1
    while left > 0:
        left -= 1
        card = np.int64(stack[left])
        below = lies_on(state, card)
        for k in range(2):
            follower = below if k == 0 else np.int64(relations.next_higher[card, 0])
            if follower == goal:
                return True
            if follower >= 0 and not seen[follower]:
                seen[follower] = 1
                stack[left] = follower
                left += 1
    return False


@inlined
def is_safe(
    rules: CompiledRules,
    relations: Relations,
    state: State,
    card: int,
    target: int,
    seen: npt.NDArray[np.uint8],
    stack: npt.NDArray[np.int16],
) -> bool:
    """Say whether a legal move of ``card`` onto column ``target`` is a safe link.

    Asked where `links_may_be_safe`. Changes the scratch arrays ``seen`` and ``stack`` (cards,).
    """
    if state.height[target] == 0:
        return False
    if rules.sequences_stay == 0 and not ace_is_uncovered(rules, state, card):
        return False
    if rules.sequences_stay == 0 and king_lies_above(rules, state, card):
        return False
    higher = card_at(state, target, state.height[target] - 1)
    return not reaches(rules, relations, state, higher, card, seen, stack)
