"""Positions drawn by hand in which the rules are easily got wrong, each with its right value."""

from typing import Any

import numpy as np

from scorpion_env import Rules
from scorpion_env.env import ScorpionEnv
from scorpion_env.game import Game
from scorpion_env.notation import HIDDEN
from scorpion_env.variants import find_rules

RANKS = "KQJT98765432A"


def run(first: str, last: str) -> str:
    """Cards of one suit downwards: ``run("KS", "JS")`` is ``"KS QS JS"``."""
    return " ".join(r + first[1] for r in RANKS[RANKS.index(first[0]) : RANKS.index(last[0]) + 1])


def board(
    *columns: str, reserve: str = "", completed: str = "", rules: str | Rules = "classic"
) -> Game:
    """Set up a game; a column of ``*`` takes all cards that are named nowhere."""
    texts = [*columns, *[""] * (len(find_rules(rules).layout.columns) - len(columns))]
    named = " ".join(
        [*texts, reserve, *(run("K" + s, "A" + s) for s in completed.split(", ") if s)]
    )
    rest = " ".join(r + s for r in reversed(RANKS) for s in "SHDC" if r + s not in named)
    lines = [f"{n}: {text.replace('*', rest)}" for n, text in enumerate(texts, start=1)]
    slots = find_rules(rules).layout.reserve_cards
    lines += [f"reserve: {reserve or ' '.join(['--'] * slots)}", f"completed: {completed}"]
    return Game(rules=rules, deal="\n".join(lines))


def column(game: Game, number: int) -> str:
    return game.to_text(reveal=True).splitlines()[number - 1].split(":")[1].strip()


def test_sequence_uncovered_by_a_departing_block_stays() -> None:
    game = board(f"{run('KS', 'AS')} 4H", "5H", "*")
    assert game.play("4H>2") == 5
    assert column(game, 1) == run("KS", "AS")
    assert game.position.removed == ()
    assert game.play("KS>4") == 100
    assert column(game, 4) == ""
    assert len(game.position.removed) == 1


def test_uncovered_sequence_alone_in_its_column_is_no_idle_move() -> None:
    """The false "stuck": all that is left is to move the sequence, which wins."""
    game = board(run("KS", "AS"), completed="C, D, H")
    assert not game.is_stuck
    assert game.play("KS>2") == 100
    assert game.is_won


def test_dealt_reserve_card_completes_a_sequence_and_turns_a_card() -> None:
    game = board(f"#9H {run('KS', '2S')}", "2H", "3H", "*", reserve="#AS #7D #8D")
    assert game.play("deal") == 105
    assert column(game, 1) == "9H"
    assert (column(game, 2), column(game, 3)) == ("2H 7D", "3H 8D")


def test_reserve_is_dealt_onto_empty_columns() -> None:
    game = board("", "2H", "", "*", reserve="#AS #7D #8D")
    assert "deal" in game.legal_moves()
    assert game.play("deal") == 0
    assert [column(game, n) for n in (1, 2, 3)] == ["AS", "2H 7D", "8D"]


def test_face_down_king_completes_nothing() -> None:
    """Reported elsewhere: a sequence counts although its king lies face-down."""
    game = board(f"#KS {run('QS', '2S')}", "9H AS", "*")
    assert game.play("AS>1") == 5
    assert column(game, 1) == f"#KS {run('QS', 'AS')}"
    assert game.position.removed == ()


def test_flexible_pays_for_the_same_suit_only() -> None:
    game = board("9C 7H", "8S", "8H", "*", rules="flexible")
    assert game.play("7H>2") == 0
    assert game.play("7H>3") == 5
    assert game.play("7H>2") == 0


def test_flexible_removes_sequences_of_one_suit_only() -> None:
    game = board(f"{run('KS', '3S')} 2H", "9C AH", "*", rules="flexible")
    assert game.play("AH>1") == 5
    assert game.position.removed == ()


