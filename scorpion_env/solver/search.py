"""The search: a tree of positions, each looked at once, with the engine's own moves.

Positions that the relaxation proves lost are left out (`scorpion_env.solver.relaxation`). Two more
things are left out, each without loss:

Equal empty columns. While no reserve is to be dealt on them, empty columns are alike, so one target
stands for all; so are, before the deal, those that no reserve card falls on. An idle move between
alike columns changes nothing. Holds for every rule set.

Moves outside a persistent set. See `scorpion_env.solver.persistent`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.compile import entry, inlined, internal
from scorpion_env.engine.moves import apply, undo
from scorpion_env.engine.outcome import is_won, settle
from scorpion_env.engine.state import PLAYING, UNDOABLE, State, empty_state, row_of, top_sequence
from scorpion_env.rules import CompiledRules, Rules
from scorpion_env.solver.estimate import ATTEMPTS, estimate
from scorpion_env.solver.keys import column_key, label_of, reserve_key, write_keys
from scorpion_env.solver.persistent import Choice, keep_persistent, new_choice, theorem_holds
from scorpion_env.solver.relations import Relations
from scorpion_env.solver.relaxation import NO_PROOF, Facts, no_facts, relax
from scorpion_env.solver.tree import (
    ATTEMPT,
    CUT,
    EXPANDED,
    LIMIT,
    NOBODY,
    NODES,
    PROVEN,
    SPENT,
    WINNER,
    Tree,
    clear_nodes,
    is_known,
    new_tree,
    pack,
    pop,
    push,
    unpack,
)

SEARCHING, FOUND, EXHAUSTED, FULL = range(4)
FIRST_ATTEMPT = 20_000  # positions of the first attempts


class Options(NamedTuple):
    """How to search."""

    proofs: int  # 1: leave out what the relaxation proves lost
    persistent_sets: int  # 1: try the moves of a persistent set alone
    salt: int  # chooses the keys


class Search(NamedTuple):
    """The memory of a search."""

    state: State  # one game's row, with room to take one action back
    mask: npt.NDArray[np.int8]  # (actions,)
    facts: Facts
    columns: npt.NDArray[np.uint64]  # (columns,) keys of the columns of the node looked at
    choice: Choice
    tree: Tree


def new_search(rules: Rules, families: int, nodes: int, buckets: int = 512) -> Search:
    """Return memory for searches of at most ``nodes`` positions under these rules."""
    cards = rules.layout.cards
    return Search(
        state=row_of(empty_state(rules, 1, undoable=1), 0),
        mask=np.zeros(rules.actions, np.int8),
        facts=no_facts(cards, families),
        columns=np.zeros(len(rules.layout.columns), np.uint64),
        choice=new_choice(cards),
        tree=new_tree(rules, nodes, buckets),
    )


@inlined
def is_needless(rules: CompiledRules, state: State, action: int) -> bool:
    """Say whether another move does the same as a legal one, or it does nothing; reads."""
    if action >= rules.deal_action:
        return action > rules.deal_action
    target = action % rules.columns
    if state.height[target] > 0:
        return False
    label = label_of(rules, state, target)
    for column in range(target):
        if state.height[column] == 0 and label_of(rules, state, column) == label:
            return True
    card = action // rules.columns
    source = np.int64(state.column_of[card])
    if source < 0 or state.height_of[card] > 0 or label_of(rules, state, source) != label:
        return False
    return rules.sequences_stay == 1 or not top_sequence(rules, state, source)


@inlined
def child_key(
    rules: CompiledRules,
    relations: Relations,
    search: Search,
    action: int,
    source: int,
    key: np.uint64,
    salt: np.uint64,
) -> np.uint64:
    """Return the key of the position after ``action`` from ``source`` of a position of ``key``."""
    state = search.state
    if action == rules.deal_action or source < 0:
        total = reserve_key(rules, relations, state, salt)
        for column in range(rules.columns):
            total += column_key(rules, relations, state, column, salt)
        return total
    target = action % rules.columns
    key -= search.columns[source] + search.columns[target]
    key += column_key(rules, relations, state, source, salt)
    return key + column_key(rules, relations, state, target, salt)


@internal
def enter(
    rules: CompiledRules,
    relations: Relations,
    options: Options,
    search: Search,
    key: np.uint64,
    parent: int,
    action: int,
) -> bool:
    """Enter the position on the table as a node unless it is known or lost; say if it is won."""
    tree, state = search.tree, search.state
    if key == 0:
        key = np.uint64(1)
    node = tree.counters[NODES]
    if node == tree.counters[LIMIT]:
        tree.counters[CUT] = 1
        return False
    if is_known(tree, key):
        return False
    tree.counters[NODES] = node + 1
    tree.keys[node] = key
    tree.parent[node] = parent
    tree.action[node] = action
    if is_won(rules, state):
        tree.counters[WINNER] = node
        return True
    if options.proofs:
        reason, _ = relax(rules, relations, state, search.facts)
        if reason != NO_PROOF:
            tree.counters[PROVEN] += 1
            return False
    pack(rules, state, tree.packed[node])
    push(tree, node, estimate(rules, relations, state, tree.counters[ATTEMPT]))
    return False


@inlined
def keep_needed(
    rules: CompiledRules, relations: Relations, options: Options, search: Search
) -> None:
    """Leave in the mask the moves of the position on the table that need be tried."""
    for action in range(rules.deal_action + 1):
        if search.mask[action] and is_needless(rules, search.state, action):
            search.mask[action] = 0
    if options.persistent_sets and theorem_holds(rules, relations, search.state):
        keep_persistent(rules, relations, search.state, search.facts, search.choice, search.mask)


@inlined
def try_move(
    rules: CompiledRules,
    relations: Relations,
    options: Options,
    search: Search,
    node: int,
    key: np.uint64,
    action: int,
) -> bool:
    """Enter the position that an action leads to; say if it is won. The table is left as it was."""
    state = search.state
    source = np.int64(-1)
    if action < rules.deal_action:
        source = np.int64(state.column_of[action // rules.columns])
    apply(rules, state, action)
    state.counters[UNDOABLE] = 0
    following = child_key(rules, relations, search, action, source, key, np.uint64(options.salt))
    won = enter(rules, relations, options, search, following, node, action)
    undo(rules, state)
    state.counters[UNDOABLE] = 0
    return won


@inlined
def expand(
    rules: CompiledRules, relations: Relations, options: Options, search: Search, node: int
) -> bool:
    """Enter all positions that follow a node; say if one is won."""
    state, tree = search.state, search.tree
    tree.counters[EXPANDED] += 1
    unpack(rules, tree.packed[node], state)
    if settle(rules, state, search.mask) != PLAYING:
        return False
    key = write_keys(rules, relations, state, np.uint64(options.salt), search.columns)
    keep_needed(rules, relations, options, search)
    for action in range(rules.deal_action + 1):
        if search.mask[action] and try_move(rules, relations, options, search, node, key, action):
            return True
    return False


@inlined
def attempt_nodes(relations: Relations, tree: Tree, nodes: int) -> int:
    """Return how many of ``nodes`` positions the next attempt may find; changes nothing.

    Where links are final the first attempt may find all: there the order matters little.
    """
    attempt = tree.counters[ATTEMPT]
    left = nodes - tree.counters[SPENT]
    if relations.is_final or attempt >= ATTEMPTS - 1:
        return left
    return min(left, FIRST_ATTEMPT << (attempt // 2))


@internal
def begin_attempt(
    rules: CompiledRules, relations: Relations, options: Options, search: Search, nodes: int
) -> int:
    """Begin anew from the position that ``search.state`` holds; return FOUND or SEARCHING."""
    tree, state = search.tree, search.state
    clear_nodes(tree)
    search.choice.record[:] = 0
    tree.counters[LIMIT] = min(attempt_nodes(relations, tree, nodes), tree.keys.shape[0])
    state.counters[UNDOABLE] = 0
    key = write_keys(rules, relations, state, np.uint64(options.salt), search.columns)
    nobody = np.int64(NOBODY)  # the bare constant would make Numba compile `enter` once more
    if enter(rules, relations, options, search, key, nobody, nobody):
        return FOUND
    return SEARCHING


@entry
def begin_search(
    rules: CompiledRules, relations: Relations, options: Options, search: Search, nodes: int
) -> int:
    """Begin with the position that ``search.state`` holds; return as `go_on` does."""
    search.tree.counters[ATTEMPT] = 0
    search.tree.counters[SPENT] = 0
    return begin_attempt(rules, relations, options, search, nodes)


@inlined
def try_again(
    rules: CompiledRules, relations: Relations, options: Options, search: Search, nodes: int
) -> bool:
    """Begin the next attempt at the same position; say if there was anything left for it."""
    tree = search.tree
    tree.counters[SPENT] += tree.counters[NODES]
    tree.counters[ATTEMPT] += 1
    if relations.is_final or tree.counters[ATTEMPT] == ATTEMPTS:
        return False
    if attempt_nodes(relations, tree, nodes) <= 0:
        return False
    unpack(rules, tree.packed[0], search.state)
    begin_attempt(rules, relations, options, search, nodes)
    return True


@entry
def go_on(
    rules: CompiledRules,
    relations: Relations,
    options: Options,
    search: Search,
    nodes: int,
    expansions: int,
) -> int:
    """Look at up to ``expansions`` positions more, of at most ``nodes`` that may be found in all.

    Returns FOUND (`WINNER` is the last node of the line), EXHAUSTED (nothing is open: the game is
    lost), FULL (the nodes are spent) or SEARCHING (call again). Changes ``search``.
    """
    tree = search.tree
    for _ in range(expansions):
        node = pop(tree)
        if node == NOBODY:
            return EXHAUSTED
        if expand(rules, relations, options, search, node):
            return FOUND
        if tree.counters[CUT] and not try_again(rules, relations, options, search, nodes):
            return FULL
    return SEARCHING


@entry
def search_all(
    rules: CompiledRules, relations: Relations, options: Options, search: Search, nodes: int
) -> int:
    """Search to the end from the position that ``search.state`` holds; return as `go_on` does."""
    status = begin_search(rules, relations, options, search, nodes)
    while status == SEARCHING:
        status = go_on(rules, relations, options, search, nodes, nodes)
    return status
