"""What the network is told of a table: the names of the numbers, and memory for them.

Suits do not occur in them, nor the numbers of columns, so that what the network learns of one suit
or column holds for all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.outlook import Outlook, empty_outlook
from scorpion_env.rules import Rules

CARD_INPUTS = (
    "hidden",
    "removed",
    "seen in the reserve",
    "on top",
    "at the bottom",
    "on a face-down card",
    "on an unknown card",
    "joined: on its next-higher card",
    "carries its next-lower card",
    "under a king",
    "under an unknown card",
    *(f"parts {end}" for end in ("now", "soon", "after empty", "after hidden", "never")),
    "moves until it parts",
    "empty columns until it parts",
    "hidden cards until it parts",
    *(f"uncovered {end}" for end in ("now", "soon", "after empty", "after hidden", "never")),
    "moves until it is uncovered",
    "next-higher card hidden",
    "next-higher card below it in its column",
    "next-higher card above it in its column",
    "next-higher card on top of another column",
    "cards above it",
    "blocks above it",
    "face-down cards below it",
    "in a column that the reserve falls on",
    "hidden, and chains end at it",
    "hidden, and chains that would turn a card end at it",
    "leads to an empty column",
    "its next-lower card hidden",
    "its next-lower card can part now",
)
COLUMN_INPUTS = (
    "empty",
    "height",
    "face-down cards",
    "has face-down cards",
    *(f"turns {end}" for end in ("now", "soon", "after empty", "after hidden", "never")),
    "moves until it turns a card",
    "hidden cards until it turns a card",
    *(f"emptied {end}" for end in ("now", "soon", "after empty", "after hidden", "never")),
    "blocks",
    "top card unknown",
    "the reserve falls on it",
    "king at the bottom",
    "top card an ace",
    "next-lower card of its top card hidden",
    "next-lower card of its top card can part now",
    "run on top",
    "run at the bottom from a king",
)
TABLE_INPUTS = (
    "face-down cards",
    "hidden cards",
    "reserve waits",
    "removed cards",
    "empty columns",
    "joined cards",
    "cards that can part now to be joined",
    "leading cards that can part now",
    *(f"a column empty {end}" for end in ("now", "soon", "after empty", "after hidden", "never")),
    "unknown cards on top",
    "cards apart that never part",
    "the move deals",
    "the move turns a card",
    "the move empties a column",
    "the move completes a sequence",
    "the move goes to an empty column",
    "the move joins",
    "the move parts what was joined",
    "the move is idle and leads nowhere",
    "the moved card is a leading king",
    "cards moved",
    "rank moved",
    "face-down cards left where it came from",
    "face-down cards where it goes",
    "it goes where the reserve falls",
    "it comes from where the reserve falls",
    "it comes from the reserve",
)
MOVE_INPUTS = TABLE_INPUTS.index("the move deals")  # where they begin
IDLE_INPUT = TABLE_INPUTS.index("the move is idle and leads nowhere")
NEIGHBOURS = 3  # next-higher card, card on it, card under it


class Inputs(NamedTuple):
    """What the network is told of one table."""

    cards: npt.NDArray[np.float32]  # (cards, CARD_INPUTS)
    neighbours: npt.NDArray[np.int64]  # (cards, NEIGHBOURS) cards, -1 where there is none
    columns: npt.NDArray[np.float32]  # (columns, COLUMN_INPUTS)
    table: npt.NDArray[np.float32]  # (TABLE_INPUTS,)
    outlook: Outlook


def empty_inputs(rules: Rules) -> Inputs:
    """Return inputs to be written."""
    cards, columns = rules.layout.cards, len(rules.layout.columns)
    return Inputs(
        cards=np.zeros((cards, len(CARD_INPUTS)), np.float32),
        neighbours=np.full((cards, NEIGHBOURS), -1, np.int64),
        columns=np.zeros((columns, len(COLUMN_INPUTS)), np.float32),
        table=np.zeros(len(TABLE_INPUTS), np.float32),
        outlook=empty_outlook(cards),
    )
