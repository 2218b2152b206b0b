"""Around a game in the terminal: choosing, going on, exporting, hints; and the command."""

import asyncio
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from multiprocessing import active_children
from pathlib import Path

import pytest
from textual.widgets import Input, OptionList, Static

from scorpion_env.cli import main
from scorpion_env.game import Game
from scorpion_env.notation import name_move
from scorpion_env.play.hints import Hint
from scorpion_env.play.saved import games_folder, unfinished_games
from scorpion_env.play.screens import ChooseScreen, FileScreen, TextScreen
from scorpion_env.play.thinker import Find
from scorpion_env.records import read_records, record_game, write_records
from scorpion_env.suites import find_suite
from tests.play_table import WINNABLE, Table, after, at_table, moves

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.usefixtures("own_folders")

# choosing, going on, files


def test_a_new_game_is_chosen_and_can_be_one_that_is_winnable() -> None:
    async def scenario(table: Table) -> None:
        assert isinstance(table.app.screen, ChooseScreen)
        label = table.app.screen.query_one("#winnable", Static)
        assert "any deal" in str(label.content)
        await table.press("w")
        assert "only deals that can be won" in str(label.content)
        await table.press("down", "down", "down", "enter")
        assert table.app.session.name == "wasp"
        assert table.app.session.seed in find_suite("wasp-winnable").seeds
        await table.press("n", "escape")
        assert table.app.session.name == "wasp"

    at_table(None, scenario)


def test_keys_of_the_game_do_nothing_under_another_screen() -> None:
    async def scenario(table: Table) -> None:
        await table.press("question_mark")
        assert isinstance(table.app.screen, TextScreen)
        await table.press("d", "5", "u")
        assert table.game.actions == []
        await table.press("enter", "d")
        assert moves(table) == ["deal"]

    at_table(Game(WINNABLE), scenario)


def test_a_killed_game_is_gone_on_with() -> None:
    play_and_kill(["play", "--seed", "3"], b"5c>2\r")
    (saved,) = unfinished_games()
    assert [name_move(saved.record.rules, a) for a in saved.record.actions] == ["5C>2"]

    async def scenario(table: Table) -> None:
        options = table.app.screen.query_one(OptionList)
        offered = str(options.get_option_at_index(0).prompt)
        assert offered == "Go on: Classic, seed 3, 1 move, 5 points, just now"
        await table.press("enter")
        assert moves(table) == ["5C>2"]
        await table.press("d")
        assert [len(record.actions) for record in read_records(saved.path)] == [2]

    at_table(None, scenario)


