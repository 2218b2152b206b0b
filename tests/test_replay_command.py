"""``scorpion replay``: moves in words, verdicts, mistakes in a line, a page that needs nothing."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from scorpion_env import VARIANTS, Layout, Rules
from scorpion_env.cli import main
from scorpion_env.game import Game
from scorpion_env.notation import parse_move
from scorpion_env.records import GameRecord, record_actions, record_game, write_records
from scorpion_env.render.page import write_page
from scorpion_env.render.words import say_move
from scorpion_env.solver import Solver
from scorpion_env.solver.verdicts import judge_positions
from scorpion_env.suites import find_suite
from tests.random_games import play_on, random_actions, random_game

OPENING = """\
1: #2C #TC #KC 3D JH TH 3S
2: #6C #AH #JD QH 3C 4H 7S
3: #4S #5D #8S AS 7D 7H 3H
4: #QS #TS #AC KD 8H 7C 9S
5: 6H 8C JS 4C 9C 8D 5C
6: 6D QC KH 4D KS 9H JC
7: AD QD 9D 6S 2H TD 5H
reserve: #2S #5S #2D
"""
EIGHT_CARDS = Layout((4, 4), (1, 0), 0, (), suits=2, ranks=4)
NEARLY_WON = "1: #AD 4C 3C 2C\n2: 4D 3D 2D AC"


def said(game: Game, move: str) -> str:
    before = game.position
    game.play(move)
    return say_move(game.rules, before, parse_move(game.rules, move), game.position)


def test_moves_in_words() -> None:
    game = Game(rules="open_scorpion", deal=OPENING)
    assert said(game, "4H>7") == (
        "The 4 of hearts and the card on it go from column 2 onto the 5 of hearts in column 7. "
        "5 points."
    )
    assert said(game, "undo") == "The last action is taken back."
    assert said(game, "deal") == (
        "The reserve is dealt: 2 of spades onto column 1, 5 of spades onto column 2, "
        "2 of diamonds onto column 3."
    )
    assert said(game, "AS>1").startswith(
        "The ace of spades and the 4 cards on it go from column 3 "
    )


def test_sequences_in_words() -> None:
    game = Game(rules=Rules(EIGHT_CARDS), deal=NEARLY_WON)
    assert said(game, "AC>1") == (
        "The ace of clubs goes from column 2 onto the 2 of clubs in column 1. "
        "The ace of diamonds is turned. The sequence from the 4 of clubs is complete. 110 points."
    )
    staying = Game(rules=Rules(EIGHT_CARDS, sequences="stay"), deal=NEARLY_WON)
    assert said(staying, "AC>1").endswith("in column 1. A sequence is complete. 105 points.")


def test_a_reserve_card_goes_to_an_empty_column_in_words() -> None:
    layout = Layout((4, 3, 0), (0, 0, 0), 1, (), suits=2, ranks=4)
    board = "1: 4D 2C 3C AD\n2: AC 3D 2D\n3:\nreserve: 4C"
    game = Game(rules=Rules(layout, reserve="play"), deal=board)
    assert said(game, "4C>3") == "The 4 of clubs goes from the reserve to the empty column 3."


@pytest.mark.parametrize("name", ["classic", "open_scorpion", "three_blind_mice"])
def test_verdicts_are_the_solvers(name: str) -> None:
    rules, nodes = VARIANTS[name], 500
    solver = Solver(rules, nodes)
    seen = set()
    for seed in find_suite(f"{name}-winnable").seeds[:5].tolist():
        game = Game(seed, rules)
        line = solver.solve(game).actions[:3]  # a while of it, then chance
        for action in line:
            game.play(action)
        play_on(game, seed, 60)
        actions = [*game.actions, *[rules.deal_action + 1] * (rules.undo_limit != 0)]
        record = record_actions(rules, game.deal_number, actions)
        verdicts = list(judge_positions(record, nodes))
        positions = [record.replay(step) for step in range(len(record.actions) + 1)]
        expected = [solver.solve(position).status for position in positions]
        # a line that was found once is known further on, where the budget may not find it again
        for verdict, status in zip(verdicts, expected, strict=True):
            assert verdict == status or status == "unknown"
        seen |= set(verdicts)
    assert {"winnable", "unwinnable"} <= seen


# the command


def data_of(page: Path) -> dict[str, Any]:
    """Return what a page's script reads."""
    text = page.read_text(encoding="utf-8")
    (found,) = re.findall('<script id="game" type="application/json">(.*?)</script>', text)
    data: dict[str, Any] = json.loads(found)
    return data


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.jsonl"
    records: list[GameRecord] = []
    for seed, name in enumerate(("classic", "double_scorpion", "pysol_scorpion_tail")):
        rules = VARIANTS[name]
        actions = random_actions(rules, seed, 20)
        number = Game(seed, rules).deal_number
        records.append(record_actions(rules, number, actions, f"player {seed}", seed=seed))
    write_records(path, records)
    return path


def test_one_game_of_several(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = games.with_name("two.html")
    assert main(["replay", str(games), "-o", str(page), "--game", "2"]) == 0
    assert capsys.readouterr().out.startswith(f"{page}: game 2 of 3, player 1, ")
    data = data_of(page)
    assert data["player"] == "player 1"
    assert data["about"].startswith("double_scorpion, deal ")
    assert data["about"].endswith("game 2 of 3 in its file")
    assert data["verdicts"] is None
    assert main(["replay", str(games)]) == 0
    assert data_of(games.with_suffix(".html"))["player"] == "player 0"


def test_verdicts_of_every_position(games: Path) -> None:
    arguments = ["replay", str(games), "--verdicts", "--nodes", "50"]
    assert main(arguments) == 0
    data = data_of(games.with_suffix(".html"))
    assert len(data["verdicts"]) == len(data["positions"]) == len(data["moves"]) + 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{}", "--game", "4"], "--game 4 is not there: "),
        (["{}", "--game", "0"], "--game 0 is not there: "),
        (["{}", "-o", "{}"], "holds the games: name another file for the page"),
        (["{}", "-o", "."], ". is a folder: name a file"),
        (["{}", "-o", "/nowhere/game.html"], "/nowhere/game.html cannot be written"),
        (["{}", "--verdicts", "--nodes", "0"], "nodes=0 must be a whole number from 1 up"),
        (["/nowhere/games.jsonl", "-o", "{}.html"], "No such file or directory"),
        (["/dev/null", "-o", "{}.html"], "/dev/null holds no game"),
        (["pyproject.toml", "-o", "{}.html"], "pyproject.toml, line 1: no JSON"),
    ],
)
def test_mistakes_take_a_line(
    arguments: list[str], said: str, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = games.read_bytes()
    assert main(["replay", *(part.replace("{}", str(games)) for part in arguments)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("scorpion: ")
    assert said in printed.err
    assert printed.err.count("\n") == 1
    assert games.read_bytes() == before
    assert [file.name for file in games.parent.iterdir()] == ["games.jsonl"]


def test_a_page_of_rules_and_a_board_of_ones_own() -> None:
    game = Game(rules=Rules(EIGHT_CARDS), deal=NEARLY_WON)
    game.play("AC>1")
    page = write_page(record_game(game))
    assert "Unknown player: rules of its own, stopped with 110 points after 1 moves" in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")


def test_nothing_in_a_record_can_leave_its_element() -> None:
    page = write_page(record_game(random_game("classic", 3), "</script><!--<script>\x00]]>&lt;"))
    assert page.count("</script") == 2
    assert page.count("<script") == 2
    assert "<!--" not in page
