"""``python -m benchmarks.startup``: seconds from the import to the first step, cold and warm."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

SINGLE = "env = gym.make('Scorpion-v0'); env.reset(seed=0); env.step(364)"
VECTOR = (
    "env = gym.make_vec('Scorpion-v0', num_envs=2); env.reset(seed=0); "
    "env.step(np.array([364] * 2))"
)
CODE = (
    "import time; start = time.perf_counter()\n"
    "import gymnasium as gym, numpy as np, scorpion_env\n"
    "{body}\n"
    "print(time.perf_counter() - start)"
)


def seconds(body: str, cache: str) -> float:
    """Return what a fresh Python takes with the compiled kernels in ``cache``."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CODE.format(body=body)],
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def main() -> None:
    """Print the table."""
    print("| first step | cold s | warm s |\n|---|---|---|")
    for name, body in (("single environment", SINGLE), ("vector environment", VECTOR)):
        with tempfile.TemporaryDirectory() as cache:
            cold, warm = seconds(body, cache), min(seconds(body, cache) for _ in range(3))
        print(f"| {name} | {cold:.1f} | {warm:.2f} |")


if __name__ == "__main__":
    main()
