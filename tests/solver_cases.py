"""Positions for the solver, and what its answers are held against.

With the environment variable ``SCORPION_LONG=1`` the tests take the full number of them.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from scorpion_env import Rules
from scorpion_env.game import Game
from scorpion_env.notation import name_card
from scorpion_env.solver import Solution, Solver
from tests.certificates import check
from tests.oracle import OracleGame

GUIDED = 30_000  # positions that are tried for a winning line
TRIES = 25  # deals that are tried
LATE = 60  # actions before the end of a game that positions are taken from
IS_LONG = os.environ.get("SCORPION_LONG") == "1"

Line = tuple[tuple[int, ...], tuple[int, ...]]  # a deal and actions from it


def number(short: int, full: int) -> int:
    """How many of something to try."""
    return full if IS_LONG else short


@dataclass(frozen=True)
class Case:
    """A position: a game some moves after its deal."""

    rules: Rules
    deck: tuple[int, ...]
    game: Game

    def oracle(self) -> OracleGame:
        """The same position of the naive model, reached by the same moves."""
        oracle = OracleGame(self.rules, self.deck)
        for action in self.game.actions:
            oracle.play(action)
        return oracle

    def __str__(self) -> str:
        return f"{self.rules}\n{self.game.to_text(reveal=True)}"


def case(rules: Rules, deck: Iterable[int], actions: Iterable[int] = ()) -> Case:
    """Deal these cards and play these actions."""
    cards = tuple(int(card) for card in deck)
    game = Game(rules=rules, deal=[name_card(rules, card) for card in cards])
    for action in actions:
        game.play(action)
    return Case(rules, cards, game)


def random_cases(rules: Rules, seed: int, cases: int) -> Iterator[Case]:
    """Yield positions of random games and, every other one, of a game that can be won."""
    rng = np.random.default_rng(seed)
    guide = Solver(rules, GUIDED)
    won = winnable_deal(rules, rng, guide)
    for k in range(cases):
        if won[1] and k % number(8, 40) == 7:
            another = winnable_deal(rules, rng, guide)
            won = another if another[1] else won
        deck, actions = won if won[1] and k % 2 else random_line(rules, rng)
        back = int(rng.integers(min(len(actions), LATE) + 1))
        position = case(rules, deck, actions[: len(actions) - back])
        play_on(position.game, rng, int(rng.integers(4)))
        yield position


def random_line(rules: Rules, rng: np.random.Generator) -> Line:
    """Return a deal and up to 80 random actions from it."""
    begun = case(rules, rng.permutation(rules.layout.cards))
    play_on(begun.game, rng, 80)
    return begun.deck, tuple(begun.game.actions)


def winnable_deal(rules: Rules, rng: np.random.Generator, guide: Solver) -> Line:
    """Return a deal and a line that wins it, or no line if the guide finds none for a while."""
    for _ in range(TRIES):
        dealt = case(rules, rng.permutation(rules.layout.cards))
        line = guide.solve(dealt.game).actions
        if line:
            break
    return dealt.deck, line


def play_on(game: Game, rng: np.random.Generator, steps: int) -> None:
    """Play random legal actions but undo."""
    for _ in range(steps):
        legal = np.flatnonzero(game.action_mask()[: game.rules.deal_action + 1])
        if not len(legal):
            return
        game.play(int(rng.choice(legal)))


def solvers(rules: Rules, nodes: int) -> list[Solver]:
    """Solvers with proofs and persistent sets switched on and off; the last one tries all moves."""
    return [
        Solver(rules, nodes, proofs=proofs, persistent_sets=sets, verify=proofs, certificates=False)
        for proofs, sets in product((True, False), repeat=2)
    ]


def compare(position: Case, asked: list[Solver]) -> list[str]:
    """Return the answers of solvers; those that are decided must be the same."""
    answers = [solver.solve(position.game).status for solver in asked]
    assert len({*answers} - {"unknown"}) < 2, f"{answers}\n{position}"
    return answers


def check_solution(position: Case, solution: Solution) -> None:
    """Play a winning line on the naive model, hold a certificate against the theorem."""
    assert (solution.status == "winnable") >= bool(solution.actions)
    assert (solution.status == "unwinnable") >= bool(solution.certificate)
    if solution.certificate:
        check(position.rules, position.game.position, solution.certificate)
    if solution.status == "winnable":
        oracle = position.oracle()
        for action in solution.actions:
            oracle.play(action)
        assert oracle.won, str(position)


def tally(rules: Rules, positions: Iterable[Case], nodes: int) -> Counter[str]:
    """Compare solvers; count the answers of the best and how many the plainest one decided too."""
    counts: Counter[str] = Counter()
    asked, reasoning = solvers(rules, nodes), Solver(rules, nodes)
    for k, position in enumerate(positions):
        best, *_, plainest = compare(position, asked)
        counts[best] += 1
        counts["both"] += "unknown" not in (best, plainest)
        if k % number(1, 5) == 0:
            check_solution(position, reasoning.solve(position.game))
    return counts
