"""The positions a search has found: packed states, an order to look at them in, a table of keys."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.compile import inlined, internal
from scorpion_env.engine.state import (
    COUNTERS,
    DOWN,
    IN_RESERVE,
    NO_CARD,
    OFF_TABLEAU,
    SEQUENCES,
    State,
)
from scorpion_env.rules import CompiledRules, Rules

NOBODY = -1  # no node
FIRST_TABLE = 1024  # slots of the table that a search begins with

NODES, EXPANDED, PROVEN, LIMIT, CUT, SLOTS, LOWEST, WINNER, ATTEMPT, SPENT = range(10)
TREE_COUNTERS = 10


class Tree(NamedTuple):
    """A search tree of at most ``n`` positions, all memory given beforehand."""

    packed: npt.NDArray[np.uint8]  # (n, bytes) the position of each node, see `pack`
    keys: npt.NDArray[np.uint64]  # (n,)
    parent: npt.NDArray[np.int32]  # (n,)
    action: npt.NDArray[np.int16]  # (n,) the action that leads here from the parent
    following: npt.NDArray[np.int32]  # (n,) the next node of the same bucket
    buckets: npt.NDArray[np.int32]  # (buckets,) the newest open node of each priority
    table: npt.NDArray[np.uint64]  # (slots,) keys of all nodes; 0 is an empty slot
    counters: npt.NDArray[np.int64]  # (TREE_COUNTERS,)


def new_tree(rules: Rules, nodes: int, buckets: int) -> Tree:
    """Return an empty tree for at most ``nodes`` positions."""
    slots = FIRST_TABLE
    while slots < 2 * nodes:
        slots *= 2
    columns, layout = len(rules.layout.columns), rules.layout
    size = 2 * columns + layout.reserve_cards + layout.cards
    return Tree(
        packed=np.empty((nodes, size), np.uint8),
        keys=np.empty(nodes, np.uint64),
        parent=np.empty(nodes, np.int32),
        action=np.empty(nodes, np.int16),
        following=np.empty(nodes, np.int32),
        buckets=np.empty(buckets, np.int32),
        table=np.empty(slots, np.uint64),
        counters=np.zeros(TREE_COUNTERS, np.int64),
    )


@inlined
def clear_nodes(tree: Tree) -> None:
    """Forget all nodes; changes the table, the buckets and their counters."""
    tree.counters[NODES] = 0
    tree.counters[EXPANDED] = 0
    tree.counters[PROVEN] = 0
    tree.counters[CUT] = 0
    tree.counters[SLOTS] = FIRST_TABLE
    tree.counters[WINNER] = NOBODY
    tree.counters[LOWEST] = tree.buckets.shape[0]
    tree.table[:FIRST_TABLE] = 0
    tree.buckets[:] = NOBODY


@inlined
def put_key(tree: Tree, key: np.uint64) -> bool:
    """Put a key into the table; return whether it is new. The table has a free slot."""
    wrap = tree.counters[SLOTS] - 1
    slot = np.int64(key >> np.uint64(20)) & wrap
    while tree.table[slot] != 0:
        if tree.table[slot] == key:
            return False
        slot = (slot + 1) & wrap
    tree.table[slot] = key
    return True


@internal
def double_table(tree: Tree) -> None:
    """Give the table twice the slots and enter all nodes' keys again."""
    slots = 2 * tree.counters[SLOTS]
    tree.counters[SLOTS] = slots
    tree.table[:slots] = 0
    for node in range(tree.counters[NODES]):
        put_key(tree, tree.keys[node])


@inlined
def is_known(tree: Tree, key: np.uint64) -> bool:
    """Note a position's key; return whether it was known. A key of 0 counts as 1."""
    if 2 * tree.counters[NODES] >= tree.counters[SLOTS]:
        double_table(tree)
    return not put_key(tree, key)


@inlined
def pack(rules: CompiledRules, state: State, packed: npt.NDArray[np.uint8]) -> None:
    """Write a position into ``packed`` (bytes,): heights, face-down cards, reserve, columns."""
    at = 2 * rules.columns + rules.reserve_cards
    for column in range(rules.columns):
        height = np.int64(state.height[column])
        packed[column] = height
        packed[rules.columns + column] = state.face_down[column]
        for place in range(height):
            packed[at + place] = state.tableau[column, place]
        at += height
    for place in range(rules.reserve_cards):
        packed[2 * rules.columns + place] = state.reserve[place]


@inlined
def unpack(rules: CompiledRules, packed: npt.NDArray[np.uint8], state: State) -> None:
    """Lay out a packed position; changes all of the game's row but the order of removed cards.

    The score and the moves are left at 0.
    """
    for counter in range(COUNTERS):
        state.counters[counter] = 0
    state.column_of[:] = OFF_TABLEAU
    at = 2 * rules.columns + rules.reserve_cards
    first = at
    for column in range(rules.columns):
        height = np.int64(packed[column])
        down = np.int64(packed[rules.columns + column])
        state.height[column] = height
        state.face_down[column] = down
        state.counters[DOWN] += down
        for place in range(height):
            card = np.int64(packed[at + place])
            state.tableau[column, place] = card
            state.column_of[card] = column
            state.height_of[card] = place
        at += height
    left = at - first
    for place in range(rules.reserve_cards):
        card = np.int64(packed[2 * rules.columns + place])
        state.reserve[place] = card
        if card != NO_CARD:
            state.column_of[card] = IN_RESERVE
            state.height_of[card] = place
            left += 1
    if rules.sequences_stay == 0:
        state.counters[SEQUENCES] = (rules.cards - left) // rules.ranks


@inlined
def push(tree: Tree, node: int, priority: int) -> None:
    """Open a node; the newest node of the lowest priority is taken first."""
    bucket = min(max(priority, 0), tree.buckets.shape[0] - 1)
    tree.following[node] = tree.buckets[bucket]
    tree.buckets[bucket] = node
    tree.counters[LOWEST] = min(tree.counters[LOWEST], bucket)


@inlined
def pop(tree: Tree) -> int:
    """Take the node to look at next; return NOBODY if none is open."""
    bucket = tree.counters[LOWEST]
    while bucket < tree.buckets.shape[0] and tree.buckets[bucket] == NOBODY:
        bucket += 1
    tree.counters[LOWEST] = bucket
    if bucket == tree.buckets.shape[0]:
        return NOBODY
    node = np.int64(tree.buckets[bucket])
    tree.buckets[bucket] = tree.following[node]
    return node
