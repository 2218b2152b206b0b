"""A game as a picture."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.state import State
from scorpion_env.render import design
from scorpion_env.render.faces import card_picture, empty_place, words
from scorpion_env.render.library import pygame
from scorpion_env.render.scene import Placed, Table
from scorpion_env.rules import Rules


class Picture:
    """Draws games of some rules, one after the other, all in the same size.

    Parameters
    ----------
    rules : Rules
        Their layout decides the size.

    Raises
    ------
    gymnasium.error.DependencyNotInstalled
        Where this module is imported without pygame.
    """

    def __init__(self, rules: Rules) -> None:
        self._table = Table(rules)
        size = self._table.size
        # with 32 bits a pixel cards are drawn ten times as fast as with 24
        self._surface = pygame.Surface(size, depth=32)
        self._empty = self._draw_empty()

    def _draw_empty(self) -> pygame.Surface:
        table = self._table
        surface = self._surface.copy()
        surface.fill(design.TABLE_COLOUR)
        surface.fill(design.BAR_COLOUR, (0, 0, table.size[0], design.BAR))
        for place in (*table.slots, *table.columns):
            surface.blit(empty_place(), place)
        for number, (x, y) in enumerate(table.columns, start=1):
            label = words(str(number), design.LABEL_SIZE, design.LABEL_COLOUR)
            middle = x + (design.CARD_WIDTH - label.get_width()) // 2
            surface.blit(label, (middle, y - label.get_height() - 1))
        return surface

    def draw(self, state: State, reveal: bool = False) -> pygame.Surface:
        """Return the picture of a game; the next call draws over it.

        Parameters
        ----------
        state : State
            One game's row.
        reveal : bool
            Show face-down cards by name, on a blue ground.
        """
        scene = self._table.scene(state, reveal)
        self._surface.blit(self._empty, (0, 0))
        for placed in scene.cards:
            self._draw_card(placed)
        x = design.MARGIN
        for text, colour in scene.words:
            line = words(text, design.WORD_SIZE, colour)
            self._surface.blit(line, (x, (design.BAR - line.get_height()) // 2))
            x += line.get_width() + 2 * design.MARGIN
        return self._surface

    def frame(self, state: State, reveal: bool = False) -> npt.NDArray[np.uint8]:
        """Return the picture of a game as an array (height, width, 3) of red, green, blue."""
        surface = self.draw(state, reveal)
        width, height = surface.get_size()
        pixels = np.empty((height, width, 3), np.uint8)
        pygame.image.frombuffer(pixels.data, (width, height), "RGB").blit(surface, (0, 0))
        return pixels

    def _draw_card(self, placed: Placed) -> None:
        # beneath the rounded corners of the next card, more of this one is seen
        height = min(placed.seen + design.CORNER, design.CARD_HEIGHT)
        area = (0, 0, design.CARD_WIDTH, height)
        card = card_picture(placed.face, placed.corner_scale)
        self._surface.blit(card, (placed.x, placed.y), area)
