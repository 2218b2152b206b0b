"""The oracle against positions made by hand: the variants' options, undo, the literal loss."""

from dataclasses import replace

import pytest

from tests.oracle import OracleGame
from tests.oracle_positions import (
    SCORPION,
    TableLayout,
    TableRules,
    action_of,
    board_texts,
    card,
    moves,
    play,
    position,
    run,
)


def test_flexible_pays_only_for_the_same_suit() -> None:
    game = position("2C 7H", "3C 8S", "4D 8H", rules=replace(SCORPION, build="any_suit"))
    assert play(game, 0, 1, 1) == 0
    assert play(game, 1, 1, 2) == 5
    assert play(game, 2, 1, 1) == 0


def test_alternate_colour_builds_and_removes_by_colour() -> None:
    rules = replace(SCORPION, build="alternate_colour", pattern="alternate_colour")
    game = position("KS QH JC TD 9S 8D 7C 6H 5C 4H 3S 2D", "7S AD", "8H AS", "2H", rules=rules)
    assert moves(game) == {"AS>0", "AS>3"}
    assert play(game, 2, 1, 0) == 100
    assert game.completed == [False, False, False, True]


def test_alternate_pattern_leaves_a_sequence_of_one_suit() -> None:
    rules = replace(SCORPION, build="any_suit", pattern="alternate_colour")
    game = position(run("KS", "2S"), "7S AS", "8H", rules=rules)
    assert play(game, 1, 1, 0) == 5
    assert len(game.columns[0]) == 13


def test_wasp_lets_any_card_into_an_empty_column() -> None:
    game = position("#9D 5C 4H", "", "TD", rules=replace(SCORPION, empty_column="any"))
    assert moves(game) == {"5C>1", "4H>1", "TD>1"}
    assert play(game, 0, 2, 1) == 5
    assert moves(game) == {"9D>2"}
    assert play(game, 0, 1, 2) == 5
    assert moves(game) == {"5C>0", "4H>0", "TD>0", "9D>0"}
    assert play(game, 1, 1, 0) == 0


def test_traditional_deal_waits_until_all_else_is_idle() -> None:
    rules = replace(SCORPION, reserve="deal_when_idle")
    game = position("KH 4C", "", "9D", "6C 8D", reserve="QH", reserve_columns=(0,), rules=rules)
    assert moves(game) == {"KH>1", "8D>2"}
    assert play(game, 3, 1, 2) == 5
    assert moves(game) == {"KH>1", "deal"}
    assert not game.stuck
    assert game.play(game.deal_action) == 0
    assert game.stuck


def test_playable_reserve_moves_out_only() -> None:
    rules = replace(SCORPION, reserve="play")
    game = position("2C 9D", "", "5H 7S", reserve="8D KS", rules=rules)
    assert moves(game) == {"8D>0", "KS>1"}
    assert game.play(card("8D") * 3) == 5
    assert game.reserve == [None, card("KS")]
    assert moves(game) == {"KS>1"}
    assert game.play(card("KS") * 3 + 1) == 0
    assert game.reserve == [None, None]
    assert game.stuck


def test_reserve_that_cannot_be_played_leaves_the_game_stuck() -> None:
    game = position("2C 9D", "KH", "", reserve="3D", rules=replace(SCORPION, reserve="play"))
    assert game.stuck


def test_reserve_card_completes_a_sequence() -> None:
    rules = replace(SCORPION, reserve="play")
    game = position(f"#4H {run('KS', '2S')}", "9D", reserve="8D AS", rules=rules)
    assert game.play(card("AS") * 2) == 5 + 100 + 5
    assert board_texts(game) == [["4H"], ["9D"]]


STAY = replace(SCORPION, sequences="stay")


def test_sequence_that_stays_is_paid_once() -> None:
    game = position(run("KS", "2S"), "4D AS", "2H", "8C", rules=replace(STAY, build="any_suit"))
    assert play(game, 1, 1, 0) == 105
    assert game.completed == [False, False, False, True]
    assert len(game.columns[0]) == 13
    assert play(game, 0, 1, 2) == 0
    assert not any(game.completed)
    assert play(game, 2, 1, 0) == 5


