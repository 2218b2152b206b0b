"""Records of games: JSON lines, one game a line, verified move by move when they are read.

A line is one JSON object in UTF-8 with these names, and no others:

    {"format": "scorpion-game", "version": 1, "rules": "classic",
     "deal": {"number": "10414018103131230229"}, "seed": 5, "player": "greedy",
     "actions": [132, 364], "scores": [5, 5],
     "choices": [[[132, 0.75], [364, 0.25]], []], "ended": "stopped"}

- ``format``, ``version``: ``"scorpion-game"`` and 1.
- ``rules``: a name of `scorpion_env.VARIANTS`, or an object with the fields of a
  `scorpion_env.Rules`, its ``layout`` an object with those of a `scorpion_env.Layout`; a field left
  out has its default.
- ``deal``: an object with one name: ``number``, the deal's number in ``info["deal"]`` as text;
  ``name``, PySolFC's name of it (``"ms123"``); ``cards``, all cards as text in the order dealt, the
  reserve last; or ``board``, a board text that names every card (`scorpion_env.notation`).
- ``seed``: the environment's seed of the deal, 0 to 2**64 - 1; only where the deal is a ``number``.
  May be missing.
- ``player``: who played, as text. May be missing.
- ``actions``: the actions in the order played, undo among them where the rules allow it; at most
  20,000.
- ``scores``: the score of the game after each action.
- ``choices``: for each action what the player thought of it and its rivals before playing it: a
  list of ``[action, probability]``, the most probable first, of legal actions, only the top few;
  empty where nothing is known. May be missing.
- ``ended``: ``"won"``, ``"lost"`` (stuck, or lost by the rules' own loss), or ``"stopped"``: the
  game went on, but the player did not.

No object has a name twice, no number is NaN or infinite, and a line is at most 16 MiB. Empty lines
are passed over. Reading runs no code.
"""

from __future__ import annotations

import json
import re
import reprlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn, get_args

from scorpion_env.game_record import Choice, Ending, GameRecord, record_actions, record_game
from scorpion_env.rules import Rules
from scorpion_env.variants import VARIANTS, find_rules
from scorpion_env.whole_file import write_whole

__all__ = [
    "Choice",
    "Ending",
    "GameRecord",
    "RecordError",
    "append_record",
    "name_rules",
    "read_records",
    "record_actions",
    "record_game",
    "write_records",
]

FORMAT, VERSION = "scorpion-game", 1
MAX_LINE = 2**24  # bytes
_LONGEST_MESSAGE = 400

_NEEDED = ("format", "version", "rules", "deal", "actions", "scores", "ended")
_OPTIONAL = ("seed", "player", "choices")


class RecordError(ValueError):
    """A record that is damaged or untrue; the message names the file and the line."""


def name_rules(rules: Rules) -> str | None:
    """Return the name that `scorpion_env.VARIANTS` has for these rules, None if it has none."""
    return next((name for name, known in VARIANTS.items() if known == rules), None)


def write_records(path: str | Path, records: Iterable[GameRecord]) -> None:
    """Write a file of records, as a whole or not at all.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    write_whole(Path(path), "".join(map(_write_line, records)))


def append_record(path: str | Path, record: GameRecord) -> None:
    """Add a record to the end of a file, which is made if it is not there.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    with Path(path).open("ab+") as file:
        file.seek(0, 2)
        if file.tell():
            file.seek(-1, 2)
            if file.read(1) != b"\n":  # a line that was cut short must not swallow this one
                file.write(b"\n")
        file.write(_write_line(record).encode())


def read_records(path: str | Path) -> Iterator[GameRecord]:
    """Yield the records of a file, each verified: legal moves, true scores, the ending as said.

    Raises
    ------
    RecordError
        If a line is damaged or untrue; the lines before it have been yielded.
    OSError
        If the file cannot be read.
    """
    with Path(path).open("rb") as file:
        number = 0
        while line := file.readline(MAX_LINE + 1):
            number += 1
            if not line.strip():
                continue
            try:
                record = _read_line(line)
            except (ValueError, RecursionError) as problem:
                raise RecordError(f"{path}, line {number}: {_in_short(problem)}") from None
            yield record


def _write_line(record: GameRecord) -> str:
    fields: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "rules": name_rules(record.rules) or asdict(record.rules),
        "deal": _write_deal(record.deal),
        "seed": record.seed,
        "player": record.player or None,
        "actions": record.actions,
        "scores": record.scores,
        "choices": record.choices or None,
        "ended": record.ended,
    }
    given = {name: value for name, value in fields.items() if value is not None}
    return json.dumps(given, separators=(",", ":"), allow_nan=False) + "\n"


