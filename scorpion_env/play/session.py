"""A game that a person plays: moves, undo and redo, and how it stands."""

from __future__ import annotations

import secrets
from typing import Literal, Self

import numpy as np

from scorpion_env.describe import title_of
from scorpion_env.engine.outcome import settle
from scorpion_env.engine.state import LOST, UNDOABLE
from scorpion_env.game import Game
from scorpion_env.notation import name_move
from scorpion_env.play.entry import read_entry
from scorpion_env.play.reasons import why_no_deal, why_refused
from scorpion_env.records import GameRecord, name_rules, record_game
from scorpion_env.suites import find_suite

Outcome = Literal["playing", "won", "stuck"]

FIRST_VARIANT = "classic"
NEW_SEEDS = 1_000_000  # new games have short seeds, which can be told to others
PLAYER = "person"


class Session:
    """A game with what a person may do to it.

    Parameters
    ----------
    game : Game
        The game, as far as it has been played.
    seed : int, optional
        The seed that it was dealt from.
    """

    def __init__(self, game: Game, seed: int | None = None) -> None:
        self.game = game
        self.rules = game.rules
        self.seed = seed
        self._undone: list[int] = []

    @classmethod
    def new(cls, name: str, only_winnable: bool = False) -> Self:
        """Return a new game of a variant; if so asked, one that can be won."""
        if only_winnable:
            suite = find_suite(f"{name}-winnable")
            seed = suite.seed(secrets.randbelow(len(suite.seeds)))
        else:
            seed = secrets.randbelow(NEW_SEEDS)
        return cls(Game(seed, name), seed)

    @classmethod
    def resumed(cls, record: GameRecord) -> Self:
        """Return the game of a record, to go on with."""
        return cls(record.replay(), record.seed)

    def record(self) -> GameRecord:
        """Return the record of the game; moves that were taken back are not in it."""
        return record_game(self.game, PLAYER, seed=self.seed)

    @property
    def name(self) -> str:
        """The variant's name, "own_rules" where the rules have none."""
        return name_rules(self.rules) or "own_rules"

    @property
    def title(self) -> str:
        """What is played, for example ``Three Blind Mice, seed 42``."""
        if self.seed is not None:
            return f"{title_of(self.name)}, seed {self.seed}"
        number = self.game.deal_number
        return title_of(self.name) + (f", deal {number}" if number else "")

    @property
    def outcome(self) -> Outcome:
        """How the game stands; that moves can be taken back does not count."""
        if self.game.is_won:
            return "won"
        state = self.game.state
        state.counters[UNDOABLE] = 0
        mask = np.zeros(self.rules.actions, np.int8)
        return "stuck" if settle(self.rules.compiled, state, mask) == LOST else "playing"

    def targets(self, card: int) -> list[int]:
        """Return the columns, from 0, that the block led by a card may go to."""
        columns = len(self.rules.layout.columns)
        legal = self.game.action_mask()[card * columns : (card + 1) * columns]
        return [int(column) for column in np.flatnonzero(legal)]

    def move(self, card: int, column: int) -> None:
        """Move a block onto a column, from 0.

        Raises
        ------
        ValueError
            If that is illegal; the message says why.
        """
        action = card * len(self.rules.layout.columns) + column
        if column not in self.targets(card) and self.outcome == "playing":
            name = name_move(self.rules, action)
            raise ValueError(f"{name} is illegal: {why_refused(self.game, card, column)}")
        self._play(action)

    def deal(self) -> None:
        """Deal the reserve.

        Raises
        ------
        ValueError
            If it cannot be dealt; the message says why.
        """
        if not self.game.action_mask()[self.rules.deal_action]:
            raise ValueError(why_no_deal(self.game))
        self._play(self.rules.deal_action)

    def undo(self, moves: int = 1) -> None:
        """Take moves back; raise ValueError if there are not so many."""
        for _ in range(moves):
            last = self.game.actions[-1:]
            self.game.undo()
            self._undone += last

    def redo(self) -> None:
        """Play again what was taken back last; raise ValueError if nothing was."""
        if not self._undone:
            raise ValueError("there is no move to play again")
        self.game.play(self._undone.pop())

    def restart(self) -> None:
        """Take all moves back; they can be played again."""
        self.undo(len(self.game.actions))

    def enter(self, text: str) -> None:
        """Move as a text says, see `read_entry`.

        Raises
        ------
        ValueError
            If it is no move or an illegal one; the message says why.
        """
        self.move(*divmod(read_entry(self.game, text), len(self.rules.layout.columns)))

    def _play(self, action: int) -> None:
        self.game.play(action)
        if self._undone[-1:] == [action]:
            self._undone.pop()
        else:
            self._undone.clear()
