"""Removes compiled kernels that are older than the sources they were compiled from.

Numba looks only at the file that a kernel stands in, not at those it calls.
"""

from pathlib import Path

ROOT = Path(__file__).parents[1]
_folders = [ROOT / name for name in ("scorpion_env", "agents", "train")]
_compiled = [path for folder in _folders for path in folder.rglob("*.nbi")]
_newest = max(path.stat().st_mtime for folder in _folders for path in folder.rglob("*.py"))
if any(path.stat().st_mtime < _newest for path in _compiled):
    for _folder in _folders:
        for _path in _folder.rglob("*.nb[ic]"):
            _path.unlink(missing_ok=True)