def test_removal_checks_no_other_column() -> None:
    """The sequence of hearts that the first removal leaves alone was uncovered long ago."""
    game = board(f"{run('KS', '2S')}", f"{run('KH', 'AH')}", "9C AS", "*")
    assert game.play("AS>1") == 105
    assert column(game, 2) == run("KH", "AH")
    assert len(game.position.removed) == 1


def test_sequence_below_a_removed_one_stays() -> None:
    game = board(f"{run('KH', 'AH')} {run('KS', '2S')}", "9C AS", "*")
    assert game.play("AS>1") == 105
    assert column(game, 1) == run("KH", "AH")


def test_last_action_wins_though_no_move_is_left() -> None:
    env = ScorpionEnv()
    game = board(run("KS", "2S"), "AS", completed="C, D, H")
    env.reset(options={"deal": game.to_text(reveal=True)})
    action = int(np.flatnonzero(env.action_masks())[0])
    assert action // 7 == 39
    _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (105.0, True, False)
    assert info["is_success"]
    assert not info["action_mask"].any()


def test_only_idle_moves_are_stuck() -> None:
    """Reported elsewhere: while only idle moves are left no game is called lost."""
    game = board(f"KS 2S AS 3S {run('QS', '4S')}", completed="C, D, H")
    assert game.is_stuck
    assert game.legal_moves() == []


def test_not_stuck_while_the_reserve_waits() -> None:
    """Reported elsewhere: a game is called lost before the reserve is dealt."""
    game = board("KS QS AS 2S 3S 4S 5S 6S 7S 8S", reserve="#9S #TS #JS", completed="C, D, H")
    assert not game.is_stuck
    assert game.legal_moves() == [*(f"KS>{n}" for n in range(2, 8)), "deal"]


def test_traditional_deals_only_when_all_else_is_idle() -> None:
    game = board("9C 4H", "5H", "*", reserve="#AS #7D #8D", rules="traditional")
    assert "4H>2" in game.legal_moves()
    assert "deal" not in game.legal_moves()
    upwards = [" ".join(["K" + s, *(r + s for r in RANKS[:1:-1])]) for s in "CDHS"]
    upwards[0] += " QC"
    game = board(*upwards, reserve="#QS #QH #QD", completed="", rules="traditional")
    assert game.legal_moves()[-1] == "deal"
    assert {move[0] for move in game.legal_moves()[:-1]} == {"K"}


def test_undo_hides_a_turned_card_again() -> None:
    """Reported elsewhere: a card that undo has hidden again can be played."""
    rules = Rules(undo_limit=100)
    env = ScorpionEnv(rules=rules)
    game = board("#9D 4H", "5H", "*", rules=rules)
    first, _ = env.reset(options={"deal": game.to_text(reveal=True)})
    action = 29 * 7 + 1
    seen, reward, *_, info = env.step(action)
    assert reward == 10.0
    assert seen["tableau"][0, 0] == 13 + 8 + 1
    seen, reward, *_, info = env.step(rules.deal_action + 1)
    assert reward == -10.0
    assert all(np.array_equal(seen[key], first[key]) for key in first)
    nine_of_diamonds = (13 + 8) * 7
    assert not info["action_mask"][nine_of_diamonds : nine_of_diamonds + 7].any()


def test_undo_takes_back_a_removed_sequence_and_a_deal() -> None:
    rules = Rules(undo_limit=None)
    game = board(f"#9H {run('KS', '2S')}", "2H", "3H", "*", reserve="#AS #7D #8D", rules=rules)
    before: Any = game.to_text(reveal=True)
    assert game.play("deal") == 105
    assert game.play("undo") == -105
    assert game.to_text(reveal=True) == before
    assert HIDDEN in str(game)


def test_three_blind_mice_reserve_king_goes_to_an_empty_column() -> None:
    game = board("", "*", reserve="KS 4H", rules="three_blind_mice")
    assert "KS>1" in game.legal_moves()
    assert "deal" not in game.legal_moves()
    assert game.play("KS>1") == 0
    assert game.to_text().splitlines()[10] == "reserve: -- 4H"
