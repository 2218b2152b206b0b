"""``scorpion solve``: one deal in words, or many into a file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from scorpion_env.deals import parse_seeds
from scorpion_env.game import Game
from scorpion_env.notation import name_move
from scorpion_env.records import GameRecord, record_actions, record_game, write_records
from scorpion_env.rules import Rules
from scorpion_env.solver.answers import Question
from scorpion_env.solver.on_ray import HERE
from scorpion_env.solver.solution import DEFAULT_NODES, Solution, solve
from scorpion_env.solver.sweep import sweep, tally_of
from scorpion_env.solver.sweep_file import read_answers
from scorpion_env.variants import VARIANTS, find_rules
from scorpion_env.whole_file import check_writable

PLAYER = "solver"  # of the games that are recorded
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
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="write the games won there, for scorpion replay"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; return the exit code."""
    if options.record is not None:
        _check_record(options)
    if options.summary is not None:
        print(tally_of(options.summary).text())
        return 0
    if options.nodes < 1:
        raise ValueError(f"--nodes must be at least 1, got {options.nodes}")
    if options.seeds is not None:
        return _solve_many(options)
    _solve_one(options)
    return 0


def _check_record(options: argparse.Namespace) -> None:
    if options.summary is not None:
        raise ValueError("--record goes with deals to solve, not with --summary")
    if options.output is not None and options.output.resolve() == options.record.resolve():
        raise ValueError("--output and --record name the same file: give each its own")
    check_writable(options.record)


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
    if options.record is not None:
        _record_one(game, solution, options)


def _record_one(game: Game, solution: Solution, options: argparse.Namespace) -> None:
    for action in solution.actions:
        game.play(action)
    won = [record_game(game, PLAYER, seed=options.seed)] if game.is_won else []
    _write_won(options.record, won)


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
    if options.record is not None:
        _record_many(options.record, options.output, question.rules, seeds)
    return 0


def _record_many(path: Path, answers: Path, rules: Rules, seeds: range) -> None:
    won = {a.seed: a for a in read_answers(answers) if a.status == "winnable" and a.seed in seeds}
    records = [
        record_actions(rules, answer.deal, answer.moves, PLAYER, seed=seed)
        for seed, answer in sorted(won.items())
    ]
    _write_won(path, records)


def _write_won(path: Path, records: list[GameRecord]) -> None:
    write_records(path, records)
    print(f"{len(records)} won {'game' if len(records) == 1 else 'games'} recorded in {path}")
