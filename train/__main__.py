"""``python -m train configs/NAME.yaml``: train a policy from a config."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from train.config import ConfigError, load_config
from train.run_folder import RunError, create_run


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    """Return the command line's arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m train",
        description="Train MaskablePPO from a YAML config into a new folder under runs/.",
    )
    parser.add_argument("config", type=Path, nargs="?", help="the run's YAML config")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="overrides",
        metavar="KEY=VALUE",
        help="change one key of the config, for example --set ppo.gamma=0.999",
    )
    parser.add_argument("--name", help="the run folder's name; the config's name by default")
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), help="where run folders are made"
    )
    parser.add_argument(
        "--resume", type=Path, metavar="RUN", help="go on with this run from its last checkpoint"
    )
    parser.add_argument("--no-progress", action="store_true", help="draw no progress bar")
    chosen = parser.parse_args(arguments)
    if (chosen.config is None) == (chosen.resume is None):
        parser.error("give a config to start a run, or --resume RUN to go on with one")
    if chosen.resume and (chosen.overrides or chosen.name):
        parser.error("a resumed run keeps its config and its name")
    if chosen.name and Path(chosen.name).name != chosen.name:
        parser.error("--name is the name of a folder; --runs says where it is made")
    return chosen


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    chosen = parse_arguments(arguments)
    try:
        path = chosen.resume / "config.yaml" if chosen.resume else chosen.config
        config = load_config(path, chosen.overrides)
        name = chosen.name or chosen.config.stem if chosen.config else ""
        run = chosen.resume or create_run(chosen.runs, name, config, chosen.name is not None)
        # imported late: torch takes seconds, and a wrong config should be told at once
        from train.ppo import train

        print(f"run folder: {run}", file=sys.stderr)
        finished = train(config, run, chosen.resume is not None, not chosen.no_progress)
    except (ConfigError, RunError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        where = error.filename or "the run folder"
        print(f"error: {where} cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    if not finished:
        print(f"stopped; go on with: python -m train --resume {run}", file=sys.stderr)
        return 130
    print(f"trained policy: {run}/policy.safetensors", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
