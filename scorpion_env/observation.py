"""What a player may see of a game, as tensors."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from scorpion_env.engine.compile import inlined, kernel
from scorpion_env.engine.state import NO_CARD, State
from scorpion_env.planes import plane_count, write_planes
from scorpion_env.rules import RESERVE_PLAY, CompiledRules, Rules

ObservationKind = Literal["cards", "planes", "both"]


class Tensors(NamedTuple):
    """Observations of N games, one row a game; a tensor that is not asked for has no columns."""

    tableau: npt.NDArray[np.uint8]  # (N, columns, cards) 0 empty, card + 1, cards + 1 face-down
    face_down: npt.NDArray[np.uint8]  # (N, columns)
    reserve: npt.NDArray[np.uint8]  # (N, reserve cards) 0 gone, card + 1, cards + 1 face-down
    completed: npt.NDArray[np.uint8]  # (N, sequences) by the king's deck and suit
    planes: npt.NDArray[np.uint8]  # (N, planes) binary, see scorpion_env.planes
    height: npt.NDArray[np.int16]  # (N, columns) cards of each column that tableau holds


def observation_space(rules: Rules, kind: ObservationKind = "cards") -> spaces.Space[Any]:
    """Return the space of one game's observation.

    Raises
    ------
    ValueError
        If ``kind`` is not ``"cards"``, ``"planes"`` or ``"both"``.
    """
    if kind not in get_args(ObservationKind):
        allowed = ", ".join(map(repr, get_args(ObservationKind)))
        raise ValueError(f"observation={kind!r} is unknown: choose one of {allowed}")
    planes = spaces.Box(0, 1, (plane_count(rules),), np.uint8)
    if kind == "planes":
        return planes
    layout = rules.layout
    columns, hidden = len(layout.columns), layout.cards + 1
    parts: dict[str, spaces.Space[Any]] = {
        "tableau": spaces.Box(0, hidden, (columns, layout.cards), np.uint8),
        "face_down": spaces.Box(0, max(max(layout.face_down), 1), (columns,), np.uint8),
        "completed": spaces.Box(0, 1, (layout.sequences,), np.uint8),
    }
    if layout.reserve_cards:
        parts["reserve"] = spaces.Box(0, hidden, (layout.reserve_cards,), np.uint8)
    if kind == "both":
        parts["planes"] = planes
    return spaces.Dict(parts)


def empty_tensors(rules: Rules, games: int, kind: ObservationKind) -> Tensors:
    """Return zeroed tensors for ``games`` observations of the given kind."""
    layout = rules.layout
    columns = len(layout.columns)
    cards = kind != "planes"
    return Tensors(
        tableau=np.zeros((games, cards * columns, layout.cards), np.uint8),
        face_down=np.zeros((games, cards * columns), np.uint8),
        reserve=np.zeros((games, cards * layout.reserve_cards), np.uint8),
        completed=np.zeros((games, cards * layout.sequences), np.uint8),
        planes=np.zeros((games, (kind != "cards") * plane_count(rules)), np.uint8),
        height=np.zeros((games, columns), np.int16),
    )


def observation_rows(seen: Tensors, space: spaces.Space[Any], rows: Any) -> Any:
    """Return views of the rows that an observation of ``space`` consists of."""
    if isinstance(space, spaces.Dict):
        return {name: getattr(seen, name)[rows] for name in space}
    return seen.planes[rows]


@inlined
def tensors_row(tensors: Tensors, game: int) -> Tensors:
    """Return one game's row of the tensors, without the leading axis; changes nothing."""
    return Tensors(
        tensors.tableau[game],
        tensors.face_down[game],
        tensors.reserve[game],
        tensors.completed[game],
        tensors.planes[game],
        tensors.height[game],
    )


@inlined
def write_cards(rules: CompiledRules, state: State, out: Tensors, reveal: int) -> None:
    """Bring one game's card tensors, the row ``out``, up to date; changes nothing else.

    An action changes a column from its lower height on, before or after, and the card below that,
    which may have been turned; what lies deeper was written before.
    """
    hidden = rules.cards + 1
    for column in range(rules.columns):
        old = np.int64(out.height[column])
        new = np.int64(state.height[column])
        down = np.int64(state.face_down[column])
        out.face_down[column] = down
        if old == new:
            continue
        out.height[column] = new
        low, high = (old, new) if old < new else (new, old)
        for place in range(low - 1 if low > 0 else 0, high):
            if place >= new:
                out.tableau[column, place] = 0
            elif place < down and not reveal:
                out.tableau[column, place] = hidden
            else:
                out.tableau[column, place] = state.tableau[column, place] + 1
    face_up_reserve = reveal or rules.reserve == RESERVE_PLAY
    for place in range(rules.reserve_cards):
        card = state.reserve[place]
        out.reserve[place] = 0 if card == NO_CARD else (card + 1 if face_up_reserve else hidden)
    for sequence in range(rules.sequences):
        out.completed[sequence] = state.completed[sequence]


@inlined
def clear_cards(rules: CompiledRules, out: Tensors) -> None:
    """Empty a row of the card tensors, for a game that is new there."""
    for column in range(rules.columns):
        for place in range(out.height[column]):
            out.tableau[column, place] = 0
        out.height[column] = 0


@kernel
def observe(rules: CompiledRules, state: State, out: Tensors, reveal: int) -> None:
    """Bring the row ``out`` up to what the player may see after an action.

    With ``reveal`` the hidden cards are written by name, as if all lay open.
    """
    if out.tableau.shape[0] > 0:
        write_cards(rules, state, out, reveal)
    if out.planes.shape[0] > 0:
        write_planes(rules, state, out.planes, reveal)


@kernel
def observe_anew(rules: CompiledRules, state: State, out: Tensors, reveal: int) -> None:
    """Write what the player may see into the row ``out``, whatever it held before."""
    if out.tableau.shape[0] > 0:
        clear_cards(rules, out)
    observe(rules, state, out, reveal)
