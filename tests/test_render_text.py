"""Boards as text: aligned, and in colour where that is wanted."""

import re
from io import StringIO

import pytest

from scorpion_env import VARIANTS
from scorpion_env.env import ScorpionEnv
from scorpion_env.game import Game
from scorpion_env.notation import parse_board
from scorpion_env.render.text import wants_colour, write_text
from tests.random_games import play_on


def game_after_moves(name: str) -> Game:
    game = Game(3, name)
    play_on(game, 3, 30)
    return game


@pytest.mark.parametrize("reveal", [False, True])
@pytest.mark.parametrize("name", VARIANTS)
def test_text_stands_in_columns_and_reads_back(name: str, reveal: bool) -> None:
    game = game_after_moves(name)
    text = write_text(game.rules, game.position, reveal)
    rows = [line for line in text.splitlines() if line.lstrip()[0].isdigit()]
    assert len(rows) == len(game.rules.layout.columns)
    assert len({row.index(":") for row in rows}) == 1
    step = 1 + reveal + (3 if game.rules.layout.decks > 1 else 2)
    first = rows[0].index(":") + 2 + reveal
    for row in rows:
        for place, card in enumerate(re.finditer(r"\S+", row.partition(":")[2])):
            rank = row.index(":") + 1 + card.start() + (reveal and card.group()[0] == "#")
            assert rank == first + place * step
    assert parse_board(game.rules, text, seed=0) == (
        game.position if reveal else parse_board(game.rules, game.to_text(), seed=0)
    )


def test_colour_adds_nothing_but_colour() -> None:
    game = game_after_moves("double_scorpion")
    for reveal in (False, True):
        plain, coloured = (
            write_text(game.rules, game.position, reveal, colour) for colour in (False, True)
        )
        assert "\x1b[31m" in coloured
        assert "\x1b[2m#" in coloured
        assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain
    red = re.findall(r"\x1b\[31m(.*?)\x1b\[0m", coloured)
    assert all(re.fullmatch(r"[A2-9TJQK][DH]2?", card) for card in red)


@pytest.mark.parametrize(
    ("environment", "is_terminal", "wanted"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"TERM": "dumb"}, True, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], is_terminal: bool, wanted: bool
) -> None:
    for variable in ("TERM", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    stream = StringIO()
    stream.isatty = lambda: is_terminal
    assert wants_colour(stream, environment) == wanted
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_terminal)
    env = ScorpionEnv(render_mode="ansi")
    env.reset(seed=1)
    assert ("\x1b[" in env.render()) == wanted
