"""Hints in words: what still wins with all cards known, or over what the hidden cards may be.

Hints take a while: they ask ``goes_on`` between slices of their work, and once it says no what they
return means nothing.
"""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from scorpion_env.game import Game
from scorpion_env.notation import name_move, parse_move
from scorpion_env.solver.advice import Adviser
from scorpion_env.solver.solution import DEFAULT_NODES, Solution, Solver

GoesOn = Callable[[], bool]

WORLDS = 100  # sampled worlds that a vote is taken over
MOST_DRAWS = 10_000  # worlds looked at for them
VOTE_SECONDS = 10.0
VOTE_NODES = 100_000  # positions searched in a world, over all moves
MOVES_NAMED = 3

LOOKED = "This hint looks at hidden cards."
NOT_LOOKED = "This hint does not look at hidden cards."


@dataclass(frozen=True)
class Hint:
    """What a hint says.

    Attributes
    ----------
    text : str
        In words, cards as text.
    action : int or None
        The action it recommends, if any.
    proof : str
        Why the position is lost; empty unless it is.
    """

    text: str
    action: int | None = None
    proof: str = ""


def look(game: Game, goes_on: GoesOn, nodes: int = DEFAULT_NODES) -> Hint:
    """Return what wins a game that is not won, or why nothing does, with all cards known."""
    solver = Solver(game.rules, nodes)
    solution = solver.solve(game, goes_on=goes_on)
    if solution.status == "unknown":
        return Hint(
            f"Whether this wins is not decided after {solution.nodes:,} positions. {LOOKED}"
        )
    if solution.status == "winnable":
        action = solution.actions[0]
        move = name_move(game.rules, action)
        return Hint(f"This still wins: {move} (in {len(solution.actions)} moves). {LOOKED}", action)
    what = "position" if game.actions else "deal"
    proof = f"All positions that can follow were searched ({solution.nodes:,}): none is won."
    if solution.certificate is not None:
        proof = solution.certificate.text
    way_back = _way_back(solver, game, goes_on)
    return Hint(f"This {what} is lost. {way_back}{LOOKED}", None, proof)


def _way_back(solver: Solver, game: Game, goes_on: GoesOn) -> str:
    """Return in a sentence how a lost game comes to stand where it can be won, "" if unknown."""

    def solve_back(moves: int) -> Solution:
        past = game.copy()
        for _ in range(moves):
            past.undo()
        return solver.solve(past, goes_on=goes_on)

    played = len(game.actions)
    if not played:
        return ""
    status = solve_back(played).status
    if status != "winnable":
        return "So was the deal from the start. " if status == "unwinnable" else ""
    # what is lost stays lost, so the last winnable position is found by bisection
    moves = 1 + bisect_left(
        range(1, played), True, key=lambda moves: solve_back(moves).status == "winnable"
    )
    actions = solve_back(moves).actions
    move = name_move(game.rules, actions[0]) if actions else ""
    return f"Take back {moves} move{'s' * (moves > 1)}: there {move} wins. "


def guess(game: Game, goes_on: GoesOn) -> Hint:
    """Return which moves of a game that goes on win in most ways that hidden cards may lie."""
    adviser = Adviser(game.rules, max(1, VOTE_NODES // len(game.legal_moves())))
    wins: Counter[str] = Counter()
    won = drawn = 0
    until = math.inf
    while won < WORLDS and drawn < MOST_DRAWS and time.monotonic() < until and goes_on():
        votes = adviser.vote(game, worlds=1, seed=drawn, draws=1)
        drawn += 1
        won += votes.worlds
        wins.update(votes.wins)
        if drawn == 1:  # the first vote of all compiles for some seconds
            until = time.monotonic() + VOTE_SECONDS
    sampled = f"Of {drawn:,} sampled ways that the hidden cards may lie"
    if not won:
        return Hint(f"{sampled} none was found to be won. {NOT_LOOKED}")
    (best, most), *others = wins.most_common(MOVES_NAMED)
    shares = ", ".join([f"{best} wins {most} of them", *(f"{m} {count}" for m, count in others)])
    return Hint(f"{sampled} {won} can be won: {shares}. {NOT_LOOKED}", parse_move(game.rules, best))
