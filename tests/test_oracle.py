"""The oracle against positions made by hand: the rules of Classic."""

from dataclasses import replace

import pytest

from tests.oracle import OracleGame
from tests.oracle_positions import (
    SCORPION,
    TableLayout,
    TableRules,
    action_of,
    board_texts,
    moves,
    play,
    position,
    run,
)
from tests.reference_games import card_text


def test_fixture_of_the_app() -> None:
    columns = (
        "## ## ## 3D JH TH 3S|## ## ## QH 3C 4H 7S|## ## ## AS 7D 7H 3H|## ## ## KD 8H 7C 9S|"
        "6H 8C JS 4C 9C 8D 5C|6D QC KH 4D KS 9H JC|AD QD 9D 6S 2H TD 5H"
    )
    unseen = [card_text(card) for card in range(52) if card_text(card) not in columns]
    for card in unseen[:12]:
        columns = columns.replace("##", f"#{card}", 1)
    reserve = " ".join(unseen[12:])
    game = position(*columns.split("|"), reserve=reserve, reserve_columns=(0, 1, 2))
    assert play(game, 1, 2, 6) == 5
    assert game.score == 5
    assert board_texts(game)[1][3:] == ["QH", "3C"]
    assert board_texts(game)[6][-4:] == ["TD", "5H", "4H", "7S"]
    assert game.down == [3, 3, 3, 3, 0, 0, 0]


def test_cards_are_dealt_row_by_row_past_full_columns() -> None:
    layout = TableLayout((1, 3, 2), (0, 1, 0), 2, (0, 2), suits=1, ranks=8)
    game = OracleGame(TableRules(layout), [7, 6, 5, 4, 3, 2, 1, 0])
    assert game.columns == [[7], [6, 4, 2], [5, 3]]
    assert game.reserve == [1, 0]
    assert game.down == [0, 1, 0]


def test_blocks_move_by_suit_and_kings_to_empty_columns() -> None:
    game = position("#8S 9H 4S KH 2D", "TH 9S", "TS QD", "AS 8H", "", "#JH JD")
    assert moves(game) == {"KH>4", "JD>2"}


def test_nothing_lands_on_an_ace_and_face_down_cards_stay_put() -> None:
    game = position("#4S KD AD", "5S", "KH 2D", "JH AH")
    assert game.columns[0][0] % 13 == game.columns[1][0] % 13 - 1
    assert moves(game) == {"AD>2"}


def test_block_moves_in_any_order_and_the_uncovered_card_is_turned() -> None:
    game = position("#2C 4H 9S KD", "6C 5H", "3C QD")
    assert play(game, 0, 3, 1) == 5 + 5
    assert board_texts(game) == [["2C"], ["6C", "5H", "4H", "9S", "KD"], ["3C", "QD"]]
    assert (game.flips, game.down) == (1, [0, 0, 0])


def test_king_alone_or_leading_scores_nothing() -> None:
    game = position("5C KH 3D", "", "4D 9C", "8C 2S")
    assert play(game, 0, 2, 1) == 0
    assert board_texts(game)[:2] == [["5C"], ["KH", "3D"]]


def test_sequence_is_removed_and_the_card_below_turned() -> None:
    game = position(f"#9H {run('KS', '2S')}", "4D AS", "6C QD")
    assert play(game, 1, 1, 0) == 5 + 100 + 5
    assert board_texts(game) == [["9H"], ["4D"], ["6C", "QD"]]
    assert game.completed == [False, False, False, True]
    assert (game.flips, game.won) == (1, False)


def test_covered_sequence_stays_when_it_is_uncovered() -> None:
    game = position(f"#9C {run('KS', 'AS')} 4H", "3C 5H", "", "TC 8H 7D")
    assert play(game, 0, 1, 1) == 5
    assert not any(game.completed)
    assert len(game.columns[0]) == 14
    assert play(game, 0, 13, 2) == 5 + 100
    assert board_texts(game) == [["9C"], ["3C", "5H", "4H"], [], ["TC", "8H", "7D"]]


def test_moving_an_uncovered_sequence_is_not_idle() -> None:
    game = position(run("KS", "AS"), "", "3C")
    move = action_of(game, 0, 13, 1)
    assert not game.is_idle(move)
    assert not game.stuck
    assert game.play(move) == 100
    assert game.columns[:2] == [[], []]


