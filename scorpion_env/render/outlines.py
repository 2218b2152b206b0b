"""The four suits as closed curves, for every way of drawing.

An outline is a row of points: its start, then three points for each cubic Bézier curve, two control
points and the end. It runs clockwise in a square from -1 to 1, y downwards, and ends at its start.
"""

from __future__ import annotations

from math import sqrt

Point = tuple[float, float]
Outline = tuple[Point, ...]


def _mirrored(*right: Point) -> Outline:
    """Return the outline whose right half, from the top of the axis to its foot, is given."""
    left = tuple((-x, y) for x, y in reversed(right))
    return (*right, *left[1:])


def _circle(x: float, y: float, radius: float) -> Outline:
    bend = radius * 4 * (sqrt(2) - 1) / 3
    left, right, top, foot = x - radius, x + radius, y - radius, y + radius
    return (
        *((x, top), (x + bend, top), (right, y - bend), (right, y)),
        *((right, y + bend), (x + bend, foot), (x, foot)),
        *((x - bend, foot), (left, y + bend), (left, y)),
        *((left, y - bend), (x - bend, top), (x, top)),
    )


_STEM = _mirrored(
    *((0, -0.2), (0.25, -0.2), (0.2, 0.1), (0.1, 0.4)),
    *((0.1, 0.7), (0.25, 0.9), (0.4, 1), (0.2, 1), (0.1, 1), (0, 1)),
)
_CLUB = (_circle(0, -0.5, 0.46), _circle(-0.5, 0.22, 0.46), _circle(0.5, 0.22, 0.46), _STEM)
_DIAMOND = (
    _mirrored((0, -1), (0.2, -0.6), (0.5, -0.25), (0.74, 0), (0.5, 0.25), (0.2, 0.6), (0, 1)),
)
_HEART = (
    _mirrored(
        *((0, -0.55), (0.1, -0.8), (0.27, -0.95), (0.5, -0.95)),
        *((0.8, -0.95), (0.97, -0.72), (0.97, -0.42), (0.97, 0.12), (0.3, 0.5), (0, 1)),
    ),
)
_SPADE = (
    _mirrored(
        *((0, -1), (0.28, -0.55), (0.93, -0.2), (0.93, 0.28)),
        *((0.93, 0.56), (0.72, 0.72), (0.5, 0.72), (0.28, 0.72), (0.12, 0.6), (0, 0.42)),
    ),
    _STEM,
)

# of clubs, diamonds, hearts and spades, each of several outlines that are filled together
SUITS: tuple[tuple[Outline, ...], ...] = (_CLUB, _DIAMOND, _HEART, _SPADE)