def play_and_kill(arguments: list[str], typed: bytes) -> None:
    """Play in a real terminal, type, and kill the process once a game is saved."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    command = [sys.executable, "-m", "scorpion_env.cli", *arguments]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color"},
        start_new_session=True,
    )
    try:
        shown = b""
        until = time.monotonic() + 120
        while not list(games_folder().glob("*.jsonl")):
            assert time.monotonic() < until, shown[-2000:]
            if select.select([ours], [], [], 0.1)[0]:
                shown += os.read(ours, 65536)
            if typed and b"Sequences" in shown and not select.select([ours], [], [], 0.3)[0]:
                os.write(ours, typed)
                typed = b""
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        os.close(ours)
        os.close(theirs)


def test_what_is_exported_is_read_back(tmp_path: Path) -> None:
    async def scenario(table: Table) -> None:
        await table.press("d", "e")
        assert isinstance(table.app.screen, FileScreen)
        assert table.app.screen.query_one(Input).value == "classic-3.jsonl"
        await table.press("enter")
        assert table.said == "Written to classic-3.jsonl."
        await table.press("e", "enter")
        assert table.said == "classic-3.jsonl is there already: name another file."
        await table.press("e")
        await table.rush(*["backspace"] * 30)
        await table.press(*"no/way", "enter")
        assert (
            table.said == "no/way cannot be written: No such file or directory. Name another file."
        )
        await table.press("e", "escape")

    at_table(Game(WINNABLE), scenario, seed=WINNABLE)
    (record,) = read_records(tmp_path / "classic-3.jsonl")
    assert record.seed == 3
    assert record.player == "person"
    assert record.replay().actions == [record.rules.deal_action]


def test_a_game_that_cannot_be_saved_goes_on(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")

    async def scenario(table: Table) -> None:
        await table.press("d")
        assert table.said.startswith("The game is not saved (")
        assert moves(table) == ["deal"]

    at_table(Game(WINNABLE), scenario)


# hints


def test_hints_come_from_a_process_of_their_own() -> None:
    async def scenario(table: Table) -> None:
        await table.press("h")
        assert table.said.startswith("Thinking ... Escape cancels.")
        await wait_for(table, "This still wins: ")
        assert table.said.endswith("This hint looks at hidden cards. Enter plays it.")
        await table.press("enter")
        assert len(table.game.actions) == 7
        await table.press("u", "d", "h")
        await wait_for(table, "This position is lost. Take back 1 move: there ")
        await table.pilot.pause()
        assert isinstance(table.app.screen, TextScreen)
        proof = str(table.app.screen.query_one(Static).content)
        assert "can never be" in proof
        assert "♠" in proof

    before = active_children()
    at_table(after(6), scenario)
    assert active_children() == before


async def wait_for(table: Table, text: str) -> None:
    until = time.monotonic() + 300
    while not table.said.startswith(text):
        assert time.monotonic() < until, table.said
        await table.pilot.pause(0.05)


class SlowThinker:
    """Answers when it is told to."""

    def __init__(self) -> None:
        self.may_answer = asyncio.Event()
        self.number = 0

    async def ask(self, find: Find, game: Game) -> Hint | None:
        self.forget()
        number = self.number
        await self.may_answer.wait()
        return Hint("Deal.", game.rules.deal_action) if number == self.number else None

    def forget(self) -> None:
        self.number += 1

    def close(self) -> None:
        self.may_answer.set()


def test_the_game_goes_on_while_a_hint_is_thought_about() -> None:
    async def scenario(table: Table) -> None:
        thinker = SlowThinker()
        table.app._thinker = thinker
        await table.press("f", "right", "up")
        assert table.said.startswith("Thinking")
        await table.press("escape")
        assert table.said == "Cancelled."
        await table.press("f", "d")
        assert moves(table) == ["deal"]
        said = table.said
        thinker.may_answer.set()
        await table.pilot.pause(0.05)
        assert table.said == said
        await table.press("f")
        assert table.said == "Deal."
        assert table.board.hand is None

    at_table(Game(WINNABLE), scenario)


# the command


def test_a_missing_extra_takes_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "textual.app", None)
    monkeypatch.delitem(sys.modules, "scorpion_env.play.app")
    assert main(["play"]) == 2
    said = capsys.readouterr().err
    assert said == "scorpion: play needs Textual: pip install 'scorpion-env[play]'\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rules", "chess"], "rules='chess' is unknown"),
        (["--seed", "-4"], "seed=-4 must be a whole number"),
        (["--deal", "nonsense"], "'nonsense' is no deal"),
        (["--resume", "none.jsonl"], "No such file or directory: 'none.jsonl'"),
        (["--resume", "damaged.jsonl"], "damaged.jsonl, line 1: no JSON"),
        (["--resume", "good.jsonl", "--rules", "wasp"], "leave --rules out"),
        (["--resume", "good.jsonl"], "play needs a terminal"),
        ([], "play needs a terminal"),
    ],
)
def test_mistakes_take_a_line(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "damaged.jsonl").write_text("{oops\n")
    write_records(tmp_path / "good.jsonl", [record_game(Game(WINNABLE))])
    assert main(["play", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("scorpion: ")
    assert said in error
    assert error.count("\n") == 1
    assert not games_folder().exists()


def test_only_one_deal_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["play", "--seed", "3", "--deal", "ms1"])
    assert "not allowed with" in capsys.readouterr().err
