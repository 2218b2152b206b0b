"""A naive, independent model of the Scorpion family, written from the rules alone.

It shares no code with the library and aims only to be easily seen to be right: columns are lists of
card ids, bottom to top, and every question is answered by searching the board again.

A card's id is ``suits * ranks * deck + ranks * suit + rank`` (ace 0, clubs-diamonds-hearts-spades).
Actions: ``card * n_columns + target`` moves the block led by that card, or that reserve card;
``cards * n_columns`` deals the reserve; the number after it is undo.
"""

import copy
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Protocol

PLACED = 5
TURNED = 5
COMPLETED = 100
RED = (1, 2)
CHANGING = ("columns", "down", "reserve", "score", "flips", "most_standing", "_removed")


class LayoutLike(Protocol):
    """What the oracle reads of a layout."""

    @property
    def columns(self) -> Sequence[int]: ...
    @property
    def face_down(self) -> Sequence[int]: ...
    @property
    def reserve_cards(self) -> int: ...
    @property
    def reserve_columns(self) -> Sequence[int]: ...
    @property
    def decks(self) -> int: ...
    @property
    def suits(self) -> int: ...
    @property
    def ranks(self) -> int: ...


class RulesLike(Protocol):
    """What the oracle reads of a rule set."""

    @property
    def layout(self) -> LayoutLike: ...
    @property
    def build(self) -> str: ...
    @property
    def empty_column(self) -> str: ...
    @property
    def reserve(self) -> str: ...
    @property
    def sequences(self) -> str: ...
    @property
    def pattern(self) -> str: ...
    @property
    def loss(self) -> str: ...
    @property
    def undo_limit(self) -> int | None: ...


