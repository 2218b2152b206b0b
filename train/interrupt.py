"""Ctrl-C: the first one asks a run to stop where it is safe, the second stops it at once."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def first_interrupt(ask: Callable[[], None], edge: str) -> Iterator[None]:
    """Call ``ask`` at the first Ctrl-C and say that the run stops after ``edge``."""

    def heard(number: int, frame: FrameType | None) -> None:
        print(f"\nstopping after this {edge}; Ctrl-C again stops at once", file=sys.stderr)
        signal.signal(signal.SIGINT, previous)
        ask()

    previous = signal.signal(signal.SIGINT, heard)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
