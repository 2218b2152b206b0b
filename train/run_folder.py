"""A run's folder: its files, and that none of them is ever half written or overwritten by a run."""

from __future__ import annotations

import json
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import yaml

from scorpion_env.whole_file import write_whole
from train.config import Section

LATEST = "latest"
PACKAGES = ("numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib", "ray")


class RunError(ValueError):
    """A run folder that cannot be used; the message says what to do."""


def create_run(runs: Path, name: str, config: Section, chosen: bool) -> Path:
    """Make a new run folder and write its config and versions.

    An existing folder is never used again: a name that the caller has ``chosen`` is refused if it
    is taken, another gets a number.

    Raises
    ------
    RunError
        If the folder exists or cannot be made.
    """
    folder = runs / name
    number = 1
    try:
        runs.mkdir(parents=True, exist_ok=True)
        while folder.exists() and not chosen:
            number += 1
            folder = runs / f"{name}-{number}"
        folder.mkdir()
        write_whole(folder / "config.yaml", yaml.safe_dump(config.model_dump(), sort_keys=False))
        write_whole(folder / "versions.json", json.dumps(versions(), indent=2) + "\n")
    except FileExistsError as error:
        raise RunError(
            f"{folder} exists and is never overwritten: choose another --name, or go on with "
            f"--resume {folder}"
        ) from error
    except OSError as error:
        raise RunError(f"{folder} cannot be made: {error.strerror}") from error
    point_latest(runs, folder)
    return folder


def point_latest(runs: Path, folder: Path) -> None:
    """Let ``runs/latest`` lead to the run, where the file system can."""
    link = runs / LATEST
    if link.is_symlink() or not link.exists():
        temporary = runs / f".{LATEST}"
        temporary.unlink(missing_ok=True)
        try:
            temporary.symlink_to(folder.name)
            temporary.replace(link)
        except OSError:
            return


def versions() -> dict[str, str]:
    """Return the versions of what a run depends on."""
    found = {"python": platform.python_version(), "scorpion-env": _version("scorpion-env")}
    return found | {package: _version(package) for package in PACKAGES}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def read_json(path: Path) -> Any:
    """Return what a JSON file holds.

    Raises
    ------
    RunError
        If the file is missing or damaged.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path} is damaged: {error}") from error
