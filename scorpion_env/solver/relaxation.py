"""Proofs of loss by relaxation: what can never happen although nothing good is ever undone.

Theorem (holds for every rule set). Take any legal line of play from a position and consider the
events "card c is uncovered", "card c parts from what it now lies on", "some column is empty",
"a complete sequence of family f is removed". Each is possible only after others:

1. c is uncovered at some time only if nothing lies on it now, or the card that lies on it now has
   parted from it.
2. c parts only face-up, that is if it is face-up now or has been uncovered. It parts as the leader
   of a block that goes onto a card d it may be built on, d uncovered and not the card it lies on
   now; if d now lies above c in the same column, some card above c up to d has parted before. Or
   it may lead a block to an empty column and some column is empty. Or it is a king whose sequence
   is removed.
3. A column is empty only if one is empty now or the bottom card of one has parted.
4. A sequence of family f is removed only if each rank has a card of f that lies on a next-higher
   card of f or can be put there, and an ace of f that is uncovered.
5. Reserve cards that are to be dealt count as uncovered, face-up and joined: nothing is claimed of
   where they land. A reserve card that is played parts when it is played.

By induction over the line, only events in the least fixpoint of 1 to 5 ever happen, and a won
game needs every card face-up, every card but the kings on a next-higher card, every ace uncovered
and, where sequences stay, every king at the bottom of a column. If the fixpoint lacks one of
these the game is lost. Undo is ignored: it leads back to positions of the same line.

In one deck with same-suit building and kings alone in empty columns this is the strongest proof
that assumes every helpful effect to last; a blocking cycle (x waits for y, y waits for x) is its
simplest case. Where cards may be built on several others it proves less and stays true.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.compile import inlined, internal, kernel
from scorpion_env.engine.state import IN_RESERVE, NO_CARD, OFF_TABLEAU, State, card_at
from scorpion_env.rules import RESERVE_PLAY, CompiledRules
from scorpion_env.solver.relations import Relations

# why a position is lost: NO_PROOF, or which need of a won game can never be met
NO_PROOF, NEVER_TURNED, NEVER_JOINED, NEVER_UNCOVERED, NEVER_AT_BOTTOM = range(5)


class Facts(NamedTuple):
    """What may still happen, as the relaxation finds it."""

    uncovered: npt.NDArray[np.uint8]  # (cards,)
    parted: npt.NDArray[np.uint8]  # (cards,)
    face_up: npt.NDArray[np.uint8]  # (cards,)
    removed: npt.NDArray[np.uint8]  # (families,)
    empty: npt.NDArray[np.uint8]  # (1,) some column


def no_facts(cards: int, families: int) -> Facts:
    """Return facts to be filled by `relax`."""
    return Facts(
        uncovered=np.zeros(cards, np.uint8),
        parted=np.zeros(cards, np.uint8),
        face_up=np.zeros(cards, np.uint8),
        removed=np.zeros(families, np.uint8),
        empty=np.zeros(1, np.uint8),
    )


@inlined
def lies_on(state: State, card: int) -> int:
    """Return the card directly under ``card``, -1 if there is none; changes nothing."""
    column = np.int64(state.column_of[card])
    place = np.int64(state.height_of[card])
    if column < 0 or place == 0:
        return -1
    return card_at(state, column, place - 1)


@inlined
def may_part_above(state: State, facts: Facts, card: int, target: int) -> bool:
    """Say whether ``target`` is, or can come, outside ``card``'s block; changes nothing."""
    column = np.int64(state.column_of[card])
    if column < 0 or state.column_of[target] != column:
        return True
    low, high = np.int64(state.height_of[card]), np.int64(state.height_of[target])
    if high < low:
        return True
    for place in range(low + 1, high + 1):
        if facts.parted[card_at(state, column, place)]:
            return True
    return False


