"""The network of `agents.network` in torch, to be trained; both have the same weights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from agents.network import POOLED, Network, network_shapes
from scorpion_env.rules import Rules


class Examples(NamedTuple):
    """What the network is told of ``n`` tables, see `agents.features.Inputs`."""

    cards: torch.Tensor  # (n, cards, CARD_INPUTS)
    present: torch.Tensor  # (n, cards, 1) 0 for removed cards, 1 for others
    neighbours: torch.Tensor  # (n, cards, NEIGHBOURS) int64, -1 where there is none
    columns: torch.Tensor  # (n, columns, COLUMN_INPUTS)
    table: torch.Tensor  # (n, TABLE_INPUTS)


class MoveNetwork(nn.Module):
    """Scores the tables that moves lead to.

    Parameters
    ----------
    rules : Rules
        What is played; it has no part in the weights.
    **sizes : int
        See `agents.network.network_shapes`.
    """

    ranks: torch.Tensor  # (cards,) the rank of each card

    def __init__(self, rules: Rules, **sizes: int) -> None:
        super().__init__()
        for name, shape in network_shapes(**sizes).items():
            self.register_parameter(name, nn.Parameter(torch.randn(shape) * _scale(name, shape)))
        ranks = rules.compiled.ids[:, 0].astype(np.int64)
        self.register_buffer("ranks", torch.as_tensor(ranks), persistent=False)

    def forward(self, given: Examples) -> torch.Tensor:
        """Return the score (n,) of each table."""
        p: dict[str, torch.Tensor] = dict(self.named_parameters())
        n, cards, _ = given.cards.shape
        biases = p["rank"][self.ranks].repeat(n, 1)
        h = torch.relu(torch.addmm(biases, given.cards.reshape(n * cards, -1), p["card"]))
        h = h.view(n, cards, -1) * given.present
        for turn in range(p["message"].shape[0]):
            h = h + self._passed(h, given, p["message"][turn], p["message_bias"][turn])
        columns = torch.relu(given.columns @ p["column"] + p["column_bias"])
        x = torch.cat([h.sum(1) * POOLED, columns.sum(1) * POOLED, given.table], 1)
        x = torch.relu(torch.addmm(p["first_bias"], x, p["first"]))
        x = torch.relu(torch.addmm(p["second_bias"], x, p["second"]))
        return x @ p["last"] + p["last_bias"]

    def _passed(
        self, h: torch.Tensor, given: Examples, weights: torch.Tensor, bias: torch.Tensor
    ) -> torch.Tensor:
        """Return what each card (n, cards, width) hears of itself and of its neighbours."""
        n, cards, width = h.shape
        # a row of zeros stands for a neighbour that is not there
        padded = torch.cat([h, h.new_zeros(n, 1, width)], 1).view(-1, width)
        at = torch.arange(n, device=h.device)[:, None, None] * (cards + 1)
        rows = at + torch.where(given.neighbours < 0, cards, given.neighbours)
        heard = padded[rows.view(n * cards, -1)].view(n * cards, -1)
        together = torch.cat([h.reshape(n * cards, width), heard], 1)
        passed = torch.relu(torch.addmm(bias, together, weights.reshape(-1, width)))
        return passed.view(n, cards, width) * given.present

    def weights(self) -> Network:
        """Return the weights for the kernels."""
        return Network(**{name: _array(value) for name, value in self.named_parameters()})

    def take(self, network: Network) -> None:
        """Take over the weights of a network of the same sizes."""
        with torch.no_grad():
            for name, value in self.named_parameters():
                value.copy_(torch.from_numpy(getattr(network, name)))


def _array(value: torch.Tensor) -> npt.NDArray[np.float32]:
    return np.ascontiguousarray(value.detach().cpu().numpy(), np.float32)


def _scale(name: str, shape: tuple[int, ...]) -> float:
    """Return the standard deviation of an array's first values."""
    if "bias" in name or name == "rank":
        return 0.0
    if name == "last":
        return 0.1
    fan_in = shape[-2] * (shape[1] if name == "message" else 1)
    return float((2.0 / fan_in) ** 0.5)
