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

from scorpion_env.engine.compile import entry, inlined, internal
from scorpion_env.engine.state import IN_RESERVE, NO_CARD, OFF_TABLEAU, State, card_at
from scorpion_env.rules import RESERVE_PLAY, CompiledRules
from scorpion_env.solver.relations import Relations

NO_ROOT = -1
# why a position is lost: NO_PROOF, or which need of a won game can never be met
NO_PROOF, NEVER_TURNED, NEVER_JOINED, NEVER_UNCOVERED, NEVER_AT_BOTTOM = range(5)


class Facts(NamedTuple):
    """What may still happen, as the relaxation finds it."""

    uncovered: npt.NDArray[np.uint8]  # (cards,)
    parted: npt.NDArray[np.uint8]  # (cards,)
    face_up: npt.NDArray[np.uint8]  # (cards,)
    removed: npt.NDArray[np.uint8]  # (families,)
    empty: npt.NDArray[np.uint8]  # (1,) some column
    waiting: npt.NDArray[np.int16]  # (cards,) stack of cards that may part by what was found last
    waits: npt.NDArray[np.uint8]  # (cards,) 1 for those on the stack
    depth: npt.NDArray[np.int64]  # (1,) of the stack
    held: npt.NDArray[np.uint8]  # (cards,) 1 for those that are not moved; given
    root: npt.NDArray[np.int16]  # (cards,) the card that was moved first on the way to each
    cause: npt.NDArray[np.int16]  # (1,) the root of the card that parted last


