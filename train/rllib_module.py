"""The flat networks as a module of RLlib: illegal actions have no probability."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import InferenceOnlyAPI, ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule

from train.rllib_env import ACTION_MASK, OBSERVATIONS

NO_LOGIT = torch.finfo(torch.float32).min  # of illegal actions


class MaskedModule(TorchRLModule, InferenceOnlyAPI, ValueFunctionAPI):
    """A policy and a value network over planes, see `train.config.FlatNetwork`.

    Its ``model_config`` holds ``hidden``, the widths of the layers, and ``activation``, a class of
    torch. Env runners have no value network.
    """

    def setup(self) -> None:
        """Make the networks."""
        hidden, activation = self.model_config["hidden"], self.model_config["activation"]
        widths = [*self.observation_space[OBSERVATIONS].shape, *hidden]
        self.policy = perceptron([*widths, int(self.action_space.n)], activation)
        self.value = perceptron([*widths, 1], activation)

    def get_non_inference_attributes(self) -> list[str]:
        """Return what is not needed to play."""
        return ["value"]

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, torch.Tensor]:
        seen = batch[Columns.OBS]
        logits = self.policy(seen[OBSERVATIONS].float())
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen[ACTION_MASK] == 0, NO_LOGIT)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """Return the value (N,) of each observation."""
        return self.value(batch[Columns.OBS][OBSERVATIONS].float()).squeeze(-1)


def perceptron(widths: Sequence[int], activation: type[torch.nn.Module]) -> torch.nn.Sequential:
    """Return linear layers from each width to the next, with activations between them."""
    parts: list[torch.nn.Module] = []
    for inputs, outputs in pairwise(widths):
        parts += [torch.nn.Linear(inputs, outputs), activation()]
    return torch.nn.Sequential(*parts[:-1])
