"""One game as a player sees it, and what a move shows of it before any card is turned.

A card that a move turns, or that the deal of the reserve lays down, is there but unknown. Nothing
in a table tells where a hidden card lies, so what is computed from tables cannot depend on it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.compile import inlined, internal
from scorpion_env.engine.state import NO_CARD, OFF_TABLEAU, State, continues_sequence
from scorpion_env.rules import RESERVE_PLAY, CompiledRules, Rules
from scorpion_env.solver.relations import Relations

UNKNOWN = -1  # in `Table.cards` and `Table.reserve`: a card that is not seen
IN_RESERVE, REMOVED, HIDDEN = -1, -2, -3  # values of `Table.column` beside the column numbers
GONE = -2  # in `Table.reserve`: no card

TURNED, EMPTIED, COMPLETED, MOVED = range(4)
EFFECTS = 4


class Table(NamedTuple):
    """One game as its player sees it; one Numba type whatever the rules."""

    cards: npt.NDArray[np.int64]  # (columns, cards) bottom to top, UNKNOWN where not seen
    height: npt.NDArray[np.int64]  # (columns,)
    down: npt.NDArray[np.int64]  # (columns,) face-down cards
    column: npt.NDArray[np.int64]  # (cards,) column, IN_RESERVE (and seen), REMOVED or HIDDEN
    place: npt.NDArray[np.int64]  # (cards,) from the bottom, or place in the reserve
    reserve: npt.NDArray[np.int64]  # (reserve cards,) card, UNKNOWN or GONE
    effects: npt.NDArray[np.int64]  # (EFFECTS,) of the last move: cards turned ... cards moved


def empty_table(rules: Rules) -> Table:
    """Return a table to be filled."""
    cards, columns = rules.layout.cards, len(rules.layout.columns)
    return Table(
        cards=np.full((columns, cards), UNKNOWN, np.int64),
        height=np.zeros(columns, np.int64),
        down=np.zeros(columns, np.int64),
        column=np.full(cards, HIDDEN, np.int64),
        place=np.zeros(cards, np.int64),
        reserve=np.full(rules.layout.reserve_cards, GONE, np.int64),
        effects=np.zeros(EFFECTS, np.int64),
    )


@inlined
def place_card(table: Table, card: int, column: int, place: int) -> None:
    """Note where a card lies, UNKNOWN included; changes no height."""
    table.cards[column, place] = card
    if card >= 0:
        table.column[card] = column
        table.place[card] = place


@inlined
def mark_removed(rules: CompiledRules, relations: Relations, table: Table, family: int) -> None:
    """Note that a sequence of a family is removed: of each rank the first card that is not seen.

    Twins, and under alternating colours the two cards of a colour, cannot be told apart unseen.
    """
    for rank in range(rules.ranks):
        for card in range(rank, rules.cards, rules.ranks):
            if relations.family[card] == family and table.column[card] == HIDDEN:
                table.column[card] = REMOVED
                break


@internal
def read_state(rules: CompiledRules, relations: Relations, state: State, table: Table) -> None:
    """Fill ``table`` with what the player sees of a game's row."""
    table.column[:] = HIDDEN
    for column in range(rules.columns):
        table.height[column] = state.height[column]
        table.down[column] = state.face_down[column]
        for place in range(table.height[column]):
            known = place >= table.down[column]
            card = np.int64(state.tableau[column, place]) if known else UNKNOWN
            place_card(table, card, column, place)
    for place in range(rules.reserve_cards):
        card = np.int64(state.reserve[place])
        table.reserve[place] = GONE if card == NO_CARD else UNKNOWN
        if card != NO_CARD and rules.reserve == RESERVE_PLAY:
            take_in_reserve(table, card, place)
    if rules.sequences_stay == 0:
        for king in range(rules.ranks - 1, rules.cards, rules.ranks):
            if state.column_of[king] == OFF_TABLEAU:
                mark_removed(rules, relations, table, relations.family[king])


@inlined
def take_in_reserve(table: Table, card: int, place: int) -> None:
    """Note a card that lies in the reserve and is seen."""
    table.reserve[place] = card
    table.column[card] = IN_RESERVE
    table.place[card] = place


