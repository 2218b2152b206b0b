"""A 64-bit key of a position, which does not depend on the path to it.

A column's key folds its cards from the bottom, the position's key is the sum over its columns and
reserve cards, so the order of columns does not matter. While a reserve is to be dealt, the columns
it falls on count as different. Twins of two decks count as equal. Among n positions two share a
key by chance with a probability of at most n * n / 2**65 (3e-8 for a million): `verify` searches
again with other keys.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.compile import inlined
from scorpion_env.engine.deal import mix
from scorpion_env.engine.mask import reserve_waits
from scorpion_env.engine.state import NO_CARD, State, card_at
from scorpion_env.rules import CompiledRules
from scorpion_env.solver.relations import Relations

_FOLD = np.uint64(0xD6E8FEB86659FD93)
_FACE_DOWN = 512  # added to a card's face
_RESERVE = np.uint64(1 << 20)


@inlined
def label_of(rules: CompiledRules, state: State, column: int) -> int:
    """Return 0 for a column like any other, more for one that a reserve card falls on; reads."""
    if reserve_waits(rules, state):
        for place in range(rules.reserve_columns.shape[0]):
            if rules.reserve_columns[place] == column:
                return place + 1
    return 0


@inlined
def column_key(
    rules: CompiledRules, relations: Relations, state: State, column: int, salt: np.uint64
) -> np.uint64:
    """Return the key of one column, 0 for an empty one; changes nothing."""
    height = np.int64(state.height[column])
    if height == 0:
        return np.uint64(0)
    down = np.int64(state.face_down[column])
    key = salt + np.uint64(label_of(rules, state, column))
    for place in range(height):
        face = np.int64(relations.face[card_at(state, column, place)])
        if place < down:
            face += _FACE_DOWN
        key = (key ^ np.uint64(face + 1)) * _FOLD
        key ^= key >> np.uint64(32)
    return mix(key)


@inlined
def write_keys(
    rules: CompiledRules,
    relations: Relations,
    state: State,
    salt: np.uint64,
    keys: npt.NDArray[np.uint64],
) -> np.uint64:
    """Fill ``keys`` (columns,) with the columns' keys; return the position's."""
    total = reserve_key(rules, relations, state, salt)
    for column in range(rules.columns):
        keys[column] = column_key(rules, relations, state, column, salt)
        total += keys[column]
    return total


@inlined
def reserve_key(
    rules: CompiledRules, relations: Relations, state: State, salt: np.uint64
) -> np.uint64:
    """Return the part of the position's key that the reserve makes; changes nothing."""
    total = np.uint64(0)
    for place in range(rules.reserve_cards):
        if state.reserve[place] != NO_CARD:
            face = np.uint64(relations.face[np.int64(state.reserve[place])])
            total += mix(salt ^ (_RESERVE + face))
    return total
