"""Persistent sets: a few of the legal moves, of which one wins if any move wins.

Theorem. One deck, same-suit building, kings alone in empty columns, no reserve left to deal, and a
game lost only when it is stuck. Let P be a set of legal moves that are not idle, and call possible
what the relaxation (`scorpion_env.solver.relaxation`) finds possible without the moves of P. Say
that a sequence may stand if it may be complete and uncovered without being removed: each of its
links is made or possible, its ace is uncovered or may be, and not so that the ace is uncovered now
and a link is missing. If

1. without the moves of P the relaxation proves the position lost;
2. for each card c that P moves onto its next-higher card d: d does not lead to c, where a card
   leads to the one that it lies on and, if that link is possible, to its next-higher card;
3. if P moves a king: no king outside P has a possible move to an empty column, off the bottom of
   its column or with a sequence that may stand;
4. where sequences are removed, none may stand whose king P moves, or whose king leads to a card
   that P moves, or, counting the link of c as made, to which a card c belongs that P moves;

then a move of P wins or none does.

Proof. Take a line that wins, without idle moves. By 1 some move of it is in P; let m be the first,
and S the moves before it, all of them possible. Make m first, then S, then the rest. (m is the same
move now: c goes onto d and nowhere else, nothing but c goes onto d, and empty columns are alike.)

The moves of S stay legal. What was uncovered still is, but for d. If m is a link, a move x onto y
of S fails only where y has come into x's own block: x is d or lies under it, y is c or lies above
it. Then d leads to x, x to y and y to c, for links that were made were possible; 2 excludes it. And
no empty column is taken. If m moves a king, blocks only get smaller, and by 3 no move of S needs an
empty column.

The same sequences are removed, or some sooner. One whose ace is uncovered when its last link is
made goes at once, in either order. Another stands when its ace is uncovered, and goes when its
block is moved or carried; by 4 its king is not moved by m and never lies above m's card, so the
same move takes it. That leaves c's own sequence where m was its last link and removed it. Its ace
was uncovered then; so it is now, for else it may stand with m counted as made; so in the new order
it goes with its last link. That is sooner, and frees what it lay on.

Sooner is never worse: take a sequence that stands out of a position, and a line that wins still
does, moves of that king left out. Blocks are smaller and nothing is covered that was not; whatever
sequence is removed was complete on top of the same column, or went before. Last, moves that have
become idle are left out, so the new line is never stuck; under the sheet's loss it might be.

How the set is found needs no proof. It grows from one move: what keeps a move of the set from being
made first goes back to some legal move, the root that the relaxation found it by, which joins the
set.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.compile import inlined, internal
from scorpion_env.engine.mask import reserve_waits
from scorpion_env.engine.state import IN_RESERVE, OFF_TABLEAU, State, card_at
from scorpion_env.rules import CompiledRules
from scorpion_env.solver.relations import Relations
from scorpion_env.solver.relaxation import NO_PROOF, Facts, lies_on, relax

_NOTHING, _NO_HELP = -1, -2
_SUCCESS = 1024  # what a move's record gains when the smallest set grew from it


class Choice(NamedTuple):
    """Memory for finding persistent sets. A move is known by its card."""

    legal: npt.NDArray[np.uint8]  # (cards,) 1 for moves that are not needless
    untried: npt.NDArray[np.uint8]  # (cards,) 1 for those that no set was grown from yet
    members: npt.NDArray[np.int16]  # (cards,) the set that is growing
    best: npt.NDArray[np.uint8]  # (cards,) 1 for moves of the smallest set so far
    record: npt.NDArray[np.int64]  # (cards,) how often the smallest set grew from each of late
    seen: npt.NDArray[np.uint8]  # (cards,) scratch
    stack: npt.NDArray[np.int16]  # (cards,) scratch


def new_choice(cards: int) -> Choice:
    """Return memory for one search."""
    return Choice(
        legal=np.zeros(cards, np.uint8),
        untried=np.zeros(cards, np.uint8),
        members=np.zeros(cards, np.int16),
        best=np.zeros(cards, np.uint8),
        record=np.zeros(cards, np.int64),
        seen=np.zeros(cards, np.uint8),
        stack=np.zeros(cards, np.int16),
    )


@inlined
def theorem_holds(rules: CompiledRules, relations: Relations, state: State) -> bool:
    """Say whether the theorem speaks of a position; changes nothing."""
    return relations.is_final == 1 and rules.sheet_loss == 0 and not reserve_waits(rules, state)


@inlined
def is_uncovered(state: State, card: int) -> bool:
    """Say whether a card lies on top of a column; changes nothing."""
    column = np.int64(state.column_of[card])
    return column >= 0 and state.height_of[card] == state.height[column] - 1


@inlined
def may_stand(rules: CompiledRules, state: State, facts: Facts, ace: int, made: int) -> bool:
    """Say whether an ace's sequence may stand, the link of ``made`` counted as made; reads."""
    if rules.sequences_stay == 1 or not facts.uncovered[ace]:
        return False
    missing = False
    for card in range(ace, ace + rules.ranks - 1):
        if lies_on(state, card) != card + 1:
            if card != made and not facts.parted[card]:
                return False
            missing = True
    return not (missing and is_uncovered(state, ace))


