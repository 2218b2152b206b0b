"""The solver's answers, budgets and refusals."""

import numpy as np
import pytest

from scorpion_env import VARIANTS, Layout, Rules
from scorpion_env.engine.state import copy_state
from scorpion_env.game import Game
from scorpion_env.solver import Solution, Solver, SolverError, solve
from tests.lockstep import RULE_SETS
from tests.naive_solver import naive_status
from tests.random_games import assert_same_state, random_game
from tests.random_rules import random_deck
from tests.solver_cases import Case, case, check_solution, solvers
from tests.test_batch import kernels

SMALL = Rules(Layout((3, 3, 3, 1), (1, 1, 0, 0), 2, (0, 1), suits=3, ranks=4))


def small_cases(rules: Rules, deals: int) -> list[Case]:
    """The first random deals."""
    return [case(rules, random_deck(rules, seed)) for seed in range(deals)]


@pytest.mark.parametrize("name", RULE_SETS)
def test_one_deal_of_each_rule_set(name: str) -> None:
    rules = RULE_SETS[name]
    position = case(rules, random_deck(rules, 3))
    solution = Solver(rules, 2000).solve(position.game)
    check_solution(position, solution)
    assert solution.nodes <= 2000


def test_one_compiled_signature_a_kernel() -> None:
    """Neither rules nor options make Numba compile a kernel of the solver or the engine again.

    Kernels that others call count only where they are compiled: with an empty cache, as in the run
    with checked indices.
    """
    for rules in RULE_SETS.values():
        for solver in solvers(rules, 30):
            solver.solve(Game(0, rules))
    signatures = {name: kernel.signatures for name, kernel in kernels().items()}
    assert sum("solver" in name for name in signatures) > 20
    assert {name: s for name, s in signatures.items() if len(s) > 1} == {}


def test_small_games_as_a_naive_search_says() -> None:
    answers = set()
    for position in small_cases(SMALL, 40):
        for solver in solvers(SMALL, 50_000):
            solution = solver.solve(position.game)
            check_solution(position, solution)
            assert solution.status == naive_status(position.oracle(), 20_000)
            answers.add(solution.status)
    assert answers == {"winnable", "unwinnable"}


def test_classic_wins_are_worth_their_points() -> None:
    solver = Solver(VARIANTS["classic"], 100_000)
    won = 0
    for seed in range(150):
        game = Game(seed)
        solution = solver.solve(game)
        assert solution.status != "unknown"
        points = sum(game.play(action) for action in solution.actions)
        assert game.is_won == (solution.status == "winnable")
        assert points >= 460 or not game.is_won
        won += game.is_won
    assert 8 <= won <= 32


@pytest.mark.parametrize("name", ["classic", "double_scorpion", "pysol_scorpion_tail"])
def test_same_answer_twice(name: str) -> None:
    rules = VARIANTS[name]
    solver = Solver(rules, 30_000)
    games = [Game(seed, rules) for seed in range(4)]
    first = [solver.solve(game) for game in games]
    assert [solver.solve(game) for game in reversed(games)] == first[::-1]
    assert [Solver(rules, 30_000).solve(game) for game in games] == first


@pytest.mark.parametrize("nodes", [1, 2, 10, 1000, 25_000])
def test_budget_is_kept(nodes: int) -> None:
    for name in ("classic", "flexible", "pysol_double_scorpion"):
        solver = Solver(VARIANTS[name], nodes)
        for seed in range(5):
            solution = solver.solve(Game(seed, name))
            assert solution.nodes <= nodes
            assert solution.status != "unknown" or solution.nodes == nodes


def test_time_limit_leaves_it_unknown() -> None:
    rules = VARIANTS["pysol_triple_scorpion"]
    solver = Solver(rules, 200_000)
    late = solver.solve(Game(2, rules), seconds=0.01)
    assert late.status == "unknown"
    assert 0 < late.nodes < 200_000
    assert solver.solve(Game(0, "pysol_triple_scorpion"), seconds=0).status == "unknown"
    assert Solver(VARIANTS["classic"]).solve(Game(0), seconds=100).status != "unknown"


@pytest.mark.parametrize("nodes", [0, -1, 2.5, True, "10", None])
def test_wrong_budgets_are_refused(nodes: object) -> None:
    with pytest.raises(ValueError, match="whole number from 1 up"):
        Solver(VARIANTS["classic"], nodes)  # type: ignore[arg-type]


