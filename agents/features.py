"""How the numbers that the network is told of a table, and of the move to it, are computed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.inputs import MOVE_INPUTS, Inputs
from agents.outlook import (
    AFTER_HIDDEN,
    EMPTY_COLUMN,
    HIDDEN_CARD,
    NEVER,
    NOT,
    Outlook,
    cost_of_emptying,
    cost_of_target,
    cost_of_uncovering,
    end_of,
    look_ahead,
)
from agents.table import (
    COMPLETED,
    EMPTIED,
    GONE,
    HIDDEN,
    IN_RESERVE,
    MOVED,
    REMOVED,
    TURNED,
    UNKNOWN,
    Table,
)
from scorpion_env.engine.compile import inlined, internal
from scorpion_env.rules import CompiledRules
from scorpion_env.solver.relations import Relations


@inlined
def receives(rules: CompiledRules, table: Table, column: int) -> bool:
    """Say whether a card of the waiting reserve will fall on a column; changes nothing."""
    for place in range(rules.reserve_columns.shape[0]):
        if rules.reserve_columns[place] == column:
            return table.reserve[place] != GONE
    return False


@inlined
def is_next_higher(relations: Relations, card: int, other: int) -> bool:
    """Say whether ``card`` may lie on ``other`` in a sequence; changes nothing."""
    for k in range(relations.next_higher.shape[1]):
        if relations.next_higher[card, k] == other:
            return other >= 0
    return False


@inlined
def moves_in(cost: int) -> float:
    """Return the moves that a cost holds, scaled; those of no way are 0."""
    return 0.0 if cost >= NEVER else min(12, cost % EMPTY_COLUMN) * 0.125


@inlined
def hidden_in(cost: int) -> float:
    """Return the hidden cards that a cost holds, scaled."""
    return 0.0 if cost >= NEVER else min(6, cost // HIDDEN_CARD) * 0.25


@inlined
def write_lower(
    rules: CompiledRules,
    table: Table,
    outlook: Outlook,
    card: int,
    out: npt.NDArray[np.float32],
    at: int,
) -> None:
    """Write into ``out`` from ``at`` on if what a card takes is hidden, or can part now."""
    for k in range(rules.sources.shape[1]):
        lower = np.int64(rules.sources[card, k])
        if lower < 0:
            break
        if table.column[lower] == HIDDEN:
            out[at] = 1
        elif outlook.part[lower] <= 1:
            out[at + 1] = 1


@inlined
def find_home(
    rules: CompiledRules,
    relations: Relations,
    table: Table,
    outlook: Outlook,
    card: int,
    below: int,
) -> int:
    """Return the next-higher card that a card lies on or gets onto first; -1 for a king.

    Among equals the place decides, not the suit.
    """
    home = np.int64(-1)
    best = np.int64(1) << 60
    for k in range(relations.next_higher.shape[1]):
        higher = np.int64(relations.next_higher[card, k])
        if higher < 0:
            break
        if higher == below:
            return higher
        column = table.column[higher]
        cost = cost_of_target(table, outlook, card, higher)
        if column == REMOVED:
            cost = 2 * np.int64(NEVER)
        cost = (cost * 32 + max(column, 0)) * rules.cards + table.place[higher] * (column >= 0)
        if cost < best:
            best = cost
            home = higher
    return home


@inlined
def write_home(table: Table, card: int, home: int, out: npt.NDArray[np.float32], at: int) -> None:
    """Write where a card's next-higher card lies into ``out`` from ``at`` on."""
    column = table.column[home]
    if column == HIDDEN:
        out[at] = 1
    elif column >= 0 and column == table.column[card]:
        out[at + (1 if table.place[home] < table.place[card] else 2)] = 1
    elif column >= 0 and table.place[home] == table.height[column] - 1:
        out[at + 3] = 1


