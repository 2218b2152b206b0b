"""The rules of a Scorpion game as data, and the numbers that the compiled engine reads.

The options and what each source says of them are documented field by field below.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, NoReturn, TypeGuard, get_args

import numpy as np
import numpy.typing as npt

from scorpion_env.cards import RED_SUITS, rank_of, suit_of

Build = Literal["same_suit", "any_suit", "alternate_colour"]
EmptyColumn = Literal["king", "any"]
Reserve = Literal["deal", "deal_when_idle", "play"]
Sequences = Literal["removed", "stay"]
Pattern = Literal["same_suit", "alternate_colour"]
Loss = Literal["stuck", "sheet"]

MAX_CARDS = 208  # four decks: card + 1 and "face-down" still fit a uint8 observation
MAX_COLUMNS = 31  # one bit a column in an undo record
MAX_LIMIT = 2**31 - 1  # steps and moves are counted in 32 bits


def _refuse(problem: str) -> NoReturn:
    raise ValueError(f"these rules cannot be dealt: {problem}")


def is_whole(value: object) -> TypeGuard[int]:
    """Say whether a value is a whole number, NumPy's among them; True and False are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _whole(name: str, value: object) -> int:
    if not is_whole(value):
        _refuse(f"{name} holds {value!r}, which is no whole number")
    return int(value)


def _whole_row(name: str, values: Any) -> tuple[int, ...]:
    try:
        row = tuple(values)
    except TypeError:
        _refuse(f"{name} is {values!r}, where a row of whole numbers belongs")
    return tuple(_whole(name, value) for value in row)


@dataclass(frozen=True)
class Layout:
    """What is dealt where.

    Parameters
    ----------
    columns : tuple of int
        Cards dealt to each column, row by row, left to right.
    face_down : tuple of int
        How many of each column's cards, counted from the bottom, are face-down.
    reserve_cards : int
        Cards left over for the reserve.
    reserve_columns : tuple of int
        The column (from 0) that each reserve card is dealt on; empty where the reserve is played.
    decks : int
        Packs that are shuffled together.
    suits : int
        Suits of a pack; packs of fewer than 4 are for tests and studies.
    ranks : int
        Ranks of a suit, likewise.

    Raises
    ------
    ValueError
        If such a layout cannot be dealt; the message says why.
    """

    columns: tuple[int, ...] = (7,) * 7
    face_down: tuple[int, ...] = (3, 3, 3, 3, 0, 0, 0)
    reserve_cards: int = 3
    reserve_columns: tuple[int, ...] = (0, 1, 2)
    decks: int = 1
    suits: int = 4
    ranks: int = 13

    def __post_init__(self) -> None:
        for name in ("columns", "face_down", "reserve_columns"):
            object.__setattr__(self, name, _whole_row(name, getattr(self, name)))
        for name in ("reserve_cards", "decks", "suits", "ranks"):
            object.__setattr__(self, name, _whole(name, getattr(self, name)))
        self._check_pack()
        self._check_columns()
        self._check_reserve()

    def _check_pack(self) -> None:
        if not (self.decks >= 1 and 1 <= self.suits <= 4 and 2 <= self.ranks <= 13):
            _refuse("it needs at least 1 deck, 1 to 4 suits and 2 to 13 ranks")
        if self.cards > MAX_CARDS:
            _refuse(f"{self.cards} cards are more than {MAX_CARDS}")

    def _check_columns(self) -> None:
        if not 2 <= len(self.columns) <= MAX_COLUMNS:
            _refuse(f"{len(self.columns)} columns, where 2 to {MAX_COLUMNS} are possible")
        if len(self.face_down) != len(self.columns):
            _refuse(f"face_down names {len(self.face_down)} columns, there are {len(self.columns)}")
        for number, (size, down) in enumerate(
            zip(self.columns, self.face_down, strict=True), start=1
        ):
            if size < 0 or down < 0:
                _refuse(f"column {number} has a negative number of cards")
            if down > size or (size and down == size):
                _refuse(
                    f"column {number} has {size} cards and {down} of them face-down: "
                    "its top card must be face-up"
                )

    def _check_reserve(self) -> None:
        dealt = sum(self.columns)
        if self.reserve_cards < 0 or dealt + self.reserve_cards != self.cards:
            _refuse(
                f"{dealt} cards in columns and {self.reserve_cards} in reserve make "
                f"{dealt + self.reserve_cards}, the pack has {self.cards}"
            )
        for column in self.reserve_columns:
            if not 0 <= column < len(self.columns):
                _refuse(
                    f"reserve column {column} is out of range 0 to {len(self.columns) - 1} "
                    "(columns count from 0)"
                )
        if len(set(self.reserve_columns)) != len(self.reserve_columns):
            _refuse("two reserve cards fall on one column")

    @property
    def cards(self) -> int:
        """Number of cards in the pack."""
        return self.decks * self.suits * self.ranks

    @property
    def sequences(self) -> int:
        """Number of complete sequences in a won game."""
        return self.decks * self.suits


