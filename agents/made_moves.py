"""What was played at each table of a game, for agents that are not to go round in circles."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.base import Actions, Mask, Rows


class MadeMoves:
    """Moves made in N games, by what the table looked like.

    Where moves can be taken back by others, an agent that always plays what it likes best may come
    back to a table again and again. One that asks `others` plays something else there.
    """

    def __init__(self) -> None:
        self._games: list[dict[bytes, list[int]]] = []
        self._here: list[list[int]] = []  # by game, at the table asked about last

    def begin(self, games: int) -> None:
        """Begin new games, in which no move is made yet."""
        self._games = [{} for _ in range(games)]

    def keep(self, rows: Rows, games: int) -> None:
        """Go on with these rows of the batch, followed by so many new games."""
        self._games = [*(self._games[row] for row in rows), *({} for _ in range(games))]

    def others(self, tableau: npt.NDArray[np.uint8], mask: Mask) -> Mask:
        """Return the legal actions (N, actions) not made at these tables, all where none is left.

        Parameters
        ----------
        tableau : array of uint8 (N, columns, cards)
            As observed.
        mask : array of int8 or bool (N, actions)
            The legal actions.
        """
        self._here = [
            made.setdefault(table.tobytes(), [])
            for made, table in zip(self._games, tableau, strict=True)
        ]
        left = mask.copy()
        for game, here in enumerate(self._here):
            if here:
                left[game, here] = 0
        spent = ~left.any(axis=1)
        left[spent] = mask[spent]
        return left

    def note(self, actions: Actions) -> None:
        """Note the actions (N,) that are made at the tables asked about last."""
        for here, action in zip(self._here, actions.tolist(), strict=True):
            here.append(action)
