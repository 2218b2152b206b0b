"""The network over cards as two files that run no code when they are loaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from safetensors.numpy import save

from agents.network import Network
from agents.network_agent import KIND, sizes_of
from agents.policy import FORMAT, POLICY_JSON, POLICY_TENSORS
from scorpion_env.whole_file import write_whole


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
