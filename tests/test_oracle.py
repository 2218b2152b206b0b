"""The oracle against positions made by hand."""

from dataclasses import dataclass, field, replace

import pytest

from tests.oracle import OracleGame
from tests.reference_games import (
    RANKS,
    Columns,
    card_ids,
    card_text,
)


@dataclass(frozen=True)
class TableLayout:
    """A layout as the oracle reads it; Scorpion's by default."""

    columns: tuple[int, ...] = (7,) * 7
    face_down: tuple[int, ...] = (3, 3, 3, 3, 0, 0, 0)
    reserve_cards: int = 3
    reserve_columns: tuple[int, ...] = (0, 1, 2)
    decks: int = 1
    suits: int = 4
    ranks: int = 13


@dataclass(frozen=True)
class TableRules:
    """A rule set as the oracle reads it; Scorpion's by default."""

    layout: TableLayout = field(default_factory=TableLayout)
    build: str = "same_suit"
    empty_column: str = "king"
    reserve: str = "deal"
    sequences: str = "removed"
    pattern: str = "same_suit"
    loss: str = "stuck"
    undo_limit: int | None = 0


SCORPION = TableRules()
SCORPION_II = TableRules(TableLayout(face_down=(3, 3, 3, 0, 0, 0, 0)))
BLIND_MICE = TableRules(
    TableLayout((5,) * 10, (0,) * 7 + (3,) * 3, reserve_cards=2, reserve_columns=()), reserve="play"
)
DOUBLE = TableLayout((10,) * 10, (4,) * 5 + (0,) * 5, 4, (0, 1, 2, 3), decks=2)
TRIPLE = TableLayout((12,) * 13, (5,) * 5 + (0,) * 8, 0, (), decks=3)


def board_texts(game: OracleGame) -> Columns:
    """Columns as the recorded games write them."""
    return [
        ["#" * (index < down) + card_text(card) for index, card in enumerate(cards)]
        for cards, down in zip(game.columns, game.down, strict=True)
    ]


# Positions made by hand


def card(text: str) -> int:
    """The id of a card of the first deck."""
    return card_ids([text])[0]


def run(first: str, last: str) -> str:
    """Cards of one suit downwards: ``run("KS", "TS")`` is ``"KS QS JS TS"``."""
    ranks = RANKS[RANKS.index(last[0]) : RANKS.index(first[0]) + 1]
    return " ".join(rank + first[1] for rank in reversed(ranks))


def position(
    *columns: str,
    reserve: str = "",
    reserve_columns: tuple[int, ...] = (),
    decks: int = 1,
    rules: TableRules = SCORPION,
) -> OracleGame:
    """Deal a game in which these columns, ``#`` for face-down, are the opening position."""
    texts = [column.split() for column in columns]
    layout = TableLayout(
        columns=tuple(len(column) for column in texts),
        face_down=tuple(sum(card[0] == "#" for card in column) for column in texts),
        reserve_cards=len(reserve.split()),
        reserve_columns=reserve_columns,
        decks=decks,
    )
    height = max(layout.columns)
    dealt = [column[row] for row in range(height) for column in texts if row < len(column)]
    dealt += reserve.split()
    deck = card_ids([card.removeprefix("#") for card in dealt])
    return OracleGame(replace(rules, layout=layout), deck)


def action_of(game: OracleGame, source: int, count: int, target: int) -> int:
    """The action that moves the top cards of a column."""
    return game.columns[source][-count] * game.n_columns + target


def play(game: OracleGame, source: int, count: int, target: int) -> int:
    """Move the top cards of a column and return the points."""
    return game.play(action_of(game, source, count, target))


def moves(game: OracleGame) -> set[str]:
    """Legal actions as texts: ``4H>6``, ``deal``, ``undo``."""
    special = {game.deal_action: "deal", game.undo_action: "undo"}
    return {
        special.get(act) or f"{card_text(act // game.n_columns)}>{act % game.n_columns}"
        for act in game.legal_actions()
    }


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


# Rules of the variants


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
