"""Saving an imitation run after a stage and going on from there as if it had never stopped."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agents.network import Network
from agents.network_agent import load_network
from scorpion_env.whole_file import write_whole
from train.checkpoint import check_config, damaged, write_checkpoint
from train.imitation_config import Imitation
from train.network_export import export_network
from train.positions import Kept
from train.run_folder import read_json

POSITIONS, NUMBERS = "positions.npz", "progress.json"
# what may be changed in a run's config.yaml before it is resumed
MAY_CHANGE = ("threads", "evaluation")


@dataclass
class Progress:
    """What the stages so far made."""

    network: Network
    found: list[Kept]  # of each stage
    reached: list[dict[str, int]]  # of each stage
    next_seed: int  # of the first deal of the next stage
    generator: np.random.Generator


def save_progress(progress: Progress, config: Imitation, run: Path) -> None:
    """Write a checkpoint of the stages so far, whole or not at all."""

    def write(folder: Path) -> None:
        arrays = io.BytesIO()
        fields = {
            f"{name}.{stage}": array
            for stage, kept in enumerate(progress.found)
            for name, array in kept._asdict().items()
        }
        np.savez_compressed(arrays, **fields)
        numbers = {
            "config": config.model_dump(mode="json"),
            "reached": progress.reached,
            "next_seed": progress.next_seed,
            "generator": progress.generator.bit_generator.state,
        }
        export_network(progress.network, config.rules, folder)
        write_whole(folder / POSITIONS, arrays.getvalue())
        write_whole(folder / NUMBERS, json.dumps(numbers))

    write_checkpoint(run, len(progress.reached), write)


def load_progress(config: Imitation, folder: Path) -> Progress:
    """Read a checkpoint.

    Raises
    ------
    RunError
        If a file of it is missing, damaged or belongs to another config.
    """
    numbers = read_json(folder / NUMBERS)
    try:
        check_config(numbers["config"], config.model_dump(mode="json"), MAY_CHANGE)
        generator = np.random.default_rng()
        generator.bit_generator.state = numbers["generator"]
        with (folder / POSITIONS).open("rb") as file, np.load(file, allow_pickle=False) as stored:
            found = [
                Kept(*(stored[f"{name}.{stage}"] for name in Kept._fields))
                for stage in range(len(numbers["reached"]))
            ]
        network = load_network(folder)
        return Progress(network, found, numbers["reached"], numbers["next_seed"], generator)
    except Exception as error:  # of zip, NumPy or safetensors, whatever byte is damaged
        raise damaged(folder, error) from error
