"""The board: cards to take with keys or mouse and columns to put them on."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from scorpion_env.play.entry import type_on
from scorpion_env.play.grid import Grid
from scorpion_env.play.picture import END, STYLES, Picture
from scorpion_env.play.session import Session
from scorpion_env.play.spots import (
    RESERVE,
    Spot,
    block_of,
    card_at,
    following,
    free_place,
    is_shown,
    shown_spots,
    sideways,
    standing,
    up_or_down,
)


class Board(ScrollView, can_focus=True):
    """The cards of a session, the cursor and what is in hand.

    It posts what the person asks for; `refresh_game` is to be called when the game has changed.
    """

    DEFAULT_CSS = """
    Board { height: 1fr; }
    Board > .board--edge { text-style: dim; }
    Board > .board--down { text-style: dim; }
    Board > .board--number { text-style: bold; }
    Board > .board--red { color: ansi_bright_red; text-style: bold; }
    Board > .board--black { text-style: bold; }
    Board > .board--taken { color: ansi_default; text-style: bold reverse; }
    Board > .board--target { color: ansi_bright_green; text-style: bold; }
    Board > .board--cursor { color: ansi_bright_yellow; text-style: bold; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"board--{name}" for name in STYLES}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "sideways(-1)", "Left", show=False),
        Binding("right", "sideways(1)", "Right", show=False),
        Binding("up", "up_or_down(-1)", "Up", show=False),
        Binding("down", "up_or_down(1)", "Down", show=False),
        Binding("tab", "next", "Next card or column that can be chosen", show=False),
        Binding("enter,space", "choose", "Take or put", show=False),
        Binding("escape", "put_back", "Put back", show=False),
    ]

    class Moved(Message):
        """A block is to go onto a column."""

        def __init__(self, card: int, column: int) -> None:
            super().__init__()
            self.card, self.column = card, column

    class Taken(Message):
        """A card was taken that can go to several columns or is moved by keys."""

        def __init__(self, card: int) -> None:
            super().__init__()
            self.card = card

    class Refused(Message):
        """A card was chosen that can go nowhere; None stands for a face-down one."""

        def __init__(self, card: int | None) -> None:
            super().__init__()
            self.card = card

    class PutBack(Message):
        """Nothing is to be in hand or waited for any more."""

    class Typing(Message):
        """What is typed has changed."""

    class Entered(Message):
        """A move was typed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, session: Session) -> None:
        super().__init__(id="board")
        self.typed = ""
        self._styles: dict[str, Style] = {}
        self.show_game(session)

    def show_game(self, session: Session) -> None:
        """Show another game."""
        self.session = session
        self.cursor = standing(session.game.position, Spot(0, session.rules.layout.cards))
        self.refresh_game()

    def refresh_game(self) -> None:
        """Show the game as it stands, with nothing in hand."""
        self.position = self.session.game.position
        self.hand: int | None = None
        self.targets: list[int] = []
        self._is_pressed = False
        if not is_shown(self.session.rules, self.position, self.cursor):
            self.cursor = standing(self.position, self.cursor)
        self._redraw()

    def take(self, card: int, column: int | None = None) -> None:
        """Take a card in hand, the cursor on a column, the first that it can go to by default."""
        self.hand, self.targets = card, self.session.targets(card)
        self.cursor = free_place(self.position, self.targets[0] if column is None else column)
        self._redraw()

    def put_back(self) -> None:
        """Have nothing in hand, the cursor where it was taken."""
        if self.hand is not None:
            self.cursor = self._spot_of(self.hand)
        self.refresh_game()

    def _spot_of(self, card: int) -> Spot:
        spots = shown_spots(self.session.rules, self.position)
        return next(spot for spot in spots if card_at(self.position, spot) == card)

    # keys

    def action_sideways(self, by: int) -> None:
        """Move the cursor to the left or right."""
        if self.hand is None:
            self._go(sideways(self.session.rules, self.position, self.cursor, by))
        else:
            column = (self.cursor.column + by) % len(self.position.columns)
            self._go(free_place(self.position, column))

    def action_up_or_down(self, by: int) -> None:
        """Move the cursor within its column."""
        if self.hand is None:
            self._go(up_or_down(self.session.rules, self.position, self.cursor, by))

    def action_next(self) -> None:
        """Move the cursor to the next card that can move, or column for what is in hand."""
        if self.hand is None:
            shown = shown_spots(self.session.rules, self.position)
            spots = [spot for spot in shown if self._targets_of(spot)]
        else:
            spots = [free_place(self.position, column) for column in self.targets]
        self._go(following(spots, self.cursor))

    def action_choose(self) -> None:
        """Take the card at the cursor, or put down what is in hand."""
        if self.hand is not None:
            self._put(self.cursor.column)
        elif self._targets_of(self.cursor):
            card = card_at(self.position, self.cursor)
            assert card is not None
            self.take(card)
            self.post_message(self.Taken(card))
        else:
            self._refuse(self.cursor)

    def action_put_back(self) -> None:
        """Put back what is in hand."""
        self.put_back()
        self.post_message(self.PutBack())

    def on_key(self, event: events.Key) -> None:
        """Type a move."""
        typed = type_on(self.typed, event.key, event.character)
        if self.typed and event.key == "enter":
            self.post_message(self.Entered(self.typed))
            self.typed = ""
        elif typed is not None:
            self.typed = typed
            self.post_message(self.Typing())
        else:
            return
        event.stop()

    # mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take the card under the mouse, unless something is in hand."""
        spot = self._spot_at(event)
        if self.hand is None and spot and is_shown(self.session.rules, self.position, spot):
            self.cursor, self._is_pressed = spot, True
            self.hand = card_at(self.position, spot)
            self.targets = self._targets_of(spot)
            self.capture_mouse()
            self._redraw()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Put what is in hand where the mouse is; a click on a card sends it to its only target."""
        self.release_mouse()
        was_pressed, self._is_pressed = self._is_pressed, False
        spot = self._spot_at(event)
        if self.hand is None:
            if spot is not None:
                self._refuse(spot)
        elif spot and spot.column not in (self._spot_of(self.hand).column, RESERVE):
            self._put(spot.column)
        elif not was_pressed or spot is None:
            self.action_put_back()
        elif len(self.targets) == 1:
            self._put(self.targets[0])
        elif not self.targets:
            self._refuse(self.cursor)
        else:
            self.post_message(self.Taken(self.hand))

    def _spot_at(self, event: events.MouseEvent) -> Spot | None:
        x, y = event.offset
        if not 0 <= y < self.size.height:
            return None
        x += self.scroll_offset.x
        if y >= self.grid.head:
            y += self.scroll_offset.y
        return self.grid.spot_at(self.position, x, y)

    def _targets_of(self, spot: Spot) -> list[int]:
        card = card_at(self.position, spot)
        return [] if card is None else self.session.targets(card)

    def _put(self, column: int) -> None:
        assert self.hand is not None
        card = self.hand
        if column == self._spot_of(card).column:
            self.action_put_back()
            return
        if not self.targets:
            self.put_back()
        self.post_message(self.Moved(card, column))

    def _refuse(self, spot: Spot) -> None:
        shown = is_shown(self.session.rules, self.position, spot)
        card = card_at(self.position, spot)
        self.put_back()
        if card is not None:
            self.post_message(self.Refused(card if shown else None))

    # drawing

    def _go(self, spot: Spot) -> None:
        self.cursor = spot
        self._redraw()

    def _redraw(self) -> None:
        self.grid = Grid.fit(self.session.rules, self.size.width)
        block = () if self.hand is None else block_of(self.position, self.hand)
        self._picture = Picture(
            self.session.rules, self.position, self.grid, self.cursor, block, tuple(self.targets)
        )
        self.virtual_size = Size(self.grid.width, self.grid.head + self._picture.lines)
        if self.is_mounted:
            self._follow()
        self.refresh()

    def on_resize(self) -> None:
        """Fit the columns to the new width."""
        self._redraw()

    def _follow(self) -> None:
        """Scroll so that the cursor and what is below it are seen."""
        column, line = max(self.cursor.column, 0), self.cursor.place
        if self.cursor.column == RESERVE:
            line = 0
        seen = Size(self.size.width, self.size.height - self.grid.head)
        left = self.grid.left + column * self.grid.pitch
        x = _nearest(self.scroll_offset.x, left, self.grid.pitch, seen.width)
        y = _nearest(self.scroll_offset.y, line, END, seen.height)
        self.scroll_to(x, y, animate=False)

    def render_line(self, y: int) -> Strip:
        """Return a line of the widget; the head does not scroll."""
        head = self.grid.head
        if y < head:
            pieces = self._picture.head(y)
        else:
            pieces = self._picture.line(y - head + self.scroll_offset.y)
        strip = Strip([Segment(text, self._style(name)) for text, name in pieces])
        left = self.scroll_offset.x
        return strip.crop_extend(left, left + self.size.width, self._style(""))

    def _style(self, name: str) -> Style:
        if name not in self._styles:
            style = self.rich_style
            if name:
                style += self.get_component_rich_style(f"board--{name}", partial=True)
            self._styles[name] = style
        return self._styles[name]

    def notify_style_update(self) -> None:
        """Forget the styles worked out before the theme changed."""
        super().notify_style_update()
        self._styles.clear()


def _nearest(scrolled: int, start: int, length: int, seen: int) -> int:
    """Return how far to scroll, as little as possible, to see ``length`` from ``start``."""
    return min(start, max(scrolled, start + length - seen))
