"""From what a person or a program gives as a deal to a deck or a position."""

from __future__ import annotations

import random
import re
import reprlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding

from scorpion_env.engine.deal import FIRST_DEAL, MAX_DEALS_PASSED, deal, first_deal, shuffle
from scorpion_env.engine.outcome import settle
from scorpion_env.engine.state import PLAYING, State, empty_state, row_of
from scorpion_env.notation import parse_board, parse_deck
from scorpion_env.position import Position, write_position
from scorpion_env.rules import Rules, is_whole

# Seeds below this bound are for evaluation and suites; training draws its seeds from here up.
FIRST_TRAINING_SEED = 10_000_000
MAX_SEEDS = 10_000_000

LAST_MS_NUMBER = 2**33 - 1
LAST_PLAIN_MS_NUMBER = 31999


class Deal(NamedTuple):
    """What to begin a game with: a deck, or a position if it is not None."""

    number: int  # 0 where the deal has none
    deck: npt.NDArray[np.uint8]  # (cards,)
    position: Position | None = None


class DealSource(Protocol):
    """Says which deals of a stream are dealt, such as `scorpion_env.solver.DrawnDeals`."""

    def advance(self, streams: npt.NDArray[np.uint64], chosen: npt.NDArray[np.bool_]) -> None:
        """Move the streams (N,) of the chosen games (N,) on to the next deal to be dealt."""


def deal_state(generator: np.random.Generator) -> int:
    """Return the 64-bit deal state that a freshly seeded generator gives a game."""
    raw = generator.bit_generator.random_raw()
    assert isinstance(raw, int)
    return raw


def parse_seeds(text: str) -> range:
    """Return the seeds that ``first:end`` names, the end left out.

    Raises
    ------
    ValueError
        If the text is no such range, or the range is empty, too long or too high.
    """
    first, colon, end = text.partition(":")
    if not (colon and _is_number(first) and _is_number(end)):
        raise ValueError(f"seeds {text!r} are no range: write first:end, such as 0:1000")
    games = int(end) - int(first)
    if not 1 <= games <= MAX_SEEDS:
        raise ValueError(
            f"seeds {text!r} name {max(0, games)} games: name 1 to {MAX_SEEDS}, the end is left out"
        )
    if int(end) > 2**63:
        raise ValueError(f"seeds {text!r} are out of range: a seed is below 2**63")
    return range(int(first), int(end))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 20


def lay_out_seed(rules: Rules, state: State, mask: npt.NDArray[np.int8], seed: Any) -> Deal:
    """Deal what an environment deals after ``reset(seed=seed)``; return the deal.

    A deal without a first move is passed over. Changes the game's row, ``state``, and its legal
    ``mask`` (actions,).

    Raises
    ------
    ValueError
        If the seed is no whole number from 0 up, or the rules cannot be played.
    """
    if not is_whole(seed) or seed < 0:
        raise ValueError(f"seed={seed!r} must be a whole number from 0 up")
    generator, _ = seeding.np_random(int(seed))
    deck = np.empty(rules.layout.cards, np.uint8)
    following = np.uint64(deal_state(generator))
    for _ in range(MAX_DEALS_PASSED):
        number = int(first_deal(following))
        following = np.uint64(shuffle(deck, np.uint64(number)))
        deal(rules.compiled, state, deck)
        if settle(rules.compiled, state, mask) == PLAYING:
            return Deal(number, deck)
    raise unplayable()


def deal_of_seed(seed: Any, rules: Rules) -> Deal:
    """Return the deal of a seed (see `lay_out_seed`)."""
    return lay_out_seed(rules, *_scratch(rules), seed)


def _scratch(rules: Rules) -> tuple[State, npt.NDArray[np.int8]]:
    """Return one game's row and its mask."""
    return row_of(empty_state(rules, 1, undoable=0), 0), np.zeros(rules.actions, np.int8)


def read_deal(asked: Any, rules: Rules, seed: int | None = None) -> Deal:
    """Return the deal that ``asked`` asks for.

    Parameters
    ----------
    asked : int, str or sequence of str
        A number from ``info["deal"]`` (2**33 and up); a PySolFC deal number, as ``"ms123"`` or as
        plain digits, below 2**33 also as an int; a board text (`scorpion_env.notation`); or the
        cards as text in the order dealt, the reserve last.
    rules : Rules
        The game to deal.
    seed : int, optional
        Draws the cards under the ``##`` of a board text.

    Raises
    ------
    ValueError
        If it is no deal of these rules; the message says what is wrong with it.
    """
    if isinstance(asked, np.ndarray):
        asked = asked.tolist()
    if is_whole(asked):
        return _read_number(int(asked), rules)
    if isinstance(asked, str):
        name = asked.strip().lower()
        if re.fullmatch(r"(ms)?\d{1,30}", name):
            return _read_pysol_name(name, rules)
        if ":" in asked:
            nothing = np.zeros(rules.layout.cards, np.uint8)
            return Deal(0, nothing, parse_board(rules, asked, seed))
    elif isinstance(asked, Sequence) and not isinstance(asked, bytes | bytearray):
        return _deal(0, parse_deck(rules, asked))
    raise ValueError(
        f"{reprlib.repr(asked)} is no deal: give a number from info['deal'], a PySolFC number such "
        "as 'ms123', a board text, or a list of cards as text"
    )


