"""What the solver says of each position of a recorded game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scorpion_env.records import GameRecord
from scorpion_env.solver.solution import Solver, Status


def judge_positions(record: GameRecord, nodes: int) -> Iterator[Status]:
    """Yield whether the game can be won from the deal on, and so after each of its actions.

    All cards are known to the solver, and no action is taken back.

    Parameters
    ----------
    record : GameRecord
        The game.
    nodes : int
        Budget of positions for each answer.

    Raises
    ------
    ValueError
        If ``nodes`` is no whole number from 1 up.
    """
    solver = Solver(record.rules, nodes, certificates=False)
    game = record.replay(0)
    known = solver.solve(game)
    yield known.status
    for action in record.actions:
        game.play(action)
        if known.actions[:1] == (action,):  # the winning line goes on
            known = replace(known, actions=known.actions[1:])
        elif known.status != "unwinnable" or record.rules.undo_limit != 0:
            known = solver.solve(game)
        yield known.status
