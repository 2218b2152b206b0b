"""Pictures of cards and words, drawn once and kept.

Shapes are drawn larger than they are shown and then made small, which smooths their edges.
"""

from __future__ import annotations

from functools import cache, lru_cache

from scorpion_env.render import design
from scorpion_env.render.design import CARD_HEIGHT, CARD_WIDTH, CORNER, Colour
from scorpion_env.render.library import pygame
from scorpion_env.render.outlines import SUITS, Outline, Point
from scorpion_env.render.scene import Face

_FINER = 4
_CURVE_STEPS = 12


@cache
def card_picture(face: Face | None, corner_scale: float) -> pygame.Surface:
    """Return a card's face, its corner as large as asked, or with None the back of all cards."""
    if face is None:
        return _back()
    large = _card_shape(design.NAMED_COLOUR if face.face_down else design.CARD_COLOUR)
    colour = design.RED if face.is_red else design.BLACK
    small_x = design.CORNER_X + corner_scale * design.CORNER_SUIT_X
    small = (small_x, corner_scale * design.CORNER_SUIT_Y)
    _draw_suit(large, face.suit, small, corner_scale * design.CORNER_SUIT, colour)
    middle = (design.LARGE_SUIT_X, design.LARGE_SUIT_Y)
    _draw_suit(large, face.suit, middle, design.LARGE_SUIT, colour)
    card = _made_small(large)
    rank = words(face.rank_text, int(corner_scale * design.RANK_SIZE), colour)
    y = corner_scale * design.RANK_Y - rank.get_height() / 2
    card.blit(rank, (design.CORNER_X, y))
    return card


@cache
def _back() -> pygame.Surface:
    large = _card_shape(design.CARD_COLOUR)
    inset = design.BACK_INSET * _FINER
    inner = large.get_rect().inflate(-2 * inset, -2 * inset)
    pattern = pygame.Surface(inner.size, depth=32)
    pattern.fill(design.BACK_COLOUR)
    width, height = inner.size
    for start in range(-height, width, 9 * _FINER):
        for ends in (
            ((start, 0), (start + height, height)),
            ((start, height), (start + height, 0)),
        ):
            pygame.draw.line(pattern, design.BACK_LINES, *ends, _FINER)
    pygame.draw.rect(pattern, design.BACK_LINES, pattern.get_rect(), 2 * _FINER)
    large.blit(pattern, inner)
    return _made_small(large)


@cache
def empty_place() -> pygame.Surface:
    """Return the outline of a place where no card lies."""
    large = _clear(design.SLOT_COLOUR)
    radius = CORNER * _FINER
    pygame.draw.rect(large, design.SLOT_COLOUR, large.get_rect(), 2 * _FINER, radius)
    return _made_small(large)


@lru_cache(maxsize=2000)
def words(text: str, size: int, colour: Colour) -> pygame.Surface:
    """Return a line of text in pygame's own font."""
    # a font that is kept would be invalid once anybody has called pygame.quit()
    pygame.font.init()
    return pygame.font.Font(None, size).render(text, True, colour)


def _clear(colour: Colour) -> pygame.Surface:
    """Return an invisible card of a colour, large; smoothed edges fade into that colour."""
    surface = pygame.Surface((CARD_WIDTH * _FINER, CARD_HEIGHT * _FINER), pygame.SRCALPHA)
    surface.fill((*colour, 0))
    return surface


def _card_shape(colour: Colour) -> pygame.Surface:
    large = _clear(design.EDGE_COLOUR)
    radius = CORNER * _FINER
    pygame.draw.rect(large, design.EDGE_COLOUR, large.get_rect(), border_radius=radius)
    inner = large.get_rect().inflate(-2 * _FINER, -2 * _FINER)
    pygame.draw.rect(large, colour, inner, border_radius=radius - _FINER)
    return large


def _made_small(large: pygame.Surface) -> pygame.Surface:
    return pygame.transform.smoothscale(large, (CARD_WIDTH, CARD_HEIGHT))


def _draw_suit(
    large: pygame.Surface, suit: int, middle: Point, size: float, colour: Colour
) -> None:
    for outline in SUITS[suit]:
        points = [
            ((middle[0] + size * x) * _FINER, (middle[1] + size * y) * _FINER)
            for x, y in _polygon(outline)
        ]
        pygame.draw.polygon(large, colour, points)


def _polygon(outline: Outline) -> list[Point]:
    """Return points along the curves of an outline."""
    points = []
    for first in range(0, len(outline) - 1, 3):
        curve = outline[first : first + 4]
        for step in range(_CURVE_STEPS):
            t = step / _CURVE_STEPS
            shares = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
            x = sum(share * point[0] for share, point in zip(shares, curve, strict=True))
            y = sum(share * point[1] for share, point in zip(shares, curve, strict=True))
            points.append((x, y))
    return points
