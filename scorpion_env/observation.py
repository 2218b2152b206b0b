"""What a player may see of a game, as tensors."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from scorpion_env.engine.compile import inlined, kernel
from scorpion_env.engine.state import NO_CARD, State
from scorpion_env.planes import plane_count, update_planes, write_planes
from scorpion_env.rules import RESERVE_PLAY, CompiledRules, Rules

ObservationKind = Literal["cards", "planes", "both"]


class Tensors(NamedTuple):
    """Observations of N games, one row a game; a tensor that is not asked for has no columns."""

    tableau: npt.NDArray[np.uint8]  # (N, columns, cards) 0 empty, card + 1, cards + 1 face-down
    face_down: npt.NDArray[np.uint8]  # (N, columns)
    reserve: npt.NDArray[np.uint8]  # (N, reserve cards) 0 gone, card + 1, cards + 1 face-down
    completed: npt.NDArray[np.uint8]  # (N, sequences) by the king's deck and suit
    planes: npt.NDArray[np.uint8]  # (N, planes) binary, see scorpion_env.planes


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
    )


@inlined
def write_column(
    rules: CompiledRules, state: State, out: Tensors, column: int, reveal: int
) -> None:
    """Write one column of the card tensors; changes nothing else."""
    down = np.int64(state.face_down[column])
    out.face_down[column] = down
    seen, cards = out.tableau[column], state.tableau[column]
    # whole, for without a branch the loop becomes a few vector operations
    for place in range(rules.cards):
        seen[place] = (np.int64(cards[place]) + 1) & 255  # 0 for NO_CARD
    for place in range(0 if reveal else down):
        seen[place] = rules.cards + 1


@inlined
def write_rest(rules: CompiledRules, state: State, out: Tensors, reveal: int) -> None:
    """Write the reserve and the completed sequences into the card tensors."""
    face_up_reserve = reveal or rules.reserve == RESERVE_PLAY
    for place in range(rules.reserve_cards):
        card = state.reserve[place]
        shown = card + 1 if face_up_reserve else rules.cards + 1
        out.reserve[place] = 0 if card == NO_CARD else shown
    for sequence in range(rules.sequences):
        out.completed[sequence] = state.completed[sequence]


@kernel
def observe(rules: CompiledRules, state: State, out: Tensors, reveal: int) -> None:
    """Write what the player may see into the row ``out``.

    With ``reveal`` the hidden cards are written by name, as if all lay open.
    """
    if out.tableau.shape[0] > 0:
        for column in range(rules.columns):
            write_column(rules, state, out, column, reveal)
        write_rest(rules, state, out, reveal)
    if out.planes.shape[0] > 0:
        write_planes(rules, state, out.planes, reveal)


@inlined
def observe_action(
    rules: CompiledRules, state: State, out: Tensors, reveal: int, action: int, source: int
) -> None:
    """Bring the row ``out`` up to date after an action for which `apply` returned ``source``."""
    if source < 0:
        observe(rules, state, out, reveal)
        return
    target = action % rules.columns
    if out.tableau.shape[0] > 0:
        write_column(rules, state, out, source, reveal)
        write_column(rules, state, out, target, reveal)
        write_rest(rules, state, out, reveal)
    if out.planes.shape[0] > 0:
        update_planes(rules, state, out.planes, reveal, source, target)
