"""Games kept on disk: each in a file of its own, written after every move."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from scorpion_env.play.session import Session
from scorpion_env.records import GameRecord, RecordError, read_records, write_records

SHOWN = 5  # games offered to go on with
LOOKED_AT = 100  # newest files looked at for them


@dataclass(frozen=True)
class SavedGame:
    """A game to go on with, and the file that it is kept in."""

    path: Path
    record: GameRecord

    @property
    def saved_at(self) -> datetime:
        """When its last move was made."""
        return datetime.fromtimestamp(self.path.stat().st_mtime)


@dataclass(frozen=True)
class Chosen:
    """A game to play, and the file that it is kept in."""

    session: Session
    path: Path


def games_folder() -> Path:
    """Return the folder of saved games, by the rules for a user's state."""
    state = os.environ.get("XDG_STATE_HOME", "")
    base = Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state"
    return base / "scorpion" / "games"


def new_file(session: Session) -> Path:
    """Return where a game that begins now is to be kept."""
    return games_folder() / f"{datetime.now():%Y%m%d-%H%M%S-%f}-{session.name}.jsonl"


def save(session: Session, path: Path) -> None:
    """Write a game as it stands; raise OSError if that fails, the old file is then still there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_records(path, [session.record()])


def unfinished_games() -> list[SavedGame]:
    """Return the saved games that are not won, the one played last first."""
    return [game for _, game in zip(range(SHOWN), _unfinished(), strict=False)]


def _unfinished() -> Iterator[SavedGame]:
    newest = sorted(games_folder().glob("*.jsonl"), key=lambda path: -path.stat().st_mtime)
    for path in newest[:LOOKED_AT]:
        try:
            record = last_record(path)
        except (ValueError, OSError):
            continue  # a file that is damaged is left alone
        if record.actions and record.ended != "won":
            yield SavedGame(path, record)


def last_record(path: Path) -> GameRecord:
    """Return the last game of a file of records.

    Raises
    ------
    RecordError
        If the file holds no game or a line of it is damaged.
    OSError
        If it cannot be read.
    """
    last = deque(read_records(path), maxlen=1)
    if not last:
        raise RecordError(f"{path} holds no game")
    return last[0]


def resume_file(path: Path, session: Session) -> Path:
    """Return where a game that is read from a file is kept from now on.

    A saved game stays in its file; other files are read only.
    """
    return path if path.resolve().parent == games_folder().resolve() else new_file(session)
