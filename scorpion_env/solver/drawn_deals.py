"""Deals for training that are solved as they are drawn."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.compile import kernel
from scorpion_env.engine.deal import MAX_DEALS_PASSED, deal, first_deal, shuffle
from scorpion_env.engine.outcome import settle
from scorpion_env.engine.state import PLAYING
from scorpion_env.rules import CompiledRules, Rules
from scorpion_env.solver.relations import Relations, relations_of
from scorpion_env.solver.relaxation import NO_PROOF, relax
from scorpion_env.solver.search import (
    FOUND,
    SEARCHING,
    Options,
    Search,
    begin_search,
    go_on,
    new_search,
)

Wanted = Literal["all", "not_lost", "winnable"]

NODES = 2_000  # finds 99 % of the winnable deals of Classic, in 1.6 ms a deal that is dealt
_OPTIONS = Options(proofs=1, persistent_sets=1, salt=0x5C0_4210)


class DrawnDeals:
    """A `scorpion_env.deals.DealSource` that passes deals over which nobody wants.

    The deals left are those of the same stream, in its order.

    Parameters
    ----------
    rules : Rules
        What is played.
    wanted : str
        ``"not_lost"``: the relaxation does not prove at once that the deal is lost;
        ``"winnable"``: the solver wins it within ``nodes`` positions, all cards known.
    nodes : int
        Budget of positions a deal; deals that need more are passed over, so that the hardest ones
        are missing.

    Raises
    ------
    ValueError
        If ``wanted`` is neither, or ``nodes`` less than 1.
    """

    def __init__(self, rules: Rules, wanted: Wanted, nodes: int = NODES) -> None:
        if wanted not in get_args(Wanted)[1:]:
            raise ValueError(f"wanted={wanted!r} is unknown: choose 'not_lost' or 'winnable'")
        if nodes < 1:
            raise ValueError(f"nodes={nodes} must be at least 1")
        self.rules, self.wanted, self.nodes = rules, wanted, nodes
        self._relations = relations_of(rules)
        self._search = new_search(rules, self._relations.families, nodes)
        self._deck = np.zeros(rules.layout.cards, np.uint8)

    def advance(self, streams: npt.NDArray[np.uint64], chosen: npt.NDArray[np.bool_]) -> None:
        """Move the streams (N,) of the chosen games (N,) on to a deal that is wanted.

        Raises
        ------
        ValueError
            If a stream has none for very long.
        """
        for game in np.flatnonzero(chosen).tolist():
            is_found = self._next_open(streams, game, False)
            passed = 0
            while is_found and self.wanted == "winnable" and not self._is_won():
                passed += 1
                is_found = passed < MAX_DEALS_PASSED and self._next_open(streams, game, True)
            if not is_found:
                searched = self.wanted == "winnable"
                hint = f" within {self.nodes} positions: raise the nodes" if searched else ""
                raise ValueError(
                    f"of {MAX_DEALS_PASSED} deals in a row none is {self.wanted}{hint}"
                )

    def _next_open(self, streams: npt.NDArray[np.uint64], game: int, passing: bool) -> bool:
        given = (self.rules.compiled, self._relations, self._search)
        return next_open(*given, self._deck, streams, game, passing)

    def _is_won(self) -> bool:
        """Search the deal on the table of the search."""
        given = (self.rules.compiled, self._relations, _OPTIONS, self._search)
        outcome = begin_search(*given, self.nodes)
        while outcome == SEARCHING:
            outcome = go_on(*given, self.nodes, self.nodes)
        return outcome == FOUND


@kernel
def next_open(
    rules: CompiledRules,
    relations: Relations,
    search: Search,
    deck: npt.NDArray[np.uint8],
    streams: npt.NDArray[np.uint64],
    game: int,
    passing: bool,
) -> bool:
    """Move a game's stream on to the next deal that has a first move and is not proven lost.

    With ``passing`` the deal at hand is passed over. Lays the deal out on ``search.state``; changes
    ``streams``, ``search`` and ``deck``. Returns whether there was one before very long.
    """
    number = first_deal(streams[game])
    if passing:
        number = shuffle(deck, number)
    for _ in range(MAX_DEALS_PASSED):
        streams[game] = number
        following = shuffle(deck, number)
        deal(rules, search.state, deck)
        begins = settle(rules, search.state, search.mask) == PLAYING
        if begins and relax(rules, relations, search.state, search.facts)[0] == NO_PROOF:
            return True
        number = following
    return False