@inlined
def may_go_onto(
    state: State, facts: Facts, card: int, below: int, targets: npt.NDArray[np.int16]
) -> bool:
    """Say whether a face-up card can be put on one of ``targets`` (k,) other than ``below``."""
    for k in range(targets.shape[0]):
        target = np.int64(targets[k])
        if target < 0:
            return False
        if target == below or not facts.uncovered[target]:
            continue
        if may_part_above(state, facts, card, target):
            return True
    return False


@inlined
def may_join(
    rules: CompiledRules, relations: Relations, state: State, facts: Facts, card: int
) -> bool:
    """Say whether a card lies, or can be put, on a card it follows in a sequence; reads."""
    if state.column_of[card] == IN_RESERVE and rules.reserve != RESERVE_PLAY:
        return True
    below = lies_on(state, card)
    for k in range(relations.next_higher.shape[1]):
        higher = np.int64(relations.next_higher[card, k])
        if higher < 0:
            return False
        if higher == below:
            return True
        if not facts.face_up[card] or not facts.uncovered[higher]:
            continue
        if is_target(relations, card, higher) and may_part_above(state, facts, card, higher):
            return True
    return False


@inlined
def is_target(relations: Relations, card: int, target: int) -> bool:
    """Say whether the rules let ``card`` be built on ``target``; changes nothing."""
    for k in range(relations.targets.shape[1]):
        if relations.targets[card, k] == target:
            return True
    return False


@inlined
def mark_parted(rules: CompiledRules, state: State, facts: Facts, card: int) -> None:
    """Note that a card can part from where it lies, and what that frees; changes ``facts``."""
    facts.parted[card] = 1
    column = np.int64(state.column_of[card])
    if column == IN_RESERVE:
        facts.uncovered[card] = 1
    elif state.height_of[card] == 0:
        facts.empty[0] = 1
    else:
        below = lies_on(state, card)
        facts.uncovered[below] = 1
        facts.face_up[below] = 1


@inlined
def begin_facts(rules: CompiledRules, state: State, facts: Facts) -> None:
    """Fill ``facts`` with what holds in the position itself."""
    facts.uncovered[:] = 0
    facts.parted[:] = 0
    facts.face_up[:] = 0
    facts.removed[:] = 0
    facts.empty[0] = 0
    for column in range(rules.columns):
        height = np.int64(state.height[column])
        for place in range(np.int64(state.face_down[column]), height):
            facts.face_up[card_at(state, column, place)] = 1
        if height > 0:
            facts.uncovered[card_at(state, column, height - 1)] = 1
        else:
            facts.empty[0] = 1
    for place in range(rules.reserve_cards):
        if state.reserve[place] != NO_CARD:
            card = np.int64(state.reserve[place])
            facts.face_up[card] = 1
            if rules.reserve != RESERVE_PLAY:
                facts.uncovered[card] = 1
                facts.parted[card] = 1


@inlined
def may_part(relations: Relations, state: State, facts: Facts, card: int) -> bool:
    """Say whether a face-up card can lead a block away from where it lies; changes nothing."""
    if relations.leads[card] and facts.empty[0]:
        return True
    return may_go_onto(state, facts, card, lies_on(state, card), relations.targets[card])


@internal
def sweep(rules: CompiledRules, relations: Relations, state: State, facts: Facts) -> bool:
    """Find cards that can part, each column from its top; return whether there were any."""
    changed = False
    for column in range(rules.columns):
        for place in range(np.int64(state.height[column]) - 1, -1, -1):
            card = card_at(state, column, place)
            if facts.parted[card] or not facts.face_up[card]:
                continue
            if may_part(relations, state, facts, card):
                mark_parted(rules, state, facts, card)
                changed = True
    if rules.reserve == RESERVE_PLAY:
        for place in range(rules.reserve_cards):
            if state.reserve[place] != NO_CARD:
                card = np.int64(state.reserve[place])
                if not facts.parted[card] and may_part(relations, state, facts, card):
                    mark_parted(rules, state, facts, card)
                    changed = True
    return changed


