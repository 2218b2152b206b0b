"""The application that a person plays in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Footer, Static

from scorpion_env.cards import SUITS
from scorpion_env.game import Game
from scorpion_env.notation import name_move
from scorpion_env.play.board import Board
from scorpion_env.play.faces import SYMBOLS, face_of, with_symbols
from scorpion_env.play.help import help_text
from scorpion_env.play.hints import Hint, guess, look
from scorpion_env.play.reasons import why_it_stays
from scorpion_env.play.saved import Chosen, new_file, save, unfinished_games
from scorpion_env.play.screens import ChooseScreen, FileScreen, TextScreen
from scorpion_env.play.session import FIRST_VARIANT, Outcome, Session
from scorpion_env.play.thinker import Find, Thinker
from scorpion_env.records import write_records
from scorpion_env.variants import VARIANTS

_ENDINGS: dict[Outcome, str] = {
    "playing": "",
    "won": "Won! n deals another game, e writes this one to a file.",
    "stuck": (
        "Stuck: no move helps any more. u takes moves back, h says how far it could still be won, "
        "b begins again, n deals another game."
    ),
}


class PlayApp(App[None]):
    """Play one game after another.

    Parameters
    ----------
    chosen : Chosen, optional
        The game to begin with; by default the person is asked.
    """

    TITLE = "Scorpion"
    CSS = """
    #status { height: 1; padding: 0 1; background: ansi_blue; }
    #status Static { color: ansi_bright_white; background: ansi_blue; text-style: bold; }
    #title { width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
    #facts { width: auto; }
    #said { height: auto; min-height: 2; max-height: 5; padding: 0 1; }
    FooterKey .footer-key--key { color: ansi_bright_yellow; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u,ctrl+z", "undo", "Undo", key_display="u"),
        Binding("r,ctrl+y", "redo", "Redo", key_display="r"),
        Binding("d", "deal", "Deal"),
        Binding("h", "hint(True)", "Hint"),
        Binding("f", "hint(False)", "Fair hint"),
        Binding("b", "restart", "Begin again", show=False),
        Binding("n", "new", "New"),
        Binding("e", "export", "Export", show=False),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("ctrl+q", "quit", "Quit", priority=True),
    ]

    def __init__(self, chosen: Chosen | None = None) -> None:
        super().__init__(ansi_color=True)
        self._asks = chosen is None
        if chosen is None:
            session = Session.new(FIRST_VARIANT)
            chosen = Chosen(session, new_file(session))
        self._begin(chosen)
        self._thinker = Thinker()
        self._is_thinking = False

    def _begin(self, chosen: Chosen) -> None:
        self.session, self.path = chosen.session, chosen.path

    def compose(self) -> ComposeResult:
        """Lay the game out."""
        with Horizontal(id="status"):
            yield Static(id="title", markup=False)
            yield Static(id="facts", markup=False)
        yield Board(self.session)
        yield Static(id="said", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Show the game, or ask for one."""
        self.theme = "ansi-dark"  # the terminal's own colours
        self._board.focus()
        self._show_game("Arrows and Enter or the mouse move cards, ? explains.")
        if self._asks:
            self.action_new()

    @property
    def _board(self) -> Board:
        return self.screen_stack[0].query_one(Board)

    def _say(self, text: str) -> None:
        self._said = text
        typed = self._board.typed
        said = f"Move: {typed}▏ {text}" if typed else text
        self.screen_stack[0].query_one("#said", Static).update(said)

    # playing

    def _do(self, change: Callable[[], None], said: str = "") -> bool:
        """Change the game and say what came of it, or why not; return if it changed."""
        before = self.session.game.score
        try:
            change()
        except ValueError as problem:
            self._say(_sentence(problem))
            return False
        points = self.session.game.score - before
        self._show_game(said or (f"{points} points." if points > 0 else ""))
        self._save()
        return True

    def _show_game(self, said: str) -> None:
        self._stop_thinking()
        session = self.session
        self._board.refresh_game()
        screen = self.screen_stack[0]
        screen.query_one("#title", Static).update(session.title)
        screen.query_one("#facts", Static).update(_facts(session))
        self._say(f"{said} {_ENDINGS[session.outcome]}".strip())

    def _save(self) -> None:
        try:
            save(self.session, self.path)
        except (OSError, ValueError) as problem:
            self._say(f"The game is not saved ({_reason(problem)}): e writes it to another file.")

    def on_board_moved(self, event: Board.Moved) -> None:
        """Move a block."""
        self._do(lambda: self.session.move(event.card, event.column))

    def on_board_taken(self, event: Board.Taken) -> None:
        """Say where the cards in hand can go."""
        columns = [str(column + 1) for column in self.session.targets(event.card)]
        where = f"column {columns[0]}" if len(columns) == 1 else f"columns {', '.join(columns)}"
        card = face_of(self.session.rules, event.card)
        self._say(f"{card} can go to {where}: Enter or a click puts it there, Escape puts it back.")

    def on_board_refused(self, event: Board.Refused) -> None:
        """Say why a card can go nowhere."""
        if event.card is None:
            self._say("That card lies face-down.")
        else:
            self._say(_sentence(why_it_stays(self.session.game, event.card)))

    def on_board_put_back(self) -> None:
        """Stop what is under way."""
        self._say("Cancelled." if self._stop_thinking() else "")

    def action_undo(self) -> None:
        """Take the last move back."""
        last = self.session.game.actions[-1:]
        self._do(self.session.undo, f"Took back {self._move_text(last[0])}." if last else "")

    def action_redo(self) -> None:
        """Play a move again that was taken back."""
        self._do(self.session.redo)

    def action_restart(self) -> None:
        """Take all moves back."""
        self._do(self.session.restart, "Back at the start; r plays the moves again.")

    def action_deal(self) -> None:
        """Deal the reserve."""
        self._do(self.session.deal)

    def _move_text(self, action: int) -> str:
        return with_symbols(name_move(self.session.rules, action))

    def on_board_typing(self) -> None:
        """Show what is typed."""
        self._say("(Enter plays it, Escape leaves it)" if self._board.typed else "")

    def on_board_entered(self, event: Board.Entered) -> None:
        """Do what was typed; what is refused can be mended."""
        if not self._do(lambda: self.session.enter(event.text)):
            self._board.typed = self._board.typed or event.text
            self._say(self._said)

    # hints

    def action_hint(self, looks: bool) -> None:
        """Think about what still wins, and say it."""
        outcome = self.session.outcome
        if outcome == "won" or (outcome == "stuck" and not looks):
            self._say(_ENDINGS[outcome])
            return
        self._is_thinking = True
        self._say("Thinking ... Escape cancels. The first of its kind takes some 15 seconds more.")
        self.run_worker(self._think(look if looks else guess, self.session.game.copy()))

    async def _think(self, find: Find, game: Game) -> None:
        hint = await self._thinker.ask(find, game)
        if hint is not None:
            self._is_thinking = False
            self._show_hint(hint)

    def _stop_thinking(self) -> bool:
        """Give up a hint that is thought about; say if there was one."""
        was_thinking, self._is_thinking = self._is_thinking, False
        self._thinker.forget()
        return was_thinking

    def on_unmount(self) -> None:
        """End the process that thinks."""
        self._thinker.close()

    def _show_hint(self, hint: Hint) -> None:
        text = with_symbols(hint.text)
        columns = len(self.session.rules.layout.columns)
        if hint.action is not None and hint.action < self.session.rules.deal_action:
            self._board.take(*divmod(hint.action, columns))
            text += " Enter plays it."
        self._say(text)
        if hint.proof:
            proof = with_symbols(hint.proof).replace(". ", ".\n")  # a sentence a line
            self.push_screen(TextScreen("Why this is lost", f"{text}\n\n{proof}"))

    # screens

    def action_new(self) -> None:
        """Ask for another game."""
        saved = [game for game in unfinished_games() if game.path != self.path]
        name = self.session.name
        self.push_screen(
            ChooseScreen(saved, name if name in VARIANTS else FIRST_VARIANT), self._change_game
        )

    def _change_game(self, chosen: Chosen | None) -> None:
        if chosen is not None:
            self._begin(chosen)
            self._board.show_game(chosen.session)
            self._show_game("")

    def action_export(self) -> None:
        """Ask for a file to write the game to."""
        deal = self.session.game.deal_number if self.session.seed is None else self.session.seed
        name = f"{self.session.name}-{deal}.jsonl"
        self.push_screen(
            FileScreen("Write a record of this game to a new file", name), self._export
        )

    def _export(self, name: str | None) -> None:
        if name is None:
            return
        path = Path(name).expanduser()
        if path.exists():
            self._say(f"{path} is there already: name another file.")
            return
        try:
            write_records(path, [self.session.record()])
        except (OSError, ValueError) as problem:
            self._say(f"{path} cannot be written: {_reason(problem)}. Name another file.")
        else:
            self._say(f"Written to {path}.")

    def action_help(self) -> None:
        """Explain the keys and the rules."""
        self.push_screen(TextScreen("Help", help_text(self.session)))


def _sentence(problem: ValueError | str) -> str:
    text = with_symbols(str(problem))
    return f"{text[0].upper()}{text[1:]}."


def _reason(problem: OSError | ValueError) -> str:
    """Return why a file could not be written, without the name of the temporary one."""
    return (isinstance(problem, OSError) and problem.strerror) or str(problem)


def _facts(session: Session) -> str:
    state, layout = session.game.state, session.rules.layout
    done = [SYMBOLS[SUITS[king % layout.suits]] for king in state.completed.nonzero()[0]]
    sequences = "".join(done) + "·" * (layout.sequences - len(done))
    moves = len(session.game.actions)
    return f"Score {session.game.score}   Moves {moves}   Sequences {sequences}"
