"""Removes compiled kernels that are older than the sources they were compiled from.

Numba looks only at the file that a kernel stands in, not at those it calls.
"""

from pathlib import Path

LIBRARY = Path(__file__).parents[1] / "scorpion_env"
_compiled = list(LIBRARY.rglob("*.nbi"))
_newest = max(path.stat().st_mtime for path in LIBRARY.rglob("*.py"))
if any(path.stat().st_mtime < _newest for path in _compiled):
    for _path in LIBRARY.rglob("*.nb[ic]"):
        _path.unlink(missing_ok=True)
