"""Where everything lies in a picture of a game: the same for pixels and for SVG.

A scene is what a player may see, as places on a table. Its size follows from the rules alone, so it
never changes during a game: a column too long for its room has its cards closer together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from scorpion_env.cards import RANKS, RED_SUITS, rank_of, suit_of
from scorpion_env.engine.state import LOST, SEQUENCES, STATUS, WON, State
from scorpion_env.position import Position, read_position
from scorpion_env.render.design import (
    BAR,
    CARD_HEIGHT,
    CARD_WIDTH,
    CORNER_SCALES,
    GAP,
    LOST_COLOUR,
    MARGIN,
    STEP,
    STEP_FACE_DOWN,
    WON_COLOUR,
    WORD_COLOUR,
    Colour,
)
from scorpion_env.rules import Rules

_PITCH = CARD_WIDTH + GAP
_LABELS = 18  # the numbers above the columns
_FEWEST_CELLS, _MOST_STEPS = 6, 36
_MOST_RESERVE_CELLS = 6

Place = tuple[int, int]  # of the upper left corner


class Face(NamedTuple):
    """A card that is shown by name."""

    rank: int
    suit: int
    face_down: bool  # shown although it lies face-down

    @property
    def rank_text(self) -> str:
        """The rank as it stands on a card."""
        text = RANKS[self.rank]
        return "10" if text == "T" else text

    @property
    def is_red(self) -> bool:
        """Whether it is a diamond or a heart."""
        return self.suit in RED_SUITS


class Placed(NamedTuple):
    """A card on the table."""

    x: int
    y: int
    seen: int  # height of its part that the next card leaves uncovered
    face: Face | None  # None shows its back

    @property
    def corner_scale(self) -> float:
        """How large the rank and suit in the corner are, so that they can be seen."""
        fitting = (scale for scale in CORNER_SCALES if scale * STEP <= self.seen)
        return next(fitting, CORNER_SCALES[-1])


class Word(NamedTuple):
    """Text in the bar at the top."""

    text: str
    colour: Colour


_OUTCOMES = {WON: Word("Won", WON_COLOUR), LOST: Word("Lost", LOST_COLOUR)}


@dataclass(frozen=True)
class Scene:
    """A picture of one moment: cards in the order of painting, and words."""

    cards: tuple[Placed, ...]
    words: tuple[Word, ...]  # counts, and how the game has ended


def _spread(steps: Sequence[int], room: int) -> list[int]:
    """Return where cards begin that follow one another by ``steps``, closer if ``room`` is less."""
    squeeze = min(1.0, room / max(sum(steps), 1))
    return [int(passed * squeeze) for passed in accumulate(steps, initial=0)]


class Table:
    """The table that games of some rules are played on.

    Parameters
    ----------
    rules : Rules
        Their layout decides the size.

    Attributes
    ----------
    size : (int, int)
        Width and height of every scene; both are even, as video formats want it.
    columns, reserve, slots : tuple of (int, int)
        Where the columns, the reserve cards and the removed sequences lie.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        layout = rules.layout
        slots = layout.sequences if rules.sequences == "removed" else 0
        reserve_cells = min(layout.reserve_cards, _MOST_RESERVE_CELLS)
        cells = max(len(layout.columns), reserve_cells + slots, _FEWEST_CELLS)
        width = 2 * MARGIN + cells * _PITCH - GAP
        upper = BAR + GAP
        self._top = upper + (CARD_HEIGHT if reserve_cells + slots else 0) + _LABELS
        steps = min(max(layout.columns) + 6 + 6 * layout.decks, _MOST_STEPS)
        self._room = STEP * steps  # from the first card of a column to its last
        self.size = (width, self._top + self._room + CARD_HEIGHT + MARGIN)
        beside = _spread([_PITCH] * (layout.reserve_cards - 1), (reserve_cells - 1) * _PITCH)
        self.reserve = tuple((MARGIN + x, upper) for x in beside[: layout.reserve_cards])
        first_slot = width - MARGIN - slots * _PITCH + GAP
        self.slots = tuple((first_slot + slot * _PITCH, upper) for slot in range(slots))
        first_column = (width - len(layout.columns) * _PITCH + GAP) // 2
        self.columns = tuple(
            (first_column + column * _PITCH, self._top) for column in range(len(layout.columns))
        )

    def scene(self, state: State, reveal: bool = False) -> Scene:
        """Return what is seen of a game.

        Parameters
        ----------
        state : State
            One game's row.
        reveal : bool
            Show face-down cards by name.
        """
        position = read_position(state)
        cards: list[Placed] = []
        for place, card in zip(self.reserve, position.reserve, strict=True):
            if card is not None:
                face = self._face(card, self.rules.reserve != "play", reveal)
                cards.append(Placed(*place, CARD_HEIGHT, face))
        for place, sequence in zip(self.slots, position.removed, strict=False):
            cards.append(Placed(*place, CARD_HEIGHT, self._face(sequence[0], False, reveal)))
        for place, column, down in zip(
            self.columns, position.columns, position.face_down, strict=True
        ):
            cards += self._column(place, column, down, reveal)
        return Scene(tuple(cards), self._words(position, state))

    def _words(self, position: Position, state: State) -> tuple[Word, ...]:
        counts = (
            f"Score {position.score}",
            f"Moves {position.moves}",
            f"Sequences {state.counters[SEQUENCES]} of {self.rules.layout.sequences}",
        )
        words = [Word(count, WORD_COLOUR) for count in counts]
        if state.counters[STATUS] in _OUTCOMES:
            words.append(_OUTCOMES[int(state.counters[STATUS])])
        return tuple(words)

    def _column(
        self, place: Place, cards: Sequence[int], down: int, reveal: bool
    ) -> Iterator[Placed]:
        x, top = place
        steps = [STEP if reveal else STEP_FACE_DOWN] * down + [STEP] * (len(cards) - 1 - down)
        offsets = _spread(steps, self._room)
        ends = [*offsets[1:], offsets[-1] + CARD_HEIGHT]
        for number, (card, offset, end) in enumerate(zip(cards, offsets, ends, strict=False)):
            yield Placed(x, top + offset, end - offset, self._face(card, number < down, reveal))

    def _face(self, card: int, face_down: bool, reveal: bool) -> Face | None:
        if face_down and not reveal:
            return None
        layout = self.rules.layout
        rank, suit = rank_of(card, layout.ranks), suit_of(card, layout.suits, layout.ranks)
        return Face(rank, suit, face_down)