@inlined
def write_card(
    rules: CompiledRules, relations: Relations, table: Table, inputs: Inputs, card: int
) -> None:
    """Write what is told of a seen card that is not removed, and who its neighbours are."""
    out, outlook, neighbours = inputs.cards[card], inputs.outlook, inputs.neighbours[card]
    column, place = table.column[card], table.place[card]
    below, cover = np.int64(UNKNOWN), np.int64(UNKNOWN)
    uncover = np.int64(0)
    if column == IN_RESERVE:
        out[2] = 1
    else:
        above = table.height[column] - 1 - place
        down = table.down[column]
        below = table.cards[column, place - 1] if place > 0 else below
        cover = table.cards[column, place + 1] if above > 0 else cover
        out[3] = above == 0
        out[4] = place == 0
        out[5] = 0 < place == down
        out[6] = place > down and below < 0
        out[10] = above > 0 and cover < 0
        out[29] = min(above, 12) * 0.125
        out[31] = down * 0.33
        out[32] = receives(rules, table, column)
        uncover = cost_of_uncovering(table, outlook, card)
    if below >= 0 and is_next_higher(relations, card, below):
        out[7] = 1
    if cover >= 0:
        out[8] = is_next_higher(relations, cover, card)
        out[9] = rules.ids[cover, 0] == rules.ranks - 1
    part = outlook.part[card]
    out[11 + end_of(part, 1)] = 1
    out[16] = moves_in(part)
    out[17] = 0.0 if part >= NEVER else min(4, part % HIDDEN_CARD // EMPTY_COLUMN) * 0.5
    out[18] = hidden_in(part)
    out[19 + end_of(uncover, 0)] = 1
    out[24] = moves_in(uncover)
    out[35] = relations.leads[card]
    write_lower(rules, table, outlook, card, out, 36)
    home = find_home(rules, relations, table, outlook, card, below)
    if home >= 0:
        write_home(table, card, home, out, 25)
    neighbours[0] = home
    neighbours[1] = cover
    neighbours[2] = below


@inlined
def count_wait(table: Table, inputs: Inputs, card: int, joined: bool, turns: bool) -> None:
    """Count a chain that ends at a hidden card, with that card; changes ``inputs.cards``."""
    outlook = inputs.outlook
    if joined or end_of(outlook.part[card], 1) != AFTER_HIDDEN:
        return
    hidden = outlook.waits_for[card]
    if hidden >= 0:
        inputs.cards[hidden, 33] += 0.25
        if turns:
            inputs.cards[hidden, 34] += 0.5


@inlined
def write_top(
    rules: CompiledRules,
    relations: Relations,
    table: Table,
    inputs: Inputs,
    top: int,
    out: npt.NDArray[np.float32],
) -> None:
    """Write what is told of the cards that a column's seen top card can take."""
    out[20] = rules.ids[top, 0] == 0
    write_lower(rules, table, inputs.outlook, top, out, 21)


@inlined
def write_column(
    rules: CompiledRules, relations: Relations, table: Table, inputs: Inputs, column: int
) -> int:
    """Write what is told of a column, and of its cards the blocks on them; return the joined."""
    out, outlook = inputs.columns[column], inputs.outlook
    height, down = table.height[column], table.down[column]
    out[18] = receives(rules, table, column)
    if height == 0:
        out[0] = 1
        return 0
    out[1] = min(height, 24) * 0.08
    out[2] = down * 0.33
    out[3] = down > 0
    if down > 0:
        first = table.cards[column, down]
        cost = HIDDEN_CARD + 1 if first < 0 else outlook.part[first]
        out[4 + end_of(cost, 1)] = 1
        out[9] = moves_in(cost)
        out[10] = hidden_in(cost)
    out[11 + end_of(cost_of_emptying(table, outlook, column), EMPTY_COLUMN + 1)] = 1
    blocks, joined, run = 0, 0, 0
    for place in range(height - 1, down - 1, -1):
        card = table.cards[column, place]
        is_joined = False
        if card >= 0:
            inputs.cards[card, 30] = min(blocks, 8) * 0.25
            is_joined = inputs.cards[card, 7] > 0
            count_wait(table, inputs, card, is_joined, 0 < place == down)
        if is_joined:
            joined += 1
            run += blocks == 0
        else:
            blocks += 1
    out[16] = min(blocks, 12) * 0.2
    out[23] = min(run, 12) * 0.15
    top = table.cards[column, height - 1]
    if top < 0:
        out[17] = 1
    else:
        write_top(rules, relations, table, inputs, top, out)
    bottom = table.cards[column, 0]
    if bottom >= 0 and rules.ids[bottom, 0] == rules.ranks - 1:
        out[19] = 1
        place = 1
        while place < height and is_joined_at(inputs, table, column, place):
            place += 1
        out[24] = place * 0.1
    return joined


@inlined
def is_joined_at(inputs: Inputs, table: Table, column: int, place: int) -> bool:
    """Say whether the card at a place lies on its next-higher card; changes nothing."""
    card = table.cards[column, place]
    return card >= 0 and inputs.cards[card, 7] > 0


@internal
def write_table(rules: CompiledRules, relations: Relations, table: Table, inputs: Inputs) -> None:
    """Write what the network is told of a table, the move that led to it left out."""
    look_ahead(rules, relations, table, inputs.outlook)
    inputs.cards[:] = 0
    inputs.columns[:] = 0
    inputs.table[:] = 0
    inputs.neighbours[:] = -1
    out, part = inputs.table, inputs.outlook.part
    hidden, removed = 0, 0
    for card in range(rules.cards):
        if table.column[card] == HIDDEN:
            inputs.cards[card, 0] = 1
            hidden += 1
        elif table.column[card] == REMOVED:
            inputs.cards[card, 1] = 1
            removed += 1
        else:
            write_card(rules, relations, table, inputs, card)
            apart = inputs.cards[card, 7] == 0 and rules.ids[card, 0] < rules.ranks - 1
            out[6] += 0.2 * (apart and part[card] <= 1)
            out[7] += 0.25 * (relations.leads[card] and part[card] <= 1)
            out[14] += 0.25 * (apart and end_of(part[card], 1) == NOT)
    down, joined = 0, 0
    for column in range(rules.columns):
        down += table.down[column]
        joined += write_column(rules, relations, table, inputs, column)
        out[4] += 0.5 * (table.height[column] == 0)
        out[13] += 0.5 * inputs.columns[column, 17]
    out[0] = down / rules.cards * 4
    out[1] = hidden / rules.cards * 4
    for place in range(rules.reserve_columns.shape[0]):
        out[2] = table.reserve[place] != GONE
    out[3] = removed / rules.cards
    out[5] = joined / rules.cards
    out[8 + end_of(inputs.outlook.empty[0], 0)] = 1


@internal
def write_move(
    rules: CompiledRules,
    relations: Relations,
    before: Table,
    after: Table,
    action: int,
    out: npt.NDArray[np.float32],
) -> None:
    """Write what is told of the move that led from ``before`` to ``after`` into ``out``."""
    at = MOVE_INPUTS
    out[at + 1] = after.effects[TURNED] * 0.5
    out[at + 2] = after.effects[EMPTIED]
    out[at + 3] = after.effects[COMPLETED]
    out[at + 9] = min(after.effects[MOVED], 13) * 0.1
    if action == rules.deal_action:
        out[at] = 1
        return
    card, target = action // rules.columns, action % rules.columns
    source, place = before.column[card], before.place[card]
    height = before.height[target]
    rank = rules.ids[card, 0]
    out[at + 4] = height == 0
    if height > 0:
        out[at + 5] = is_next_higher(relations, card, before.cards[target, height - 1])
    out[at + 8] = rank == rules.ranks - 1
    out[at + 10] = rank / rules.ranks
    out[at + 12] = before.down[target] * 0.33
    out[at + 13] = receives(rules, before, target)
    if source < 0:
        out[at + 15] = 1
        return
    if place > 0:
        out[at + 6] = is_next_higher(relations, card, before.cards[source, place - 1])
    # a king may well leave a column before the reserve falls on it
    escapes = receives(rules, before, source) and not receives(rules, before, target)
    is_idle = place == 0 and height == 0 and after.effects[COMPLETED] == 0
    out[at + 7] = is_idle and not escapes
    out[at + 11] = after.down[source] * 0.33
    out[at + 14] = receives(rules, before, source)
