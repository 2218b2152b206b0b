"""Telling how far a sweep is: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time
from typing import Any

from scorpion_env.solver.tally import Tally

SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_RATES = 0.5


class Progress:
    """Writes to stderr; a bar needs a terminal and tqdm.

    Parameters
    ----------
    total : int
        How many deals there are.
    tally : Tally
        What is counted so far; read at every word.
    """

    def __init__(self, total: int, tally: Tally) -> None:
        self._total, self._tally = total, tally
        self._first = tally.deals
        self._start = self._told = time.monotonic()
        self._bar = _bar(total, tally.deals) if sys.stderr.isatty() else None

    def update(self) -> None:
        """Note that another deal is counted."""
        now = time.monotonic()
        if self._bar is not None:
            self._bar.update(1)
            if now - self._told >= _SECONDS_BETWEEN_RATES:
                self._told = now
                self._bar.set_postfix_str(self._tally.short_text())
        elif now - self._told >= SECONDS_BETWEEN_LINES:
            self._told = now
            rate = (self._tally.deals - self._first) / (now - self._start)
            line = f"{self._tally.deals}/{self._total} deals, {rate:.0f}/s"
            print(f"{line}, {self._tally.short_text()}", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Leave the terminal in order."""
        if self._bar is not None:
            self._bar.set_postfix_str(self._tally.short_text())
            self._bar.close()


def _bar(total: int, done: int) -> Any:
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(total=total, initial=done, unit=" deals", dynamic_ncols=True)