def test_games_of_other_rules_are_refused() -> None:
    with pytest.raises(ValueError, match="other rules"):
        Solver(VARIANTS["classic"]).solve(Game(0, "flexible"))
    same = Game(0, Rules())
    assert Solver(VARIANTS["classic"]).solve(same) == solve(same)


def test_a_state_is_as_good_as_its_game() -> None:
    game = Game(5)
    solver = Solver(game.rules)
    assert solver.solve(game.state) == solver.solve(game)
    read_only = game.state
    for array in read_only:
        array.flags.writeable = False
    assert solver.solve(read_only) == solver.solve(game)
    assert {len(kernel.signatures) for kernel in kernels().values()} <= {0, 1}


def won_game() -> Game:
    """A game that has been won, and its line."""
    for position in small_cases(SMALL, 40):
        for action in solve(position.game).actions:
            position.game.play(action)
        if position.game.is_won:
            return position.game
    raise AssertionError("none of the deals can be won")


def test_won_and_stuck_positions() -> None:
    assert solve(won_game()) == Solution("winnable", 1)
    stuck = random_game("classic", 0, steps=400)
    while not stuck.is_stuck:
        stuck.play(int(np.flatnonzero(stuck.action_mask())[0]))
    solution = solve(stuck)
    assert (solution.status, solution.nodes, solution.actions) == ("unwinnable", 0, ())


@pytest.mark.parametrize("name", ["open_scorpion", "three_blind_mice", "wasp_stay_undo", "small"])
def test_the_position_is_not_changed(name: str) -> None:
    solver = Solver(RULE_SETS[name], 5000)
    for seed in range(5):
        game = random_game(RULE_SETS[name], seed, steps=20)
        before, mask, played = copy_state(game.state), game.action_mask(), game.actions
        state = game.state
        solver.solve(game)
        solver.solve(state)
        assert_same_state(game.state, before)
        assert_same_state(state, before)
        assert (game.action_mask() == mask).all()
        assert game.actions == played


def test_a_line_that_does_not_win_is_an_error() -> None:
    """What the search returns is trusted only after the engine has played it."""
    game = won_game()
    line = tuple(game.actions)
    while game.actions:
        game.undo()
    solver = Solver(SMALL)
    solver._replay(game.state, line)
    for wrong in (line[:-1], (*line, line[-1]), line[::-1], (SMALL.actions - 1,)):
        with pytest.raises(SolverError):
            solver._replay(game.state, wrong)


SHEET = Rules(Layout((2, 1, 2), (1, 0, 1), 0, (), suits=1, ranks=5), loss="sheet", sequences="stay")


def test_persistent_sets_know_the_literal_loss() -> None:
    """2C onto 3C turns a card; made too early it leaves no helpful move."""
    game = Game(rules=SHEET, deal=["AC", "5C", "3C", "2C", "4C"])
    assert str(game).splitlines()[:3] == ["1: ## 2C", "2: 5C", "3: ## 4C"]
    assert {solver.solve(game).status for solver in solvers(SHEET, 100)} == {"winnable"}


def test_a_removed_sequence_may_uncover_the_ace_of_an_earlier_suit() -> None:
    """Diamonds leave first and free no card to move, only AC, which clubs then leave with."""
    rules = Rules(Layout((5, 5, 2), (0, 0, 0), 0, (), suits=4, ranks=3))
    columns = ("3S 3H 2H 3C 2C", "2S AS AC 3D 2D", "AH AD")
    texts = [column.split() for column in columns]
    deck = [column[row] for row in range(5) for column in texts if row < len(column)]
    game = Game(rules=rules, deal=deck)
    assert {solver.solve(game).status for solver in solvers(rules, 100)} == {"winnable"}


@pytest.mark.parametrize("undo_limit", [1, None])
def test_undo_lifts_the_literal_loss(undo_limit: int | None) -> None:
    """Each action can be taken back, so a game goes on where the sheet would end it."""
    lost = 0
    for seed in range(60):
        layout = Layout((4, 3, 2), (2, 1, 0), 0, (), suits=3, ranks=3)
        rules = Rules(layout, loss="sheet", undo_limit=undo_limit)
        position = case(rules, random_deck(rules, seed))
        solution = solve(position.game)
        check_solution(position, solution)
        assert solution.status == naive_status(position.oracle(), 5000)
        strict = Rules(layout, loss="sheet")
        lost += solution.status != solve(case(strict, position.deck).game).status
    assert lost > 0