def test_uncovered_sequence_that_stays_is_paid() -> None:
    game = position(f"{run('KS', 'AS')} 4H", "5H", "9C", rules=STAY)
    assert play(game, 0, 1, 1) == 5 + 100
    assert game.completed == [False, False, False, True]


def test_moving_a_sequence_that_stays_is_idle() -> None:
    game = position(run("KS", "AS"), "", "9C 8D", "9D 7H", rules=STAY)
    assert game.is_idle(action_of(game, 0, 13, 1))
    assert game.stuck


def test_sequences_that_stay_win_alone_in_their_columns() -> None:
    full = [run("KC", "AC"), run("KD", "AD"), run("KH", "AH")]
    game = position(*full, run("KS", "2S"), "AS", rules=STAY)
    assert not game.won
    assert play(game, 4, 1, 3) == 5 + 100
    assert game.won
    assert game.legal_actions() == set()
    assert all(game.completed)


def test_full_columns_that_are_no_sequences_do_not_win() -> None:
    mixed = [f"{run('KH', '2H')} AS", f"{run('KS', '2S')} AH"]
    assert not position(run("KC", "AC"), run("KD", "AD"), *mixed, rules=STAY).won
    assert position(*(run(f"K{suit}", f"A{suit}") for suit in "CDHS"), rules=STAY).won


def test_sequences_that_stay_on_other_cards_do_not_win() -> None:
    full = [run("KC", "AC"), run("KD", "AD")]
    game = position(*full, f"{run('KS', 'AS')} {run('KH', '2H')}", "AH", rules=STAY)
    assert play(game, 3, 1, 2) == 5 + 100
    assert not game.won
    assert moves(game) == {"KC>3", "KD>3", "KS>3", "KH>3"}
    assert play(game, 2, 13, 3) == 100
    assert game.won


# Undo and the literal loss


def everything(game: OracleGame) -> tuple[object, ...]:
    """All that a player can see or win."""
    state = (game.columns, game.down, game.reserve, game.completed)
    return (repr(state), game.score, game.flips, game.won)


def test_undo_restores_everything() -> None:
    rules = replace(SCORPION, undo_limit=None)
    columns = (f"#9H {run('KS', '2S')}", "#7D AS", "TH", "8C 2D")
    game = position(*columns, reserve="KD 5C", reserve_columns=(1, 2), rules=rules)
    assert "undo" not in moves(game)
    acts = {card("AS") * 4: 5 + 100 + 5 + 5, card("9H") * 4 + 2: 5, game.deal_action: 0}
    seen = []
    for act, gain in acts.items():
        seen.append(everything(game))
        assert game.play(act) == gain
    for before, gain in zip(reversed(seen), reversed(acts.values()), strict=True):
        assert game.play(game.undo_action) == -gain
        assert everything(game) == before
    assert "undo" not in moves(game)


def test_undo_goes_back_no_further_than_its_limit() -> None:
    rules = replace(SCORPION, empty_column="any", undo_limit=2)
    game = position("3C 7S", "9D", "", "", rules=rules)
    play(game, 0, 1, 2)
    first = everything(game)
    play(game, 1, 1, 3)
    play(game, 3, 1, 1)
    assert game.play(game.undo_action) == 0
    assert not game.stuck
    assert game.play(game.undo_action) == 0
    assert everything(game) == first
    assert game.stuck
    assert game.legal_actions() == set()


def test_copies_take_back_independently() -> None:
    rules = replace(SCORPION, empty_column="any", undo_limit=None)
    game = position("3C 7S", "9D", "", "", rules=rules)
    first = everything(game)
    play(game, 0, 1, 2)
    other = game.copy()
    for one in (game, other):
        one.play(one.undo_action)
        assert everything(one) == first
        play(one, 1, 1, 3)