def no_facts(cards: int, families: int) -> Facts:
    """Return facts to be filled by `relax`."""
    return Facts(
        uncovered=np.zeros(cards, np.uint8),
        parted=np.zeros(cards, np.uint8),
        face_up=np.zeros(cards, np.uint8),
        removed=np.zeros(families, np.uint8),
        empty=np.zeros(1, np.uint8),
        waiting=np.zeros(cards, np.int16),
        waits=np.zeros(cards, np.uint8),
        depth=np.zeros(1, np.int64),
        held=np.zeros(cards, np.uint8),
        root=np.zeros(cards, np.int16),
        cause=np.zeros(1, np.int16),
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
    below = lies_on(state, card)
    related = below >= 0 and relations.family[below] == relations.family[card]
    if related and rules.ids[below, 0] == rules.ids[card, 0] + 1:
        return True
    if relations.is_final or (
        state.column_of[card] == IN_RESERVE and rules.reserve != RESERVE_PLAY
    ):
        # there a card but a king parts only to join
        return facts.parted[card] == 1
    if not facts.face_up[card]:
        return False
    return may_go_onto(state, facts, card, below, relations.joins[card])


@inlined
def await_card(facts: Facts, card: int) -> None:
    """Put a card on the stack of those that may part, once."""
    if facts.parted[card]:
        return
    facts.root[card] = facts.cause[0]
    if not facts.waits[card]:
        facts.waits[card] = 1
        facts.waiting[facts.depth[0]] = card
        facts.depth[0] += 1


@inlined
def mark_uncovered(rules: CompiledRules, facts: Facts, card: int) -> None:
    """Note that a card can be uncovered, and so turned; the cards that go onto it may part."""
    if facts.uncovered[card]:
        return
    facts.uncovered[card] = 1
    if not facts.face_up[card]:
        facts.face_up[card] = 1
        await_card(facts, card)
    for k in range(rules.sources.shape[1]):
        source = np.int64(rules.sources[card, k])
        if source < 0:
            break
        await_card(facts, source)


@inlined
def mark_empty(rules: CompiledRules, facts: Facts) -> None:
    """Note that a column can be empty; the cards that may lead a block there may part."""
    if not facts.empty[0]:
        facts.empty[0] = 1
        for k in range(rules.leaders.shape[0]):
            await_card(facts, np.int64(rules.leaders[k]))


@inlined
def free_target(
    relations: Relations, state: State, facts: Facts, card: int, column: int, place: int
) -> None:
    """Await a card that can go onto one of its own block, from ``place`` up, which came out."""
    for k in range(relations.targets.shape[1]):
        target = np.int64(relations.targets[card, k])
        if target < 0:
            break
        if state.column_of[target] == column and state.height_of[target] >= place:
            await_card(facts, card)


@inlined
def mark_parted(
    rules: CompiledRules, relations: Relations, state: State, facts: Facts, card: int
) -> None:
    """Note that a card can part from where it lies, and what that frees; changes ``facts``."""
    facts.parted[card] = 1
    if facts.root[card] == NO_ROOT:
        facts.root[card] = card
    facts.cause[0] = facts.root[card]
    column = np.int64(state.column_of[card])
    if column == IN_RESERVE:
        mark_uncovered(rules, facts, card)
        return
    place = np.int64(state.height_of[card])
    if place == 0:
        mark_empty(rules, facts)
        return
    mark_uncovered(rules, facts, card_at(state, column, place - 1))
    for below in range(np.int64(state.face_down[column]), place):
        free_target(relations, state, facts, card_at(state, column, below), column, place)


@inlined
def begin_facts(rules: CompiledRules, state: State, facts: Facts) -> None:
    """Fill ``facts`` with what holds in the position itself."""
    facts.uncovered[:] = 0
    facts.parted[:] = 0
    facts.face_up[:] = 0
    facts.removed[:] = 0
    facts.waits[:] = 0
    facts.empty[0] = 0
    facts.depth[0] = 0
    facts.cause[0] = NO_ROOT
    for column in range(rules.columns):
        for place in range(np.int64(state.face_down[column]), np.int64(state.height[column])):
            facts.face_up[card_at(state, column, place)] = 1
    for place in range(rules.reserve_cards):
        if state.reserve[place] != NO_CARD:
            card = np.int64(state.reserve[place])
            facts.face_up[card] = 1
            if rules.reserve != RESERVE_PLAY:
                facts.parted[card] = 1
                mark_uncovered(rules, facts, card)
    for column in range(rules.columns):
        height = np.int64(state.height[column])
        if height > 0:
            mark_uncovered(rules, facts, card_at(state, column, height - 1))
        else:
            mark_empty(rules, facts)


@inlined
def may_part(relations: Relations, state: State, facts: Facts, card: int) -> bool:
    """Say whether a face-up card can lead a block away from where it lies; changes nothing."""
    if relations.leads[card] and facts.empty[0]:
        return True
    return may_go_onto(state, facts, card, lies_on(state, card), relations.targets[card])


@internal
def follow(rules: CompiledRules, relations: Relations, state: State, facts: Facts) -> None:
    """Find all cards that can part by what is known, until the stack is empty."""
    while facts.depth[0] > 0:
        facts.depth[0] -= 1
        card = np.int64(facts.waiting[facts.depth[0]])
        facts.waits[card] = 0
        if facts.held[card] or not facts.face_up[card] or state.column_of[card] == OFF_TABLEAU:
            continue
        if may_part(relations, state, facts, card):
            mark_parted(rules, relations, state, facts, card)


@inlined
def may_take_rank(
    rules: CompiledRules, relations: Relations, state: State, facts: Facts, family: int, rank: int
) -> bool:
    """Say whether some card of a rank can be where a sequence of the family needs it; reads."""
    for k in range(relations.members.shape[2]):
        card = np.int64(relations.members[family, rank, k])
        if card < 0:
            return False
        if state.column_of[card] == OFF_TABLEAU or not facts.face_up[card]:
            continue
        if rank == 0 and not facts.uncovered[card]:
            continue
        if rank == rules.ranks - 1 or may_join(rules, relations, state, facts, card):
            return True
    return False


@inlined
def may_be_removed(
    rules: CompiledRules, relations: Relations, state: State, facts: Facts, family: int
) -> bool:
    """Say whether a complete sequence of a family can be made and removed; changes nothing."""
    for rank in range(rules.ranks):
        if not may_take_rank(rules, relations, state, facts, family, rank):
            return False
    return True


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
        changed = True
        for k in range(relations.members.shape[2]):
            king = np.int64(relations.members[family, rules.ranks - 1, k])
            if king < 0:
                break
            if state.column_of[king] != OFF_TABLEAU and not facts.parted[king]:
                facts.root[king] = facts.cause[0]
                mark_parted(rules, relations, state, facts, king)
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


@entry
def relax(
    rules: CompiledRules, relations: Relations, state: State, facts: Facts
) -> tuple[int, int]:
    """Compute the fixpoint; return (reason, card) of a loss, (NO_PROOF, 0) if it proves none.

    Cards of ``facts.held`` are not moved, so it speaks of lines without their moves. Changes
    ``facts`` only. A king in the reserve parts when it is dealt or played, so the bottom of a
    column is open to it.
    """
    begin_facts(rules, state, facts)
    follow(rules, relations, state, facts)
    if rules.sequences_stay == 0:
        while remove_families(rules, relations, state, facts):
            follow(rules, relations, state, facts)
    for card in range(rules.cards):
        if state.column_of[card] != OFF_TABLEAU:
            reason = unmet_need(rules, relations, state, facts, card)
            if reason != NO_PROOF:
                return reason, card
    return NO_PROOF, 0


@entry
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


@entry
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