@dataclass(frozen=True)
class Rules:
    """One game of the Scorpion family.

    Parameters
    ----------
    layout : Layout
        What is dealt where.
    build : {"same_suit", "any_suit", "alternate_colour"}
        Which next-higher cards a block may be built on (app; any suit is its Flexible,
        alternate colour PySolFC's Scorpion Tail and Farmer's Wife).
    empty_column : {"king", "any"}
        What may lead a block to an empty column (any card: Wasp).
    reserve : {"deal", "deal_when_idle", "play"}
        Dealt at any time (app), dealt only when every other legal move is idle (the tradition),
        or face-up cards that are played one by one (Three Blind Mice).
    sequences : {"removed", "stay"}
        What becomes of a complete sequence (app: removed; tradition: it stays). With ``"stay"`` a
        sequence counts as standing while it is on top of its column, as the definition of a
        complete sequence says.
    pattern : {"same_suit", "alternate_colour"}
        What a complete sequence from king to ace is made of.
    loss : {"stuck", "sheet"}
        ``"stuck"``: no legal move but idle ones and nothing to deal or take back. ``"sheet"``: the
        rules sheet's literal rule, once no reserve card is left no legal move turns a card or
        completes a sequence at once, on the column that it goes to.
    undo_limit : int or None
        How many actions back undo reaches: 0 none, None without limit.
    step_limit : int or None
        Steps after which an episode is truncated; None takes 200 for each deck.

    Raises
    ------
    ValueError
        If an option is unknown or the options contradict the layout; the message says why.
    """

    layout: Layout = Layout()
    build: Build = "same_suit"
    empty_column: EmptyColumn = "king"
    reserve: Reserve = "deal"
    sequences: Sequences = "removed"
    pattern: Pattern = "same_suit"
    loss: Loss = "stuck"
    undo_limit: int | None = 0
    step_limit: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.layout, Layout):
            raise ValueError(f"layout must be a Layout, got {self.layout!r}")
        for name, allowed in _OPTIONS.items():
            value = getattr(self, name)
            if not isinstance(value, str) or value not in allowed:
                raise ValueError(
                    f"{name}={value!r} is unknown: choose one of {', '.join(map(repr, allowed))}"
                )
        for name, least in (("undo_limit", 0), ("step_limit", 1)):
            object.__setattr__(self, name, _limit(name, getattr(self, name), least))
        expected = 0 if self.reserve == "play" else self.layout.reserve_cards
        if len(self.layout.reserve_columns) != expected:
            _refuse(
                f"reserve={self.reserve!r} with {self.layout.reserve_cards} reserve cards needs "
                f"{expected} reserve columns, got {len(self.layout.reserve_columns)}"
            )
        if "alternate_colour" in (self.build, self.pattern) and self.layout.suits < 2:
            _refuse("alternate colours need at least 2 suits")
        if self.loss == "sheet" and not (any(self.layout.face_down) or expected):
            _refuse("loss='sheet' needs face-down cards to turn or a reserve to deal")

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "compiled"}

    @property
    def max_steps(self) -> int:
        """Steps after which an episode is truncated."""
        return 200 * self.layout.decks if self.step_limit is None else self.step_limit

    @property
    def deal_action(self) -> int:
        """The action that deals the reserve."""
        return self.layout.cards * len(self.layout.columns)

    @property
    def actions(self) -> int:
        """Size of the action space: cards x columns, deal, and undo where it is allowed."""
        return self.deal_action + 1 + (self.undo_limit != 0)

    @cached_property
    def compiled(self) -> CompiledRules:
        """The numbers that the engine reads; built once."""
        return _compile(self)


