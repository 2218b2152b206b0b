"""Where on the screen the columns lie."""

from __future__ import annotations

from dataclasses import dataclass

from scorpion_env.play.spots import RESERVE, Spot
from scorpion_env.position import Position
from scorpion_env.rules import Rules

NARROWEST, WIDEST = 5, 9


@dataclass(frozen=True)
class Grid:
    """How the columns of a game share the width of a screen.

    Attributes
    ----------
    columns : int
        Number of columns.
    pitch : int
        Characters from one column to the next.
    left : int
        Characters before the first column.
    head : int
        Lines above the cards: the reserve, where the rules have one, and the columns' numbers.
    """

    columns: int
    pitch: int
    left: int
    head: int

    @classmethod
    def fit(cls, rules: Rules, width: int) -> Grid:
        """Return the widest grid that fits a width, the narrowest there is if none does."""
        columns = len(rules.layout.columns)
        pitch = min(max(width // columns, NARROWEST), WIDEST)
        left = max(0, (width - pitch * columns) // 2)
        return cls(columns, pitch, left, 1 + (rules.layout.reserve_cards > 0))

    @property
    def width(self) -> int:
        """Characters that the grid takes in all."""
        return self.left + self.columns * self.pitch

    @property
    def card_width(self) -> int:
        """Characters that a card takes."""
        return self.pitch - (self.pitch > NARROWEST)

    def column_at(self, x: int) -> int | None:
        """Return the column at a character of a line, None beside all of them."""
        column = (x - self.left) // self.pitch
        return column if 0 <= column < self.columns else None

    def spot_at(self, position: Position, x: int, line: int) -> Spot | None:
        """Return what lies at a character of a line, None beside all columns.

        Lines count from the top of the head. A column's number and what is below its last card
        stand for the free place on it; a card's lower half is the card.
        """
        column = self.column_at(x)
        if column is None:
            return None
        if line < self.head:
            if line == 0 and column < len(position.reserve):
                return Spot(RESERVE, column)
            return Spot(column, len(position.columns[column]))
        height = len(position.columns[column])
        place = line - self.head
        is_lower_half = height > 0 and height <= place < height + 2
        return Spot(column, height - 1 if is_lower_half else min(place, height))
