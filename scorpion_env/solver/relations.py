"""What the solver asks of a rule set beside the engine's numbers; built once for each."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scorpion_env.cards import RED_SUITS
from scorpion_env.rules import Rules


class Relations(NamedTuple):
    """How cards stand to each other under a rule set; one Numba type whatever the values."""

    targets: npt.NDArray[np.int16]  # (cards, k) cards that each card may be built on, -1 after
    next_higher: npt.NDArray[np.int16]  # (cards, k) cards it may lie on in a sequence, -1 after
    joins: npt.NDArray[np.int16]  # (cards, k) those of both
    leads: npt.NDArray[np.uint8]  # (cards,) 1 where it may lead a block to an empty column
    family: npt.NDArray[np.int16]  # (cards,) cards of one family can make a complete sequence
    face: npt.NDArray[np.int16]  # (cards,) equal for twins
    members: npt.NDArray[np.int16]  # (families, ranks, k) the cards of a family and rank, -1 after
    families: int
    is_final: int  # 1 where a card that lies on its next-higher card never leaves it again


def _padded(lists: list[list[int]]) -> npt.NDArray[np.int16]:
    table = np.full((len(lists), max(1, *map(len, lists))), -1, np.int16)
    for row, cards in enumerate(lists):
        table[row, : len(cards)] = cards
    return table


@lru_cache(maxsize=4096)
def relations_of(rules: Rules) -> Relations:
    """Return the relations of a rule set."""
    compiled = rules.compiled
    pack = range(rules.layout.cards)
    targets: list[list[int]] = [[] for _ in pack]
    for target, row in enumerate(compiled.sources.tolist()):
        for card in row:
            if card >= 0:
                targets[card].append(target)
    ranks, suits = compiled.ids.T.tolist()
    alternating = rules.pattern == "alternate_colour"
    reds = [suit in RED_SUITS for suit in suits]
    family = [(reds[c] + ranks[c]) % 2 if alternating else suits[c] for c in pack]
    next_higher = [
        [d for d in pack if ranks[d] == ranks[c] + 1 and family[d] == family[c]] for c in pack
    ]
    families = 2 if alternating else rules.layout.suits
    members = _padded(
        [
            [c for c in pack if (family[c], ranks[c]) == (f, rank)]
            for f in range(families)
            for rank in range(rules.layout.ranks)
        ]
    )
    leads = np.zeros(len(pack), np.uint8)
    leads[compiled.leaders] = 1
    return Relations(
        targets=_padded(targets),
        next_higher=_padded(next_higher),
        joins=_padded([[d for d in next_higher[c] if d in targets[c]] for c in pack]),
        leads=leads,
        family=np.array(family, np.int16),
        face=np.array([c % (rules.layout.suits * rules.layout.ranks) for c in pack], np.int16),
        members=members.reshape(families, rules.layout.ranks, -1),
        families=families,
        is_final=int(
            rules.layout.decks == 1
            and rules.build == rules.pattern == "same_suit"
            and rules.empty_column == "king"
        ),
    )
