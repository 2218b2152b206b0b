"""Plays the engine and the oracle side by side, through the public environments' own kernels."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from scorpion_env import VARIANTS, Layout, Rules
from scorpion_env.engine.deal import deal
from scorpion_env.engine.moves import apply
from scorpion_env.engine.outcome import settle
from scorpion_env.engine.state import (
    DOWN,
    LOST,
    NO_CARD,
    PLAYING,
    SCORE,
    STATUS,
    WON,
    State,
    empty_state,
    row_of,
)
from tests.oracle import OracleGame

CLASSIC = VARIANTS["classic"]
SMALL = Layout((5, 5, 5, 5), (2, 2, 0, 0), 4, (0, 1, 2, 3), decks=2, suits=3, ranks=4)

# Every variant, and options that no variant has or that variants do not combine.
RULE_SETS: dict[str, Rules] = {
    **VARIANTS,
    "undo_100": replace(CLASSIC, undo_limit=100),
    "undo_3_flexible": replace(CLASSIC, undo_limit=3, build="any_suit"),
    "sheet": replace(CLASSIC, loss="sheet"),
    "sheet_stay": replace(VARIANTS["traditional"], loss="sheet"),
    "when_idle": replace(CLASSIC, reserve="deal_when_idle"),
    "wasp_stay_undo": replace(VARIANTS["wasp"], sequences="stay", undo_limit=None),
    "mice_sheet": replace(VARIANTS["three_blind_mice"], loss="sheet"),
    "mice_undo": replace(VARIANTS["three_blind_mice"], undo_limit=7),
    "small": Rules(SMALL, undo_limit=5),
    "small_any": Rules(SMALL, build="any_suit", empty_column="any", undo_limit=4),
    "small_stay": Rules(SMALL, build="any_suit", sequences="stay", undo_limit=2),
    "small_alternate": Rules(SMALL, build="alternate_colour", pattern="alternate_colour"),
    "small_sheet": Rules(SMALL, loss="sheet", empty_column="any"),
    "small_sheet_stay": Rules(SMALL, loss="sheet", sequences="stay", build="any_suit"),
    "tiny_undealt": Rules(
        Layout((4, 4, 4), (0, 1, 3), 0, (), suits=3, ranks=4), empty_column="any"
    ),
}


def board_of(state: State) -> list[list[int]]:
    """Return the columns as lists of card ids, bottom to top."""
    return [
        [int(card) for card in state.tableau[column, : state.height[column]]]
        for column in range(state.tableau.shape[0])
    ]


def assert_same(rules: Rules, state: State, mask: np.ndarray, oracle: OracleGame) -> None:
    """Compare everything that the engine and the oracle say of one position."""
    board = board_of(state)
    assert board == oracle.columns
    assert [int(d) for d in state.face_down] == oracle.down
    assert state.counters[DOWN] == sum(oracle.down)
    reserve = [None if card == NO_CARD else int(card) for card in state.reserve]
    assert reserve == list(oracle.reserve)
    assert [bool(flag) for flag in state.completed] == list(oracle.completed)
    assert state.counters[SCORE] == oracle.score
    status = WON if oracle.won else LOST if oracle.stuck else PLAYING
    assert state.counters[STATUS] == status
    assert set(np.flatnonzero(mask).tolist()) == oracle.legal_actions()
    assert_index(rules, state, board)


def assert_index(rules: Rules, state: State, board: list[list[int]]) -> None:
    """Every card is in exactly one place, and the card index says where."""
    found = [c for c in state.reserve if c != NO_CARD]
    found += [c for c in state.removed.ravel() if c != NO_CARD]
    for column, cards in enumerate(board):
        assert (state.tableau[column, len(cards) :] == NO_CARD).all()
        for place, card in enumerate(cards):
            assert (state.column_of[card], state.height_of[card]) == (column, place)
        found += cards
    assert sorted(int(card) for card in found) == list(range(rules.layout.cards))


def lockstep(rules: Rules, seed: int, steps: int) -> Iterator[int]:
    """Play random games for ``steps`` steps, comparing after each; yield each status reached."""
    rng = np.random.default_rng(seed)
    state = row_of(empty_state(rules, 1), 0)
    mask = np.zeros(rules.actions, np.int8)
    compiled = rules.compiled
    left = steps
    while left > 0:
        deck = rng.permutation(rules.layout.cards).astype(np.uint8)
        deal(compiled, state, deck)
        settle(compiled, state, mask)
        oracle = OracleGame(rules, deck.tolist())
        assert_same(rules, state, mask, oracle)
        for _ in range(min(left, 120)):
            left -= 1
            if not mask.any():
                break
            action = int(rng.choice(np.flatnonzero(mask)))
            before = int(state.counters[SCORE])
            gained = oracle.play(action)
            apply(compiled, state, action)
            settle(compiled, state, mask)
            assert state.counters[SCORE] - before == gained
            assert_same(rules, state, mask, oracle)
        yield int(state.counters[STATUS])
