"""The solver on the deals of games that were won in PySolFC.

Its rules differ from ours in that a complete sequence leaves by hand; the games in `NOT_OURS` make
use of that and part from ours on the way, so there only the deal is asked for.
"""

import pytest

from scorpion_env.solver import Solver
from tests.reference_games import ReferenceGame, card_text, games, stems
from tests.solver_cases import case, check_solution
from tests.test_reference import NOT_OURS, EngineGame, play_along, rules_of

NODES = 300_000
STEMS = [stem for stem in stems() if any(game.won for game in games(stem))]


def won_games(stem: str) -> list[ReferenceGame]:
    """The recorded games that were won, every card of which is one of ours."""
    return [game for game in games(stem) if game.won]


@pytest.mark.parametrize("stem", STEMS)
def test_deals_that_were_won_are_winnable(stem: str) -> None:
    rules = rules_of(stem)
    solver = Solver(rules, NODES)
    for reference in won_games(stem):
        position = case(rules, reference.deck())
        assert [card_text(card) for card in position.deck] == reference.dealt()
        solution = solver.solve(position.game)
        assert solution.status == "winnable", reference.name
        check_solution(position, solution)


@pytest.mark.parametrize("stem", STEMS)
def test_a_game_on_its_way_to_a_win_is_never_lost(stem: str) -> None:
    rules = rules_of(stem)
    solver = Solver(rules, 1000)
    for reference in won_games(stem):
        if reference.name in NOT_OURS:
            continue
        answers = [
            solver.solve(point.ours.game).status
            for point in play_along(reference, rules, EngineGame)
            if isinstance(point.ours, EngineGame)
        ]
        assert "unwinnable" not in answers, reference.name
        assert answers[-1] == "winnable", reference.name