@internal
def may_be_removed(
    rules: CompiledRules, relations: Relations, state: State, facts: Facts, family: int
) -> bool:
    """Say whether a complete sequence of a family can be made and removed; changes nothing."""
    found = 0
    for card in range(rules.cards):
        rank = np.int64(rules.ids[card, 0])
        if relations.family[card] != family or state.column_of[card] == OFF_TABLEAU:
            continue
        if found >> rank & 1 or not facts.face_up[card]:
            continue
        if rank == 0 and not facts.uncovered[card]:
            continue
        if rank == rules.ranks - 1 or may_join(rules, relations, state, facts, card):
            found |= 1 << rank
    return found == (1 << rules.ranks) - 1


@internal
def remove_families(rules: CompiledRules, relations: Relations, state: State, facts: Facts) -> bool:
    """Let kings part whose sequences can be removed; return whether there were any."""
    changed = False
    for family in range(relations.families):
        if facts.removed[family]:
            continue
        if not may_be_removed(rules, relations, state, facts, family):
            continue
        facts.removed[family] = 1
        for card in range(rules.cards):
            if relations.family[card] != family or rules.ids[card, 0] < rules.ranks - 1:
                continue
            if state.column_of[card] != OFF_TABLEAU and not facts.parted[card]:
                mark_parted(rules, state, facts, card)
                changed = True
    return changed


@inlined
def unmet_need(
    rules: CompiledRules, relations: Relations, state: State, facts: Facts, card: int
) -> int:
    """Return which need of a won game a card can never meet, or NO_PROOF; changes nothing."""
    if not facts.face_up[card]:
        return NEVER_TURNED
    rank = rules.ids[card, 0]
    if rank == 0 and not facts.uncovered[card]:
        return NEVER_UNCOVERED
    if rank < rules.ranks - 1:
        return NO_PROOF if may_join(rules, relations, state, facts, card) else NEVER_JOINED
    if rules.sequences_stay and not facts.parted[card] and lies_on(state, card) >= 0:
        return NEVER_AT_BOTTOM
    return NO_PROOF


@kernel
def relax(
    rules: CompiledRules, relations: Relations, state: State, facts: Facts
) -> tuple[int, int]:
    """Compute the fixpoint; return (reason, card) of a loss, (NO_PROOF, 0) if it proves none.

    Changes ``facts`` only. A king in the reserve parts when it is dealt or played, so the bottom
    of a column is open to it.
    """
    begin_facts(rules, state, facts)
    changed = True
    while changed:
        changed = sweep(rules, relations, state, facts)
        if not changed and rules.sequences_stay == 0:
            changed = remove_families(rules, relations, state, facts)
    for card in range(rules.cards):
        if state.column_of[card] != OFF_TABLEAU:
            reason = unmet_need(rules, relations, state, facts, card)
            if reason != NO_PROOF:
                return reason, card
    return NO_PROOF, 0


@kernel
def mark_needs(
    rules: CompiledRules,
    relations: Relations,
    state: State,
    facts: Facts,
    needs: npt.NDArray[np.int64],
) -> None:
    """Write into ``needs`` (cards,) which need each card can never meet, as `relax` found it."""
    for card in range(rules.cards):
        needs[card] = NO_PROOF
        if state.column_of[card] != OFF_TABLEAU:
            needs[card] = unmet_need(rules, relations, state, facts, card)


@kernel
def mark_joined(
    rules: CompiledRules,
    relations: Relations,
    state: State,
    facts: Facts,
    joined: npt.NDArray[np.uint8],
) -> None:
    """Mark in ``joined`` (cards,) the cards that `relax` found to get onto a next-higher card."""
    for card in range(rules.cards):
        joined[card] = state.column_of[card] != OFF_TABLEAU and may_join(
            rules, relations, state, facts, card
        )
