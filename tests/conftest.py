"""Removes compiled kernels that are older than the sources they were compiled from.

Numba looks only at the file that a kernel stands in, not at those it calls.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_folders = [ROOT / name for name in ("scorpion_env", "agents", "train")]


def _kernel_sources() -> list[Path]:
    """Return the files that hold kernels and those these import from."""
    texts = {path: path.read_text("utf-8") for f in _folders for path in f.rglob("*.py")}
    holders = {path for path, text in texts.items() if "engine.compile import" in text}
    named = {
        name
        for path in holders
        for name in re.findall(r"^from ([\w.]+) import", texts[path], re.MULTILINE)
    }
    imported = {ROOT.joinpath(*name.split(".")).with_suffix(".py") for name in named}
    return sorted(holders | imported & texts.keys())


_compiled = [path for folder in _folders for path in folder.rglob("*.nbi")]
_newest = max(path.stat().st_mtime for path in _kernel_sources())
if any(path.stat().st_mtime < _newest for path in _compiled):
    for _folder in _folders:
        for _path in _folder.rglob("*.nb[ic]"):
            _path.unlink(missing_ok=True)


@pytest.fixture
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games are saved in, and files named from, a folder of the test's own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
