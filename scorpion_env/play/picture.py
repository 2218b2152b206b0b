"""A position as lines of characters, each piece with the name of its style."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scorpion_env.cards import RED_SUITS, suit_of
from scorpion_env.play.faces import face_of
from scorpion_env.play.grid import Grid
from scorpion_env.play.spots import RESERVE, Spot, free_place
from scorpion_env.position import Position
from scorpion_env.rules import Rules

Piece = tuple[str, str]  # characters and the name of their style, "" for none

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
        return [*self._row(self._reserve(place) for place in reserve), (" reserve", "edge")]

    def line(self, line: int) -> list[Piece]:
        """Return a line below the head."""
        return self._row(self._cell(column, line) for column in range(self.grid.columns))

    def _row(self, cells: Iterator[list[Piece]]) -> list[Piece]:
        gap = " " * (self.grid.pitch - self.grid.card_width)
        pieces: list[Piece] = [(" " * self.grid.left, "")]
        for cell in cells:
            pieces += [*cell, (gap, "")]
        return pieces

    def _number(self, column: int) -> list[Piece]:
        number, width = str(column + 1), self.grid.card_width
        if column in self.targets:
            return [(f"▼{number}▼".center(width), "target")]
        return [(number.center(width), "number")]

    def _reserve(self, place: int) -> list[Piece]:
        card = self.position.reserve[place]
        if card is None:
            return [("·".center(self.grid.card_width), "edge")]
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
        if card is None:
            return self._framed(spot, edges, "edge", [("░" * inner, "down")])
        layout, face = self.rules.layout, face_of(self.rules, card)
        is_red = suit_of(card, layout.suits, layout.ranks) in RED_SUITS
        edge, colour = "edge", "red" if is_red else "black"
        if card in self.block:
            edge = colour = "taken"
        rest = filling * (inner - len(face))
        return self._framed(spot, edges, edge, [(face, colour), (rest, edge)])

    def _end(self, column: int, line: int, last: int | None) -> list[Piece]:
        """Return a line of what follows a column's last card, or of an empty column if it is None.

        What follows a card is its lower half; an empty column has an upper edge too.
        """
        width = self.grid.card_width
        parts = ["body", "bottom"] if last is not None else ["top", "body", "bottom"]
        part = parts[line] if line < len(parts) else "nothing"
        edge = "taken" if last in self.block else "edge"
        if part == "nothing":
            return [(" " * width, "")]
        if part == "body":
            inside: Piece = (" " * (width - 2), edge)
            if column in self.targets:
                inside = ("▼".center(width - 2), "target")
            return self._framed(free_place(self.position, column), "││", edge, [inside])
        left, right = {"top": ("╭", "╮"), "bottom": ("╰", "╯")}[part]
        return [(left + "─" * (width - 2) + right, edge)]

    def _framed(self, spot: Spot, edges: str, style: str, inside: list[Piece]) -> list[Piece]:
        """Return a line between its edges, which show where the cursor stands."""
        if spot == self.cursor:
            return [("▶", "cursor"), *inside, ("◀", "cursor")]
        return [(edges[0], style), *inside, (edges[1], style)]
