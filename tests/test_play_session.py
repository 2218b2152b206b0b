"""Playing without a screen: moves as people write them, undo and redo, hints, saved games."""

import os
from pathlib import Path
from typing import Any

import pytest

from scorpion_env import VARIANTS, Layout, Rules
from scorpion_env.game import Game
from scorpion_env.play.entry import read_entry, type_on
from scorpion_env.play.faces import face_of, with_symbols
from scorpion_env.play.help import help_text
from scorpion_env.play.hints import guess, look
from scorpion_env.play.saved import (
    games_folder,
    last_record,
    new_file,
    resume_file,
    save,
    unfinished_games,
)
from scorpion_env.play.session import Session
from scorpion_env.records import RecordError, record_game, write_records
from scorpion_env.solver import Solver, solve
from scorpion_env.suites import find_suite

WINNABLE, LOST = 3, 1  # seeds of Classic
LITTLE = Layout((2, 2, 2, 2), (0,) * 4, 0, (), suits=2, ranks=4)
EMPTY_COLUMN = "1: 3C 2D\n2: 4D 3D AC\n3:\n4: AD 2C 4C"


pytestmark = pytest.mark.usefixtures("own_folders")


def always() -> bool:
    return True


def little(**options: Any) -> Session:
    return Session(Game(rules=Rules(LITTLE, **options), deal=EMPTY_COLUMN))


def said(session: Session, text: str) -> str:
    """Return why a text is refused."""
    before = session.game.to_text(reveal=True)
    with pytest.raises(ValueError, match=r".") as refusal:
        session.enter(text)
    assert session.game.to_text(reveal=True) == before
    return str(refusal.value)


# moves as text


@pytest.mark.parametrize(
    ("text", "moves"),
    [("5c>2", ["5C>2"]), (" QH > 4 ", ["QH>4"]), ("3s", ["3S>5"])],
)
def test_moves_are_read_as_people_write_them(text: str, moves: list[str]) -> None:
    session = Session(Game(WINNABLE))
    session.enter(text)
    game = Game(WINNABLE)
    for move in moves:
        game.play(move)
    assert session.game.actions == game.actions


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("3C>3", "3C>3 is illegal: only a king may go to an empty column"),
        ("AC>1", "AC>1 is illegal: the cards must be of the same suit"),
        ("4D>1", "4D>1 is illegal: it goes only to an empty column"),
        ("3D>2", "3D>2 is illegal: 3D lies there already"),
        ("AC", "AC can go nowhere now: it goes only onto 2C"),
        ("4C>9", "'4C>9' is no move: write a card and a column from 1 to 4"),
        ("9C", "move '9C>1': '9C' is not a card: write a rank of A234"),
        ("", "move '>1': '' is not a card"),
        ("deal", "move 'deal>1': 'deal' is not a card"),
    ],
)
def test_refusals_say_why(text: str, why: str) -> None:
    assert said(little(), text).startswith(why)


@pytest.mark.parametrize(
    ("options", "text", "why"),
    [
        ({"empty_column": "any"}, "3D>4", "the cards must be of the same suit"),
        ({"empty_column": "any"}, "2C>1", "the cards must be of the same suit"),
        ({"empty_column": "any"}, "2D>4", "the cards must be of the same suit"),
        ({"build": "any_suit"}, "3D>1", "it goes only onto a card of rank 4"),
        ({"build": "alternate_colour"}, "2C>1", "it goes only onto a red 3"),
        ({"build": "alternate_colour"}, "3D>1", "it goes only onto a black 4"),
        ({"build": "any_suit", "empty_column": "any"}, "AC>4", "of rank 2 or to an empty column"),
    ],
)
def test_refusals_fit_the_rules(options: dict[str, Any], text: str, why: str) -> None:
    assert said(little(**options), text).endswith(why)


def test_hidden_and_dealt_cards() -> None:
    session = Session(Game(WINNABLE))
    hidden = session.game.position.columns[0][0]
    name = session.game.to_text(reveal=True).split()[1].removeprefix("#")
    assert said(session, f"{name}>5").endswith(f"{name} does not lie face-up")
    assert session.targets(hidden) == []
    session.deal()
    for other, why in (
        (session, "the reserve has been dealt"),
        (little(), "there is no reserve to deal"),
        (Session(Game(WINNABLE, "traditional")), "the reserve waits until"),
    ):
        with pytest.raises(ValueError, match=why):
            other.deal()


