"""The solver with its proofs against the solver without, and against a naive search."""

import pytest

from scorpion_env import VARIANTS
from scorpion_env.solver import Solver
from tests.lockstep import RULE_SETS
from tests.naive_solver import naive_status
from tests.random_rules import random_deck, random_rules
from tests.solver_cases import case, check_solution, compare, number, random_cases, solvers, tally


@pytest.mark.parametrize("name", RULE_SETS)
def test_random_positions_with_and_without_proofs(name: str) -> None:
    rules = RULE_SETS[name]
    cases = number(32, 10_000 if name in VARIANTS else 1000)
    counts = tally(rules, random_cases(rules, seed=2, cases=cases), 1000)
    print(name, dict(counts))
    assert counts["both"] > cases / 8


@pytest.mark.parametrize("name", VARIANTS)
def test_whole_deals_with_and_without_proofs(name: str) -> None:
    rules = VARIANTS[name]
    deals = number(10, 200)
    dealt = (case(rules, random_deck(rules, seed)) for seed in range(deals))
    counts = tally(rules, dealt, number(3000, 30_000))
    print(name, dict(counts))
    assert counts.total() - counts["both"] == deals


def test_small_rule_sets_against_a_naive_search() -> None:
    decided = compared = 0
    for seed in range(number(60, 2000)):
        rules = random_rules(seed)
        asked, reasoning = solvers(rules, 20_000), Solver(rules, 20_000)
        for deal in range(3):
            position = case(rules, random_deck(rules, 10 * seed + deal))
            naive = naive_status(position.oracle(), number(150, 1000))
            answers = {*compare(position, asked), naive}
            check_solution(position, reasoning.solve(position.game))
            compared += 1
            decided += "unknown" not in answers
            assert len(answers - {"unknown"}) < 2, f"{answers}\n{position}"
    print(f"{decided} of {compared} decided by all")
    assert decided > compared / 2
