"""The agent that takes what looks best one move ahead, from what a player sees.

It asks of each move what the table looks like afterwards: how far the face-down cards are from
being turned, and how many cards are ready to move. Its order of preference:

1. a move that turns a face-down card, builds a longer run or takes a block off other cards to an
   empty column, the best table first;
2. dealing the reserve;
3. any other move, such as one that only swaps one place to build on for another (these can go
   round in circles);
4. an idle move;
5. taking a move back.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.base import Actions, Agent, Mask
from scorpion_env.engine.compile import entry, internal
from scorpion_env.engine.state import State
from scorpion_env.rules import Rules
from scorpion_env.variants import find_rules

# What a table is worth. Win rates hardly change when these do; their order is what counts.
_TURNED, _DIGGING, _READY, _JOINED = 100, 10, 2, 2
_FAR, _NEVER = 4, 20  # costs of a move that needs an unseen card or an empty column; of no move
_DEAL, _RESTLESS, _IDLE, _UNDO = -(10**5), -2 * 10**5, -3 * 10**5, -4 * 10**5
_OTHER_SUIT, _SAME_SUIT = 1, 2


class Pack(NamedTuple):
    """What the agent needs of the rules."""

    columns: int
    deal_action: int
    targets: npt.NDArray[np.int64]  # (cards, k) cards that each card may be built on, -1 after
    leads: npt.NDArray[np.bool_]  # (cards,) may lead a block to an empty column
    suits: npt.NDArray[np.int64]  # (cards,)


class Table(NamedTuple):
    """One game as the player sees it; every visible card knows its place."""

    cards: npt.NDArray[np.int64]  # (columns, cards) bottom to top, -1 face-down and above the top
    height: npt.NDArray[np.int64]  # (columns,)
    down: npt.NDArray[np.int64]  # (columns,) face-down cards
    column: npt.NDArray[np.int64]  # (cards,) -1 where the card is not seen in a column
    place: npt.NDArray[np.int64]  # (cards,) from the bottom
    cost: npt.NDArray[np.int64]  # (cards,) moves needed before the card can move, see weigh_moves


class GreedyAgent(Agent):
    """Looks one move ahead and sees no hidden card.

    Parameters
    ----------
    rules : str or Rules
        What is played.
    """

    name = "greedy"

    def __init__(self, rules: str | Rules) -> None:
        super().__init__()
        played = find_rules(rules)
        self._pack = pack_of(played)
        self._table = empty_table(self._pack)

    def act(self, observation: Any, mask: Mask) -> Actions:
        """Return the action (N,) that looks best in each game."""
        actions = np.zeros(len(mask), np.int64)
        choose_actions(
            self._pack, self._table, observation["tableau"], mask.astype(np.int8), actions
        )
        return actions


def pack_of(rules: Rules) -> Pack:
    """Return what the agent needs of the rules."""
    compiled = rules.compiled
    lists = [
        np.flatnonzero((compiled.sources == card).any(axis=1)) for card in range(compiled.cards)
    ]
    targets = np.full((compiled.cards, max(map(len, lists))), -1, np.int64)
    for card, found in enumerate(lists):
        targets[card, : len(found)] = found
    leads = np.zeros(compiled.cards, np.bool_)
    leads[compiled.leaders] = True
    suits = compiled.ids[:, 1].astype(np.int64)
    return Pack(compiled.columns, compiled.deal_action, targets, leads, suits)


def empty_table(pack: Pack) -> Table:
    """Return memory for one game as the player sees it."""
    cards = len(pack.suits)
    return Table(
        cards=np.full((pack.columns, cards), -1, np.int64),
        height=np.zeros(pack.columns, np.int64),
        down=np.zeros(pack.columns, np.int64),
        column=np.full(cards, -1, np.int64),
        place=np.zeros(cards, np.int64),
        cost=np.zeros(cards, np.int64),
    )


@internal
def read_table(table: Table, tableau: npt.NDArray[np.uint8]) -> None:
    """Fill ``table`` from the observed tableau (columns, cards) of one game."""
    hidden = tableau.shape[1] + 1
    table.cards[:] = -1
    table.height[:] = 0
    table.down[:] = 0
    table.column[:] = -1
    for column in range(tableau.shape[0]):
        for place in range(tableau.shape[1]):
            seen = np.int64(tableau[column, place])
            if seen == 0:
                break
            table.height[column] += 1
            if seen == hidden:
                table.down[column] += 1
            else:
                put_card(table, seen - 1, column, place)


@internal
def read_state(pack: Pack, table: Table, state: State) -> None:
    """Fill ``table`` with what the player sees of a game's row."""
    table.cards[:] = -1
    table.column[:] = -1
    for column in range(pack.columns):
        table.height[column] = state.height[column]
        table.down[column] = state.face_down[column]
        for place in range(table.down[column], table.height[column]):
            put_card(table, np.int64(state.tableau[column, place]), column, place)


