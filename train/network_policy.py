"""The network over cards as a policy of MaskablePPO."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from agents.features import write_table
from agents.inputs import IDLE_INPUT, Inputs
from agents.network import (
    IDLE_COST,
    UNDO_SCORE,
    Network,
    Scratch,
    describe_move,
    make_scratch,
    network_shapes,
)
from agents.network_agent import Seen
from agents.table import copy_table, read_seen
from scorpion_env.engine.compile import kernel
from scorpion_env.rules import CompiledRules, Rules
from scorpion_env.solver.relations import Relations, relations_of
from train.fit import examples_of, new_inputs
from train.move_network import Examples, MoveNetwork
from train.positions import write_example

NO_LOGIT = -1e8  # of illegal actions


@kernel
def write_observed_moves(
    rules: CompiledRules,
    relations: Relations,
    seen: Seen,
    mask: npt.NDArray[np.int8],
    scratch: Scratch,
    inputs: Inputs,
    present: npt.NDArray[np.float32],
) -> int:
    """Write the legal moves of N observed games, undo left out, into the rows of a batch."""
    row = 0
    for game in range(mask.shape[0]):
        read_seen(
            rules,
            relations,
            seen.tableau[game],
            seen.reserve[game],
            seen.completed[game],
            scratch.before,
        )
        for action in range(rules.deal_action + 1):
            if mask[game, action]:
                describe_move(
                    rules, relations, scratch.before, action, scratch.after, scratch.inputs
                )
                write_example(rules, inputs, scratch, present, row)
                row += 1
    return row


@kernel
def write_observed_tables(
    rules: CompiledRules,
    relations: Relations,
    seen: Seen,
    scratch: Scratch,
    inputs: Inputs,
    present: npt.NDArray[np.float32],
) -> None:
    """Write N observed games as they stand into the rows of a batch."""
    for game in range(present.shape[0]):
        read_seen(
            rules,
            relations,
            seen.tableau[game],
            seen.reserve[game],
            seen.completed[game],
            scratch.before,
        )
        copy_table(rules, scratch.before, scratch.after)
        write_table(rules, relations, scratch.after, scratch.inputs)
        write_example(rules, inputs, scratch, present, game)


class NetworkPolicy(MaskableActorCriticPolicy):
    """Logits are the scores of legal moves; the value comes from a second network of that kind.

    Takes observations of kind "cards" and always needs masks. Neither network has a part that
    depends on the rules, so weights go from one variant to another.

    Parameters
    ----------
    *args, **kwargs
        SB3's.
    rules : Rules
        What is played.
    sizes : dict
        See `agents.network.network_shapes`.
    start : Network, optional
        Weights to start from.
    """

    def __init__(
        self,
        *args: Any,
        rules: Rules,
        sizes: dict[str, int],
        start: Network | None = None,
        **kwargs: Any,
    ) -> None:
        self._rules = rules
        self._sizes = sizes
        self._start = start
        self._relations = relations_of(rules)
        shapes = network_shapes(**sizes)
        nothing = Network(**{k: np.zeros(shape, np.float32) for k, shape in shapes.items()})
        self._scratch = make_scratch(rules, nothing)
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        self.scorer = MoveNetwork(self._rules, **self._sizes)
        self.valuer = MoveNetwork(self._rules, **self._sizes)
        if self._start is not None:
            self.scorer.take(self._start)
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )

    def _get_constructor_parameters(self) -> dict[str, Any]:
        own = {"rules": self._rules, "sizes": self._sizes}
        return super()._get_constructor_parameters() | own

    def forward(
        self, obs: Any, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return actions, values and the actions' log-probabilities, as SB3 asks."""
        distribution = self.get_distribution(obs, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, self.predict_values(obs), distribution.log_prob(actions)

    def evaluate_actions(
        self, obs: Any, actions: torch.Tensor, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Return values, log-probabilities of actions and entropies, as SB3 asks."""
        distribution = self.get_distribution(obs, action_masks)
        return self.predict_values(obs), distribution.log_prob(actions), distribution.entropy()

    def get_distribution(self, obs: Any, action_masks: Any = None) -> MaskableDistribution:
        """Return the distribution over legal actions.

        Raises
        ------
        ValueError
            If no masks are given: only legal moves have scores.
        """
        if action_masks is None:
            raise ValueError("the network over cards scores legal moves: give it action masks")
        mask = torch.as_tensor(action_masks).reshape(-1, self._rules.actions).bool()
        logits = self.logits(_seen(obs), mask.cpu())
        distribution = self.action_dist.proba_distribution(action_logits=logits)
        distribution.apply_masking(mask.cpu().numpy())
        return distribution

    def logits(self, seen: Seen, mask: torch.Tensor) -> torch.Tensor:
        """Return a logit (N, actions) for each action."""
        last = self._rules.deal_action + 1
        moves = mask.clone()
        moves[:, last:] = False
        rows = int(moves.sum())
        inputs, present = new_inputs(self._rules, rows)
        write_observed_moves(
            self._rules.compiled,
            self._relations,
            seen,
            mask.numpy().astype(np.int8),
            self._scratch,
            inputs,
            present,
        )
        given = _to(examples_of(inputs, present, rows), self.device)
        scores = self.scorer(given) - IDLE_COST * given.table[:, IDLE_INPUT]
        logits = scores.new_full(mask.shape, NO_LOGIT)
        logits[:, last:] = UNDO_SCORE
        return logits.masked_scatter(moves.to(self.device), scores)

    def predict_values(self, obs: Any) -> torch.Tensor:
        """Return the value (N, 1) of each observation."""
        seen = _seen(obs)
        rows = len(seen.tableau)
        inputs, present = new_inputs(self._rules, rows)
        write_observed_tables(
            self._rules.compiled, self._relations, seen, self._scratch, inputs, present
        )
        return self.valuer(_to(examples_of(inputs, present, rows), self.device))[:, None]


def _seen(obs: dict[str, torch.Tensor]) -> Seen:
    """Return observations as the kernels read them; SB3 keeps them as floats."""
    tableau = obs["tableau"]
    reserve = obs.get("reserve", tableau.new_zeros(len(tableau), 0))
    return Seen(
        *(
            np.ascontiguousarray(part.cpu().numpy(), np.uint8)
            for part in (tableau, reserve, obs["completed"])
        )
    )


def _to(given: Examples, device: torch.device) -> Examples:
    return Examples(*(part.to(device) for part in given))
