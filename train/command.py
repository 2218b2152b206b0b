"""What the commands that train have in common: arguments, run folder, errors in one line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from train.config import ConfigError, Root, load_section
from train.run_folder import RunError, create_run


def run_parser(prog: str, description: str) -> argparse.ArgumentParser:
    """Return a parser of the arguments that every such command takes."""
    parser = argparse.ArgumentParser(prog=prog, description=description)
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
    return parser


def parse(parser: argparse.ArgumentParser, arguments: list[str] | None) -> argparse.Namespace:
    """Return the command line's arguments, checked against each other."""
    chosen = parser.parse_args(arguments)
    if (chosen.config is None) == (chosen.resume is None):
        parser.error("give a config to start a run, or --resume RUN to go on with one")
    if chosen.resume and (chosen.overrides or chosen.name):
        parser.error("a resumed run keeps its config and its name")
    if chosen.name and Path(chosen.name).name != chosen.name:
        parser.error("--name is the name of a folder; --runs says where it is made")
    return chosen


def run_command(
    prog: str,
    chosen: argparse.Namespace,
    model: type[Root],
    train: Callable[[Root, Path], bool],
) -> int:
    """Read the config, make the run folder and train into it; return the exit status.

    ``train`` takes the config and the folder and says whether the run is finished.
    """
    try:
        path = chosen.resume / "config.yaml" if chosen.resume else chosen.config
        config = load_section(model, path, chosen.overrides)
        name = chosen.name or chosen.config.stem if chosen.config else ""
        run = chosen.resume or create_run(chosen.runs, name, config, chosen.name is not None)
        print(f"run folder: {run}", file=sys.stderr)
        finished = train(config, run)
    except (ConfigError, RunError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        where = error.filename or "the run folder"
        print(f"error: {where} cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    if not finished:
        print(f"stopped; go on with: {prog} --resume {run}", file=sys.stderr)
        return 130
    print(f"trained policy: {run}/policy.safetensors", file=sys.stderr)
    return 0
