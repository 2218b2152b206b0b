"""Threads in forked processes."""

from __future__ import annotations

import os
from functools import cache

from numba.np.ufunc.parallel import threading_layer


@cache
def _process_of_threads() -> int:
    """Return the process that asked first; a forked one inherits the answer."""
    return os.getpid()


def check_fork() -> None:
    """Note that this process steps with threads, unless OpenMP would end it for that.

    It ends a process that was forked from one with threads, without a word to the parent.

    Raises
    ------
    RuntimeError
        In such a process.
    """
    if _process_of_threads() != os.getpid() and threading_layer() == "omp":
        raise RuntimeError(
            "this process was forked from one that has used threads, which OpenMP does not bear: "
            "use num_threads=1, or start processes with multiprocessing's 'spawn'"
        )
