"""Which moves of a game still win, for players and agents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scorpion_env.game import Game
from scorpion_env.notation import name_move
from scorpion_env.rules import Rules, is_whole
from scorpion_env.solver.analysis import (
    LOSES,
    UNDECIDED,
    WINS,
    Worlds,
    count_wins,
    judge_moves,
)
from scorpion_env.solver.relations import relations_of
from scorpion_env.solver.search import Options, new_search
from scorpion_env.solver.solution import Status

_VERDICTS: dict[int, Status] = {WINS: "winnable", LOSES: "unwinnable", UNDECIDED: "unknown"}
_OPTIONS = Options(proofs=1, persistent_sets=1, salt=0xAD_71CE)
DEFAULT_NODES = 100_000
MAX_DRAWS = 1_000_000


@dataclass(frozen=True)
class Votes:
    """In how many sampled worlds each move still wins.

    Attributes
    ----------
    worlds : int
        Sampled worlds that some move wins; the others count for nothing.
    wins : dict of str to int
        For each legal move, as text, the worlds that it still wins; a world takes part in this
        count as won only if its search ended within the nodes given.
    """

    worlds: int
    wins: dict[str, int]


class Adviser:
    """Judges the moves of games of one rule set.

    Parameters
    ----------
    rules : Rules
        What is played.
    nodes : int
        Budget of distinct positions for each move, and in each world.

    Raises
    ------
    ValueError
        If ``nodes`` is no whole number from 1 up.
    """

    def __init__(self, rules: Rules, nodes: int = DEFAULT_NODES) -> None:
        if not is_whole(nodes) or nodes < 1:
            raise ValueError(f"nodes={nodes!r} must be a whole number from 1 up")
        self._rules, self._nodes = rules, int(nodes)
        relations = relations_of(rules)
        search = new_search(rules, relations.families, self._nodes)
        compiled = rules.compiled
        if rules.undo_limit != 0:
            compiled = compiled._replace(sheet_loss=0)
        self._given = (compiled, relations, _OPTIONS, search)
        size = search.tree.packed.shape[1]
        self._worlds = Worlds(
            seen=np.zeros(size, np.uint8),
            packed=np.zeros(size, np.uint8),
            hidden=np.zeros(rules.layout.cards, np.uint8),
            mask=np.zeros(rules.actions, np.int8),
        )

    def judge(self, game: Game) -> dict[str, Status]:
        """Return what each legal move does to a game whose cards are all known.

        Undo is left out.

        Raises
        ------
        ValueError
            If the game has other rules.
        """
        self._check(game)
        verdicts = np.zeros(self._rules.actions, np.int8)
        judge_moves(*self._given, game.state, self._worlds, self._nodes, verdicts)
        return {
            name_move(self._rules, action): _VERDICTS[int(verdict)]
            for action, verdict in enumerate(verdicts)
            if int(verdict) in _VERDICTS
        }

    def vote(self, game: Game, worlds: int = 100, seed: int = 0, draws: int | None = None) -> Votes:
        """Return for how many worlds, sampled without looking at hidden cards, each move wins.

        Parameters
        ----------
        game : Game
            Where its hidden cards lie does not matter.
        worlds : int
            Sampled worlds wanted that some move wins.
        seed : int
            Of the sampling; the same seed and the same sight give the same votes.
        draws : int, optional
            Worlds looked at most; by default 100 for each one wanted.

        Raises
        ------
        ValueError
            If the game has other rules or a number is none from 1 up.
        """
        self._check(game)
        draws = 100 * worlds if draws is None else draws
        if not (is_whole(worlds) and worlds >= 1 and is_whole(draws) and 1 <= draws <= MAX_DRAWS):
            raise ValueError(
                f"worlds={worlds!r} and draws={draws!r} must be whole numbers from 1 to {MAX_DRAWS}"
            )
        wins = np.zeros(self._rules.actions, np.int64)
        start = np.uint64(int(seed) % 2**64)
        given = (self._worlds, game.state, start, int(worlds), int(draws), self._nodes, wins)
        found = count_wins(*self._given, *given)
        legal = np.flatnonzero(game.action_mask()[: self._rules.deal_action + 1])
        return Votes(int(found), {name_move(self._rules, int(a)): int(wins[a]) for a in legal})

    def _check(self, game: Game) -> None:
        if game.rules != self._rules:
            raise ValueError("this game has other rules than the adviser")
