"""``scorpion solve``: one deal in words, or many into a file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from scorpion_env.deals import parse_seeds
from scorpion_env.game import Game
from scorpion_env.notation import name_move
from scorpion_env.solver.answers import Question
from scorpion_env.solver.on_ray import HERE
from scorpion_env.solver.solution import DEFAULT_NODES, solve
from scorpion_env.solver.sweep import sweep, tally_of
from scorpion_env.variants import VARIANTS, find_rules

_EXAMPLE = """\
scorpion solve --deal ms123
scorpion solve --seeds 0:10000 --output deals.jsonl
scorpion solve --summary deals.jsonl
"""


def add_parser(commands: Any) -> None:
    """Add the command to the command line's."""
    parser = commands.add_parser(
        "solve",
        help="find out which deals can be won",
        description="Find out which deals can be won, with all cards known.",
        epilog=f"examples:\n{_EXAMPLE}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--deal", help="one: a PySolFC number, such as ms123, or a board text")
    what.add_argument("--number", type=int, help="one: a deal's number in info or in a file")
    what.add_argument("--seed", type=int, help="one: the deal of reset(seed=...)")
    what.add_argument("--seeds", help="many: first and end of their seeds, such as 0:10000")
    what.add_argument("--summary", type=Path, metavar="FILE", help="count what a file holds")
    parser.add_argument("--rules", default="classic", help=", ".join(VARIANTS))
    parser.add_argument(
        "--nodes", type=int, default=DEFAULT_NODES, help="positions a deal (%(default)s)"
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="for --seeds: .jsonl or .csv, continued"
    )
    parser.add_argument("--workers", type=int, help="processes (one for each core)")
    parser.add_argument(
        "--no-certificates", action="store_true", help="leave out why deals are lost"
    )
    parser.add_argument(
        "--ray", nargs="?", const=HERE, metavar="ADDRESS", help="work on a Ray cluster"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; return the exit code."""
    if options.summary is not None:
        print(tally_of(options.summary).text())
        return 0
    if options.nodes < 1:
        raise ValueError(f"--nodes must be at least 1, got {options.nodes}")
    if options.seeds is not None:
        return _solve_many(options)
    _solve_one(options)
    return 0


def _solve_one(options: argparse.Namespace) -> None:
    asked = options.deal if options.number is None else options.number
    game = Game(options.seed, options.rules, asked)
    solution = solve(game, options.nodes)
    if solution.status == "winnable":
        moves = [name_move(game.rules, action) for action in solution.actions]
        print(f"This deal can be won in {len(moves)} moves: {' '.join(moves)}")
    elif solution.status == "unknown":
        print(f"Not decided after {solution.nodes} positions: give more --nodes.")
    elif solution.certificate is None:
        print(f"This deal cannot be won: all {solution.nodes} positions were searched.")
    else:
        print(f"This deal cannot be won. {solution.certificate.text}")


def _solve_many(options: argparse.Namespace) -> int:
    seeds = parse_seeds(options.seeds)
    if options.output is None:
        raise ValueError("--seeds needs --output: name the file to write, such as deals.jsonl")
    question = Question(find_rules(options.rules), options.nodes, not options.no_certificates)
    try:
        tally = sweep(question, seeds, options.output, options.workers, options.ray)
    except KeyboardInterrupt:
        print(
            f"scorpion: stopped; what is solved is in {options.output}, and the same command goes "
            "on from there",
            file=sys.stderr,
        )
        return 130
    print(tally.text())
    return 0
