"""A position as lines of characters, each piece with the names of its styles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scorpion_env.cards import RED_SUITS, suit_of
from scorpion_env.play.faces import face_of
from scorpion_env.play.grid import Grid
from scorpion_env.play.spots import RESERVE, Spot
from scorpion_env.position import Position
from scorpion_env.rules import Rules

Piece = tuple[str, tuple[str, ...]]  # characters and the names of their styles

STYLES = ("edge", "red", "black", "down", "number", "taken", "target", "cursor")
END = 3  # lines at most after a column's cards


@dataclass(frozen=True)
class Picture:
    """What is to be seen of a game.

    Attributes
    ----------
    rules : Rules
        What is played.
    position : Position
        Where the cards lie.
    grid : Grid
        Where the columns lie.
    cursor : Spot
        Where the cursor stands.
    block : tuple of int
        The cards in hand.
    targets : tuple of int
        The columns that they may go to.
    """

    rules: Rules
    position: Position
    grid: Grid
    cursor: Spot
    block: tuple[int, ...] = ()
    targets: tuple[int, ...] = ()

    @property
    def lines(self) -> int:
        """Lines below the head."""
        return END - 1 + max(1, *map(len, self.position.columns))

    def head(self, line: int) -> list[Piece]:
        """Return a line of the head."""
        if line == self.grid.head - 1:
            return self._row(self._number(column) for column in range(self.grid.columns))
        reserve = range(len(self.position.reserve))
        return [*self._row(self._reserve(place) for place in reserve), (" reserve", ("edge",))]

    def line(self, line: int) -> list[Piece]:
        """Return a line below the head."""
        return self._row(self._cell(column, line) for column in range(self.grid.columns))

    def _row(self, cells: Iterator[list[Piece]]) -> list[Piece]:
        gap = " " * (self.grid.pitch - self.grid.card_width)
        pieces: list[Piece] = [(" " * self.grid.left, ())]
        for cell in cells:
            pieces += [*cell, (gap, ())]
        return pieces

    def _number(self, column: int) -> list[Piece]:
        number, width = str(column + 1), self.grid.card_width
        if column in self.targets:
            return [(f"▼{number}▼".center(width), ("number", "target"))]
        return [(number.center(width), ("number",))]

    def _reserve(self, place: int) -> list[Piece]:
        card = self.position.reserve[place]
        if card is None:
            return [("·".center(self.grid.card_width), ("edge",))]
        is_shown = self.rules.reserve == "play"
        return self._card(Spot(RESERVE, place), card if is_shown else None, "[]", " ")

    def _cell(self, column: int, line: int) -> list[Piece]:
        cards = self.position.columns[column]
        if line < len(cards):
            down = line < self.position.face_down[column]
            edges = "╭╮" if line == 0 else "├┤"
            return self._card(Spot(column, line), None if down else cards[line], edges, "─")
        return self._end(column, line - len(cards), cards[-1] if cards else None)

    def _card(self, spot: Spot, card: int | None, edges: str, filling: str) -> list[Piece]:
        """Return a line with a card's face, or with its back if it is None."""
        inner = self.grid.card_width - 2
        lit = ("taken",) if card in self.block else ()
        left, right = edges[0], edges[1]
        edge: tuple[str, ...] = ("edge", *lit)
        if spot == self.cursor:
            left, right, edge = "▶", "◀", ("cursor", *lit)
        if card is None:
            return [(left, edge), ("░" * inner, ("down",)), (right, edge)]
        layout = self.rules.layout
        colour = "red" if suit_of(card, layout.suits, layout.ranks) in RED_SUITS else "black"
        face = face_of(self.rules, card)
        rest = filling * (inner - len(face))
        return [(left, edge), (face, (colour, *lit)), (rest, ("edge", *lit)), (right, edge)]

    def _end(self, column: int, line: int, last: int | None) -> list[Piece]:
        """Return a line of what follows a column's last card, or of an empty column if it is None.

        What follows a card is its lower half; an empty column has an upper edge too.
        """
        width = self.grid.card_width
        parts = ["body", "bottom"] if last is not None else ["top", "body", "bottom"]
        part = parts[line] if line < len(parts) else "nothing"
        lit = ("taken",) if last in self.block else ()
        if part == "body":
            return self._body(column, lit)
        drawn = {"top": "╭╮", "bottom": "╰╯"}.get(part)
        if drawn is None:
            return [(" " * width, ())]
        return [(drawn[0] + "─" * (width - 2) + drawn[1], ("edge", *lit))]

    def _body(self, column: int, lit: tuple[str, ...]) -> list[Piece]:
        """Return the line that says whether the cards in hand may go onto a column."""
        inner = self.grid.card_width - 2
        left, right, edge = "│", "│", ("edge", *lit)
        if self.cursor == Spot(column, len(self.position.columns[column])):
            left, right, edge = "▶", "◀", ("cursor", *lit)
        inside: Piece = (" " * inner, ("edge", *lit))
        if column in self.targets:
            inside = ("▼".center(inner), ("target",))
        return [(left, edge), inside, (right, edge)]
