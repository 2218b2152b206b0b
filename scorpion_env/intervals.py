"""Intervals for rates and means."""

from __future__ import annotations

import math

Z95 = 1.959963984540054  # the normal quantile of a two-sided 95 % interval


def wilson_interval(wins: int, games: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of the win rate behind ``wins`` of ``games``."""
    rate = wins / games
    shrink = 1 + Z95**2 / games
    middle = (rate + Z95**2 / (2 * games)) / shrink
    half = Z95 * math.sqrt(rate * (1 - rate) / games + Z95**2 / (4 * games**2)) / shrink
    return max(0.0, middle - half), min(1.0, middle + half)
