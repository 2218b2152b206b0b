"""Boards and moves as text: both ways, and what is wrong with a text."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorpion_env import VARIANTS, Layout, Rules
from scorpion_env.deals import read_deal
from scorpion_env.engine.state import DOWN
from scorpion_env.game import Game
from scorpion_env.notation import (
    NotationError,
    name_card,
    name_move,
    parse_board,
    parse_move,
    write_board,
)
from scorpion_env.position import Position
from tests.lockstep import RULE_SETS, assert_index, board_of
from tests.random_games import (
    RULE_NAMES,
    SEEDS,
    assert_same_state,
    play_on,
    random_game,
    some,
    without_undo,
)
from tests.reference_games import games
from tests.test_reference import EngineGame, play_along, rules_of

CLASSIC = VARIANTS["classic"]

OPENING = """\
1: ## ## ## 3D JH TH 3S
2: ## ## ## QH 3C 4H 7S
3: ## ## ## AS 7D 7H 3H
4: ## ## ## KD 8H 7C 9S
5: 6H 8C JS 4C 9C 8D 5C
6: 6D QC KH 4D KS 9H JC
7: AD QD 9D 6S 2H TD 5H
reserve: ## ## ##
completed:
score: 0
moves: 0"""


def test_the_opening_of_a_game_that_was_won_in_the_app() -> None:
    game = Game(seed=0, deal=OPENING)
    assert str(game) == OPENING
    assert game.legal_moves() == ["2H>3", "4H>7", "6S>2", "deal"]
    assert game.play("4H>7") == 5
    board = str(game).splitlines()
    assert board[1] == "2: ## ## ## QH 3C"
    assert board[6] == "7: AD QD 9D 6S 2H TD 5H 4H 7S"
    assert board[-2:] == ["score: 5", "moves: 1"]
    assert [*board[:1], *board[2:6]] == [OPENING.splitlines()[n] for n in (0, 2, 3, 4, 5)]


def test_hidden_cards_are_drawn_by_the_seed_and_never_change() -> None:
    lines = Game(seed=0, deal=OPENING).to_text(reveal=True).splitlines()
    assert [line[:14] for line in lines[:4]] == [
        "1: #TS #2S #JD",
        "2: #AC #8S #KC",
        "3: #4S #5D #5S",
        "4: #2C #TC #AH",
    ]
    assert lines[7] == "reserve: #2D #6C #QS"
    boards = {Game(seed, deal=OPENING).to_text(reveal=True) for seed in range(20)}
    assert len(boards) == 20


# Round trips


def assert_round_trip(rules: Rules, game: Game) -> Game:
    """A board reads back to the same game, but for what may be taken back; return that game."""
    text = game.to_text(reveal=True)
    again = Game(rules=rules, deal=text)
    assert again.to_text(reveal=True) == text
    assert again.position == game.position
    assert again.score == game.score
    assert again.legal_moves() == game.legal_moves()
    assert_same_state(again.state, game.state)
    return again


@some
@given(RULE_NAMES, SEEDS)
def test_a_board_reads_back_to_the_same_game(name: str, seed: int) -> None:
    rules = without_undo(name)
    game = random_game(rules, seed)
    again = assert_round_trip(rules, game)
    assert play_on(game, seed, 20) == play_on(again, seed, 20)
    assert_same_state(again.state, game.state)


@pytest.mark.parametrize(
    "stem",
    ["scorpion_won", "scorpion_tail_won", "three_blind_mice_won"],
)
def test_boards_of_won_games_read_back(stem: str) -> None:
    removed = set()
    for reference in games(stem)[:2]:
        for point in play_along(reference, rules_of(stem), EngineGame):
            assert isinstance(point.ours, EngineGame)
            game = point.ours.game
            assert_round_trip(game.rules, game)
            removed.add(len(game.position.removed))
    assert {0, 1, 2, 3, 4} <= removed


def test_a_sequence_that_stays_is_kept_in_the_score_and_the_mark() -> None:
    rules = Rules(Layout((3, 1), (0, 0), 0, (), suits=1, ranks=4), "same_suit", sequences="stay")
    game = Game(rules=rules, deal="1: 4C 3C 2C\n2: AC\nbest: 0")
    assert game.play("AC>1") == 105
    text = game.to_text()
    assert text.endswith("completed:\nscore: 105\nmoves: 1\nbest: 1")
    assert Game(rules=rules, deal=text).position.best == 1
    assert Game(rules=rules, deal=text).is_won
    assert Game(rules=rules, deal="1: 4C 3C 2C AC\n2:").position.best == 1
    with pytest.raises(
        NotationError, match=re.escape("(best:): best must be one whole number fro")
    ):
        parse_board(rules, text.replace("best: 1", "best: 2"))


@some
@given(RULE_NAMES, SEEDS)
def test_a_board_shows_what_lies_face_up_and_nothing_else(name: str, seed: int) -> None:
    game = random_game(RULE_SETS[name], seed)
    rules, position = game.rules, game.position
    shown = {
        name_card(rules, card)
        for cards, down in zip(position.columns, position.face_down, strict=True)
        for card in cards[down:]
    }
    reserve = {name_card(rules, card) for card in position.reserve if card is not None}
    hidden = sum(position.face_down)
    if rules.reserve == "play":
        shown |= reserve
    else:
        hidden += len(reserve)
    board, removed = str(game).split("completed:")
    words = board.replace("reserve:", "").split()
    named = [word for word in words if not re.fullmatch(r"\d+:|##|--", word)]
    assert len(named) == len(shown)
    assert set(named) == shown
    assert words.count("##") == hidden
    assert "#" not in removed
    assert game.to_text(reveal=True).replace("##", "").count("#") == hidden


@some
@given(RULE_NAMES, SEEDS)
def test_the_players_view_reads_back_with_the_hidden_cards_drawn_anew(name: str, seed: int) -> None:
    rules = without_undo(name)
    game = random_game(rules, seed)
    again = Game(seed, rules, str(game))
    assert str(again) == str(game)
    assert again.legal_moves() == game.legal_moves()
    assert_index(rules, again.state, board_of(again.state))
    assert again.state.counters[DOWN] == game.state.counters[DOWN]


def test_a_board_may_be_written_in_other_ways() -> None:
    game = Game(deal="ms1")
    plain = game.to_text(reveal=True)
    other = plain.lower().replace("th", "10h").replace("1: ", "  1 :\t").replace("\n", "\r\n\r\n")
    rows = other.split("completed")[0].split("\r\n\r\n")
    assert Game(deal="\n".join(reversed(rows))).position == game.position


def test_a_reserve_that_is_not_named_is_gone() -> None:
    cards = [name_card(CLASSIC, card) for card in range(52)]
    columns = [cards[n::7] for n in range(7)]
    board = "\n".join(f"{n}: {' '.join(column)}" for n, column in enumerate(columns, start=1))
    assert Game(deal=board).position.reserve == (None, None, None)
    assert "deal" not in Game(deal=board).legal_moves()


DECK_OF_TWOS = Rules(Layout((12, 12), (0, 0), 0, (), decks=12, suits=1, ranks=2))


def test_packs_of_many_decks() -> None:
    game = Game(3, DECK_OF_TWOS)
    assert "AC12" in str(game).replace("AC1 ", "")
    assert_round_trip(DECK_OF_TWOS, game)
    action = (11 * 2) * 2 + 1
    assert name_move(DECK_OF_TWOS, action) == "AC12>2"
    assert parse_move(DECK_OF_TWOS, "ac12>2") == action
    with pytest.raises(NotationError, match="AC13 names deck 13, the rules have 12"):
        parse_move(DECK_OF_TWOS, "AC13>2")


TWINS = Rules(Layout((2, 2), (0, 0), 0, (), decks=2, suits=1, ranks=2), "any_suit")


def test_twins_are_told_apart() -> None:
    assert parse_board(TWINS, "1: AC 2C\n2: AC 2C").columns == ((0, 1), (2, 3))
    assert parse_board(TWINS, "1: AC2 2C\n2: AC 2C").columns == ((2, 1), (0, 3))
    assert parse_board(TWINS, "1: AC1 2C2\n2: AC 2C").columns == ((0, 3), (2, 1))
    assert parse_board(TWINS, "1: AC 2C\n2:\ncompleted: C").removed == ((3, 2),)


# What is wrong with a board

BOARD = Game(deal="ms1").to_text(reveal=True)
WRONG_BOARDS = [
    ("6C", "4H", "line 3 (3:): 4H was already named: line 1 (1:)"),
    ("6C", "", "1 cards are not on the board and 0 places are marked ##; not on the board: 6C"),
    ("5: ", "5: ## ", "1 places are marked ##, only 0 cards are missing"),
    ("6C", "6X", "line 3 (3:): '6X' is not a card: write a rank of A23456789TJQK and a suit of CD"),
    ("6C", "1C", "line 3 (3:): '1C' is not a card"),
    ("6C", "C", "line 3 (3:): 'C' is not a card"),
    ("6C", "6C2", "line 3 (3:): 6C2 names deck 2, the rules have 1"),
    ("6C", "6C0", "line 3 (3:): '6C0' is not a card"),
    ("6C", "6C,", "line 3 (3:): ',' is not a card"),
    ("6C", "--", "line 3 (3:): '--' is not a card"),
    ("6C", "#", "line 3 (3:): '' is not a card"),
    ("6C", "#6C", "line 3 (3:): #6C is face-down but lies on a face-up card"),
    ("4H", "## 4H", "line 1 (1:): ## is face-down but lies on a face-up card"),
    ("AS 4H TH 8D", "", "line 1 (1:): #KH is face-down but nothing covers it"),
    ("AS 4H", "4H", "not on the board: AS"),
    ("1: ", "1: #8C ", "line 1 (1:): 4 cards are face-down, the rules deal at most 3"),
    (
        "3: ",
        "0: ",
        "line 3 begins with '0': a column from 1: to 7:, or one of reserve:, completed:",
    ),
    ("3: ", "8: ", "line 3 begins with '8'"),
    ("3: ", "03: ", "line 3 begins with '03'"),
    ("3: ", "2: ", "line 3: 2: was already given on line 2 (2:)"),
    ("3: ", "", "line 3 begins with '#"),
    ("\n7:", " ", "column 7: is missing: the rules have 7 columns"),
    ("moves: 0", "8: ", "line 11 begins with '8'"),
    ("moves: 0", "best: 0", "line 11 begins with 'best'"),
    ("moves: 0", "hello", "line 11 begins with 'hello'"),
    ("moves: 0", "moves: -1", "line 11 (moves:): moves must be one whole number from 0 to 9999999"),
    ("score: 0", "score: 1.5", "line 10 (score:): score must be one whole number from 0"),
    ("score: 0", "score: five", "line 10 (score:): score must be one whole number"),
    ("score: 0", "score:", "line 10 (score:): score must be one whole number"),
    ("score: 0", "score: 1 000", "line 10 (score:): score must be one whole number"),
    ("score: 0", "score: 10000000", "line 10 (score:): score must be one whole number"),
    ("reserve: ", "reserve: ## ", "line 8 (reserve:): 4 cards, the rules have 3 in reserve"),
    ("reserve: ", "reserve: -- ", "line 8 (reserve:): 4 cards, the rules have 3 in reserve"),
    ("reserve: #9C", "reserve: --", "line 8 (reserve:): this reserve is dealt as a whole"),
    (
        "reserve: #9C",
        "reserve: 9C",
        "line 8 (reserve:): 9C: the cards of this reserve lie face-down",
    ),
    ("reserve: #9C", "reserve: #X", "line 8 (reserve:): 'X' is not a card"),
    ("completed:", "completed: S", "line 9 (completed:): KS was already named: line"),
    ("completed:", "completed: X", "line 9 (completed:): 'KX' is not a card"),
    ("completed:", "completed: hello", "line 9 (completed:): 'hello' is not a card"),
]


@pytest.mark.parametrize(("old", "new", "reason"), WRONG_BOARDS)
def test_wrong_boards_are_refused_with_the_line_and_card(old: str, new: str, reason: str) -> None:
    assert old in BOARD
    with pytest.raises(NotationError, match=re.escape(reason)):
        parse_board(CLASSIC, BOARD.replace(old, new, 1))


def test_hidden_cards_need_a_seed() -> None:
    with pytest.raises(NotationError, match="the board has ## places: give a seed to draw"):
        parse_board(CLASSIC, OPENING)
    for seed in (-1, 1.5, "1", True):
        with pytest.raises(NotationError, match=r"seed=.* must be a whole number from 0 up"):
            parse_board(CLASSIC, OPENING, seed)  # type: ignore[arg-type]
    first = parse_board(CLASSIC, OPENING, 5)
    assert parse_board(CLASSIC, OPENING, np.int64(5)) == first  # type: ignore[arg-type]
    assert parse_board(CLASSIC, OPENING, 2**100) != first
    assert parse_board(CLASSIC, BOARD) == parse_board(CLASSIC, BOARD, 5)


TABLE = Rules(Layout((4, 4), (0, 0), 0, (), suits=2, ranks=4))
WRONG_SEQUENCES = [
    (TABLE, "completed: 4C 3C 2C", "line 3 (completed:): 4C 3C 2C is no sequence from king to ace"),
    (TABLE, "completed: 4C 3D 2C AC", "4C 3D 2C AC is no sequence from king to ace"),
    (TABLE, "completed: AC 2C 3C 4C", "AC 2C 3C 4C is no sequence from king to ace"),
    (TABLE, "completed: C, C", "4C was already named: line 3 (completed:)"),
    (TABLE, "completed: 4C", "4C is no sequence from king to ace"),
    (replace(TABLE, pattern="alternate_colour"), "completed: C", "is no sequence"),
    (replace(TABLE, pattern="alternate_colour"), "completed: 4C 3D 2D AC", "is no sequence"),
    (replace(TABLE, sequences="stay"), "completed: C", "sequences stay in place under these rules"),
]


@pytest.mark.parametrize(("rules", "line", "reason"), WRONG_SEQUENCES)
def test_wrong_completed_sequences_are_refused(rules: Rules, line: str, reason: str) -> None:
    with pytest.raises(NotationError, match=re.escape(reason)):
        parse_board(rules, f"1:\n2:\n{line}")


def test_completed_sequences_are_read() -> None:
    whole = "1: 4D 3D 2D AD\n2:\ncompleted: c"
    assert parse_board(TABLE, whole).removed == ((3, 2, 1, 0),)
    assert Game(rules=TABLE, deal="1:\n2:\ncompleted: D, C").is_won
    mixed = "1: 4D 3C 2D AC\n2:\ncompleted: 4C 3D 2C AD"
    rules = replace(TABLE, pattern="alternate_colour")
    assert parse_board(rules, mixed).removed == ((3, 6, 1, 4),)


def test_cards_of_a_played_reserve_lie_face_up() -> None:
    rules = VARIANTS["three_blind_mice"]
    game = Game(1, rules)
    text = game.to_text(reveal=True)
    line = next(line for line in text.splitlines() if line.startswith("reserve"))
    for wrong in (line.replace(": ", ": #"), "reserve: ## ##"):
        with pytest.raises(NotationError, match=re.escape("the cards of this reserve lie face-up")):
            parse_board(rules, text.replace(line, wrong))


# Fuzzed texts


def mutated(text: str, data: st.DataObject) -> str:
    """A text with a few changes."""
    words = re.split(r"(\s)", text)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(words) - 1))
        other = data.draw(
            st.sampled_from(
                [*words, "", "##", "#", "--", "KS", "KS2", "\n", ":", "99", "best:", ","]
            )
            | st.text(max_size=3)
        )
        words[place] = data.draw(st.sampled_from([other, words[place] + other]))
    return "".join(words)


def assert_reads_or_refuses(rules: Rules, text: str) -> None:
    """A text is either refused in one way or is a board of all cards."""
    try:
        position = parse_board(rules, text, seed=0)
    except NotationError:
        return
    game = Game(0, rules, text)
    assert game.position == replace(position, best=game.position.best)
    assert_index(rules, game.state, board_of(game.state))
    assert_round_trip(rules, game)


@some
@given(st.data(), RULE_NAMES, SEEDS)
def test_mutated_boards_are_read_or_refused(data: st.DataObject, name: str, seed: int) -> None:
    rules = without_undo(name)
    game = random_game(rules, seed)
    assert_reads_or_refuses(rules, mutated(game.to_text(data.draw(st.booleans())), data))


@some
@given(RULE_NAMES, st.text() | st.text("12:#AKQS \n"))
def test_any_text_is_read_or_refused(name: str, text: str) -> None:
    rules = without_undo(name)
    assert_reads_or_refuses(rules, text)
    with pytest.raises(ValueError, match=r"."):
        read_deal(text + "!", rules)


# Moves


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_every_action_has_one_text(rules: Rules) -> None:
    texts = [name_move(rules, action) for action in range(rules.actions)]
    assert len(set(texts)) == len(texts)
    assert [parse_move(rules, text) for text in texts] == list(range(rules.actions))
    assert [parse_move(rules, f" {text.lower()} ") for text in texts] == list(range(rules.actions))


def test_moves_may_be_written_in_other_ways() -> None:
    for text in ("TH>3", "10h > 3", "th1>03", " Th >\t3 ", "TH>\x1f3"):
        assert parse_move(CLASSIC, text) == (26 + 9) * 7 + 2
    assert parse_move(CLASSIC, "Deal") == 364
    double = VARIANTS["double_scorpion"]
    assert parse_move(double, "10h2>14") == (52 + 26 + 9) * 14 + 13


WRONG_MOVES = [
    ("", "'' is no move: write a card and a column from 1 to 7, such as 'AC>1', or 'deal'"),
    ("undo", "'undo' is no move"),
    ("4H", "'4H' is no move"),
    ("4H>", "'4H>' is no move"),
    ("4H>0", "'4H>0' is no move"),
    ("4H>8", "'4H>8' is no move"),
    ("4H>-1", "'4H>-1' is no move"),
    ("4H>7>7", "'4H>7>7' is no move"),
    ("4H>1000", "'4H>1000' is no move"),
    (">7", "move '>7': '' is not a card"),
    ("1H>7", "move '1H>7': '1H' is not a card"),
    ("#4H>7", "move '#4H>7': '#4H' is not a card"),
    ("4H2>7", "move '4H2>7': 4H2 names deck 2, the rules have 1"),
]


@pytest.mark.parametrize(("text", "reason"), WRONG_MOVES)
def test_wrong_moves_are_refused(text: str, reason: str) -> None:
    with pytest.raises(NotationError, match=re.escape(reason)):
        parse_move(CLASSIC, text)


def test_undo_is_a_move_where_the_rules_have_it() -> None:
    rules = VARIANTS["open_scorpion"]
    assert parse_move(rules, "UNDO") == rules.deal_action + 1
    with pytest.raises(NotationError, match="or 'deal', 'undo'"):
        parse_move(rules, "und")


@some
@given(RULE_NAMES, st.text() | st.from_regex(r"\w{1,3}\s?>\s?\w{1,2}", fullmatch=True))
def test_any_text_is_a_move_or_refused(name: str, text: str) -> None:
    rules = RULE_SETS[name]
    try:
        action = parse_move(rules, text)
    except NotationError as error:
        assert repr(text) in str(error)  # noqa: PT017
    else:
        assert parse_move(rules, name_move(rules, action)) == action


def test_a_position_is_written_without_a_game() -> None:
    position = Position(((3, 2), (1, 0)), (1, 0), (), score=5, moves=2)
    rules = Rules(Layout((2, 2), (1, 0), 0, (), suits=1, ranks=4))
    tail = "reserve:\ncompleted:\nscore: 5\nmoves: 2"
    assert write_board(rules, position) == f"1: ## 3C\n2: 2C AC\n{tail}"
    assert write_board(rules, position, reveal=True) == f"1: #4C 3C\n2: 2C AC\n{tail}"
    assert parse_board(rules, write_board(rules, position, reveal=True)) == position
