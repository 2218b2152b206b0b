"""The file that a sweep writes: whole lines only, whenever the sweep is killed.

Beside it lies ``FILE.options.json``, which says what was asked, so that a file never mixes answers
to two questions.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from scorpion_env.solver.answers import (
    CSV_HEAD,
    Answer,
    Question,
    read_csv,
    read_json,
    write_csv,
    write_json,
)
from scorpion_env.version import VERSION
from scorpion_env.whole_file import naming, write_whole

_BLOCK = 1 << 16


class SweepError(RuntimeError):
    """A sweep that cannot begin or go on; the message says what to do."""


class SweepFile:
    """An output file, opened to be continued.

    Parameters
    ----------
    path : Path
        Written as CSV if its name ends so, else as JSON lines; made if it is not there.
    question : Question
        What is asked.

    Raises
    ------
    SweepError
        If the file was begun with other options, is none of a sweep's or is in use.
    OSError
        If it cannot be written.
    """

    def __init__(self, path: Path, question: Question) -> None:
        self.path = path
        self._is_csv = is_csv(path)
        self._file = path.open("ab+", buffering=0)
        try:
            self._lock()
            self._check_options(described(question))
            self._cut_torn_line()
            if self._is_csv and path.stat().st_size == 0:
                self._write(CSV_HEAD)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def append(self, answer: Answer) -> None:
        """Write one more line; it is in the file when this returns, even if we are killed."""
        self._write(write_csv(answer) if self._is_csv else write_json(answer))

    def _write(self, line: str) -> None:
        data = (line + "\n").encode()
        with naming(self.path):
            while data:
                data = data[self._file.write(data) :]

    def _lock(self) -> None:
        with contextlib.suppress(ImportError):  # Windows has no fcntl
            import fcntl

            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise SweepError(f"{self.path} is being written by another sweep") from None

    def _check_options(self, asked: dict[str, Any]) -> None:
        sidecar = options_path(self.path)
        if self.path.stat().st_size == 0:
            write_whole(sidecar, json.dumps(asked, indent=2) + "\n")
            return
        try:
            begun = json.loads(sidecar.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise SweepError(
                f"{self.path} is there, but {sidecar.name} does not say what it holds: name "
                "another output"
            ) from None
        if begun != asked:
            before, now = _flat(begun), _flat(asked)
            names = [name for name in before | now if before.get(name) != now.get(name)]
            raise SweepError(
                f"{self.path} was begun with {_listed(before, names)}, now asked is "
                f"{_listed(now, names)}: ask the same or name another output"
            )

    def _cut_torn_line(self) -> None:
        """Cut off what follows the last whole line."""
        end = size = self.path.stat().st_size
        while end > 0:
            start = max(0, end - _BLOCK)
            self._file.seek(start)
            found = self._file.read(end - start).rfind(b"\n")
            if found >= 0:
                end = start + found + 1
                break
            end = start
        if end < size:
            self._file.truncate(end)


def is_csv(path: Path) -> bool:
    """Say whether a sweep's file is CSV, by its name."""
    return path.suffix.lower() == ".csv"


def options_path(path: Path) -> Path:
    """Return where the options of a sweep's file lie."""
    return path.with_name(f"{path.name}.options.json")


def described(question: Question) -> dict[str, Any]:
    """Return a question as plain data."""
    data: dict[str, Any] = {"version": VERSION, **asdict(question)}
    plain: dict[str, Any] = json.loads(json.dumps(data))
    return plain


def read_answers(path: Path) -> Iterator[Answer]:
    """Yield the answers in a sweep's file; a torn last line is passed over.

    Raises
    ------
    SweepError
        If a line is no answer.
    """
    read = read_csv if is_csv(path) else read_json
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.endswith(b"\n"):
                return
            if number == 1 and is_csv(path) and line.strip() == CSV_HEAD.encode():
                continue
            try:
                answer = read(line.decode())
            except (ValueError, TypeError, RecursionError):
                raise SweepError(
                    f"{path}, line {number} is no answer of a sweep: delete the line"
                ) from None
            yield answer


def _flat(data: Any, name: str = "") -> dict[str, Any]:
    """Return plain data as one dict of dotted names."""
    if not isinstance(data, dict):
        return {name: data}
    found: dict[str, Any] = {}
    for key, value in data.items():
        found |= _flat(value, f"{name}.{key}" if name else key)
    return found


def _listed(options: dict[str, Any], names: list[str]) -> str:
    return ", ".join(f"{name}={json.dumps(options.get(name))}" for name in names)
