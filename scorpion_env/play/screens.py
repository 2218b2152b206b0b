"""Screens over the game: choosing one, reading a text, naming a file."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from scorpion_env.describe import layout_text, rules_text, title_of
from scorpion_env.play.saved import Chosen, SavedGame, new_file
from scorpion_env.play.session import FIRST_VARIANT, Session
from scorpion_env.variants import VARIANTS

_CSS = """
    SCREEN { align: center middle; }
    SCREEN > .window {
        width: 78; max-width: 100%; height: auto; max-height: 100%;
        border: round $primary; padding: 0 1; background: $surface;
    }
"""


class ChooseScreen(ModalScreen[Chosen | None]):
    """Choose a saved game to go on with or a variant to begin.

    Parameters
    ----------
    saved : list of SavedGame
        Games to go on with.
    variant : str
        The variant to begin that is shown first.
    """

    CSS = _CSS.replace("SCREEN", "ChooseScreen") + "OptionList { max-height: 19; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "winnable", "Only deals that can be won"),
        Binding("escape", "dismiss(None)", "Back"),
    ]

    def __init__(self, saved: list[SavedGame], variant: str) -> None:
        super().__init__()
        self._saved = saved
        self._variant = variant
        self._only_winnable = False

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        saved = [Option(f"Go on: {_describe(game)}") for game in self._saved]
        new = [Option(_line(name), id=name) for name in VARIANTS]
        with Vertical(classes="window"):
            yield OptionList(*saved, *([None] if saved else []), *new, markup=False, compact=True)
            yield Label(id="winnable", markup=False)
            yield Label("Enter begins, Escape goes back.", markup=False)

    def on_mount(self) -> None:
        """Point at the first saved game, or at the variant."""
        options = self.query_one(OptionList)
        options.highlighted = 0 if self._saved else options.get_option_index(self._variant)
        self._show_winnable()

    def action_winnable(self) -> None:
        """Ask for deals that can be won, or for any."""
        self._only_winnable = not self._only_winnable
        self._show_winnable()

    def _show_winnable(self) -> None:
        asked = "only deals that can be won" if self._only_winnable else "any deal"
        self.query_one("#winnable", Label).update(f"New games: {asked}. w changes that.")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Begin or go on."""
        if event.option_id is None:
            game = self._saved[event.option_index]
            self.dismiss(Chosen(Session.resumed(game.record), game.path))
        else:
            session = Session.new(event.option_id, self._only_winnable)
            self.dismiss(Chosen(session, new_file(session)))


def _line(name: str) -> str:
    rules = VARIANTS[name]
    differs = rules_text(rules) != rules_text(VARIANTS[FIRST_VARIANT])
    return f"{title_of(name):<28}{rules_text(rules) if differs else layout_text(rules.layout)}"


def _describe(game: SavedGame) -> str:
    record, ago = game.record, datetime.now() - game.saved_at
    when = f"{game.saved_at:%d %B %Y, %H:%M}"
    if ago < timedelta(hours=2):
        minutes = ago // timedelta(minutes=1)
        when = f"{minutes} minutes ago" if minutes > 1 else "just now"
    moves = len(record.actions)
    score = f"{moves} move{'s' * (moves > 1)}, {record.scores[-1]} points"
    return f"{Session.resumed(record).title}, {score}, {when}"


class TextScreen(ModalScreen[None]):
    """A text to read; any of the usual keys closes it.

    Parameters
    ----------
    title : str
        Its heading.
    text : str
        What is to be read.
    """

    CSS = _CSS.replace("SCREEN", "TextScreen")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,space,question_mark", "dismiss(None)", "Close"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._heading, self._text = title, text

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        with VerticalScroll(classes="window") as window:
            window.border_title = self._heading
            window.border_subtitle = "Escape closes"
            yield Static(self._text, markup=False)


class FileScreen(ModalScreen[str | None]):
    """Name a file.

    Parameters
    ----------
    question : str
        What it is for.
    name : str
        The name that is offered.
    """

    CSS = _CSS.replace("SCREEN", "FileScreen")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Back")]

    def __init__(self, question: str, name: str) -> None:
        super().__init__()
        self._question, self._offered = question, name

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        with Vertical(classes="window") as window:
            window.border_title = self._question
            window.border_subtitle = "Enter writes, Escape goes back"
            yield Input(self._offered, compact=True, select_on_focus=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the name."""
        event.stop()
        self.dismiss(event.value.strip() or None)
