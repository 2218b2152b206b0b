"""What an environment renders with: one object for every render mode."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.state import State
from scorpion_env.position import read_position
from scorpion_env.render.text import wants_colour, write_text
from scorpion_env.rules import Rules

if TYPE_CHECKING:
    from pygame import Surface

    from scorpion_env.render.picture import Picture
    from scorpion_env.render.window import Window


class Renderer:
    """Renders games of some rules in one of Gymnasium's render modes.

    Parameters
    ----------
    rules : Rules
        The rules of the games.
    mode : {None, "ansi", "rgb_array", "human"}
        What `render` gives: text, an array of pixels, or a picture in a window. With None there is
        nothing to render.
    reveal : bool
        Show face-down cards by name.
    metadata : dict
        The environment's: its ``render_modes``, and ``render_fps``, the pace of a window.

    Raises
    ------
    ValueError
        If the environment has no such mode.
    """

    def __init__(
        self, rules: Rules, mode: str | None, reveal: bool, metadata: dict[str, Any]
    ) -> None:
        modes = (None, *metadata["render_modes"])
        if mode not in modes:
            allowed = ", ".join(map(repr, modes))
            raise ValueError(f"render_mode={mode!r} is unknown: choose one of {allowed}")
        self._rules, self._mode, self._reveal, self._metadata = rules, mode, reveal, metadata
        self._picture: Picture | None = None
        self._window: Window | None = None

    def __reduce__(self) -> tuple[type[Renderer], tuple[Any, ...]]:
        return Renderer, (self._rules, self._mode, self._reveal, self._metadata)

    def render(self, state: State) -> str | npt.NDArray[np.uint8] | None:
        """Return a game as text or as an array (height, width, 3), or show it in the window.

        Parameters
        ----------
        state : State
            The game's row.

        Raises
        ------
        gymnasium.error.DependencyNotInstalled
            If it takes a picture and pygame is missing.
        """
        if self._mode == "ansi":
            colour = wants_colour(sys.stdout, os.environ)
            return write_text(self._rules, read_position(state), self._reveal, colour)
        if self._picture is None:
            from scorpion_env.render.picture import Picture

            self._picture = Picture(self._rules)
        if self._mode == "rgb_array":
            return self._picture.frame(state, self._reveal)
        self._show(self._picture.draw(state, self._reveal))
        return None

    def _show(self, picture: Surface) -> None:
        if self._window is None:
            from scorpion_env.render.window import Window

            self._window = Window(self._metadata["render_fps"])
        self._window.show(picture)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
