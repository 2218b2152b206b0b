"""Takes down the games that an agent plays, with what it thought of its choices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from agents.base import Actions, Rows
from scorpion_env.deals import deal_of_seed
from scorpion_env.records import Choice, GameRecord, record_actions
from scorpion_env.rules import Rules

TOP = 5  # choices kept for each action
_DIGITS = 4  # of a probability


class Recorder:
    """Notes the actions of games that are played side by side.

    Parameters
    ----------
    player : str
        Who plays.
    rules : Rules
        What is played.
    seeds : sequence of int
        Game g is the deal of ``seeds[g]``.
    """

    def __init__(self, player: str, rules: Rules, seeds: Sequence[int]) -> None:
        self._player, self._rules, self._seeds = player, rules, seeds
        self._actions: list[list[int]] = [[] for _ in seeds]
        self._choices: list[list[list[Choice]]] = [[] for _ in seeds]

    def note(self, games: Rows, actions: Actions, shares: npt.NDArray[np.float64] | None) -> None:
        """Note the next action (N,) of each of these games (N,).

        ``shares`` (N, actions) are the agent's `probabilities`.
        """
        for game, action in zip(games.tolist(), actions.tolist(), strict=True):
            self._actions[game].append(action)
        if shares is None:
            return
        best = np.argsort(-shares, axis=1, kind="stable")[:, :TOP]
        for game, row, top in zip(games.tolist(), shares, best.tolist(), strict=True):
            played = self._actions[game][-1]
            kept = top if played in top else [*top[:-1], played]
            pairs = [(action, round(float(row[action]), _DIGITS)) for action in kept]
            self._choices[game].append([pair for pair in pairs if pair[1] > 0])

    def records(self) -> Iterator[GameRecord]:
        """Yield the games in the order of the seeds."""
        for seed, actions, choices in zip(self._seeds, self._actions, self._choices, strict=True):
            number = deal_of_seed(seed, self._rules).number
            yield record_actions(
                self._rules, number, actions, self._player, seed=seed, choices=choices
            )