@inlined
def what_covers(state: State, card: int) -> int:
    """Return the card that lies on ``card``, ``_NO_HELP`` if none does; changes nothing."""
    if is_uncovered(state, card) or state.column_of[card] == IN_RESERVE:
        return _NO_HELP
    return card_at(state, np.int64(state.column_of[card]), np.int64(state.height_of[card]) + 1)


@inlined
def link_between(
    rules: CompiledRules, state: State, facts: Facts, choice: Choice, start: int, goal: int
) -> int:
    """Return a card whose link makes ``start`` lead to ``goal``, ``_NOTHING`` if it does not.

    Returns ``start`` where it lies above ``goal``. Changes the scratch of ``choice``.
    """
    seen, stack = choice.seen, choice.stack
    column, place = np.int64(state.column_of[goal]), np.int64(state.height_of[goal])
    if column < 0:
        return _NOTHING
    if state.column_of[start] == column and state.height_of[start] >= place:
        return start
    seen[:] = 0
    seen[start] = 1
    stack[0] = start
    left = 1
    while left > 0:
        left -= 1
        card = np.int64(stack[left])
        below = lies_on(state, card)
        if below >= 0 and not seen[below]:
            seen[below] = 1
            stack[left] = below
            left += 1
        if facts.parted[card] and rules.ids[card, 0] < rules.ranks - 1:
            higher = card + 1
            if state.column_of[higher] == column and state.height_of[higher] >= place:
                return card
            if not seen[higher]:
                seen[higher] = 1
                stack[left] = higher
                left += 1
    return _NOTHING


@internal
def hindrance(rules: CompiledRules, state: State, facts: Facts, choice: Choice, card: int) -> int:
    """Return a card whose possible move keeps ``card``'s move from being made first.

    Returns ``_NOTHING`` if 2 to 4 hold for it, ``_NO_HELP`` if no set with this move will do.
    """
    top_rank = rules.ranks - 1
    is_king = rules.ids[card, 0] == top_rank
    if not is_king:
        link = link_between(rules, state, facts, choice, card + 1, card)
        if link != _NOTHING:
            return link
        ace = card - np.int64(rules.ids[card, 0])
        if may_stand(rules, state, facts, ace, card):
            return what_covers(state, ace)
    for k in range(rules.leaders.shape[0]):
        king = np.int64(rules.leaders[k])
        if state.column_of[king] == OFF_TABLEAU:
            continue
        ace = king - top_rank
        stands = may_stand(rules, state, facts, ace, np.int64(_NOTHING))
        if is_king and facts.parted[king] and king != card and not facts.held[king]:
            on_bottom = state.column_of[king] >= 0 and state.height_of[king] == 0
            if stands or not on_bottom:
                return king
        if stands and link_between(rules, state, facts, choice, king, card) != _NOTHING:
            return what_covers(state, ace)
    return _NOTHING


