"""Policies made by hand or at random, written as the files that training writes."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from scorpion_env import VARIANTS
from scorpion_env.planes import plane_count

Tensors = dict[str, np.ndarray]


def random_tensors(widths: list[int], seed: int = 0) -> Tensors:
    """Make random weights of a network whose layers have these widths, the inputs first."""
    rng = np.random.default_rng(seed)
    tensors: Tensors = {}
    for number, (inputs, outputs) in enumerate(pairwise(widths)):
        weight = rng.normal(0, inputs**-0.5, (outputs, inputs))
        tensors[f"layers.{number}.weight"] = weight.astype(np.float32)
        tensors[f"layers.{number}.bias"] = rng.normal(0, 0.1, outputs).astype(np.float32)
    return tensors


def classic_tensors(hidden: int = 16, seed: int = 0) -> Tensors:
    """Make random weights of a network for Classic with one hidden layer."""
    rules = VARIANTS["classic"]
    return random_tensors([plane_count(rules), hidden, rules.actions], seed)


def write_policy(folder: Path, tensors: Tensors | None = None, **changed: Any) -> Path:
    """Write a policy for Classic into a folder, with some fields of its json changed."""
    rules = VARIANTS["classic"]
    tensors = classic_tensors() if tensors is None else tensors
    fields = {
        "format": 1,
        "rules": "classic",
        "observation": "planes",
        "actions": rules.actions,
        "inputs": plane_count(rules),
        "layers": len(tensors) // 2,
        "activation": "relu",
    }
    folder.mkdir(exist_ok=True)
    save_file(tensors, folder / "policy.safetensors")
    (folder / "policy.json").write_text(json.dumps(fields | changed))
    return folder
