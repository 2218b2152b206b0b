"""How far each visible card is from moving: chains of cards that wait for each other.

A card parts from where it lies once a card that it builds on is uncovered; that one is uncovered
once the card on it parts, and so on. A chain ends at a card that can move now, at an empty column
that must come first, at a hidden card, or nowhere: then the cards wait for each other for ever.
The cost of the cheapest chain counts its moves, and far above them its empty columns and above
these its hidden cards, so that the cost alone tells how the chain ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.table import HIDDEN, IN_RESERVE, REMOVED, Table
from scorpion_env.engine.compile import inlined, internal
from scorpion_env.rules import CompiledRules
from scorpion_env.solver.relations import Relations

EMPTY_COLUMN, HIDDEN_CARD, NEVER = 1 << 8, 1 << 14, 1 << 20  # costs; one for a move
NOW, SOON, AFTER_EMPTY, AFTER_HIDDEN, NOT = range(5)  # ends of a chain
ENDS = 5


class Outlook(NamedTuple):
    """Costs of a table's cards; NEVER for those that are not seen in it."""

    part: npt.NDArray[np.int64]  # (cards,) until the card can move away
    waits_for: npt.NDArray[np.int64]  # (cards,) the hidden card its chain ends at, -1
    empty: npt.NDArray[np.int64]  # (1,) until a column is empty


def empty_outlook(cards: int) -> Outlook:
    """Return costs to be computed."""
    return Outlook(np.zeros(cards, np.int64), np.zeros(cards, np.int64), np.zeros(1, np.int64))


@inlined
def end_of(cost: int, now: int) -> int:
    """Return how a chain of this cost ends, ``now`` being the cost of one that need not wait."""
    if cost >= NEVER:
        return NOT
    if cost >= HIDDEN_CARD:
        return AFTER_HIDDEN
    if cost >= EMPTY_COLUMN:
        return AFTER_EMPTY
    return NOW if cost <= now else SOON


@inlined
def cost_of_uncovering(table: Table, outlook: Outlook, card: int) -> int:
    """Return the cost until nothing lies on a visible card of the tableau; changes nothing."""
    column = table.column[card]
    above = table.place[card] + 1
    if above == table.height[column]:
        return 0
    cover = table.cards[column, above]
    return HIDDEN_CARD + 1 if cover < 0 else outlook.part[cover]


@inlined
def cost_of_target(table: Table, outlook: Outlook, card: int, target: int) -> int:
    """Return the cost until ``target`` is uncovered outside ``card``'s block; changes nothing."""
    column = table.column[target]
    if column == HIDDEN:
        return HIDDEN_CARD
    if column == REMOVED:
        return NEVER
    if column == IN_RESERVE:
        return outlook.part[target]
    cost = cost_of_uncovering(table, outlook, target)
    if column == table.column[card] and table.place[target] > table.place[card]:
        apart = np.int64(NEVER)
        for place in range(table.place[card] + 1, table.place[target] + 1):
            between = table.cards[column, place]
            apart = min(apart, HIDDEN_CARD if between < 0 else outlook.part[between])
        cost = max(cost, apart)
    return cost


@inlined
def find_wait(table: Table, outlook: Outlook, target: int) -> int:
    """Return the hidden card that a chain by way of ``target`` ends at, -1; changes nothing."""
    if table.column[target] == HIDDEN:
        return target
    if table.column[target] < 0:
        return outlook.waits_for[target]
    above = table.place[target] + 1
    if above < table.height[table.column[target]]:
        cover = table.cards[table.column[target], above]
        return -1 if cover < 0 else outlook.waits_for[cover]
    return -1


@inlined
def try_to_part(
    rules: CompiledRules, relations: Relations, table: Table, outlook: Outlook, card: int
) -> bool:
    """Lower the cost of a visible card if a cheaper chain is known now; say if there was one."""
    column, place = table.column[card], table.place[card]
    below = table.cards[column, place - 1] if column >= 0 and place > 0 else -1
    best = outlook.part[card]
    before = best
    for k in range(relations.targets.shape[1]):
        target = np.int64(relations.targets[card, k])
        if target < 0:
            break
        if target == below:
            continue
        cost = cost_of_target(table, outlook, card, target) + 1
        if cost < best:
            best = cost
            # of several targets the first would be an arbitrary one
            if relations.targets.shape[1] == 1:
                outlook.waits_for[card] = find_wait(table, outlook, target)
    if relations.leads[card] and not (column >= 0 and place == 0):
        cost = outlook.empty[0] + 1
        if cost < best:
            best = cost
            outlook.waits_for[card] = -1
    outlook.part[card] = best
    return best < before


@inlined
def cost_of_emptying(table: Table, outlook: Outlook, column: int) -> int:
    """Return the cost until a column is empty; changes nothing."""
    height, down = table.height[column], table.down[column]
    if height == 0:
        return 0
    bottom = table.cards[column, down]
    cost = HIDDEN_CARD if bottom < 0 else outlook.part[bottom]
    return min(np.int64(NEVER), cost + EMPTY_COLUMN + down * HIDDEN_CARD)


@internal
def look_ahead(rules: CompiledRules, relations: Relations, table: Table, outlook: Outlook) -> None:
    """Compute the costs of all visible cards; changes ``outlook`` only."""
    outlook.part[:] = NEVER
    outlook.waits_for[:] = -1
    outlook.empty[0] = NEVER
    changed = True
    while changed:
        changed = False
        for column in range(rules.columns):
            for place in range(table.height[column] - 1, table.down[column] - 1, -1):
                card = table.cards[column, place]
                if card >= 0 and try_to_part(rules, relations, table, outlook, card):
                    changed = True
            cost = cost_of_emptying(table, outlook, column)
            if cost < outlook.empty[0]:
                outlook.empty[0] = cost
                changed = True
        for place in range(rules.reserve_cards):
            card = table.reserve[place]
            if card >= 0 and try_to_part(rules, relations, table, outlook, card):
                changed = True