@inlined
def first_hindrance(
    rules: CompiledRules, state: State, facts: Facts, choice: Choice, size: int
) -> int:
    """Return what keeps one of the growing set's moves from being made first; see `hindrance`."""
    for k in range(size):
        card = hindrance(rules, state, facts, choice, np.int64(choice.members[k]))
        if card != _NOTHING:
            return card
    return _NOTHING


@inlined
def look_at_hand(rules: CompiledRules, facts: Facts, choice: Choice) -> None:
    """Let ``facts`` hold no more than the legal moves outside the set: what they hinder is sure."""
    facts.uncovered[:] = 0
    for card in range(rules.cards):
        facts.parted[card] = choice.legal[card] and not facts.held[card]
        facts.root[card] = card


@internal
def grow(
    rules: CompiledRules,
    relations: Relations,
    state: State,
    facts: Facts,
    choice: Choice,
    start: int,
    limit: int,
) -> int:
    """Grow a persistent set from a move; return its size, ``limit`` if it has that many or fails.

    The set is ``facts.held`` and ``choice.members``.
    """
    facts.held[:] = 0
    facts.held[start] = 1
    choice.members[0] = start
    size = np.int64(1)  # a bare constant would be a type of its own
    while size < limit:
        look_at_hand(rules, facts, choice)
        card = first_hindrance(rules, state, facts, choice, size)
        if card == _NOTHING:
            reason, _ = relax(rules, relations, state, facts)
            if reason == NO_PROOF:
                return limit
            card = first_hindrance(rules, state, facts, choice, size)
        if card == _NOTHING:
            return size
        root = np.int64(facts.root[card]) if card >= 0 else np.int64(_NO_HELP)
        if root < 0 or facts.held[root] or not choice.legal[root]:
            return limit
        facts.held[root] = 1
        choice.members[size] = root
        size += 1
    return limit


@inlined
def next_start(rules: CompiledRules, choice: Choice) -> int:
    """Take the untried move with the best record; changes ``choice``."""
    start = np.int64(_NOTHING)
    for card in range(rules.cards):
        if choice.untried[card] and (start < 0 or choice.record[card] > choice.record[start]):
            start = card
    choice.untried[start] = 0
    return start


@internal
def keep_persistent(
    rules: CompiledRules,
    relations: Relations,
    state: State,
    facts: Facts,
    choice: Choice,
    mask: npt.NDArray[np.int8],
) -> None:
    """Leave in ``mask`` (actions,) the moves of a persistent set, as small a one as is found.

    The mask has no needless moves, so one action a card. Asked where `theorem_holds`.
    """
    moves = np.int64(0)
    choice.legal[:] = 0
    choice.untried[:] = 0
    for action in range(rules.deal_action):
        if mask[action]:
            choice.legal[action // rules.columns] = 1
            choice.untried[action // rules.columns] = 1
            moves += 1
    smallest, best_start = moves, np.int64(_NOTHING)
    for _ in range(moves):
        if smallest == 1:
            break
        start = next_start(rules, choice)
        size = grow(rules, relations, state, facts, choice, start, smallest)
        if size < smallest:
            smallest, best_start = size, start
            for card in range(rules.cards):
                choice.best[card] = facts.held[card]
    facts.held[:] = 0
    if best_start == _NOTHING:
        return
    for action in range(rules.deal_action):
        card = action // rules.columns
        if mask[action]:
            choice.record[card] -= choice.record[card] >> 4
            mask[action] = choice.best[card]
    choice.record[best_start] += _SUCCESS
