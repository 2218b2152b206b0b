"""Labels by search: what the search agent plays, for the network to play without searching.

Search and network improve each other in turns (expert iteration; Anthony, Tian, Barber 2017,
"Thinking fast and slow with deep learning and tree search"): the search is guided by the network,
and the network is fitted to what the search found. Labels know nothing that is hidden.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Actions, Agent, Mask, Rows, Seeds
from agents.evaluation import evaluate
from agents.search import SearchAgent, seen_of
from agents.worlds import pack_seen
from scorpion_env.engine.state import empty_state, row_of
from scorpion_env.rules import Rules
from scorpion_env.solver.analysis import LOSES, NOT_JUDGED, WINS
from scorpion_env.solver.relations import relations_of
from train.positions import Kept, packed_size
from train.run_folder import RunError


class LabellingAgent(Agent):
    """Plays as the search does and keeps each position that it had to search for.

    The searched move is labelled WINS, every other legal one LOSES.
    """

    name = "labelling"

    def __init__(self, rules: Rules, search: SearchAgent) -> None:
        super().__init__()
        self._rules, self._search = rules, search
        self._state = row_of(empty_state(rules, 1, undoable=0), 0)
        self._hidden = np.zeros(rules.layout.cards, np.uint8)
        self.packed: list[npt.NDArray[np.uint8]] = []
        self.verdicts: list[npt.NDArray[np.int8]] = []

    def begin(self, seeds: Seeds) -> None:
        """Begin new games."""
        self._search.begin(seeds)

    def keep(self, rows: Rows, seeds: Seeds) -> None:
        """Go on with some games and begin others."""
        self._search.keep(rows, seeds)

    def act(self, observation: Any, mask: Mask) -> Actions:
        """Return the search's action (N,) for each game."""
        actions = self._search.act(observation, mask)
        for game in np.flatnonzero(self._search.probabilities().any(axis=1)):
            packed = np.zeros(packed_size(self._rules), np.uint8)
            given = (self._rules.compiled, relations_of(self._rules))
            pack_seen(*given, seen_of(observation, game), self._state, packed, self._hidden)
            verdicts = np.where(mask[game] != 0, LOSES, NOT_JUDGED).astype(np.int8)
            verdicts[actions[game]] = WINS
            self.packed.append(packed)
            self.verdicts.append(verdicts)
        return actions


def label_by_search(rules: Rules, search: SearchAgent, seeds: Seeds) -> Kept:
    """Let the search play the deals of ``seeds`` (n,); return what it had to search for.

    Raises
    ------
    RunError
        If there was nothing to search for.
    """
    agent = LabellingAgent(rules, search)
    evaluate(agent, rules, seeds, batch_size=50)
    if not agent.packed:
        raise RunError("the search had nothing to search for: give it more worlds or draws")
    return Kept(np.array(agent.packed), np.array(agent.verdicts))
