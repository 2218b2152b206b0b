"""``scorpion replay``: a recorded game as a page that shows it move by move."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from scorpion_env.records import GameRecord, read_records
from scorpion_env.render.page import write_page
from scorpion_env.solver.solution import Status
from scorpion_env.solver.verdicts import judge_positions
from scorpion_env.whole_file import check_writable, write_whole

NODES = 100_000
_EXAMPLE = """\
python -m agents greedy --seeds 0:10 --record games.jsonl
scorpion replay games.jsonl -o game.html --game 3 --verdicts
"""


def add_parser(commands: Any) -> None:
    """Add the command to the command line's."""
    parser = commands.add_parser(
        "replay",
        help="turn a recorded game into a page to watch it",
        description="Turn a recorded game into one HTML page that needs nothing else.",
        epilog=f"examples:\n{_EXAMPLE}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("games", type=Path, metavar="FILE", help="recorded games, JSON lines")
    parser.add_argument("-o", "--output", type=Path, metavar="PAGE", help="FILE with .html")
    parser.add_argument("--game", type=int, default=1, metavar="N", help="which one, from 1 up")
    parser.add_argument(
        "--verdicts", action="store_true", help="say of each position whether it can still be won"
    )
    parser.add_argument(
        "--nodes", type=int, default=NODES, help="positions for each verdict (%(default)s)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the page; return the exit code."""
    output = options.output or options.games.with_suffix(".html")
    if output.resolve() == options.games.resolve():
        raise ValueError(f"{output} holds the games: name another file for the page")
    check_writable(output)
    record, games = _find_game(options.games, options.game)
    verdicts = _judge(record, options.nodes) if options.verdicts else None
    write_whole(output, write_page(record, options.game, games, verdicts))
    print(
        f"{output}: game {options.game} of {games}, {record.player or 'player unknown'}, "
        f"{record.ended} after {len(record.actions)} moves"
    )
    return 0


def _find_game(path: Path, number: int) -> tuple[GameRecord, int]:
    """Return the game of a number, and how many games the file holds."""
    found, games = None, 0
    for games, record in enumerate(read_records(path), start=1):
        if games == number:
            found = record
    if not games:
        raise ValueError(f"{path} holds no game")
    if found is None:
        raise ValueError(f"--game {number} is not there: {path} holds games 1 to {games}")
    return found, games


def _judge(record: GameRecord, nodes: int) -> list[Status]:
    """Return the verdicts; on a terminal, say how far they are."""
    verdicts: list[Status] = []
    live = sys.stderr.isatty()
    for verdict in judge_positions(record, nodes):
        verdicts.append(verdict)
        if live:
            done = f"{len(verdicts)}/{len(record.actions) + 1} positions"
            print(f"\r{done}", end="", file=sys.stderr, flush=True)
    if live:
        print(file=sys.stderr)
    return verdicts
