"""Games recorded from PySolFC, read into neutral values.

A recorded game keeps PySolFC's own texts for cards (``TD``; a leading ``#`` is face-down) and gives
its moves by position (column, number of cards). `card_ids` and `action` turn them into card ids and
action numbers, as the rules define them, without any engine.

The full record lies beside the repository in ``shared/reference`` (its README explains the format);
``tests/data/reference`` holds a sample of it, in files of the same names, for a checkout that
stands alone.
"""

import gzip
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SUITS = "CDHS"
RANKS = "A23456789TJQK"
FULL = Path(__file__).resolve().parents[2] / "shared" / "reference"
SAMPLE = Path(__file__).resolve().parent / "data" / "reference"
MOVE = re.compile(r"([TR])(\d+):(\d+)>(?:T(\d+)|(F))")

Columns = list[list[str]]


@dataclass(frozen=True)
class Move:
    """A move by position.

    ``kind`` is "column" (the top ``count`` cards of column ``source``), "reserve" (reserve card
    ``source``), "foundation" (a sequence taken off by hand) or "deal".
    """

    kind: str
    source: int = 0
    count: int = 0
    target: int = 0


@dataclass(frozen=True)
class Step:
    """What PySolFC allowed in a position, and what was played."""

    legal: frozenset[Move]
    chosen: Move


@dataclass(frozen=True)
class ReferenceGame:
    """One recorded game; ``reserve`` is the playable reserve or else the talon in dealing order."""

    name: str
    columns: tuple[tuple[str, ...], ...]
    reserve: tuple[str, ...]
    steps: tuple[Step, ...]
    final_columns: tuple[tuple[str, ...], ...]
    final_reserve: tuple[str, ...]
    final_legal: frozenset[Move]
    won: bool

    @property
    def decks(self) -> int:
        """How many packs of 52 were dealt."""
        return (sum(map(len, self.columns)) + len(self.reserve)) // 52

    def dealt(self) -> list[str]:
        """Card texts in dealing order: row by row past full columns, then the reserve."""
        height = max(map(len, self.columns))
        rows = [cards[row] for row in range(height) for cards in self.columns if row < len(cards)]
        return [card.removeprefix("#") for card in (*rows, *self.reserve)]

    def deck(self) -> list[int]:
        """Card ids in dealing order."""
        return card_ids(self.dealt())

    def boards(self) -> Iterator[Columns]:
        """PySolFC's columns before each step and at the end."""
        columns = [list(cards) for cards in self.columns]
        for step in self.steps:
            yield [list(cards) for cards in columns]
            advance(columns, self.reserve, step.chosen)
        yield columns


def reference_folder() -> Path:
    """The full record where it exists, else the sample in this repository."""
    return FULL if FULL.is_dir() else SAMPLE


def stems(folder: Path | None = None) -> list[str]:
    """Names of the recorded files, such as ``wasp_won``."""
    folder = folder or reference_folder()
    return sorted(path.name.removesuffix(".jsonl.gz") for path in folder.glob("*.jsonl.gz"))


@cache
def games(stem: str, folder: Path | None = None) -> tuple[ReferenceGame, ...]:
    """The games of one file."""
    path = (folder or reference_folder()) / f"{stem}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return tuple(_read_game(line) for line in lines)


def parse_move(text: str) -> Move:
    """Read ``T3:5>T0``, ``R1:1>T4``, ``T0:13>F`` or ``DEAL``."""
    if text == "DEAL":
        return Move("deal")
    match = MOVE.fullmatch(text)
    if match is None:
        raise ValueError(f"not a move: {text!r}")
    pile, source, count, target, foundation = match.groups()
    kind = "foundation" if foundation else {"T": "column", "R": "reserve"}[pile]
    return Move(kind, int(source), int(count), int(target or 0))


def card_ids(dealt: Sequence[str]) -> list[int]:
    """Ids of card texts; the n-th copy of a card in this order belongs to deck n."""
    copies: dict[int, int] = {}
    ids = []
    for text in dealt:
        face = len(RANKS) * SUITS.index(text[1]) + RANKS.index(text[0])
        ids.append(face + 52 * copies.get(face, 0))
        copies[face] = copies.get(face, 0) + 1
    return ids


def card_text(card: int) -> str:
    """The text of a card id, whatever its deck."""
    return RANKS[card % 13] + SUITS[card // 13 % 4]


def action(
    move: Move, columns: Sequence[Sequence[int]], reserve: Sequence[int | None], cards: int
) -> int | None:
    """The action number of a move in a position; ``None`` for a move to a foundation.

    Parameters
    ----------
    move : Move
        The move by position.
    columns, reserve : sequences of card ids
        The position.
    cards : int
        Number of cards in the game, 52 a deck.
    """
    if move.kind == "foundation":
        return None
    if move.kind == "deal":
        return cards * len(columns)
    card = columns[move.source][-move.count] if move.kind == "column" else reserve[move.source]
    if card is None:
        raise ValueError(f"no reserve card {move.source}")
    return card * len(columns) + move.target


def advance(columns: Columns, reserve: Sequence[str], move: Move) -> None:
    """Make a move as PySolFC does, in place: nothing but cards shifted and the next one turned."""
    if move.kind == "deal":
        for cards, card in zip(columns, reserve, strict=False):
            cards.append(card)
        return
    if move.kind == "reserve":
        columns[move.target].append(reserve[move.source])
        return
    source = columns[move.source]
    block = source[-move.count :]
    del source[-move.count :]
    if move.kind == "column":
        columns[move.target].extend(block)
    if source:
        source[-1] = source[-1].removeprefix("#")


def _read_game(line: str) -> ReferenceGame:
    record = json.loads(line)
    initial, final = record["initial"], record["final"]
    return ReferenceGame(
        name=f"{record['game']} {record['deal_number']}",
        columns=tuple(tuple(cards) for cards in initial["columns"]),
        reserve=_reserve(initial),
        steps=tuple(
            Step(frozenset(map(parse_move, step["legal"])), parse_move(step["chosen"]))
            for step in record["steps"]
        ),
        final_columns=tuple(tuple(cards) for cards in final["columns"]),
        final_reserve=_reserve(final),
        final_legal=frozenset(map(parse_move, record["final_legal"])),
        won=record["won"],
    )


def _reserve(position: dict[str, list[list[str]]]) -> tuple[str, ...]:
    """The playable reserve cards, one a pile, or else the talon."""
    piled = [card for pile in position["reserves"] for card in pile]
    return tuple(piled + [str(card) for card in position["talon_deal_order"]])