@internal
def put_card(table: Table, card: np.int64, column: int, place: int) -> None:
    """Put a card where it is to lie; changes its column and its place but no height."""
    table.cards[column, place] = card
    table.column[card] = column
    table.place[card] = place


@internal
def shift_block(table: Table, source: int, start: int, target: int) -> None:
    """Move the cards of ``source`` from place ``start`` up onto ``target``."""
    for place in range(start, table.height[source]):
        put_card(table, table.cards[source, place], target, table.height[target])
        table.height[target] += 1
    table.height[source] = start


@internal
def weigh_moves(pack: Pack, table: Table) -> None:
    """Write into ``table.cost`` how many moves must come before each visible card can move.

    A card can move once a card that it builds on is uncovered, for which that card's cover must
    move first, and so on: costs fall until none changes. Cards that wait for each other keep
    ``_NEVER``.
    """
    empty = False
    for column in range(pack.columns):
        empty |= table.height[column] == 0
    table.cost[:] = _NEVER
    changed = True
    while changed:
        changed = False
        for card in range(len(table.cost)):
            if table.column[card] < 0:
                continue
            cost = table.cost[card]
            if pack.leads[card]:
                cost = min(cost, 0 if empty else _FAR)
            for k in range(pack.targets.shape[1]):
                if pack.targets[card, k] >= 0:
                    cost = min(cost, cost_of_reaching(table, card, pack.targets[card, k]))
            if cost < table.cost[card]:
                table.cost[card] = cost
                changed = True


@internal
def cost_of_reaching(table: Table, card: int, target: int) -> int:
    """Return the moves that must come before ``card`` can be built on ``target``."""
    column = table.column[target]
    if column < 0:
        return _FAR
    above = table.place[target] + 1
    if above < table.height[column]:
        cost: int = table.cost[table.cards[column, above]] + 1
        return cost
    return _NEVER if column == table.column[card] else 0


@internal
def value_of_table(pack: Pack, table: Table) -> int:
    """Return what a table is worth: face-down cards near to turning, cards ready to move."""
    weigh_moves(pack, table)
    value = 0
    for column in range(pack.columns):
        down = table.down[column]
        if 0 < down < table.height[column]:
            value -= _DIGGING * table.cost[table.cards[column, down]]
    for card in range(len(table.cost)):
        if table.column[card] >= 0 and table.cost[card] == 0 and not pack.leads[card]:
            value += _READY
    return value


@internal
def fit(pack: Pack, card: int, under: int) -> int:
    """Return how well ``card`` lies on ``under``: 0 unless it builds on it, more for its suit."""
    for k in range(pack.targets.shape[1]):
        if pack.targets[card, k] == under:
            return _SAME_SUIT if pack.suits[card] == pack.suits[under] else _OTHER_SUIT
    return 0


@internal
def value_of_move(pack: Pack, table: Table, card: int, target: int) -> int:
    """Return what moving ``card``'s block onto ``target`` is worth; leaves the table as it was."""
    height = table.height[target]
    after: int = fit(pack, card, table.cards[target, height - 1]) if height > 0 else 0
    source = table.column[card]
    if source < 0 or source == target:
        # a reserve card; or no move at all, where a game that is over allows every action
        return _JOINED * after
    start = table.place[card]
    if height == 0 and start == 0:
        return _IDLE
    turns = 0 < start == table.down[source]
    before = 0
    if start > table.down[source]:
        before = fit(pack, card, table.cards[source, start - 1])
    value = _JOINED * (after - before)
    if turns:
        value += _TURNED
    elif after < before or 0 < after == before:
        value += _RESTLESS
    shift_block(table, source, start, target)
    value += value_of_table(pack, table)
    shift_block(table, target, height, source)
    return value


@internal
def best_action(pack: Pack, table: Table, mask: npt.NDArray[np.int8]) -> int:
    """Return the legal action (of a mask (actions,)) that looks best; ``table`` stays as it is."""
    best, chosen = 2 * _UNDO, np.int64(-1)
    for action in range(mask.shape[0]):
        if not mask[action]:
            continue
        if action < pack.deal_action:
            card, target = action // pack.columns, action % pack.columns
            value = value_of_move(pack, table, card, target)
        else:
            value = _DEAL if action == pack.deal_action else _UNDO
        if value > best:
            best, chosen = value, np.int64(action)
    return chosen


@entry
def choose_actions(
    pack: Pack,
    table: Table,
    tableaus: npt.NDArray[np.uint8],
    mask: npt.NDArray[np.int8],
    actions: npt.NDArray[np.int64],
) -> None:
    """Write the best legal action of each game into ``actions`` (N,); ``table`` is scratch."""
    for game in range(mask.shape[0]):
        read_table(table, tableaus[game])
        actions[game] = best_action(pack, table, mask[game])
