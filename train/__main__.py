"""``python -m train configs/NAME.yaml``: train a policy from a config."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from train.command import parse, run_command, run_parser
from train.config import Config

PROG = "python -m train"


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    """Return the command line's arguments."""
    parser = run_parser(PROG, "Train MaskablePPO from a YAML config into a new folder under runs/.")
    parser.add_argument("--no-progress", action="store_true", help="draw no progress bar")
    return parse(parser, arguments)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    chosen = parse_arguments(arguments)

    def start(config: Config, run: Path) -> bool:
        # imported late: torch takes seconds, and a wrong config should be told at once
        from train.ppo import train

        return train(config, run, chosen.resume is not None, not chosen.no_progress)

    return run_command(PROG, chosen, Config, start)


if __name__ == "__main__":
    sys.exit(main())
