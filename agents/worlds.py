"""What the hidden cards may be: from an observation to a game's row, and on to sampled worlds.

A world lays the cards that are not seen into the hidden places in some order, each order as likely
as any other. Only worlds that can still be won are kept: in the others every move is as good.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.compile import entry, inlined
from scorpion_env.engine.moves import apply
from scorpion_env.engine.state import COUNTERS, DOWN, IN_RESERVE, NO_CARD, OFF_TABLEAU, State
from scorpion_env.rules import CompiledRules
from scorpion_env.solver.analysis import find_hidden, shuffle_cards, write_world
from scorpion_env.solver.relations import Relations
from scorpion_env.solver.relaxation import NO_PROOF, relax
from scorpion_env.solver.search import FOUND, Options, Search, search_all
from scorpion_env.solver.tree import NODES, pack, unpack

_UNSEEN = -3  # in State.column_of while an observation is read


class Seen(NamedTuple):
    """One game's observation, see `scorpion_env.observation.Tensors`."""

    tableau: npt.NDArray[np.uint8]  # (columns, cards)
    reserve: npt.NDArray[np.uint8]  # (reserve cards,)
    completed: npt.NDArray[np.uint8]  # (sequences,)


class Pool(NamedTuple):
    """Worlds of one position."""

    worlds: npt.NDArray[np.uint8]  # (most, bytes) packed
    hidden: npt.NDArray[np.uint8]  # (cards,) scratch


@inlined
def take_off(rules: CompiledRules, relations: Relations, state: State, family: int) -> None:
    """Mark a removed sequence: of each rank the first card of the family that is not seen.

    Which twin was removed, or under alternating colours which suit, an observation does not say.
    """
    for rank in range(rules.ranks):
        for card in range(rank, rules.cards, rules.ranks):
            if relations.family[card] == family and state.column_of[card] == _UNSEEN:
                state.column_of[card] = OFF_TABLEAU
                break


@inlined
def read_column(rules: CompiledRules, seen: Seen, state: State, column: int) -> None:
    """Lay out the cards of one column that are seen; changes the column and the card index."""
    state.height[column] = 0
    state.face_down[column] = 0
    for place in range(rules.cards):
        value = np.int64(seen.tableau[column, place])
        if value == 0:
            break
        state.height[column] = place + 1
        if value > rules.cards:
            state.face_down[column] = place + 1
            state.counters[DOWN] += 1
        else:
            state.tableau[column, place] = value - 1
            state.column_of[value - 1] = column
            state.height_of[value - 1] = place


@entry
def read_seen(rules: CompiledRules, relations: Relations, seen: Seen, state: State) -> None:
    """Lay out what a player sees as a game's row, the unseen cards in order in hidden places.

    Changes all of ``state`` but the order of removed cards; the score and the moves are 0.
    """
    for counter in range(COUNTERS):
        state.counters[counter] = 0
    state.column_of[:] = _UNSEEN
    for column in range(rules.columns):
        read_column(rules, seen, state, column)
    for place in range(rules.reserve_cards):
        value = np.int64(seen.reserve[place])
        state.reserve[place] = NO_CARD if value == 0 else 0
        if 0 < value <= rules.cards:
            state.reserve[place] = value - 1
            state.column_of[value - 1] = IN_RESERVE
            state.height_of[value - 1] = place
    if rules.sequences_stay == 0:
        for sequence in range(rules.sequences):
            if seen.completed[sequence]:
                king = sequence * rules.ranks + rules.ranks - 1
                take_off(rules, relations, state, np.int64(relations.family[king]))
    hide_rest(rules, state)


