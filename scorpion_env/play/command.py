"""``scorpion play``: play in the terminal."""

from __future__ import annotations

import argparse
import sys
import threading
from pathlib import Path
from typing import Any

from scorpion_env.game import Game
from scorpion_env.play.saved import Chosen, last_record, new_file, resume_file
from scorpion_env.play.session import FIRST_VARIANT, Session
from scorpion_env.variants import VARIANTS

PATIENCE = 2.0  # seconds before the person is told what takes so long

_NOTICE = "Starting; the first start compiles for some 20 seconds ..."
_NOTES = """\
Without options you choose a game, or go on with one of your last. Every move is saved, in
$XDG_STATE_HOME/scorpion/games or ~/.local/state/scorpion/games. ? explains the keys.

examples:
scorpion play
scorpion play --rules three_blind_mice
scorpion play --deal ms123
"""


def add_parser(commands: Any) -> None:
    """Add the command to the command line's."""
    parser = commands.add_parser(
        "play",
        help="play in the terminal",
        description="Play in the terminal, with keys or the mouse.",
        epilog=_NOTES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rules", metavar="NAME", help=", ".join(VARIANTS))
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--seed", type=int, metavar="N", help="play the deal of reset(seed=...)")
    what.add_argument("--deal", help="play a PySolFC number, such as ms123, or a board text")
    what.add_argument("--number", type=int, metavar="N", help="play a number in info or in a file")
    what.add_argument("--resume", type=Path, metavar="FILE", help="go on with a file's last game")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play until the person leaves; return the exit code."""
    try:
        from scorpion_env.play.app import PlayApp
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] not in ("textual", "rich"):
            raise
        raise RuntimeError("play needs Textual: pip install 'scorpion-env[play]'") from None
    notice = threading.Timer(PATIENCE, print, [_NOTICE])
    notice.daemon = True
    notice.start()
    try:
        app = PlayApp(_chosen(options))
    finally:
        notice.cancel()
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise RuntimeError("play needs a terminal for its input and output")
    app.run()
    if app.session.outcome != "won" and app.path.exists():
        print(f"scorpion play goes on with this game; it is kept in {app.path}")
    return app.return_code or 0


def _chosen(options: argparse.Namespace) -> Chosen | None:
    """Return the game that the options ask for, None if they ask for none."""
    if options.resume is not None:
        if options.rules is not None:
            raise ValueError("--resume takes the rules from the file: leave --rules out")
        session = Session.resumed(last_record(options.resume))
        return Chosen(session, resume_file(options.resume, session))
    rules = options.rules or FIRST_VARIANT
    deal = options.deal if options.number is None else options.number
    if options.seed is not None or deal is not None:
        session = Session(Game(options.seed, rules, deal), options.seed)
    elif options.rules is not None:
        session = Session.new(rules)
    else:
        return None
    return Chosen(session, new_file(session))