def test_game_that_can_be_undone_is_not_stuck() -> None:
    game = position("4C KH", "", "3D 9D", rules=replace(SCORPION, undo_limit=100))
    play(game, 0, 1, 1)
    assert not game.stuck
    assert moves(game) == {"undo"}


def test_undo_restores_the_highest_number_of_sequences() -> None:
    game = position(run("KS", "2S"), "4D AS", "8C", rules=replace(STAY, undo_limit=None))
    assert play(game, 1, 1, 0) == 105
    assert game.play(game.undo_action) == -105
    assert play(game, 1, 1, 0) == 105


def test_won_game_cannot_be_undone() -> None:
    layout = TableLayout((2, 1), (0, 0), 0, (), suits=1, ranks=3)
    game = OracleGame(TableRules(layout, undo_limit=None), [2, 0, 1])
    assert play(game, 1, 1, 0) == 105
    assert game.won
    assert game.legal_actions() == set()


SHEET = replace(SCORPION, loss="sheet")


def test_literal_loss_needs_a_move_that_turns_or_completes() -> None:
    assert position("4C 8D", "9D", "3H", rules=SHEET).stuck
    assert not position("4C 8D", "9D", "3H").stuck
    assert not position("#4C 8D", "9D", "3H", rules=SHEET).stuck
    assert not position(run("KS", "2S"), "3H AS", rules=SHEET).stuck
    assert not position(run("KS", "AS"), "", "3H", rules=SHEET).stuck


def test_literal_loss_waits_for_the_deal_and_for_undo() -> None:
    game = position("4C 8D", "9D", "3H", reserve="2S", reserve_columns=(2,), rules=SHEET)
    assert moves(game) == {"8D>1", "deal"}
    game.play(game.deal_action)
    assert game.stuck
    assert game.legal_actions() == set()

    game = position("4C 8D", "9D", "7D", rules=replace(SHEET, undo_limit=None))
    assert game.stuck
    game = position("#4C 8D", "9D", "7D", rules=replace(SHEET, undo_limit=None))
    play(game, 0, 1, 1)
    assert moves(game) == {"7D>1", "undo"}


def test_literal_loss_where_sequences_stay() -> None:
    sheet = replace(STAY, loss="sheet")
    assert not position(run("KS", "2S"), "3H AS", rules=sheet).stuck
    assert position(f"{run('KS', 'AS')} 8D", "9D", "3H", rules=sheet).stuck
    assert position(run("KS", "AS"), "", "3H 8D", "9D", rules=sheet).stuck


def test_literal_loss_counts_a_sequence_where_it_is_completed() -> None:
    rules = replace(STAY, loss="sheet", build="any_suit")
    uncovers = position(f"{run('KS', 'AS')} {run('KH', 'AH')}", "", rules=rules)
    assert uncovers.stuck
    anew = position(run("KS", "2S"), "4D AS", "2H", "9C", rules=rules)
    play(anew, 1, 1, 0)
    assert anew.stuck
    again = position(run("KS", "AS"), "2H", "#9C 4D", "5D", rules=rules)
    play(again, 0, 1, 1)
    assert not again.stuck
    play(again, 2, 1, 3)
    assert card("AS") * 4 in again.legal_actions()


def test_literal_loss_takes_nothing_from_the_position() -> None:
    game = position("#4C 8D", "9D", run("KS", "2S"), "3H AS", rules=SHEET)
    before = everything(game)
    assert game.legal_actions()
    assert everything(game) == before


def test_wrong_decks_and_actions_are_refused() -> None:
    with pytest.raises(ValueError, match="deck"):
        OracleGame(SCORPION, list(range(51)))
    with pytest.raises(ValueError, match="deck"):
        OracleGame(SCORPION, [0, *range(51)])
    game = OracleGame(SCORPION, list(range(52)))
    for wrong in (-1, game.undo_action, game.undo_action + 1, 10**6):
        with pytest.raises(ValueError, match="illegal"):
            game.play(wrong)
