"""The network over cards as two files that run no code when they are loaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from safetensors.numpy import save

from agents.network import Network
from agents.network_agent import KIND, sizes_of
from agents.policy import FORMAT, POLICY_JSON, POLICY_TENSORS
from agents.registry import find_network
from scorpion_env.whole_file import write_whole
from train.run_folder import RunError


def usable_network(key: str, name: str, sizes: dict[str, int]) -> Network:
    """Return the network of a name or path that a config's ``key`` gives.

    Raises
    ------
    RunError
        If there is none, or it has other sizes.
    """
    try:
        network = find_network(name)
    except ValueError as error:
        raise RunError(f"{key}: {error}") from error
    if sizes_of(network) != sizes:
        raise RunError(f"{key}: {name} has other sizes: {sizes_of(network)}")
    return network


def export_network(network: Network, rules: str, folder: Path, **about: Any) -> None:
    """Write a network's two files into ``folder``, each whole or not at all.

    ``about`` is told in the description and has no part in how the network plays.
    """
    fields = {
        "format": FORMAT,
        "network": KIND,
        "rules": rules,
        "observation": "cards",
        **sizes_of(network),
        **about,
    }
    write_whole(folder / POLICY_TENSORS, save(network._asdict()))
    write_whole(folder / POLICY_JSON, json.dumps(fields, indent=2) + "\n")
