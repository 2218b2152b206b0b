"""``python -m tests.fuzz --inputs 100000 --seed 0``: damaged input of every kind is refused.

Valid examples are mutated. What comes of one must be a documented error, or be accepted and read
back the same; another exception, more than `SECONDS` of processor time or a wrong state is a
failure, which is printed with the number of the input: ``--only NUMBER`` tries it again.
"""

import argparse
import contextlib
import os
import random
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from scorpion_env.records import record_actions, write_records
from scorpion_env.solver.sweep_file import SweepError
from scorpion_env.variants import find_rules
from tests.fuzz_commands import AGENTS, SCORPION, TRAIN, check_command, make_command
from tests.fuzz_inputs import (
    CONFIGS,
    Kind,
    check_answers,
    check_board,
    check_chunks,
    check_config,
    check_deal,
    check_move,
    check_policy,
    check_record,
    check_suite,
    make_answers,
    make_board,
    make_chunks,
    make_config,
    make_deal,
    make_move,
    make_policy,
    make_record,
    make_suite,
    scratch,
)

SECONDS = 60  # compiling, in the first inputs, takes its time


class TooSlowError(BaseException):
    """Raised where an input takes too long."""


KINDS = {
    "board texts": Kind(make_board, check_board),
    "deals": Kind(make_deal, check_deal),
    "moves": Kind(make_move, check_move),
    "training configs": Kind(make_config, check_config),
    "game records": Kind(make_record, check_record),
    "policy files": Kind(make_policy, check_policy),
    "sweep files": Kind(make_answers, check_answers, (ValueError, SweepError)),
    "leaderboard files": Kind(make_chunks, check_chunks),
    "suites": Kind(make_suite, check_suite),
    "scorpion ...": Kind(make_command("scorpion", SCORPION), check_command),
    "python -m agents ...": Kind(make_command("agents", AGENTS), check_command),
    "python -m train ...": Kind(make_command("train", TRAIN), check_command),
}


def try_input(number: int, seed: int) -> tuple[str, str]:
    """Try one input; return its kind and "accepted", "refused" or what failed."""
    name = list(KINDS)[number % len(KINDS)]
    kind, rng = KINDS[name], random.Random(f"{seed} {number}")
    given = kind.make(rng)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        kind.check(given)
    except kind.errors:
        return name, "refused"
    except (Exception, TooSlowError):
        return name, f"{given!r:.1000}\n{traceback.format_exc()[-2000:]}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return name, "accepted"


@contextlib.contextmanager
def in_scratch_folder() -> Iterator[None]:
    """Work in a temporary folder with the files that command lines name."""

    def stop(*_: object) -> None:
        raise TooSlowError

    home, before = Path.cwd(), signal.signal(signal.SIGVTALRM, stop)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            scratch("config.yaml", CONFIGS[0])
            write_records("good.jsonl", [record_actions(find_rules("classic"), 99, [364], "jo")])
            yield
        finally:
            os.chdir(home)
            signal.signal(signal.SIGVTALRM, before)


def fuzz(numbers: range, seed: int) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Try the inputs of these numbers; return the outcomes by kind, and the failures."""
    outcomes: Counter[tuple[str, str]] = Counter()
    failures = []
    with in_scratch_folder():
        for number in numbers:
            name, outcome = try_input(number, seed)
            if outcome not in ("accepted", "refused"):
                failures.append(f"input {number}, {name}: {outcome}")
                outcome = "failed"
            outcomes[name, outcome] += 1
    return outcomes, failures


def main() -> int:
    """Try the inputs; print a table and the failures; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, metavar="NUMBER", help="this input alone")
    options = parser.parse_args()
    numbers = (
        range(options.inputs) if options.only is None else range(options.only, options.only + 1)
    )
    outcomes, failures = fuzz(numbers, options.seed)
    print("| input | refused | accepted | failed |\n|---|---|---|---|")
    for name in KINDS:
        counts = [outcomes[name, outcome] for outcome in ("refused", "accepted", "failed")]
        print(f"| {name} | {' | '.join(f'{count:,}' for count in counts)} |")
    print(*failures[:50], sep="\n\n", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
