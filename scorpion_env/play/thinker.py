"""Hints thought out in a process of their own, so that the game goes on meanwhile.

A kernel keeps the other threads of its process waiting, in the search of a large game for seconds,
and the first hint compiles: with a thread the screen would stand still.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized

from scorpion_env.game import Game
from scorpion_env.play.hints import GoesOn, Hint

Find = Callable[[Game, GoesOn], Hint]


class Thinker:
    """Answers one question after another; only the last one matters."""

    def __init__(self) -> None:
        self._context = get_context("spawn")
        # its lock starts the tracker of processes, which fails once a screen has the output
        self._newest: Synchronized[int] = self._context.Value("q", 0)
        self._lock = asyncio.Lock()
        self._pipe, self._theirs = self._context.Pipe()
        self._process = self._context.Process(
            target=think, args=(self._theirs, self._newest), daemon=True
        )

    async def ask(self, find: Find, game: Game) -> Hint | None:
        """Return the hint that ``find`` has for a game, None if it is wanted no more.

        Parameters
        ----------
        find : callable
            `scorpion_env.play.hints.look` or `guess`.
        game : Game
            The game as it stands.
        """
        self.forget()
        number = self._newest.value
        async with self._lock:
            if number != self._newest.value:
                return None
            hint = await asyncio.to_thread(self._exchange, find, game, number)
        return hint if number == self._newest.value else None

    def forget(self) -> None:
        """Give up what is thought about."""
        self._newest.value += 1

    def close(self) -> None:
        """End the process at once."""
        self.forget()
        if self._process.pid is not None:
            self._process.kill()
            self._process.join()

    def _exchange(self, find: Find, game: Game, number: int) -> Hint:
        try:
            if self._process.pid is None:
                self._process.start()
                self._theirs.close()  # else its end would not be noticed here
            self._pipe.send((find, game, number))
            hint: Hint = self._pipe.recv()
        except (EOFError, OSError):
            return Hint("Hints have ended: leave and go on with the game to have them again.")
        return hint


def think(pipe: Connection, newest: Synchronized[int]) -> None:
    """Answer the questions that come through a pipe until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the process that leads
    while True:
        try:
            find, game, number = pipe.recv()
            pipe.send(find(game, lambda number=number: newest.value == number))
        except (EOFError, OSError):
            return
