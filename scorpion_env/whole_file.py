"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def check_writable(path: Path) -> None:
    """Raise ValueError if no file can be written at ``path``."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder: name a file")
    probe = _unfinished(path)
    try:
        probe.touch()
        probe.unlink()
    except OSError as problem:
        raise ValueError(f"{path} cannot be written: {problem.strerror}") from None


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an OSError of a write, such as a full disk, say which file was written."""
    try:
        yield
    except OSError as problem:
        if problem.errno is not None and problem.filename is None:
            problem.filename = str(path)
        raise


def write_whole(path: Path, data: str | bytes) -> None:
    """Write a file, text in UTF-8, so that it is there as a whole or not at all."""
    unfinished = _unfinished(path)
    try:
        with naming(path), unfinished.open("wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _unfinished(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}")
