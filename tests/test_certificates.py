"""Proofs of loss against the checker of `tests.certificates`, the checker against false ones."""

from dataclasses import replace

import pytest

from scorpion_env import VARIANTS, Layout, Rules
from scorpion_env.game import Game
from scorpion_env.solver import Certificate, Solver, solve
from scorpion_env.solver.words import Need
from tests.certificates import RefusedError, check
from tests.lockstep import RULE_SETS
from tests.random_games import random_game
from tests.solver_cases import number


def proofs(rules: Rules, games: int) -> list[tuple[Game, Certificate]]:
    """Random positions that are proven lost, with their proofs."""
    solver = Solver(rules, 300)
    found = []
    for seed in range(games):
        game = random_game(rules, seed)
        certificate = solver.solve(game).certificate
        if certificate:
            found.append((game, certificate))
    return found


@pytest.mark.parametrize("name", RULE_SETS)
def test_proofs_hold(name: str) -> None:
    found = proofs(RULE_SETS[name], number(30, 2000))
    for game, certificate in found:
        check(RULE_SETS[name], game.position, certificate)
    assert found


@pytest.mark.parametrize("name", ["classic", "traditional", "three_blind_mice"])
def test_no_claim_of_a_cycle_is_idle(name: str) -> None:
    """Where face-up cards wait for one other each, a proof fails without any of its claims."""
    rules = VARIANTS[name]
    found = proofs(rules, 90)
    cycles = [(g, proof) for g, proof in found if proof.cycle and "face-down" not in proof.text]
    for game, proof in cycles:
        for left_out in proof.claims:
            fewer = tuple(claim for claim in proof.claims if claim != left_out)
            with pytest.raises(RefusedError):
                check(rules, game.position, replace(proof, claims=fewer))
    assert len(cycles) > 3


def test_what_all_rests_on_cannot_be_left_out() -> None:
    """No card parts by an empty column or a removed sequence that nothing is claimed of."""
    rules = VARIANTS["wasp"]
    seen = set()
    for game, proof in proofs(rules, 60):
        for left_out in proof.claims:
            if left_out[0] in ("empty", "removed"):
                fewer = tuple(claim for claim in proof.claims if claim != left_out)
                seen.add(left_out[0])
                with pytest.raises(RefusedError):
                    check(rules, game.position, replace(proof, claims=fewer))
    assert seen == {"empty", "removed"}


@pytest.mark.parametrize("name", ["classic", "wasp", "three_blind_mice"])
def test_a_false_claim_is_refused(name: str) -> None:
    """Whatever is claimed of the top card of a column is false."""
    rules = VARIANTS[name]
    for game, proof in proofs(rules, 20):
        tops = [cards[-1] for cards in game.position.columns if cards]
        false = {("uncovered", card) for card in tops} - set(proof.claims)
        for claim in false:
            with pytest.raises(RefusedError):
                check(rules, game.position, replace(proof, claims=(*proof.claims, claim)))


def test_no_proof_holds_of_a_position_that_can_be_won() -> None:
    rules = VARIANTS["classic"]
    solver = Solver(rules)
    games = [Game(seed) for seed in range(60)]
    winnable = [game for game in games if solver.solve(game).status == "winnable"]
    for _, proof in proofs(rules, 60):
        for game in winnable:
            with pytest.raises(RefusedError):
                check(rules, game.position, proof)
    assert winnable


@pytest.mark.parametrize(("need", "wrong"), [("joined", "turned"), ("turned", "joined")])
def test_wrong_needs_are_refused(need: str, wrong: Need) -> None:
    rules = VARIANTS["classic"]
    found = [(game, proof) for game, proof in proofs(rules, 40) if proof.need == need]
    for game, proof in found:
        for other in (wrong, "bottom"):
            with pytest.raises(RefusedError):
                check(rules, game.position, replace(proof, need=other))
    assert found


def test_blocking_cycle() -> None:
    """Two aces, each on the card that the other must go onto."""
    rules = Rules(Layout((3, 3), (0, 0), 0, (), suits=2, ranks=3))
    game = Game(rules=rules, deal=["3C", "3D", "2D", "2C", "AC", "AD"])
    solution = solve(game)
    assert solution.certificate is not None
    assert sorted(solution.certificate.cycle) == [1, 4]
    assert "A blocking cycle" in solution.certificate.text
    check(rules, game.position, solution.certificate)


def test_ace_that_stays_in_a_played_reserve() -> None:
    rules = Rules(Layout((4, 1), (0, 0), 1, (), suits=2, ranks=3), reserve="play")
    game = Game(rules=rules, deal=["3C", "AD", "2C", "2D", "3D", "AC"])
    solution = solve(game)
    assert solution.status == "unwinnable"
    assert solution.certificate is not None
    check(rules, game.position, solution.certificate)