@internal
def read_seen(
    rules: CompiledRules,
    relations: Relations,
    tableau: npt.NDArray[np.uint8],
    reserve: npt.NDArray[np.uint8],
    completed: npt.NDArray[np.uint8],
    table: Table,
) -> None:
    """Fill ``table`` from one game's observation, see `scorpion_env.observation.Tensors`."""
    table.column[:] = HIDDEN
    for column in range(rules.columns):
        table.height[column] = 0
        table.down[column] = 0
        for place in range(rules.cards):
            seen = np.int64(tableau[column, place])
            if seen == 0:
                break
            table.height[column] = place + 1
            if seen > rules.cards:
                table.down[column] = place + 1
            place_card(table, UNKNOWN if seen > rules.cards else seen - 1, column, place)
    for place in range(rules.reserve_cards):
        seen = np.int64(reserve[place])
        table.reserve[place] = GONE if seen == 0 else UNKNOWN
        if 0 < seen <= rules.cards:
            take_in_reserve(table, seen - 1, place)
    for sequence in range(rules.sequences):
        if completed[sequence] and rules.sequences_stay == 0:
            king = sequence * rules.ranks + rules.ranks - 1
            mark_removed(rules, relations, table, relations.family[king])


@inlined
def copy_table(rules: CompiledRules, source: Table, target: Table) -> None:
    """Make ``target`` equal to ``source``, but for the effects of the last move."""
    for column in range(rules.columns):
        target.height[column] = source.height[column]
        target.down[column] = source.down[column]
        for place in range(source.height[column]):
            target.cards[column, place] = source.cards[column, place]
    for card in range(rules.cards):
        target.column[card] = source.column[card]
        target.place[card] = source.place[card]
    for place in range(rules.reserve_cards):
        target.reserve[place] = source.reserve[place]


@inlined
def turn_top(table: Table, column: int) -> None:
    """Turn ``column``'s top card if it is face-down; who it is stays unknown."""
    height = table.height[column]
    if height > 0 and table.down[column] == height:
        table.down[column] = height - 1
        table.effects[TURNED] += 1


@inlined
def ends_in_sequence(rules: CompiledRules, table: Table, column: int) -> bool:
    """Say whether a face-up king-to-ace sequence lies on top of ``column``; changes nothing."""
    height = table.height[column]
    if height - table.down[column] < rules.ranks:
        return False
    suit = np.int64(0)
    for rank in range(rules.ranks):
        card = table.cards[column, height - 1 - rank]
        if card < 0 or rules.ids[card, 0] != rank:
            return False
        if rank == 0:
            suit = np.int64(rules.ids[card, 1])
        if not continues_sequence(rules, suit, rules.ids[card, 1], rank):
            return False
    return True


@inlined
def complete(rules: CompiledRules, table: Table, column: int) -> None:
    """Note, and remove where sequences are removed, a sequence on top of ``column``."""
    if not ends_in_sequence(rules, table, column):
        return
    table.effects[COMPLETED] += 1
    if rules.sequences_stay:
        return
    start = table.height[column] - rules.ranks
    for place in range(start, table.height[column]):
        table.column[table.cards[column, place]] = REMOVED
    table.height[column] = start
    turn_top(table, column)


@inlined
def move_cards(table: Table, source: int, start: int, target: int) -> None:
    """Move the cards of ``source`` from place ``start`` up onto ``target``, in their order."""
    for place in range(start, table.height[source]):
        place_card(table, table.cards[source, place], target, table.height[target])
        table.height[target] += 1
        table.effects[MOVED] += 1
    table.height[source] = start


@internal
def play(rules: CompiledRules, table: Table, action: int) -> None:
    """Play a legal action, undo excepted; turned and dealt cards stay unknown.

    Changes ``table``.
    """
    table.effects[:] = 0
    if action == rules.deal_action:
        for place in range(rules.reserve_columns.shape[0]):
            column = np.int64(rules.reserve_columns[place])
            place_card(table, UNKNOWN, column, table.height[column])
            table.height[column] += 1
            table.reserve[place] = GONE
        return
    card, target = action // rules.columns, action % rules.columns
    source = table.column[card]
    if source == IN_RESERVE:
        table.reserve[table.place[card]] = GONE
        place_card(table, card, target, table.height[target])
        table.height[target] += 1
        table.effects[MOVED] = 1
    else:
        move_cards(table, source, table.place[card], target)
        table.effects[EMPTIED] = table.height[source] == 0
        turn_top(table, source)
    complete(rules, table, target)
