"""How far a position looks from being won: the order of the search, never its result.

Where moves can be taken back by others (any-suit building, twins, any card in an empty column) the
order decides whether a win is found at all. No one order serves every deal: a deal on which one
fails after some thousand positions is mostly an easy one for the next. So a search makes several
attempts, each with its row of `_WEIGHTS`, before the last one spends what is left.
"""

from __future__ import annotations

import numpy as np

from scorpion_env.engine.compile import inlined
from scorpion_env.engine.state import NO_CARD, State, card_at
from scorpion_env.rules import CompiledRules
from scorpion_env.solver.relations import Relations

_DOWN, _HANGING, _APART, _RESERVE, _BURIED, _WRONG_WAY, _EMPTY = range(7)
# One row an attempt. Of 300 Flexible deals the rows leave 11, 1, 1, 1, 0 undecided after 20,000
# positions each; no row does it alone.
_WEIGHTS = np.array(
    [
        [6, 1, 4, 2, 0, 0, 0],
        [6, 2, 4, 2, 1, 0, 0],
        [3, 1, 4, 2, 0, 2, 0],
        [3, 1, 6, 2, 0, 0, 0],
        [3, 1, 2, 2, 0, 0, 0],
        [3, 1, 4, 2, 0, 0, -4],
    ],
    np.int64,
)
ATTEMPTS = len(_WEIGHTS)


@inlined
def estimate(rules: CompiledRules, relations: Relations, state: State, attempt: int) -> int:
    """Return a number that is smaller the better a position looks; changes nothing.

    Counts face-down cards, cards but kings at a column's bottom, cards apart from the next-higher
    one of their sequence, cards in reserve, blocks to be moved off each card, cards above a lower
    one of their sequence, and empty columns.
    """
    weights = _WEIGHTS[attempt % ATTEMPTS]
    total = np.int64(0)
    for column in range(rules.columns):
        height = np.int64(state.height[column])
        total += weights[_DOWN] * state.face_down[column] + weights[_EMPTY] * (height == 0)
        blocks = np.int64(0)
        for place in range(height - 1, -1, -1):
            card = card_at(state, column, place)
            rank = np.int64(rules.ids[card, 0])
            total += weights[_BURIED] * blocks * (rank > 0)
            if place == 0:
                total += weights[_HANGING] * (rank != rules.ranks - 1)
                break
            below = card_at(state, column, place - 1)
            higher = np.int64(rules.ids[below, 0])
            related = relations.family[below] == relations.family[card]
            if not related or higher != rank + 1:
                blocks += 1
                total += weights[_APART] + weights[_WRONG_WAY] * (related and higher < rank)
    for place in range(rules.reserve_cards):
        total += weights[_RESERVE] * (state.reserve[place] != NO_CARD)
    return total
