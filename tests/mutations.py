"""Seeded mutations of valid examples: of text, of bytes, of words and of plain data."""

import copy
import random
from typing import Any

TOKENS = [
    "", " ", "\n", "\t", "\x00", ":", "#", "##", "--", ",", "-", "-1", "0", "1", "7", "364", "1.5",
    "1e999", "-0.0", "NaN", "Infinity", "99999999999999999999", "9" * 5000, "0x" + "f" * 5000,
    "null", "true", "~", "[]", "{}", "[" * 3000, "{a: " * 3000, '"', "'", "\\", "KS", "AH2", "10d",
    "ms1", "ms0", "ms99999999999", "deal", "undo", ">1", "reserve:", "completed: S", "score: -5",
    "!!python/name:os.system", "!!timestamp x", "!!int ''", "2020-13-45", "&a [*a]", "*a", "<<: 5",
    "? [1]", "0b", "0:5", "5:0", "classic", "wasp", "classic-winnable", "search:worlds=0", "é", "²",
    "\u0663", "\ud800", "\u2028", "\U0001f0a1",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 7, 2**31, 2**63, 2**64, 10**30, 0.5, -0.0, 1e308, float("nan"),
    float("inf"), "", "classic", "ms5", "KS", "1", "\ud800", "x" * 500, [], [[]], [0], {}, {"a": 1},
    [1] * 300, {"layout": {}}, {"layout": []},
]  # fmt: skip


def mutated_text(text: str, rng: random.Random, most: int = 3) -> str:
    """Return a text after one to ``most`` edits."""
    for _ in range(rng.randint(1, most)):
        start = rng.randint(0, len(text))
        end = min(len(text), start + rng.choice([0, 1, 1, 2, 5, 20, 200]))
        kind = rng.randrange(4)
        if kind == 0:  # replace or insert
            text = text[:start] + rng.choice(TOKENS) + text[end:]
        elif kind == 1:
            text = text[:start] + text[end:]
        elif kind == 2:
            text = text[:end] + text[start:]  # twice
        else:
            lines = text.splitlines(keepends=True)
            rng.shuffle(lines)
            text = "".join(lines[: rng.randint(0, len(lines))])
    return text


def mutated_bytes(data: bytes, rng: random.Random) -> bytes:
    """Return bytes after one to four edits; half of them near the beginning."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        last = len(changed) if rng.random() < 0.5 else min(len(changed), 300)
        start = rng.randint(0, last)
        end = min(len(changed), start + rng.choice([0, 1, 1, 4, 100]))
        changed[start:end] = rng.randbytes(rng.choice([0, 1, 1, 4, end - start]))
    return bytes(changed)


def mutated_data(data: Any, rng: random.Random) -> Any:
    """Return plain data after one or two of its parts were dropped, doubled or replaced."""
    data = copy.deepcopy(data)
    for _ in range(rng.randint(1, 2)):
        place: Any = {"": data}
        key: Any = ""
        while isinstance(place[key], dict | list) and place[key] and rng.random() < 0.8:
            place = place[key]
            key = (
                rng.choice(sorted(place)) if isinstance(place, dict) else rng.randrange(len(place))
            )
        kind = rng.randrange(5)
        if kind == 0 and place is not None and key != "":
            del place[key]
        elif kind == 1 and isinstance(place, list):
            place.insert(key, copy.deepcopy(place[key]))
        elif kind == 2 and isinstance(place, dict) and key != "":
            place[rng.choice(TOKENS)] = place.pop(key)
        elif key == "":
            data = copy.deepcopy(rng.choice(VALUES))
        else:
            place[key] = copy.deepcopy(rng.choice(VALUES))
    return data


def mutated_words(words: list[str], rng: random.Random, others: list[list[str]]) -> list[str]:
    """Return a command line after one to three edits; no word of it leads out of a folder."""
    words = list(words)
    for _ in range(rng.randint(1, 3)):
        place = rng.randint(0, len(words))
        kind = rng.randrange(4)
        if kind == 0:
            del words[place : place + 1]
        elif kind == 1:
            words.insert(place, rng.choice([*TOKENS, *rng.choice(others)]))
        elif kind == 2:
            words[place : place + 1] = [rng.choice([*TOKENS, *rng.choice(others)])]
        else:
            words[place : place + 1] = [
                mutated_text(word, rng) for word in words[place : place + 1]
            ]
    return [word.replace("/", "").replace("\x00", "") for word in words]