def lay_out(rules: Rules, state: State, asked: Deal) -> None:
    """Put a deal's cards on the table as a new game; changes the game's row, ``state``."""
    if asked.position is None:
        deal(rules.compiled, state, asked.deck)
    else:
        write_position(rules, state, asked.position)


def read_playable_deal(asked: Any, rules: Rules, seed: int | None = None) -> Deal:
    """Return the deal that ``asked`` asks for (see `read_deal`), if an episode can begin with it.

    Raises
    ------
    ValueError
        If it cannot be read, or its game is over before it begins.
    """
    given = read_deal(asked, rules, seed)
    state, mask = _scratch(rules)
    lay_out(rules, state, given)
    if settle(rules.compiled, state, mask) != PLAYING:
        raise ValueError("this deal has no legal move: its game is over before it begins")
    return given


def unplayable() -> ValueError:
    """Return the error for rules under which no deal could be begun."""
    return ValueError(
        f"{MAX_DEALS_PASSED} deals in a row have no first move: these rules cannot be played"
    )


def _deal(number: int, deck: list[int]) -> Deal:
    return Deal(number, np.array(deck, np.uint8))


def _read_number(number: int, rules: Rules) -> Deal:
    if 0 <= number < FIRST_DEAL:
        return _deal(number, pysol_deck(number, rules, ms=False))
    if not 0 <= number < 2**64:
        raise ValueError(f"this deal number is out of range: use 1 to {2**64 - 1}")
    deck = np.empty(rules.layout.cards, np.uint8)
    shuffle(deck, np.uint64(number))
    return Deal(number, deck)


def _read_pysol_name(name: str, rules: Rules) -> Deal:
    ms, number = name.startswith("ms"), int(name.removeprefix("ms"))
    # the number is kept where it means the same deal as an int
    is_same = number <= LAST_PLAIN_MS_NUMBER if ms else number < FIRST_DEAL
    return _deal(number if is_same else 0, pysol_deck(number, rules, ms))


def pysol_deck(number: int, rules: Rules, ms: bool) -> list[int]:
    """Return the deck, in the order dealt, that PySolFC deals under a number.

    Parameters
    ----------
    number : int
        PySolFC's deal number. Plain numbers up to 31999 are MS deals, as ``ms`` ones are; larger
        ones use Python's Mersenne Twister.
    rules : Rules
        Its layout must be of whole packs of 52 cards.
    ms : bool
        Whether the number was given as an MS deal.

    Raises
    ------
    ValueError
        If the number is 0, too large for an MS deal, or the pack is no pack of PySolFC's.
    """
    layout = rules.layout
    if (layout.suits, layout.ranks) != (4, 13):
        raise ValueError("PySolFC deals whole packs of 52 cards: these rules have another pack")
    if number < 1 or (ms and number > LAST_MS_NUMBER):
        upper = f" to {LAST_MS_NUMBER} for an MS deal" if ms else " up"
        raise ValueError(f"deal number {number} does not exist: use 1{upper}")
    is_ms = ms or number <= LAST_PLAIN_MS_NUMBER
    cards = _unshuffled(layout.decks, rank_major=is_ms and layout.decks == 1)
    draws = _ms_draws(number) if is_ms else _mersenne_draws(number)
    for last in range(len(cards) - 1, 0, -1):
        chosen = draws(last + 1)
        cards[last], cards[chosen] = cards[chosen], cards[last]
    return cards[::-1]


def _unshuffled(decks: int, rank_major: bool) -> list[int]:
    """Return PySolFC's order before the shuffle."""
    clubs, diamonds, hearts, spades = range(4)
    if rank_major:
        suits = (clubs, diamonds, hearts, spades)
        return [13 * suit + rank for rank in range(13) for suit in suits]
    suits = (clubs, spades, hearts, diamonds)
    return [52 * deck + 13 * s + rank for deck in range(decks) for s in suits for rank in range(13)]


def _ms_draws(number: int) -> Callable[[int], int]:
    """Return draws below a bound from Microsoft's generator, as PySolFC extends it to 33 bits."""
    state = number if number < 2**32 else number - 2**32

    def draw(bound: int) -> int:
        nonlocal state
        state = (state * 214013 + 2531011) % 2**33
        if number < 2**31:
            value = state >> 16 & 0x7FFF
        elif number < 2**32:
            value = state >> 16 & 0x7FFF | 0x8000
        else:
            value = (state >> 16 & 0xFFFF) + 1
        return value % bound

    return draw


def _mersenne_draws(number: int) -> Callable[[int], int]:
    """Return draws below a bound from Python's Mersenne Twister."""
    generator = random.Random(number)
    return lambda bound: int(generator.random() * bound)
