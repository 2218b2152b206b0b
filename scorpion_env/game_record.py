"""One game as it was played, and whether it can have been."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scorpion_env.deals import deal_of_seed
from scorpion_env.game import Game
from scorpion_env.rules import Rules

MAX_ACTIONS = 20_000
_MAX_SUM = 1.01  # of probabilities, which may have been rounded

Ending = Literal["won", "lost", "stopped"]
Choice = tuple[int, float]  # an action and its probability


@dataclass(frozen=True)
class GameRecord:
    """One game as it was played; the fields are those of the format, see `scorpion_env.records`.

    Attributes
    ----------
    rules : Rules
        What was played.
    deal : int, str or tuple of str
        What `scorpion_env.game.Game` takes as ``deal``: a number, PySolFC's name, a board text, or
        the cards.
    actions : tuple of int
        The actions in the order played.
    scores : tuple of int
        The score after each action.
    ended : {"won", "lost", "stopped"}
        How it ended.
    player : str
        Who played.
    seed : int or None
        The seed of the deal.
    choices : tuple of tuple of (int, float)
        For each action the player's top choices with their probabilities; empty where none are
        recorded.
    """

    rules: Rules
    deal: int | str | tuple[str, ...]
    actions: tuple[int, ...]
    scores: tuple[int, ...]
    ended: Ending
    player: str = ""
    seed: int | None = None
    choices: tuple[tuple[Choice, ...], ...] = ()

    def replay(self, moves: int | None = None) -> Game:
        """Return the game after its first ``moves`` actions, or after all of them.

        Raises
        ------
        ValueError
            If the deal cannot be dealt or an action is illegal; never for a record that was read.
        """
        game = Game(rules=self.rules, deal=self.deal)
        for action in self.actions[:moves]:
            game.play(action)
        return game

    def check(self) -> None:
        """Raise ValueError if no game can have been played so; the message says what is wrong."""
        self._check_player()
        self._check_seed()
        if len(self.actions) > MAX_ACTIONS:
            raise ValueError(f"{len(self.actions)} actions, where {MAX_ACTIONS} are the most")
        if len(self.scores) != len(self.actions):
            raise ValueError(f"{len(self.actions)} actions and {len(self.scores)} scores")
        if self.choices and len(self.choices) != len(self.actions):
            raise ValueError(f"{len(self.actions)} actions and choices for {len(self.choices)}")
        game = self.replay(0)
        for number in range(len(self.actions)):
            try:
                self._check_move(game, number)
            except ValueError as problem:
                raise ValueError(f"move {number + 1}: {problem}") from None
        if ending_of(game) != self.ended:
            raise ValueError(f"the game is said to be {self.ended}, it is {ending_of(game)}")

    def _check_player(self) -> None:
        if not isinstance(self.player, str):
            raise ValueError(f"player={reprlib.repr(self.player)} is no text")
        try:
            self.player.encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError("player holds half of a character (a lone surrogate)") from None

    def _check_seed(self) -> None:
        if self.seed is None:
            return
        if type(self.seed) is not int or not 0 <= self.seed < 2**64:
            raise ValueError(f"seed={reprlib.repr(self.seed)} is no whole number below 2**64")
        if not isinstance(self.deal, int):
            raise ValueError("a seed goes with the number of a deal")
        number = deal_of_seed(self.seed, self.rules).number
        if number != self.deal:
            raise ValueError(f"seed {self.seed} deals number {number}, not {self.deal}")

    def _check_move(self, game: Game, number: int) -> None:
        """Raise ValueError if a move or what was thought of it is wrong; play it."""
        if self.choices:
            _check_choices(game, self.choices[number])
        game.play(self.actions[number])
        if game.score != self.scores[number]:
            raise ValueError(f"the score is said to be {self.scores[number]}, it is {game.score}")


def _check_choices(game: Game, choices: Sequence[Choice]) -> None:
    mask = game.action_mask()
    for action, share in choices:
        if not (0 <= action < len(mask) and mask[action]):
            raise ValueError(f"the choice of action {reprlib.repr(action)} is illegal")
        if not 0 <= share <= 1:
            raise ValueError(f"{share} is no probability from 0 to 1")
    if len({action for action, _ in choices}) < len(choices):
        raise ValueError("an action is named twice among its choices")
    if sum(share for _, share in choices) > _MAX_SUM:
        raise ValueError("the probabilities of its choices add up to more than 1")


def ending_of(game: Game) -> Ending:
    """Return how a game has ended, "stopped" where it has not."""
    if game.is_won:
        return "won"
    return "lost" if game.is_stuck else "stopped"


def record_game(
    game: Game,
    player: str = "",
    *,
    seed: int | None = None,
    choices: Sequence[Sequence[Choice]] = (),
) -> GameRecord:
    """Return the record of a game as it stands, without the moves that were taken back.

    Parameters
    ----------
    game : Game
        Is not changed.
    player : str
        Who played it.
    seed : int, optional
        The seed it was dealt from.
    choices : sequence, optional
        For each action of ``game.actions`` a sequence of (action, probability).

    Raises
    ------
    ValueError
        If the player, the seed or the choices do not fit the game.
    """
    deal: int | str = game.deal_number
    if not deal:
        start = game.copy()
        for _ in game.actions:
            start.undo()
        deal = start.to_text(reveal=True)
    return record_actions(game.rules, deal, game.actions, player, seed=seed, choices=choices)


def record_actions(
    rules: Rules,
    deal: int | str | tuple[str, ...],
    actions: Sequence[int],
    player: str = "",
    *,
    seed: int | None = None,
    choices: Sequence[Sequence[Choice]] = (),
) -> GameRecord:
    """Play actions, undo among them where the rules allow it; return the record of the game.

    See `GameRecord` for the parameters.

    Raises
    ------
    ValueError
        If the deal cannot be dealt, an action is illegal, or the rest does not fit the game.
    """
    game = Game(rules=rules, deal=deal)
    scores = []
    for action in actions:
        game.play(action)
        scores.append(game.score)
    record = GameRecord(
        rules,
        deal,
        tuple(map(int, actions)),
        tuple(scores),
        ending_of(game),
        player,
        seed,
        tuple(tuple((int(action), float(share)) for action, share in some) for some in choices),
    )
    record.check()
    return record
