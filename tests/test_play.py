"""Playing in the terminal: keys, mouse, typing, sizes."""

import re

import numpy as np
import pytest

from scorpion_env import VARIANTS
from scorpion_env.game import Game
from scorpion_env.notation import name_move
from scorpion_env.play.board import Board
from scorpion_env.play.saved import last_record, unfinished_games
from scorpion_env.play.session import Session
from scorpion_env.play.spots import Spot, card_at, shown_spots, sideways
from scorpion_env.solver import solve
from tests.play_table import WINNABLE, Table, after, at_table, moves

pytestmark = pytest.mark.usefixtures("own_folders")

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
