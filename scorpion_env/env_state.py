"""Saving an environment, single or vector, and going on from there."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np

from scorpion_env.batch import Batch, Settings, copy_batch, restore_batch
from scorpion_env.rules import Rules


class EnvState(NamedTuple):
    """A saved environment: its games, its generator, and whether it has been reset at all."""

    rules: Rules
    settings: Settings
    batch: Batch
    generator: np.random.Generator | None
    seeded: bool


def save_state(env: Any) -> EnvState:
    """Return a copy of all that later steps and resets of an environment depend on."""
    batch, generator = copy_batch(env._batch), deepcopy(env._np_random)
    return EnvState(env.rules, env._settings, batch, generator, env._seeded)


def load_state(env: Any, state: Any) -> None:
    """Let an environment go on from a saved state.

    Raises
    ------
    ValueError
        If it is no state, or belongs to an environment that was made otherwise.
    """
    if not isinstance(state, EnvState):
        raise ValueError(f"{type(state).__name__} is no state: give what get_state() returned")
    if state.rules != env.rules or state.settings != env._settings:
        raise ValueError(
            "this state belongs to an environment of other rules, rewards or limits: restore it "
            "into one that is made alike"
        )
    restore_batch(env._batch, state.batch)
    env._np_random = deepcopy(state.generator)
    env._seeded = state.seeded
