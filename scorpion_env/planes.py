"""Binary planes made for a network: what a player sees, card by card.

The vector is one block of planes a card, in the order of card ids, then one block a column, then
the reserve and the completed sequences. `CARD_PLANES` says what each plane of a card means and
`plane_names` names all of them in order. Everything a plane says of a card that the
player cannot see is 0, but for ``unseen``; of a removed card, but for ``removed``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scorpion_env.cards import card_text
from scorpion_env.engine.compile import inlined, internal
from scorpion_env.engine.state import IN_RESERVE, NO_CARD, SEQUENCES, State, card_at
from scorpion_env.rules import RESERVE_PLAY, CompiledRules, Rules

CARD_PLANES = (
    ("unseen", "face-down or in a reserve that lies face-down"),
    ("face_up", "face-up in a column"),
    ("in_reserve", "in the reserve and known (its column is then the one it will fall on)"),
    ("removed", "removed with its sequence"),
    ("uncovered", "on top of its column"),
    ("at_bottom", "the bottom card of its column"),
    ("on_face_down", "lies directly on a face-down card"),
    ("on_next_higher", "lies directly on a card that it builds on"),
    ("under_next_lower", "directly covered by a card that builds on it"),
    ("under_king", "directly covered by a king"),
    ("under_other", "directly covered by any other card"),
    ("depth_2", "at least 2 cards above it"),
    ("depth_4", "at least 4 cards above it"),
    ("depth_8", "at least 8 cards above it"),
    ("target_unseen", "a card that it builds on is unseen"),
    ("target_uncovered", "a card that it builds on is uncovered in another column"),
    ("target_below", "a card that it builds on lies below it in its own column"),
    ("is_known_down", "face-down but known (only where hidden cards are revealed)"),
)
_PLANES = len(CARD_PLANES)
(
    _UNSEEN,
    _FACE_UP,
    _IN_RESERVE,
    _REMOVED,
    _UNCOVERED,
    _AT_BOTTOM,
    _ON_FACE_DOWN,
    _ON_NEXT_HIGHER,
    _UNDER_NEXT_LOWER,
    _UNDER_KING,
    _UNDER_OTHER,
    _DEPTH_2,
    _DEPTH_4,
    _DEPTH_8,
    _TARGET_UNSEEN,
    _TARGET_UNCOVERED,
    _TARGET_BELOW,
    _KNOWN_DOWN,
) = range(_PLANES)
COLUMN_PLANES = 4  # empty; at least 1, 2, 3 cards face-down


def plane_count(rules: Rules) -> int:
    """Return the length of the planes vector."""
    layout = rules.layout
    columns = len(layout.columns)
    return (
        layout.cards * (columns + _PLANES)
        + columns * COLUMN_PLANES
        + layout.reserve_cards
        + layout.sequences
    )


def plane_names(rules: Rules) -> list[str]:
    """Return a name for each plane in order, for example ``KS.uncovered`` or ``KS.column_1``."""
    layout = rules.layout
    columns = range(1, len(layout.columns) + 1)
    names = []
    for card in range(layout.cards):
        deck = card // (layout.suits * layout.ranks) + 1
        text = card_text(card, layout.suits, layout.ranks) + (
            f"/{deck}" if layout.decks > 1 else ""
        )
        names += [f"{text}.column_{column}" for column in columns]
        names += [f"{text}.{name}" for name, _ in CARD_PLANES]
    for column in columns:
        names += [f"column_{column}.empty"]
        names += [f"column_{column}.face_down_{n}" for n in range(1, COLUMN_PLANES)]
    names += [f"reserve_{place + 1}.present" for place in range(layout.reserve_cards)]
    names += [f"sequence_{sequence + 1}.completed" for sequence in range(layout.sequences)]
    return names


@inlined
def builds_on(rules: CompiledRules, card: int, target: int) -> bool:
    """Say whether the rules let ``card`` be built on ``target``; changes nothing."""
    for k in range(rules.sources.shape[1]):
        if rules.sources[target, k] == card:
            return True
    return False


@inlined
def _write_neighbours(
    rules: CompiledRules,
    state: State,
    card: int,
    at: int,
    out: npt.NDArray[np.uint8],
    reveal: int,
) -> None:
    """Write the planes of what lies under and over a visible card, from ``out[at]`` on."""
    column = np.int64(state.column_of[card])
    place = np.int64(state.height_of[card])
    above = state.height[column] - 1 - place
    down = state.face_down[column]
    out[at + _UNCOVERED] = above == 0
    out[at + _AT_BOTTOM] = place == 0
    out[at + _DEPTH_2] = above >= 2
    out[at + _DEPTH_4] = above >= 4
    out[at + _DEPTH_8] = above >= 8
    out[at + _ON_FACE_DOWN] = 0 < place <= down
    if place > down or (reveal and place > 0):
        out[at + _ON_NEXT_HIGHER] = builds_on(rules, card, card_at(state, column, place - 1))
    if above > 0:
        cover = card_at(state, column, place + 1)
        if builds_on(rules, cover, card):
            out[at + _UNDER_NEXT_LOWER] = 1
        elif rules.ids[cover, 0] == rules.ranks - 1:
            out[at + _UNDER_KING] = 1
        else:
            out[at + _UNDER_OTHER] = 1


@inlined
def _clear_targets(rules: CompiledRules, at: int, out: npt.NDArray[np.uint8]) -> None:
    """Empty the planes that `_write_targets` writes."""
    for card in range(rules.cards):
        for plane in (_TARGET_UNSEEN, _TARGET_UNCOVERED, _TARGET_BELOW):
            out[at + card * (rules.columns + _PLANES) + plane] = 0


@inlined
def _write_targets(rules: CompiledRules, state: State, at: int, out: npt.NDArray[np.uint8]) -> None:
    """Write, for every card that builds on another, how that other card stands."""
    width = rules.columns + _PLANES
    _clear_targets(rules, at, out)
    for target in range(rules.cards):
        column = np.int64(state.column_of[target])
        unseen = out[at + target * width + _UNSEEN]
        free = column >= 0 and state.height_of[target] == state.height[column] - 1
        for k in range(rules.sources.shape[1]):
            card = np.int64(rules.sources[target, k])
            if card < 0:
                break
            base = at + card * width
            if out[base + _UNSEEN] or out[base + _REMOVED]:
                continue
            if unseen:
                out[base + _TARGET_UNSEEN] = 1
            elif column >= 0 and column == state.column_of[card]:
                if state.height_of[target] < state.height_of[card]:
                    out[base + _TARGET_BELOW] = 1
            elif free:
                out[base + _TARGET_UNCOVERED] = 1


@inlined
def _write_card(
    rules: CompiledRules,
    state: State,
    card: int,
    out: npt.NDArray[np.uint8],
    reveal: int,
) -> None:
    """Write the planes of a card but for those of the cards that it builds on."""
    columns = rules.columns
    first = card * (columns + _PLANES)
    at = first + columns
    for plane in range(first, at + _PLANES):
        out[plane] = 0
    column = np.int64(state.column_of[card])
    if column == IN_RESERVE:
        known = reveal or rules.reserve == RESERVE_PLAY
        out[at + (_IN_RESERVE if known else _UNSEEN)] = 1
        if known and rules.reserve != RESERVE_PLAY:
            out[first + rules.reserve_columns[state.height_of[card]]] = 1
    elif column < 0:
        out[at + _REMOVED] = 1
    else:
        down = state.height_of[card] < state.face_down[column]
        if down and not reveal:
            out[at + _UNSEEN] = 1
        else:
            out[first + column] = 1
            out[at + (_KNOWN_DOWN if down else _FACE_UP)] = 1
            _write_neighbours(rules, state, card, at, out, reveal)


@inlined
def _write_rest(rules: CompiledRules, state: State, out: npt.NDArray[np.uint8]) -> None:
    """Write the planes of the columns, the reserve and the sequences."""
    at = rules.cards * (rules.columns + _PLANES)
    for column in range(rules.columns):
        out[at] = state.height[column] == 0
        for n in range(1, COLUMN_PLANES):
            out[at + n] = state.face_down[column] >= n
        at += COLUMN_PLANES
    for place in range(rules.reserve_cards):
        out[at + place] = state.reserve[place] != NO_CARD
    at += rules.reserve_cards
    for sequence in range(rules.sequences):
        out[at + sequence] = state.completed[sequence]


@internal
def write_planes(
    rules: CompiledRules, state: State, out: npt.NDArray[np.uint8], reveal: int
) -> None:
    """Write one game's planes into ``out`` (planes,); changes nothing else."""
    for card in range(rules.cards):
        _write_card(rules, state, card, out, reveal)
    _write_targets(rules, state, rules.columns, out)
    _write_rest(rules, state, out)


@internal
def update_planes(
    rules: CompiledRules,
    state: State,
    out: npt.NDArray[np.uint8],
    reveal: int,
    source: int,
    target: int,
) -> None:
    """Bring one game's planes up to date after a move from column ``source`` to ``target``."""
    for column in (source, target):
        for place in range(np.int64(state.height[column])):
            _write_card(rules, state, card_at(state, column, place), out, reveal)
    newest = state.counters[SEQUENCES] - 1
    if rules.sequences_stay == 0 and newest >= 0:  # removed just now, perhaps
        for k in range(rules.ranks):
            _write_card(rules, state, np.int64(state.removed[newest, k]), out, reveal)
    _write_targets(rules, state, rules.columns, out)
    _write_rest(rules, state, out)
