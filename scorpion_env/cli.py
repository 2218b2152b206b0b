"""``scorpion``: the library's command line.

A command is a module with ``add_parser(commands)``, which adds its parser and says with
``set_defaults(run=...)`` what it does; ``run(options)`` returns the exit code.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from scorpion_env.play import command as play
from scorpion_env.render import replay_command as replay
from scorpion_env.solver import command as solve
from scorpion_env.solver import suites_command as suites
from scorpion_env.version import VERSION

COMMANDS = (play, solve, suites, replay)


class Parser(argparse.ArgumentParser):
    """A parser whose complaints take one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and exit."""
        self.exit(2, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = Parser(prog="scorpion", description="Scorpion solitaire.")
    parser.add_argument("--version", action="version", version=f"scorpion {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(commands)
    options = parser.parse_args(arguments)
    try:
        code: int = options.run(options)
    except (ValueError, RuntimeError, OSError) as problem:
        print(f"scorpion: {problem}", file=sys.stderr)
        return 2
    except (MemoryError, OverflowError):
        print("scorpion: too little memory: ask for less, such as fewer --nodes", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("scorpion: interrupted", file=sys.stderr)
        return 130
    return code


if __name__ == "__main__":
    sys.exit(main())