class OracleGame:
    """One game.

    Parameters
    ----------
    rules : RulesLike
        The rule set, read by attribute.
    deck : Sequence[int]
        Card ids in the order dealt: row by row, left to right, past full columns; the reserve last.
    """

    def __init__(self, rules: RulesLike, deck: Sequence[int]) -> None:
        layout = rules.layout
        if len(deck) != sum(layout.columns) + layout.reserve_cards or len(set(deck)) != len(deck):
            raise ValueError("the deck does not fit the layout")
        self.rules = rules
        self.suits, self.ranks = layout.suits, layout.ranks
        self.n_columns = len(layout.columns)
        self.deal_action = layout.decks * self.suits * self.ranks * self.n_columns
        self.undo_action = self.deal_action + 1

        left = list(deck)
        self.columns: list[list[int]] = [[] for _ in layout.columns]
        for row in range(max(layout.columns)):
            for column, height in zip(self.columns, layout.columns, strict=True):
                if row < height:
                    column.append(left.pop(0))
        self.down = list(layout.face_down)
        self.reserve: list[int | None] = [*left]
        self.score = 0
        self.flips = 0
        self.most_standing = len(self.standing())
        self._removed = [False] * (layout.decks * self.suits)
        self._history: list[dict[str, Any]] = []

    @property
    def completed(self) -> list[bool]:
        """One flag a king (``deck * suits + suit``): removed, or standing now if sequences stay."""
        if self.rules.sequences == "removed":
            return list(self._removed)
        flags = [False] * len(self._removed)
        for king in self.standing():
            flags[king // self.ranks] = True
        return flags

    @property
    def won(self) -> bool:
        """All sequences removed or, where they stay, alone in their columns."""
        if self.rules.sequences == "removed":
            return all(self._removed)
        heights = [len(cards) for cards in self.columns if cards]
        every = len(self._removed)
        return heights == [self.ranks] * every and len(self.standing()) == every

    @property
    def stuck(self) -> bool:
        """Whether the game is lost."""
        return self._is_lost(self._moves())

    def legal_actions(self) -> set[int]:
        """Every legal action; none once the game has ended."""
        moves = self._moves()
        if self.won or self._is_lost(moves):
            return set()
        return moves | ({self.undo_action} if self._may_undo() else set())

    def play(self, action: int) -> int:
        """Take an action and return what it adds to the score."""
        if action not in self.legal_actions():
            raise ValueError(f"illegal action {action}")
        before = self.score
        if action == self.undo_action:
            self._restore(self._history.pop())
            return self.score - before
        self._history.append(self._snapshot())
        if self.rules.undo_limit is not None:
            del self._history[: max(0, len(self._history) - self.rules.undo_limit)]
        self._apply(action)
        return self.score - before

    def copy(self) -> "OracleGame":
        """A game that goes on independently from the same position."""
        other = copy.copy(self)
        other.columns = [list(cards) for cards in self.columns]
        for name in ("down", "reserve", "_removed", "_history"):
            setattr(other, name, list(getattr(self, name)))
        return other

    def standing(self) -> list[int]:
        """Kings of the complete sequences on top of a column."""
        complete = [i for i in range(self.n_columns) if self._has_complete_top(i)]
        return [self.columns[i][-self.ranks] for i in complete]

    def is_idle(self, action: int) -> bool:
        """Whether a move takes a whole column to an empty one and removes no sequence."""
        if action >= self.deal_action:
            return False
        card, target = divmod(action, self.n_columns)
        source, index = self._find(card)
        if source is None or index > 0 or self.columns[target]:
            return False
        return self.rules.sequences == "stay" or not self._has_complete_top(source)

    def _snapshot(self) -> dict[str, Any]:
        return {name: copy.deepcopy(getattr(self, name)) for name in CHANGING}

    def _restore(self, snapshot: dict[str, Any]) -> None:
        for name, value in snapshot.items():
            setattr(self, name, copy.deepcopy(value))

    def _rank(self, card: int) -> int:
        return card % self.ranks

    def _suit(self, card: int) -> int:
        return card // self.ranks % self.suits

    def _find(self, card: int) -> tuple[int | None, int]:
        """Column and index of a card; no column for a reserve card."""
        for column, cards in enumerate(self.columns):
            if card in cards:
                return column, cards.index(card)
        return None, self.reserve.index(card)

    def _may_undo(self) -> bool:
        return bool(self._history) and not self.won

    def _is_reserve_to_deal(self) -> bool:
        return self.rules.reserve != "play" and any(card is not None for card in self.reserve)

    def _is_lost(self, moves: set[int]) -> bool:
        if self.won or self._may_undo():
            return False
        if all(self.is_idle(move) for move in moves):
            return True
        if self.rules.loss != "sheet" or any(card is not None for card in self.reserve):
            return False
        return not any(self._helps(move) for move in moves)

    def _moves(self) -> set[int]:
        """Legal actions but undo, whether or not the game has ended."""
        playable = self.reserve if self.rules.reserve == "play" else []
        leaders: list[tuple[int | None, int]] = [
            (None, card) for card in playable if card is not None
        ]
        for source, cards in enumerate(self.columns):
            leaders += [(source, card) for card in cards[self.down[source] :]]
        moves = {
            card * self.n_columns + target
            for source, card in leaders
            for target in range(self.n_columns)
            if source != target and self._accepts(target, card)
        }
        if self._is_reserve_to_deal() and (
            self.rules.reserve == "deal" or all(self.is_idle(move) for move in moves)
        ):
            moves.add(self.deal_action)
        return moves

    def _accepts(self, target: int, card: int) -> bool:
        """Whether a block led by a card may go onto a column."""
        if not self.columns[target]:
            return self.rules.empty_column == "any" or self._rank(card) == self.ranks - 1
        onto = self.columns[target][-1]
        return self._rank(onto) == self._rank(card) + 1 and self._fits(self.rules.build, card, onto)

    def _fits(self, relation: str, card: int, onto: int) -> bool:
        """Whether two neighbours are related by suit or colour as a rule asks."""
        if relation == "same_suit":
            return self._suit(card) == self._suit(onto)
        if relation == "alternate_colour":
            return (self._suit(card) in RED) != (self._suit(onto) in RED)
        if relation == "any_suit":
            return True
        raise ValueError(f"unknown relation {relation!r}")

    def _has_complete_top(self, column: int) -> bool:
        """Whether a whole face-up sequence, king to ace, lies on top of a column."""
        top = self.columns[column][-self.ranks :]
        if [self._rank(card) for card in top] != list(reversed(range(self.ranks))):
            return False
        if len(self.columns[column]) - self.ranks < self.down[column]:
            return False
        return all(self._fits(self.rules.pattern, card, onto) for onto, card in pairwise(top))

    def _apply(self, action: int) -> None:
        """Change the position; the history is the caller's business."""
        if action == self.deal_action:
            received = list(self.rules.layout.reserve_columns)
            for card, column in zip(self.reserve, received, strict=True):
                assert card is not None
                self.columns[column].append(card)
            self.reserve = [None] * len(self.reserve)
        else:
            card, target = divmod(action, self.n_columns)
            received = [target]
            self._move(card, target)
        if self.rules.sequences == "removed":
            for column in dict.fromkeys(received):
                self._remove_sequence(column)
            return
        new = max(0, len(self.standing()) - self.most_standing)
        self.score += COMPLETED * new
        self.most_standing += new

    def _move(self, card: int, target: int) -> None:
        source, index = self._find(card)
        onto = self.columns[target][-1:]
        if onto and self._suit(onto[0]) == self._suit(card):
            self.score += PLACED
        if source is None:
            self.reserve[index] = None
            self.columns[target].append(card)
            return
        self.columns[target].extend(self.columns[source][index:])
        del self.columns[source][index:]
        self._turn(source)

    def _turn(self, column: int) -> None:
        """Turn a column's top card if it is face-down."""
        if self.columns[column] and self.down[column] == len(self.columns[column]):
            self.down[column] -= 1
            self.flips += 1
            self.score += TURNED

    def _remove_sequence(self, column: int) -> None:
        """Remove the complete sequence on top of a column, if there is one."""
        if self._has_complete_top(column):
            king = self.columns[column][-self.ranks]
            self._removed[king // self.ranks] = True
            del self.columns[column][-self.ranks :]
            self.score += COMPLETED
            self._turn(column)

    def _helps(self, move: int) -> bool:
        """Whether a card move turns a card or completes a sequence at once, where it goes."""
        card, target = divmod(move, self.n_columns)
        source, index = self._find(card)
        is_whole = source is not None and len(self.columns[source]) - index >= self.ranks
        before = self._snapshot()
        self._apply(move)
        turns = self.flips > before["flips"]
        removes = sum(self._removed) > sum(before["_removed"])
        completes = self._has_complete_top(target) and not is_whole
        self._restore(before)
        return turns or removes or completes
