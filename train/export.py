"""The trained policy as two files that run no code when they are loaded."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save
from sb3_contrib import MaskablePPO

from agents.policy import FORMAT, POLICY_JSON, POLICY_TENSORS
from scorpion_env.whole_file import write_whole
from train.config import Config, Training
from train.network_export import export_network
from train.network_policy import NetworkPolicy

VALUE = "value"


def policy_layers(model: MaskablePPO) -> list[torch.nn.Linear]:
    """Return the linear layers from observation to logits, in order."""
    hidden = [m for m in model.policy.mlp_extractor.policy_net if isinstance(m, torch.nn.Linear)]
    return [*hidden, model.policy.action_net]


def export_policy(model: MaskablePPO, config: Config, folder: Path) -> None:
    """Write the policy's two files into ``folder``, each whole or not at all.

    If the value is a probability to win, its network is written beside them, into ``VALUE``: the
    search agent's ``valuer``.
    """
    if isinstance(model.policy, NetworkPolicy):
        steps = model.num_timesteps
        export_network(model.policy.scorer.weights(), config.rules, folder, steps=steps)
        if (config.reward, config.reward_scale, config.win_bonus) == ("win", 1.0, 0.0):
            (folder / VALUE).mkdir(exist_ok=True)
            export_network(model.policy.valuer.weights(), config.rules, folder / VALUE, steps=steps)
        return
    write_policy(
        policy_layers(model), config, config.network.activation, folder, model.num_timesteps
    )


def write_policy(
    layers: list[torch.nn.Linear], config: Training, activation: str, folder: Path, steps: int
) -> None:
    """Write linear layers from planes to logits as a policy's two files into ``folder``."""
    tensors: dict[str, np.ndarray] = {}
    for number, layer in enumerate(layers):
        for part in ("weight", "bias"):
            array = getattr(layer, part).detach().cpu().numpy()
            tensors[f"layers.{number}.{part}"] = np.ascontiguousarray(array, np.float32)
    about = {
        "format": FORMAT,
        "rules": config.rules,
        "observation": "planes",
        "actions": layers[-1].out_features,
        "inputs": layers[0].in_features,
        "layers": len(layers),
        "activation": activation,
        "steps": steps,
    }
    write_whole(folder / POLICY_TENSORS, save(tensors))
    write_whole(folder / POLICY_JSON, json.dumps(about, indent=2) + "\n")