def _write_deal(deal: int | str | tuple[str, ...]) -> dict[str, Any]:
    if isinstance(deal, int):
        return {"number": str(deal)}
    if isinstance(deal, str):
        return {"board" if ":" in deal else "name": deal}
    return {"cards": deal}


def _read_line(line: bytes) -> GameRecord:
    """Return the record of a line; raise ValueError or RecursionError if it is none."""
    if len(line) > MAX_LINE:
        _refuse(f"the line is longer than {MAX_LINE} bytes")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as problem:
        _refuse(f"byte {problem.start + 1} is no UTF-8")
    try:
        fields = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number)
    except json.JSONDecodeError as problem:
        _refuse(f"no JSON: {problem.msg} at character {problem.pos + 1}")
    record = _read_fields(fields)
    record.check()
    return record


def _refuse(problem: str) -> NoReturn:
    raise ValueError(problem)


def _in_short(problem: BaseException) -> str:
    """Return what is wrong in one line, whatever the line of the file holds."""
    if isinstance(problem, RecursionError):
        return "lists or objects are nested too deeply"
    text = " ".join(str(problem).split())
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[:_LONGEST_MESSAGE]} ..."


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        _refuse(f"the name {reprlib.repr(twice)} is there twice")
    return fields


def _no_number(text: str) -> NoReturn:
    _refuse(f"{text} is no number")


def _read_fields(fields: Any) -> GameRecord:
    """Return the record that JSON data describes; of what it says only the kind is checked."""
    if not isinstance(fields, dict):
        _refuse(f"a record is an object, got {reprlib.repr(fields)}")
    if (fields.get("format"), fields.get("version")) != (FORMAT, VERSION):
        _refuse(
            f"format {reprlib.repr(fields.get('format'))} version "
            f"{reprlib.repr(fields.get('version'))} is unknown: this version of scorpion-env reads "
            f"{FORMAT!r} version {VERSION}"
        )
    for name in _NEEDED:
        if name not in fields:
            _refuse(f"{name!r} is missing")
    for name in fields:
        if name not in _NEEDED + _OPTIONAL:
            _refuse(f"{reprlib.repr(name)} is no name of a record")
    ended = fields["ended"]
    if ended not in get_args(Ending):
        _refuse(f"ended={reprlib.repr(ended)}: write one of {', '.join(get_args(Ending))}")
    return GameRecord(
        rules=find_rules(fields["rules"]),
        deal=_read_deal(fields["deal"]),
        actions=_read_numbers("actions", fields["actions"]),
        scores=_read_numbers("scores", fields["scores"]),
        ended=ended,
        player=fields.get("player", ""),
        seed=fields.get("seed"),
        choices=_read_choices(fields.get("choices", [])),
    )


def _read_deal(deal: Any) -> int | str | tuple[str, ...]:
    if isinstance(deal, dict) and len(deal) == 1:
        ((kind, value),) = deal.items()
        if kind == "cards" and isinstance(value, list):
            return tuple(value)
        if kind == "number" and isinstance(value, str) and re.fullmatch(r"[1-9][0-9]{0,19}", value):
            return int(value)
        is_board = isinstance(value, str) and ":" in value
        if isinstance(value, str) and kind == ("board" if is_board else "name"):
            return value
    _refuse(f"deal={reprlib.repr(deal)} is no number as text, name, cards or board")


def _read_numbers(name: str, values: Any) -> tuple[int, ...]:
    if not isinstance(values, list):
        _refuse(f"{name} is no list")
    for value in values:
        if type(value) is not int:
            _refuse(f"{name} holds {reprlib.repr(value)}, which is no whole number")
    return tuple(values)


def _read_choices(values: Any) -> tuple[tuple[Choice, ...], ...]:
    if not isinstance(values, list):
        _refuse("choices is no list")
    return tuple(_read_some_choices(number, some) for number, some in enumerate(values, start=1))


def _read_some_choices(number: int, some: Any) -> tuple[Choice, ...]:
    if not isinstance(some, list):
        _refuse(f"the choices of move {number} are no list")
    choices = []
    for pair in some:
        if not (isinstance(pair, list) and len(pair) == 2 and type(pair[0]) is int):
            _refuse(f"move {number}: {reprlib.repr(pair)} is no [action, probability]")
        if type(pair[1]) not in (int, float):
            _refuse(f"move {number}: {reprlib.repr(pair[1])} is no probability")
        choices.append((pair[0], pair[1]))
    return tuple(choices)