@inlined
def hide_rest(rules: CompiledRules, state: State) -> None:
    """Put the unseen cards, in order, into the hidden places."""
    card = 0
    for column in range(rules.columns):
        for place in range(np.int64(state.face_down[column])):
            card = next_unseen(rules, state, card)
            state.tableau[column, place] = card
            state.column_of[card] = column
            state.height_of[card] = place
    for place in range(rules.reserve_columns.shape[0]):
        if state.reserve[place] != NO_CARD:
            card = next_unseen(rules, state, card)
            state.reserve[place] = card
            state.column_of[card] = IN_RESERVE
            state.height_of[card] = place


@inlined
def next_unseen(rules: CompiledRules, state: State, card: int) -> int:
    """Return the first unseen card from ``card`` on; changes nothing."""
    while state.column_of[card] != _UNSEEN:
        card += 1
    return card


@inlined
def looks_alike(rules: CompiledRules, state: State, seen: npt.NDArray[np.uint8]) -> bool:
    """Say whether a player sees the same in a world as in the packed position ``seen``."""
    at = 2 * rules.columns + rules.reserve_cards
    for column in range(rules.columns):
        height, down = np.int64(seen[column]), np.int64(seen[rules.columns + column])
        if state.height[column] != height or state.face_down[column] != down:
            return False
        for place in range(down, height):
            if state.tableau[column, place] != seen[at + place]:
                return False
        at += height
    return True


@entry
def carry_on(
    rules: CompiledRules,
    relations: Relations,
    search: Search,
    seen: npt.NDArray[np.uint8],
    pool: Pool,
    worlds: int,
    action: int,
) -> int:
    """Play an action in the first ``worlds`` of the pool; keep those that look like ``seen`` now.

    Worlds that the relaxation proves lost go too. Returns how many are left, in front. Changes
    ``pool`` and ``search``.
    """
    kept = 0
    for world in range(worlds):
        unpack(rules, pool.worlds[world], search.state)
        apply(rules, search.state, action)
        if not looks_alike(rules, search.state, seen):
            continue
        reason, _card = relax(rules, relations, search.state, search.facts)
        if reason == NO_PROOF:
            pack(rules, search.state, pool.worlds[kept])
            kept += 1
    return kept


@entry
def fill_pool(
    rules: CompiledRules,
    relations: Relations,
    options: Options,
    search: Search,
    seen: npt.NDArray[np.uint8],
    pool: Pool,
    found: int,
    seed: np.uint64,
    wanted: int,
    draws: int,
    nodes: int,
    all_nodes: int,
) -> int:
    """Add to the first ``found`` worlds of the pool others that can still be won.

    They are worlds of the packed position ``seen`` (bytes,). Draws until the pool holds ``wanted``,
    ``draws`` were looked at or ``all_nodes`` positions are spent; a world that takes more than
    ``nodes`` of them does not count as won. Returns the number of worlds in the pool. Changes
    ``pool`` and ``search``.
    """
    unpack(rules, seen, search.state)
    hidden = find_hidden(rules, search.state, pool.hidden)
    spent = np.int64(0)
    for _ in range(draws):
        if found == wanted or spent > all_nodes:
            break
        seed = shuffle_cards(pool.hidden, hidden, seed)
        unpack(rules, seen, search.state)
        write_world(rules, pool.hidden, search.state)
        reason, _card = relax(rules, relations, search.state, search.facts)
        if reason != NO_PROOF:
            continue
        pack(rules, search.state, pool.worlds[found])
        if search_all(rules, relations, options, search, nodes) == FOUND:
            found += 1
        spent += search.tree.counters[NODES]
    return found


@entry
def pack_seen(
    rules: CompiledRules,
    relations: Relations,
    seen: Seen,
    state: State,
    packed: npt.NDArray[np.uint8],
    hidden: npt.NDArray[np.uint8],
) -> int:
    """Pack what a player sees into ``packed`` (bytes,); return the number of hidden cards.

    Changes ``state`` as `read_seen` does, and ``hidden`` (cards,).
    """
    read_seen(rules, relations, seen, state)
    pack(rules, state, packed)
    return find_hidden(rules, state, hidden)
