"""Game: the readable face of one game."""

import copy
import doctest
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorpion_env.game
from scorpion_env import VARIANTS, Layout, Rules
from scorpion_env.deals import read_deal
from scorpion_env.env import ScorpionEnv
from scorpion_env.game import Game
from scorpion_env.notation import parse_move
from tests.lockstep import RULE_SETS, assert_index, board_of
from tests.oracle import OracleGame
from tests.random_games import (
    RULE_NAMES,
    SEEDS,
    assert_same_state,
    few,
    play_on,
    random_game,
    some,
)
from tests.reference_games import games, stems
from tests.test_reference import NOT_OURS, EngineGame, play_along, rules_of

CLASSIC = VARIANTS["classic"]


def assert_same_game(one: Game, other: Game) -> None:
    """Compare all that two games show, and all that they remember."""
    assert_same_state(one.state, other.state)
    assert np.array_equal(one.action_mask(), other.action_mask())
    assert one.to_text(reveal=True) == other.to_text(reveal=True)
    assert (one.rules, one.deal_number) == (other.rules, other.deal_number)
    assert one.actions == other.actions
    assert (one.score, one.is_won, one.is_stuck) == (other.score, other.is_won, other.is_stuck)


# Beginning


def test_a_game_begins_from_a_seed_a_number_cards_or_a_board() -> None:
    game = Game(seed=5)
    assert game.score == 0
    assert game.actions == []
    assert not game.is_won
    assert not game.is_stuck
    deck = [card for row in range(7) for card in (column[row] for column in game.position.columns)]
    cards = [*deck, *(card for card in game.position.reserve if card is not None)]
    names = ["A23456789TJQK"[card % 13] + "CDHS"[card // 13] for card in cards]
    for other in (
        Game(5, "classic"),
        Game(np.int64(5), Rules()),  # type: ignore[arg-type]
        Game(deal=game.deal_number),
        Game(seed=6, deal=game.deal_number),
        Game(deal=names),
        Game(deal=game.to_text(reveal=True)),
    ):
        assert other.position == game.position
        assert other.legal_moves() == game.legal_moves()
    assert Game(seed=6).position != game.position
    assert Game(deal="ms7").position == Game(deal=7).position


WRONG_GAMES: list[tuple[dict[str, Any], str]] = [
    ({}, "give a seed or a deal"),
    ({"seed": -1}, "seed=-1 must be a whole number from 0 up"),
    ({"seed": 1.5}, "seed=1.5 must be a whole number"),
    ({"seed": "1"}, "seed='1' must be a whole number"),
    ({"seed": True}, "seed=True must be a whole number"),
    ({"seed": 1, "rules": "scorpion"}, "rules='scorpion' is unknown"),
    ({"deal": "scorpion"}, "'scorpion' is no deal"),
    ({"deal": 0}, "deal number 0 does not exist"),
    ({"seed": -1, "deal": "\n".join(["1: ## KS", *(f"{n}:" for n in range(2, 8))])}, "not on"),
]


@pytest.mark.parametrize(("wrong", "reason"), WRONG_GAMES)
def test_wrong_games_are_refused(wrong: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Game(**wrong)


@some
@given(RULE_NAMES, SEEDS)
def test_a_seed_gives_the_game_of_the_environment(name: str, seed: int) -> None:
    rules = RULE_SETS[name]
    env = ScorpionEnv(rules, reveal_hidden=True)
    observation, info = env.reset(seed=seed)
    game = Game(seed, rules)
    assert game.deal_number == info["deal"]
    assert np.array_equal(game.action_mask(), info["action_mask"])
    assert np.array_equal(game.state.tableau + np.uint8(1), observation["tableau"])
    for action in np.random.default_rng(seed).permutation(np.flatnonzero(game.action_mask()))[:1]:
        reward = env.step(action)[1]
        assert game.play(action) == reward
        assert np.array_equal(game.action_mask(), env.action_masks())


def test_a_seed_whose_first_deal_has_no_move_gives_the_next_as_the_environment_does() -> None:
    rules = RULE_SETS["tiny_undealt"]
    passed_over = 0
    for seed in range(300):
        game = Game(seed, rules)
        assert game.deal_number == ScorpionEnv(rules).reset(seed=seed)[1]["deal"]
        assert game.legal_moves()
        passed_over += game.deal_number != np.random.PCG64(seed).random_raw()
    assert passed_over > 0


def test_a_board_may_be_over_before_it_begins() -> None:
    rules = Rules(Layout((2, 2), (0, 0), 0, (), suits=1, ranks=4))
    assert Game(rules=rules, deal="1: 4C 2C\n2: 3C AC").legal_moves() == ["AC>1"]
    lost = Game(rules=rules, deal="1: 3C 4C\n2: 2C AC")
    assert lost.is_stuck
    assert not lost.is_won
    assert lost.legal_moves() == []
    with pytest.raises(ValueError, match="AC>1 is illegal: the game is lost"):
        lost.play("AC>1")
    won = Game(rules=rules, deal="1:\n2:\ncompleted: C\nscore: 120")
    assert (won.is_won, won.is_stuck, won.score, won.legal_moves()) == (True, False, 120, [])


# Playing


@some
@given(RULE_NAMES, SEEDS)
def test_moves_as_text_and_as_actions_are_the_same(name: str, seed: int) -> None:
    game = random_game(RULE_SETS[name], seed)
    texts, legal = game.legal_moves(), np.flatnonzero(game.action_mask())
    assert [parse_move(game.rules, text) for text in texts] == legal.tolist()
    for text, action in list(zip(texts, legal, strict=True))[:5]:
        one, other = game.copy(), game.copy()
        before = game.score
        assert one.play(text) == other.play(action) == one.score - before
        assert_same_game(one, other)
        expected = game.actions[:-1] if text == "undo" else [*game.actions, action]
        assert one.actions == expected


def test_what_a_game_returns_is_a_copy() -> None:
    game = Game(seed=0)
    before = game.to_text(reveal=True)
    game.action_mask()[:] = 0
    game.actions.append(3)
    for array in game.state:
        array[:] = 0
    assert game.to_text(reveal=True) == before
    assert game.actions == []
    assert game.legal_moves()[-1] == "deal"


WRONG_MOVES: list[tuple[Any, str]] = [
    (-1, "action -1 is outside the action space 0 to 364"),
    (365, "action 365 is outside the action space 0 to 364"),
    (10**30, "action 1000000000000000000000000000000 is outside the action space"),
    (1.0, "1.0 is no move: give text such as 'deal', or an action"),
    (None, "None is no move"),
    (True, "True is no move"),
    ([0], r"\[0\] is no move"),
    (b"deal", "b'deal' is no move"),
    ("dela", "'dela' is no move: write a card and a column from 1 to 7"),
    ("undo", "'undo' is no move"),
    ("5H>1", "5H>1 is illegal: 5H does not lie face-up"),
    ("9C>1", "9C>1 is illegal: 9C does not lie face-up"),
    ("5D>5", "5D>5 is illegal: the cards must be of the same suit"),
    ("4D>1", "4D>1 is illegal here: legal are 5C>3, 7C>5, 7D>1, 5S>7, JS>2, deal"),
]


@pytest.mark.parametrize(("move", "reason"), WRONG_MOVES)
def test_illegal_moves_are_refused_and_change_nothing(move: Any, reason: str) -> None:
    game = Game(deal="ms1")
    with pytest.raises(ValueError, match=f"^{reason}"):
        game.play(move)
    assert_same_game(game, Game(deal="ms1"))


EMPTY_COLUMN = "1: 3C 2D\n2: 4D 3D AC\n3:\n4: AD 2C 4C"


@pytest.mark.parametrize(
    ("option", "rejected", "legal"),
    [
        ({}, {"3C>3": "only a king may go to an empty column", "AC>1": "of the same suit"}, "4C>3"),
        ({"empty_column": "any"}, {"AC>1": "the cards must be of the same suit"}, "3C>3"),
        ({"build": "any_suit"}, {"3D>3": "only a king may go to an empty column"}, "AC>1"),
        ({"build": "any_suit"}, {"4C>1": "here: legal are "}, "3C>4"),
    ],
)
def test_rejections_in_the_words_of_the_app(
    option: dict[str, Any], rejected: dict[str, str], legal: str
) -> None:
    rules = Rules(Layout((2, 2, 2, 2), (0,) * 4, 0, (), suits=2, ranks=4), **option)
    game = Game(rules=rules, deal=EMPTY_COLUMN)
    for move, reason in rejected.items():
        with pytest.raises(ValueError, match=f"^{move} is illegal.*{reason}"):
            game.play(move)
    assert game.score == 0
    game.play(legal)


@pytest.mark.parametrize("stem", [stem for stem in stems() if stem.endswith("_won")])
def test_won_recordings_are_won_and_taken_back_to_the_deal(stem: str) -> None:
    for reference in games(stem)[:3]:
        *_, last = play_along(reference, rules_of(stem), EngineGame)
        assert isinstance(last.ours, EngineGame)
        game = last.ours.game
        assert game.is_won == (reference.name not in NOT_OURS)
        assert not (game.is_won and game.is_stuck)
        if game.is_won:
            assert game.legal_moves() == []
            assert len(game.position.removed) == 4
            with pytest.raises(ValueError, match="deal is illegal: the game is won"):
                game.play("deal")
        for _ in range(len(game.actions)):
            game.undo()
        fresh = EngineGame(game.rules, reference.deck()).game
        assert_same_game(game, fresh)
        assert not game.is_won


@some
@given(RULE_NAMES, SEEDS)
def test_every_card_is_somewhere_once_in_every_state(name: str, seed: int) -> None:
    game = Game(seed, RULE_SETS[name])
    rng = np.random.default_rng(seed)
    for _ in range(60):
        state = game.state
        assert_index(game.rules, state, board_of(state))
        legal = np.flatnonzero(game.action_mask())
        if not len(legal):
            break
        game.play(int(rng.choice(legal)))


# Taking back


@some
@given(RULE_NAMES, SEEDS)
def test_a_person_may_take_back_everything(name: str, seed: int) -> None:
    game = random_game(RULE_SETS[name], seed)
    texts = []
    again = Game(seed, RULE_SETS[name])
    for action in game.actions:
        texts.append(again.to_text(reveal=True))
        again.play(action)
    assert again.to_text(reveal=True) == game.to_text(reveal=True)
    for text in reversed(texts):
        game.undo()
        assert game.to_text(reveal=True) == text
    assert_same_game(game, Game(seed, RULE_SETS[name]))
    with pytest.raises(ValueError, match="there is no move to take back"):
        game.undo()


UNDO_RULES = [name for name, rules in RULE_SETS.items() if rules.undo_limit != 0]


@pytest.mark.parametrize("name", UNDO_RULES)
def test_undo_is_legal_when_the_oracle_says_so(name: str) -> None:
    rules = RULE_SETS[name]
    rng = np.random.default_rng(3)
    taken_back = 0
    for seed in range(12):
        game = Game(seed, rules)
        oracle = OracleGame(rules, read_deal(game.deal_number, rules).deck.tolist())
        for _ in range(60):
            assert set(np.flatnonzero(game.action_mask()).tolist()) == oracle.legal_actions()
            assert board_of(game.state) == oracle.columns
            assert game.position.face_down == tuple(oracle.down)
            end = (game.score, game.is_won, game.is_stuck)
            assert end == (oracle.score, oracle.won, oracle.stuck)
            legal = sorted(oracle.legal_actions())
            if not legal:
                break
            may_undo = legal[-1] == oracle.undo_action
            action = legal[-1] if may_undo and rng.random() < 0.4 else int(rng.choice(legal))
            taken_back += action == oracle.undo_action
            assert game.play(action) == oracle.play(action)
    assert taken_back > 50


def test_undo_of_the_rules_reaches_as_far_back_as_they_say() -> None:
    game = Game(1, Rules(undo_limit=3))
    assert "undo" not in game.legal_moves()
    for count in range(1, 6):
        game.play(game.legal_moves()[0])
        assert "undo" in game.legal_moves()
        assert len(game.actions) == count
    for _ in range(3):
        game.play("undo")
    assert "undo" not in game.legal_moves()
    with pytest.raises(ValueError, match="undo is illegal here: legal are "):
        game.play("undo")
    assert len(game.actions) == 2
    game.undo()
    game.undo()
    assert_same_game(game, Game(1, Rules(undo_limit=3)))


# Copies

COPIES: dict[str, Callable[[Game], Game]] = {
    "copy": Game.copy,
    "copy.copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda game: pickle.loads(pickle.dumps(game)),
}


@pytest.mark.parametrize("way", COPIES.values(), ids=COPIES)
@few
@given(RULE_NAMES, SEEDS)
def test_copies_go_on_equally_and_independently(
    way: Callable[[Game], Game], name: str, seed: int
) -> None:
    game = random_game(RULE_SETS[name], seed, steps=30)
    before = game.to_text(reveal=True)
    untouched, other, undone = way(game), way(game), way(game)
    for copied in (untouched, other):
        assert_same_game(game, copied)
    if undone.actions:
        undone.undo()
        play_on(undone, seed + 1, 10)
    points = play_on(other, seed, 20)
    assert game.to_text(reveal=True) == before
    assert_same_game(game, untouched)
    assert play_on(game, seed, 20) == points
    assert_same_game(game, other)
    while game.actions:
        game.undo()
    while other.actions:
        other.undo()
    assert_same_game(game, other)
    assert untouched.to_text(reveal=True) == before


class Named(Game):
    """A game with something of its own."""

    name = "mine"


def test_a_copy_is_of_the_same_class() -> None:
    game = Named(seed=1)
    game.name = "other"
    for way in COPIES.values():
        copied = way(game)
        assert isinstance(copied, Named)
        assert copied.name == "other"


# As text


def test_a_game_prints_as_the_player_sees_it() -> None:
    game = Game(deal="ms1")
    game.play("7D>1")
    assert str(game) == game.to_text()
    assert repr(game) == f"<Game of 5 points, 1 moves played>\n{game}"
    assert "#JD" not in repr(game)


def test_the_examples_of_the_documentation() -> None:
    results = doctest.testmod(scorpion_env.game)
    assert results.attempted > 2
    assert results.failed == 0


@few
@given(st.sampled_from(sorted(VARIANTS)), SEEDS)
def test_actions_deal_the_same_game_again(name: str, seed: int) -> None:
    game = random_game(name, seed)
    again = Game(rules=name, deal=game.deal_number)
    for action in game.actions:
        again.play(action)
    assert_same_game(game, again)


def test_state_brings_a_game_back() -> None:
    game = Game(5, "wasp")
    game.play(game.legal_moves()[0])
    state, text, moves = game.get_state(), game.to_text(reveal=True), game.legal_moves()
    for _ in range(3):
        game.play(game.legal_moves()[0])
    game.set_state(state)
    assert (game.to_text(reveal=True), game.legal_moves()) == (text, moves)
    game.play(game.legal_moves()[-1])
    assert state.to_text(reveal=True) == text
    game.set_state(state)
    game.undo()
    assert game.to_text(reveal=True) == Game(5, "wasp").to_text(reveal=True)
    for wrong in (Game(5), None):
        with pytest.raises(ValueError, match="no state of a game of these rules"):
            game.set_state(wrong)  # type: ignore[arg-type]
