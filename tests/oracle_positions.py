"""Positions made by hand for the oracle, in packs that need not be whole."""

from dataclasses import dataclass, field, replace

from tests.oracle import OracleGame
from tests.reference_games import (
    RANKS,
    Columns,
    card_ids,
    card_text,
)


@dataclass(frozen=True)
class TableLayout:
    """A layout as the oracle reads it; Scorpion's by default."""

    columns: tuple[int, ...] = (7,) * 7
    face_down: tuple[int, ...] = (3, 3, 3, 3, 0, 0, 0)
    reserve_cards: int = 3
    reserve_columns: tuple[int, ...] = (0, 1, 2)
    decks: int = 1
    suits: int = 4
    ranks: int = 13


@dataclass(frozen=True)
class TableRules:
    """A rule set as the oracle reads it; Scorpion's by default."""

    layout: TableLayout = field(default_factory=TableLayout)
    build: str = "same_suit"
    empty_column: str = "king"
    reserve: str = "deal"
    sequences: str = "removed"
    pattern: str = "same_suit"
    loss: str = "stuck"
    undo_limit: int | None = 0


SCORPION = TableRules()
BLIND_MICE = TableRules(
    TableLayout((5,) * 10, (0,) * 7 + (3,) * 3, reserve_cards=2, reserve_columns=()), reserve="play"
)


def board_texts(game: OracleGame) -> Columns:
    """Columns as the recorded games write them."""
    return [
        ["#" * (index < down) + card_text(card) for index, card in enumerate(cards)]
        for cards, down in zip(game.columns, game.down, strict=True)
    ]


def card(text: str) -> int:
    """The id of a card of the first deck."""
    return card_ids([text])[0]


def run(first: str, last: str) -> str:
    """Cards of one suit downwards: ``run("KS", "TS")`` is ``"KS QS JS TS"``."""
    ranks = RANKS[RANKS.index(last[0]) : RANKS.index(first[0]) + 1]
    return " ".join(rank + first[1] for rank in reversed(ranks))


def position(
    *columns: str,
    reserve: str = "",
    reserve_columns: tuple[int, ...] = (),
    decks: int = 1,
    rules: TableRules = SCORPION,
) -> OracleGame:
    """Deal a game in which these columns, ``#`` for face-down, are the opening position."""
    texts = [column.split() for column in columns]
    layout = TableLayout(
        columns=tuple(len(column) for column in texts),
        face_down=tuple(sum(card[0] == "#" for card in column) for column in texts),
        reserve_cards=len(reserve.split()),
        reserve_columns=reserve_columns,
        decks=decks,
    )
    height = max(layout.columns)
    dealt = [column[row] for row in range(height) for column in texts if row < len(column)]
    dealt += reserve.split()
    deck = card_ids([card.removeprefix("#") for card in dealt])
    return OracleGame(replace(rules, layout=layout), deck)


def action_of(game: OracleGame, source: int, count: int, target: int) -> int:
    """The action that moves the top cards of a column."""
    return game.columns[source][-count] * game.n_columns + target


def play(game: OracleGame, source: int, count: int, target: int) -> int:
    """Move the top cards of a column and return the points."""
    return game.play(action_of(game, source, count, target))


def moves(game: OracleGame) -> set[str]:
    """Legal actions as texts: ``4H>6``, ``deal``, ``undo``."""
    special = {game.deal_action: "deal", game.undo_action: "undo"}
    return {
        special.get(act) or f"{card_text(act // game.n_columns)}>{act % game.n_columns}"
        for act in game.legal_actions()
    }
