"""Solve a position: winnable with its moves, unwinnable with a reason, or unknown."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from scorpion_env.engine.moves import apply
from scorpion_env.engine.outcome import settle
from scorpion_env.engine.state import LOST, PLAYING, UNDOABLE, WON, State, empty_state, row_of
from scorpion_env.game import Game
from scorpion_env.rules import Rules, is_whole
from scorpion_env.solver.certificate import Certificate, certify
from scorpion_env.solver.relations import relations_of
from scorpion_env.solver.search import (
    EXHAUSTED,
    FOUND,
    FULL,
    SEARCHING,
    Options,
    begin_search,
    go_on,
    new_search,
)
from scorpion_env.solver.tree import NODES, SPENT, WINNER

Status = Literal["winnable", "unwinnable", "unknown"]

DEFAULT_NODES = 1_000_000
_SALTS = (0x5C0_4210, 0x1C3_BA5E)  # the keys of a search and of its verification
_SLICE = 2_000  # positions looked at between two looks at the clock


class SolverError(RuntimeError):
    """The solver contradicted itself or the engine; never to be seen."""


@dataclass(frozen=True)
class Solution:
    """What is known of a position.

    Attributes
    ----------
    status : {"winnable", "unwinnable", "unknown"}
        Unknown only if the budget or the time was spent.
    nodes : int
        Distinct positions found, summed over attempts.
    actions : tuple of int
        The actions of a won game from the position, replayed through the engine; empty unless
        winnable (or won already).
    certificate : Certificate or None
        Why no line can win, where the position itself proves it; None where an unwinnable position
        was searched to the end.
    """

    status: Status
    nodes: int
    actions: tuple[int, ...] = ()
    certificate: Certificate | None = None


class _Result(NamedTuple):
    outcome: int  # FOUND, EXHAUSTED, FULL or, out of time, SEARCHING
    nodes: int
    actions: tuple[int, ...]


class Solver:
    """An exact solver for one rule set; it sees all cards and never takes an action back.

    Parameters
    ----------
    rules : Rules
        What is played. Where the rules allow undo, the loss by the sheet's rule does not bind: an
        action can always be taken back.
    nodes : int
        Budget of distinct positions for one call, summed over attempts. They take some 100 bytes
        each in Classic, 170 with two decks.
    proofs : bool
        Whether positions that the relaxation proves lost are left out (they are never wrong to).
    persistent_sets : bool
        Whether moves outside a persistent set are left out (they are never needed).
    verify : bool
        Whether an unwinnable position that had to be searched is searched again with other keys.
        One search of n positions is wrong by a collision with odds below n * n / 2**65.

    certificates : bool
        Whether a loss that the position proves comes with its certificate; in Classic they take
        0.6 ms a deal, about as much as the search.

    Raises
    ------
    ValueError
        If ``nodes`` is no whole number from 1 up.
    """

    def __init__(
        self,
        rules: Rules,
        nodes: int = DEFAULT_NODES,
        *,
        proofs: bool = True,
        persistent_sets: bool = True,
        verify: bool = False,
        certificates: bool = True,
    ) -> None:
        if not is_whole(nodes) or nodes < 1:
            raise ValueError(f"nodes={nodes!r} must be a whole number from 1 up")
        self.rules = rules
        self.nodes = int(nodes)
        self._options = [Options(int(proofs), int(persistent_sets), salt) for salt in _SALTS]
        self._verify = verify
        self._certificates = certificates
        self._relations = relations_of(rules)
        self._compiled = rules.compiled
        if rules.undo_limit != 0:
            self._compiled = self._compiled._replace(sheet_loss=0)
        self._search = new_search(rules, self._relations.families, self.nodes)
        self._replayed = row_of(empty_state(rules, 1, undoable=0), 0)
        self._mask = np.zeros(rules.actions, np.int8)

    def solve(
        self,
        position: State | Game,
        seconds: float | None = None,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> Solution:
        """Solve a position.

        Parameters
        ----------
        position : State or Game
            A game, or one game's row of a state; it is not changed.
        seconds : float, optional
            Time after which the answer is unknown; None for no limit.
        goes_on : callable, optional
            Asked again and again; once it returns False the answer is unknown.

        Raises
        ------
        ValueError
            If a game of other rules is given.
        """
        state = self._row(position)
        until = math.inf if seconds is None else time.monotonic() + seconds

        def searches_on() -> bool:
            return time.monotonic() <= until and goes_on()

        if self._is_over(state):
            return Solution("unwinnable", 0, certificate=self._certify(state))
        result = self._run(state, self._options[0], searches_on)
        if result.outcome == FOUND:
            self._replay(state, result.actions)
            return Solution("winnable", result.nodes, result.actions)
        if result.outcome != EXHAUSTED:
            return Solution("unknown", result.nodes)
        certificate = self._certify(state)
        if certificate is None and self._verify:
            again = self._run(state, self._options[1], searches_on)
            if again.outcome == FOUND:
                raise SolverError("two keys disagree: a collision hid a win")
            if again.outcome != EXHAUSTED:
                return Solution("unknown", result.nodes + again.nodes)
        return Solution("unwinnable", result.nodes, certificate=certificate)

    def _row(self, position: State | Game) -> State:
        if isinstance(position, Game):
            if position.rules != self.rules:
                raise ValueError("this game has other rules than the solver")
            return position.state
        return position

    def _is_over(self, state: State) -> bool:
        _load(self._replayed, state)
        return settle(self.rules.compiled, self._replayed, self._mask) == LOST

    def _certify(self, state: State) -> Certificate | None:
        if not self._certificates:
            return None
        _load(self._replayed, state)  # given arrays may be of a kind that no kernel is compiled for
        return certify(self.rules, self._compiled, self._relations, self._replayed)

    def _run(self, state: State, options: Options, searches_on: Callable[[], bool]) -> _Result:
        _load(self._search.state, state)
        given = (self._compiled, self._relations, options, self._search)
        outcome = begin_search(*given, self.nodes)
        while outcome == SEARCHING and searches_on():
            outcome = go_on(*given, self.nodes, _SLICE)
        counters = self._search.tree.counters
        nodes = int(counters[SPENT]) + (0 if outcome == FULL else int(counters[NODES]))
        return _Result(outcome, nodes, self._line() if outcome == FOUND else ())

    def _line(self) -> tuple[int, ...]:
        """Return the actions that lead to the winning node."""
        tree = self._search.tree
        node = int(tree.counters[WINNER])
        actions = []
        while tree.parent[node] >= 0:
            actions.append(int(tree.action[node]))
            node = int(tree.parent[node])
        return tuple(reversed(actions))

    def _replay(self, state: State, actions: tuple[int, ...]) -> None:
        """Play a line on the engine; the game must be won by it and every action be legal."""
        rules, replayed = self.rules.compiled, self._replayed
        _load(replayed, state)
        status = settle(rules, replayed, self._mask)
        for action in actions:
            if status != PLAYING or not self._mask[action]:
                raise SolverError(f"action {action} of a won line is illegal")
            apply(rules, replayed, action)
            replayed.counters[UNDOABLE] = int(self.rules.undo_limit != 0)
            status = settle(rules, replayed, self._mask)
        if status != WON:
            raise SolverError("a won line does not win")


def _load(row: State, given: State) -> None:
    """Copy a game's row but for what could be taken back."""
    arrays: list[np.ndarray[Any, Any]] = list(row)
    for target, source in zip(arrays[:-1], given[:-1], strict=True):
        target[...] = source


def solve(position: Game, nodes: int = DEFAULT_NODES, seconds: float | None = None) -> Solution:
    """Solve a game as it stands; see `Solver`, which is faster for many."""
    return Solver(position.rules, nodes).solve(position, seconds)
