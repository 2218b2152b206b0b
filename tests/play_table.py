"""What a person at the terminal sees and does, for tests of ``scorpion play``."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from textual import events
from textual.pilot import Pilot
from textual.widgets import Static

from scorpion_env.game import Game
from scorpion_env.notation import name_move
from scorpion_env.play.app import PlayApp
from scorpion_env.play.board import Board
from scorpion_env.play.saved import Chosen, new_file
from scorpion_env.play.session import Session
from scorpion_env.play.spots import Spot, card_at, shown_spots
from scorpion_env.solver import solve

WINNABLE = 3  # a seed of Classic
SMALL = (80, 24)


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
