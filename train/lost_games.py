"""Which running games the relaxation proves lost, hidden cards known: a signal for training."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.compile import kernel
from scorpion_env.engine.state import State, game_row
from scorpion_env.rules import CompiledRules, Rules
from scorpion_env.solver.relations import Relations, relations_of
from scorpion_env.solver.relaxation import NO_PROOF, Facts, no_facts, relax


class LostGames:
    """Looks for games that can no longer be won.

    Parameters
    ----------
    rules : Rules
        What is played.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules.compiled
        self._relations = relations_of(rules)
        self._facts = no_facts(rules.layout.cards, self._relations.families)

    def among(self, state: State, asked: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return which of the games ``asked`` (N,) of a batch's state are proven lost (N,)."""
        lost = np.zeros(len(asked), np.bool_)
        mark_lost(self._rules, self._relations, state, self._facts, asked, lost)
        return lost


@kernel
def mark_lost(
    rules: CompiledRules,
    relations: Relations,
    state: State,
    facts: Facts,
    asked: npt.NDArray[np.bool_],
    lost: npt.NDArray[np.bool_],
) -> None:
    """Mark in ``lost`` (N,) those of the games ``asked`` (N,) that are proven lost."""
    for game in range(asked.shape[0]):
        if asked[game]:
            reason, _card = relax(rules, relations, game_row(state, game), facts)
            lost[game] = reason != NO_PROOF
