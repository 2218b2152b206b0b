"""The same seeds and actions give the same bytes, wherever and beside whatever they are played."""

import json
import os
import subprocess
import sys
from typing import Any

import gymnasium as gym
import pytest

from scorpion_env import ENV_IDS
from tests.trajectories import play, play_vector

SEEDS = list(range(64))
NAMES = ["classic", "three_blind_mice"]
FORK_AFTER_THREADS = """
from multiprocessing import get_context
from tests.trajectories import play_vector
from numba import threading_layer
play_vector("classic", [0, 1], 2, threads=2)
print(threading_layer())
with get_context("fork").Pool(1) as pool:
    try:
        print(pool.apply(play_vector, ("classic", [0, 1], 2, 2)))
    except RuntimeError as error:
        print(error)
"""


@pytest.fixture(scope="module")
def expected() -> dict[str, list[str]]:
    """The digests of the games of each variant, played one by one."""
    envs = {name: gym.make(ENV_IDS[name], observation="both") for name in NAMES}
    return {
        name: [play(env, seed).chunks[-1] for seed in SEEDS] for name, env in envs.items()
    }  # fmt: skip


def in_python(code: str, **environment: str) -> str:
    """Run code in a new interpreter and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def elsewhere(function: str, *arguments: tuple[Any, ...], **environment: str) -> list[list[str]]:
    """Call a function of `tests.trajectories` with each arguments in a new interpreter."""
    code = (
        f"import json; from tests.trajectories import {function}\n"
        f"print(json.dumps([{function}(*given) for given in {arguments}]))"
    )
    digests: list[list[str]] = json.loads(in_python(code, **environment))
    return digests


def test_games_differ_from_one_another(expected: dict[str, list[str]]) -> None:
    assert len({digest for digests in expected.values() for digest in digests}) == 128


@pytest.mark.parametrize("size", [1, 7, 64])
def test_size_of_a_vector(size: int, expected: dict[str, list[str]]) -> None:
    for name in NAMES:
        assert play_vector(name, SEEDS, size) == expected[name]


@pytest.mark.parametrize("hash_seed", ["1", "random"])
def test_hash_seed_of_a_process(hash_seed: str, expected: dict[str, list[str]]) -> None:
    calls = [(name, SEEDS, 64) for name in NAMES]
    assert elsewhere("play_vector", *calls, PYTHONHASHSEED=hash_seed) == [*expected.values()]


def test_threads_of_a_vector(expected: dict[str, list[str]]) -> None:
    calls = [(name, SEEDS, *more) for more in ((7, 2), (64, 2), (7, 4), (64, 4)) for name in NAMES]
    # passive: spinning threads take turns on a busy machine and take minutes
    setting = {"NUMBA_NUM_THREADS": "4", "OMP_WAIT_POLICY": "PASSIVE"}
    assert elsewhere("play_vector", *calls, **setting) == [*expected.values()] * 4


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_worker_processes(method: str, expected: dict[str, list[str]]) -> None:
    assert elsewhere("play_in_pool", (method, "classic", SEEDS)) == [expected["classic"]]


def test_threads_after_a_fork_are_refused_where_they_would_end_the_process() -> None:
    """Guards against: a worker dies in OpenMP and whoever started it waits for ever."""
    layer, said = in_python(FORK_AFTER_THREADS, NUMBA_NUM_THREADS="2").splitlines()
    if layer == "omp":
        assert said.startswith("this process was forked from one that has used threads")
    else:
        assert said == repr(play_vector("classic", [0, 1], 2))
