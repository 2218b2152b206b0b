"""``pytest benchmarks/test_kernels.py``: pytest-benchmark guards the kernels (extra ``bench``).

Compare with an earlier run: ``--benchmark-autosave``, later ``--benchmark-compare``.
"""

from typing import Any

import numpy as np
import pytest

from benchmarks.ours import choose
from scorpion_env.vector_env import ScorpionVectorEnv

GAMES = 1024


@pytest.mark.parametrize("observation", ["cards", "planes"])
@pytest.mark.parametrize("rules", ["classic", "flexible", "double_scorpion"])
def test_step(benchmark: Any, rules: str, observation: str) -> None:
    env = ScorpionVectorEnv(GAMES, rules=rules, observation=observation, copy=False)
    env.reset(seed=0)
    masks = env.action_masks().view(np.int8)
    actions = np.zeros(GAMES, np.int64)

    def set_up() -> tuple[tuple[Any], dict[str, Any]]:
        choose(masks, actions, np.uint64(actions.sum() + 1))
        return (actions,), {}

    benchmark.pedantic(env.step, setup=set_up, rounds=100)
    assert not env._batch.episodes.illegal.any()


def test_reset(benchmark: Any) -> None:
    env = ScorpionVectorEnv(GAMES, copy=False)
    env.reset(seed=0)
    benchmark(env.reset)