def test_a_card_alone_must_have_one_target() -> None:
    session = Session(Game(WINNABLE, "flexible"))
    assert said(session, "4S") == (
        "this can mean several moves: write 4S>6 or 4S>7, or choose the card itself"
    )
    session.enter("4S>7")
    assert len(session.game.actions) == 1


def test_a_twin_is_found_by_what_it_can_do() -> None:
    game = Game(1, "double_scorpion")
    second = read_entry(game, "8D>5")
    assert second == read_entry(game, "8D2>5")
    assert game.action_mask()[second]
    assert not game.action_mask()[read_entry(game, "8D1>5")]
    with pytest.raises(ValueError, match="write 2C1>14 or 2C2>14, or choose the card itself"):
        read_entry(game, "2C>14")
    with pytest.raises(ValueError, match="write TD1>4 or TD2>4"):
        read_entry(game, "10d")


def test_typing_begins_with_a_rank() -> None:
    typed = ""
    for key in "5", "c", "x", "backspace", ">", "2":
        more = type_on(typed, key, key if len(key) == 1 else None)
        assert more is not None
        typed = more
    assert typed == "5c>2"
    assert type_on(typed, "escape", "\x1b") == ""
    assert type_on(typed, "left", None) is None
    assert [type_on("", letter, letter) for letter in "udhfnbe"] == [None] * 7
    assert [type_on("", letter, letter) for letter in "atjqk1029"][:6] == list("atjqk1")


# taking back


def test_undo_and_redo_go_all_the_way() -> None:
    session = Session(Game(WINNABLE), WINNABLE)
    line = solve(session.game).actions
    for action in line[:9]:
        session.move(*divmod(action, 7)) if action < 364 else session.deal()
    played = session.game.to_text(reveal=True)
    session.restart()
    assert session.game.actions == []
    assert session.record().actions == ()
    for _ in range(9):
        session.redo()
    assert session.game.to_text(reveal=True) == played
    session.undo(3)
    kept = session.game.actions
    session.enter(next(m for m in session.game.legal_moves() if m != "deal"))
    with pytest.raises(ValueError, match="no move to play again"):
        session.redo()
    assert session.record().actions == tuple(session.game.actions) != tuple(kept)


def test_playing_what_was_taken_back_keeps_what_follows() -> None:
    session = Session(Game(WINNABLE))
    for text in "QH>4", "5C>4":
        session.enter(text)
    session.undo(2)
    session.enter("QH>4")
    session.redo()
    assert len(session.game.actions) == 2


def test_undo_of_the_rules_is_no_way_out_of_being_stuck() -> None:
    rules = Rules(Layout((2, 2), (0, 0), 0, (), suits=1, ranks=4), undo_limit=None)
    session = Session(Game(rules=rules, deal="1: 2C 4C\n2: AC 3C"))
    assert session.outcome == "playing"
    session.enter("3C>1")
    assert session.outcome == "stuck"
    assert "undo" in session.game.legal_moves()
    session.undo()
    assert session.outcome == "playing"


# how it looks


def test_cards_in_sentences_become_symbols() -> None:
    assert with_symbols("TD2>4 or KS, AC.") == "10♦2>4 or K♠, A♣."
    assert with_symbols("ASK HIM, 4CD") == "ASK HIM, 4CD"
    assert face_of(VARIANTS["double_scorpion"], 52 + 9) == "10♣"


@pytest.mark.parametrize("name", VARIANTS)
def test_the_rules_are_explained(name: str) -> None:
    text = help_text(Session(Game(1, name)))
    assert f"all {VARIANTS[name].layout.sequences} sequences" in text
    assert ("other colour" in text) == (VARIANTS[name].build == "alternate_colour")


# new and saved games


def test_a_new_game_can_be_one_that_can_be_won() -> None:
    seeds = find_suite("classic-winnable").seeds
    assert all(Session.new("classic", only_winnable=True).seed in seeds for _ in range(5))
    assert len({Session.new("wasp").seed for _ in range(5)}) > 1


