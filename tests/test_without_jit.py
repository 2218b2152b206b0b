"""The kernels as plain Python give what the compiled ones give (coverage and debugging need it)."""

import os
import subprocess
import sys
import zlib

import numpy as np
import pytest

from scorpion_env.vector_env import ScorpionVectorEnv

NAMES = ("classic", "open_scorpion", "three_blind_mice", "pysol_triple_scorpion")


def fingerprint(name: str) -> str:
    """Play two games for a while and return a checksum of all that is seen."""
    env = ScorpionVectorEnv(2, rules=name, observation="both", step_limit=20)
    observation, info = env.reset(seed=3)
    rng = np.random.default_rng(0)
    check = 0
    for _ in range(25):
        masks = info["action_mask"]
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        observation, rewards, terminated, truncated, info = env.step(actions)
        for part in (*observation.values(), rewards, terminated, truncated, info["action_mask"]):
            check = zlib.crc32(np.ascontiguousarray(part).tobytes(), check)
    return str(check)


@pytest.mark.parametrize("name", NAMES)
def test_plain_python_gives_the_same(name: str) -> None:
    code = f"from tests.test_without_jit import fingerprint; print(fingerprint({name!r}))"
    done = subprocess.run(
        # SplitMix64 is meant to overflow, which NumPy's scalars warn of
        [sys.executable, "-W", "ignore::RuntimeWarning", "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == fingerprint(name), done.stderr[-2000:]
