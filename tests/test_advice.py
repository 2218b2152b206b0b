import itertools

import pytest

from scorpion_env import VARIANTS
from scorpion_env.deals import FIRST_TRAINING_SEED
from scorpion_env.game import Game
from scorpion_env.solver import Adviser, Solver


@pytest.fixture(scope="module")
def adviser() -> Adviser:
    return Adviser(VARIANTS["classic"], nodes=20_000)


@pytest.mark.parametrize("seed", [3, 13, 22, 24])
def test_judge_agrees_with_solving_after_each_move(adviser: Adviser, seed: int) -> None:
    game, solver = Game(seed=seed), Solver(VARIANTS["classic"], nodes=20_000)
    verdicts = adviser.judge(game)
    assert list(verdicts) == game.legal_moves()
    for move, verdict in verdicts.items():
        after = game.copy()
        after.play(move)
        assert solver.solve(after).status == verdict


def test_judge_leaves_the_game_alone(adviser: Adviser) -> None:
    game = Game(seed=3)
    text = game.to_text(reveal=True)
    adviser.judge(game)
    adviser.vote(game, worlds=2)
    assert game.to_text(reveal=True) == text


def test_some_move_of_a_winnable_game_wins(adviser: Adviser) -> None:
    game = Game(seed=3)
    assert "winnable" in adviser.judge(game).values()


def _hide_again(game: Game, seed: int) -> Game:
    """Return the game with other cards under its face-down places."""
    return Game(deal=str(game), seed=seed, rules=game.rules)


def test_votes_do_not_look_at_hidden_cards(adviser: Adviser) -> None:
    game = Game(seed=3)
    votes = [adviser.vote(_hide_again(game, seed), worlds=5, seed=7) for seed in range(4)]
    assert all(a == b for a, b in itertools.pairwise(votes))
    assert votes[0].worlds == 5


def test_votes_are_those_of_judged_worlds(adviser: Adviser) -> None:
    """Counting by hand over worlds drawn elsewhere gives about the same shares."""
    game = Game(seed=13)
    votes = adviser.vote(game, worlds=60, seed=1)
    by_hand: dict[str, int] = dict.fromkeys(votes.wins, 0)
    worlds = 0
    for seed in range(FIRST_TRAINING_SEED, FIRST_TRAINING_SEED + 20_000):
        verdicts = adviser.judge(_hide_again(game, seed))
        worlds += "winnable" in verdicts.values()
        for move, verdict in verdicts.items():
            by_hand[move] += verdict == "winnable"
        if worlds == 60:
            break
    assert worlds == votes.worlds == 60
    for move, wins in votes.wins.items():
        assert abs(wins - by_hand[move]) / 60 < 0.35


def test_a_game_that_is_over_has_no_moves_to_judge(adviser: Adviser) -> None:
    game = Game(seed=3)
    for action in Solver(game.rules).solve(game).actions:
        game.play(action)
    assert game.is_won
    assert adviser.judge(game) == {}
    assert adviser.vote(game).worlds == 0


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_is_judged(name: str) -> None:
    rules = VARIANTS[name]
    small = Adviser(rules, nodes=200)
    game = Game(seed=1, rules=rules)
    assert set(small.judge(game)) == {m for m in game.legal_moves() if m != "undo"}
    votes = small.vote(game, worlds=1, draws=3)
    assert votes.worlds <= 1
    assert set(votes.wins.values()) <= {0, 1}


def test_what_cannot_be_advised_is_refused(adviser: Adviser) -> None:
    with pytest.raises(ValueError, match="other rules"):
        adviser.judge(Game(seed=1, rules="wasp"))
    with pytest.raises(ValueError, match="from 1"):
        adviser.vote(Game(seed=3), worlds=0)
    with pytest.raises(ValueError, match="from 1 up"):
        Adviser(VARIANTS["classic"], nodes=0)


def test_one_world_has_one_vote(adviser: Adviser) -> None:
    votes = adviser.vote(Game(seed=3), worlds=1)
    assert votes.worlds == max(votes.wins.values()) == 1