def _limit(name: str, value: object, least: int) -> int | None:
    if value is None:
        return None
    if not (is_whole(value) and least <= value <= MAX_LIMIT):
        raise ValueError(
            f"{name}={value!r} must be a whole number from {least} to {MAX_LIMIT}, or None"
        )
    return int(value)


_OPTIONS: dict[str, tuple[str, ...]] = {
    "build": get_args(Build),
    "empty_column": get_args(EmptyColumn),
    "reserve": get_args(Reserve),
    "sequences": get_args(Sequences),
    "pattern": get_args(Pattern),
    "loss": get_args(Loss),
}

RESERVE_DEAL, RESERVE_DEAL_WHEN_IDLE, RESERVE_PLAY = range(3)


class CompiledRules(NamedTuple):
    """`Rules` as plain integers and small int16 arrays; one Numba type whatever the values."""

    ranks: int
    cards: int
    columns: int
    reserve_cards: int
    sequences: int
    actions: int
    deal_action: int
    reserve: int  # RESERVE_DEAL, RESERVE_DEAL_WHEN_IDLE or RESERVE_PLAY
    sequences_stay: int  # 0 or 1
    sheet_loss: int  # 0 or 1
    alternating_sequence: int  # 0 or 1
    column_cards: npt.NDArray[np.int16]  # (columns,) cards dealt to each column
    face_down: npt.NDArray[np.int16]  # (columns,) of these face-down
    reserve_columns: npt.NDArray[np.int16]  # (reserve cards dealt,)
    sources: npt.NDArray[np.int16]  # (cards, k) cards that may be built on each card, -1 after
    leaders: npt.NDArray[np.int16]  # (n,) cards that may lead a block to an empty column
    ids: npt.NDArray[np.int16]  # (cards, 2) each card's rank and suit


def _is_red(suit: int) -> bool:
    return suit in RED_SUITS


def _builds_on(rules: Rules, card: int, target: int) -> bool:
    layout = rules.layout
    if rank_of(target, layout.ranks) != rank_of(card, layout.ranks) + 1:
        return False
    suit = suit_of(card, layout.suits, layout.ranks)
    target_suit = suit_of(target, layout.suits, layout.ranks)
    if rules.build == "same_suit":
        return suit == target_suit
    return rules.build == "any_suit" or _is_red(suit) != _is_red(target_suit)


def _compile(rules: Rules) -> CompiledRules:
    layout = rules.layout
    pack = range(layout.cards)
    lists = [[card for card in pack if _builds_on(rules, card, target)] for target in pack]
    sources = np.full((layout.cards, max(map(len, lists))), -1, np.int16)
    for target, cards in enumerate(lists):
        sources[target, : len(cards)] = cards
    king = layout.ranks - 1
    leaders = [c for c in pack if rules.empty_column == "any" or rank_of(c, layout.ranks) == king]
    ids = [(rank_of(c, layout.ranks), suit_of(c, layout.suits, layout.ranks)) for c in pack]
    return CompiledRules(
        ranks=int(layout.ranks),
        cards=int(layout.cards),
        columns=len(layout.columns),
        reserve_cards=int(layout.reserve_cards),
        sequences=int(layout.sequences),
        actions=int(rules.actions),
        deal_action=int(rules.deal_action),
        reserve=get_args(Reserve).index(rules.reserve),
        sequences_stay=int(rules.sequences == "stay"),
        sheet_loss=int(rules.loss == "sheet"),
        alternating_sequence=int(rules.pattern == "alternate_colour"),
        column_cards=np.array(layout.columns, np.int16),
        face_down=np.array(layout.face_down, np.int16),
        reserve_columns=np.array(layout.reserve_columns, np.int16),
        sources=sources,
        leaders=np.array(leaders, np.int16),
        ids=np.array(ids, np.int16),
    )
