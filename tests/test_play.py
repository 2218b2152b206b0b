"""Playing in the terminal: keys, mouse, typing, hints, files; and the command."""

import asyncio
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Awaitable, Callable
from multiprocessing import active_children
from pathlib import Path

import numpy as np
import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from scorpion_env import VARIANTS
from scorpion_env.cli import main
from scorpion_env.game import Game
from scorpion_env.notation import name_move
from scorpion_env.play.app import PlayApp
from scorpion_env.play.board import Board
from scorpion_env.play.hints import Hint
from scorpion_env.play.saved import Chosen, games_folder, last_record, new_file, unfinished_games
from scorpion_env.play.screens import ChooseScreen, FileScreen, TextScreen
from scorpion_env.play.session import Session
from scorpion_env.play.spots import Spot, card_at, shown_spots, sideways
from scorpion_env.play.thinker import Find
from scorpion_env.records import read_records, record_game, write_records
from scorpion_env.solver import solve
from scorpion_env.suites import find_suite

ROOT = Path(__file__).parents[1]
WINNABLE = 3  # a seed of Classic
SMALL = (80, 24)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)


class Table:
    """What a person at the terminal sees and does."""

    def __init__(self, app: PlayApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot
        self.press = pilot.press

    @property
    def game(self) -> Game:
        return self.app.session.game

    @property
    def board(self) -> Board:
        return self.app.screen_stack[0].query_one(Board)

    @property
    def said(self) -> str:
        return str(self.app.screen_stack[0].query_one("#said", Static).content)

    @property
    def lines(self) -> list[str]:
        return [self.board.render_line(y).text for y in range(self.board.size.height)]

    async def rush(self, *keys: str) -> None:
        """Press keys without waiting for what each does."""
        for key in keys:
            self.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        await self.press(*text, "enter")

    def spot(self, name: str) -> Spot:
        """Return where a face-up card lies, or where a column ends if its number is given."""
        position = self.board.position
        if name.isdecimal():
            return Spot(int(name) - 1, len(position.columns[int(name) - 1]))
        card = self.game.rules.layout.cards
        card = next(c for c in range(card) if name_move(self.game.rules, c * 7) == f"{name}>1")
        spots = shown_spots(self.game.rules, position)
        return next(spot for spot in spots if card_at(position, spot) == card)

    def at(self, name: str) -> tuple[int, int]:
        """Return where a card or the end of a column is drawn on the board."""
        column, place = self.spot(name)
        grid = self.board.grid
        return grid.left + column * grid.pitch + 1, grid.head + place

    async def click(self, name: str) -> None:
        await self.pilot.click(Board, offset=self.at(name))

    async def drag(self, name: str, onto: str) -> None:
        await self.pilot.mouse_down(Board, offset=self.at(name))
        await self.pilot.mouse_up(Board, offset=self.at(onto))
        await self.pilot.pause()


Scenario = Callable[[Table], Awaitable[None]]


def at_table(
    game: Game | None, scenario: Scenario, seed: int | None = None, size: tuple[int, int] = SMALL
) -> None:
    """Play a scenario with a game; with the screen that asks for one if there is none."""

    async def play() -> None:
        chosen = None
        if game is not None:
            session = Session(game, seed)
            chosen = Chosen(session, new_file(session))
        app = PlayApp(chosen)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await scenario(Table(app, pilot))

    asyncio.run(play())


def after(count: int) -> Game:
    """Return the winnable game after the first moves of its win."""
    game = Game(WINNABLE)
    for action in solve(game).actions[:count]:
        game.play(action)
    return game


def moves(table: Table) -> list[str]:
    return [name_move(table.game.rules, action) for action in table.game.actions]


# keys


def keys_for(board: Board, action: int) -> list[str]:
    """Return the keys that play an action, from where the cursor stands."""
    rules, position = board.session.rules, board.position
    if action == rules.deal_action:
        return ["d"]
    card, target = divmod(action, len(position.columns))
    spot = next(s for s in shown_spots(rules, position) if card_at(position, s) == card)
    at, keys = board.cursor, []
    while at.column != spot.column:
        by = 1 if spot.column > at.column else -1
        at = sideways(rules, position, at, by)
        keys.append("right" if by > 0 else "left")
    keys += ["up" if spot.place < at.place else "down"] * abs(spot.place - at.place)
    first = board.session.targets(card)[0]
    return [*keys, "enter", *["right"] * ((target - first) % len(position.columns)), "enter"]


def test_a_game_is_won_by_keys() -> None:
    async def scenario(table: Table) -> None:
        for action in solve(table.game).actions:
            await table.rush(*keys_for(table.board, action))
            assert table.game.actions[-1] == action
        assert table.game.is_won
        assert table.said.endswith("Won! n deals another game, e writes this one to a file.")
        await table.press("h")
        assert table.said.startswith("Won!")
        assert last_record(table.app.path).ended == "won"
        assert unfinished_games() == []

    at_table(Game(WINNABLE), scenario)


def test_what_moves_and_where_to_is_lit() -> None:
    async def scenario(table: Table) -> None:
        await table.press("tab", "enter")
        assert table.said.startswith("Q♥ can go to column 4: ")
        assert "▼4▼" in table.lines[1]
        assert "▶  ▼   ◀" in table.lines[9]
        lit = [y for y in range(12) if "Q♥" in table.lines[y] or "6♣" in table.lines[y]]
        for y in lit:
            reversed_text = [s.text for s in table.board.render_line(y) if s.style.reverse]
            assert len("".join(reversed_text)) == table.board.grid.card_width
        await table.press("escape")
        assert not any("▼" in line for line in table.lines)
        assert table.board.cursor == table.spot("QH")

    at_table(Game(WINNABLE), scenario)


def test_the_cursor_goes_over_what_can_be_taken() -> None:
    async def scenario(table: Table) -> None:
        assert table.board.cursor == Spot(0, 4)
        await table.rush("left", *["up"] * 9)
        assert table.board.cursor == Spot(-1, 0)
        await table.press("right", "right")
        assert table.board.cursor == Spot(-1, 1)
        await table.rush("down", *["right"] * 12)
        assert table.board.cursor == Spot(9, 3)
        await table.rush(*["down"] * 9)
        assert table.board.cursor == Spot(9, 4)
        await table.press("enter")
        assert "can go nowhere now" in table.said

    at_table(Game(1, "three_blind_mice"), scenario)


def test_a_reserve_card_is_played_by_keys_and_mouse() -> None:
    seed = next(s for s in range(99) if _reserve_moves(Game(s, "three_blind_mice")) == [0])

    async def scenario(table: Table) -> None:
        await table.press(*["up"] * 5, "enter", "enter")
        assert table.game.position.reserve[0] is None
        await table.press("u")
        assert table.game.position.reserve[0] is not None
        grid = table.board.grid
        await table.pilot.click(Board, offset=(grid.left + 1, 0))
        assert table.game.position.reserve[0] is None
        assert "·" in table.lines[0]

    at_table(Game(seed, "three_blind_mice"), scenario)


def _reserve_moves(game: Game) -> list[int]:
    """Return the places of the reserve whose cards can go to just one column."""
    session = Session(game)
    reserve = game.position.reserve
    return [k for k, c in enumerate(reserve) if c is not None and len(session.targets(c)) == 1]


def test_undo_redo_restart_and_deal() -> None:
    async def scenario(table: Table) -> None:
        await table.press("u")
        assert table.said == "There is no move to take back."
        await table.type("5c")
        await table.press("d", "d")
        assert table.said == "The reserve has been dealt."
        played = table.game.actions
        assert moves(table) == ["5C>2", "deal"]
        await table.press("u", "u")
        assert table.said == "Took back 5♣>2."
        await table.press("r")
        assert moves(table) == ["5C>2"]
        await table.press("b")
        assert table.game.actions == []
        await table.press("ctrl+y", "r", "r")
        assert table.game.actions == played
        assert table.said == "There is no move to play again."
        await table.press("ctrl+z")
        assert list(last_record(table.app.path).actions) == played[:1]

    at_table(Game(WINNABLE), scenario)


def test_a_stuck_game_says_what_to_do() -> None:
    game = Game(1)
    while not game.is_stuck:
        game.play(int(np.flatnonzero(game.action_mask())[-1]))
    last = name_move(game.rules, game.actions[-1])
    game.undo()

    async def scenario(table: Table) -> None:
        await table.type(last)
        assert "Stuck: no move helps any more. u takes moves back" in table.said
        await table.press("f")
        assert table.said.startswith("Stuck")
        await table.press("u")
        assert "Stuck" not in table.said

    at_table(game, scenario)


# mouse


def test_a_click_sends_a_card_to_its_only_column() -> None:
    async def scenario(table: Table) -> None:
        await table.click("QH")
        assert moves(table) == ["QH>4"]
        await table.click("2S")
        assert table.said == "2♠ can go nowhere now: it goes only onto 3♠."
        await table.pilot.click(Board, offset=(table.board.grid.left + 1, 2))
        assert table.said == "That card lies face-down."
        assert len(table.game.actions) == 1

    at_table(Game(WINNABLE), scenario)


def test_a_click_then_one_on_a_column() -> None:
    async def scenario(table: Table) -> None:
        await table.click("4S")
        assert table.said.startswith("4♠ can go to columns 6, 7: ")
        await table.click("1")
        assert table.said == "4♠>1 is illegal: it goes only onto a card of rank 5."
        await table.click("4S")
        assert table.board.hand is None
        await table.click("4S")
        await table.click("7")
        assert moves(table) == ["4S>7"]

    at_table(Game(WINNABLE, "flexible"), scenario)


def test_cards_are_dragged() -> None:
    async def scenario(table: Table) -> None:
        await table.drag("QH", "1")
        assert table.said == "Q♥>1 is illegal: the cards must be of the same suit."
        await table.drag("QH", "KH")
        assert len(table.game.actions) == 1
        await table.pilot.mouse_down(Board, offset=table.at("5C"))
        await table.pilot.mouse_up("#said", offset=(1, 0))
        await table.pilot.pause()
        assert table.board.hand is None
        assert len(table.game.actions) == 1

    at_table(Game(WINNABLE), scenario)


# typing and refusals


def test_the_two_rejections_of_the_app() -> None:
    async def scenario(table: Table) -> None:
        await table.type("2s>6")
        assert table.said.endswith("2♠>6 is illegal: only a king may go to an empty column.")
        await table.press("escape")
        assert table.said == ""
        await table.type("2s>4")
        assert table.said.endswith("2♠>4 is illegal: the cards must be of the same suit.")
        assert len(table.game.actions) == 20

    game = after(20)
    assert game.position.columns[5] == ()
    at_table(game, scenario)


def test_what_is_typed_wrongly_can_be_mended() -> None:
    async def scenario(table: Table) -> None:
        await table.type("5c>9")
        assert table.said.startswith("Move: 5c>9▏ '5c>9' is no move: write a card and a column")
        await table.press("backspace", "2")
        assert table.said.startswith("Move: 5c>2▏")
        await table.press("enter")
        assert moves(table) == ["5C>2"]
        assert table.said == "5 points."
        await table.press("q", "d", "n", "escape", "d")
        assert moves(table) == ["5C>2", "deal"]

    at_table(Game(WINNABLE), scenario)


# every game in every size


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_is_played_in_a_small_terminal(name: str) -> None:
    async def scenario(table: Table) -> None:
        assert table.board.grid.width <= 80
        assert {len(line) for line in table.lines} == {80}
        shown = "".join(table.lines)
        assert all(f" {n + 1} " in shown for n in range(len(VARIANTS[name].layout.columns)))
        await table.press("tab", "enter")
        assert table.board.hand is not None
        await table.press("enter")
        assert len(table.game.actions) == 1
        assert last_record(table.app.path).rules == VARIANTS[name]

    at_table(Game(1, name), scenario)


def test_a_terminal_that_is_resized() -> None:
    async def scenario(table: Table) -> None:
        assert table.board.grid.pitch == 9
        for size in [(80, 24), (40, 10), (8, 4), (200, 60), (80, 24)]:
            await table.pilot.resize_terminal(*size)
            await table.pilot.pause()
        assert table.board.grid.pitch == 5
        await table.press("tab", "enter", "enter")
        assert len(table.game.actions) == 1

    at_table(Game(1, "double_scorpion"), scenario, size=(130, 40))


def test_long_columns_scroll_with_the_cursor() -> None:
    async def scenario(table: Table) -> None:
        assert "7♥" not in "".join(table.lines[2:])
        await table.rush("right", *["down"] * 30)
        assert any("▶5♥" in line for line in table.lines)
        await table.rush(*["right"] * 5)
        assert any("▶" in line for line in table.lines)
        assert table.lines[1].split() == ["1", "2", "3", "4", "5", "6", "7"]
        await table.rush(*["left"] * 5, *["down"] * 30)
        x, y = table.at("5H")
        await table.pilot.click(Board, offset=(x, y - table.board.scroll_offset.y))
        assert table.said == "5♥ can go nowhere now: it goes only onto 6♥."

    at_table(after(20), scenario, size=(80, 18))


def test_without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(table: Table) -> None:
        await table.press("tab", "enter")
        fills = re.findall(r"-r\d+ \{ fill: #(..)(..)(..)", table.app.export_screenshot())
        assert len(fills) > 2
        for fill in fills:
            shades = [int(part, 16) for part in fill]
            assert max(shades) - min(shades) < 8

    monkeypatch.setenv("NO_COLOR", "1")
    at_table(Game(WINNABLE), scenario)


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