def test_titles() -> None:
    assert Session(Game(5, "three_blind_mice"), 5).title == "Three Blind Mice, seed 5"
    assert Session(Game(deal="ms123")).title == "Classic, deal 123"
    assert little().title == "Own Rules"


def test_unfinished_games_come_newest_first() -> None:
    assert unfinished_games() == []
    sessions = [Session(Game(seed, "wasp"), seed) for seed in (1, 2, 3)]
    for age, session in enumerate(sessions):
        session.deal()
        path = new_file(session)
        save(session, path)
        _make_older(path, 100 - age)
    won = Session(Game(WINNABLE))
    for action in solve(won.game).actions:
        won.game.play(action)
    save(won, new_file(won))
    save(Session(Game(9)), new_file(won))
    (games_folder() / "damaged.jsonl").write_text("{}")
    assert [game.record.seed for game in unfinished_games()] == [3, 2, 1]


def _make_older(path: Path, seconds: float) -> None:
    stat = path.stat()
    os.utime(path, (stat.st_atime, stat.st_mtime - seconds))


def test_a_relative_state_folder_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "somewhere")
    monkeypatch.setenv("HOME", "/home/jo")
    assert games_folder() == Path("/home/jo/.local/state/scorpion/games")


def test_the_last_game_of_a_file_is_gone_on_with_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write_records(path, [record_game(Game(1)), record_game(Game(2, "wasp"))])
    session = Session.resumed(last_record(path))
    assert session.name == "wasp"
    kept = resume_file(path, session)
    assert kept.parent == games_folder()
    session.deal()
    save(session, kept)
    assert resume_file(kept, session) == kept
    assert len(path.read_text().splitlines()) == 2
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(RecordError, match="holds no game"):
        last_record(tmp_path / "empty.jsonl")


# hints


def test_a_hint_says_what_still_wins() -> None:
    game = Game(WINNABLE)
    hint = look(game, always)
    assert hint.action == solve(game).actions[0]
    assert hint.text.startswith("This still wins: ")
    assert hint.text.endswith("This hint looks at hidden cards.")
    assert hint.proof == ""


def test_a_lost_deal_comes_with_its_cycle() -> None:
    hint = look(Game(LOST), always)
    assert hint.text == "This deal is lost. This hint looks at hidden cards."
    assert "A blocking cycle: " in hint.proof
    assert hint.action is None


def test_a_lost_position_comes_with_the_way_back() -> None:
    game, solver = Game(WINNABLE), Solver(VARIANTS["classic"], 20_000)
    for action in solver.solve(game).actions[:6]:
        game.play(action)
    game.play("deal")
    assert solver.solve(game).status == "unwinnable"
    game.play(game.legal_moves()[0])
    hint = look(game, always)
    assert hint.text.startswith("This position is lost. Take back 2 moves: there ")
    game.undo()
    game.undo()
    move = hint.text.partition("there ")[2].partition(" wins")[0]
    game.play(move)
    assert solver.solve(game).status == "winnable"


def test_a_deal_that_was_always_lost_is_said_to_be() -> None:
    game = Game(LOST)
    game.play("deal")
    assert "So was the deal from the start." in look(game, always).text


def test_a_hint_that_does_not_look_knows_only_what_is_seen() -> None:
    game = Game(WINNABLE)
    hint = guess(game, always)
    assert "This hint does not look at hidden cards" in hint.text
    other = Game(rules="classic", deal=str(game), seed=7)
    assert other.to_text(reveal=True) != game.to_text(reveal=True)
    assert guess(other, always) == hint
    assert hint.action is not None
    assert game.action_mask()[hint.action]


def test_a_hint_that_does_not_look_may_find_nothing() -> None:
    hint = guess(Game(2), always)  # no way its hidden cards may lie is won
    assert "none was found to be won" in hint.text
    assert hint.action is None


def test_hints_end_when_they_are_not_wanted() -> None:
    asked = []

    def once() -> bool:
        asked.append(True)
        return len(asked) < 2

    assert guess(Game(WINNABLE), once).text.startswith("Of 1 sampled ways")
    game = Game(1, "pysol_double_scorpion")
    assert look(game, lambda: False).text.startswith("Whether this wins is not decided after")
    assert look(game, always, nodes=50).text.startswith("Whether this wins is not decided after 50")
