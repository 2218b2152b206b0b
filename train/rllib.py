"""``python -m train.rllib configs/rllib_NAME.yaml``: train a policy on Ray RLlib.

For those who outgrow one machine: processes of a Ray cluster play and learn, this one keeps the run
folder.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from train.command import parse, run_command, run_parser
from train.rllib_config import RllibConfig

PROG = "python -m train.rllib"
NEEDED = ("ray", "tree", "lz4", "pandas", "pyarrow", "scipy")  # by RLlib


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = run_parser(PROG, "Train RLlib's PPO from a YAML config into a new folder under runs/.")
    parser.add_argument(
        "--ray", metavar="ADDRESS", help="work on this Ray cluster, not on one of this machine"
    )
    chosen = parse(parser, arguments)
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        print(
            f"error: RLlib is not installed, there is no module {missing[0]}: in an environment of "
            "its own, pip install -e '.[train,distributed]'",
            file=sys.stderr,
        )
        return 2

    def start(config: RllibConfig, run: Path) -> bool:
        # imported late: RLlib takes seconds, and a wrong config should be told at once
        from train.rllib_ppo import train

        return train(config, run, chosen.resume is not None, chosen.ray)

    return run_command(PROG, chosen, RllibConfig, start)


if __name__ == "__main__":
    sys.exit(main())
