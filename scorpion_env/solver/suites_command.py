"""``scorpion suites``: solve the deals of the suites and write their files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import scorpion_env.suites
from scorpion_env.deals import FIRST_TRAINING_SEED
from scorpion_env.solver.answers import Question
from scorpion_env.solver.sweep import sweep, sweep_path
from scorpion_env.solver.sweep_file import read_answers
from scorpion_env.suites import UNKNOWN, UNWINNABLE, WINNABLE, write_suite
from scorpion_env.variants import VARIANTS, find_rules
from scorpion_env.whole_file import write_whole

NODES = 300_000
DEALS, CLASSIC_DEALS = 1_000, 20_000
_LETTERS = {"winnable": WINNABLE, "unwinnable": UNWINNABLE, "unknown": UNKNOWN}
_DATA = Path(scorpion_env.suites.__file__).with_name("data")


def add_parser(commands: Any) -> None:
    """Add the command to the command line's."""
    parser = commands.add_parser(
        "suites",
        help="solve the suites' deals anew",
        description="Solve the deals of the suites and write their files.",
    )
    parser.add_argument("--rules", nargs="*", default=list(VARIANTS), help="all by default")
    parser.add_argument("--deals", type=int, help=f"{DEALS} a variant, {CLASSIC_DEALS} of classic")
    parser.add_argument("--nodes", type=int, default=NODES, help="positions a deal (%(default)s)")
    parser.add_argument("--workers", type=int, help="processes (one for each core)")
    parser.add_argument(
        "--folder", type=Path, default=Path("sweeps"), help="where sweeps are kept (%(default)s)"
    )
    parser.add_argument("--output", type=Path, default=_DATA, help="where the suites go")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Make the suites; return the exit code."""
    rules = {name: find_rules(name) for name in options.rules}
    for folder in (options.folder, options.output):
        folder.mkdir(parents=True, exist_ok=True)
    for name, played in rules.items():
        deals = options.deals or (CLASSIC_DEALS if name == "classic" else DEALS)
        if not (0 < deals <= FIRST_TRAINING_SEED and deals % 1000 == 0):
            raise ValueError(f"--deals must be a multiple of 1000, got {deals}")
        print(name, file=sys.stderr)
        path = sweep_path(options.folder, name, options.nodes)
        question = Question(played, options.nodes, certificates=False)
        tally = sweep(question, range(deals), path, options.workers)
        letters = [""] * deals
        for answer in read_answers(path):
            if answer.seed < deals:
                letters[answer.seed] = _LETTERS[answer.status]
        text = write_suite(played, options.nodes, "".join(letters))
        write_whole(options.output / f"{name}.json", text)
        print(tally.text(), flush=True)
    return 0
