"""Fitting the network over cards to labelled positions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from agents.inputs import CARD_INPUTS, COLUMN_INPUTS, NEIGHBOURS, TABLE_INPUTS, Inputs
from agents.outlook import empty_outlook
from scorpion_env.rules import Rules
from scorpion_env.solver.analysis import LOSES, WINS
from scorpion_env.solver.relations import relations_of
from train.imitation_config import Fit
from train.move_network import Examples, MoveNetwork
from train.positions import Kept, make_tools, write_examples

MOVES_A_POSITION = 16  # room in a batch; what does not fit is left for the next epoch


class Losses(NamedTuple):
    """Mean losses of a batch or an epoch."""

    each: float
    choice: float


def new_inputs(rules: Rules, rows: int) -> tuple[Inputs, npt.NDArray[np.float32]]:
    """Return memory for a batch of examples, and for which cards (rows, cards) are present."""
    cards, columns = rules.layout.cards, len(rules.layout.columns)
    inputs = Inputs(
        cards=np.zeros((rows, cards, len(CARD_INPUTS)), np.float32),
        neighbours=np.zeros((rows, cards, NEIGHBOURS), np.int64),
        columns=np.zeros((rows, columns, len(COLUMN_INPUTS)), np.float32),
        table=np.zeros((rows, len(TABLE_INPUTS)), np.float32),
        outlook=empty_outlook(cards),
    )
    return inputs, np.zeros((rows, cards), np.float32)


def examples_of(inputs: Inputs, present: npt.NDArray[np.float32], rows: int) -> Examples:
    """Return the first ``rows`` of a batch as tensors that share its memory."""
    return Examples(
        torch.from_numpy(inputs.cards[:rows]),
        torch.from_numpy(present[:rows])[..., None],
        torch.from_numpy(inputs.neighbours[:rows]),
        torch.from_numpy(inputs.columns[:rows]),
        torch.from_numpy(inputs.table[:rows]),
    )


class Batches:
    """Batches of examples, written by one compiled call each into the same memory."""

    def __init__(self, rules: Rules, network: MoveNetwork, size: int) -> None:
        rows = size * MOVES_A_POSITION
        self.rules = rules
        self.size = size
        self._tools = make_tools(rules, network.weights(), 1, 0)
        self._inputs, self._present = new_inputs(rules, rows)
        self._labels = np.zeros(rows, np.float32)
        self._position = np.zeros(rows, np.int64)

    def read(
        self, kept: Kept, chosen: npt.NDArray[np.int64]
    ) -> tuple[Examples, torch.Tensor, torch.Tensor]:
        """Return the judged moves of some rows, their labels (n,) and positions (n,)."""
        rows = write_examples(
            self.rules.compiled,
            relations_of(self.rules),
            self._tools,
            kept,
            chosen,
            self._inputs,
            self._present,
            self._labels,
            self._position,
        )
        labels = torch.from_numpy(self._labels[:rows].copy())
        position = torch.from_numpy(self._position[:rows].copy())
        return examples_of(self._inputs, self._present, rows), labels, position


def choice_loss(scores: torch.Tensor, labels: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
    """Return minus the mean logarithm of the share that winning moves get of each softmax."""
    count = int(position[-1]) + 1
    highest = torch.full((count,), -torch.inf)
    highest = highest.scatter_reduce(0, position, scores.detach(), "amax")
    shares = torch.exp(scores - highest[position])
    total = torch.zeros(count).index_add(0, position, shares)
    winning = torch.zeros(count).index_add(0, position, shares * labels)
    # positions that no move wins teach nothing here
    some = torch.zeros(count).index_add(0, position, labels) > 0
    return -torch.log((winning[some] + 1e-9) / total[some]).mean()


def is_mixed(kept: Kept) -> npt.NDArray[np.bool_]:
    """Say (n,) in which positions some judged moves win and some do not."""
    return (kept.verdicts == WINS).any(axis=1) & (kept.verdicts == LOSES).any(axis=1)


def fit(
    rules: Rules,
    network: MoveNetwork,
    kept: Kept,
    asked: Fit,
    epochs: int,
    learning_rate: float,
    generator: np.random.Generator,
) -> Iterator[Losses]:
    """Fit ``network`` to positions, the learning rate rising, then falling; yield each epoch."""
    used = is_mixed(kept) | (generator.random(len(kept.packed)) < asked.even)
    rows = np.flatnonzero(used)
    size = min(asked.batch_size, len(rows))
    if size == 0 or epochs == 0:
        return
    batches = Batches(rules, network, size)
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=learning_rate, weight_decay=asked.weight_decay
    )
    steps = epochs * (len(rows) // size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, learning_rate, total_steps=steps + 1, pct_start=0.1
    )
    for _ in range(epochs):
        generator.shuffle(rows)
        losses = []
        for first in range(0, len(rows) - size + 1, size):
            given, labels, position = batches.read(kept, rows[first : first + size])
            scores = network(given)
            each = binary_cross_entropy_with_logits(scores, labels)
            choice = choice_loss(scores, labels, position)
            optimizer.zero_grad()
            (asked.each * each + asked.choice * choice).backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append((each.item(), choice.item()))
        yield Losses(*np.mean(losses, axis=0).tolist())
