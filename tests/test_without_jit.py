"""The kernels as plain Python give what the compiled ones give (coverage and debugging need it)."""

import os
import subprocess
import sys
import zlib
from dataclasses import replace

import numpy as np
import pytest

from scorpion_env import Layout, Rules
from scorpion_env.game import Game
from scorpion_env.solver import Adviser, solve
from scorpion_env.suites import find_suite
from scorpion_env.vector_env import ScorpionVectorEnv

NAMES = ("classic", "open_scorpion", "three_blind_mice", "pysol_triple_scorpion")
IMPORT = "from tests.test_without_jit import advised, fingerprint, solved"


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


def solved() -> str:
    """Solve small deals with every reserve, empty column and fate of sequences."""
    layout = Layout((4, 3, 3), (2, 1, 0), 2, (0, 1), suits=3, ranks=4)
    played = replace(layout, reserve_columns=())
    sets = [
        Rules(layout),
        Rules(layout, build="any_suit", empty_column="any"),
        Rules(layout, reserve="deal_when_idle", sequences="stay"),
        Rules(played, reserve="play", loss="sheet"),
    ]
    games = [Game(seed, rules) for rules in sets for seed in range(3)]
    # one with persistent sets
    games.append(Game(int(find_suite("classic-winnable").seeds[0])))
    solutions = [solve(game, 300) for game in games]
    return repr([(s.status, s.nodes, s.actions, s.certificate) for s in solutions])


def advised() -> str:
    """Judge the moves of small games, all cards known and not."""
    rules = Rules(Layout((4, 3, 3), (2, 1, 0), 2, (0, 1), suits=3, ranks=4), loss="sheet")
    adviser = Adviser(rules, 100)
    games = [Game(seed, rules) for seed in range(2)]
    return repr([(adviser.judge(game), adviser.vote(game, worlds=4)) for game in games])


def in_plain_python(call: str) -> str:
    """Return what a call of a function of this module gives where nothing is compiled."""
    done = subprocess.run(
        # SplitMix64 is meant to overflow, which NumPy's scalars warn of
        [sys.executable, "-W", "ignore::RuntimeWarning", "-c", f"{IMPORT}; print({call})"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or done.stderr[-2000:]


@pytest.mark.parametrize("name", NAMES)
def test_plain_python_gives_the_same(name: str) -> None:
    assert in_plain_python(f"fingerprint({name!r})") == fingerprint(name)


def test_plain_python_solves_the_same() -> None:
    assert in_plain_python("solved()") == solved()


def test_plain_python_advises_the_same() -> None:
    assert in_plain_python("advised()") == advised()