def test_whole_column_under_a_complete_top_is_not_idle() -> None:
    game = position(f"KH 4C {run('KS', 'AS')}", "", "3C")
    move = action_of(game, 0, 15, 1)
    assert not game.is_idle(move)
    assert game.play(move) == 100
    assert board_texts(game)[:2] == [[], ["KH", "4C"]]


def test_only_idle_moves_left_is_stuck() -> None:
    game = position("KH 4C", "", "3D 9D")
    assert game.stuck
    assert not game.won
    assert game.legal_actions() == set()
    with pytest.raises(ValueError, match="illegal"):
        play(game, 0, 2, 1)


def test_king_off_another_card_is_not_idle() -> None:
    game = position("4C KH", "", "3D 9D")
    assert moves(game) == {"KH>1"}
    assert play(game, 0, 1, 1) == 0
    assert game.stuck


def test_idle_move_is_legal_beside_others() -> None:
    game = position("KH 4C", "", "3D 9D", "6C 8D")
    assert moves(game) == {"KH>1", "8D>2"}
    assert game.is_idle(action_of(game, 0, 2, 1))
    assert not game.is_idle(action_of(game, 3, 1, 2))


def test_face_down_king_completes_nothing() -> None:
    game = position(f"#KS {run('QS', '2S')}", "4D AS", "6C QD")
    assert play(game, 1, 1, 0) == 5
    assert len(game.columns[0]) == 13
    assert not any(game.completed)


def test_sequence_must_be_of_one_suit() -> None:
    flexible = replace(SCORPION, build="any_suit")
    game = position(f"{run('KS', '3S')} 2H", "4D AH", "6C QD", rules=flexible)
    assert play(game, 1, 1, 0) == 5
    assert len(game.columns[0]) == 13
    assert not any(game.completed)


def test_reserve_is_dealt_anywhere_and_may_complete_a_sequence() -> None:
    game = position(
        f"#9H {run('KS', '2S')}", "", "4D", reserve="AS 8C KD", reserve_columns=(0, 1, 2)
    )
    assert game.play(game.deal_action) == 100 + 5
    assert board_texts(game) == [["9H"], ["8C"], ["4D", "KD"]]
    assert game.reserve == [None, None, None]
    assert (game.flips, game.completed[3]) == (1, True)
    assert "deal" not in moves(game)


def test_reserve_scores_nothing_where_it_happens_to_fit() -> None:
    game = position("9H", "4C", reserve="8H", reserve_columns=(0,))
    assert game.play(game.deal_action) == 0
    assert game.stuck


def test_sequence_on_a_column_that_received_nothing_stays_through_the_deal() -> None:
    game = position(f"{run('KS', 'AS')} 4H", "5H", "9C", reserve="7D", reserve_columns=(2,))
    assert play(game, 0, 1, 1) == 5
    assert game.play(game.deal_action) == 0
    assert len(game.columns[0]) == 13


def test_one_sequence_a_column_is_removed_and_its_own_king_counts() -> None:
    under = run("KS", "AS")
    game = position(f"{under} {run('KS', '2S')}", "9C AS", "3H", decks=2)
    king = game.columns[0][13]
    assert play(game, 1, 1, 0) == 5 + 100
    assert board_texts(game)[0] == under.split()
    assert [i for i, done in enumerate(game.completed) if done] == [king // 13]
    assert king // 13 in (3, 7)


def test_twins_are_targets_and_partners_alike() -> None:
    game = position("5H 9C", "3D 5H", "8S 5H", "2C 4H", decks=2)
    assert moves(game) == {"4H>1", "4H>2"}


def test_win_takes_every_sequence() -> None:
    layout = TableLayout((2, 3, 1), (0, 0, 0), 0, (), suits=2, ranks=3)
    game = OracleGame(TableRules(layout), [2, 5, 0, 1, 4, 3])
    assert play(game, 2, 1, 0) == 105
    assert not game.won
    assert not game.stuck
    assert play(game, 1, 3, 0) == 100
    assert game.won
    assert game.legal_actions() == set()
    assert not game.stuck
    assert game.completed == [True, True]
