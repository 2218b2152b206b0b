"""A game's record as one HTML page that shows it move by move and needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from string import Template
from typing import Any

from scorpion_env.cards import SUITS, card_text
from scorpion_env.notation import name_move
from scorpion_env.position import Position
from scorpion_env.records import Choice, GameRecord, name_rules
from scorpion_env.render.outlines import SUITS as OUTLINES
from scorpion_env.render.outlines import Outline
from scorpion_env.render.words import say_move
from scorpion_env.rules import Rules
from scorpion_env.solver.solution import Status

_ENDINGS = {
    "won": "The game is won.",
    "lost": "The game is lost.",
    "stopped": "The game was stopped here.",
}


def write_page(
    record: GameRecord, number: int = 1, games: int = 1, verdicts: Sequence[Status] | None = None
) -> str:
    """Return the page of a game as text.

    It loads nothing, and its content security policy lets nothing be loaded or run but its own
    style and script.

    Parameters
    ----------
    record : GameRecord
        The game.
    number, games : int
        Which game of how many it is in its file, counted from 1.
    verdicts : sequence of {"winnable", "unwinnable", "unknown"}, optional
        Of the position before the first action and after each.
    """
    style = "\n".join(_read(f"{part}.css") for part in ("table", "moves", "page"))
    script = "\n".join(_read(f"{part}.js") for part in ("table", "page"))
    data = _describe(record, number, games, verdicts)
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return Template(_read("page.html")).substitute(
        policy=policy,
        title=html.escape(f"{data['player']}: {data['about']}"),
        style=style,
        suits="\n".join(_suit_symbols()),
        game=_escape(json.dumps(data, allow_nan=False)),
        script=script,
    )


def _read(name: str) -> str:
    return (files("scorpion_env.render") / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Return what a content security policy calls an inline text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _escape(data: str) -> str:
    """Return JSON that cannot end the script element it stands in."""
    return data.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")


def _suit_symbols() -> Iterator[str]:
    for suit, outlines in zip(SUITS, OUTLINES, strict=True):
        path = "".join(map(_path, outlines))
        yield f'<symbol id="suit-{suit}" viewBox="-1 -1 2 2"><path d="{path}"/></symbol>'


def _path(outline: Outline) -> str:
    start, *rest = [f"{x:.3g},{y:.3g}" for x, y in outline]
    return f"M{start}C{' '.join(rest)}Z"


def _describe(
    record: GameRecord, number: int, games: int, verdicts: Sequence[Status] | None
) -> dict[str, Any]:
    """Return all that the page's script reads."""
    rules, layout = record.rules, record.rules.layout
    game = record.replay(0)
    positions = [game.position]
    for action in record.actions:
        game.play(action)
        positions.append(game.position)
    return {
        "player": record.player or "Unknown player",
        "about": _about(record, number, games, positions[-1].score),
        "legend": _legend(record, verdicts),
        "ending": _ENDINGS[record.ended],
        "cards": [card_text(card, layout.suits, layout.ranks) for card in range(layout.cards)],
        "columns": len(layout.columns),
        "reserve": layout.reserve_cards,
        "reserve_down": rules.reserve != "play",
        "sequences": layout.sequences if rules.sequences == "removed" else 0,
        "positions": list(map(_describe_position, positions)),
        "scores": [position.score for position in positions],
        "moves": list(_describe_moves(record, positions)),
        "verdicts": verdicts,
    }


def _about(record: GameRecord, number: int, games: int, score: int) -> str:
    parts = [name_rules(record.rules) or "rules of its own"]
    if isinstance(record.deal, int) or (isinstance(record.deal, str) and ":" not in record.deal):
        parts.append(f"deal {record.deal}")
    if record.seed is not None:
        parts.append(f"seed {record.seed}")
    parts.append(f"{record.ended} with {score} points after {len(record.actions)} moves")
    if games > 1:
        parts.append(f"game {number} of {games} in its file")
    return ", ".join(parts)


def _legend(record: GameRecord, verdicts: Sequence[Status] | None) -> str:
    sentences = []
    if record.choices:
        sentences.append("Bars: the player's probabilities before each move, the move played bold.")
    if verdicts is not None:
        sentences.append(
            "After each move, with all cards known: ✓ can still be won, ✗ lost, ? not decided."
        )
    return " ".join(sentences)


def _describe_position(position: Position) -> dict[str, Any]:
    return {
        "columns": position.columns,
        "down": position.face_down,
        "reserve": position.reserve,
        "removed": position.removed,
    }


def _describe_moves(record: GameRecord, positions: list[Position]) -> Iterator[dict[str, Any]]:
    choices = record.choices or ((),) * len(record.actions)
    for number, action in enumerate(record.actions):
        before, after = positions[number : number + 2]
        yield {
            "text": name_move(record.rules, action),
            "said": say_move(record.rules, before, action, after),
            "points": after.score - before.score,
            "choices": _describe_choices(record.rules, choices[number], action),
        }


def _describe_choices(rules: Rules, choices: Sequence[Choice], played: int) -> list[dict[str, Any]]:
    return [
        {"text": name_move(rules, action), "share": share, "played": action == played}
        for action, share in choices
    ]
