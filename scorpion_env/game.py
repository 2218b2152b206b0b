"""One game of Scorpion with a readable face, for people, tests and agents."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from scorpion_env.cards import rank_of, suit_of
from scorpion_env.deals import lay_out, lay_out_seed, read_deal
from scorpion_env.engine.moves import apply
from scorpion_env.engine.outcome import settle
from scorpion_env.engine.state import (
    LOST,
    SCORE,
    STATUS,
    UNDOABLE,
    WON,
    State,
    can_lead,
    copy_state,
    empty_state,
    row_of,
)
from scorpion_env.notation import name_card, name_move, parse_move, write_board
from scorpion_env.position import Position, read_position
from scorpion_env.render.svg import draw_svg
from scorpion_env.rules import Rules, is_whole
from scorpion_env.variants import find_rules


class Game:
    """A game of Scorpion.

    Parameters
    ----------
    seed : int, optional
        Deals the game that an environment deals after ``reset(seed=seed)``. With a board text that
        has ``##`` places, draws the cards there.
    rules : str or Rules
        A name of `scorpion_env.VARIANTS` or rules of your own.
    deal : int, str or sequence of str, optional
        A deal number, a board text or the cards (see `scorpion_env.deals.read_deal`).

    Raises
    ------
    ValueError
        If neither seed nor deal is given, or the deal cannot be read.

    Examples
    --------
    >>> game = Game(deal="ms1")
    >>> game.legal_moves()
    ['5C>3', '7C>5', '7D>1', '5S>7', 'JS>2', 'deal']
    >>> game.play("7D>1")
    5
    """

    def __init__(
        self,
        seed: int | None = None,
        rules: str | Rules = "classic",
        deal: Any = None,
    ) -> None:
        if seed is None and deal is None:
            raise ValueError("give a seed or a deal")
        self.rules = find_rules(rules)
        self._state = row_of(empty_state(self.rules, 1, undoable=0), 0)
        self._mask = np.zeros(self.rules.actions, np.int8)
        self._past: list[tuple[State, int]] = []
        if deal is None:
            self.deal_number = lay_out_seed(self.rules, self._state, self._mask, seed).number
        else:
            self._begin(deal, seed)

    def _begin(self, asked: Any, seed: int | None) -> None:
        given = read_deal(asked, self.rules, seed)
        self.deal_number = given.number
        lay_out(self.rules, self._state, given)
        self._settle()

    def _settle(self) -> int:
        return settle(self.rules.compiled, self._state, self._mask)

    def _set_undoable(self, number: int) -> None:
        """Set how many actions the rules let the player take back."""
        limit = self.rules.undo_limit
        self._state.counters[UNDOABLE] = max(number if limit is None else min(number, limit), 0)

    @property
    def position(self) -> Position:
        """Where every card lies, hidden ones too."""
        return read_position(self._state)

    @property
    def state(self) -> State:
        """A copy of the engine's state of this one game."""
        return copy_state(self._state)

    @property
    def score(self) -> int:
        """The app's score so far, in points."""
        return int(self._state.counters[SCORE])

    @property
    def is_won(self) -> bool:
        """Whether every sequence is complete."""
        return bool(self._state.counters[STATUS] == WON)

    @property
    def is_stuck(self) -> bool:
        """Whether the game is lost; see `Rules.loss`."""
        return bool(self._state.counters[STATUS] == LOST)

    @property
    def actions(self) -> list[int]:
        """The actions played so far and not taken back."""
        return [action for _, action in self._past]

    def action_mask(self) -> npt.NDArray[np.int8]:
        """Return the legal actions (actions,)."""
        return self._mask.copy()

    def legal_moves(self) -> list[str]:
        """Return the legal moves as text, in the order of their actions."""
        return [name_move(self.rules, int(a)) for a in np.flatnonzero(self._mask)]

    def play(self, move: str | int | np.integer[Any]) -> int:
        """Play a move; return the points it brings.

        Parameters
        ----------
        move : str or int
            A move as text (see `scorpion_env.notation`) or an action.

        Raises
        ------
        ValueError
            If it is no legal move; the message says why where the rules have a word for it.
        """
        action = self._read_move(move)
        if not 0 <= action < self.rules.actions or not self._mask[action]:
            raise ValueError(self._why_not(action))
        before = self.score
        if action > self.rules.deal_action:
            self.undo()
        else:
            undoable = int(self._state.counters[UNDOABLE])
            self._past.append((copy_state(self._state), action))
            apply(self.rules.compiled, self._state, action)
            self._set_undoable(undoable + 1)
            self._settle()
        return self.score - before

    def _read_move(self, move: Any) -> int:
        if isinstance(move, str):
            return parse_move(self.rules, move)
        if not is_whole(move):
            raise ValueError(f"{move!r} is no move: give text such as 'deal', or an action")
        return int(move)

    def undo(self) -> None:
        """Take the last move back; a person may always do so, back to the start of the game.

        Raises
        ------
        ValueError
            If nothing has been played.
        """
        if not self._past:
            raise ValueError("there is no move to take back")
        undoable = int(self._state.counters[UNDOABLE])
        state, _ = self._past.pop()
        self._state = copy_state(state)
        self._set_undoable(undoable - 1)
        self._settle()

    def copy(self) -> Self:
        """Return a game that goes on independently."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._state = copy_state(self._state)
        other._mask = self._mask.copy()
        other._past = self._past.copy()  # nothing changes the states in it
        return other

    def get_state(self) -> Game:
        """Return a copy of the game as it stands, its past with it, to go back to."""
        return self.copy()

    def set_state(self, state: Game) -> None:
        """Go back to a state of `get_state`.

        Raises
        ------
        ValueError
            If it is no game of these rules.
        """
        if not isinstance(state, Game) or state.rules != self.rules:
            raise ValueError("this is no state of a game of these rules: give what get_state gave")
        self.__dict__.update(state.copy().__dict__)

    def rejection(self, card: int, target: int) -> str:
        """Return why a block may not go onto a column, "" where the app has no words for it.

        Parameters
        ----------
        card : int
            The card that leads the block.
        target : int
            The column, from 0.
        """
        layout = self.rules.layout
        if not can_lead(self.rules.compiled, self._state, card):
            return f"{name_card(self.rules, card)} does not lie face-up"
        cards = self.position.columns[target]
        if not cards:
            is_king = rank_of(card, layout.ranks) == layout.ranks - 1
            wants_king = self.rules.empty_column == "king" and not is_king
            return "only a king may go to an empty column" if wants_king else ""
        suits = [suit_of(c, layout.suits, layout.ranks) for c in (card, cards[-1])]
        wants_suit = self.rules.build == "same_suit" and suits[0] != suits[1]
        return "the cards must be of the same suit" if wants_suit else ""

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def to_text(self, reveal: bool = False) -> str:
        """Return the board as text; with ``reveal`` it reads back to the same position."""
        return write_board(self.rules, self.position, reveal)

    def to_svg(self, reveal: bool = False) -> str:
        """Return the board as a picture in SVG; with ``reveal`` face-down cards are named."""
        return draw_svg(self.rules, self._state, reveal)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Game of {self.score} points, {len(self._past)} moves played>\n{self}"

    def _why_not(self, action: int) -> str:
        """Return why an action is illegal, in the app's words where it has them."""
        if not 0 <= action < self.rules.actions:
            return f"action {action} is outside the action space 0 to {self.rules.actions - 1}"
        move = name_move(self.rules, action)
        if self.is_won or self.is_stuck:
            return f"{move} is illegal: the game is {'won' if self.is_won else 'lost'}"
        if action < self.rules.deal_action:
            reason = self.rejection(*divmod(action, len(self.rules.layout.columns)))
            if reason:
                return f"{move} is illegal: {reason}"
        return f"{move} is illegal here: legal are {', '.join(self.legal_moves()) or 'no moves'}"
