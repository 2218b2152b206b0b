"""``python -m benchmarks.soak --steps 1000000000``: random legal play for long, memory in sight.

Games of every variant are played in vector environments, one after another: each minute one line
with the steps so far and the resident memory. Before that, 10,000 resets of a vector.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import get_args

import numpy as np

from benchmarks.ours import choose
from scorpion_env import VARIANTS
from scorpion_env.observation import ObservationKind
from scorpion_env.vector_env import ScorpionVectorEnv

RESETS = 10_000
STEPS_A_TURN = 500  # of each game, before the next variant's turn
ALLOWED_MB = 20.0  # growth after the first line


def resident_mb() -> float:
    """Return the resident memory of this process in MB (Linux)."""
    fields = dict(
        line.split(":", 1) for line in Path("/proc/self/status").read_text("utf-8").splitlines()
    )
    return int(fields["VmRSS"].split()[0]) / 1024


def growth_of_resets(games: int = 64, resets: int = RESETS) -> float:
    """Return by how many MB the memory grows over resets of a vector after a tenth of them."""
    env = ScorpionVectorEnv(games)
    before = 0.0
    for number in range(resets):
        env.reset(seed=number)
        if number == resets // 10:
            gc.collect()
            before = resident_mb()
    gc.collect()
    return resident_mb() - before


def play_turns(games: int, observation: ObservationKind) -> Iterator[int]:
    """Play the variants in turn with random legal actions; yield the steps of each turn."""
    envs = [ScorpionVectorEnv(games, rules=rules, observation=observation) for rules in VARIANTS]
    infos = [env.reset(seed=number)[1] for number, env in enumerate(envs)]
    actions, state = np.zeros(games, np.int64), np.uint64(1)
    for place in cycle(range(len(envs))):
        for _ in range(STEPS_A_TURN):
            state = np.uint64(choose(infos[place]["action_mask"], actions, state))
            *_, infos[place] = envs[place].step(actions)
        yield STEPS_A_TURN * games


def soak(turns: Iterator[int], limit: int, minutes: float, between: float = 60.0) -> float:
    """Play for ``limit`` steps or some minutes, printing a row after every ``between`` seconds.

    Returns by how many MB the memory grew from the first row, which follows a turn of each
    variant at least, to the last.
    """
    steps = sum(next(turns) for _ in VARIANTS)  # compiles
    start = told = time.monotonic()
    gc.collect()
    first = resident_mb()
    print("| minutes | steps | resident MB |\n|---|---|---|")
    print(f"| 0.0 | {steps:,} | {first:.1f} |", flush=True)
    while steps < limit and time.monotonic() - start < 60 * minutes:
        steps += next(turns)
        now = time.monotonic()
        if now - told >= between:
            told = now
            print(f"| {(now - start) / 60:.1f} | {steps:,} | {resident_mb():.1f} |", flush=True)
    gc.collect()
    last = resident_mb()
    print(f"| {(time.monotonic() - start) / 60:.1f} | {steps:,} | {last:.1f} |")
    return last - first


def main() -> int:
    """Run the command line; return 1 if the memory grew."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--steps", type=int, default=10**9, help="at most (%(default)s)")
    parser.add_argument("--minutes", type=float, default=60.0, help="at most (%(default)s)")
    parser.add_argument("--observation", choices=get_args(ObservationKind), default="both")
    parser.add_argument("--games", type=int, default=256, help="side by side (%(default)s)")
    options = parser.parse_args()
    grown = growth_of_resets()
    print(f"{RESETS:,} resets of 64 games: memory grew by {grown:.1f} MB")
    turns = play_turns(options.games, options.observation)
    played = soak(turns, options.steps, options.minutes)
    print(f"play: memory grew by {played:.1f} MB")
    return int(max(grown, played) > ALLOWED_MB)


if __name__ == "__main__":
    raise SystemExit(main())
